"""The rules by which parameters left at "auto" get their values.

Choices look at the numbers (rows, features, share of zeros, kind and number of targets) and at whether
features are nominal, never at the container the data came in. `docs/defaults.md` has the measurements behind
them. What was chosen is visible on a fitted estimator as `settings_`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from slantwood.task_names import CLASS_TASKS, HIERARCHICAL, LABEL_TASKS, SEVERAL_TASKS

# From this number of labels on, targets are many and rare: no single split can serve them all, and a
# balanced cut along a random supported direction beats a long search for the purest one.
MANY_TARGETS = 30

THOUSANDS = 1000

# Below this share of non-zeros, features are like counts of words.
SPARSE_FEATURES = 0.1

# From this number of rows on, the two thirds of them that a bootstrap sample has are as good as all.
MANY_ROWS = 50_000


@dataclass(frozen=True)
class DataTraits:
    """What choices may depend on."""

    task: str
    n_rows: int  # effective ones, where weights differ
    n_features: int
    n_targets: int
    nonzero_features: float  # share of the cells of X
    wide_nominal: bool  # whether X became mostly zeros because nominal features have many values
    features_nonnegative: bool
    single_tree: bool
    sketched: bool  # whether a random projection of the targets scores splits

    @property
    def sparse_features(self) -> bool:
        """Whether features are like counts of words."""
        return self.nonzero_features < SPARSE_FEATURES

    @property
    def many_rows(self) -> bool:
        """Whether the two thirds of the rows that a bootstrap sample has are as good as all."""
        return self.n_rows >= MANY_ROWS

    @property
    def many_labels(self) -> bool:
        """Whether labels are so many that no single split can serve them all."""
        return self.task in LABEL_TASKS and self.n_targets >= MANY_TARGETS


def resolve_auto(traits: DataTraits, split: Any, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return a value for every parameter that can be "auto", of the estimator and of its split.

    What the split learner prefers goes before the rules, and what was `chosen`, by a preset or on rows that
    trees did not see, before both.
    """
    sparse, many = traits.sparse_features, traits.many_labels
    settings: dict[str, Any] = {
        "normalize_rows": sparse and traits.features_nonnegative,
        "normalize_labels": many,
        "bootstrap": False,
        "max_features": 0.5,
        "min_samples_split": 2,
        "min_samples_leaf": 1,
        "min_impurity_decrease": 0.05,
        "acceptance": "direction",
        "feature_sampling": "varying",
        "C": 10.0,
        "start": "noise",
        "max_iter": 100,
        "learning_rate": 0.1,
        "threshold": "learned",
        "feature_power": 1.0,
        "target_power": 1.0,
        "batch_size": 2000,
        "min_support": 1,
        "competitor": None,
        "min_part": 0.0,
        "leaves": "linear",
    }
    if traits.task == "regression":
        # Trees on one number are nearly equal unless their rows differ.
        settings |= {"bootstrap": True, "max_features": 1.0}
    elif traits.task == "multi-target regression":
        settings |= {"threshold": "exact"}
    elif traits.task == "multi-class":
        settings |= {"start": "informed", "max_iter": 40}
    elif traits.task in SEVERAL_TASKS:
        # Rows that are pure in one target are divided for the sake of another. Trees of the same rows agree
        # too much in what is chance for most targets, and the smallest nodes have nothing but chance.
        settings |= {"start": "informed", "max_iter": 40, "bootstrap": True, "min_samples_split": 5}
    if traits.many_rows:
        settings |= {"bootstrap": True}
    if traits.wide_nominal:
        # Standardised, a rare value would weigh as much as a frequent one.
        settings |= {"feature_power": 0.5, "bootstrap": True}
        # With other rows for each tree, all features and fewer steps are as good, and faster.
        if settings["start"] == "informed":
            settings |= {"max_iter": 15, "max_features": 1.0}
    if many or sparse:
        # Small leaves rank rare labels badly, but where labels are thousands each needs its few rows.
        settings |= {"start": "informed", "max_iter": 20, "target_power": 0.75, "threshold": "learned"}
        settings |= {"min_samples_split": 10 if traits.n_targets < THOUSANDS else 5}
    if sparse:
        settings |= {"max_features": 1.0, "feature_power": 0.25, "learning_rate": 0.04, "min_support": 2}
        settings |= {"min_part": 0.3}
        if traits.n_targets == 1:
            # One target supports one direction: without other rows and features all trees are equal.
            settings |= {"bootstrap": True, "max_features": 0.5}
    if traits.task == HIERARCHICAL and not traits.single_tree:
        settings |= {"max_features": 1.0}
    settings |= split.preferences(traits)
    settings |= chosen
    if traits.sketched:
        # Mixed columns have no scales of their own; what the targets' scales were is in the mixture.
        settings["target_power"] = 0.0
    if traits.single_tree:
        # Nothing to differ from and nothing to average: all rows and features, and larger leaves of numbers
        # and labels, whose means a few rows do not tell; but of fifty rows a tenth is five.
        settings |= {"bootstrap": False, "max_features": 1.0, "start": "informed", "threshold": "learned"}
        if traits.task not in CLASS_TASKS and "min_samples_split" not in chosen:
            larger = max(2, min(10, traits.n_rows // 10))
            settings["min_samples_split"] = max(settings["min_samples_split"], larger)
        settings["max_iter"] = 20 if sparse else 100
    return settings
