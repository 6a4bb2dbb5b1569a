"""From which score on should a label be chosen, so that F1 on given scores is highest.

The scores must stem from trees that have not seen the rows (out-of-bag), or the
thresholds are those of rows learnt by heart. Nothing is checked here, and where the
scores come from is not known here.
"""

import math
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

NEUTRAL = 0.5  # the threshold where the data prefer none, and the one that ties are decided for


def tuned_thresholds(
    scores: Any, truth: Any, weights: np.ndarray, average: Literal["micro", "macro"]
) -> np.ndarray:
    """Find the thresholds for multi-label decisions that maximise F1.

    A label is chosen where ``score > threshold``, compared in float32. F1 is
    ``2 TP / (chosen + positives)``, each a sum of row weights over the known cells.
    Tried are the cuts halfway between neighbouring distinct scores, and halfway
    between 0 and the smallest; a score of 0 is never chosen.

    Parameters
    ----------
    scores : float32 array or csr_array of shape (n_rows, n_labels)
        Scores in [0, 1]; what is not stored is 0.
    truth : array or csr_array of shape (n_rows, n_labels)
        Zeros and ones, or NaN where it is not known whether the label applies. Cells with
        NaN are left out; in a CSR array they are stored.
    weights : float64 array of shape (n_rows,)
        Weights of the rows, not negative. A row of weight 0 is left out.
    average : {"micro", "macro"}
        "micro": one value for all labels, the one that maximises F1 over all cells
        pooled. "macro": for each label the value that maximises the F1 of this label.

    Returns
    -------
    float32 array of shape (n_labels,)
        Thresholds t with 0 <= t < 1. Of several cuts with the same F1 the one nearest
        to 0.5 is taken (the higher of two equally near). It is 0.5 where no
        cut has an F1 above 0: no label is known to apply, or only with a score of 0.

    Examples
    --------
    >>> import numpy as np
    >>> from slantwood.targets.thresholds import tuned_thresholds
    >>> scores = np.array([[0.75, 0.5], [0.25, 0.25], [0.0, 0.125]], np.float32)
    >>> truth = np.array([[1.0, 1.0], [0.0, 1.0], [0.0, 0.0]])
    >>> tuned_thresholds(scores, truth, np.ones(3), "macro")
    array([0.5   , 0.1875], dtype=float32)
    >>> tuned_thresholds(scores, truth, np.ones(3), "micro")
    array([0.1875, 0.1875], dtype=float32)
    """
    n_labels = scores.shape[1]
    n_pools = n_labels if average == "macro" else 1  # cell % n_pools: its label, or 0 for all
    cell, score = _cells_above_zero(scores)
    positive, _ = _cells_above_zero(truth)
    answer = _values_at(truth, cell)
    known = ~np.isnan(answer) & (weights > 0)[cell // n_labels]
    cell, score, hit = cell[known], score[known], answer[known] > 0

    exact = _exactly_summable(weights, cell // n_labels, positive // n_labels)
    positives = np.zeros(n_pools)
    np.add.at(positives, positive % n_pools, exact[positive // n_labels])
    thresholds = np.full(n_pools, NEUTRAL, np.float32)
    if cell.size:
        steps = _distinct_scores(cell % n_pools, score, exact[cell // n_labels], hit)
        _set_best_cuts(thresholds, positives, *steps)
    return thresholds if average == "macro" else np.repeat(thresholds, n_labels)


def _distinct_scores(
    pool: np.ndarray, score: np.ndarray, weight: np.ndarray, hit: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Add up weight, and weight of hits, over the cells of one pool and score, in this order."""
    # The bits of positive floats, read as an integer, are ordered as the floats are: one
    # integer orders by pool and score, faster than a sort by two keys.
    key = (pool << 32) | score.view(np.uint32)
    order = np.argsort(key)
    key = key[order]
    first = _starts_of_runs(key)
    key = key[first]
    weight = weight[order]
    total = np.add.reduceat(weight, first)
    weight *= hit[order]
    score = (key & 0xFFFFFFFF).astype(np.uint32).view(np.float32)
    return key >> 32, score, total, np.add.reduceat(weight, first)


def _set_best_cuts(
    thresholds: np.ndarray,
    positives: np.ndarray,
    pool: np.ndarray,
    score: np.ndarray,
    weight: np.ndarray,
    hit_weight: np.ndarray,
) -> None:
    """Overwrite the thresholds of the pools in which some cut has an F1 above 0."""
    start = _starts_of_runs(pool)
    size = np.diff(start, append=pool.size)
    chosen, true_positive = (_sums_to_end_of_pool(w, start, size) for w in (weight, hit_weight))
    # Weights are integers: where the divisor is below 1 it is 0, and so is the true positive.
    f1 = 2.0 * true_positive / np.maximum(chosen + positives[pool], 1.0)
    lower = np.concatenate([np.zeros(1, np.float32), score[:-1]])
    lower[start] = 0.0
    cut = ((lower.astype(np.float64) + score) / 2).astype(np.float32)
    # Between neighbouring floats the middle is rounded to either; from the upper it would not choose it.
    cut = np.where(cut < score, cut, lower)

    best = (f1 > 0) & (f1 == np.repeat(np.maximum.reduceat(f1, start), size))
    distance = np.where(best, np.abs(cut.astype(np.float64) - NEUTRAL), np.inf)
    nearest = best & (distance == np.repeat(np.minimum.reduceat(distance, start), size))
    thresholds[pool[nearest]] = cut[nearest]  # of two for one pool the last stays: the higher


def _exactly_summable(weights: np.ndarray, row: np.ndarray, row_of_positive: np.ndarray) -> np.ndarray:
    """Return the weights in a unit in which they are integers and their sums over cells exact.

    Then neither the order of the rows nor the other labels decide which cuts tie. The unit
    is a power of two, such that all cells together weigh less than 2**52: integer weights
    lose nothing, others what is below the unit.
    """
    n_cells = np.bincount(row, minlength=weights.size) + np.bincount(row_of_positive, minlength=weights.size)
    exponent = math.frexp(math.fsum((weights * n_cells).tolist()))[1]
    return np.rint(np.ldexp(weights * (n_cells > 0), 52 - exponent))


def _sums_to_end_of_pool(values: np.ndarray, start: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Sum from each entry to the last of its pool; by differences, which are exact here."""
    total = np.cumsum(values)
    return np.repeat(total[start + size - 1], size) - total + values


def _starts_of_runs(ordered: np.ndarray) -> np.ndarray:
    return np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))


def _cells_above_zero(matrix: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return cells along the rows as row * n_labels + label, and their values."""
    if not sp.issparse(matrix):
        values = np.ravel(matrix)
        cell = np.flatnonzero(values > 0)
        return cell, values[cell]
    above = matrix.data > 0
    return _stored_cells(matrix)[above], matrix.data[above]


def _values_at(truth: Any, cell: np.ndarray) -> np.ndarray:
    if not sp.issparse(truth):
        return np.ravel(truth)[cell]
    if truth.nnz == 0:
        return np.zeros(cell.size, truth.dtype)
    truth = truth if truth.has_sorted_indices else truth.sorted_indices()
    stored = _stored_cells(truth)
    position = np.minimum(np.searchsorted(stored, cell), stored.size - 1)
    return np.where(stored[position] == cell, truth.data[position], truth.dtype.type(0))


def _stored_cells(matrix: Any) -> np.ndarray:
    n_rows, n_labels = matrix.shape
    row_starts = np.arange(n_rows, dtype=np.int64) * n_labels
    return np.repeat(row_starts, np.diff(matrix.indptr)) + matrix.indices
