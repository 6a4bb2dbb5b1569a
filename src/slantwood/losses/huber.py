"""Huber's loss: squared near the target, and growing like the absolute error away from it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from slantwood.kernels.compiling import exact
from slantwood.losses.base import Loss, known_quantile, where_known
from slantwood.validation import check_real

# Of a normal distribution, the standard deviation in median distances from the median.
_PER_MEDIAN_DISTANCE = 1.4826

_0 = np.float32(0.0)


@exact
def huber_derivatives(Y, F, G, H, deltas):
    """Negative gradient: what is left of the target, cut off at the delta of its column.

    The curvature is that of the parabola that touches the loss here and lies above it everywhere: a Newton
    step with it never goes too far.
    """
    for i in range(Y.shape[0]):
        for j in range(Y.shape[1]):
            most = deltas[j]
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
    delta : float, default=1.345
        Errors beyond this grow the loss only linearly, in spreads of the target. (With 1.345, means of normal
        errors are 95 % as precise as those of the squared error.)
    spreads : tuple of float
        What standard deviations would be if the target were normal: 1.4826 times the median distance from
        the median, which far values do not change. `fit` finds them.

    Examples
    --------
    >>> from slantwood import ObliqueBoostingRegressor
    >>> from slantwood.losses import HuberLoss
    >>> ObliqueBoostingRegressor(loss=HuberLoss(delta=0.5)).loss.delta
    0.5
    """

    delta: float = 1.345
    spreads: tuple[float, ...] = ()

    name: ClassVar[str] = "huber"

    def __post_init__(self) -> None:
        """Check the distance."""
        check_real("delta", self.delta, 0.0, open_minimum=True)
        for spread in self.spreads:
            check_real("spreads", spread, 0.0, open_minimum=True)

    def fitted(self, Y: np.ndarray, row_weights: np.ndarray) -> HuberLoss:
        """Return the loss with the spreads of the targets; 1 where more than half of one are equal."""
        distances = np.abs(Y - self.start(Y, row_weights))
        spreads = _PER_MEDIAN_DISTANCE * known_quantile(distances, row_weights, 0.5)
        return replace(self, spreads=tuple(np.where(spreads > 0, spreads, 1.0).tolist()))

    def _deltas(self, n_columns: int) -> np.ndarray:
        return self.delta * np.array(self.spreads or (1.0,) * n_columns)

    def start(self, Y: np.ndarray, row_weights: np.ndarray) -> np.ndarray:
        """Return the medians, which are near to what has the least loss."""
        return known_quantile(Y, row_weights, 0.5)

    def derivatives(self, Y: np.ndarray, F: np.ndarray, G: np.ndarray, H: np.ndarray) -> None:
        """Write negative gradient and curvature."""
        huber_derivatives(Y, F, G, H, self._deltas(Y.shape[1]).astype(np.float32))

    def of_rows(self, Y: np.ndarray, F: np.ndarray) -> np.ndarray:
        """Return the loss of each target in each row."""
        rest, delta = np.abs(Y - F), self._deltas(Y.shape[1])
        return where_known(Y, np.where(rest <= delta, 0.5 * rest**2, delta * (rest - 0.5 * delta)))
