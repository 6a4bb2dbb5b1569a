"""Average ranks of methods over many data sets, and tests of which differences are significant.

The tests are those that Demšar (2006), García and Herrera (2008) and Benavoli et al. (2016) recommend:
Friedman's test of all methods at once, then Wilcoxon's signed-rank test of each pair with Holm's correction
for their number. The older way, by Nemenyi's critical distance of average ranks, would let the verdict on two
methods depend on which others take part.

Not left to scikit-posthocs or aeon: both need every method to finish on every data set, and their p-values
may be approximate where differences tie. Here unfinished is worst, and p-values are exact.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy import stats

# Differences that agree to so many decimals tie: 0.9 - 0.8 and 0.8 - 0.7 differ in their last bits only.
_DECIMALS = 12


@dataclass(frozen=True)
class Pair:
    """Two methods and whether they differ.

    Attributes
    ----------
    better, worse : str
        The one with the smaller average rank, and the other.
    p_value : float
        Of Wilcoxon's signed-rank test of their qualities, two-sided and exact.
    adjusted_p_value : float
        The same after Holm's correction for the number of pairs.
    significant : bool
        Whether the adjusted p-value is at most alpha.
    """

    better: str
    worse: str
    p_value: float
    adjusted_p_value: float
    significant: bool


@dataclass(frozen=True)
class Comparison:
    """Where methods stand over many data sets.

    Attributes
    ----------
    names : tuple of str
        The methods, best average rank first; equal ones by name.
    ranks : tuple of float
        Their average ranks; 1 is best.
    n_sets : int
        The number of data sets.
    alpha : float
        The probability, at most, that any two methods are said to differ by chance.
    friedman, friedman_p_value : float
        Friedman's statistic with its p-value; NaN with fewer than three methods or two data sets.
    pairs : tuple of Pair
        All pairs, in the order of the names.
    cliques : tuple of tuple of str
        The longest runs of neighbours, of two or more, in which no pair differs significantly.
    """

    names: tuple[str, ...]
    ranks: tuple[float, ...]
    n_sets: int
    alpha: float
    friedman: float
    friedman_p_value: float
    pairs: tuple[Pair, ...]
    cliques: tuple[tuple[str, ...], ...]

    @property
    def smallest_p_value(self) -> float:
        """What a pair has if one method is better on every data set, before correction: 2^(1 - n_sets)."""
        return 2.0 ** (1 - self.n_sets)

    @property
    def smallest_adjusted_p_value(self) -> float:
        """The same after correction. Above alpha, so few data sets cannot tell so many methods apart."""
        return min(1.0, max(1, len(self.pairs)) * self.smallest_p_value)


def average_ranks(quality: Any) -> np.ndarray:
    """Rank methods on each data set and take the mean.

    Parameters
    ----------
    quality : array-like of shape (n_sets, n_methods)
        Larger is better. NaN says that a method did not finish, which is worse than any quality.

    Returns
    -------
    ndarray of shape (n_methods,)
        Average ranks from 1, the best, to n_methods. Methods that tie on a data set share the mean of their
        ranks, and so do those that did not finish.

    Examples
    --------
    >>> from slantwood_bench.ranks import average_ranks
    >>> average_ranks([[0.9, 0.8, float("nan")], [0.7, 0.7, 0.6]])
    array([1.25, 1.75, 3.  ])
    """
    return _ranks(_checked_quality(quality)).mean(axis=0)


def compare(names: Sequence[str], quality: Any, alpha: float = 0.05) -> Comparison:
    """Rank methods and test which of them differ.

    In Wilcoxon's test a method that did not finish loses by more than any other difference; two that did not
    finish tie. Data sets on which two methods tie say nothing about the two. The p-values are exact, with
    ties too: the share of all ways to put signs to the differences.

    Parameters
    ----------
    names : sequence of str
        The methods, in the order of the columns.
    quality : array-like of shape (n_sets, n_methods)
        Larger is better; NaN says that a method did not finish.
    alpha : float, default=0.05
        The probability, at most, that any two methods are said to differ by chance.

    Returns
    -------
    Comparison
        Average ranks, tests, and runs of methods that do not differ.

    Examples
    --------
    >>> from slantwood_bench.ranks import compare
    >>> standing = compare(["old", "new"], [[0.1 * i, 0.2 * i] for i in range(1, 8)])
    >>> standing.names, standing.ranks
    (('new', 'old'), (1.0, 2.0))
    >>> standing.pairs[0].p_value, standing.pairs[0].significant
    (0.015625, True)
    """
    table = _checked_quality(quality)
    n_sets, n_methods = table.shape
    names = _checked_names(names, n_methods)
    if not 0 < alpha < 1:
        raise ValueError(f"alpha={alpha!r} must be between 0 and 1, as 0.05")

    ranks = _ranks(table)
    means = ranks.mean(axis=0)
    order = sorted(range(n_methods), key=lambda column: (means[column], names[column]))
    in_order = tuple(names[column] for column in order)
    friedman, friedman_p_value = _friedman(ranks)

    places = list(combinations(range(n_methods), 2))
    p_values = [signed_rank_p_value(table[:, order[i]], table[:, order[j]]) for i, j in places]
    pairs = tuple(
        Pair(in_order[i], in_order[j], p_value, adjusted, adjusted <= alpha)
        for (i, j), p_value, adjusted in zip(places, p_values, holm(p_values).tolist(), strict=True)
    )
    differ = {place for place, pair in zip(places, pairs, strict=True) if pair.significant}
    return Comparison(
        names=in_order,
        ranks=tuple(means[order].tolist()),
        n_sets=n_sets,
        alpha=float(alpha),
        friedman=friedman,
        friedman_p_value=friedman_p_value,
        pairs=pairs,
        cliques=tuple(in_order[first:end] for first, end in _runs(n_methods, differ)),
    )


def signed_rank_p_value(first: np.ndarray, second: np.ndarray) -> float:
    """Return the exact two-sided p-value of Wilcoxon's signed-rank test; NaN is worse than any number."""
    with np.errstate(invalid="ignore"):  # two that did not finish: inf - inf
        difference = np.round(_worst_for_nan(first) - _worst_for_nan(second), _DECIMALS)
    difference = difference[~np.isnan(difference) & (difference != 0)]
    # Ranks that are shared end in halves at most: twice the ranks are whole.
    steps = np.rint(2 * stats.rankdata(np.abs(difference))).astype(np.int64)
    of_first = int(steps[difference > 0].sum())
    total = int(steps.sum())
    # chance[s]: that the ranks of one method sum to s / 2 if each difference goes either way alike.
    chance = np.zeros(total + 1)
    chance[0] = 1.0
    for step in steps.tolist():
        moved = chance[:-step].copy()
        chance[step:] += moved
        chance /= 2
    return min(1.0, 2 * float(chance[: min(of_first, total - of_first) + 1].sum()))


