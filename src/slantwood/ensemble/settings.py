"""The values in use of all parameters that can be "auto"."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from slantwood.ensemble.defaults import SPARSE_FEATURES, DataTraits, resolve_auto
from slantwood.ensemble.spec import AUTO, ForestSpec
from slantwood.ensemble.training_data import TrainingData
from slantwood.features.matrix import effective_rows, nonzero_share
from slantwood.presets import PRESETS
from slantwood.validation import check_choice, check_integer, check_real


@dataclass(frozen=True)
class Settings:
    """Parameters of a fit, none of them left open."""

    bootstrap: bool
    max_features: int | float | str | None
    min_samples_split: int | float
    min_impurity_decrease: float
    normalize_rows: bool
    normalize_labels: bool
    max_depth: int | None
    split: Any  # a split learner; None in a file that was saved without one
    # Older model files do not have those that follow.
    min_samples_leaf: int | float = 1
    min_weight_fraction_leaf: float = 0.0
    max_leaf_nodes: int | None = None
    max_samples: int | float | None = None
    ccp_alpha: float = 0.0
    ftest: float | None = None
    preset: str = "default"
    leaves: str = "mean"
    acceptance: str = "direction"
    feature_sampling: str = "varying"

    def to_dict(self) -> dict[str, Any]:
        """Return the settings by name."""
        return dict(vars(self))


class Candidate(NamedTuple):
    """A kind of tree that takes part in the contest of each round of boosting."""

    split: Any
    max_features: int | float | str | None


@dataclass(frozen=True)
class BoostingSettings(Settings):
    """Parameters of a boosted fit, none of them left open; `split` is that of the first candidate."""

    candidates: tuple[Candidate, ...] = ()
    loss: str = "squared_error"
    learning_rate: float = 0.1
    subsample: float = 1.0
    l2_regularization: float = 0.0

    def __post_init__(self) -> None:
        """Make candidates of plain tuples, which a model file has."""
        object.__setattr__(self, "candidates", tuple(Candidate(*each) for each in self.candidates))


def settings_from(values: Mapping[str, Any]) -> Settings:
    """Make settings of values by name, those of a boosted fit where there are candidates."""
    return BoostingSettings(**values) if "candidates" in values else Settings(**values)


def resolve_settings(data: TrainingData, spec: ForestSpec, n_targets: int, *, sketched: bool) -> Settings:
    """Fill in what was left at "auto", in the split learner too.

    Parameters
    ----------
    data : TrainingData
        The rows.
    spec : ForestSpec
        What was asked for.
    n_targets : int
        Number of targets that count in the choice of splits.
    sketched : bool
        Whether a random projection stands for them.
    """
    traits = data_traits(data, n_targets, single_tree=spec.single_tree, sketched=sketched)
    chosen = resolve_auto(traits, spec.split, {**PRESETS[spec.preset].settings, **(spec.tuned or {})})
    values = {each.name: getattr(spec, each.name) for each in fields(Settings)}
    values |= {
        name: chosen[name] for name, value in values.items() if isinstance(value, str) and value == AUTO
    }
    values["split"] = spec.split.filled_in(chosen)
    if spec.out_of_bag or spec.max_samples is not None:
        values["bootstrap"] = True
    return Settings(**values)


def data_traits(data: TrainingData, n_targets: int, *, single_tree: bool, sketched: bool) -> DataTraits:
    """Return what choices may depend on.

    Parameters
    ----------
    data : TrainingData
        The rows.
    n_targets : int
        Number of targets that count in the choice of splits.
    single_tree : bool
        Whether there is one tree only.
    sketched : bool
        Whether a random projection stands for the targets.
    """
    stored = data.X.data if sp.issparse(data.X) else data.X
    return DataTraits(
        task=data.targets.task,
        n_rows=effective_rows(data.row_weights),
        n_features=data.X.shape[1],
        n_targets=n_targets,
        nonzero_features=data.encoding.input_nonzero_share(data.X),
        wide_nominal=data.encoding.has_nominal and nonzero_share(data.X) < SPARSE_FEATURES,
        features_nonnegative=bool(np.fmin.reduce(stored, axis=None, initial=0.0) >= 0),
        single_tree=single_tree,
        sketched=sketched,
    )


def count_features(max_features: Any, n_features: int, fewest: int = 1) -> int:
    """Return how many features a split may combine, never less than the `fewest` where X has them."""
    if max_features is None:
        return n_features
    if isinstance(max_features, str):
        check_choice("max_features", max_features, ("sqrt", "log2"))
        count = math.sqrt(n_features) if max_features == "sqrt" else math.log2(max(n_features, 2))
    elif isinstance(max_features, Integral) and not isinstance(max_features, bool):
        count = check_integer("max_features", max_features, 1)
        if count > n_features:
            few = f"give at most {n_features}, the features of X, or a share of them as a float"
            raise ValueError(f"max_features={max_features} is too many; {few}")
    else:
        count = check_real("max_features", max_features, 0.0, 1.0, open_minimum=True) * n_features
    return min(n_features, max(math.ceil(count), fewest))


def count_rows(given: int | float, row_weights: np.ndarray, fewest: int = 1) -> int:
    """Return a number of rows that is given as such or as a share of those that have weight."""
    if isinstance(given, Integral):
        return int(given)
    return max(math.ceil(given * float((row_weights > 0).sum())), fewest)


def count_draws(max_samples: int | float | None, n_rows: int) -> int:
    """Return how many rows a bootstrap sample has."""
    if max_samples is None:
        return n_rows
    return int(max_samples) if isinstance(max_samples, Integral) else max(int(max_samples * n_rows), 1)
