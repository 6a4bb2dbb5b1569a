"""Settings that should follow the noise of the data, which only rows that trees did not see can tell.

Label hierarchies choose a level of several settings together, all other tasks the size of leaves. What is
chosen goes before the rules of `defaults`.
"""

from typing import Any

import numpy as np

from slantwood.ensemble.leaf_size import leaf_size
from slantwood.ensemble.noise_levels import noise_level
from slantwood.ensemble.spec import ForestSpec
from slantwood.ensemble.training_data import TrainingData
from slantwood.features.matrix import known_rows

# More rows than these tell no more about the noise; with fewer than the least, folds tell nothing.
_MOST_ROWS = 20_000
_LEAST_ROWS = 30


def tuned_settings(data: TrainingData, spec: ForestSpec) -> dict[str, Any]:
    """Return settings chosen on unseen rows, only those that were left at "auto"; none for a single tree."""
    rows = np.flatnonzero(known_rows(data.Y) & (data.row_weights > 0))
    if spec.single_tree or len(rows) < _LEAST_ROWS:
        return {}
    rows = np.random.default_rng(spec.seed).permutation(rows)[:_MOST_ROWS]
    return leaf_size(data, spec, rows) if data.targets.hierarchy is None else noise_level(data, spec, rows)
