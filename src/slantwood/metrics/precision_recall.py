"""How well scores tell the labels of a row from the others: areas under precision-recall curves.

A curve is kept as the counts at those thresholds that add a true cell; the others
have no width in recall. Equal scores form one threshold, and the scores that a
sparse matrix does not store are equal to zero.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from slantwood.metrics._input import (
    FloatArray,
    IntArray,
    MatrixLike,
    check_indicator,
    check_scores,
    entries_of_rows,
    find_sorted,
    row_blocks,
)

Interpolation: TypeAlias = Literal["curve", "step"]
Float64Array: TypeAlias = npt.NDArray[np.float64]


def pooled_auprc(y_true: MatrixLike, y_score: MatrixLike, *, interpolation: Interpolation = "curve") -> float:
    r"""Compute the area under one precision-recall curve of all labels together.

    Every pair of a row and a label is a case of its own. This is the
    :math:`AU(\overline{PRC})` of Vens et al. (2008) [1]_, the customary score of
    hierarchical multi-label classification.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the labels, zeros and ones, at least one of them a one.
    y_score : array-like or sparse matrix of shape (n_rows, n_labels)
        Scores, larger meaning more likely. Entries that a sparse matrix does not
        store are scores of zero.
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
    """
    _check_interpolation(interpolation)
    labels = check_indicator(y_true)
    scores = check_scores(y_score, labels.shape)
    _check_any_label(labels)
    score, n_true = np.unique(_scores_of_true_cells(labels, scores), return_counts=True)
    # Zeros are the bulk of most score matrices, and need no sorting.
    stored = scores[scores != 0] if isinstance(scores, np.ndarray) else scores.data.copy()
    stored.sort()
    n_zeros = labels.shape[0] * labels.shape[1] - stored.size
    first, last = (np.searchsorted(stored, score, side) for side in ("left", "right"))
    thresholds = _Thresholds(
        true_above=labels.nnz - np.cumsum(n_true),
        cells_above=stored.size - last + np.where(score < 0, n_zeros, 0),
        true=n_true,
        cells=last - first + np.where(score == 0, n_zeros, 0),
    )
    return min(1.0, float(_areas(thresholds, interpolation).sum()) / labels.nnz)


def label_auprc(
    y_true: MatrixLike, y_score: MatrixLike, *, interpolation: Interpolation = "curve"
) -> Float64Array:
    """Compute the area under the precision-recall curve of each label.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the labels, zeros and ones.
    y_score : array-like or sparse matrix of shape (n_rows, n_labels)
        Scores, larger meaning more likely. Entries that a sparse matrix does not
        store are scores of zero.
    interpolation : {"curve", "step"}, default="curve"
        What lies between two neighbouring thresholds; see `pooled_auprc`.

    Returns
    -------
    ndarray of shape (n_labels,)
        Values in (0, 1]; NaN for a label that no row has, as it has no recall.

    Examples
    --------
    >>> from slantwood.metrics import label_auprc
    >>> y_true = [[1, 1, 0], [0, 1, 0]]
    >>> y_score = [[0.6, 0.2, 0.1], [0.6, 0.7, 0.3]]
    >>> label_auprc(y_true, y_score)
    array([0.5, 1. , nan])
    """
    _check_interpolation(interpolation)
    labels = check_indicator(y_true)
    return _label_areas(labels, check_scores(y_score, labels.shape), interpolation)


def average_auprc(
    y_true: MatrixLike,
    y_score: MatrixLike,
    *,
    weighted: bool = False,
    interpolation: Interpolation = "curve",
) -> float:
    r"""Compute the mean area under the precision-recall curves of the labels.

    These are :math:`\overline{AUPRC}` and, weighted, :math:`\overline{AUPRC}_w` of
    Vens et al. (2008) [1]_. A label that no row has is left out, as it has no curve.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the labels, zeros and ones, at least one of them a one.
    y_score : array-like or sparse matrix of shape (n_rows, n_labels)
        Scores, larger meaning more likely. Entries that a sparse matrix does not
        store are scores of zero.
    weighted : bool, default=False
        Weight each label by the number of rows that have it, so that frequent labels
        count more. By default all labels count the same.
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
    labels = check_indicator(y_true)
    scores = check_scores(y_score, labels.shape)
    _check_any_label(labels)
    area = _label_areas(labels, scores, interpolation)
    n_rows_of_label = np.bincount(labels.indices, minlength=labels.shape[1])
    occurs = n_rows_of_label > 0
    weights = n_rows_of_label[occurs] if weighted else None
    return min(1.0, float(np.average(area[occurs], weights=weights)))


