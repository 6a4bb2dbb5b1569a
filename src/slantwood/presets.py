"""Named answers to "how much time for how much quality": what `preset=` stands for.

A preset fills in what was left at "auto", the split learner among it; whatever is given goes before it. To
add one, add a line to the table; `docs/defaults.md` has the measurements.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Preset:
    """What is different from the rules of `ensemble.defaults`."""

    trees: float = 1.0  # times `n_estimators`
    tunes: bool = True  # whether settings are chosen on rows that trees did not see
    auditions: bool = False  # and the split learner too
    published: bool = False  # whether that is the publication's form of the gradient split
    settings: Mapping[str, Any] = field(default_factory=dict)
    single_trees: bool = False  # whether there is anything in it for a tree alone

    def count(self, n_estimators: int) -> int:
        """Return how many trees are grown."""
        return math.ceil(self.trees * n_estimators)


PRESETS: dict[str, Preset] = {
    "default": Preset(single_trees=True),
    "fast": Preset(trees=0.7, tunes=False, settings={"max_iter": 20}),
    "best": Preset(trees=4.0, auditions=True),
    "paper": Preset(
        tunes=False,
        published=True,
        settings={
            "bootstrap": True,
            "max_features": None,
            "min_samples_split": 2,
            "acceptance": "impurity",
            "feature_sampling": "all",
            "normalize_rows": False,
            "normalize_labels": False,
        },
        single_trees=True,
    ),
}
