"""How well scores tell the labels of a row from the others: areas under precision-recall curves.

`_thresholds` has the points of the curves; thresholds that add no true cell have no width in recall.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

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

Interpolation: TypeAlias = Literal["curve", "step"]


def pooled_auprc(
    y_true: MatrixLike,
    y_score: MatrixLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
    interpolation: Interpolation = "curve",
) -> float:
    r"""Compute the area under one precision-recall curve of all labels together.

    Every pair of a row and a label is a case of its own. This is the
    :math:`AU(\overline{PRC})` of Vens et al. (2008) [1]_, the customary score of
    hierarchical multi-label classification. The labels of a row then include all their
    ancestors, as `slantwood.data.read` returns them and `Hierarchy.closure` adds them.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the labels, zeros and ones, at least one of them a one. NaN where
        it is not known whether the row has the label; such cells are left out.
    y_score : array-like or sparse matrix of shape (n_rows, n_labels)
        Scores, larger meaning more likely. Entries that a sparse matrix does not
        store are scores of zero.
    sample_weight : array-like of shape (n_rows,), optional
        Non-negative weights of the rows: a row of weight 2 counts as if it came twice,
        and a row of weight 0 not at all. By default all rows count the same.
    interpolation : {"curve", "step"}, default="curve"
        What lies between two neighbouring thresholds. With "curve" true and false
        positives grow in proportion, which makes precision a hyperbola in recall
        (Davis and Goadrich, 2006 [2]_); its area is exact. With "step" precision is
        that of the lower threshold, which gives the value of
        ``sklearn.metrics.average_precision_score``.

    Returns
    -------
    float
        A value in (0, 1]; 1 if every true cell scores above every other cell, and
        the share of true cells if all scores are equal.

    References
    ----------
    .. [1] C. Vens, J. Struyf, L. Schietgat, S. Džeroski, H. Blockeel: Decision trees
       for hierarchical multi-label classification, Machine Learning 73, 2008.
    .. [2] J. Davis, M. Goadrich: The relationship between precision-recall and ROC
       curves, ICML 2006.

    Examples
    --------
    >>> from slantwood.metrics import pooled_auprc
    >>> y_true = [[1, 0], [1, 0]]
    >>> y_score = [[0.9, 0.8], [0.7, 0.1]]
    >>> round(pooled_auprc(y_true, y_score), 4)
    0.7973
    >>> round(pooled_auprc(y_true, y_score, interpolation="step"), 4)
    0.8333

    If nobody knows whether the second label applies to the first row, its high score is no mistake.

    >>> pooled_auprc([[1, float("nan")], [1, 0]], y_score)
    1.0
    """
    _check_interpolation(interpolation)
    thresholds = pooled_thresholds(check_cells(y_true, y_score, sample_weight))
    return min(1.0, float(_areas(thresholds, interpolation).sum() / thresholds.true.sum()))


def label_auprc(
    y_true: MatrixLike,
    y_score: MatrixLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
    interpolation: Interpolation = "curve",
) -> Float64Array:
    """Compute the area under the precision-recall curve of each label.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the labels, zeros and ones. NaN where it is not known whether the
        row has the label; such cells are left out.
    y_score : array-like or sparse matrix of shape (n_rows, n_labels)
        Scores, larger meaning more likely. Entries that a sparse matrix does not
        store are scores of zero.
    sample_weight : array-like of shape (n_rows,), optional
        Non-negative weights of the rows: a row of weight 2 counts as if it came twice,
        and a row of weight 0 not at all. By default all rows count the same.
    interpolation : {"curve", "step"}, default="curve"
        What lies between two neighbouring thresholds; see `pooled_auprc`.

    Returns
    -------
    ndarray of shape (n_labels,)
        Values in (0, 1]; NaN for a label that no row of positive weight is known to
        have, as it has no recall.

    Examples
    --------
    >>> from slantwood.metrics import label_auprc
    >>> y_true = [[1, 1, 0], [0, 1, 0]]
    >>> y_score = [[0.6, 0.2, 0.1], [0.6, 0.7, 0.3]]
    >>> label_auprc(y_true, y_score)
    array([0.5, 1. , nan])
    >>> label_auprc(y_true, y_score, sample_weight=[3, 1])
    array([0.75, 1.  ,  nan])
    """
    _check_interpolation(interpolation)
    cells = check_cells(y_true, y_score, sample_weight, any_label=False)
    return _label_areas(cells, interpolation)


def average_auprc(
    y_true: MatrixLike,
    y_score: MatrixLike,
    *,
    weighted: bool = False,
    sample_weight: npt.ArrayLike | None = None,
    interpolation: Interpolation = "curve",
) -> float:
    r"""Compute the mean area under the precision-recall curves of the labels.

    These are :math:`\overline{AUPRC}` and, weighted, :math:`\overline{AUPRC}_w` of
    Vens et al. (2008) [1]_. A label that no row has is left out, as it has no curve.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the labels, zeros and ones, at least one of them a one. NaN where
        it is not known whether the row has the label; such cells are left out.
    y_score : array-like or sparse matrix of shape (n_rows, n_labels)
        Scores, larger meaning more likely. Entries that a sparse matrix does not
        store are scores of zero.
    weighted : bool, default=False
        Weight each label by the number of rows that have it (or by their weight, given
        ``sample_weight``), so that frequent labels count more. By default all labels
        count the same.
    sample_weight : array-like of shape (n_rows,), optional
        Non-negative weights of the rows: a row of weight 2 counts as if it came twice,
        and a row of weight 0 not at all. By default all rows count the same.
    interpolation : {"curve", "step"}, default="curve"
        What lies between two neighbouring thresholds; see `pooled_auprc`.

    Returns
    -------
    float
        A value in (0, 1].

    References
    ----------
    .. [1] C. Vens, J. Struyf, L. Schietgat, S. Džeroski, H. Blockeel: Decision trees
       for hierarchical multi-label classification, Machine Learning 73, 2008.

    Examples
    --------
    >>> from slantwood.metrics import average_auprc
    >>> y_true = [[1, 1, 0], [0, 1, 0]]
    >>> y_score = [[0.6, 0.2, 0.1], [0.6, 0.7, 0.3]]
    >>> average_auprc(y_true, y_score)
    0.75
    >>> round(average_auprc(y_true, y_score, weighted=True), 4)
    0.8333
    """
    _check_interpolation(interpolation)
    cells = check_cells(y_true, y_score, sample_weight)
    area = _label_areas(cells, interpolation)
    occurs = ~np.isnan(area)
    weights = cells.weight_by_label(cells.labels)[occurs] if weighted else None
    return min(1.0, float(np.average(area[occurs], weights=weights)))


def _areas(thresholds: Thresholds, interpolation: Interpolation) -> Float64Array:
    """Return the area that each threshold adds, with recall measured in true cells."""
    # Floats, as products of counts may exceed the range of integers.
    t, n, d, D = (count.astype(np.float64) for count in thresholds[1:])
    # Sums of weights are rounded, and might say that there are fewer cells than true cells.
    n, D = np.maximum(n, t), np.maximum(D, d)
    return d * ((t + d) / (n + D)) if interpolation == "step" else _areas_under_hyperbolas(t, n, d, D)


def _areas_under_hyperbolas(
    t: Float64Array, n: Float64Array, d: Float64Array, D: Float64Array
) -> Float64Array:
    r"""Integrate precision from ``t`` true of ``n`` cells to ``t + d`` true of ``n + D`` cells.

    After x of the d true cells, xD/d of the D cells have been passed. With z = D/n,

        ∫_0^d (t + x) / (n + xD/d) dx = d [t/n L(z) + d/n M(z)],
        L(z) = log(1 + z) / z,  M(z) = (1 - L(z)) / z.

    No term is negative, so nothing cancels except in M where z is small.
    """
    # Constant precision, in particular from the origin, where n = 0, and on a perfect curve.
    area = d * (d / D)
    bent = t * D != n * d
    t, n, d, D = t[bent], n[bent], d[bent], D[bent]
    z = D / n
    L = np.log1p(z) / z
    M = (1.0 - L) / z
    small = z < SMALL_Z
    M[small] = np.polynomial.polynomial.polyval(z[small], SERIES_OF_M)
    area[bent] = d * (t / n * L + d / n * M)
    return area


# M(z) = 1/2 - z/3 + z²/4 - ...; the first term left out is below 1e-16 for all z < SMALL_Z.
SMALL_Z = 0.1
SERIES_OF_M = (-1.0) ** np.arange(15) / np.arange(2.0, 17.0)


def _label_areas(cells: Cells, interpolation: Interpolation) -> Float64Array:
    n_labels = cells.labels.shape[1]
    thresholds = label_thresholds(cells)
    total = np.bincount(thresholds.label, _areas(thresholds, interpolation), n_labels)
    n_true = np.bincount(cells.labels.indices, minlength=n_labels)
    mean = np.full(n_labels, np.nan)
    np.divide(total, cells.weight_by_label(cells.labels), out=mean, where=n_true > 0)
    return np.minimum(mean, 1.0)


def _check_interpolation(interpolation: str) -> None:
    if interpolation not in ("curve", "step"):
        raise ValueError(f"interpolation is {interpolation!r}; pass 'curve' or 'step'.")
