"""Scores of rows of which few trees speak, as they would be if all trees of the model did.

Out of bag a third of the trees speaks of a row, while the model predicts with all of them. What m trees lose
is a + b / m, so that the losses of all that speak of a row, and of each half of them, tell that of more. So
does the share of rows within a limit, with a power of m that quarters of the trees tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.isotonic import isotonic_regression

# At most so much is changed: what halves of a few trees lose is mostly noise.
_MOST = 0.1

# The coverage about which the power is told: shares of rows within limits, from and to.
_NEAR = (0.7, 1.0)

# Powers of m. Three sizes of ensembles tell them with an error: half of what they tell counts, the other half
# is the usual 1.
_LEAST_POWER = 0.05

# Where scores are spread to, in widths.
_OFFSETS = np.array([-0.4, -0.2, 0.0, 0.2, 0.4])


def factor_for_all(of_all: Any, of_half: Any, share: float) -> np.ndarray:
    """Return what to multiply scores by.

    Parameters
    ----------
    of_all, of_half : float or array
        A quantile of the scores, by all trees that speak of a row and by half of them.
    share : float
        How many trees of the model speak of a row, as a share of all.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        gained = np.nan_to_num((np.asarray(of_half) / np.asarray(of_all) - 1.0) * (1.0 - share))
    return np.asarray(1.0 - np.clip(gained, -_MOST, _MOST))


def parameters_for_all(of_all: np.ndarray, of_half: np.ndarray, share: float) -> np.ndarray:
    """Return parameters as all trees of the model would give them, which are a + b / m of m trees too.

    Parameters
    ----------
    of_all, of_half : array
        Parameters, by all trees that speak of a row and by half of them.
    share : float
        How many trees of the model speak of a row, as a share of all.
    """
    return of_all - (of_half - of_all) * (1.0 - share)


class Scored(NamedTuple):
    """Scores, and what each counts."""

    score: np.ndarray
    weight: np.ndarray

    def share_within(self, limits: np.ndarray) -> np.ndarray:
        """Return the share of the weight whose score is at most each of some limits."""
        order = np.argsort(self.score, kind="stable")
        total = np.concatenate([[0.0], np.cumsum(self.weight[order])])
        return np.asarray(total[np.searchsorted(self.score[order], limits, side="right")] / total[-1])

    def spread(self, width: float, least: float) -> Scored:
        """Replace each score by several that are spread evenly over a width.

        The nearer to 0 or 1, the less so; and not at all where they are nearer than `least`, for these
        are told apart by other things than votes.
        """
        from_end = np.minimum(self.score, 1.0 - self.score)
        width_of = np.where(from_end > least, np.minimum(width, from_end), 0.0)
        score = self.score + np.where(width_of > 0, width_of * _OFFSETS[:, None], 0.0)
        return Scored(score.ravel(), np.tile(self.weight / len(_OFFSETS), len(_OFFSETS)))


class ByTrees(NamedTuple):
    """Scores of the same rows by all trees that speak of them, by each half and by each quarter of these."""

    every: Scored
    halves: Sequence[Scored]
    quarters: Sequence[Scored]
    share: float  # of the trees of the model, those that speak of a row
    n_trees: int  # of the model

    def spread(self) -> ByTrees:
        """Return the same with scores that are spread over as much as one vote is worth.

        Trees whose leaves hold one class have votes: of m trees scores lie at k / m, and those of half of
        them at 2 k / m. Spread they can be compared.
        """
        n_speak, least = self.share * self.n_trees, 1.0 / self.n_trees
        halves = [half.spread(2.0 / n_speak, least) for half in self.halves]
        return self._replace(every=self.every.spread(1.0 / n_speak, least), halves=halves)


def limit_for_all(by_trees: ByTrees, coverage: float) -> float:
    """Return the least limit within which all trees of the model would have a share of the scores.

    It is the share within a limit, rather than the limit of a share, that a power of the number of trees
    tells: where scores tie, as those of labels that no tree mentions do, more trees change the share alone.

    Parameters
    ----------
    by_trees : ByTrees
        Scores from 0 to 1: 1 less a probability.
    coverage : float
        The share of the scores, with one more of unknown size, as in `conformal_quantile`.
    """
    spread = by_trees.spread()
    limits = np.unique(spread.every.score)
    limits = limits[np.isfinite(limits)]
    within = spread.every.share_within(limits)
    told = within + (within - _mean_share(spread.halves, limits)) * _reach(by_trees)
    weights = np.maximum(np.diff(within, prepend=0.0), 1e-9)
    told = np.clip(isotonic_regression(told, sample_weight=weights), 0.0, 1.0)
    need = coverage * (1.0 + 1.0 / by_trees.every.weight.sum()) * (1.0 - 1e-10)
    place = int(np.searchsorted(told, need))
    return float(limits[place]) if place < len(limits) else float("inf")


def _reach(by_trees: ByTrees) -> float:
    """Return how much more all trees gain over those that speak, than these over each half of them.

    Where what m trees lack is b / m^c, that is (1 - share^c) / (2^c - 1).
    """
    limits = np.unique(by_trees.every.score)
    within = by_trees.every.share_within(limits)
    weights = np.diff(within, prepend=0.0)
    is_near = (within > _NEAR[0]) & (within < _NEAR[1])
    halves, quarters = (_mean_share(part, limits) for part in (by_trees.halves, by_trees.quarters))
    gained = weights[is_near] @ (within - halves)[is_near]
    gained_before = weights[is_near] @ (halves - quarters)[is_near]
    power = 1.0
    if gained > 0 and gained_before > 0:
        power = 0.5 + 0.5 * float(np.clip(np.log2(gained_before / gained), _LEAST_POWER, 1.0))
    return float((1.0 - by_trees.share**power) / (2.0**power - 1.0))


def _mean_share(parts: Sequence[Scored], limits: np.ndarray) -> np.ndarray:
    return np.asarray(np.mean([part.share_within(limits) for part in parts], axis=0))
