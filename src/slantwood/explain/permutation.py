"""How much worse trees predict rows that they did not see, once the values of a feature are shuffled.

Breiman's random-forest score: each tree is asked about its own out-of-bag rows, feature by feature, for those
features that its splits use. Only rows whose values change are sent through the tree again.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from slantwood.explain.shuffling import shuffled_leaves
from slantwood.explain.split_scores import MeanOverTrees, Scores
from slantwood.explain.target_groups import TargetGroups
from slantwood.explain.training_rows import GrownTree, TrainingRows
from slantwood.features.matrix import known_rows, to_array
from slantwood.task_names import CLASS_TASKS, SEVERAL_TASKS
from slantwood.threads import run_in_threads

# Differences of targets that are made dense in one go.
_CELLS = 1 << 21


class _Loss(Protocol):
    def sums(self, rows: np.ndarray, leaves: np.ndarray) -> np.ndarray:
        """Return the weighted loss of rows in leaves, for each target."""

    def weights(self, rows: np.ndarray) -> np.ndarray:
        """Return the weight of the rows of which each target is known."""


def permutation_scores(
    rows: TrainingRows, groups: TargetGroups, threshold: Any, seed: int, n_jobs: int | None
) -> Scores:
    """Return by how much the error of a tree rises on rows that it did not see, on average over the trees."""
    encoding = rows.forest.encoding
    loss = _loss(rows, threshold)
    members = sp.hstack([np.ones((groups.members.shape[0], 1)), groups.members], format="csr")
    mean = MeanOverTrees(encoding.n_inputs, len(groups.names))

    def score(index: int) -> np.ndarray | None:
        return _of_tree(rows, rows.tree(index), index, loss, members, seed)

    n_scored = 0
    for found in run_in_threads(score, range(rows.n_trees), n_jobs):
        if found is not None:
            n_scored += 1
            mean.add(found[:, 0], found[:, 1:])
    if not n_scored:
        raise ValueError(
            "method='permutation' needs rows that some tree did not see, and every tree saw all; more rows "
            "or trees leave some out"
        )
    return mean.scores()


def _loss(rows: TrainingRows, threshold: Any) -> _Loss:
    task = rows.forest.targets.task
    if task in CLASS_TASKS:
        return _Misclassified(rows, threshold)
    return _OfSeveral(rows) if task in SEVERAL_TASKS else _SquaredError(rows)


def _of_tree(
    rows: TrainingRows, tree: GrownTree, index: int, loss: _Loss, members: sp.csr_array, seed: int
) -> np.ndarray | None:
    """Return the rise of the error of one tree, inputs by groups; None where it saw every row."""
    unseen = np.flatnonzero((tree.counts == 0) & (rows.weights > 0) & known_rows(rows.Y))
    if not len(unseen):
        return None
    source = rows.forest.encoding.source
    rise = np.zeros((rows.forest.encoding.n_inputs, members.shape[1]))
    total = members.T @ loss.weights(unseen)
    leaves = tree.trees.leaf
    before = leaves[tree.leaf_nodes[unseen]]
    # Columns that the tree does not use change nothing.
    used = np.unique(tree.trees.indices)
    if not len(used):
        return rise
    narrow = tree.trees._replace(indices=np.searchsorted(used, tree.trees.indices).astype(np.int32))

    def order_of(feature: int) -> np.ndarray:
        return np.random.default_rng([seed, index, feature]).permutation(len(unseen))

    X = rows.X[unseen][:, used]
    for feature, changed, nodes in shuffled_leaves(X, source[used], narrow, order_of):
        after = leaves[nodes]
        moved = after != before[changed]
        here = unseen[changed[moved]]
        if len(here):
            difference = loss.sums(here, after[moved]) - loss.sums(here, before[changed[moved]])
            np.divide(members.T @ difference, total, out=rise[feature], where=total > 0)
    return rise


class _Misclassified:
    """1 for a row whose class the leaf gets wrong; of more than two classes, of the row's own class."""

    def __init__(self, rows: TrainingRows, threshold: Any) -> None:
        Y, targets = rows.Y, rows.forest.targets
        means = to_array(rows.forest.trees.leaves)
        means = means.toarray() if sp.issparse(means) else means
        self._n_targets = targets.n_columns
        self._weights = rows.weights
        if self._n_targets == 1:
            self._truth = np.nan_to_num(Y[:, 0])
            self._decided = means[:, 0] > np.float32(threshold)
            self._target = np.zeros(len(self._truth), np.intp)
        else:
            # A row stores its class alone; one without class, which is never asked for, stores all.
            known = np.flatnonzero(np.diff(Y.indptr) == 1)
            self._target = np.zeros(Y.shape[0], np.intp)
            self._target[known] = Y.indices[Y.indptr[known]]
            self._truth = self._target
            self._decided = means.argmax(axis=1)

    def sums(self, rows: np.ndarray, leaves: np.ndarray) -> np.ndarray:
        wrong = self._decided[leaves] != self._truth[rows]
        return np.bincount(self._target[rows], self._weights[rows] * wrong, self._n_targets)

    def weights(self, rows: np.ndarray) -> np.ndarray:
        return np.bincount(self._target[rows], self._weights[rows], self._n_targets)


