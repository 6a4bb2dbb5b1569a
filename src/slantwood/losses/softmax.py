"""The logistic loss of more than two classes: scores are logarithms, up to a constant of each row."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import logsumexp, softmax

from slantwood.kernels.compiling import exact
from slantwood.losses.base import LARGEST_STEP, Loss, known_mean

_0 = np.float32(0.0)
_1 = np.float32(1.0)

# Shares from which scores begin are at least this.
_LEAST_SHARE = 1e-6


@exact
def softmax_derivatives(Y, F, G, H):
    """Negative gradient y - p and curvature p (1 - p) K / (K - 1), with p the probabilities of K classes.

    Scores of a row have the same meaning when a constant is added to all of them. The factor makes up for
    this: with two classes the step is that of the logistic loss (Friedman 2001).
    """
    K = Y.shape[1]
    factor = np.float32(K / (K - 1.0))
    for i in range(Y.shape[0]):
        if np.isnan(Y[i, 0]):
            for j in range(K):
                G[i, j] = _0
                if H.shape[0] > 0:
                    H[i, j] = _0
            continue
        highest = F[i, 0]
        for j in range(1, K):
            highest = max(highest, F[i, j])
        total = _0
        for j in range(K):
            G[i, j] = math.exp(F[i, j] - highest)
            total += G[i, j]
        for j in range(K):
            p = G[i, j] / total
            G[i, j] = Y[i, j] - p
            if H.shape[0] > 0:
                H[i, j] = factor * p * (_1 - p)


@dataclass(frozen=True)
class SoftmaxLoss(Loss):
    """Minus the logarithm of the probability of the class that was seen.

    Examples
    --------
    >>> import numpy as np
    >>> from slantwood.losses import SoftmaxLoss
    >>> SoftmaxLoss().predicted(np.zeros((1, 4))).tolist()
    [[0.25, 0.25, 0.25, 0.25]]
    """

    name: ClassVar[str] = "softmax"
    tasks: ClassVar[tuple[str, ...]] = ("multi-class",)
    largest_step: ClassVar[float] = LARGEST_STEP
    link: ClassVar[str] = "softmax"

    def start(self, Y: np.ndarray, row_weights: np.ndarray) -> np.ndarray:
        """Return the logarithms of the shares."""
        return np.log(np.maximum(known_mean(Y, row_weights), _LEAST_SHARE))

    def derivatives(self, Y: np.ndarray, F: np.ndarray, G: np.ndarray, H: np.ndarray) -> None:
        """Write negative gradient and second derivative."""
        softmax_derivatives(Y, F, G, H)

    def of_rows(self, Y: np.ndarray, F: np.ndarray) -> np.ndarray:
        """Return the loss of each row, in one column."""
        known = ~np.isnan(Y[:, :1])
        own = np.sum(np.where(known, Y, 0.0) * F, axis=1, keepdims=True)
        return np.where(known, logsumexp(F, axis=1, keepdims=True) - own, 0.0)

    def predicted(self, F: np.ndarray) -> np.ndarray:
        """Return the probabilities."""
        return softmax(F, axis=1)
