"""Settings that should follow the data, which only rows that trees did not see can tell.

Label hierarchies choose a level of several settings together, all other tasks the size of leaves, where
there is time for it the split learner, and whether leaves of numbers have slopes. What is chosen goes before
the rules of `defaults`.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from slantwood.ensemble.audition import audition
from slantwood.ensemble.leaf_model import leaf_model
from slantwood.ensemble.leaf_size import is_open, leaf_size, pilot
from slantwood.ensemble.noise_levels import likely_levels, noise_level
from slantwood.ensemble.spec import ForestSpec
from slantwood.ensemble.training_data import TrainingData
from slantwood.features.matrix import effective_rows, known_rows
from slantwood.presets import PRESETS

# More rows than these tell no more about the noise; with fewer than the least, folds tell nothing. The many
# labels of a hierarchy make up for rows.
MOST_ROWS = 20_000
LEAST_ROWS = 100
_LEAST_ROWS_OF_HIERARCHY = 30


def tuned(data: TrainingData, spec: ForestSpec) -> ForestSpec:
    """Return the same with what was left at "auto" chosen on unseen rows; a single tree has the defaults."""
    spec = replace(spec, tuned={})
    rows = _telling_rows(data, spec)
    if rows is None:
        return spec
    if data.targets.hierarchy is not None:
        return replace(spec, tuned=noise_level(data, spec, rows))
    heard = audition(data, spec, rows) if spec.auditions else None
    spec = heard or replace(spec, tuned=leaf_size(data, spec, rows))
    return replace(spec, tuned={**(spec.tuned or {}), **leaf_model(data, spec, rows)})


def likely_settings(data: TrainingData, spec: ForestSpec, n_rows: int) -> list[dict[str, Any]]:
    """Return what `tuned` may choose on more rows like these, or on others: each by itself, in order.

    Where settings differ by less than chance, it is open which of them a fit will choose. Split learners that
    are auditioned, and slopes of leaves, are not looked at.

    Parameters
    ----------
    data : TrainingData
        Some rows.
    spec : ForestSpec
        What is asked for.
    n_rows : int
        Rows that there will be.

    Returns
    -------
    list of dict of str to object
        Settings at a tenth, half and nine tenths of redraws of these rows; none where nothing is chosen.
    """
    spec = replace(spec, tuned={})
    rows = _telling_rows(data, spec)
    if rows is None or spec.auditions:
        return []
    n_telling = min(round(n_rows * len(rows) / data.X.shape[0]), MOST_ROWS)
    if data.targets.hierarchy is not None:
        return likely_levels(data, spec, rows, n_telling)
    if not is_open(spec):
        return []
    return [{"min_samples_split": size} for size in pilot(data, spec, rows).likely(n_telling)]


def _telling_rows(data: TrainingData, spec: ForestSpec) -> np.ndarray | None:
    """Return the rows to choose by, in random order; None where nothing is to be chosen."""
    rows = np.flatnonzero(known_rows(data.Y) & (data.row_weights > 0))
    least = LEAST_ROWS if data.targets.hierarchy is None else _LEAST_ROWS_OF_HIERARCHY
    if not PRESETS[spec.preset].tunes or spec.single_tree or not len(rows):
        return None
    if effective_rows(data.row_weights[rows]) < least:
        return None
    return np.random.default_rng(spec.seed).permutation(rows)[:MOST_ROWS]