class _OfSeveral:
    """Of several targets: 1 for a wrong class, the squared error of a number. The first column has it all."""

    def __init__(self, rows: TrainingRows) -> None:
        targets = rows.forest.targets
        self._weights = rows.weights
        self._first = np.cumsum(targets.block_sizes) - targets.block_sizes
        self._n_columns = targets.n_columns
        pairs = (targets.blocks(_dense(each)) for each in (rows.Y, to_array(rows.forest.trees.leaves)))
        are_classes = targets.are_indicators[self._first]
        self._parts = []
        for truth, means, is_class in zip(*pairs, are_classes, strict=True):
            known = ~np.isnan(truth[:, 0])
            values = (_codes(truth), _codes(means)) if is_class else (truth[:, 0], means[:, 0])
            self._parts.append((known, *values, is_class))

    def sums(self, rows: np.ndarray, leaves: np.ndarray) -> np.ndarray:
        total = np.zeros(self._n_columns)
        for first, (known, truth, said, is_class) in zip(self._first, self._parts, strict=True):
            here = known[rows]
            t, s = truth[rows[here]], said[leaves[here]]
            total[first] = self._weights[rows[here]] @ (s != t if is_class else (s - t).astype(float) ** 2)
        return total

    def weights(self, rows: np.ndarray) -> np.ndarray:
        total = np.zeros(self._n_columns)
        total[self._first] = [self._weights[rows] @ part[0][rows] for part in self._parts]
        return total


def _codes(columns: np.ndarray) -> np.ndarray:
    """Return the class of each row: its largest column, or whether the one of two classes is above half."""
    return columns[:, 0] > 0.5 if columns.shape[1] == 1 else columns.argmax(axis=1)


class _SquaredError:
    """Squared differences of leaf means and targets, where these are known."""

    def __init__(self, rows: TrainingRows) -> None:
        self._Y, self._weights = rows.Y, rows.weights
        self._means = to_array(rows.forest.trees.leaves)

    def sums(self, rows: np.ndarray, leaves: np.ndarray) -> np.ndarray:
        total = np.zeros(self._Y.shape[1])
        for part in self._chunks(len(rows)):
            difference = _dense(self._means[leaves[part]]) - _dense(self._Y[rows[part]])
            total += self._weights[rows[part]] @ np.nan_to_num(difference.astype(float)) ** 2
        return total

    def weights(self, rows: np.ndarray) -> np.ndarray:
        total = np.zeros(self._Y.shape[1])
        for part in self._chunks(len(rows)):
            total += self._weights[rows[part]] @ ~np.isnan(_dense(self._Y[rows[part]]))
        return total

    def _chunks(self, n: int) -> list[slice]:
        step = max(1, _CELLS // self._Y.shape[1])
        return [slice(start, start + step) for start in range(0, n, step)]


def _dense(part: Any) -> np.ndarray:
    return part.toarray() if sp.issparse(part) else part
