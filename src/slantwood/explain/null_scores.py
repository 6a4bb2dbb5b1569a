"""What features score by chance: rankings of models that were fitted on shuffled targets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state, shuffle

from slantwood.ensemble.spec import draw_seed


def null_scores(
    model: Any, X: Any, y: Any, sample_weight: Any, n_refits: int, seed: int, rank: Callable[..., np.ndarray]
) -> np.ndarray:
    """Return the scores by models of the same parameters, each fitted on another order of the targets.

    Rows of y stay whole, so that targets depend on each other as before, and on no feature.

    Parameters
    ----------
    model : estimator
        The model that is ranked.
    X, y, sample_weight : array, sparse matrix, data frame or label sets
        What it was fitted on.
    n_refits : int
        How many models.
    seed : int
        Of orders and models.
    rank : callable
        Returns the scores of the features by a model, given it, its targets and a seed.

    Returns
    -------
    float64 array of shape (n_refits, n_features)
        Scores.
    """
    found = np.empty((n_refits, model.n_features_in_))
    random = check_random_state(seed)
    for scores in found:
        shuffled = shuffle(y, random_state=draw_seed(random))
        other = clone(model).set_params(random_state=draw_seed(random))
        scores[:] = rank(other.fit(X, shuffled, sample_weight=sample_weight), shuffled, draw_seed(random))
    return found
