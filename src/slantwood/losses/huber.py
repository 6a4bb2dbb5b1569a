"""Huber's loss: squared near the target, and growing like the absolute error away from it."""

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
def huber_derivatives(Y, F, G, H, delta):
    """Negative gradient: what is left of the target, cut off at `delta`.

    The curvature is that of the parabola that touches the loss here and lies above it everywhere: a Newton
    step with it never goes too far.
    """
    most = np.float32(delta)
    for i in range(Y.shape[0]):
        for j in range(Y.shape[1]):
            unknown = np.isnan(Y[i, j])
            rest = _0 if unknown else Y[i, j] - F[i, j]
            G[i, j] = min(max(rest, -most), most)
            if H.shape[0] > 0:
                H[i, j] = _0 if unknown else most / max(abs(rest), most)


@dataclass(frozen=True)
class HuberLoss(Loss):
    """Huber's loss, for targets of which some are far off.

    Parameters
    ----------
    delta : float, default=1.0
        Errors beyond this grow the loss only linearly, in standard deviations of the target.

    Examples
    --------
    >>> from slantwood import ObliqueBoostingRegressor
    >>> from slantwood.losses import HuberLoss
    >>> ObliqueBoostingRegressor(loss=HuberLoss(delta=0.5)).loss
    HuberLoss(delta=0.5)
    """

    delta: float = 1.0

    name: ClassVar[str] = "huber"

    def __post_init__(self) -> None:
        """Check the distance."""
        check_real("delta", self.delta, 0.0, open_minimum=True)

    def start(self, Y: np.ndarray, row_weights: np.ndarray) -> np.ndarray:
        """Return the medians, which are near to what has the least loss."""
        return known_quantile(Y, row_weights, 0.5)

    def derivatives(self, Y: np.ndarray, F: np.ndarray, G: np.ndarray, H: np.ndarray) -> None:
        """Write negative gradient and curvature."""
        huber_derivatives(Y, F, G, H, float(self.delta))

    def of_rows(self, Y: np.ndarray, F: np.ndarray) -> np.ndarray:
        """Return the loss of each target in each row."""
        rest = np.abs(Y - F)
        near = 0.5 * rest**2
        return where_known(Y, np.where(rest <= self.delta, near, self.delta * (rest - 0.5 * self.delta)))
