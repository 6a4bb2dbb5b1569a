"""How well scores tell rows that have a label from others: areas under receiver operating characteristics.

The area is the chance that a cell that is true scores above one that is not, where a tie counts one half.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from slantwood.metrics._input import MatrixLike
from slantwood.metrics._thresholds import (
    Cells,
    Float64Array,
    Thresholds,
    check_cells,
    label_thresholds,
    pooled_thresholds,
)


def label_auroc(
    y_true: MatrixLike, y_score: MatrixLike, *, sample_weight: npt.ArrayLike | None = None
) -> Float64Array:
    """Compute the area under the ROC curve of each label.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the labels, zeros and ones. NaN where it is not known whether the
        row has the label; such cells are left out.
    y_score : array-like or sparse matrix of shape (n_rows, n_labels)
        Scores, larger meaning more likely. Entries that a sparse matrix does not
        store are scores of zero.
    sample_weight : array-like of shape (n_rows,), optional
        Non-negative weights of the rows; equal weights by default.

    Returns
    -------
    ndarray of shape (n_labels,)
        Values in [0, 1], as ``sklearn.metrics.roc_auc_score`` gives for each label; NaN
        for a label that all rows of positive weight have, or none.

    Examples
    --------
    >>> from slantwood.metrics import label_auroc
    >>> y_true = [[1, 1, 0], [0, 1, 0], [0, 0, 0]]
    >>> y_score = [[0.6, 0.2, 0.1], [0.6, 0.7, 0.3], [0.1, 0.5, 0.2]]
    >>> label_auroc(y_true, y_score)
    array([0.75, 0.5 ,  nan])
    """
    return _label_areas(check_cells(y_true, y_score, sample_weight, any_label=False))


def average_auroc(
    y_true: MatrixLike, y_score: MatrixLike, *, sample_weight: npt.ArrayLike | None = None
) -> float:
    """Compute the mean area under the ROC curves of the labels: macro AUROC.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the labels, zeros and ones. NaN where it is not known whether the
        row has the label; such cells are left out.
    y_score : array-like or sparse matrix of shape (n_rows, n_labels)
        Scores, larger meaning more likely. Entries that a sparse matrix does not
        store are scores of zero.
    sample_weight : array-like of shape (n_rows,), optional
        Non-negative weights of the rows; equal weights by default.

    Returns
    -------
    float
        A value in [0, 1]. A label that all rows have, or none, is left out, as it has
        no curve; NaN where no label is left.

    Examples
    --------
    >>> from slantwood.metrics import average_auroc
    >>> y_true = [[1, 1, 0], [0, 1, 0], [0, 0, 0]]
    >>> y_score = [[0.6, 0.2, 0.1], [0.6, 0.7, 0.3], [0.1, 0.5, 0.2]]
    >>> average_auroc(y_true, y_score)
    0.625
    """
    areas = label_auroc(y_true, y_score, sample_weight=sample_weight)
    has_curve = ~np.isnan(areas)
    return float(areas[has_curve].mean()) if has_curve.any() else float("nan")


def pooled_auroc(
    y_true: MatrixLike, y_score: MatrixLike, *, sample_weight: npt.ArrayLike | None = None
) -> float:
    """Compute the area under one ROC curve of all labels together: micro AUROC.

    Every pair of a row and a label is a case of its own.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the labels, zeros and ones. NaN where it is not known whether the
        row has the label; such cells are left out.
    y_score : array-like or sparse matrix of shape (n_rows, n_labels)
        Scores, larger meaning more likely. Entries that a sparse matrix does not
        store are scores of zero.
    sample_weight : array-like of shape (n_rows,), optional
        Non-negative weights of the rows; equal weights by default.

    Returns
    -------
    float
        A value in [0, 1]; NaN where all cells are true, or none.

    Examples
    --------
    >>> from slantwood.metrics import pooled_auroc
    >>> pooled_auroc([[1, 0], [1, 0]], [[0.9, 0.8], [0.7, 0.1]])
    0.75
    """
    cells = check_cells(y_true, y_score, sample_weight, any_label=False)
    n_rows, n_labels = cells.labels.shape
    n_false = n_rows * n_labels - cells.unknown.nnz - cells.labels.nnz
    if cells.labels.nnz == 0 or n_false == 0:
        return float("nan")
    known = _rows_weight(cells) * n_labels - cells.weight_by_label(cells.unknown).sum()
    true = float(cells.weight_by_label(cells.labels).sum())
    pairs = _pairs_won(pooled_thresholds(cells), np.array([known - true])).sum()
    return float(np.clip(pairs / (true * (known - true)), 0.0, 1.0))


def _label_areas(cells: Cells) -> Float64Array:
    n_rows, n_labels = cells.labels.shape
    n_true, n_unknown = (
        np.bincount(matrix.indices, minlength=n_labels) for matrix in (cells.labels, cells.unknown)
    )
    has_curve = (n_true > 0) & (n_true + n_unknown < n_rows)
    true = cells.weight_by_label(cells.labels)
    false = _rows_weight(cells) - cells.weight_by_label(cells.unknown) - true
    thresholds = label_thresholds(cells)
    pairs = np.bincount(thresholds.label, _pairs_won(thresholds, false), n_labels)
    areas = np.full(n_labels, np.nan)
    np.divide(pairs, true * false, out=areas, where=has_curve)
    return np.clip(areas, 0.0, 1.0)


def _rows_weight(cells: Cells) -> float:
    return float(cells.labels.shape[0] if cells.weights is None else cells.weights.sum())


def _pairs_won(thresholds: Thresholds, false: npt.NDArray[np.floating]) -> Float64Array:
    """Return for each threshold the pairs of its true cells with lower false ones, ties by half."""
    false_above = thresholds.cells_above - thresholds.true_above
    false_same = thresholds.cells - thresholds.true
    return thresholds.true * (false[thresholds.label] - false_above - 0.5 * false_same)
