"""Rows that are like few others."""

from __future__ import annotations

from typing import Any

import numpy as np

from slantwood.estimators.tree_models import check_tree_model
from slantwood.explain.proximity import leaf_indicator, proximity_blocks
from slantwood.explain.truth import truth_of
from slantwood.task_names import CLASS_TASKS


def outlier_scores(model: Any, X: Any, y: Any = None) -> np.ndarray:
    """Score rows by how little they are like the others, of their own class where there are classes.

    Breiman's measure: n over the sum of the squared proximities of a row to the n rows of its class, itself
    among them; less the median over the class, and divided by the mean distance from this median.

    Parameters
    ----------
    model : estimator
        A fitted tree, forest or boosted model of slantwood, of any task.
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        Rows.
    y : array of shape (n_rows,), optional
        Their classes, where the model predicts one for each row. Without it, and for numbers and labels, all
        rows are one class.

    Returns
    -------
    float64 array of shape (n_rows,)
        Around 0 for usual rows; above 10 is far out. NaN where a class is not known.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import ObliqueForestClassifier
    >>> from slantwood.explain import outlier_scores
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ObliqueForestClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> y[3] = 2  # a setosa that is said to be a virginica
    >>> bool(outlier_scores(forest, X, y)[3] > 5)
    True
    """
    check_tree_model(model)
    leaves = leaf_indicator(model, X)
    n_rows = leaves.shape[0]
    has_classes = y is not None and model.targets_.task in CLASS_TASKS
    group = truth_of(model, y, n_rows) if has_classes else np.zeros(n_rows, np.intp)
    squares = np.zeros(n_rows)
    for rows, shares in proximity_blocks(leaves, leaves):
        row = np.repeat(np.arange(shares.shape[0]), np.diff(shares.indptr))
        alike = group[rows][row] == group[shares.indices]
        squares[rows] = np.bincount(row, shares.data.astype(np.float64) ** 2 * alike, shares.shape[0])
    found = np.full(n_rows, np.nan)
    for each in np.unique(group[group >= 0]):
        members = np.flatnonzero(group == each)
        raw = len(members) / squares[members]
        away = raw - np.median(raw)
        unit = np.abs(away).mean()
        found[members] = away / (unit if unit > 0 else 1.0)
    return found
