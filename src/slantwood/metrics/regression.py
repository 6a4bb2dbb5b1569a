"""How far predicted numbers are from the true ones, for each target and on average.

A number that is not known (NaN) is left out. Squares are taken in a unit of the size of the numbers, so that
they neither overflow nor vanish.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from slantwood.metrics._input import check_same_shape, check_vector, check_weights, numeric_array
from slantwood.targets.numbers import power_of_two

Float64Array: TypeAlias = npt.NDArray[np.float64]


def mean_r2(
    y_true: npt.ArrayLike, y_pred: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None
) -> float:
    """Compute the coefficient of determination R2, averaged over the targets.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_rows, n_targets)
        True values; at least two rows.
    y_pred : array-like of the same shape
        Predicted values.
    sample_weight : array-like of shape (n_rows,), optional
        Weight of each row; equal weights by default.

    Returns
    -------
    float
        Mean R2, at most 1. A constant target, whose variance nothing can explain,
        counts as 1 if it is predicted perfectly and as 0 otherwise.

    Examples
    --------
    >>> from slantwood.metrics import mean_r2
    >>> mean_r2([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]], [[1.0, 5.0], [2.0, 4.0], [3.0, 5.0]])
    0.5
    """
    true = _as_columns(y_true, "y_true")
    predicted = _as_columns(y_pred, "y_pred")
    check_same_shape(predicted.shape, true.shape, "y_pred")
    n_rows = true.shape[0]
    if n_rows < 2:
        raise ValueError(f"y_true has {n_rows} row; R2 needs at least 2 rows.")
    weight = check_weights(sample_weight, n_rows, "sample_weight")
    counted = weight > 0
    true, predicted, weight = true[counted], predicted[counted], weight[counted]

    unit = common_unit(true, predicted)
    true, predicted = true / unit, predicted / unit
    residual = weight @ (true - predicted) ** 2
    total = weight @ (true - weight @ true / weight.sum()) ** 2
    # A constant is recognised by its values: rounding of the mean can leave its sum of
    # squares just above zero. The sum may also underflow to zero without one.
    varies = (true.max(axis=0) > true.min(axis=0)) & (total > 0)
    r2 = np.where(residual > 0, 0.0, 1.0)
    r2[varies] = 1.0 - residual[varies] / total[varies]
    return float(r2.mean())


def target_rmse(
    y_true: npt.ArrayLike, y_pred: npt.ArrayLike, *, sample_weight: npt.ArrayLike | None = None
) -> Float64Array:
    """Compute the root of the mean squared error of each target.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_rows, n_targets)
        True values; NaN where one is not known.
    y_pred : array-like of the same shape
        Predicted values.
    sample_weight : array-like of shape (n_rows,), optional
        Weight of each row; equal weights by default.

    Returns
    -------
    ndarray of shape (n_targets,)
        Values of at least 0, in the units of the targets; NaN for a target that is never
        known.

    Examples
    --------
    >>> from slantwood.metrics import target_rmse
    >>> y_true = [[1.0, 10.0], [2.0, 30.0], [3.0, 50.0]]
    >>> y_pred = [[1.0, 20.0], [2.0, 30.0], [2.0, 40.0]]
    >>> target_rmse(y_true, y_pred).round(4)
    array([0.5774, 8.165 ])
    """
    given = _check(y_true, y_pred, sample_weight)
    return np.sqrt(_means(given, given.error**2)) * given.unit


def average_rmse(
    y_true: npt.ArrayLike, y_pred: npt.ArrayLike, *, sample_weight: npt.ArrayLike | None = None
) -> float:
    """Compute the root of the mean squared error, averaged over the targets.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_rows, n_targets)
        True values; NaN where one is not known.
    y_pred : array-like of the same shape
        Predicted values.
    sample_weight : array-like of shape (n_rows,), optional
        Weight of each row; equal weights by default.

    Returns
    -------
    float
        A value of at least 0; targets that are never known are left out.

    Examples
    --------
    >>> from slantwood.metrics import average_rmse
    >>> y_true = [[1.0, 10.0], [2.0, 30.0], [3.0, 50.0]]
    >>> y_pred = [[1.0, 20.0], [2.0, 30.0], [2.0, 40.0]]
    >>> round(average_rmse(y_true, y_pred), 4)
    4.3712
    """
    return _mean_of_targets(target_rmse(y_true, y_pred, sample_weight=sample_weight))


def target_mae(
    y_true: npt.ArrayLike, y_pred: npt.ArrayLike, *, sample_weight: npt.ArrayLike | None = None
) -> Float64Array:
    """Compute the mean absolute error of each target.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_rows, n_targets)
        True values; NaN where one is not known.
    y_pred : array-like of the same shape
        Predicted values.
    sample_weight : array-like of shape (n_rows,), optional
        Weight of each row; equal weights by default.

    Returns
    -------
    ndarray of shape (n_targets,)
        Values of at least 0, in the units of the targets; NaN for a target that is never
        known.

    Examples
    --------
    >>> from slantwood.metrics import target_mae
    >>> y_true = [[1.0, 10.0], [2.0, 30.0], [3.0, 50.0]]
    >>> y_pred = [[1.0, 20.0], [2.0, 30.0], [2.0, 40.0]]
    >>> target_mae(y_true, y_pred).round(4)
    array([0.3333, 6.6667])
    """
    given = _check(y_true, y_pred, sample_weight)
    return _means(given, np.abs(given.error)) * given.unit


def average_mae(
    y_true: npt.ArrayLike, y_pred: npt.ArrayLike, *, sample_weight: npt.ArrayLike | None = None
) -> float:
    """Compute the mean absolute error, averaged over the targets.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_rows, n_targets)
        True values; NaN where one is not known.
    y_pred : array-like of the same shape
        Predicted values.
    sample_weight : array-like of shape (n_rows,), optional
        Weight of each row; equal weights by default.

    Returns
    -------
    float
        A value of at least 0; targets that are never known are left out.

    Examples
    --------
    >>> from slantwood.metrics import average_mae
    >>> y_true = [[1.0, 10.0], [2.0, 30.0], [3.0, 50.0]]
    >>> y_pred = [[1.0, 20.0], [2.0, 30.0], [2.0, 40.0]]
    >>> round(average_mae(y_true, y_pred), 4)
    3.5
    """
    return _mean_of_targets(target_mae(y_true, y_pred, sample_weight=sample_weight))


def target_rrmse(
    y_true: npt.ArrayLike,
    y_pred: npt.ArrayLike,
    *,
    reference: npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
) -> Float64Array:
    """Compute the root mean squared error relative to that of predicting a constant of each target.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_rows, n_targets)
        True values; NaN where one is not known.
    y_pred : array-like of the same shape
        Predicted values.
    reference : array-like of shape (n_targets,), optional
        What the model predicts that errors are compared with: the means of the training
        rows, as in CLUS and Mulan. By default the means of `y_true`.
    sample_weight : array-like of shape (n_rows,), optional
        Weight of each row; equal weights by default.

    Returns
    -------
    ndarray of shape (n_targets,)
        Values of at least 0; below 1 the predictions are better than the constant. NaN for
        a target that does not vary from it.

    Examples
    --------
    >>> from slantwood.metrics import target_rrmse
    >>> y_true = [[1.0, 10.0], [2.0, 30.0], [3.0, 50.0]]
    >>> y_pred = [[1.0, 20.0], [2.0, 30.0], [2.0, 40.0]]
    >>> target_rrmse(y_true, y_pred).round(4)
    array([0.7071, 0.5   ])
    """
    given = _check(y_true, y_pred, sample_weight)
    n_targets = given.true.shape[1]
    if reference is None:
        constant, varies = _means(given, given.true), _varies(given, given.true)
    else:
        constant = check_vector(reference, n_targets, "reference", "one number per target") / given.unit
        varies = np.ones(n_targets, np.bool_)
    spread = _means(given, (given.true - constant) ** 2)
    relative = np.full(n_targets, np.nan)
    np.divide(_means(given, given.error**2), spread, out=relative, where=varies & (spread > 0))
    return np.sqrt(relative)


def average_rrmse(
    y_true: npt.ArrayLike,
    y_pred: npt.ArrayLike,
    *,
    reference: npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
) -> float:
    """Compute the root mean squared error relative to that of a constant, averaged over the targets.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_rows, n_targets)
        True values; NaN where one is not known.
    y_pred : array-like of the same shape
        Predicted values.
    reference : array-like of shape (n_targets,), optional
        What the model predicts that errors are compared with: the means of the training
        rows, as in CLUS and Mulan. By default the means of `y_true`.
    sample_weight : array-like of shape (n_rows,), optional
        Weight of each row; equal weights by default.

    Returns
    -------
    float
        A value of at least 0, aRRMSE; targets without a value are left out.

    Examples
    --------
    >>> from slantwood.metrics import average_rrmse
    >>> y_true = [[1.0, 10.0], [2.0, 30.0], [3.0, 50.0]]
    >>> y_pred = [[1.0, 20.0], [2.0, 30.0], [2.0, 40.0]]
    >>> round(average_rrmse(y_true, y_pred), 4)
    0.6036
    """
    return _mean_of_targets(target_rrmse(y_true, y_pred, reference=reference, sample_weight=sample_weight))


def target_correlation(
    y_true: npt.ArrayLike, y_pred: npt.ArrayLike, *, sample_weight: npt.ArrayLike | None = None
) -> Float64Array:
    """Compute Pearson's correlation of true and predicted values of each target.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_rows, n_targets)
        True values; NaN where one is not known.
    y_pred : array-like of the same shape
        Predicted values.
    sample_weight : array-like of shape (n_rows,), optional
        Weight of each row; equal weights by default.

    Returns
    -------
    ndarray of shape (n_targets,)
        Values in [-1, 1]; 0 for constant predictions, which tell nothing, and NaN for a
        target that does not vary.

    Examples
    --------
    >>> from slantwood.metrics import target_correlation
    >>> y_true = [[1.0, 10.0], [2.0, 30.0], [3.0, 50.0]]
    >>> y_pred = [[1.0, 20.0], [2.0, 30.0], [2.0, 40.0]]
    >>> target_correlation(y_true, y_pred).round(4)
    array([0.866, 1.   ])
    """
    given = _check(y_true, y_pred, sample_weight)
    true, predicted = (part - _means(given, part) for part in (given.true, given.predicted))
    both = np.sqrt(_means(given, true**2)) * np.sqrt(_means(given, predicted**2))
    varies = _varies(given, given.true)
    correlation = np.where(varies, 0.0, np.nan)
    has_value = varies & _varies(given, given.predicted) & (both > 0)
    np.divide(_means(given, true * predicted), both, out=correlation, where=has_value)
    return np.clip(correlation, -1.0, 1.0)


def average_correlation(
    y_true: npt.ArrayLike, y_pred: npt.ArrayLike, *, sample_weight: npt.ArrayLike | None = None
) -> float:
    """Compute Pearson's correlation of true and predicted values, averaged over the targets.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_rows, n_targets)
        True values; NaN where one is not known.
    y_pred : array-like of the same shape
        Predicted values.
    sample_weight : array-like of shape (n_rows,), optional
        Weight of each row; equal weights by default.

    Returns
    -------
    float
        A value in [-1, 1], aCC; targets without a value are left out.

    Examples
    --------
    >>> from slantwood.metrics import average_correlation
    >>> y_true = [[1.0, 10.0], [2.0, 30.0], [3.0, 50.0]]
    >>> y_pred = [[1.0, 20.0], [2.0, 30.0], [2.0, 40.0]]
    >>> round(average_correlation(y_true, y_pred), 4)
    0.933
    """
    return _mean_of_targets(target_correlation(y_true, y_pred, sample_weight=sample_weight))


class _Given(NamedTuple):
    """True and predicted values in a common unit; 0 where the truth is not known."""

    true: Float64Array
    predicted: Float64Array
    weights: Float64Array  # of each cell, 0 where it is not known
    unit: Float64Array

    @property
    def error(self) -> Float64Array:
        return self.predicted - self.true


def _check(y_true: npt.ArrayLike, y_pred: npt.ArrayLike, sample_weight: npt.ArrayLike | None) -> _Given:
    true = _as_columns(y_true, "y_true", allow_nan=True)
    predicted = _as_columns(y_pred, "y_pred")
    check_same_shape(predicted.shape, true.shape, "y_pred")
    weights = check_weights(sample_weight, true.shape[0], "sample_weight")
    known = ~np.isnan(true) & (weights > 0)[:, None]
    true, predicted = (np.where(known, part, 0.0) for part in (true, predicted))
    unit = common_unit(true, predicted)
    return _Given(true / unit, predicted / unit, weights[:, None] * known, unit)


def _means(given: _Given, values: Float64Array) -> Float64Array:
    """Return the weighted mean of each column over known cells; NaN where there are none."""
    total = given.weights.sum(axis=0)
    means = np.full(len(total), np.nan)
    np.divide((given.weights * values).sum(axis=0), total, out=means, where=total > 0)
    return means


def _varies(given: _Given, values: Float64Array) -> npt.NDArray[np.bool_]:
    # By the values: rounding of the mean can leave the squares of a constant just above zero.
    counted = given.weights > 0
    low = np.where(counted, values, np.inf).min(axis=0)
    return np.asarray(low < np.where(counted, values, -np.inf).max(axis=0))


def _mean_of_targets(values: Float64Array) -> float:
    counted = ~np.isnan(values)
    return float(values[counted].mean()) if counted.any() else float("nan")


def common_unit(true: npt.NDArray[np.float64], predicted: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return for each column a power of two of its size: in this unit squares neither overflow nor vanish."""
    sizes = [np.fmax.reduce(np.abs(columns), axis=0) for columns in (true, predicted)]
    return power_of_two(np.fmax(*sizes))


def _as_columns(value: npt.ArrayLike, name: str, *, allow_nan: bool = False) -> npt.NDArray[np.float64]:
    array = numeric_array(value, name).astype(np.float64)
    if array.ndim not in (1, 2) or 0 in array.shape:
        raise ValueError(
            f"{name} has shape {array.shape}; pass a non-empty array of shape "
            "(n_rows,) or (n_rows, n_targets)."
        )
    if np.isinf(array).any() or (not allow_nan and np.isnan(array).any()):
        raise ValueError(f"{name} contains NaN or infinity; drop or impute those rows.")
    return array.reshape(array.shape[0], -1)
