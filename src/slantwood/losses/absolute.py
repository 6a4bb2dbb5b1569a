"""The absolute error: what is predicted is the median, which single far values do not move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from slantwood.losses.base import Loss, known_quantile, where_known
from slantwood.losses.quantile import quantile_derivatives


@dataclass(frozen=True)
class AbsoluteError(Loss):
    """The absolute error; the prediction is the median.

    Examples
    --------
    >>> from slantwood import ObliqueBoostingRegressor
    >>> from slantwood.losses import AbsoluteError
    >>> ObliqueBoostingRegressor(loss=AbsoluteError()).loss.name
    'absolute_error'
    """

    name: ClassVar[str] = "absolute_error"
    unit_curvature: ClassVar[bool] = True
    leaf_quantile: ClassVar[float] = 0.5  # type: ignore[misc]

    def start(self, Y: np.ndarray, row_weights: np.ndarray) -> np.ndarray:
        """Return the medians."""
        return known_quantile(Y, row_weights, 0.5)

    def derivatives(self, Y: np.ndarray, F: np.ndarray, G: np.ndarray, H: np.ndarray) -> None:
        """Write half the negative gradient, whose size does not matter: leaves go by the median."""
        quantile_derivatives(Y, F, G, H, 0.5)

    def of_rows(self, Y: np.ndarray, F: np.ndarray) -> np.ndarray:
        """Return the loss of each target in each row."""
        return where_known(Y, np.abs(Y - F))
