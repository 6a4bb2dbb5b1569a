"""The squared error: trees fit what is left of the targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from slantwood.kernels.compiling import exact
from slantwood.losses.base import Loss, known_mean, where_known

_0 = np.float32(0.0)
_1 = np.float32(1.0)


@exact
def squared_derivatives(Y, F, G, H):
    """Negative gradient Y - F, curvature 1."""
    for i in range(Y.shape[0]):
        for j in range(Y.shape[1]):
            unknown = np.isnan(Y[i, j])
            G[i, j] = _0 if unknown else Y[i, j] - F[i, j]
            if H.shape[0] > 0:
                H[i, j] = _0 if unknown else _1


@dataclass(frozen=True)
class SquaredError(Loss):
    """Half the squared error; the prediction is the mean.

    Examples
    --------
    >>> from slantwood import ObliqueBoostingRegressor
    >>> from slantwood.losses import SquaredError
    >>> ObliqueBoostingRegressor(loss=SquaredError()).loss.name
    'squared_error'
    """

    name: ClassVar[str] = "squared_error"
    unit_curvature: ClassVar[bool] = True

    def start(self, Y: np.ndarray, row_weights: np.ndarray) -> np.ndarray:
        """Return the means."""
        return known_mean(Y, row_weights)

    def derivatives(self, Y: np.ndarray, F: np.ndarray, G: np.ndarray, H: np.ndarray) -> None:
        """Write negative gradient and second derivative."""
        squared_derivatives(Y, F, G, H)

    def of_rows(self, Y: np.ndarray, F: np.ndarray) -> np.ndarray:
        """Return the loss of each target in each row."""
        return where_known(Y, 0.5 * (Y - F) ** 2)
