"""What rows that lie in several parts are, all parts taken together.

Each part shows a few of its rows: some that have every value (`witnesses`), and some drawn at random. From
these, weighted so that they stand for all, an estimator learns the encoding of X and what y is, as it does
from all rows at once. The result is an estimator without trees, by which every part is read in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy, deepcopy
from dataclasses import replace
from typing import Any, NamedTuple

import scipy.sparse as sp

from slantwood.ensemble.growing import planned
from slantwood.ensemble.settings import Settings, count_features
from slantwood.ensemble.training_data import TrainingData
from slantwood.estimators.callbacks import fitted_attributes
from slantwood.estimators.parts.glimpses import Glimpse
from slantwood.estimators.parts.part_of_rows import PartOfRows, joined
from slantwood.presets import PRESETS

# What a thread holds while it splits the root, as a part of the bytes of encoded rows: the cells that the
# split looks at and what learns it, which takes a fifth as much; by columns, too, where it looks at one
# feature after the other. `docs/out_of_core.md` has the measurements.
MOST_OF_A_THREAD = 2.0
_WITH_LEARNING = 1.2
_LEAST_OF_A_THREAD, _LEAST_OF_SPARSE = 0.5, 1.0


class Agreement(NamedTuple):
    """How every part is to be read."""

    reader: Any  # an estimator without trees
    clustering: Any  # what scores splits, by name; None for the targets
    n_rows: int
    mean_weight: float  # of the given row weights that are positive
    bytes_per_row: float  # of encoded features and targets
    of_thread: float  # what a thread holds beside all rows, as a part of their bytes

    def read(self, part: PartOfRows) -> TrainingData:
        """Check and encode the rows of a part."""
        given = (part.X, part.y, part.weights, self.clustering, None, None)
        return copy(self.reader)._read(*given, mean_weight=self.mean_weight)


def agree(
    estimator: Any,
    glimpses: Sequence[Glimpse],
    clustering: Any = None,
    feature_names: Sequence[str] | None = None,
    target_names: Sequence[str] | None = None,
) -> Agreement:
    """Learn what X and y are from rows that stand for all parts.

    Parameters
    ----------
    estimator : estimator
        Whose parameters say how; it is not changed.
    glimpses : sequence of Glimpse
        Of all parts.
    clustering : str, optional
        What scores splits, by name.
    feature_names, target_names : sequence of str, optional
        As `fit` takes them.

    Returns
    -------
    Agreement
        An estimator that reads parts, and what is known of all rows together.
    """
    n_rows = sum(each.n_rows for each in glimpses)
    n_weighted = sum(each.n_weighted for each in glimpses)
    if n_rows < 2:
        raise ValueError(f"X has {n_rows} rows in all its parts; it needs at least 2")
    if not n_weighted:
        raise ValueError("sample_weight is zero for every row; at least one row must have a positive weight")
    rows = joined([each.part for each in glimpses])
    reader = copy(estimator)
    # A RandomState draws the seed here and, where all rows fit, again in the usual fit: the same one.
    reader.random_state = deepcopy(estimator.random_state)
    reader.warm_start = False
    mean_weight = sum(each.weight for each in glimpses) / n_weighted
    given = (rows.X, rows.y, rows.weights, clustering, feature_names, target_names)
    data = reader._read(*given, mean_weight=mean_weight)
    outline = planned(data, reader._spec(data, None)).outline
    # To read a part is to read rows for trees that are added to a forest: one without trees yet.
    reader.__dict__.update(fitted_attributes(replace(outline, tuned=None).forest()), warm_start=True)
    return Agreement(
        reader,
        clustering,
        n_rows,
        mean_weight=mean_weight,
        bytes_per_row=_n_bytes(data) / rows.n_rows,
        of_thread=_of_thread(outline.settings, data),
    )


def part_of_a_thread(of_features: float, *, by_columns: bool, is_sparse: bool) -> float:
    """Return what a thread holds while it splits the root, as a part of the bytes of encoded rows.

    Parameters
    ----------
    of_features : float
        The part of the features that a split looks at.
    by_columns : bool
        Whether it looks at one feature after the other, for which cells are held by columns, too.
    is_sparse : bool
        Whether X is CSR, where features that many rows have are drawn more often.

    Returns
    -------
    float
        The part.
    """
    cells = (of_features**0.5 if is_sparse else of_features) * (2.0 if by_columns else 1.0)
    least = _LEAST_OF_SPARSE if is_sparse else _LEAST_OF_A_THREAD
    return min(max(_WITH_LEARNING * cells, least), MOST_OF_A_THREAD)


def _of_thread(settings: Settings, data: TrainingData) -> float:
    if PRESETS[settings.preset].auditions:
        return MOST_OF_A_THREAD  # another split learner may be chosen
    n_features = data.X.shape[1]
    width = count_features(settings.max_features, n_features, settings.split.fewest_features)
    by_columns = getattr(settings.split, "competitor", "axis") == "axis"
    return part_of_a_thread(width / n_features, by_columns=by_columns, is_sparse=sp.issparse(data.X))


def _n_bytes(data: TrainingData) -> int:
    """Return the bytes of the encoded features and targets."""
    arrays = [(each.data, each.indices) if sp.issparse(each) else (each,) for each in (data.X, data.Y)]
    return sum(array.nbytes for pair in arrays for array in pair)
