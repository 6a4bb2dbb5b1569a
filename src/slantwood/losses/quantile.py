"""Quantiles: what a given share of the targets lies below; the median is that of the absolute error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from slantwood.kernels.compiling import exact
from slantwood.losses.base import Loss, known_quantile, where_known
from slantwood.validation import check_real

_0 = np.float32(0.0)
_1 = np.float32(1.0)


@exact
def quantile_derivatives(Y, F, G, H, level):
    """Negative gradient: `level` below the target, `level` - 1 above it.

    There is no curvature; 1 stands for it, which leaves do not use: their step is a quantile.
    """
    below = np.float32(level)
    above = np.float32(level - 1.0)
    for i in range(Y.shape[0]):
        for j in range(Y.shape[1]):
            unknown = np.isnan(Y[i, j])
            rest = _0 if unknown else Y[i, j] - F[i, j]
            G[i, j] = below if rest > _0 else (above if rest < _0 else _0)
            if H.shape[0] > 0:
                H[i, j] = _0 if unknown else _1


@dataclass(frozen=True)
class QuantileLoss(Loss):
    """The loss whose best prediction is a quantile of the targets.

    Parameters
    ----------
    level : float, default=0.5
        The share of the targets that lies below the prediction, between 0 and 1.

    Examples
    --------
    >>> from slantwood import ObliqueBoostingRegressor
    >>> from slantwood.losses import QuantileLoss
    >>> ObliqueBoostingRegressor(loss=QuantileLoss(level=0.9)).loss
    QuantileLoss(level=0.9)
    """

    level: float = 0.5

    name: ClassVar[str] = "quantile"
    unit_curvature: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Check the level."""
        check_real("level", self.level, 0.0, 1.0, open_minimum=True)
        if self.level == 1.0:
            raise ValueError("level=1.0 is the largest of all targets; give a share below 1")

    @property
    def leaf_quantile(self) -> float:  # type: ignore[override]
        """The quantile of what is left of the targets by which leaves go."""
        return self.level

    def start(self, Y: np.ndarray, row_weights: np.ndarray) -> np.ndarray:
        """Return the quantiles."""
        return known_quantile(Y, row_weights, self.level)

    def derivatives(self, Y: np.ndarray, F: np.ndarray, G: np.ndarray, H: np.ndarray) -> None:
        """Write negative gradient and what stands for the second derivative."""
        quantile_derivatives(Y, F, G, H, float(self.level))

    def of_rows(self, Y: np.ndarray, F: np.ndarray) -> np.ndarray:
        """Return the loss of each target in each row."""
        rest = Y - F
        return where_known(Y, np.maximum(self.level * rest, (self.level - 1.0) * rest))
