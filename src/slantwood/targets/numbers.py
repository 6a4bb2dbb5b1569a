"""One or several numbers per example, NaN where one is not known.

Trees see every target with mean 0 and variance 1 over the training rows: the user's units never
matter, and float32 holds the leaves to a relative error of the target's spread, not of its size.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class NumberTargets:
    """An (n,) or (n, T) array of numbers."""

    mean: np.ndarray
    scale: np.ndarray
    one_dimensional: bool

    @classmethod
    def of(cls, y: np.ndarray, weights: np.ndarray) -> NumberTargets:
        """Learn mean and spread of each target over the weighted rows in which it is known."""
        columns = y.reshape(len(y), -1)
        present = columns[weights > 0]
        lowest = np.fmin.reduce(present, axis=0)
        if np.isnan(lowest).any():
            raise ValueError(
                f"target {int(np.argmax(np.isnan(lowest)))} of y is missing (NaN) in every row of positive "
                "weight; leave it out of y, or give at least one value"
            )
        known = ~np.isnan(columns)
        share = weights[:, None] * known
        share /= share.sum(axis=0)
        mean = (share * np.where(known, columns, 0.0)).sum(axis=0)
        scale = np.sqrt((share * np.where(known, columns - mean, 0.0) ** 2).sum(axis=0))
        constant = lowest == np.fmax.reduce(present, axis=0)
        # The mean of equal numbers may differ from them in the last bit.
        mean = np.where(constant, lowest, mean)
        return cls(mean, np.where(constant | (scale == 0), 1.0, scale), y.ndim == 1)

    @property
    def task(self) -> str:
        """Name of the task."""
        return "regression" if self.n_columns == 1 else "multi-target regression"

    @property
    def n_columns(self) -> int:
        """Number of columns of the encoded targets."""
        return len(self.mean)

    def continued(self, later: NumberTargets) -> NumberTargets:
        """Return the targets for adding trees to a forest that was fitted on these: in its unit."""
        if later.n_columns == self.n_columns:
            return NumberTargets(self.mean, self.scale, later.one_dimensional)
        raise ValueError(
            f"warm_start=True, but y now has {later.n_columns} columns and had {self.n_columns} before; fit "
            "a new estimator instead"
        )

    def encode(self, y: np.ndarray) -> np.ndarray:
        """Numbers with mean 0 and variance 1."""
        return ((y.reshape(len(y), -1) - self.mean) / self.scale).astype(np.float32)

    def decode(self, means: np.ndarray) -> np.ndarray:
        """Leaf means to the user's units and shape."""
        y = means.astype(np.float64) * self.scale + self.mean
        return y[:, 0] if self.one_dimensional else y
