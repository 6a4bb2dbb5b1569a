"""Settings that should follow the data, which only rows that trees did not see can tell.

Label hierarchies choose a level of several settings together, all other tasks the size of leaves, where
there is time for it the split learner, and whether leaves of numbers have slopes. What is chosen goes before
the rules of `defaults`.
"""

from dataclasses import replace

import numpy as np

from slantwood.ensemble.audition import audition
from slantwood.ensemble.leaf_model import leaf_model
from slantwood.ensemble.leaf_size import leaf_size
from slantwood.ensemble.noise_levels import noise_level
from slantwood.ensemble.spec import ForestSpec
from slantwood.ensemble.training_data import TrainingData
from slantwood.features.matrix import known_rows
from slantwood.presets import PRESETS

# More rows than these tell no more about the noise; with fewer than the least, folds tell nothing. The many
# labels of a hierarchy make up for rows.
MOST_ROWS = 20_000
LEAST_ROWS = 100
_LEAST_ROWS_OF_HIERARCHY = 30


def tuned(data: TrainingData, spec: ForestSpec) -> ForestSpec:
    """Return the same with what was left at "auto" chosen on unseen rows; a single tree has the defaults."""
    spec = replace(spec, tuned={})
    rows = np.flatnonzero(known_rows(data.Y) & (data.row_weights > 0))
    least = LEAST_ROWS if data.targets.hierarchy is None else _LEAST_ROWS_OF_HIERARCHY
    if not PRESETS[spec.preset].tunes or spec.single_tree or len(rows) < least:
        return spec
    rows = np.random.default_rng(spec.seed).permutation(rows)[:MOST_ROWS]
    if data.targets.hierarchy is not None:
        return replace(spec, tuned=noise_level(data, spec, rows))
    heard = audition(data, spec, rows) if spec.auditions else None
    spec = heard or replace(spec, tuned=leaf_size(data, spec, rows))
    return replace(spec, tuned={**(spec.tuned or {}), **leaf_model(data, spec, rows)})
