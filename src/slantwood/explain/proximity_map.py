"""A map of rows, on which those that a model holds for alike lie near to each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, svds

from slantwood.estimators.tree_models import check_tree_model
from slantwood.explain.proximity import leaf_indicator
from slantwood.validation import check_integer


def proximity_map(model: Any, X: Any, n_components: int = 2) -> np.ndarray:
    """Place rows in few dimensions so that their distances tell how alike they are to a model.

    The squared distance of two rows, 2 (1 - proximity), is that of their leaf indicators. The map has the
    directions in which these indicators vary most: principal components, by a singular value decomposition
    of the sparse matrix, which is centred without being made dense.

    Parameters
    ----------
    model : estimator
        A fitted tree, forest or boosted model of slantwood, of any task.
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        Rows.
    n_components : int, default=2
        Number of dimensions.

    Returns
    -------
    float64 array of shape (n_rows, n_components)
        Coordinates, those of the largest variance first; the sign of each is that of its largest number.
        Zeros where rows differ in fewer dimensions.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import ObliqueForestClassifier
    >>> from slantwood.explain import proximity_map
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ObliqueForestClassifier(n_estimators=10, random_state=0).fit(X, y)
    >>> proximity_map(forest, X).shape
    (150, 2)
    """
    check_tree_model(model)
    check_integer("n_components", n_components, 1)
    leaves = leaf_indicator(model, X)
    n_rows, n_leaves = leaves.shape
    scaled = sp.csr_array(leaves, dtype=np.float64) / np.sqrt(model.trees_.n_trees)
    mean = np.asarray(scaled.mean(axis=0)).ravel()
    found = np.zeros((n_rows, n_components))
    k = min(n_components, n_rows - 1, n_leaves - 1)
    if k < 1:
        return found
    if min(n_rows, n_leaves) <= k + 1:  # too small for what follows
        left, size, _ = np.linalg.svd(scaled.toarray() - mean, full_matrices=False)
    else:
        centred = LinearOperator(
            (n_rows, n_leaves),
            matvec=lambda v: scaled @ v.ravel() - mean @ v.ravel(),
            rmatvec=lambda u: scaled.T @ u.ravel() - mean * u.sum(),
            dtype=np.float64,
        )
        start = np.random.default_rng(0).normal(size=min(n_rows, n_leaves))
        left, size, _ = svds(centred, k, v0=start)
    order = np.argsort(-size, kind="stable")[:k]
    size = np.where(size[order] > 1e-9 * np.sqrt(n_rows), size[order], 0.0)
    place = left[:, order] * size
    largest = np.take_along_axis(place, np.abs(place).argmax(axis=0)[None], axis=0)
    found[:, :k] = place * np.where(largest < 0, -1.0, 1.0)
    return found
