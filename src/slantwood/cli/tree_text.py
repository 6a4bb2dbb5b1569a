"""One tree as indented text: what each node asks, how many rows came there, what a leaf predicts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.cli import models
from slantwood.features.matrix import array_of
from slantwood.task_names import CLASS_TASKS

_MOST_WEIGHTS = 6
_MOST_LABELS = 5

# Levels that are indented; below them the level stands in front of the line, which would grow without end.
_MOST_INDENTED = 30


def tree_as_text(model: Any, number: int, depth: int) -> str:
    """Return tree `number` down to a depth; the largest weights of a split come first."""
    n_trees = model.trees_.n_trees
    if number >= n_trees:
        raise ValueError(f"--tree {number}: the model has {n_trees} trees, counted from 0")
    lines = [f"Tree {number} of {type(model).__name__}, {models.task_of(model)}"]
    if model.settings_.unit_rows:
        lines.append("Weights are for rows of length 1.")
    root = int(model.trees_.roots[number])
    return "\n".join([*lines, *_Writer(model, root).lines(root, depth)])


class _Writer:
    def __init__(self, model: Any, root: int) -> None:
        self.model = model
        self.trees = model.trees_
        self.names = model.split_feature_names_
        self.outputs = models.output_names(model)
        self.leaves = array_of(self.trees.leaves)
        self.total = float(self.trees.node_weight[root]) if len(self.trees.node_weight) else 0.0

    def lines(self, root: int, depth: int) -> Iterator[str]:
        trees = self.trees
        # A tree may have as many levels as rows: no function that calls itself goes down so far.
        waiting = [(root, 0, "")]
        while waiting:
            node, level, answer = waiting.pop()
            lead = "  " * min(level, _MOST_INDENTED) + (f"({level}) " if level > _MOST_INDENTED else "")
            if trees.left[node] < 0:
                yield f"{lead}{answer}{self._prediction(node)}{self._share(node)}"
            elif level == depth:
                yield f"{lead}{answer}...{self._share(node)}"
            else:
                yield f"{lead}{answer}{self._question(node)}?{self._share(node)}"
                waiting.append((int(trees.left[node]), level + 1, "no:  "))
                waiting.append((int(trees.right[node]), level + 1, "yes: "))

    def _share(self, node: int) -> str:
        if not self.total > 0:  # a model that was saved for prediction only does not know it
            return ""
        weight = float(self.trees.node_weight[node])
        return f"  [{weight:.6g} rows, {100 * weight / self.total:.3g} %]"

    def _question(self, node: int) -> str:
        part = slice(self.trees.indptr[node], self.trees.indptr[node + 1])
        weights, columns = self.trees.weights[part], self.trees.indices[part]
        largest = np.argsort(-np.abs(weights), kind="stable")
        terms = (
            "".join(
                f" {'-' if weights[j] < 0 else '+'} {abs(weights[j]):.3g} {self.names[columns[j]]}"
                for j in largest[:_MOST_WEIGHTS]
            )
            .removeprefix(" + ")
            .lstrip()
        )
        n_more = len(weights) - _MOST_WEIGHTS
        more = f" + ({n_more} more)" if n_more > 0 else ""
        return f"{terms}{more} >= {-self.trees.bias[node]:.3g}"

    def _prediction(self, node: int) -> str:
        part = self.leaves[[int(self.trees.leaf[node])]]
        means = part.toarray() if sp.issparse(part) else part
        task = models.task_of(self.model)
        if task in CLASS_TASKS:
            shares = self.model.targets_.probabilities(means)
            decided = self.model.targets_.decode(shares, self.model.threshold)
            best = int(np.searchsorted(self.model.classes_, decided)[0])
            return f"{self.outputs[best]} ({shares[0, best]:.2f})"
        if "regression" in task:
            numbers = np.ravel(self.model.targets_.decode(means))
            return self._row([f"{name} = {x:.4g}" for name, x in zip(self.outputs, numbers, strict=True)])
        some = np.flatnonzero(means[0] > 0)
        order = some[np.argsort(-means[0, some], kind="stable")]
        return self._row([f"{self.outputs[j]} ({means[0, j]:.2f})" for j in order] or ["-"])

    @staticmethod
    def _row(texts: list[str]) -> str:
        more = f", and {len(texts) - _MOST_LABELS} more" if len(texts) > _MOST_LABELS else ""
        return ", ".join(texts[:_MOST_LABELS]) + more
