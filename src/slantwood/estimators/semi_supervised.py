"""How rows without labels take part: with the predictions of a model of the labelled rows as their targets.

This is self-training with soft targets: a first model (the teacher) learns from the labelled rows; the final
one learns from all rows, where those without label have the teacher's predictions and a weight of their own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.estimators.copies import trained_copy
from slantwood.estimators.training_data import TrainingData
from slantwood.features.matrix import known_rows

# Weights that are tried beside 0.
_WEIGHTS = (0.1, 0.3, 1.0)
_FOLDS = 5

# In cross-validation, enough to tell weights apart. The number of the teacher's trees is fixed, since the
# final forest's may be grown in several fits.
_TREES = 20
_TEACHER_TREES = 50

# Probabilities below this are left out as zeros: of many labels, a row has few.
_LEAST_PROBABILITY = 0.01


def choose_unlabeled_weight(estimator: Any, data: TrainingData, seed: int, tuned: dict[str, Any]) -> float:
    """Return the weight of rows without label that predicts held-out labels best, by cross-validation.

    0 is learning from the labelled rows alone.
    """
    labeled = np.flatnonzero(known_rows(data.Y) & (data.row_weights > 0))
    n_folds = min(_FOLDS, len(labeled))
    if n_folds < 2:
        return 0.0
    order = np.random.default_rng(seed).permutation(labeled)
    errors = np.zeros(1 + len(_WEIGHTS))
    for fold in range(n_folds):
        held_out = order[fold::n_folds]
        row_weights = data.row_weights.copy()
        row_weights[held_out] = 0.0
        rest = data.weighted(row_weights)
        teacher = trained_copy(estimator, rest, seed, _TREES, tuned)
        students = (
            trained_copy(estimator, self_trained(rest, teacher, weight), seed, _TREES, tuned)
            for weight in _WEIGHTS
        )
        errors += [_error(model, data.X[held_out], data.Y[held_out]) for model in (teacher, *students)]
    return (0.0, *_WEIGHTS)[int(np.argmin(errors))]


def train_teacher(estimator: Any, data: TrainingData, seed: int, tuned: dict[str, Any]) -> Any:
    """Fit a copy of the estimator on the labelled rows, with random numbers of its own."""
    return trained_copy(estimator, data, seed + 1, _TEACHER_TREES, tuned)


def self_trained(data: TrainingData, teacher: Any, weight: float) -> TrainingData:
    """Return the data with the teacher's predictions, and the given weight, where no label is known."""
    unlabeled = ~known_rows(data.Y)
    row_weights = np.where(unlabeled, weight * data.row_weights, data.row_weights)
    if sp.issparse(data.Y):
        predicted = teacher._encoded_sparse_leaf_means(data.X[unlabeled])
        predicted.data[predicted.data < _LEAST_PROBABILITY] = 0.0
        predicted.eliminate_zeros()
        both = sp.vstack([data.Y[~unlabeled], predicted], format="csr")
        place = np.argsort(np.concatenate([np.flatnonzero(~unlabeled), np.flatnonzero(unlabeled)]))
        return replace(data, Y=both[place], row_weights=row_weights)
    predicted = teacher._encoded_leaf_means(data.X[unlabeled])
    if hasattr(data.targets, "classes"):
        predicted[predicted < _LEAST_PROBABILITY] = 0.0
    Y = data.Y.copy()
    Y[unlabeled] = predicted
    return replace(data, Y=Y, row_weights=row_weights)


def _error(model: Any, X: Any, Y: Any) -> float:
    # Mean squared error of the encoded targets that are known.
    if not sp.issparse(Y):
        return float(np.nanmean((model._encoded_leaf_means(X) - Y) ** 2))
    difference = model._encoded_sparse_leaf_means(X) - Y
    n_known = np.prod(Y.shape) - np.isnan(Y.data).sum()
    return float(np.nansum(difference.data**2) / max(n_known, 1))
