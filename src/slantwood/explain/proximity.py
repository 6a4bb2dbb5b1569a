"""How alike rows are to a model: the share of its trees in which two of them share a leaf.

Rows are held as indicators of the leaves that they reach, one in each tree, so that proximities are products
of sparse matrices. They are made for a few rows at a time: how many is told by the number of cells.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from slantwood.estimators.tree_models import check_tree_model
from slantwood.validation import check_integer

# Pairs of rows that are looked at in one go; at least those of one row.
_PAIRS = 1 << 23


class Block(NamedTuple):
    """Proximities of a few rows to all others."""

    rows: slice
    shares: sp.csr_array  # float32


def leaf_indicator(model: Any, X: Any) -> sp.csr_array:
    """Return the leaves that rows reach, as float32 ones among the leaves of all trees, tree by tree."""
    trees = model.trees_
    nodes = model._predictor.leaves(model.encode_features(X))
    leaf = (np.cumsum(trees.left < 0) - 1).astype(np.int32)  # position among leaves of each node that is one
    n_rows, n_trees = nodes.shape
    indptr = np.arange(n_rows + 1) * n_trees
    ones = np.ones(nodes.size, np.float32)
    return sp.csr_array((ones, leaf[nodes].ravel(), indptr), shape=(n_rows, int(leaf[-1]) + 1))


def proximity_blocks(of: sp.csr_array, to: sp.csr_array, pairs: int = _PAIRS) -> Iterator[Block]:
    """Yield the proximities of rows to others, for a few rows at a time.

    Parameters
    ----------
    of, to : CSR array of shape (n_rows, n_leaves)
        Indicators of leaves.
    pairs : int
        Pairs of rows, counted in each tree, of a block at the most, unless a single row has more.
    """
    n_trees = of.indptr[1] if of.shape[0] else 1
    leaves_to_rows = sp.csr_array(to.T)
    cost = np.cumsum(of @ np.diff(leaves_to_rows.indptr).astype(np.float64))
    start = 0
    while start < of.shape[0]:
        spent = cost[start - 1] if start else 0.0
        stop = max(start + 1, int(np.searchsorted(cost, spent + pairs, side="right")))
        shares = sp.csr_array(of[start:stop] @ leaves_to_rows)
        shares.data /= n_trees
        yield Block(slice(start, stop), shares)
        start = stop


def largest_of_rows(matrix: sp.csr_array, k: int) -> sp.csr_array:
    """Keep the largest k cells of each row; of equal ones those that come first."""
    row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    order = np.lexsort((matrix.indices, -matrix.data, row))
    rank = np.arange(len(order)) - matrix.indptr[row]  # rows keep their places in this order
    kept = order[rank < k]
    cells = (matrix.data[kept], (row[kept], matrix.indices[kept]))
    return sp.csr_array(cells, shape=matrix.shape)


def proximities(model: Any, X: Any, Y: Any = None, *, top_k: int | None = None) -> sp.csr_array:
    """Return how alike rows are: the share of the trees in which two of them share a leaf.

    Parameters
    ----------
    model : estimator
        A fitted tree, forest or boosted model of slantwood, of any task.
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        Rows.
    Y : array, sparse matrix or data frame of shape (n_others, n_features), optional
        Other rows, such as those of `fit`. By default X itself.
    top_k : int, optional
        Keep the largest so many of each row; of equal ones those that come first. All others of a few rows at
        a time are made and forgotten.

    Returns
    -------
    CSR array of float32, of shape (n_rows, n_others)
        Shares above zero. Of X with itself it is symmetric, with ones on the diagonal.

    Notes
    -----
    Rows of large leaves share them with many others: a tree of a hundred leaves makes a hundredth of all
    cells. Give `top_k` where there are many rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import ObliqueForestClassifier
    >>> from slantwood.explain import proximities
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ObliqueForestClassifier(n_estimators=10, random_state=0).fit(X, y)
    >>> P = proximities(forest, X)
    >>> P.shape, bool(P[[0], [1]] > P[[0], [149]])
    ((150, 150), True)
    """
    check_tree_model(model)
    if top_k is not None:
        check_integer("top_k", top_k, 1)
    of = leaf_indicator(model, X)
    to = of if Y is None else leaf_indicator(model, Y)
    parts = [
        block.shares if top_k is None else largest_of_rows(block.shares, top_k)
        for block in proximity_blocks(of, to)
    ]
    found = sp.csr_array(sp.vstack(parts, format="csr")) if len(parts) > 1 else parts[0]
    found.sort_indices()
    return found
