"""The rules by which parameters of a boosted fit get their values, and which trees compete in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from slantwood.ensemble.boosting.spec import BoostingSpec
from slantwood.ensemble.defaults import resolve_auto
from slantwood.ensemble.settings import BoostingSettings, Candidate, data_traits
from slantwood.ensemble.spec import AUTO
from slantwood.ensemble.training_data import TrainingData
from slantwood.splits.axis_parallel import AxisParallelSplit
from slantwood.splits.gradient import GradientSplit
from slantwood.splits.ridge import RidgeSplit

# What split learners have at "auto" in place of the rules for forests: trees need not differ from one
# another, and a short descent from a supported direction is as good as a long one from noise.
_OF_SPLITS: dict[str, Any] = {
    "start": "informed",
    "max_iter": 15,
    "batch_size": 500,
    "threshold": "exact",
    "competitor": None,  # axis-parallel trees compete by themselves
    "min_part": 0.0,
}

# Shares of the features that a split may use: few keep trees from following the noise, all find the two or
# three features that matter among many.
_SHARES = (0.5, 1.0)

# With fewer rows than these, leaves may be small, and several models are better than one.
FEW_ROWS = 2000

# Above this number of columns, splits are scored by random mixtures of them, another in every round.
_MOST_COLUMNS = 64
SKETCH_WIDTH = 32


def default_splits() -> tuple[Any, ...]:
    """Return the split learners that compete where none is named."""
    return GradientSplit(), RidgeSplit(), AxisParallelSplit(thresholds="binned")


def resolve_boosting(data: TrainingData, spec: BoostingSpec) -> BoostingSettings:
    """Fill in what was left at "auto", in the split learners too.

    Parameters
    ----------
    data : TrainingData
        The rows.
    spec : BoostingSpec
        What was asked for.

    Returns
    -------
    BoostingSettings
        The values in use.
    """
    sketched = is_sketched(data.targets.n_columns)
    traits = data_traits(data, data.targets.n_columns, single_tree=False, sketched=sketched)
    shares = _SHARES if _is_auto(spec.max_features) else (spec.max_features,)
    candidates = []
    for split in spec.splits:
        chosen = resolve_auto(traits, split, _OF_SPLITS)
        candidates += [Candidate(split.filled_in(chosen), share) for share in shares]
    least_split, least_leaf = (4, 1) if traits.n_rows < FEW_ROWS else (10, 5)
    normalize_rows = resolve_auto(traits, spec.splits[0], {})["normalize_rows"]
    return BoostingSettings(
        bootstrap=False,
        max_features=shares[-1],
        min_samples_split=least_split if isinstance(spec.min_samples_split, str) else spec.min_samples_split,
        min_impurity_decrease=0.0,
        normalize_rows=normalize_rows if _is_auto(spec.normalize_rows) else bool(spec.normalize_rows),
        normalize_labels=False,
        max_depth=spec.max_depth,
        split=candidates[0].split,
        min_samples_leaf=least_leaf if isinstance(spec.min_samples_leaf, str) else spec.min_samples_leaf,
        max_leaf_nodes=spec.max_leaf_nodes,
        candidates=tuple(candidates),
        loss=spec.loss.name,
        learning_rate=float(spec.learning_rate),
        subsample=float(spec.subsample),
        l2_regularization=float(spec.l2_regularization),
    )


def is_sketched(n_columns: int) -> bool:
    """Whether random mixtures of the columns score splits."""
    return n_columns > _MOST_COLUMNS


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == AUTO


def mixture(n_columns: int, rng: np.random.Generator) -> np.ndarray:
    """Return the weights of the columns in each of the mixtures that stand for them in a round."""
    return rng.standard_normal((n_columns, SKETCH_WIDTH), np.float32) / np.float32(np.sqrt(SKETCH_WIDTH))
