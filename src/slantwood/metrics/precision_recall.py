"""How well scores tell the labels of a row from the others: areas under precision-recall curves.

A curve is kept as the counts at those thresholds that add a true cell; the others
have no width in recall. Equal scores form one threshold, and the scores that a
sparse matrix does not store are equal to zero. Cells count by the weights of their
rows; those of which the truth is not known do not count at all.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from slantwood.metrics._input import (
    FloatArray,
    IntArray,
    MatrixLike,
    check_partial_indicator,
    check_scores,
    check_weights,
    row_blocks,
    sort_keys,
    values_at,
)

Interpolation: TypeAlias = Literal["curve", "step"]
Float64Array: TypeAlias = npt.NDArray[np.float64]


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
    hierarchical multi-label classification.

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
    cells = _check_cells(y_true, y_score, sample_weight, interpolation)
    labels, scores = cells.labels, cells.scores
    if isinstance(scores, np.ndarray):
        # Zeros are the bulk of most score matrices, and need no sorting.
        stored, stored_weights = scores[scores != 0], None
        zeros = scores.size - stored.size
    else:
        stored, stored_weights = scores.data, cells.weights_of(scores)
        n_zeros = labels.shape[1] - np.diff(scores.indptr) - np.diff(cells.unknown.indptr)
        zeros = n_zeros.sum() if cells.weights is None else cells.weights @ n_zeros
    true_scores, true_weights = values_at(scores, *labels.tocoo().coords), cells.weights_of(labels)
    score, true = _distinct(true_scores, true_weights)
    true_above, _ = _weigh(true_scores, true_weights, np.array([labels.nnz]), score, 0)
    above, same = _weigh(stored, stored_weights, np.array([stored.size]), score, 0)
    above, same = above + np.where(score < 0, zeros, 0), same + np.where(score == 0, zeros, 0)
    thresholds = _Thresholds(true_above, above, true, same)
    return min(1.0, float(_areas(thresholds, interpolation).sum() / true.sum()))


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
    cells = _check_cells(y_true, y_score, sample_weight, interpolation, any_label=False)
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
    cells = _check_cells(y_true, y_score, sample_weight, interpolation)
    area = _label_areas(cells, interpolation)
    occurs = ~np.isnan(area)
    weights = cells.weight_by_label(cells.labels)[occurs] if weighted else None
    return min(1.0, float(np.average(area[occurs], weights=weights)))


class _Cells(NamedTuple):
    """What is known of the cells, without the rows of weight zero."""

    labels: sp.csr_array  # the true cells
    unknown: sp.csr_array  # cells that do not count
    scores: FloatArray | sp.csr_array  # dense only if every cell counts one; none stored that is unknown
    weights: Float64Array | None  # of the rows, all positive; one each if None

    def weights_of(self, matrix: sp.csr_array) -> Float64Array | None:
        """Return the weight of each entry."""
        return None if self.weights is None else np.repeat(self.weights, np.diff(matrix.indptr))

    def weight_by_label(self, matrix: sp.csr_array) -> npt.NDArray[Any]:
        """Return the number of entries of each label, or what they weigh."""
        return np.bincount(matrix.indices, self.weights_of(matrix), matrix.shape[1])


def _check_cells(
    y_true: MatrixLike,
    y_score: MatrixLike,
    sample_weight: npt.ArrayLike | None,
    interpolation: str,
    *,
    any_label: bool = True,
) -> _Cells:
    """Return what is known of the cells; unless `any_label` is False, at least one of them must be true."""
    if interpolation not in ("curve", "step"):
        raise ValueError(f"interpolation is {interpolation!r}; pass 'curve' or 'step'.")
    labels, unknown = check_partial_indicator(y_true)
    scores = check_scores(y_score, labels.shape)
    given = check_weights(sample_weight, labels.shape[0], "sample_weight")
    # Equal weights, all 1 after the check, change nothing but the time that it takes.
    weights = None if given.min() == 1 else given
    if isinstance(scores, np.ndarray) and (weights is not None or unknown.nnz):
        # SciPy has no matrices of half precision.
        scores = sp.csr_array(scores.astype(np.result_type(scores, np.float32), copy=False))
    if weights is not None:
        counts = weights > 0
        labels, unknown, scores = (part[counts] for part in (labels, unknown, scores))
        weights = weights[counts]
    if any_label and labels.nnz == 0:
        raise ValueError(
            "y_true is zero everywhere (NaN and rows of weight zero aside), so recall is not defined; "
            "pass at least one row that has a label."
        )
    return _Cells(labels, unknown, _without(scores, unknown) if unknown.nnz else scores, weights)


def _without(matrix: sp.csr_array, cells: sp.csr_array) -> sp.csr_array:
    rows, columns = matrix.tocoo().coords
    kept = ~values_at(cells, rows, columns)
    return sp.csr_array((matrix.data[kept], (rows[kept], columns[kept])), shape=matrix.shape)


class _Thresholds(NamedTuple):
    """Counts, or sums of weights, at the distinct scores of true cells."""

    true_above: npt.NDArray[Any]  # true cells of a higher score, TP of the threshold before
    cells_above: npt.NDArray[Any]  # all cells of a higher score, TP + FP
    true: npt.NDArray[Any]  # true cells of this very score, at least one
    cells: npt.NDArray[Any]  # all cells of this very score


def _areas(thresholds: _Thresholds, interpolation: Interpolation) -> Float64Array:
    """Return the area that each threshold adds, with recall measured in true cells."""
    # Floats, as products of counts may exceed the range of integers.
    t, n, d, D = (count.astype(np.float64) for count in thresholds)
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


def _label_areas(cells: _Cells, interpolation: Interpolation) -> Float64Array:
    labels, scores = cells.labels, cells.scores
    n_labels = labels.shape[1]
    true_keys = sort_keys(labels.indices, values_at(scores, *labels.tocoo().coords))
    true_weights = cells.weights_of(labels)
    key, true = _distinct(true_keys, true_weights)
    label, score = key.real.astype(np.int64), key.imag
    n_true = np.bincount(labels.indices, minlength=n_labels)
    true_above, _ = _weigh(true_keys, true_weights, n_true, key, label)
    if isinstance(scores, np.ndarray):
        above, same = _counts_in_dense_scores(scores, label, key)
    else:
        stored_keys = sort_keys(scores.indices, scores.data)
        n_stored = np.bincount(scores.indices, minlength=n_labels)
        above, same = _weigh(stored_keys, cells.weights_of(scores), n_stored, key, label)
        zeros = _zeros_by_label(cells, scores)[label]
        above, same = above + np.where(score < 0, zeros, 0), same + np.where(score == 0, zeros, 0)
    area = _areas(_Thresholds(true_above, above, true, same), interpolation)
    total = np.bincount(label, weights=area, minlength=n_labels)
    mean = np.full(n_labels, np.nan)
    np.divide(total, cells.weight_by_label(labels), out=mean, where=n_true > 0)
    return np.minimum(mean, 1.0)


def _zeros_by_label(cells: _Cells, scores: sp.csr_array) -> npt.NDArray[Any]:
    """Return the number of known cells of each label without a stored score, or what they weigh."""
    n_rows, n_labels = scores.shape
    others = np.concatenate([scores.indices, cells.unknown.indices])
    n_zeros = n_rows - np.bincount(others, minlength=n_labels)
    if cells.weights is None:
        return n_zeros
    weight = cells.weights.sum() - cells.weight_by_label(scores) - cells.weight_by_label(cells.unknown)
    # What rounding leaves of nothing could outweigh a light row.
    return np.where(n_zeros > 0, weight, 0.0)


def _distinct(
    keys: npt.NDArray[Any], weights: Float64Array | None
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the distinct keys in order, and how often each occurs or what it weighs."""
    if weights is None:
        return np.unique(keys, return_counts=True)
    distinct, place = np.unique(keys, return_inverse=True)
    return distinct, np.bincount(place, weights)


