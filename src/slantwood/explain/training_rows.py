"""The rows that a model was fitted on, sent once more through its trees: who is in which node.

Rankings need what a tree does not keep: the spread of features and the targets of a node's rows. Rows are
recognised by the weights of the nodes, which a tree does keep.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from slantwood.ensemble.out_of_bag import drawn
from slantwood.ensemble.prediction import Predictor
from slantwood.features.matrix import known_rows, normalized_rows, prediction_matrix, to_array
from slantwood.model.paths import parents
from slantwood.model.trees import Trees, single_tree

# Part of the weight of all nodes that may be elsewhere than in training: numbers that a model file has
# rounded send a few rows another way.
_ELSEWHERE = 0.01


class GrownTree(NamedTuple):
    """One tree with the rows that it was grown on. Nodes are counted from its root on."""

    trees: Trees  # of this tree alone; the leaves are those of all
    members: sp.csr_array  # float64, nodes by rows: the weight of a row in the nodes that it passes
    counts: np.ndarray  # how often each row was drawn
    leaf_nodes: np.ndarray  # of each row, also of those that were not drawn


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """The rows of `fit` as numbers."""

    forest: Any  # FittedForest
    X: Any  # as splits see it: float32 array or CSR array
    Y: Any  # as leaves see it: float32 array or CSR array, NaN where a target is not known
    weights: np.ndarray  # of the rows in the growth of trees
    leaf_nodes: np.ndarray  # of each row in each tree
    parents: np.ndarray

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return int(self.forest.trees.n_trees)

    def tree(self, index: int) -> GrownTree:
        """Return a tree and the rows that it was grown on; rows that it cannot have seen are an error."""
        alone = single_tree(self.forest.trees, index)
        first = int(self.forest.trees.roots[index])
        nodes = self.leaf_nodes[:, index] - first
        parent = self.parents[first : first + len(alone.left)] - first
        draws = [np.ones(len(nodes), np.int32)]
        draws.insert(0 if self.forest.settings.bootstrap else 1, self._drawn(index))
        for counts in draws:
            members = _members(nodes, parent, self.weights * counts)
            elsewhere = np.abs(members.sum(axis=1) - alone.node_weight).sum()
            if elsewhere <= _ELSEWHERE * alone.node_weight.sum():
                return GrownTree(alone, members, counts, nodes)
        raise ValueError(
            "X, y and sample_weight are not those that the model was fitted on: other rows reach the nodes "
            f"of tree {index}. Give the rows of fit, in the same order and with the same weights. (Which "
            "rows a tree saw is not known where warm_start added trees with another max_samples.)"
        )

    def _drawn(self, index: int) -> np.ndarray:
        return drawn(self.forest, index, self.weights)


def training_rows(model: Any, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
    """Encode the rows of `fit` again, and find their leaves."""
    data = model._training_data_again(X, y, sample_weight)
    forest = model.forest_
    if forest.seed is None or len(forest.trees.node_weight) == 0:
        raise ValueError(
            "the model was saved with predict_only=True and does not know which rows its trees saw; save it "
            "without, or fit it again"
        )
    if data.targets.n_columns != forest.targets.n_columns:
        raise ValueError(
            f"y has {data.targets.n_columns} targets or classes, and the model predicts "
            f"{forest.targets.n_columns}; give the y that it was fitted on"
        )
    matrix = prediction_matrix(data.X)
    seen = normalized_rows(matrix) if forest.settings.normalize_rows else matrix
    leaf_nodes = Predictor(forest, model.n_jobs).leaves(data.X)
    weights = _weights_in_growth(forest, data.Y, data.row_weights)
    return TrainingRows(forest, to_array(seen), data.Y, weights, leaf_nodes, parents(forest.trees))


def _weights_in_growth(forest: Any, Y: Any, weights: np.ndarray) -> np.ndarray:
    """Give rows without label the weight that they had: a part of their own, none, or that of others.

    Which of these is told by the weight of the first root.
    """
    unlabeled = ~known_rows(Y)
    if not unlabeled.any():
        return weights
    root = forest.trees.node_weight[0]
    for share in (forest.unlabeled_weight, 0.0, 1.0):
        shared = np.where(unlabeled, share * weights, weights)
        seen = shared * drawn(forest, 0, shared) if forest.settings.bootstrap else shared
        if np.isclose(seen.sum(), root, rtol=1e-5):
            return shared
    return weights


def _members(leaf_nodes: np.ndarray, parent: np.ndarray, weights: np.ndarray) -> sp.csr_array:
    """Return the weight of each row in each node on its way, nodes by rows."""
    row = np.flatnonzero(weights > 0)
    node = leaf_nodes[row]
    rows, nodes = [], []
    while len(node):  # one step towards the root for all rows at once
        rows.append(row)
        nodes.append(node)
        above = parent[node]
        row, node = row[above >= 0], above[above >= 0]
    row, node = np.concatenate(rows), np.concatenate(nodes)
    return sp.csr_array((weights[row], (node, row)), shape=(len(parent), len(weights)))
