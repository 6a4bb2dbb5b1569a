"""Which columns are missing for a reason: where targets differ between rows with and without a value.

For each pair of a column with missing cells and a target there is a test: had the missing cells been drawn at
random among the rows, could the sum of the target over them differ so much from what is expected? A column is
taken if some target says no beyond all doubt, and by more than a trifle. Numbers must say so in their ranks,
so that a few rows far away do not decide, and in their own units, since splits lower the variance of these.
Of columns that are missing in the same rows the first stands for all. Nothing here is random, and the order
of rows is of no matter.
"""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import ndtr
from scipy.stats import hypergeom

# The chance that any column at all is taken where all are missing at random.
_LEVEL = 0.001

# Fewer rows with, or without, a value say nothing about others.
_FEWEST_ROWS = 10

# So much must the mean over rows without a value differ from that of all, in deviations of the target.
_LEAST_SHIFT = 0.1

# Where fewer rows than this are expected to be both missing and positive, sums are counts and not normal.
_FEW_EXPECTED = 5.0

# Cells of pairs of a column and a target that are looked at in one go.
_CELLS = 1 << 22


def informative_columns(marks: Any, Y: Any, weights: np.ndarray, are_indicators: np.ndarray) -> np.ndarray:
    """Return the mask of the columns whose missing cells tell something about a target.

    Parameters
    ----------
    marks : array or CSR array of shape (n_rows, n_columns)
        1 where a value is missing, else 0.
    Y : array or CSR array of shape (n_rows, n_targets)
        Encoded targets; NaN where one is not known.
    weights : array of shape (n_rows,)
        Weights of the rows; their effective number, (sum w)^2 / sum w^2, is what tests count.
    are_indicators : bool array of shape (n_targets,)
        Which targets are zeros and ones.

    Returns
    -------
    bool array of shape (n_columns,)
        The mask.
    """
    present = weights > 0
    marked, Y, weights = sp.csc_array(marks[present], dtype=np.float64), Y[present], weights[present]
    weights = weights * (weights.sum() / (weights @ weights))
    found = np.zeros(marked.shape[1], np.bool_)
    distinct = _distinct(marked)
    marked = marked[:, distinct]
    marked.data = weights[marked.indices]
    n_tests = marked.shape[1] * Y.shape[1]
    Y = sp.csc_array(Y) if sp.issparse(Y) else Y
    step = max(_CELLS // max(marked.shape), 1)
    for start in range(0, Y.shape[1], step):
        part = slice(start, start + step)
        indicators = are_indicators[part]
        values = sp.csc_array(Y[:, part], dtype=np.float64)
        differs = _differs(marked, _targets(values, weights), indicators, n_tests)
        if not indicators.all():
            ranks = _targets(_ranks(values, weights), weights)
            differs &= indicators | _differs(marked, ranks, np.zeros_like(indicators), n_tests)
        found[distinct] |= differs.any(axis=1)
    return found


def _distinct(marked: sp.csc_array) -> np.ndarray:
    """Return the first of the columns that are missing in the same rows, for all such groups of columns."""
    marked.sum_duplicates()
    marked.eliminate_zeros()
    first: dict[bytes, int] = {}
    for column, (start, stop) in enumerate(pairwise(marked.indptr.tolist())):
        first.setdefault(marked.indices[start:stop].tobytes(), column)
    return np.array(list(first.values()), np.intp)


class _Targets(NamedTuple):
    # Some of the targets, in the rows in which each is known.
    values: sp.csc_array  # zero where not known
    unknown: sp.csc_array  # 1 where not known
    known: np.ndarray  # weight of the rows that know each
    mean: np.ndarray
    variance: np.ndarray


def _targets(values: sp.csc_array, weights: np.ndarray) -> _Targets:
    values, unknown = values.copy(), values.copy()
    unknown.data = np.isnan(values.data).astype(np.float64)
    unknown.eliminate_zeros()
    values.data = np.nan_to_num(values.data)
    known = weights.sum() - weights @ unknown
    mean = weights @ values / np.maximum(known, 1e-300)
    variance = weights @ values.multiply(values) / np.maximum(known, 1e-300) - mean**2
    return _Targets(values, unknown, known, mean, variance)


def _ranks(values: sp.csc_array, weights: np.ndarray) -> sp.csc_array:
    """Return the share of the rows with lower values and half of those with equal ones; NaN stays."""
    ranks = np.full(values.shape, np.nan)
    for j in range(values.shape[1]):
        column = values[:, [j]].toarray().ravel()
        known = ~np.isnan(column)
        codes = np.unique(column[known], return_inverse=True)[1]
        totals = np.bincount(codes, weights=weights[known])
        ranks[known, j] = ((np.cumsum(totals) - totals / 2) / max(totals.sum(), 1e-300))[codes]
    return sp.csc_array(ranks)


def _differs(marked: sp.csc_array, targets: _Targets, are_indicators: np.ndarray, n_tests: int) -> np.ndarray:
    """Return for each column and target whether the target differs between missing cells and others."""
    # Weight of the missing cells of a column in rows that know a target, and the sum of the target over them.
    missing = np.asarray(marked.sum(axis=0)).reshape(-1, 1) - (marked.T @ targets.unknown).toarray()
    sums = (marked.T @ targets.values).toarray()
    known, mean, variance = targets.known, targets.mean, targets.variance
    enough = (missing >= _FEWEST_ROWS) & (known - missing >= _FEWEST_ROWS) & (variance > 1e-12)
    missing = np.where(enough, missing, 1.0)
    expected = missing * mean
    with np.errstate(invalid="ignore", divide="ignore"):
        shift = np.abs(sums - expected) / missing / np.sqrt(variance)
        # Of a sum over rows drawn without replacement.
        deviation = np.sqrt(missing * variance * (known - missing) / np.maximum(known - 1.0, 1.0))
        chance = 2.0 * ndtr(-np.abs(sums - expected) / deviation)
    differs = enough & (shift >= _LEAST_SHIFT) & (chance * n_tests < _LEVEL)
    positives = np.minimum(known * mean, known * (1.0 - mean))
    few = differs & are_indicators & (missing * positives < _FEW_EXPECTED * known)
    column, target = np.nonzero(few)
    both, n_rows, n_missing = sums[column, target], known[target], missing[column, target]
    exact = _exact_chance(*np.rint([both, n_rows, n_rows * mean[target], n_missing]))
    differs[column, target] = exact * n_tests < _LEVEL
    return differs


def _exact_chance(both: Any, n_rows: Any, positives: Any, missing: Any) -> np.ndarray:
    """Chance that so many, or so few, of the positive rows are among the missing ones (Fisher's test)."""
    counts = (n_rows, positives, missing)
    return 2.0 * np.minimum(hypergeom.cdf(both, *counts), hypergeom.sf(both - 1, *counts))
