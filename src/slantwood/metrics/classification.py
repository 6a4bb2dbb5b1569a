"""How well predicted classes, or sets of labels, agree with the true ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from slantwood.metrics._input import MatrixLike, check_same_shape, check_weights, hits
from slantwood.metrics.label_sets import counts_by_label, label_counts, label_f1, macro_mean


def macro_f1(
    y_true: MatrixLike,
    y_pred: MatrixLike,
    *,
    absent: float = 0.0,
    sample_weight: npt.ArrayLike | None = None,
) -> float:
    """Compute the F1 score, averaged over the classes or labels with equal weight.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,), or indicator of shape (n_rows, n_labels)
        True classes as 1-D array of numbers or strings; or true labels as 2-D
        matrix of zeros and ones, dense or sparse, NaN where a label is not known.
    y_pred : array-like or sparse matrix of the same shape
        Predicted classes or labels.
    absent : float, default=0.0
        Value of a label that no row has and that is never predicted: 0 as in
        scikit-learn, 1 as in Mulan, NaN to leave such labels out of the mean.
    sample_weight : array-like of shape (n_rows,), optional
        Non-negative weights of the rows; equal weights by default.

    Returns
    -------
    float
        Mean F1. The mean runs over the classes that occur in either argument, or
        over all labels.

    Examples
    --------
    >>> from slantwood.metrics import macro_f1
    >>> macro_f1(["oak", "oak", "elm"], ["oak", "oak", "oak"])
    0.4
    >>> macro_f1([[1, 0], [1, 1]], [[1, 0], [1, 1]])
    1.0
    """
    true, predicted = _as_given(y_true, "y_true"), _as_given(y_pred, "y_pred")
    check_same_shape(predicted.shape, true.shape, "y_pred")
    if true.ndim == 2:
        return macro_mean(label_f1(counts_by_label(true, predicted, sample_weight), absent))
    weights = check_weights(sample_weight, true.size, "sample_weight")
    true, predicted = _class_indicators(true, predicted)
    return macro_mean(label_f1(label_counts(true, predicted, hits(true, predicted), weights), absent))


def _class_indicators(true: npt.NDArray[Any], predicted: npt.NDArray[Any]) -> Iterator[sp.csr_array]:
    """Return an indicator of the classes for each argument, a column for each class of either."""
    are_numbers = {array.dtype.kind in "biuf" for array in (true, predicted) if array.dtype.kind != "O"}
    if len(are_numbers) == 2:
        raise ValueError(
            f"y_true has dtype {true.dtype} but y_pred has dtype {predicted.dtype}; "
            "pass class labels of one type."
        )
    for array, name in ((true, "y_true"), (predicted, "y_pred")):
        if array.dtype.kind == "f" and (wrong := array[array != np.floor(array)]).size:
            raise ValueError(
                f"{name} holds the value {wrong[0]!s}, which is not a class label; pass "
                "integers or strings (for numeric targets use mean_r2)."
            )
    try:
        classes, code = np.unique(np.concatenate([true, predicted]), return_inverse=True)
    except TypeError as error:
        raise ValueError(
            f"y_true and y_pred hold class labels that cannot be compared ({error}); "
            "pass class labels of one type, without missing values."
        ) from error
    ones, bounds = np.ones(true.size, np.bool_), np.arange(true.size + 1)
    shape = (true.size, classes.size)
    return (sp.csr_array((ones, part, bounds), shape=shape) for part in np.split(code, 2))


def _as_given(value: MatrixLike, name: str) -> Any:
    """Return the argument as array or sparse matrix of one or two dimensions."""
    try:
        matrix: Any = value if sp.issparse(value) else np.asarray(value)
    except ValueError as error:
        raise ValueError(
            f"{name} cannot be read as an array ({error}); pass rows of equal length."
        ) from error
    if matrix.ndim not in (1, 2) or 0 in matrix.shape or (sp.issparse(value) and matrix.ndim == 1):
        raise ValueError(
            f"{name} has shape {tuple(matrix.shape)}; pass class labels of shape (n_rows,) "
            "or an indicator of shape (n_rows, n_labels), not empty and dense if 1-D."
        )
    return matrix
