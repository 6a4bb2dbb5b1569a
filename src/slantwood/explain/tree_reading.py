"""One tree to read, with what rows can tell about its nodes: how far features and targets spread in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.estimators.reading.conditions import Spreads
from slantwood.estimators.reading.tree_reading import TreeReading, reading_of, tree_of
from slantwood.explain.node_sums import Columns, split_variances
from slantwood.explain.training_rows import GrownTree
from slantwood.explain.truth import truth_of
from slantwood.features.matrix import normalized_rows, prediction_matrix, to_array
from slantwood.model.paths import decision_paths
from slantwood.model.trees import Trees, single_tree
from slantwood.task_names import NUMBER_TASKS

# Values of rows that are looked through for those next to thresholds; of more, thresholds keep their digits.
_MOST_CELLS = 1 << 26


def read_tree(
    model: Any, tree: int = 0, *, max_depth: int | None = None, X: Any = None, y: Any = None
) -> TreeReading:
    """Read one tree of a fitted model: what its nodes ask, what they predict, who came there.

    Parameters
    ----------
    model : fitted tree, forest or boosted model of slantwood, or one tree of it
        The model, or a tree as `forest[3]` gives it.
    tree : int, default=0
        Which tree, counted from 0; `forest[3]` is the tree that it is.
    max_depth : int or None, default=None
        Levels of splits to read; None for all of them. Nodes at this depth say how many splits are below.
    X : array, sparse matrix or data frame of shape (n_rows, n_features), optional
        Rows to go through the tree, those of `fit` or others. The share of a feature in a split is then its
        weight times its spread over the rows in the node, rather than over all rows of `fit`, which the model
        keeps (saved with ``predict_only=True`` it does not: then weights alone count, which depend on units);
        and the threshold of a single feature has only as many digits as these rows need.
    y : array or data frame of shape (n_rows,) or (n_rows, n_targets), optional
        Numbers that belong to these rows: predicted numbers then have their spread over the rows in the node.
        Of other targets, whose predictions are shares, it adds nothing.

    Returns
    -------
    TreeReading
        The nodes; `to_text`, `to_dot`, `to_networkx` and `to_dict` make other forms of it.

    Examples
    --------
    >>> from slantwood import ObliqueTreeRegressor
    >>> from slantwood.explain import read_tree
    >>> X, y = [[1.02], [1.54], [2.61], [3.0]], [5.0, 6.0, 8.0, 9.0]
    >>> model = ObliqueTreeRegressor(split="axis", max_depth=1).fit(X, y, feature_names=["size"])
    >>> print(read_tree(model, X=X, y=y).to_text())
    Tree 0 of ObliqueTreeRegressor, regression
    size >= 2?  [4 rows, 100 %]
      yes: y0 = 8.5 ± 0.5  [2 rows, 50 %]
      no:  y0 = 5.5 ± 0.5  [2 rows, 50 %]
    """
    model, tree = tree_of(model, tree)
    if X is None and y is not None:
        raise ValueError("y is given without X; give the rows that it belongs to")
    spreads = None if X is None else _spreads(model, tree, X, y)
    return reading_of(model, tree, max_depth, spreads)


def _spreads(model: Any, tree: int, X: Any, y: Any) -> Spreads:
    """Send rows through a tree, and look at those that come to each node."""
    encoded, trees = model.encode_features(X), model.trees_
    alone = single_tree(trees, tree)
    leaf_nodes = model._predictor.leaves(encoded)[:, tree] - trees.roots[tree]
    members = sp.csr_array(decision_paths(alone, leaf_nodes[:, None]).T, dtype=np.float64)
    matrix = prediction_matrix(encoded)
    seen = to_array(normalized_rows(matrix) if model.settings_.normalize_rows else matrix)
    grown = GrownTree(alone, members, np.ones(len(leaf_nodes), np.int32), leaf_nodes)
    features = np.sqrt(split_variances(grown, seen))
    return Spreads(features, _gaps(alone, members, seen), _target_spreads(model, members, y))


def _gaps(tree: Trees, members: sp.csr_array, X: Any) -> np.ndarray:
    """Return the values of rows next to the threshold of each split of one feature, below and above."""
    gaps = np.full((len(tree.left), 2), np.nan)
    single = np.flatnonzero((np.diff(tree.indptr) == 1) & (tree.left >= 0))
    columns = tree.indices[tree.indptr[single]]
    used, place = np.unique(columns, return_inverse=True)
    if X.shape[0] * len(used) > _MOST_CELLS:
        return gaps
    values = X[:, used].toarray() if sp.issparse(X) else X[:, used]
    for node, column in zip(single, place, strict=True):
        rows = members.indices[members.indptr[node] : members.indptr[node + 1]]
        x = values[rows, column].astype(np.float64)
        weight = float(tree.weights[tree.indptr[node]])
        is_above = (tree.bias[node] + x * weight >= 0) == (weight > 0)
        above, below = x[is_above & ~np.isnan(x)], x[~is_above & ~np.isnan(x)]
        if len(above) and len(below):
            gaps[node] = below.max(), above.min()
    return gaps


def _target_spreads(model: Any, members: sp.csr_array, y: Any) -> np.ndarray | None:
    """Return the deviation of numbers over the rows of each node; NaN where there are none."""
    if y is None or model.targets_.task not in NUMBER_TASKS:
        return None
    numbers = truth_of(model, y, members.shape[1])
    total, sums, squares = Columns(numbers, centred=True).sums(members, squares=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.sqrt(np.maximum(squares / total - (sums / total) ** 2, 0.0))
