"""What forests say of rows that they did not see, told by few trees.

Few trees are not what many are: what single trees lose by following the noise, many win back. The loss of a
mean of T trees is a + b / T, exactly so for squared errors, so that the losses of all T and of each half of
them tell what it is for many trees.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from slantwood.ensemble.coarser import coarser
from slantwood.ensemble.growing import grow_forest
from slantwood.ensemble.out_of_bag import drawn
from slantwood.ensemble.prediction import Predictor
from slantwood.ensemble.spec import ForestSpec
from slantwood.ensemble.training_data import TrainingData
from slantwood.model.paths import parents

# The number of trees whose loss is told, whatever that of the forest: a larger forest of the same seed has
# the trees of a smaller one.
_MANY_TREES = 50


class Unseen(NamedTuple):
    """Rows that trees did not see, and the leaves that they reach."""

    predictor: Predictor
    n_rows: np.ndarray  # of each node
    leaves: np.ndarray
    Y: Any

    def losses(
        self, loss: Callable[[Any, Any], np.ndarray], min_samples_split: int | None = None
    ) -> np.ndarray:
        """Return the loss of each row, as it is of many trees.

        Parameters
        ----------
        loss : callable
            Takes the truth and the means of leaves; returns the loss of each row.
        min_samples_split : int, optional
            Nodes of fewer rows count as leaves; by default trees are as they were grown.
        """
        return loss_of_many_trees(loss, self.Y, self._means(min_samples_split), self.leaves.shape[1])

    def _means(self, min_samples_split: int | None) -> list[Any]:
        """Return what all trees say, and what each half of them does."""
        predictor, nodes = self.predictor, self.leaves
        forest = predictor.forest
        if min_samples_split is not None:
            trees, leaf_node = coarser(forest.trees, self.n_rows, min_samples_split)
            predictor = replace(predictor, forest=replace(forest, trees=trees))
            nodes = leaf_node[nodes].astype(np.int32)
        some = (nodes, nodes[:, ::2], nodes[:, 1::2])
        sparse = forest.targets.is_sparse
        return [predictor.mean_of(np.ascontiguousarray(each), sparse=sparse) for each in some]


def loss_of_many_trees(
    loss: Callable[[Any, Any], np.ndarray], Y: Any, means: Sequence[Any], n_trees: int
) -> np.ndarray:
    """Return the loss of each row, as it is of many trees.

    Parameters
    ----------
    loss : callable
        Takes the truth and predictions; returns the loss of each row.
    Y : array or CSR array
        The truth.
    means : sequence of three arrays or CSR arrays
        What all trees say, and what each half of them does.
    n_trees : int
        Number of all trees.

    Returns
    -------
    array of shape (n_rows,)
        The losses.
    """
    of_all, of_half, of_other = (loss(Y, each) for each in means)
    return of_all + (of_all - (of_half + of_other) / 2) * (1.0 - n_trees / _MANY_TREES)


def grown_without(data: TrainingData, spec: ForestSpec, rows: np.ndarray, held_out: np.ndarray) -> Unseen:
    """Grow trees on some rows without a part of them, which they then predict.

    Parameters
    ----------
    data : TrainingData
        All rows.
    spec : ForestSpec
        What is asked for.
    rows, held_out : array of int
        Rows that take part, and those of them that the trees do not see.

    Returns
    -------
    Unseen
        The rows held out.
    """
    row_weights = np.zeros_like(data.row_weights)
    row_weights[rows] = data.row_weights[rows]
    row_weights[held_out] = 0.0
    forest = grow_forest(replace(data, row_weights=row_weights), spec)
    predictor = Predictor(forest, spec.n_jobs)
    n_rows = _rows_of_nodes(predictor, data.X, row_weights)
    return Unseen(predictor, n_rows, predictor.leaves(data.X[held_out]), data.Y[held_out])


def _rows_of_nodes(predictor: Predictor, X: Any, row_weights: np.ndarray) -> np.ndarray:
    """Return how many rows each node was grown on, as often as they were drawn."""
    forest, seen = predictor.forest, np.flatnonzero(row_weights > 0)
    trees = forest.trees
    if (row_weights[seen] == 1.0).all():
        return trees.node_weight
    leaves, parent = predictor.leaves(X[seen]), parents(trees)
    n_rows = np.zeros(len(trees.left))
    for tree in range(trees.n_trees):
        draws = drawn(forest, tree, row_weights)[seen] if forest.settings.bootstrap else None
        n_rows += np.bincount(leaves[:, tree], draws, minlength=len(n_rows))
    for depth in range(int(trees.depth.max()), 0, -1):
        nodes = np.flatnonzero(trees.depth == depth)
        np.add.at(n_rows, parent[nodes], n_rows[nodes])
    return n_rows
