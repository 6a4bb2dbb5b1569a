"""Intervals of numbers: how wide they must be, told by the errors in rows that a model did not see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from slantwood.explain.conformal_quantile import conformal_quantile
from slantwood.explain.fewer_trees import factor_for_all
from slantwood.explain.held_out import HeldOut, Said
from slantwood.explain.shortcuts import PlotsIntervals
from slantwood.hints import pluralize

if TYPE_CHECKING:
    import pandas as pd

# Widths follow the deviation between trees plus this part of its mean. Deviations of few trees are noise in
# part: with less, rows on which trees happen to agree get too narrow an interval, and all others pay for it.
_FLOOR = 0.5

# The coverage at which forms of intervals are compared, and targets are made comparable.
_USUAL = 0.9


@dataclass(frozen=True, eq=False, repr=False)
class Intervals(PlotsIntervals):
    """Intervals that hold the numbers of rows with a given probability.

    Parameters
    ----------
    lower, upper : array of shape (n_rows,) or (n_rows, n_targets)
        Ends of the intervals; infinite where there were too few rows to tell.
    predicted : array of the same shape
        What the model predicts, in the middle.
    names : tuple of str
        Names of the targets.
    coverage : float
        The probability.
    joint : bool
        Whether it is that of all targets of a row at once.

    Examples
    --------
    >>> import numpy as np
    >>> from slantwood.explain import Intervals
    >>> Intervals(np.array([1.0]), np.array([3.0]), np.array([2.0]), ("price",), 0.9, False)
    Intervals(1 row, 1 target, coverage=0.9)
    """

    lower: np.ndarray
    upper: np.ndarray
    predicted: np.ndarray
    names: tuple[str, ...]
    coverage: float
    joint: bool

    @property
    def width(self) -> np.ndarray:
        """How wide each interval is."""
        return self.upper - self.lower

    def covers(self, y: Any) -> np.ndarray:
        """Tell which numbers lie in their intervals.

        Parameters
        ----------
        y : array of shape (n_rows,) or (n_rows, n_targets)
            Numbers.

        Returns
        -------
        array of bool
            In the shape of the intervals; of joint ones, of shape (n_rows,), whether all numbers of a row do.
            Numbers that are not known (NaN) do not.

        Examples
        --------
        >>> import numpy as np
        >>> from slantwood.explain import Intervals
        >>> found = Intervals(np.zeros(2), np.ones(2), np.full(2, 0.5), ("price",), 0.9, False)
        >>> found.covers([0.2, 3.0]).tolist()
        [True, False]
        """
        numbers = np.asarray(y, np.float64)
        if numbers.shape != self.lower.shape and numbers.size == self.lower.size:
            numbers = numbers.reshape(self.lower.shape)
        if numbers.shape != self.lower.shape:
            raise ValueError(
                f"y has shape {numbers.shape}, and the intervals {self.lower.shape}; give as many"
            )
        inside = (self.lower <= numbers) & (numbers <= self.upper)
        return np.asarray(inside.reshape(len(inside), -1).all(axis=1) if self.joint else inside)

    def to_frame(self) -> pd.DataFrame:
        """Return the intervals as a table; needs pandas.

        Returns
        -------
        pandas.DataFrame
            A row for each row, and for each target the columns lower, predicted and upper, of several targets
            below their names.

        Examples
        --------
        >>> import numpy as np
        >>> from slantwood.explain import Intervals
        >>> Intervals(np.zeros(1), np.ones(1), np.full(1, 0.5), ("price",), 0.9, False).to_frame()
           lower  predicted  upper
        0    0.0        0.5    1.0
        """
        import pandas as pd

        parts = {"lower": self.lower, "predicted": self.predicted, "upper": self.upper}
        if self.lower.ndim == 1:
            return pd.DataFrame(parts)
        columns = [(name, part) for name in self.names for part in parts]
        values = np.stack(list(parts.values()), axis=2).reshape(len(self.lower), -1)
        return pd.DataFrame(values, columns=pd.MultiIndex.from_tuples(columns))

    def __repr__(self) -> str:
        counted = f"{pluralize(len(self.lower), 'row')}, {pluralize(len(self.names), 'target')}"
        return f"Intervals({counted}, coverage={self.coverage:g}{', joint' if self.joint else ''})"


@dataclass(frozen=True, eq=False)
class IntervalRule:
    """Errors in rows that a model did not see, in the units in which intervals are wide."""

    scores: np.ndarray  # of shape (n_rows, n_targets), NaN where a number is not known
    weights: np.ndarray
    floor: np.ndarray  # what is added to deviations; NaN for targets whose intervals are equally wide

    @classmethod
    def learn(cls, rows: HeldOut) -> IntervalRule:
        """Learn from rows; each target has the form of intervals that is narrower over these."""
        deviation = rows.said.deviation
        constant = cls._of_form(rows, np.full(rows.truth.shape[1], np.nan))
        if deviation is None:
            return constant
        mean = np.average(deviation, axis=0, weights=rows.weights)
        local = cls._of_form(rows, np.where(mean > 0, _FLOOR * mean, np.nan))
        widths = [rule.half_widths(rows.said, _USUAL).mean(axis=0) for rule in (constant, local)]
        narrower = widths[1] < widths[0]
        scores = np.where(narrower, local.scores, constant.scores)
        return cls(scores, rows.weights, np.where(narrower, local.floor, np.nan))

    @classmethod
    def _of_form(cls, rows: HeldOut, floor: np.ndarray) -> IntervalRule:
        """Learn intervals of one form, as they are for all trees of the model."""
        rule = cls(_errors(rows.said, rows.truth, floor), rows.weights, floor)
        if rows.fewer is None:
            return rule
        halves = [cls(_errors(half, rows.truth, floor), rows.weights, floor) for half in rows.fewer.halves]
        of_half = np.mean([half._quantiles(_USUAL) for half in halves], axis=0)
        factor = factor_for_all(rule._quantiles(_USUAL), of_half, rows.fewer.share)
        return cls(rule.scores * factor, rows.weights, floor)

    def half_widths(self, said: Said, coverage: float, *, joint: bool = False) -> np.ndarray:
        """Return how far intervals reach to either side of predictions, for each row and target."""
        units = _units(self.floor, said.deviation, said.predicted.shape)
        reach = self._quantiles(coverage)
        if joint and len(reach) > 1:
            # All targets are in where the one that is farthest out is, each in a unit of its own.
            usual = self._quantiles(_USUAL)
            usual = np.where(np.isfinite(usual) & (usual > 0), usual, 1.0)
            known = ~np.isnan(self.scores).any(axis=1)
            farthest = (self.scores[known] / usual).max(axis=1, initial=0.0)
            reach = usual * conformal_quantile(farthest, self.weights[known], coverage)
        return units * reach

    def _quantiles(self, coverage: float) -> np.ndarray:
        found = []
        for scores in self.scores.T:
            known = ~np.isnan(scores)
            found.append(conformal_quantile(scores[known], self.weights[known], coverage))
        return np.array(found)


def _errors(said: Said, truth: np.ndarray, floor: np.ndarray) -> np.ndarray:
    return np.asarray(np.abs(truth - said.predicted) / _units(floor, said.deviation, truth.shape))


def _units(floor: np.ndarray, deviation: np.ndarray | None, shape: tuple[int, ...]) -> np.ndarray:
    return np.ones(shape) if deviation is None else np.where(np.isnan(floor), 1.0, deviation + floor)
