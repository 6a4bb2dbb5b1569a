"""Leaves of boosted trees as text: steps of scores, and what scores are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from slantwood.task_names import CLASS_TASKS, NUMBER_TASKS

# Of many outputs so many are named.
MOST_OUTPUTS = 5

# What scores are, by the link of the loss.
_SCORES = {
    "identity": "predictions",
    "log": "logarithms of predictions",
    "logit": "log odds",
    "softmax": "scores whose softmax is the probabilities",
}


class StepText:
    """Says the leaves of a boosted model.

    Parameters
    ----------
    model : fitted estimator
        The model.
    outputs : sequence of str
        Names of what it predicts.
    """

    def __init__(self, model: Any, outputs: Any) -> None:
        self._additive = model.forest_.additive
        self._n_trees = model.trees_.n_trees
        targets = model.targets_
        self._are_numbers = targets.task in NUMBER_TASKS
        self._names = outputs
        if targets.task in CLASS_TASKS and targets.n_columns == 1:
            # Of two classes there is a score of the second; of one, of all others.
            self._names = outputs[1:] or ("another class",)
        # Scores of numbers are said in the user's units.
        self._scale, self._zero = np.float64(1.0), np.float64(0.0)
        if self._additive.loss.link == "log":
            self._zero = np.log(targets.scale)
        elif self._are_numbers:
            self._scale, self._zero = targets.scale, targets.mean

    def round_of(self, tree: int) -> int:
        """Return the round that grew a tree, counted from 0."""
        return self._additive.round_of(tree)

    def head(self) -> str:
        """Say what the numbers in leaves are, and what they are added to."""
        start = self._zero + self._scale * self._additive.start
        begin = in_a_row([f"{name} = {x:.4g}" for name, x in zip(self._names, start, strict=True)])
        trees = f"all {self._n_trees} trees add to them"
        return f"Leaves are steps of {self._scores()}. They begin at {begin}; {trees}."

    def steps(self, leaf: np.ndarray) -> list[tuple[str, float]]:
        """Return the steps of one leaf: of numbers in their order, of others by how far they go."""
        steps = self._scale * leaf.astype(np.float64)
        order = np.arange(len(steps))
        if not self._are_numbers:
            moved = np.flatnonzero(steps)
            order = moved[np.argsort(-np.abs(steps[moved]), kind="stable")]
        return [(self._names[j], float(steps[j])) for j in order]

    def _scores(self) -> str:
        return _SCORES[self._additive.loss.link]


def in_a_row(texts: Sequence[str], n_all: int | None = None) -> str:
    """Put the first few texts in a row, and say how many more there are, of `n_all` or of these."""
    n_all = len(texts) if n_all is None else n_all
    said = texts[:MOST_OUTPUTS]
    more = f", and {n_all - len(said)} more" if n_all > len(said) else ""
    return (", ".join(said) or "-") + more
