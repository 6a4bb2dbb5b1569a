"""How well scores rank the labels of a row above the labels it does not have.

The whole ranking counts here, ties included; `top_k` looks at its head only. Labels of which the truth is not
known have no place in a ranking, and a row of which nothing is known has no part in the mean over rows.
"""

from __future__ import annotations

from collections.abc import Iterator
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


def label_ranking_average_precision(
    y_true: MatrixLike,
    y_score: MatrixLike,
    *,
    label_weights: npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
) -> float:
    r"""Compute the (weighted) label ranking average precision, LRAP.

    With :math:`s_{ij}` the score and :math:`y_{ij}` the indicator of label
    :math:`j` in row :math:`i`, the value of a row is

    .. math::

        \sum_{j: y_{ij} = 1} \frac{w_j}{W_i} \frac{L_{ij}}{R_{ij}}, \quad
        L_{ij} = |\{k: y_{ik} = 1, s_{ik} \ge s_{ij}\}|, \quad
        R_{ij} = |\{k: s_{ik} \ge s_{ij}\}|,

    where :math:`W_i` is the summed weight of the labels of the row, and LRAP is
    the mean over the rows. A row in which nothing can be ranked wrongly, because
    it has no label of positive weight or has every label, scores 1.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the labels, zeros and ones. NaN where it is not known whether the
        row has the label; such cells are left out.
    y_score : array-like or sparse matrix of shape (n_rows, n_labels)
        Scores, larger meaning more likely. Entries that a sparse matrix does not
        store are scores of zero.
    label_weights : array-like of shape (n_labels,), optional
        Weight of each label; equal weights by default.
    sample_weight : array-like of shape (n_rows,), optional
        Weight of each row in the mean; equal weights by default.

    Returns
    -------
    float
        A value in (0, 1]; 1 is a perfect ranking.

    Notes
    -----
    Equal label weights give the value of
    ``sklearn.metrics.label_ranking_average_precision_score``. Sparse input is
    never made dense: the work on a row grows with its stored entries.

    Examples
    --------
    >>> from slantwood.metrics import label_ranking_average_precision
    >>> y_true = [[1, 0, 0], [0, 0, 1]]
    >>> y_score = [[0.75, 0.5, 1.0], [0.1, 0.2, 0.9]]
    >>> label_ranking_average_precision(y_true, y_score)
    0.75
    """
    rankings = _check(y_true, y_score, sample_weight)
    w = check_weights(label_weights, rankings.labels.shape[1], "label_weights")
    return _mean_of_rows(rankings, _average_precisions(rankings, w))


def row_average_precision(y_true: MatrixLike, y_score: MatrixLike) -> Float64Array:
    """Compute what each row has in the mean of `label_ranking_average_precision`.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the labels, zeros and ones. NaN where it is not known.
    y_score : array-like or sparse matrix of shape (n_rows, n_labels)
        Scores, larger meaning more likely.

    Returns
    -------
    array of shape (n_rows,)
        Values in (0, 1].

    Examples
    --------
    >>> from slantwood.metrics.ranking import row_average_precision
    >>> row_average_precision([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1.0], [0.1, 0.2, 0.9]])
    array([0.5, 1. ])
    """
    rankings = _check(y_true, y_score, None)
    return _average_precisions(rankings, np.ones(rankings.labels.shape[1]))


def _average_precisions(rankings: _Rankings, w: Float64Array) -> Float64Array:
    value = np.ones(rankings.n_rows)
    for start, stop, rows, columns, R, L in _true_places(rankings):
        W = np.bincount(rows, weights=w[columns], minlength=stop - start)
        total = np.bincount(rows, weights=w[columns] * L / R, minlength=stop - start)
        np.divide(total, W, out=value[start:stop], where=W > 0)
    return value


