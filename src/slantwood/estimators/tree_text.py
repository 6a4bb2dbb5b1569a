"""One tree as indented text: the test of each node, how many rows came there, what a leaf predicts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from slantwood.estimators.names import output_names
from slantwood.estimators.slope_text import slope_texts, weighted_sum
from slantwood.estimators.step_text import StepText
from slantwood.estimators.tree_view import TreeView
from slantwood.features.matrix import to_array
from slantwood.task_names import CLASS_TASKS, SEVERAL_TASKS

_MOST_LABELS = 5

# Levels that are indented; below them the level stands in front of the line, which would grow without end.
_MOST_INDENTED = 30


def export_text(model: Any, tree: int = 0, *, max_depth: int | None = 10) -> str:
    """Return one tree of a fitted model as indented text.

    Parameters
    ----------
    model : fitted tree, forest or boosted model of slantwood, or one tree of it
        The model, or a tree as `forest[3]` gives it.
    tree : int, default=0
        Which tree, counted from 0; `forest[3]` is the tree that it is.
    max_depth : int or None, default=10
        Levels of splits to show; None shows all of them.

    Returns
    -------
    str
        A line for each node. A split asks whether a weighted sum of features reaches a threshold; the largest
        weights come first. A leaf says what it predicts; of boosting by how much it changes the scores, which
        a line at the head explains. Brackets hold the training rows that came there.

    Raises
    ------
    ValueError
        If the model has no tree of this number.

    Examples
    --------
    >>> from slantwood import ObliqueTreeClassifier
    >>> from slantwood.export import export_text
    >>> model = ObliqueTreeClassifier(split="axis").fit([[0], [1], [2], [3]], ["low", "low", "high", "high"])
    >>> print(export_text(model))
    Tree 0 of ObliqueTreeClassifier, binary
    0.894 x0 >= 1.34?  [4 rows, 100 %]
      yes: high (1.00)  [2 rows, 50 %]
      no:  low (1.00)  [2 rows, 50 %]
    """
    if isinstance(model, TreeView):
        model, tree = model._forest, model.index
    check_is_fitted(model)
    n_trees = model.trees_.n_trees
    if not 0 <= tree < n_trees:
        raise ValueError(f"tree={tree}: the model has {n_trees} trees, counted from 0")
    root = int(model.trees_.roots[tree])
    writer = _Writer(model, root)
    lines = [f"Tree {tree} of {type(model).__name__}, {model.targets_.task}"]
    if writer.steps is not None:
        lines = [f"{lines[0]}, round {writer.steps.round_of(tree)}", writer.steps.head()]
    if model.settings_.normalize_rows:
        lines.append("Weights are for rows of length 1.")
    return "\n".join([*lines, *writer.lines(root, max_depth)])


class _Writer:
    def __init__(self, model: Any, root: int) -> None:
        self.model = model
        self.trees = model.trees_
        self.names = model.split_feature_names_
        self.outputs = output_names(model)
        self.steps = None if model.forest_.additive is None else StepText(model, self.outputs)
        self.leaves = to_array(self.trees.leaves)
        self.total = float(self.trees.node_weight[root]) if len(self.trees.node_weight) else 0.0

    def lines(self, root: int, max_depth: int | None) -> Iterator[str]:
        trees = self.trees
        # A tree may have as many levels as rows: no function that calls itself goes down so far.
        waiting = [(root, 0, "")]
        while waiting:
            node, level, branch = waiting.pop()
            lead = "  " * min(level, _MOST_INDENTED) + (f"({level}) " if level > _MOST_INDENTED else "")
            if trees.left[node] < 0:
                yield f"{lead}{branch}{self._prediction(node)}{self._share(node)}"
            elif level == max_depth:
                yield f"{lead}{branch}...{self._share(node)}"
            else:
                yield f"{lead}{branch}{self._test(node)}?{self._share(node)}"
                waiting.append((int(trees.left[node]), level + 1, "no:  "))
                waiting.append((int(trees.right[node]), level + 1, "yes: "))

    def _share(self, node: int) -> str:
        if not self.total > 0:  # a model that was saved for prediction only does not know it
            return ""
        weight = float(self.trees.node_weight[node])
        return f"  [{weight:.6g} rows, {100 * weight / self.total:.3g} %]"

    def _test(self, node: int) -> str:
        part = slice(self.trees.indptr[node], self.trees.indptr[node + 1])
        weights, columns = self.trees.weights[part], self.trees.indices[part]
        terms = weighted_sum(weights, self.names[columns]).removeprefix("+ ")
        return f"{terms} >= {-self.trees.bias[node]:.3g}"

    def _prediction(self, node: int) -> str:
        part = self.leaves[[int(self.trees.leaf[node])]]
        means = part.toarray() if sp.issparse(part) else part
        if self.steps is not None:
            return self.steps.steps(means[0])
        task = self.model.targets_.task
        if task in SEVERAL_TASKS:
            return self._row([self._target(*each) for each in self._targets(means)])
        if task in CLASS_TASKS:
            shares = self.model.targets_.probabilities(means)
            decided = self.model.targets_.decode(shares, self.model.threshold)
            best = int(np.searchsorted(self.model.classes_, decided)[0])
            return f"{self.outputs[best]} ({shares[0, best]:.2f})"
        if "regression" in task:
            numbers = np.ravel(self.model.targets_.decode(means))
            slopes = self.model.forest_.slopes
            if slopes is not None and slopes.model[self.trees.leaf[node]] >= 0:
                lines = slope_texts(self.model, int(self.trees.leaf[node]))
                return self._row([f"{name} = {each}" for name, each in zip(self.outputs, lines, strict=True)])
            return self._row([f"{name} = {x:.4g}" for name, x in zip(self.outputs, numbers, strict=True)])
        some = np.flatnonzero(means[0] > 0)
        order = some[np.argsort(-means[0, some], kind="stable")]
        return self._row([f"{self.outputs[j]} ({means[0, j]:.2f})" for j in order] or ["-"])

    def _targets(self, means: np.ndarray) -> Iterator[tuple[str, Any, np.ndarray | None]]:
        """Return the name of each of several targets, what is predicted and, of classes, the shares."""
        targets = self.model.targets_
        decoded = (column[0] for column in targets.decoded_columns(means))
        return zip(self.outputs, decoded, targets.probabilities(means), strict=True)

    @staticmethod
    def _target(name: str, predicted: Any, shares: np.ndarray | None) -> str:
        if shares is None:
            return f"{name} = {predicted:.4g}"
        return f"{name} = {predicted} ({shares.max():.2f})"

    @staticmethod
    def _row(texts: list[str]) -> str:
        more = f", and {len(texts) - _MOST_LABELS} more" if len(texts) > _MOST_LABELS else ""
        return ", ".join(texts[:_MOST_LABELS]) + more
