"""Which rows are in which share: at random, whatever block they lie in and in whatever order.

The rows of a block have places on a circle that is as long as there are shares: evenly spaced, in random
order. A share begins at the place of its number, and is as long as the number of shares that hold each row:
so it has its part of every block, and shares no longer than 1 have no row in common.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


def even_places(n_rows: int, n_shares: int, rng: np.random.Generator) -> np.ndarray:
    """Return places for the rows of a block, from the first on the circle to the last."""
    # Where the first is, is drawn, too: else blocks of a few rows would all have them in the same shares.
    return np.asarray((np.arange(n_rows) + rng.random()) * n_shares / n_rows)


def is_held(places: np.ndarray, share: int, n_shares: int, n_held: float) -> np.ndarray:
    """Say which places are in a share, where each row is in `n_held` shares."""
    return np.asarray((places - share) % n_shares < n_held)


class Division(NamedTuple):
    """How rows are divided into shares that have no row in common."""

    n_shares: int
    n_held: float  # the part of all rows that is in any share, at most 1
    seed: int

    @property
    def fraction(self) -> float:
        """The part of all rows that is in each share."""
        return self.n_held / self.n_shares

    def rows(self, share: int, block: int, n_rows: int) -> np.ndarray:
        """Return the rows of a block that are in a share, in order."""
        if self.fraction >= 1.0:
            return np.arange(n_rows)
        rng = self._rng(block)
        places = rng.permutation(even_places(n_rows, self.n_shares, rng))
        return np.flatnonzero(is_held(places, share, self.n_shares, self.n_held))

    def n_rows(self, share: int, sizes: Sequence[int]) -> int:
        """Return how many rows of blocks of these sizes are in a share."""
        if self.fraction >= 1.0:
            return sum(sizes)
        total = 0
        for block, size in enumerate(sizes):
            places = even_places(size, self.n_shares, self._rng(block))
            total += int(is_held(places, share, self.n_shares, self.n_held).sum())
        return total

    def _rng(self, block: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, block])
