"""The logistic loss of indicators: of two classes in one column, or of labels in a column each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import expit

from slantwood.kernels.compiling import exact
from slantwood.losses.base import LARGEST_STEP, Loss, known_mean, where_known
from slantwood.task_names import LABEL_TASKS

_0 = np.float32(0.0)
_1 = np.float32(1.0)

# Shares of which scores begin lie this far from 0 and 1.
_LEAST_SHARE = 1e-6


@exact
def logistic_derivatives(Y, F, G, H):
    """Negative gradient y - p and curvature p (1 - p), with p the probability that F stands for."""
    for i in range(Y.shape[0]):
        for j in range(Y.shape[1]):
            y = Y[i, j]
            small = math.exp(-abs(F[i, j]))  # the exponential of a large number overflows
            p = _1 / (_1 + small) if F[i, j] >= _0 else small / (_1 + small)
            G[i, j] = _0 if np.isnan(y) else y - p
            if H.shape[0] > 0:
                H[i, j] = _0 if np.isnan(y) else p * (_1 - p)


@dataclass(frozen=True)
class LogisticLoss(Loss):
    """Minus the logarithm of the probability of what was seen; scores are log odds.

    Examples
    --------
    >>> import numpy as np
    >>> from slantwood.losses import LogisticLoss
    >>> LogisticLoss().predicted(np.array([[0.0]])).tolist()
    [[0.5]]
    """

    name: ClassVar[str] = "logistic"
    tasks: ClassVar[tuple[str, ...]] = ("binary", *LABEL_TASKS)
    largest_step: ClassVar[float] = LARGEST_STEP
    link: ClassVar[str] = "logit"

    def start(self, Y: np.ndarray, row_weights: np.ndarray) -> np.ndarray:
        """Return the log odds of the shares."""
        share = np.clip(known_mean(Y, row_weights), _LEAST_SHARE, 1.0 - _LEAST_SHARE)
        return np.log(share / (1.0 - share))

    def derivatives(self, Y: np.ndarray, F: np.ndarray, G: np.ndarray, H: np.ndarray) -> None:
        """Write negative gradient and second derivative."""
        logistic_derivatives(Y, F, G, H)

    def of_rows(self, Y: np.ndarray, F: np.ndarray) -> np.ndarray:
        """Return the loss of each indicator in each row."""
        return where_known(Y, np.logaddexp(0.0, F) - Y * F)

    def predicted(self, F: np.ndarray) -> np.ndarray:
        """Return the probabilities."""
        return expit(F)
