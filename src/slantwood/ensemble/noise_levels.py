"""How closely trees may follow the labels of a hierarchy: a ladder of settings.

Its levels are ordered from clean data to noisy. Which of them predicts held-out rows best is found by
cross-validation with few trees, one level up or down at a time. The many rare labels of a hierarchy make the
difference large; `docs/hierarchies.md` has the measurements.
"""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.ensemble.growing import grow_forest
from slantwood.ensemble.prediction import Predictor
from slantwood.ensemble.spec import AUTO, ForestSpec
from slantwood.ensemble.training_data import TrainingData
from slantwood.messages import say
from slantwood.metrics.precision_recall import pooled_auprc
from slantwood.splits.gradient import GradientSplit
from slantwood.splits.parameters import open_fields

# From short searches and small leaves, for clean data, to long searches under strong regularisation and
# larger leaves.
GRADIENT_LEVELS: tuple[dict[str, Any], ...] = (
    {"C": 10.0, "min_samples_split": 5, "max_iter": 10, "learning_rate": 0.05, "target_power": 1.0},
    {"C": 10.0, "min_samples_split": 10, "max_iter": 20, "target_power": 0.75},
    {"C": 1.0, "min_samples_split": 20, "max_iter": 100, "target_power": 0.75},
    {"C": 0.3, "min_samples_split": 20, "max_iter": 100, "target_power": 0.5},
    {"C": 0.1, "min_samples_split": 20, "max_iter": 100, "target_power": 0.25},
)
OTHER_LEVELS: tuple[dict[str, Any], ...] = tuple({"min_samples_split": n} for n in (5, 10, 20, 40, 80))

# Where the search begins: what fits most data.
FIRST_LEVEL = 1

# Each level is scored on the first two of four folds. Fewer trees would favour too noisy a level: what single
# trees lose by following the data, many of them win back.
_FOLDS = 4
FOLDS_USED = 2
INNER_TREES = 30


def noise_level(data: TrainingData, spec: ForestSpec, rows: np.ndarray) -> dict[str, Any]:
    """Return the settings of the best level, only those that were left at "auto".

    Parameters
    ----------
    data : TrainingData
        All rows.
    spec : ForestSpec
        What is asked for.
    rows : array of int
        Rows to find out with, in random order.
    """
    levels = _open_levels(spec)
    if len(levels) < 2:
        return {}

    @cache
    def quality(level: int) -> float:
        folds = range(FOLDS_USED)
        mean = float(np.mean([held_out_quality(data, spec, rows, k, levels[level]) for k in folds]))
        if spec.verbose > 0:
            shown = ", ".join(f"{name}={value}" for name, value in levels[level].items())
            say(f"tuning: {shown}: pooled AUPRC {mean:.4f} on held-out rows")
        return mean

    best = min(FIRST_LEVEL, len(levels) - 1)
    while True:
        near = [level for level in (best, best - 1, best + 1) if 0 <= level < len(levels)]
        better = max(near, key=quality)
        if better == best:
            return levels[best]
        best = better


def _open_levels(spec: ForestSpec) -> list[dict[str, Any]]:
    is_gradient = isinstance(spec.split, GradientSplit)
    free = open_fields(spec.split) if is_gradient else set()
    if spec.min_samples_split == AUTO:
        free |= {"min_samples_split"}
    levels = []
    for level in GRADIENT_LEVELS if is_gradient else OTHER_LEVELS:
        effective = {name: value for name, value in level.items() if name in free}
        if effective not in levels:
            levels.append(effective)
    return levels


def held_out_quality(
    data: TrainingData, spec: ForestSpec, rows: np.ndarray, fold: int, settings: dict[str, Any]
) -> float:
    """Return the quality on one part of the rows of trees that are grown on the others."""
    held_out = np.sort(rows[fold::_FOLDS])
    row_weights = np.zeros_like(data.row_weights)
    row_weights[rows] = data.row_weights[rows]
    row_weights[held_out] = 0.0
    inner = spec.for_inner_fit(INNER_TREES, spec.seed, settings)
    forest = grow_forest(replace(data, row_weights=row_weights), inner)
    truth = data.Y[held_out]
    if not (truth == 1).sum():
        return 0.0
    scores = Predictor(forest, spec.n_jobs).mean(data.X[held_out], sparse=sp.issparse(truth))
    return pooled_auprc(truth, scores, interpolation="step", sample_weight=data.row_weights[held_out])
