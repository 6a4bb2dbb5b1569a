"""How well the classes of several targets are predicted: for each target, or in all of a row at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from slantwood.features.frames import is_missing
from slantwood.metrics._input import check_same_shape, check_weights
from slantwood.metrics.classification import macro_f1


def mean_accuracy(y_true: Any, y_pred: Any, sample_weight: npt.ArrayLike | None = None) -> float:
    """Compute the share of rows whose class is right, averaged over the targets.

    Parameters
    ----------
    y_true : array-like or data frame of shape (n_rows, n_targets)
        True classes, numbers or strings; None or NaN where one is not known, and left out.
    y_pred : array-like or data frame of the same shape
        Predicted classes.
    sample_weight : array-like of shape (n_rows,), optional
        Weight of each row; equal weights by default.

    Returns
    -------
    float
        Mean accuracy, from 0 to 1, over the targets of which some class is known.

    Examples
    --------
    >>> from slantwood.metrics import mean_accuracy
    >>> mean_accuracy([["oak", 1], ["elm", 2]], [["oak", 1], ["oak", 2]])
    0.75
    """
    true, predicted = _objects(y_true, "y_true"), _objects(y_pred, "y_pred")
    check_same_shape(predicted.shape, true.shape, "y_pred")
    weights = check_weights(sample_weight, len(true), "sample_weight")[:, None] * _known(true)
    right, total = (weights * (true == predicted)).sum(axis=0), weights.sum(axis=0)
    return float(np.mean(right[total > 0] / total[total > 0]))


def mean_macro_f1(y_true: Any, y_pred: Any) -> float:
    """Compute the F1 score averaged over the classes of a target, then over the targets.

    Parameters
    ----------
    y_true : array-like or data frame of shape (n_rows, n_targets)
        True classes, numbers or strings; None or NaN where one is not known, and left out.
    y_pred : array-like or data frame of the same shape
        Predicted classes.

    Returns
    -------
    float
        Mean over the targets of `macro_f1`, where some class of a target is known.

    Examples
    --------
    >>> from slantwood.metrics import mean_macro_f1
    >>> mean_macro_f1([["oak", 1], ["oak", 2], ["elm", 2]], [["oak", 1], ["oak", 2], ["oak", 2]])
    0.7
    """
    true, predicted = _objects(y_true, "y_true"), _objects(y_pred, "y_pred")
    check_same_shape(predicted.shape, true.shape, "y_pred")
    known = _known(true)
    columns = range(true.shape[1])
    return float(
        np.mean(
            [macro_f1(true[known[:, j], j], predicted[known[:, j], j]) for j in columns if known[:, j].any()]
        )
    )


def exact_match(y_true: Any, y_pred: Any, sample_weight: npt.ArrayLike | None = None) -> float:
    """Compute the share of rows in which the classes of all targets are right.

    Parameters
    ----------
    y_true : array-like or data frame of shape (n_rows, n_targets)
        True classes, numbers or strings; what is None or NaN is not known and cannot be wrong.
    y_pred : array-like or data frame of the same shape
        Predicted classes.
    sample_weight : array-like of shape (n_rows,), optional
        Weight of each row; equal weights by default.

    Returns
    -------
    float
        From 0 to 1, over the rows of which some class is known.

    Examples
    --------
    >>> from slantwood.metrics import exact_match
    >>> exact_match([["oak", 1], ["elm", 2]], [["oak", 1], ["oak", 2]])
    0.5
    """
    true, predicted = _objects(y_true, "y_true"), _objects(y_pred, "y_pred")
    check_same_shape(predicted.shape, true.shape, "y_pred")
    known = _known(true)
    some = known.any(axis=1)
    weights = check_weights(sample_weight, len(true), "sample_weight")[some]
    return float(np.average(((true == predicted) | ~known).all(axis=1)[some], weights=weights))


def _objects(given: Any, name: str) -> npt.NDArray[Any]:
    array = np.asarray(given, object)
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(
            f"{name} has shape {array.shape}; pass a row for each example and a column for each target."
        )
    return array


def _known(true: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    known = np.array([[not is_missing(cell) for cell in row] for row in true], np.bool_)
    if not known.any():
        raise ValueError("y_true has no class that is known.")
    return known
