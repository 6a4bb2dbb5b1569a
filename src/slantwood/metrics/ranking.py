"""How well scores rank the labels of a row above the labels it does not have.

The whole ranking counts here, ties included; `top_k` looks at its head only.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from slantwood.metrics._input import (
    FloatArray,
    IntArray,
    MatrixLike,
    check_indicator,
    check_scores,
    check_weights,
    row_blocks,
    sort_keys,
    values_at,
)


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
        Indicator of the labels, zeros and ones.
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
    labels = check_indicator(y_true)
    n_rows, n_labels = labels.shape
    scores = check_scores(y_score, labels.shape)
    w = check_weights(label_weights, n_labels, "label_weights")
    row_weight = check_weights(sample_weight, n_rows, "sample_weight")

    n_entries = scores.size if isinstance(scores, np.ndarray) else scores.nnz + labels.nnz
    row_value = np.ones(n_rows)
    for start, stop in row_blocks(n_rows, n_entries / n_rows):
        rows, columns = labels[start:stop].tocoo().coords
        s = values_at(scores, rows + start, columns)
        R = _n_reaching_among(scores[start:stop], s, rows)
        L = _n_reaching(s, rows, np.sort(sort_keys(rows, s)), np.bincount(rows, minlength=stop - start))
        W = np.bincount(rows, weights=w[columns], minlength=stop - start)
        total = np.bincount(rows, weights=w[columns] * L / R, minlength=stop - start)
        np.divide(total, W, out=row_value[start:stop], where=W > 0)
    return float(row_weight @ row_value / row_weight.sum())


def _n_reaching_among(scores: FloatArray | sp.csr_array, s: FloatArray, rows: IntArray) -> IntArray:
    """Count, for each score, those of its row in a matrix that reach it."""
    n_rows, n_labels = scores.shape
    if isinstance(scores, np.ndarray):
        ascending = sort_keys(np.arange(n_rows)[:, None], np.sort(scores, axis=1)).ravel()
        return _n_reaching(s, rows, ascending, np.full(n_rows, n_labels))
    n_stored = np.diff(scores.indptr)
    ascending = np.sort(sort_keys(scores.tocoo().coords[0], scores.data))
    R = _n_reaching(s, rows, ascending, n_stored)
    return R + np.where(s <= 0, n_labels - n_stored[rows], 0)  # most are zeros that are not stored


def _n_reaching(s: FloatArray, rows: IntArray, ascending: npt.NDArray[Any], n_of_row: IntArray) -> IntArray:
    """Count, for each score, those of its row that reach it; all scores are given as sorted keys."""
    return np.cumsum(n_of_row)[rows] - np.searchsorted(ascending, sort_keys(rows, s))
