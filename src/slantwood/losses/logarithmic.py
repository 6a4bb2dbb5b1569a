"""Losses of counts, amounts and costs, whose scores are logarithms of the mean."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from slantwood.kernels.compiling import exact
from slantwood.losses.base import LARGEST_STEP, Loss, known_mean, where_known
from slantwood.validation import check_real

_0 = np.float32(0.0)

# A mean of zeros has no logarithm.
_LEAST_MEAN = 1e-9

# Scores beyond this are no logarithms of numbers that float32 has squares of.
FURTHEST_SCORE = 40.0


@exact
def tweedie_derivatives(Y, F, G, H, power):
    """Derive y exp((1 - p) f) / (p - 1) + exp((2 - p) f) / (2 - p); its limits at powers p of 1 and 2."""
    for i in range(Y.shape[0]):
        for j in range(Y.shape[1]):
            y = np.float64(Y[i, j])
            unknown = np.isnan(y)
            f = min(max(np.float64(F[i, j]), -FURTHEST_SCORE), FURTHEST_SCORE)
            observed = y * math.exp((1.0 - power) * f)
            expected = math.exp((2.0 - power) * f)
            G[i, j] = _0 if unknown else np.float32(observed - expected)
            if H.shape[0] > 0:
                H[i, j] = _0 if unknown else np.float32((power - 1.0) * observed + (2.0 - power) * expected)


@dataclass(frozen=True)
class _Logarithmic(Loss):
    largest_step: ClassVar[float] = LARGEST_STEP
    link: ClassVar[str] = "log"
    numbers: ClassVar[str | None] = "non-negative"

    @property
    @abstractmethod
    def _power(self) -> float:
        """How the variance grows with the mean."""

    def start(self, Y: np.ndarray, row_weights: np.ndarray) -> np.ndarray:
        """Return the logarithms of the means."""
        return np.log(np.maximum(known_mean(Y, row_weights), _LEAST_MEAN))

    def derivatives(self, Y: np.ndarray, F: np.ndarray, G: np.ndarray, H: np.ndarray) -> None:
        """Write negative gradient and second derivative."""
        tweedie_derivatives(Y, F, G, H, float(self._power))

    def of_rows(self, Y: np.ndarray, F: np.ndarray) -> np.ndarray:
        """Return the loss of each target in each row."""
        f, p = np.clip(F.astype(np.float64), -FURTHEST_SCORE, FURTHEST_SCORE), self._power
        if p == 1.0:
            return where_known(Y, np.exp(f) - Y * f)
        if p == 2.0:
            return where_known(Y, Y * np.exp(-f) + f)
        return where_known(Y, Y * np.exp((1.0 - p) * f) / (p - 1.0) + np.exp((2.0 - p) * f) / (2.0 - p))

    def predicted(self, F: np.ndarray) -> np.ndarray:
        """Return the expected numbers."""
        return np.exp(np.clip(F, -FURTHEST_SCORE, FURTHEST_SCORE))


@dataclass(frozen=True)
class PoissonLoss(_Logarithmic):
    """The deviance of Poisson's distribution, for counts.

    Examples
    --------
    >>> from slantwood import ObliqueBoostingRegressor
    >>> from slantwood.losses import PoissonLoss
    >>> ObliqueBoostingRegressor(loss=PoissonLoss()).loss.name
    'poisson'
    """

    name: ClassVar[str] = "poisson"

    @property
    def _power(self) -> float:
        return 1.0


@dataclass(frozen=True)
class GammaLoss(_Logarithmic):
    """The deviance of the gamma distribution, for positive numbers whose errors grow with them.

    Examples
    --------
    >>> from slantwood import ObliqueBoostingRegressor
    >>> from slantwood.losses import GammaLoss
    >>> ObliqueBoostingRegressor(loss=GammaLoss()).loss.name
    'gamma'
    """

    name: ClassVar[str] = "gamma"
    numbers: ClassVar[str | None] = "positive"

    @property
    def _power(self) -> float:
        return 2.0


@dataclass(frozen=True)
class TweedieLoss(_Logarithmic):
    """The deviance of Tweedie's distributions, for numbers of which many are 0, as sums of claims are.

    Parameters
    ----------
    power : float, default=1.5
        How the variance grows with the mean: between 1, as of counts, and 2.

    Examples
    --------
    >>> from slantwood import ObliqueBoostingRegressor
    >>> from slantwood.losses import TweedieLoss
    >>> ObliqueBoostingRegressor(loss=TweedieLoss(power=1.2)).loss
    TweedieLoss(power=1.2)
    """

    power: float = 1.5

    name: ClassVar[str] = "tweedie"

    def __post_init__(self) -> None:
        """Check the power."""
        check_real("power", self.power, 1.0, 2.0)
        if self.power in (1.0, 2.0):
            raise ValueError(
                f"power={self.power}: give a number between 1 (loss='poisson') and 2 (loss='gamma')"
            )

    @property
    def _power(self) -> float:
        return self.power