def holm(p_values: Sequence[float]) -> np.ndarray:
    """Adjust p-values for their number: at most alpha where Holm's step-down procedure rejects at alpha."""
    given = np.asarray(p_values, np.float64)
    order = np.argsort(given, kind="stable")
    adjusted = np.empty_like(given)
    adjusted[order] = np.maximum.accumulate(given[order] * np.arange(len(given), 0, -1))
    return np.minimum(adjusted, 1.0)


def _ranks(table: np.ndarray) -> np.ndarray:
    return stats.rankdata(-_worst_for_nan(table), axis=1)


def _worst_for_nan(quality: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(quality), -np.inf, quality)


def _friedman(ranks: np.ndarray) -> tuple[float, float]:
    n_sets, n_methods = ranks.shape
    if n_methods < 3 or n_sets < 2:
        return np.nan, np.nan
    if (ranks == ranks[0, 0]).all():  # all tie everywhere, where the statistic is 0 / 0
        return 0.0, 1.0
    found = stats.friedmanchisquare(*ranks.T)
    return float(found.statistic), float(found.pvalue)


def _runs(n_methods: int, differ: Collection[tuple[int, int]]) -> list[tuple[int, int]]:
    # The longest runs first:end of two or more in which no pair differs. Both ends only ever move on, so a
    # run that ends where the one before it ended is a part of that.
    runs: list[tuple[int, int]] = []
    end = 0
    for first in range(n_methods):
        reached = end
        while end < n_methods and not any((member, end) in differ for member in range(first, end)):
            end += 1
        if end > reached and end - first > 1:
            runs.append((first, end))
    return runs


def _checked_quality(quality: Any) -> np.ndarray:
    table = np.asarray(quality, np.float64)
    if table.ndim != 2 or 0 in table.shape:
        raise ValueError(
            f"quality is of shape {table.shape}, must be of shape (n_sets, n_methods), neither of them 0"
        )
    if np.isinf(table).any():
        row, column = np.argwhere(np.isinf(table))[0]
        raise ValueError(
            f"quality[{row}, {column}]={table[row, column]} must be finite, "
            "or NaN where a method did not finish"
        )
    return table


def _checked_names(names: Sequence[str], n_methods: int) -> tuple[str, ...]:
    if len(names) != n_methods:
        raise ValueError(
            f"names has {len(names)} entries, quality {n_methods} columns; give one name for each column"
        )
    twice = sorted({name for name in names if list(names).count(name) > 1})
    if twice:
        raise ValueError(f"names holds {twice[0]!r} more than once; give each method a name of its own")
    return tuple(names)
