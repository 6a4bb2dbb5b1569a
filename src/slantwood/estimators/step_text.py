"""Leaves of boosted trees as text: steps of scores, and what scores are."""

from __future__ import annotations

from typing import Any

import numpy as np

from slantwood.task_names import CLASS_TASKS, NUMBER_TASKS

_MOST_OUTPUTS = 5

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
        begin = self._row([f"{name} = {x:.4g}" for name, x in zip(self._names, start, strict=True)])
        trees = f"all {self._n_trees} trees add to them"
        return f"Leaves are steps of {self._scores()}. They begin at {begin}; {trees}."

    def steps(self, leaf: np.ndarray) -> str:
        """Say one leaf: numbers in their order, others by how far they go."""
        steps = self._scale * leaf.astype(np.float64)
        order = np.arange(len(steps))
        if not self._are_numbers:
            moved = np.flatnonzero(steps)
            order = moved[np.argsort(-np.abs(steps[moved]), kind="stable")]
        return self._row([f"{self._names[j]} {steps[j]:+.4g}" for j in order] or ["-"])

    def _scores(self) -> str:
        return _SCORES[self._additive.loss.link]

    @staticmethod
    def _row(texts: list[str]) -> str:
        more = f", and {len(texts) - _MOST_OUTPUTS} more" if len(texts) > _MOST_OUTPUTS else ""
        return ", ".join(texts[:_MOST_OUTPUTS]) + more
