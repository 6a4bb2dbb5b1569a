"""Which kind of tree grows next: the one whose latest trees lowered the loss of rows they had not seen most.

This is a bandit problem: a kind that is not tried is not known, and what is best changes while the loss
falls. Each kind is tried a few times in turn; then a random part is added to the merit of each, and the
highest goes next.
"""

from __future__ import annotations

import numpy as np

# Trees of each kind before merits count.
_TRIALS = 3

# Part of the latest tree in the merit of its kind.
_LATEST = 0.2

# Size of the random part beside the highest merit.
_CURIOSITY = 0.15


class Contest:
    """Keeps the merits of some kinds.

    Parameters
    ----------
    n_kinds : int
        How many there are.
    """

    def __init__(self, n_kinds: int) -> None:
        self.n_trees = np.zeros(n_kinds, np.int64)  # of each kind
        self._merit = np.zeros(n_kinds)
        self._n_chosen = 0

    def choose(self, rng: np.random.Generator) -> int:
        """Return the kind of the next tree."""
        n_kinds = len(self._merit)
        self._n_chosen += 1
        if self._n_chosen <= _TRIALS * n_kinds:
            return (self._n_chosen - 1) % n_kinds
        return int(np.argmax(self._merit + _CURIOSITY * np.abs(self._merit).max() * rng.gumbel(size=n_kinds)))

    def record(self, kind: int, gain: float) -> None:
        """Take note of the gain of a tree: the share of the loss by which it lowered it."""
        before = self._merit[kind] if self.n_trees[kind] else gain
        self._merit[kind] = (1.0 - _LATEST) * before + _LATEST * gain
        self.n_trees[kind] += 1
