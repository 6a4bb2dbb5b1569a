"""How much of the variance of several numeric targets the predictions explain."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from slantwood.metrics._input import check_same_shape, check_weights, numeric_array
from slantwood.targets.numbers import power_of_two


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


def common_unit(true: npt.NDArray[np.float64], predicted: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return for each column a power of two of its size: in this unit squares neither overflow nor vanish."""
    sizes = [np.fmax.reduce(np.abs(columns), axis=0) for columns in (true, predicted)]
    return power_of_two(np.fmax(*sizes))


def _as_columns(value: npt.ArrayLike, name: str) -> npt.NDArray[np.float64]:
    array = numeric_array(value, name).astype(np.float64)
    if array.ndim not in (1, 2) or 0 in array.shape:
        raise ValueError(
            f"{name} has shape {array.shape}; pass a non-empty array of shape "
            "(n_rows,) or (n_rows, n_targets)."
        )
    if not np.isfinite(array).all():
        raise ValueError(f"{name} contains NaN or infinity; drop or impute those rows.")
    return array.reshape(array.shape[0], -1)