def ranking_loss(
    y_true: MatrixLike, y_score: MatrixLike, *, sample_weight: npt.ArrayLike | None = None
) -> float:
    """Compute the share of pairs of a true and a false label of a row that are ranked wrongly.

    A pair is wrong where the false label scores as high as the true one or higher.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the labels, zeros and ones. NaN where it is not known whether the
        row has the label; such cells are left out.
    y_score : array-like or sparse matrix of shape (n_rows, n_labels)
        Scores, larger meaning more likely. Entries that a sparse matrix does not
        store are scores of zero.
    sample_weight : array-like of shape (n_rows,), optional
        Weight of each row in the mean; equal weights by default.

    Returns
    -------
    float
        A value in [0, 1]; 0 is a perfect ranking. A row without any such pair counts 0,
        as in Mulan and in ``sklearn.metrics.label_ranking_loss``, whose value this is.
        Mulan puts labels of equal scores in some order and counts accordingly.

    Examples
    --------
    >>> from slantwood.metrics import ranking_loss
    >>> y_true = [[1, 0, 0], [0, 0, 1]]
    >>> y_score = [[0.75, 0.5, 1.0], [0.1, 0.2, 0.9]]
    >>> ranking_loss(y_true, y_score)
    0.25
    """
    rankings = _check(y_true, y_score, sample_weight)
    value = np.zeros(rankings.n_rows)
    n_true = np.diff(rankings.labels.indptr)
    n_pairs = n_true * (rankings.n_known - n_true)
    for start, stop, rows, _, R, L in _true_places(rankings):
        n_wrong = np.bincount(rows, weights=R - L, minlength=stop - start)
        pairs = n_pairs[start:stop]
        np.divide(n_wrong, pairs, out=value[start:stop], where=pairs > 0)
    return _mean_of_rows(rankings, value)


def coverage(y_true: MatrixLike, y_score: MatrixLike, *, sample_weight: npt.ArrayLike | None = None) -> float:
    """Compute how many places below the first the last true label of a row is; the mean over rows.

    Places count from 0, as in Mulan: a row with one label, ranked first, counts 0.
    ``sklearn.metrics.coverage_error`` and CLUS count from 1, and are larger by 1 where
    every row has a label. Labels of equal scores share the last of their places.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the labels, zeros and ones. NaN where it is not known whether the
        row has the label; such cells are left out.
    y_score : array-like or sparse matrix of shape (n_rows, n_labels)
        Scores, larger meaning more likely. Entries that a sparse matrix does not
        store are scores of zero.
    sample_weight : array-like of shape (n_rows,), optional
        Weight of each row in the mean; equal weights by default.

    Returns
    -------
    float
        A value from 0 to n_labels - 1; the best that can be is the mean number of labels
        of a row less 1. A row without labels counts 0.

    Examples
    --------
    >>> from slantwood.metrics import coverage
    >>> y_true = [[1, 0, 0], [0, 0, 1]]
    >>> y_score = [[0.75, 0.5, 1.0], [0.1, 0.2, 0.9]]
    >>> coverage(y_true, y_score)
    0.5
    """
    rankings = _check(y_true, y_score, sample_weight)
    deepest = np.ones(rankings.n_rows)
    for start, _, rows, _, R, _ in _true_places(rankings):
        np.maximum.at(deepest, rows + start, R)
    return _mean_of_rows(rankings, deepest - 1.0)


def one_error(
    y_true: MatrixLike, y_score: MatrixLike, *, sample_weight: npt.ArrayLike | None = None
) -> float:
    """Compute the share of rows whose best-scored label is not a true one.

    Where several labels share the best score, the row counts by the share of them that
    are false: what a random choice among them gives on average, and the same in any
    order of the labels.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the labels, zeros and ones. NaN where it is not known whether the
        row has the label; such cells are left out.
    y_score : array-like or sparse matrix of shape (n_rows, n_labels)
        Scores, larger meaning more likely. Entries that a sparse matrix does not
        store are scores of zero.
    sample_weight : array-like of shape (n_rows,), optional
        Weight of each row in the mean; equal weights by default.

    Returns
    -------
    float
        A value in [0, 1]; 0 is best. A row without labels counts 1, as in Mulan.

    Examples
    --------
    >>> from slantwood.metrics import one_error
    >>> y_true = [[1, 0, 0], [0, 0, 1]]
    >>> y_score = [[0.75, 0.5, 1.0], [0.1, 0.2, 0.9]]
    >>> one_error(y_true, y_score)
    0.5
    """
    rankings = _check(y_true, y_score, sample_weight)
    value = np.ones(rankings.n_rows)
    for start, stop in _blocks(rankings):
        scores = _known_scores(rankings, start, stop)
        n_zeros = rankings.n_known[start:stop] - np.diff(scores.indptr)
        stored_row = scores.tocoo().coords[0]
        best = np.where(n_zeros > 0, 0.0, -np.inf)
        np.maximum.at(best, stored_row, scores.data)
        n_best = np.bincount(stored_row[scores.data == best[stored_row]], minlength=stop - start)
        n_best = n_best + np.where(best == 0.0, n_zeros, 0)
        rows, columns = rankings.labels[start:stop].tocoo().coords
        is_best = values_at(scores, rows, columns) == best[rows]
        n_right = np.bincount(rows[is_best], minlength=stop - start)
        value[start:stop] -= n_right / np.maximum(n_best, 1)
    return _mean_of_rows(rankings, value)


