"""What a fit is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

AUTO = "auto"


@dataclass(frozen=True, eq=False)
class ForestSpec:
    """Checked parameters of a forest; "auto" leaves a value to the data."""

    split: Any  # a split learner
    n_trees: int
    seed: int
    single_tree: bool  # whether the user asked for a tree, rather than for a forest that happens to have one
    max_depth: int | None
    min_samples_split: int | float | str
    min_impurity_decrease: float | str
    max_features: int | float | str | None
    bootstrap: bool | str
    normalize_rows: bool | str
    normalize_labels: bool | str
    target_weights: np.ndarray  # of the columns of Y in the choice of splits; empty where all are equal
    min_samples_leaf: int | float | str = 1
    min_weight_fraction_leaf: float = 0.0
    max_leaf_nodes: int | None = None
    acceptance: str = AUTO
    feature_sampling: str = AUTO
    ftest: float | None = None
    ccp_alpha: float = 0.0
    leaves: str = "mean"
    max_samples: int | float | None = None
    unlabeled_weight: float | str | None = None
    out_of_bag: bool = False  # whether rows must be left out of bootstrap samples, to be predicted
    preset: str = "default"
    auditions: bool = False  # whether another split learner may take the place of this one
    n_jobs: int | None = None
    verbose: int = 0
    is_inner: bool = (
        False  # whether the forest is fitted on the way to another: threads of this process grow it
    )
    tuned: Mapping[str, Any] | None = None  # settings found on held-out rows; None to look for them

    def for_inner_fit(self, n_trees: int, seed: int, tuned: Mapping[str, Any]) -> ForestSpec:
        """Return the same for a forest that is fitted on the way to another, with a seed of its own."""
        return replace(
            self,
            n_trees=1 if self.single_tree else n_trees,
            seed=draw_seed(np.random.RandomState(seed % 2**31)),
            unlabeled_weight=None,
            out_of_bag=False,
            verbose=0,
            is_inner=True,
            tuned=tuned,
        )


def draw_seed(random_state: np.random.RandomState) -> int:
    """Draw the seed of all random numbers of a forest."""
    return int(random_state.randint(np.iinfo(np.int32).max))
