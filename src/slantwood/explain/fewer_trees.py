"""Scores of rows of which few trees speak, as they would be if all trees of the model did.

Out of bag a third of the trees speaks of a row, while the model predicts with all of them. What m trees lose
is a + b / m, so that the losses of all that speak of a row, and of each half of them, tell that of more.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# At most so much is changed: what halves of a few trees lose is mostly noise.
_MOST = 0.1


def factor_for_all(of_all: Any, of_half: Any, share: float) -> np.ndarray:
    """Return what to multiply scores by.

    Parameters
    ----------
    of_all, of_half : float or array
        A quantile of the scores, by all trees that speak of a row and by half of them.
    share : float
        How many trees of the model speak of a row, as a share of all.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        gained = np.nan_to_num((np.asarray(of_half) / np.asarray(of_all) - 1.0) * (1.0 - share))
    return np.asarray(1.0 - np.clip(gained, -_MOST, _MOST))
