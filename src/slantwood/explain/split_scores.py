"""Rankings that look at splits: what a split is worth, shared out among its features and the targets.

The score of feature f for target j is a sum over the splits s of a tree, value(s) share_f(s) part_j(s),
averaged over the trees. Shares add up to 1 over features, parts over targets.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from slantwood.explain.node_sums import Columns, removed_variances, root_variances, split_variances
from slantwood.explain.target_groups import TargetGroups
from slantwood.explain.training_rows import GrownTree, TrainingRows
from slantwood.targets.equal_say import equal_say
from slantwood.task_names import NUMBER_TASKS


class Scores(NamedTuple):
    """Scores of the inputs of a model."""

    overall: np.ndarray  # (n_inputs,)
    by_group: np.ndarray  # (n_inputs, n_groups)
    spread: np.ndarray  # (n_inputs,), standard deviation between trees


class MeanOverTrees:
    """Adds up the scores of trees, one after the other."""

    def __init__(self, n_inputs: int, n_groups: int) -> None:
        self._n = 0
        self._sum, self._squares = np.zeros(n_inputs), np.zeros(n_inputs)
        self._by_group = np.zeros((n_inputs, n_groups))

    def add(self, overall: np.ndarray, by_group: np.ndarray) -> None:
        """Add the scores of a tree."""
        self._n += 1
        self._sum += overall
        self._squares += overall**2
        self._by_group += by_group

    def scores(self) -> Scores:
        """Return the means, and the deviations between trees."""
        n = max(self._n, 1)
        mean = self._sum / n
        return Scores(mean, self._by_group / n, np.sqrt(np.maximum(self._squares / n - mean**2, 0.0)))


def split_scores(
    rows: TrainingRows, groups: TargetGroups, method: str, depth_weight: float, target_weights: np.ndarray
) -> Scores:
    """Return the scores by "paper", "impurity", "genie3" or "symbolic"."""
    encoding = rows.forest.encoding
    to_inputs = sp.csr_array(
        (np.ones(len(encoding.source)), (np.arange(len(encoding.source)), encoding.source)),
        shape=(len(encoding.source), encoding.n_inputs),
    )
    mean = MeanOverTrees(encoding.n_inputs, len(groups.names))
    by_targets = method in ("impurity", "genie3")
    targets = Columns(rows.Y) if by_targets or groups.names else None
    for index in range(rows.n_trees):
        tree = rows.tree(index)
        splits = np.flatnonzero(tree.trees.left >= 0)
        shares = _shares(tree, rows.X, squared=method == "impurity") @ to_inputs
        worth = _Worth(np.zeros(len(splits)), np.zeros((len(splits), len(groups.names))))
        if targets is not None:
            scale = np.where(rows.forest.targets.stand_for_two, 2.0, 1.0)
            if method == "impurity":
                scale = _target_scale(tree, rows, target_weights)
            worth = _worth_of_splits(tree, targets, splits, groups, scale)
        node_weight = tree.trees.node_weight
        if method == "impurity":
            worth = _Worth(*(part / node_weight[0] for part in worth))
        elif method == "paper":
            worth = worth.of_value(node_weight[splits] / node_weight[0], groups)
        elif method == "symbolic":
            worth = worth.of_value(depth_weight ** tree.trees.depth[splits].astype(float), groups)
        by_input = shares[splits].T
        mean.add(by_input @ worth.overall, np.asarray(by_input @ worth.by_group))
    return mean.scores()


class _Worth(NamedTuple):
    overall: np.ndarray  # (n_splits,)
    by_group: np.ndarray  # (n_splits, n_groups)

    def of_value(self, value: np.ndarray, groups: TargetGroups) -> _Worth:
        """Replace what splits are worth, and share it out among groups as before."""
        n_targets, _ = groups.members.shape
        alike = np.asarray(groups.members.sum(axis=0)).ravel() / n_targets  # where no target gains anything
        total = self.overall[:, None]
        parts = np.where(total > 0, self.by_group / np.where(total > 0, total, 1.0), alike)
        return _Worth(value, value[:, None] * parts)


def _worth_of_splits(
    tree: GrownTree, targets: Columns, splits: np.ndarray, groups: TargetGroups, scale: np.ndarray
) -> _Worth:
    """Return the scaled variance that each split removes from all targets together and from each group."""
    worth = _Worth(np.zeros(len(splits)), np.zeros((len(splits), len(groups.names))))
    for block, removed in removed_variances(tree, targets, splits):
        removed = removed * scale
        worth.overall[block] = removed.sum(axis=1)
        worth.by_group[block] = removed @ groups.members
    return worth


def _shares(tree: GrownTree, X: Any, *, squared: bool) -> sp.csr_array:
    """Return the shares of features in splits, nodes by features: |w| / sum |w| with w in standardised units.

    A weight in standardised units is the stored one times the deviation of the feature over the node's rows.
    `squared` takes w^2 in place of |w|: the part of a feature in the variance of the weighted sum.
    """
    trees = tree.trees
    variance = split_variances(tree, X)
    weights = trees.weights.astype(np.float64)
    part = weights**2 * variance if squared else np.abs(weights) * np.sqrt(variance)
    node = np.repeat(np.arange(len(trees.left)), np.diff(trees.indptr))
    total = np.bincount(node, part, len(trees.left))[node]
    # A feature that does not vary in the node, but for rounding, is all that the split has.
    n_stored = np.diff(trees.indptr)[node]
    share = np.where(total > 0, part / np.where(total > 0, total, 1.0), 1.0 / np.maximum(n_stored, 1))
    return sp.csr_array((share, trees.indices, trees.indptr), shape=(len(trees.left), X.shape[1]))


def _target_scale(tree: GrownTree, rows: TrainingRows, target_weights: np.ndarray) -> np.ndarray:
    """Return what `feature_importances_` multiplies the variances of targets by."""
    n_targets = rows.Y.shape[1]
    scale = target_weights.astype(float) if len(target_weights) else np.ones(n_targets)
    sizes = rows.forest.targets.block_sizes
    if len(sizes):
        # Without a power of the deviations, the weights alone make the variance of each target the same.
        return scale * equal_say(rows.Y, sizes, rows.weights, power=0.0).weights
    if rows.forest.targets.task in NUMBER_TASKS:
        variance = root_variances(tree, rows.Y)
        scale = np.where(variance > 0, scale / np.where(variance > 0, variance, 1.0), 0.0)
    return scale
