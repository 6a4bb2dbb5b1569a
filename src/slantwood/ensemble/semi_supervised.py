"""How rows without labels take part: with the predictions of a model of the labelled rows as their targets.

This is self-training with soft targets: a first model (the teacher) learns from the labelled rows; the final
one learns from all rows, where those without label have the teacher's predictions and a weight of their own.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.ensemble.growing import grow_forest
from slantwood.ensemble.prediction import Predictor
from slantwood.ensemble.spec import ForestSpec
from slantwood.ensemble.training_data import TrainingData
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


def label_unlabeled(data: TrainingData, spec: ForestSpec) -> tuple[TrainingData, float]:
    """Give rows without any label their part, or none; return also the weight that they have."""
    weight = spec.unlabeled_weight
    if weight is None or known_rows(data.Y)[data.row_weights > 0].all():
        return data, 0.0
    if isinstance(weight, str):
        weight = _choose_weight(data, spec)
    if weight == 0.0:
        return data.without_unlabeled(), 0.0
    # The teacher has random numbers of its own.
    return _self_trained(data, _fit(data, spec, _TEACHER_TREES, spec.seed + 1), weight), weight


def _choose_weight(data: TrainingData, spec: ForestSpec) -> float:
    """Return the weight that predicts held-out labels best; 0 is learning from the labelled rows alone."""
    labeled = np.flatnonzero(known_rows(data.Y) & (data.row_weights > 0))
    n_folds = min(_FOLDS, len(labeled))
    if n_folds < 2:
        return 0.0
    order = np.random.default_rng(spec.seed).permutation(labeled)
    errors = np.zeros(1 + len(_WEIGHTS))
    for fold in range(n_folds):
        held_out = order[fold::n_folds]
        rest = replace(data, row_weights=data.row_weights.copy())
        rest.row_weights[held_out] = 0.0
        teacher = _fit(rest, spec, _TREES, spec.seed)
        trained = (_self_trained(rest, teacher, weight) for weight in _WEIGHTS)
        models = [teacher, *(_fit(each, spec, _TREES, spec.seed) for each in trained)]
        errors += [_error(model, data.X[held_out], data.Y[held_out]) for model in models]
    return (0.0, *_WEIGHTS)[int(np.argmin(errors))]


def _fit(data: TrainingData, spec: ForestSpec, n_trees: int, seed: int) -> Predictor:
    return Predictor(grow_forest(data, spec.for_inner_fit(n_trees, seed, spec.tuned or {})), spec.n_jobs)


def _self_trained(data: TrainingData, teacher: Predictor, weight: float) -> TrainingData:
    """Return the data with the teacher's predictions, and the given weight, where no label is known."""
    unlabeled = ~known_rows(data.Y)
    row_weights = np.where(unlabeled, weight * data.row_weights, data.row_weights)
    predicted = teacher.mean(data.X[unlabeled], sparse=sp.issparse(data.Y))
    if sp.issparse(predicted):
        predicted.data[predicted.data < _LEAST_PROBABILITY] = 0.0
        predicted.eliminate_zeros()
        both = sp.vstack([data.Y[~unlabeled], predicted], format="csr")
        place = np.argsort(np.concatenate([np.flatnonzero(~unlabeled), np.flatnonzero(unlabeled)]))
        return replace(data, Y=both[place], row_weights=row_weights)
    predicted[(predicted < _LEAST_PROBABILITY) & data.targets.are_indicators] = 0.0
    Y = data.Y.copy()
    Y[unlabeled] = predicted
    return replace(data, Y=Y, row_weights=row_weights)


def _error(model: Predictor, X: Any, Y: Any) -> float:
    """Mean squared error of the encoded targets that are known."""
    difference = model.mean(X, sparse=sp.issparse(Y)) - Y
    if not sp.issparse(Y):
        return float(np.nanmean(difference**2))
    n_known = np.prod(Y.shape) - np.isnan(Y.data).sum()
    return float(np.nansum(difference.data**2) / max(n_known, 1))
