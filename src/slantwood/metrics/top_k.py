"""How many of the k best-scored labels are right: the extreme-classification scores.

All of them rest on one table, the k best labels of each row in order and
whether each is a hit. `ranking` judges whole rankings instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from numbers import Integral
from typing import Any, NamedTuple, TypeAlias, overload

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from slantwood.metrics._input import (
    FloatArray,
    IntArray,
    MatrixLike,
    check_indicator,
    check_scores,
    check_vector,
    check_weights,
    row_blocks,
    values_at,
)

Float64Array: TypeAlias = npt.NDArray[np.float64]
ManyK: TypeAlias = Sequence[int] | npt.NDArray[np.integer[Any]]

NO_LABEL = -1


@overload
def precision_at_k(y_true: MatrixLike, y_score: MatrixLike, k: int = ...) -> float: ...


@overload
def precision_at_k(y_true: MatrixLike, y_score: MatrixLike, k: ManyK) -> Float64Array: ...


def precision_at_k(y_true: MatrixLike, y_score: MatrixLike, k: int | ManyK = 1) -> float | Float64Array:
    """Compute the share of right labels among the k best-scored ones, P@k.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the labels, zeros and ones.
    y_score : array-like or sparse matrix of shape (n_rows, n_labels)
        Scores, larger meaning more likely; ties go to the lower label index. Of a
        sparse matrix only the stored positive scores are candidates, and places
        left empty count as misses. Of a dense one every label is a candidate.
    k : int or sequence of int, default=1
        Number of best-scored labels to look at.

    Returns
    -------
    float or ndarray of float
        Mean over the rows; one value per k if k is a sequence.

    Examples
    --------
    >>> from slantwood.metrics import precision_at_k
    >>> y_true = [[1, 0, 1], [0, 1, 0]]
    >>> y_score = [[0.9, 0.1, 0.5], [0.7, 0.6, 0.2]]
    >>> precision_at_k(y_true, y_score, k=1)
    0.5
    >>> precision_at_k(y_true, y_score, k=[1, 2])
    array([0.5 , 0.75])
    """
    labels, scores, ks = _check(y_true, y_score, k)
    n_hits = np.zeros(ks.max())
    for _, _, _, hits in _best_labels(labels, scores, ks.max()):
        n_hits += hits.sum(axis=0)
    value = np.cumsum(n_hits)[ks - 1] / ks / labels.shape[0]
    return float(value[0]) if np.ndim(k) == 0 else value


@overload
def ndcg_at_k(y_true: MatrixLike, y_score: MatrixLike, k: int = ...) -> float: ...


@overload
def ndcg_at_k(y_true: MatrixLike, y_score: MatrixLike, k: ManyK) -> Float64Array: ...


def ndcg_at_k(y_true: MatrixLike, y_score: MatrixLike, k: int | ManyK = 5) -> float | Float64Array:
    """Compute the normalised discounted cumulative gain of the k best-scored labels.

    A hit at rank r gains 1 / log2(r + 1). The sum over the first k ranks is divided
    by what min(k, number of labels of the row) hits at the top would gain. A row
    without labels counts as 0.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the labels, zeros and ones.
    y_score : array-like or sparse matrix of shape (n_rows, n_labels)
        Scores, larger meaning more likely; ties go to the lower label index. Of a
        sparse matrix only the stored positive scores are candidates, and places
        left empty count as misses. Of a dense one every label is a candidate.
    k : int or sequence of int, default=5
        Number of best-scored labels to look at.

    Returns
    -------
    float or ndarray of float
        Mean over the rows; one value per k if k is a sequence.

    Examples
    --------
    >>> from slantwood.metrics import ndcg_at_k
    >>> y_true = [[1, 0, 0], [0, 1, 0]]
    >>> y_score = [[0.9, 0.1, 0.5], [0.2, 0.6, 0.7]]
    >>> round(ndcg_at_k(y_true, y_score, k=2), 4)
    0.8155
    """
    labels, scores, ks = _check(y_true, y_score, k)
    discount = 1.0 / np.log2(np.arange(2, ks.max() + 2))
    ideal = np.cumsum(discount)
    n_labels_of_row = np.diff(labels.indptr)
    total = np.zeros(ks.size)
    for start, stop, _, hits in _best_labels(labels, scores, ks.max()):
        gain = np.cumsum(hits * discount, axis=1)[:, ks - 1]
        # A row without labels has no hit, so any divisor leaves it at 0.
        attainable = np.maximum(np.minimum(n_labels_of_row[start:stop, None], ks), 1)
        total += (gain / ideal[attainable - 1]).sum(axis=0)
    value = total / labels.shape[0]
    return float(value[0]) if np.ndim(k) == 0 else value


# Beyond these constants, ten times the customary ones, propensities are 0 or 1 but for rounding.
MOST_A, MOST_B = 5.0, 100.0


def propensities(
    y_train: MatrixLike, a: float = 0.55, b: float = 1.5, sample_weight: npt.ArrayLike | None = None
) -> Float64Array:
    r"""Estimate how likely a true label is to be observed, from label frequencies.

    The model of Jain et al. (2016) [1]_: with :math:`N` rows of which :math:`N_l`
    carry label :math:`l`,

    .. math::

        p_l = \frac{1}{1 + C e^{-a \log(N_l + b)}}, \quad
        C = (\log N - 1)(b + 1)^a.

    Parameters
    ----------
    y_train : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the training labels; at least three rows.
    a, b : float, default=0.55 and 1.5
        Positive constants of the model, at most 5 and 100. The customary values are 0.5 and 0.4 for
        Wikipedia data, 0.6 and 2.6 for Amazon data, and the defaults elsewhere.
    sample_weight : array of shape (n_rows,), optional
        Weights of the rows: one of weight 2 counts as two, in both N and N_l. They must add up to at least 3.

    Returns
    -------
    ndarray of shape (n_labels,)
        Propensities in (0, 1); rare labels have small ones.

    References
    ----------
    .. [1] H. Jain, Y. Prabhu, M. Varma: Extreme multi-label loss functions for
       recommendation, tagging, ranking and other missing label applications,
       KDD 2016.

    Examples
    --------
    >>> from slantwood.metrics import propensities
    >>> propensities([[1, 0], [1, 0], [1, 1], [1, 0]]).round(3)
    array([0.8  , 0.721])
    """
    labels = check_indicator(y_train, "y_train")
    n_rows, n_labels = labels.shape
    if sample_weight is None:
        N, N_l = n_rows, np.bincount(labels.indices, minlength=n_labels)
    else:
        scaled = check_weights(sample_weight, n_rows, "sample_weight")
        weights = scaled * np.max(np.asarray(sample_weight, np.float64))
        each = np.repeat(weights, np.diff(labels.indptr))
        N, N_l = weights.sum(), np.bincount(labels.indices, weights=each, minlength=n_labels)
    if N < 3:
        what = f"{n_rows} row(s)" if sample_weight is None else f"rows of weight {N:g} altogether"
        raise ValueError(f"y_train has {what}; log(N) - 1 must be positive, so pass at least 3 rows.")
    for name, value, most in (("a", a, MOST_A), ("b", b, MOST_B)):
        if not 0 < value <= most:
            raise ValueError(f"{name} is {value!r}; pass a positive finite number, at most {most:g}.")
    C = (np.log(N) - 1.0) * (b + 1.0) ** a
    return np.asarray(1.0 / (1.0 + C * np.exp(-a * np.log(N_l + b))))


@overload
def propensity_scored_precision_at_k(
    y_true: MatrixLike, y_score: MatrixLike, propensity: npt.ArrayLike, k: int = ..., normalize: bool = ...
) -> float: ...


@overload
def propensity_scored_precision_at_k(
    y_true: MatrixLike, y_score: MatrixLike, propensity: npt.ArrayLike, k: ManyK, normalize: bool = ...
) -> Float64Array: ...


def propensity_scored_precision_at_k(
    y_true: MatrixLike,
    y_score: MatrixLike,
    propensity: npt.ArrayLike,
    k: int | ManyK = 1,
    normalize: bool = True,
) -> float | Float64Array:
    """Compute P@k with each hit divided by the propensity of its label, PSP@k.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the labels, zeros and ones.
    y_score : array-like or sparse matrix of shape (n_rows, n_labels)
        Scores, larger meaning more likely; ties go to the lower label index. Of a
        sparse matrix only the stored positive scores are candidates, and places
        left empty count as misses. Of a dense one every label is a candidate.
    propensity : array-like of shape (n_labels,)
        Propensity of each label, in (0, 1]; see `propensities`.
    k : int or sequence of int, default=1
        Number of best-scored labels to look at.
    normalize : bool, default=True
        Divide the total by that of the best choice of k labels in every row, as
        the Extreme Classification Repository does. If false, return the mean over
        the rows of the gain per place, which may exceed 1.

    Returns
    -------
    float or ndarray of float
        One value, or one per k if k is a sequence; 0 if no row has a label.

    Examples
    --------
    >>> from slantwood.metrics import propensity_scored_precision_at_k
    >>> y_true = [[1, 0, 1], [0, 1, 0]]
    >>> y_score = [[0.9, 0.1, 0.5], [0.2, 0.6, 0.7]]
    >>> propensity_scored_precision_at_k(y_true, y_score, [0.5, 0.5, 0.25], k=2)
    1.0
    >>> propensity_scored_precision_at_k(y_true, y_score, [0.5, 0.5, 0.25], k=2, normalize=False)
    2.0
    """
    labels, scores, ks = _check(y_true, y_score, k)
    inverse = 1.0 / _check_propensity(propensity, labels.shape[1])
    gain, best = np.zeros(ks.max()), np.zeros(ks.max())
    for start, stop, chosen, hits in _best_labels(labels, scores, ks.max()):
        # A missing label indexes the last propensity, but is never a hit.
        gain += np.where(hits, inverse[chosen], 0.0).sum(axis=0)
        if normalize:
            rows, columns = labels[start:stop].tocoo().coords
            order, place = _order_within_rows(rows, inverse[columns])
            kept = place < ks.max()
            best += np.bincount(place[kept], weights=inverse[columns][order][kept], minlength=ks.max())
    gain_at_k = np.cumsum(gain)[ks - 1]
    if normalize:
        best_at_k = np.cumsum(best)[ks - 1]
        value = np.divide(gain_at_k, best_at_k, out=np.zeros(ks.size), where=best_at_k > 0)
    else:
        value = gain_at_k / ks / labels.shape[0]
    return float(value[0]) if np.ndim(k) == 0 else value


class _Checked(NamedTuple):
    labels: sp.csr_array
    scores: FloatArray | sp.csr_array
    ks: IntArray


def _check(y_true: MatrixLike, y_score: MatrixLike, k: int | ManyK) -> _Checked:
    labels = check_indicator(y_true)
    scores = check_scores(y_score, labels.shape)
    n_labels = labels.shape[1]
    values = np.atleast_1d(np.asarray(k, dtype=object))
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"k is {k!r}; pass an integer or a non-empty sequence of integers.")
    for value in values:
        if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
            raise TypeError(f"k holds {value!r}; pass an integer or a sequence of integers.")
        if not 1 <= int(value) <= n_labels:
            raise ValueError(
                f"k holds {value}; pass at least 1 and at most the number of labels, {n_labels}."
            )
    return _Checked(labels, scores, values.astype(np.int64))


def _check_propensity(propensity: npt.ArrayLike, n_labels: int) -> Float64Array:
    p = check_vector(propensity, n_labels, "propensity", "one value per label")
    wrong = ~((p > 0) & (p <= 1))
    if wrong.any():
        raise ValueError(
            f"propensity holds the value {p[wrong][0]!s}; pass probabilities "
            "above 0 and at most 1, e.g. from slantwood.metrics.propensities."
        )
    return p


def _best_labels(
    labels: sp.csr_array, scores: FloatArray | sp.csr_array, k: int
) -> Iterator[tuple[int, int, IntArray, npt.NDArray[np.bool_]]]:
    """Yield (start, stop, labels chosen, hits) for blocks of rows, k places each."""
    n_rows, n_labels = labels.shape
    entries_per_row = float(n_labels) if isinstance(scores, np.ndarray) else max(k, scores.nnz / n_rows)
    for start, stop in row_blocks(n_rows, entries_per_row):
        if isinstance(scores, np.ndarray):
            chosen = _best_of_dense_scores(scores[start:stop], k)
        else:
            chosen = _best_of_sparse_scores(scores[start:stop], k)
        rows = np.repeat(np.arange(start, stop), k)
        # A missing label looks at the last one.
        is_label = values_at(labels, rows, chosen.ravel()).reshape(chosen.shape) != 0
        yield start, stop, chosen, is_label & (chosen != NO_LABEL)


def _best_of_dense_scores(scores: FloatArray, k: int) -> IntArray:
    n_rows, n_labels = scores.shape
    # argpartition would break ties arbitrarily, so only the k-th best value is
    # taken from the partition, and ties at that value are cut by label index.
    threshold = np.partition(scores, n_labels - k, axis=1)[:, n_labels - k, None]
    kept = scores >= threshold
    crowded = np.flatnonzero(kept.sum(axis=1) > k)
    if crowded.size:
        above = scores[crowded] > threshold[crowded]
        tied = kept[crowded] & ~above
        n_free = k - above.sum(axis=1, keepdims=True)
        kept[crowded] = above | (tied & (np.cumsum(tied, axis=1) <= n_free))
    columns = np.nonzero(kept)[1].reshape(n_rows, k)
    # Descending and stable: an ascending stable sort of the mirrored row, mirrored.
    mirrored = columns[:, ::-1]
    order = np.argsort(np.take_along_axis(scores, mirrored, axis=1), axis=1, kind="stable")
    return np.take_along_axis(mirrored, order, axis=1)[:, ::-1]


def _best_of_sparse_scores(scores: sp.csr_array, k: int) -> IntArray:
    candidate = scores.data > 0
    rows, columns = (each[candidate] for each in scores.tocoo().coords)
    order, place = _order_within_rows(rows, scores.data[candidate])
    kept = place < k
    chosen = np.full((scores.shape[0], k), NO_LABEL, dtype=np.int64)
    chosen[rows[kept], place[kept]] = columns[order][kept]
    return chosen


def _order_within_rows(rows: IntArray, values: FloatArray) -> tuple[npt.NDArray[np.intp], IntArray]:
    """Return a stable order, descending in each row, and the place within the row.

    ``rows`` must be ascending; the order then permutes each row's own entries, so
    ``rows`` itself needs no reordering.
    """
    order = np.lexsort((-values, rows))
    n_of_row = np.bincount(rows)
    row_start = np.cumsum(n_of_row) - n_of_row
    return order, np.arange(rows.size) - row_start[rows]