def _weigh(
    keys: npt.NDArray[Any],
    weights: Float64Array | None,
    group_sizes: IntArray,
    queries: npt.NDArray[Any],
    group: IntArray | int,
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return how many keys of its group are above each query, and how many the same, or what they weigh.

    Sorted keys are one group after the other.
    """
    stops = np.cumsum(group_sizes)
    stop = stops[group]
    if weights is None:
        ranked = np.sort(keys)
        first, last = (np.searchsorted(ranked, queries, side) for side in ("left", "right"))
        return stop - last, last - first
    order = np.argsort(keys)
    ranked, sums = keys[order], np.append(weights[order], 0.0)
    # Downwards and group by group, so that no small sum is the rounded difference of large ones.
    for part in (sums[a:b][::-1] for a, b in pairwise([0, *stops.tolist()])):
        np.cumsum(part, out=part)
    first, last = (np.searchsorted(ranked, queries, side) for side in ("left", "right"))
    at_least, above = (np.where(place < stop, sums[place], 0.0) for place in (first, last))
    return above, at_least - above


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
        keys = sort_keys(np.arange(start, stop)[:, None], ranked).ravel()
        first, last = (np.searchsorted(keys, key[block], side) for side in ("left", "right"))
        above[block] = (label[block] - start + 1) * n_rows - last
        same[block] = last - first
    return above, same
