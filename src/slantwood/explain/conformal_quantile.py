"""How large scores get: the quantile that makes conformal prediction valid."""

from __future__ import annotations

import numpy as np

# Of sums of weights, which are rounded.
_ROUNDING = 1e-10


def conformal_quantile(scores: np.ndarray, weights: np.ndarray, coverage: float) -> float:
    """Return the score that a further row does not exceed with a given probability.

    Of n rows of weight 1 that is the k-th smallest score, k = ceil(coverage (n + 1)): the score of a further
    row has any place among those of n others with the same probability. Infinity where k is above n.

    Parameters
    ----------
    scores : array of shape (n_rows,)
        Scores, larger for rows that fit their predictions less.
    weights : array of shape (n_rows,)
        What each row counts.
    coverage : float
        Share of the rows, between 0 and 1.
    """
    order = np.argsort(scores, kind="stable")
    total = np.cumsum(weights[order])
    if not len(total):
        return float("inf")
    need = coverage * (total[-1] + 1.0)
    place = int(np.searchsorted(total, need * (1.0 - _ROUNDING)))
    return float(scores[order[place]]) if place < len(order) else float("inf")
