"""What a boosted fit is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from slantwood.losses import Loss


@dataclass(frozen=True, eq=False)
class BoostingSpec:
    """Checked parameters; "auto" leaves a value to the data."""

    loss: Loss
    splits: tuple[Any, ...]  # split learners, of which the best at the time grows a tree
    n_rounds: int  # at the most
    learning_rate: float
    subsample: float
    l2_regularization: float
    max_depth: int | None
    min_samples_split: int | float | str
    min_samples_leaf: int | float | str
    max_leaf_nodes: int | None
    max_features: int | float | str | None
    normalize_rows: bool | str
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    target_weights: np.ndarray  # of the columns of Y in the choice of splits; empty where all are equal
    seed: int
    n_jobs: int | None = None
