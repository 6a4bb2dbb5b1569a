"""Scores of rows of which few trees speak, as they would be if all trees of the model did.

Out of bag a third of the trees speaks of a row, while the model predicts with all of them. What m trees lose
is a + b / m, so that the losses of all that speak of a row, and of each half of them, tell that of more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

# At most so much is changed: what halves of a few trees lose is mostly noise.
_MOST = 0.1

# What is gained counts less so many of its standard errors.
_ERRORS = 2.0


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


def limit_for_all(of_all: Scored, halves: Sequence[Scored], share: float, coverage: float) -> float:
    """Return the least limit within which all trees of the model would have a share of the scores.

    Where scores tie, as those of labels that no tree mentions do, trees that are more change not the limit
    but the share within it: it is this share that halves of the trees tell.

    Parameters
    ----------
    of_all : Scored
        Scores by all trees that speak of a row.
    halves : sequence of Scored
        Scores by each half of these.
    share : float
        How many trees of the model speak of a row, as a share of all.
    coverage : float
        The share of the scores, with one more of unknown size, as in `conformal_quantile`.
    """
    limits = np.unique(of_all.score)
    within, n_rows = of_all.share_within(limits), of_all.weight.sum()
    gain = np.maximum(within - np.mean([half.share_within(limits) for half in halves], axis=0), 0.0)
    # Scores come within a limit and hardly ever leave it, so that the variance of a gain is its mean at most.
    sure = np.maximum(gain - _ERRORS * np.sqrt(gain / n_rows), 0.0)
    told = np.maximum.accumulate(within + sure * (1.0 - share))
    reached = np.flatnonzero(told >= coverage * (1.0 + 1.0 / n_rows))
    return float(limits[reached[0]]) if len(reached) else float("inf")
