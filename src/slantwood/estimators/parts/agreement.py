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

import numpy as np
import scipy.sparse as sp

from slantwood.ensemble.growing import planned
from slantwood.ensemble.settings import Settings, count_features
from slantwood.ensemble.training_data import TrainingData
from slantwood.estimators.callbacks import fitted_attributes
from slantwood.estimators.parts.witnesses import witnesses_of_features, witnesses_of_targets
from slantwood.features.rows import join_rows, n_rows_of, take_rows
from slantwood.presets import PRESETS

# What a thread holds while it splits the root, as a part of the bytes of encoded rows: the cells that the
# split looks at and what learns it, which takes a fifth as much; by columns, too, where it looks at one
# feature after the other. `docs/out_of_core.md` has the measurements.
MOST_OF_A_THREAD = 2.0
_WITH_LEARNING = 1.2
_LEAST_OF_A_THREAD, _LEAST_OF_SPARSE = 0.5, 1.0

# Rows that all parts show beside their witnesses: how frequent categories are, means and spreads of targets
# and whether values are missing for a reason are learned from these.
SAMPLE_ROWS = 50_000


class PartOfRows(NamedTuple):
    """Some of the rows, in the forms that `fit` takes."""

    X: Any
    y: Any
    weights: np.ndarray | None  # None where all rows have weight 1

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return n_rows_of(self.X)

    def rows(self, rows: np.ndarray) -> PartOfRows:
        """Return some of the rows."""
        weights = None if self.weights is None else self.weights[rows]
        return PartOfRows(take_rows(self.X, rows), take_rows(self.y, rows), weights)


def joined(parts: Sequence[PartOfRows]) -> PartOfRows:
    """Put parts below one another; those without rows are left out."""
    parts = [part for part in parts if part.n_rows] or list(parts[:1])
    weights = None
    if any(part.weights is not None for part in parts):
        weights = np.concatenate(
            [np.ones(part.n_rows) if part.weights is None else part.weights for part in parts]
        )
    return PartOfRows(join_rows([part.X for part in parts]), join_rows([part.y for part in parts]), weights)


def checked_part(X: Any, y: Any, weights: Any, number: int) -> PartOfRows:
    """Return a part whose lengths agree."""
    n_rows = n_rows_of(X)
    for name, other in (("y", y), ("sample_weight", weights)):
        if other is not None and n_rows_of(other) != n_rows:
            raise ValueError(
                f"part {number} of X has {n_rows} rows, and that of {name} has {n_rows_of(other)}; divide "
                f"X and {name} in the same way"
            )
    return PartOfRows(X, y, None if weights is None else np.asarray(weights, np.float64).ravel())


class Glimpse(NamedTuple):
    """Rows that stand for a part."""

    part: PartOfRows  # weighted by the number of rows that each stands for
    n_rows: int  # of the whole part
    weight: float  # of all its rows
    n_weighted: int  # rows of positive weight


def glimpse(part: PartOfRows, n_sample: int, seed: int, *, are_classes: bool) -> Glimpse:
    """Return rows that stand for a part: those that show its values, and some of the others.

    Parameters
    ----------
    part : PartOfRows
        All rows of the part.
    n_sample : int
        Rows that are drawn at random, beside the others, where there are so many.
    seed : int
        Of the draw.
    are_classes : bool
        Whether whole numbers in y are classes.

    Returns
    -------
    Glimpse
        The rows, each with the number of rows that it stands for times its weight.
    """
    n_rows = part.n_rows
    weights = np.ones(n_rows) if part.weights is None else part.weights
    if not n_rows:
        return Glimpse(part, 0, 0.0, 0)
    has_weight = np.flatnonzero(weights > 0)
    shown = part if len(has_weight) == n_rows else part.rows(has_weight)
    certain = has_weight[
        np.union1d(witnesses_of_features(shown.X), witnesses_of_targets(shown.y, are_classes=are_classes))
    ]
    others = np.setdiff1d(np.arange(n_rows), certain, assume_unique=True)
    drawn = others
    if len(others) > n_sample:
        drawn = np.random.default_rng(seed).choice(others, n_sample, replace=False)
    stands_for = np.ones(n_rows)
    stands_for[drawn] = len(others) / max(len(drawn), 1)
    rows = np.sort(np.concatenate([certain, drawn]))
    kept = part.rows(rows)._replace(weights=(weights * stands_for)[rows])
    return Glimpse(kept, n_rows, float(weights.sum()), len(has_weight))


class Agreement(NamedTuple):
    """How every part is to be read."""

    reader: Any  # an estimator without trees
    clustering: Any  # what scores splits, by name; None for the targets
    n_rows: int
    weight_factor: float  # of given row weights
    bytes_per_row: float  # of encoded features and targets
    of_thread: float  # what a thread holds beside all rows, as a part of their bytes

    def read(self, part: PartOfRows) -> TrainingData:
        """Check and encode the rows of a part."""
        weights = None if part.weights is None else part.weights * self.weight_factor
        return copy(self.reader)._read(part.X, part.y, weights, self.clustering, None, None)


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
    data = reader._read(rows.X, rows.y, rows.weights, clustering, feature_names, target_names)
    outline = planned(data, reader._spec(data, None)).outline
    # To read a part is to read rows for trees that are added to a forest: one without trees yet.
    reader.__dict__.update(fitted_attributes(replace(outline, tuned=None).forest()), warm_start=True)
    # Weights below 1 on average are scaled, as those of a single part are, but by what all parts have.
    mean = sum(each.weight for each in glimpses) / n_weighted
    return Agreement(
        reader,
        clustering,
        n_rows,
        weight_factor=1.0 / min(mean, 1.0),
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
