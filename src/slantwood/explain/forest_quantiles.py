"""Quantiles of numbers by the weights of a forest: who shares leaves with a row.

Trees put a row beside training rows that are like it. A training row that is in its leaf weighs there as much
as its part of the leaf, on average over the trees; the numbers of all training rows with these weights are
the distribution from which quantiles are read (Meinshausen 2006).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from slantwood.estimators.validation import check_row_weights
from slantwood.explain.models import check_model
from slantwood.explain.truth import truth_of
from slantwood.hints import listed
from slantwood.task_names import NUMBER_TASKS

# Weights of training rows that are dense in one go.
_CELLS = 1 << 22

# Of sums of weights, which are rounded.
_ROUNDING = 1e-10


def predict_quantiles(
    model: Any, X: Any, levels: Any, X_train: Any, y_train: Any, *, sample_weight: Any = None
) -> np.ndarray:
    """Return quantiles of the numbers of rows, by the training rows that share their leaves.

    Parameters
    ----------
    model : estimator
        A fitted tree or forest of numbers. Larger leaves, as `min_samples_leaf` makes them, give smoother
        quantiles.
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        Rows.
    levels : float or sequence of float
        Levels of the quantiles, from 0 to 1: 0.5 is the median.
    X_train : array, sparse matrix or data frame of shape (n_train, n_features)
        Rows whose numbers are known; best those that the model was fitted on.
    y_train : array or data frame of shape (n_train,) or (n_train, n_targets)
        Their numbers; NaN where one is not known.
    sample_weight : array of shape (n_train,), optional
        Weights of the training rows.

    Returns
    -------
    array of shape (n_rows, n_levels) or (n_rows, n_targets, n_levels)
        Numbers of the training rows; with the axis of the targets where y of `fit` had two axes. NaN for rows
        that share no leaf with a training row.

    Notes
    -----
    Quantiles follow the spread of the data from place to place, also where it is skew, but nothing
    guarantees that they are met: `conformal` does that, with intervals around the prediction.

    Examples
    --------
    >>> import numpy as np
    >>> from slantwood import ObliqueForestRegressor
    >>> from slantwood.explain import predict_quantiles
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(500, 1))
    >>> y = X[:, 0] * rng.normal(size=500)  # more noise to the right
    >>> forest = ObliqueForestRegressor(n_estimators=10, min_samples_leaf=20, random_state=0).fit(X, y)
    >>> low, high = predict_quantiles(forest, [[0.1], [0.9]], [0.1, 0.9], X, y).T
    >>> bool((high - low)[0] < (high - low)[1])
    True
    """
    check_model(model, "the quantile of a number")
    if model.targets_.task not in NUMBER_TASKS:
        raise ValueError("the model predicts classes or labels, which have no quantiles; use predict_proba")
    if model.forest_.additive is not None:
        raise ValueError(
            "the trees of a boosted model add up, and rows in a leaf have little in common; fit a forest, or "
            "one boosted model for each level with the quantile loss"
        )
    wanted = _checked_levels(levels)
    train = model._predictor.leaves(model.encode_features(X_train))
    numbers = truth_of(model, y_train, len(train))
    weights = check_row_weights(sample_weight, len(train))
    nodes = model._predictor.leaves(model.encode_features(X))
    found = np.empty((len(nodes), numbers.shape[1], len(wanted)))
    known, group = np.unique(~np.isnan(numbers), axis=1, return_inverse=True)
    for k, of_group in enumerate(known.T):  # targets that are known in the same rows
        targets = np.flatnonzero(group.ravel() == k)
        orders = [np.argsort(numbers[of_group, target], kind="stable") for target in targets]
        for rows, shares in _shares(nodes, train[of_group], weights[of_group], len(model.trees_.left)):
            for target, order in zip(targets, orders, strict=True):
                found[rows, target] = _quantiles(numbers[of_group, target][order], shares[:, order], wanted)
    return found[:, 0] if model.targets_.one_dimensional else found


class _Shares(NamedTuple):
    rows: slice
    shares: np.ndarray  # of shape (n_rows, n_train)


def _shares(nodes: np.ndarray, train: np.ndarray, weights: np.ndarray, n_nodes: int) -> Iterator[_Shares]:
    """Yield what each training row weighs for each row, for a few rows at a time."""
    n_train, n_trees = train.shape
    row_weights = np.repeat(weights, n_trees)
    in_leaf = np.bincount(train.ravel(), row_weights, minlength=n_nodes)
    indptr = np.arange(0, train.size + 1, n_trees)
    parts = row_weights / np.where(in_leaf > 0, in_leaf, 1.0)[train.ravel()]
    members = sp.csr_array((parts, train.ravel(), indptr), shape=(n_train, n_nodes)).T.tocsr()
    step = max(1, _CELLS // max(n_train, 1))
    for start in range(0, len(nodes), step):
        rows = slice(start, start + step)
        some = nodes[rows]
        leaves = sp.csr_array(
            (np.ones(some.size), some.ravel(), np.arange(0, some.size + 1, n_trees)),
            shape=(len(some), n_nodes),
        )
        yield _Shares(rows, (leaves @ members).toarray())


def _quantiles(ascending: np.ndarray, shares: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """Return, of numbers in ascending order with the given shares, the least at which a level is reached."""
    below = np.cumsum(shares, axis=1)
    found = np.full((len(shares), len(levels)), np.nan)
    some = below[:, -1] > 0 if below.shape[1] else np.zeros(len(shares), np.bool_)
    for j, level in enumerate(levels):
        need = np.maximum(level * (1.0 - _ROUNDING), _ROUNDING) * below[some, -1:]
        found[some, j] = ascending[np.argmax(below[some] >= need, axis=1)]
    return found


def _checked_levels(levels: Any) -> np.ndarray:
    wanted = np.atleast_1d(np.asarray(levels, np.float64))
    if wanted.ndim != 1 or not len(wanted) or not ((wanted >= 0) & (wanted <= 1)).all():
        raise ValueError(f"levels={listed(wanted.ravel().tolist())} must be numbers from 0 to 1, such as 0.5")
    return wanted
