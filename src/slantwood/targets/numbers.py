"""One or several numbers per example, NaN where one is not known.

Trees see every target in units of its spread over the training rows: the user's units never matter. Float32
holds a number of 7 digits. Counted from zero these are digits of each number itself, so that a leaf of zeros
predicts zero, and a leaf of millionths predicts millionths; but numbers that are far from zero beside their
spread, as years are, are counted from their mean: the digits are then those of the spread. Predictions stay
within the range of the training rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from slantwood.hints import shown
from slantwood.targets.base import Targets, ToJson
from slantwood.validation import check_flag

# Up to so many spreads from zero, the mean is near enough that counting from zero costs two bits at most.
_NEAR_ZERO = 4.0

# Encoded numbers are within this: sums of their squares over a billion rows are finite in float32.
_LARGEST = 1e14

_ARRAYS = ("mean", "scale", "low", "high")


@dataclass(frozen=True)
class RegressionTargets(Targets):
    """An (n,) or (n, T) array of numbers."""

    mean: np.ndarray  # what numbers are counted from: their mean, or 0 where that is near
    scale: np.ndarray  # their standard deviation, 1 where they are equal
    low: np.ndarray  # least of the training rows; minus infinity where it is not known
    high: np.ndarray  # largest of the training rows; infinity where it is not known
    one_dimensional: bool

    kind: ClassVar[str] = "numbers"

    @classmethod
    def of(cls, y: np.ndarray, weights: np.ndarray, names: Sequence[str] | None = None) -> RegressionTargets:
        """Learn mean, spread and range of each target over the weighted rows in which it is known.

        Errors call targets by the names of their columns, where these are given.
        """
        columns = y.reshape(len(y), -1)
        present = columns[weights > 0]
        low, high = np.fmin.reduce(present, axis=0), np.fmax.reduce(present, axis=0)
        if np.isnan(low).any():
            target = int(np.argmax(np.isnan(low)))
            missing = f"target {shown(names[target]) if names else target} of y is missing (NaN)"
            raise ValueError(f"{missing} in every row of positive weight; leave it out of y")
        # In units of the largest number squares neither overflow nor vanish.
        unit = power_of_two(np.maximum(np.abs(low), np.abs(high)))
        present = present / unit
        known = ~np.isnan(present)
        share = weights[weights > 0, None] * known
        share /= share.sum(axis=0)
        mean = (share * np.where(known, present, 0.0)).sum(axis=0)
        spread = np.sqrt((share * np.where(known, present - mean, 0.0) ** 2).sum(axis=0))
        constant = low == high
        # The mean of equal numbers may differ from them in the last bit.
        offset = np.where(constant, low, zero_point(mean, spread) * unit)
        # A spread of differing numbers is never zero, though rounded it may be.
        scale = np.where(constant, 1.0, np.maximum(spread * unit, np.finfo(np.float64).smallest_subnormal))
        return cls(offset, scale, low, high, y.ndim == 1)

    @property
    def task(self) -> str:
        """Name of the task."""
        return "regression" if self.n_columns == 1 else "multi-target regression"

    @property
    def n_columns(self) -> int:
        """Number of columns of the encoded targets."""
        return len(self.mean)

    @property
    def are_indicators(self) -> np.ndarray:
        """Mask of the encoded columns that are zeros and ones: none."""
        return np.zeros(self.n_columns, np.bool_)

    @property
    def unit(self) -> np.ndarray:
        """A power of two of the size of the numbers, in which they can be added and multiplied safely."""
        return power_of_two(np.maximum(np.abs(self.mean), self.scale))

    @property
    def attributes(self) -> dict[str, Any]:
        """Attributes of a fitted estimator that say what it predicts."""
        return {"n_outputs_": self.n_columns}

    def continued(self, later: RegressionTargets) -> RegressionTargets:
        """Return the targets for adding trees to a forest that was fitted on these: in its unit."""
        if later.n_columns != self.n_columns:
            columns = f"y has {later.n_columns} columns and had {self.n_columns} before"
            raise ValueError(f"warm_start=True, but {columns}; fit a new estimator")
        low, high = np.minimum(self.low, later.low), np.maximum(self.high, later.high)
        both = RegressionTargets(self.mean, self.scale, low, high, later.one_dimensional)
        far = np.abs(both._encoded(np.stack([later.low, later.high]))).max(axis=0) > _LARGEST
        if far.any():
            j = int(np.argmax(far))
            raise ValueError(
                f"warm_start=True, but target {j} of y now ranges from {later.low[j]} to {later.high[j]}, "
                f"and had a spread of {self.scale[j]} about {self.mean[j]}; fit a new estimator"
            )
        return both

    def encode(self, y: np.ndarray) -> np.ndarray:
        """Numbers in units of their spread; those of rows without weight, which may be anything, cut off."""
        return np.clip(self._encoded(y.reshape(len(y), -1)), -_LARGEST, _LARGEST).astype(np.float32)

    def decode(self, means: np.ndarray) -> np.ndarray:
        """Leaf means to the user's units and shape, within the range of the training rows."""
        y = means.astype(np.float64) * (self.scale / self.unit) + self.mean / self.unit
        with np.errstate(over="ignore"):  # by rounding only, at the end of float64's range
            y = self.within_range(y * self.unit)
        return y[:, 0] if self.one_dimensional else y

    def within_range(self, y: np.ndarray) -> np.ndarray:
        """Put numbers outside the range of the training rows at its ends."""
        return np.clip(y, self.low, self.high)

    def to_json(self, to_json: ToJson) -> dict[str, Any]:
        """Return all fields but the kind."""
        arrays = {name: to_json(getattr(self, name), f"targets/{name}") for name in _ARRAYS}
        return {**arrays, "one_dimensional": self.one_dimensional}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> RegressionTargets:
        """Make targets from fields that a file has; older files know no range."""
        one_dimensional = check_flag("one_dimensional", fields["one_dimensional"])
        shape = np.shape(fields["mean"])
        unknown = {"low": np.full(shape, -np.inf), "high": np.full(shape, np.inf)}
        mean, scale, low, high = arrays = [(unknown | fields)[name] for name in _ARRAYS]
        for numbers in arrays:
            if not isinstance(numbers, np.ndarray) or numbers.dtype != np.float64 or numbers.ndim != 1:
                raise ValueError("mean, scale, low and high must be arrays of float64")
        as_many = len(mean) == len(scale) == len(low) == len(high) > 0
        fitting = as_many and (len(mean) == 1 or not one_dimensional)
        if not fitting or not np.isfinite(mean).all() or not (np.isfinite(scale) & (scale > 0)).all():
            raise ValueError("mean and scale must be finite, as many as there are targets, and scale above 0")
        if not (low <= high).all():
            raise ValueError("low must not be above high")
        return cls(mean, scale, low, high, one_dimensional)

    def _encoded(self, columns: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            return (columns / self.unit - self.mean / self.unit) / (self.scale / self.unit)


def zero_point(mean: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Return what numbers of a mean and a spread are counted from: zero where that is near, or the mean."""
    return np.where(np.abs(mean) <= _NEAR_ZERO * spread, 0.0, mean)


def power_of_two(size: np.ndarray) -> np.ndarray:
    """Return the largest power of two up to a number: scaling by it loses no digit; 1 for zero."""
    return np.where(size > 0, np.ldexp(1.0, np.frexp(size)[1] - 1), 1.0)
