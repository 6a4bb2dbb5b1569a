"""The cells of a label matrix with their scores, and what lies above each threshold: what curves are made of.

A curve is kept as the counts at those thresholds that add a true cell. Equal scores form one threshold, and
the scores that a sparse matrix does not store are equal to zero. Cells count by the weights of their rows;
those of which the truth is not known do not count at all.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

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
    without,
)

Float64Array: TypeAlias = npt.NDArray[np.float64]


class Cells(NamedTuple):
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


def check_cells(
    y_true: MatrixLike,
    y_score: MatrixLike,
    sample_weight: npt.ArrayLike | None,
    *,
    any_label: bool = True,
) -> Cells:
    """Return what is known of the cells; unless `any_label` is False, at least one of them must be true."""
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
    return Cells(labels, unknown, without(scores, unknown) if unknown.nnz else scores, weights)


class Thresholds(NamedTuple):
    """Counts, or sums of weights, at the distinct scores of true cells."""

    label: IntArray  # whose cells are meant; 0 where all labels are one
    true_above: npt.NDArray[Any]  # true cells of a higher score, TP of the threshold before
    cells_above: npt.NDArray[Any]  # all cells of a higher score, TP + FP
    true: npt.NDArray[Any]  # true cells of this very score, at least one
    cells: npt.NDArray[Any]  # all cells of this very score


def pooled_thresholds(cells: Cells) -> Thresholds:
    """Return what lies above the scores of true cells, all labels together."""
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
    return Thresholds(np.zeros(score.size, np.int64), true_above, above, true, same)


def label_thresholds(cells: Cells) -> Thresholds:
    """Return what lies above the scores of true cells, label by label."""
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
    return Thresholds(label, true_above, above, true, same)


def _zeros_by_label(cells: Cells, scores: sp.csr_array) -> npt.NDArray[Any]:
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