class _Thresholds(NamedTuple):
    """Counts at the distinct scores of true cells."""

    true_above: IntArray  # true cells of a higher score, TP of the threshold before
    cells_above: IntArray  # all cells of a higher score, TP + FP
    true: IntArray  # true cells of this very score, at least one
    cells: IntArray  # all cells of this very score


def _areas(thresholds: _Thresholds, interpolation: Interpolation) -> Float64Array:
    """Return the area that each threshold adds, with recall measured in true cells."""
    # Floats, as products of counts may exceed the range of integers.
    t, n, d, D = (count.astype(np.float64) for count in thresholds)
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


def _label_areas(
    labels: sp.csr_array, scores: FloatArray | sp.csr_array, interpolation: Interpolation
) -> Float64Array:
    n_rows, n_labels = labels.shape
    n_rows_of_label = np.bincount(labels.indices, minlength=n_labels)
    key, n_true = np.unique(_keys(labels.indices, _scores_of_true_cells(labels, scores)), return_counts=True)
    label, score = key.real.astype(np.int64), key.imag
    if isinstance(scores, np.ndarray):
        cells_above, cells = _counts_in_dense_scores(scores, label, key)
    else:
        stored = np.sort(_keys(scores.indices, scores.data))
        n_stored = np.bincount(scores.indices, minlength=n_labels)
        n_zeros = (n_rows - n_stored)[label]
        first, last = (np.searchsorted(stored, key, side) for side in ("left", "right"))
        cells_above = np.cumsum(n_stored)[label] - last + np.where(score < 0, n_zeros, 0)
        cells = last - first + np.where(score == 0, n_zeros, 0)
    true_above = np.cumsum(n_rows_of_label)[label] - np.cumsum(n_true)
    area = _areas(_Thresholds(true_above, cells_above, n_true, cells), interpolation)
    total = np.bincount(label, weights=area, minlength=n_labels)
    mean = np.full(n_labels, np.nan)
    np.divide(total, n_rows_of_label, out=mean, where=n_rows_of_label > 0)
    return np.minimum(mean, 1.0)


def _counts_in_dense_scores(
    scores: FloatArray, label: IntArray, key: npt.NDArray[Any]
) -> tuple[IntArray, IntArray]:
    """Return how many cells of its label score higher than each key, and how many the same."""
    n_rows, n_labels = scores.shape
    above, same = np.empty(key.size, np.int64), np.empty(key.size, np.int64)
    for start, stop in row_blocks(n_labels, n_rows):
        block = slice(*np.searchsorted(label, [start, stop]))
        # Sorting the numbers of each label is much faster than sorting the keys made of them.
        ranked = np.sort(scores[:, start:stop].T, axis=1)
        keys = _keys(np.arange(start, stop)[:, None], ranked).ravel()
        first, last = (np.searchsorted(keys, key[block], side) for side in ("left", "right"))
        above[block] = (label[block] - start + 1) * n_rows - last
        same[block] = last - first
    return above, same


def _keys(labels: npt.NDArray[np.integer[Any]], scores: FloatArray) -> npt.NDArray[Any]:
    """Return numbers that are ordered by label first and by score within a label."""
    # NumPy orders complex numbers by real part, then by imaginary part.
    keys = np.empty(scores.shape, np.result_type(scores.dtype, np.complex128))
    keys.real = labels
    keys.imag = scores
    return keys


def _scores_of_true_cells(labels: sp.csr_array, scores: FloatArray | sp.csr_array) -> FloatArray:
    n_rows, n_labels = labels.shape
    rows, columns, _ = entries_of_rows(labels, 0, n_rows)
    if isinstance(scores, np.ndarray):
        return np.asarray(scores[rows, columns])
    stored_rows, stored_columns, stored = entries_of_rows(scores, 0, n_rows)
    if stored.size == 0:
        return np.zeros(rows.size, scores.dtype)
    place, found = find_sorted(stored_rows * n_labels + stored_columns, rows * n_labels + columns)
    return np.where(found, stored[place], stored.dtype.type(0))


def _check_any_label(labels: sp.csr_array) -> None:
    if labels.nnz == 0:
        raise ValueError(
            "y_true is zero everywhere, so recall is not defined; pass at least one row that has a label."
        )


def _check_interpolation(interpolation: str) -> None:
    if interpolation not in ("curve", "step"):
        raise ValueError(f"interpolation is {interpolation!r}; pass 'curve' or 'step'.")
