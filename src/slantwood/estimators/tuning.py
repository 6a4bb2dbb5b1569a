"""Settings that should follow the noise of the data, which only held-out rows can tell.

How closely trees may follow the data, from clean ones to noisy ones, is a ladder of settings. Which rung
predicts held-out rows best is found by cross-validation with few trees, one rung up or down at a time. It is
done for label hierarchies, whose many rare labels make the difference large; `docs/hierarchies.md` has the
measurements. What is chosen goes before the rules of `defaults`.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood import splits
from slantwood.estimators.copies import trained_copy
from slantwood.estimators.training_data import TrainingData
from slantwood.features.matrix import known_rows
from slantwood.metrics.precision_recall import pooled_auprc
from slantwood.splits.gradient import GradientSplit
from slantwood.splits.parameters import open_fields

# From short searches and small leaves, for clean data, to long searches under strong regularisation and
# larger leaves.
_GRADIENT_RUNGS: tuple[dict[str, Any], ...] = (
    {"C": 10.0, "min_samples_split": 5, "max_iter": 10, "learning_rate": 0.05, "target_power": 1.0},
    {"C": 10.0, "min_samples_split": 10, "max_iter": 20, "target_power": 0.75},
    {"C": 1.0, "min_samples_split": 20, "max_iter": 100, "target_power": 0.75},
    {"C": 0.3, "min_samples_split": 20, "max_iter": 100, "target_power": 0.5},
    {"C": 0.1, "min_samples_split": 20, "max_iter": 100, "target_power": 0.25},
)
_OTHER_RUNGS: tuple[dict[str, Any], ...] = tuple({"min_samples_split": n} for n in (5, 10, 20, 40, 80))

# Where the climb begins: what fits most data.
_FIRST = 1

# Each rung is judged on the first two of four folds. Fewer trees would be in favour of too noisy a rung: what
# single trees lose by following the data, many of them win back.
_FOLDS = 4
_FOLDS_USED = 2
_TREES = 30

# More rows than these tell no more about the noise; with fewer than the least, folds tell nothing.
_MOST_ROWS = 20_000
_LEAST_ROWS = 30


def tuned_settings(estimator: Any, data: TrainingData, seed: int) -> dict[str, Any]:
    """Return the settings of the best rung, those only that the user left at "auto"; none for other tasks."""
    if data.hierarchy is None or estimator._is_single_tree:
        return {}
    rungs = _open_rungs(estimator)
    rows = np.flatnonzero(known_rows(data.Y) & (data.row_weights > 0))
    if len(rungs) < 2 or len(rows) < _LEAST_ROWS:
        return {}
    rows = np.random.default_rng(seed).permutation(rows)[:_MOST_ROWS]

    @cache
    def quality(rung: int) -> float:
        parts = [_held_out(estimator, data, rows, k, seed, rungs[rung]) for k in range(_FOLDS_USED)]
        if estimator.verbose > 0:
            shown = ", ".join(f"{name}={value}" for name, value in rungs[rung].items())
            name = type(estimator).__name__
            sys.stderr.write(f"{name}: {shown}: pooled AUPRC {np.mean(parts):.4f} on held-out rows\n")
        return float(np.mean(parts))

    best = min(_FIRST, len(rungs) - 1)
    while True:
        near = [rung for rung in (best, best - 1, best + 1) if 0 <= rung < len(rungs)]
        better = max(near, key=quality)
        if better == best:
            return rungs[best]
        best = better


def _open_rungs(estimator: Any) -> list[dict[str, Any]]:
    split = splits.named(estimator.split)
    is_gradient = isinstance(split, GradientSplit)
    free = open_fields(split) if is_gradient else set()
    if estimator.min_samples_split == "auto":
        free |= {"min_samples_split"}
    rungs = []
    for rung in _GRADIENT_RUNGS if is_gradient else _OTHER_RUNGS:
        effective = {name: value for name, value in rung.items() if name in free}
        if effective not in rungs:
            rungs.append(effective)
    return rungs


def _held_out(
    estimator: Any, data: TrainingData, rows: np.ndarray, fold: int, seed: int, settings: dict[str, Any]
) -> float:
    """Quality on one part of the rows of trees that are grown on the others."""
    held_out = np.sort(rows[fold::_FOLDS])
    row_weights = np.zeros_like(data.row_weights)
    row_weights[rows] = data.row_weights[rows]
    row_weights[held_out] = 0.0
    model = trained_copy(estimator, data.weighted(row_weights), seed, _TREES, settings)
    truth = data.Y[held_out]
    if not (truth == 1).sum():
        return 0.0
    predict = model._encoded_sparse_leaf_means if sp.issparse(truth) else model._encoded_leaf_means
    scores = predict(data.X[held_out])
    return pooled_auprc(truth, scores, interpolation="step", sample_weight=data.row_weights[held_out])
