"""Copies of an estimator, fitted on the same data with other weights, to learn something from them."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from slantwood.estimators.callbacks import without_callbacks
from slantwood.estimators.training_data import TrainingData


def trained_copy(estimator: Any, data: TrainingData, seed: int, n_trees: int, tuned: dict[str, Any]) -> Any:
    """Fit a copy with random numbers and a number of trees of its own, and with settings tuned before."""
    model = without_callbacks(clone(estimator))
    model.set_params(unlabeled_weight=None, random_state=seed % 2**31)
    if not estimator._is_single_tree:
        model.set_params(n_estimators=n_trees, verbose=0, warm_start=False, oob_score=False)
    if hasattr(model, "threshold"):
        model.set_params(threshold=0.5)
    model._fit(data, tuned)
    return model
