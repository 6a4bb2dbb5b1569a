"""What is gained on average over rows, how sure that is, and what other rows like these might have said.

Settings are chosen by gains that are clear beside their standard errors. Where they are not, other rows may
lead to another choice; rows that are drawn anew from those that are there tell which.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

_REDRAWS = 100
_LIKELY = (0.1, 0.5, 0.9)


class Averaging(NamedTuple):
    """How rows are averaged."""

    share: np.ndarray  # what each row counts; their sum is 1
    variance: np.ndarray  # what its squared deviation counts in the variance of the mean

    def redrawn(self, n_rows: int, rng: np.random.Generator) -> Averaging:
        """Return the same for rows that are drawn from these with replacement.

        Parameters
        ----------
        n_rows : int
            Rows of which standard errors are; as many as these are drawn.
        rng : Generator
            Random numbers.

        Returns
        -------
        Averaging
            Of the same rows, each as many times as it was drawn.
        """
        n_known = len(self.share)
        times = rng.multinomial(n_known, np.full(n_known, 1.0 / n_known))
        total = times @ self.share
        if not total > 0:  # nothing that counts was drawn
            return self
        return Averaging(
            times * self.share / total, times * self.variance / total**2 * (n_known / max(n_rows, 1))
        )


def averaged_by(weights: np.ndarray) -> Averaging:
    """Return the averaging in which rows count by their weights."""
    share = weights / weights.sum()
    return Averaging(share, share**2)


class Gain(NamedTuple):
    """What is gained on average over rows, and the standard error of that."""

    mean: np.ndarray
    standard_error: np.ndarray

    def less_errors(self, n_errors: float) -> np.ndarray:
        """Return the mean gain less so many standard errors of it."""
        return self.mean - n_errors * self.standard_error


def mean_gain(gain: np.ndarray, rows: Averaging) -> Gain:
    """Return what is gained on average, and how sure that is.

    Parameters
    ----------
    gain : array
        What each row gains over the same row before: one number, or a row of several.
    rows : Averaging
        How they are averaged.

    Returns
    -------
    Gain
        Mean and standard error, of each column where rows have several.
    """
    mean = rows.share @ gain
    return Gain(mean, np.sqrt(rows.variance @ (gain - mean) ** 2))


def likely_choices(choose: Callable[[Averaging], int], rows: Averaging, n_rows: int) -> tuple[int, ...]:
    """Return what may be chosen on so many rows like these: a low, a middle and a high choice.

    Parameters
    ----------
    choose : callable
        Returns what an averaging of the rows leads to, as a number: choices have an order.
    rows : Averaging
        Of the rows that are there.
    n_rows : int
        Rows that there will be to choose by.

    Returns
    -------
    tuple of int
        The choices at a tenth, half and nine tenths of a hundred redraws, in order.
    """
    rng = np.random.default_rng(0)
    choices = sorted(choose(rows.redrawn(n_rows, rng)) for _ in range(_REDRAWS))
    return tuple(choices[int(part * _REDRAWS)] for part in _LIKELY)