class _Rankings(NamedTuple):
    labels: sp.csr_array  # the true cells
    unknown: sp.csr_array  # cells that have no place
    scores: FloatArray | sp.csr_array
    weights: Float64Array  # of the rows; zero where nothing is known
    n_known: IntArray  # labels of each row

    @property
    def n_rows(self) -> int:
        return len(self.weights)


class _Places(NamedTuple):
    """The true cells of a block of rows, and how many labels of their row reach their scores."""

    start: int
    stop: int
    rows: IntArray  # counted from `start`
    columns: IntArray
    n_reaching: IntArray
    n_true_reaching: IntArray


def _check(y_true: MatrixLike, y_score: MatrixLike, sample_weight: npt.ArrayLike | None) -> _Rankings:
    labels, unknown = check_partial_indicator(y_true)
    n_rows, n_labels = labels.shape
    scores = check_scores(y_score, labels.shape)
    weights = check_weights(sample_weight, n_rows, "sample_weight")
    n_known = n_labels - np.diff(unknown.indptr)
    weights = np.where(n_known > 0, weights, 0.0)
    if not weights.any():
        raise ValueError("y_true is NaN in every row of positive weight; pass rows with known labels.")
    return _Rankings(labels, unknown, scores, weights, n_known)


def _mean_of_rows(rankings: _Rankings, value: Float64Array) -> float:
    return float(rankings.weights @ value / rankings.weights.sum())


def _blocks(rankings: _Rankings) -> Iterator[tuple[int, int]]:
    scores = rankings.scores
    n_entries = scores.size if isinstance(scores, np.ndarray) else scores.nnz + rankings.labels.nnz
    return row_blocks(rankings.n_rows, n_entries / rankings.n_rows)


def _known_scores(rankings: _Rankings, start: int, stop: int) -> sp.csr_array:
    """Return the scores of some rows, without those of cells that are not known."""
    scores, unknown = rankings.scores[start:stop], rankings.unknown[start:stop]
    if isinstance(scores, np.ndarray):
        # SciPy has no matrices of half precision.
        scores = sp.csr_array(scores.astype(np.result_type(scores, np.float32), copy=False))
    return without(scores, unknown) if unknown.nnz else scores


def _true_places(rankings: _Rankings) -> Iterator[_Places]:
    labels = rankings.labels
    for start, stop in _blocks(rankings):
        rows, columns = labels[start:stop].tocoo().coords
        s = values_at(rankings.scores, rows + start, columns)
        dense = isinstance(rankings.scores, np.ndarray) and not rankings.unknown[start:stop].nnz
        scores = rankings.scores[start:stop] if dense else _known_scores(rankings, start, stop)
        R = _n_reaching_among(scores, s, rows, rankings.n_known[start:stop])
        L = _n_reaching(s, rows, np.sort(sort_keys(rows, s)), np.bincount(rows, minlength=stop - start))
        yield _Places(start, stop, rows, columns, R, L)


def _n_reaching_among(
    scores: FloatArray | sp.csr_array, s: FloatArray, rows: IntArray, n_known: IntArray
) -> IntArray:
    """Count, for each score, those of its row in a matrix that reach it."""
    if isinstance(scores, np.ndarray):
        ascending = sort_keys(np.arange(len(scores))[:, None], np.sort(scores, axis=1)).ravel()
        return _n_reaching(s, rows, ascending, n_known)
    n_stored = np.diff(scores.indptr)
    ascending = np.sort(sort_keys(scores.tocoo().coords[0], scores.data))
    R = _n_reaching(s, rows, ascending, n_stored)
    return R + np.where(s <= 0, (n_known - n_stored)[rows], 0)  # most are zeros that are not stored


def _n_reaching(s: FloatArray, rows: IntArray, ascending: npt.NDArray[Any], n_of_row: IntArray) -> IntArray:
    """Count, for each score, those of its row that reach it; all scores are given as sorted keys."""
    return np.cumsum(n_of_row)[rows] - np.searchsorted(ascending, sort_keys(rows, s))
