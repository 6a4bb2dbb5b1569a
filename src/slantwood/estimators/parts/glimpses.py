"""A few rows that stand for a part of the rows, or for several parts.

Some are there because they show a value, such as a category that occurs nowhere else; the others are drawn at
random. What an estimator learns about X and y before it grows trees, it learns from these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from slantwood.estimators.parts.part_of_rows import PartOfRows, joined
from slantwood.estimators.parts.witnesses import witnesses_of_features, witnesses_of_targets

# Rows that all parts show beside their witnesses: how frequent categories are, means and spreads of targets
# and whether values are missing for a reason are learned from these.
SAMPLE_ROWS = 50_000


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
    certain = has_weight[_witnesses(shown, are_classes)]
    others = np.setdiff1d(np.arange(n_rows), certain, assume_unique=True)
    drawn = others
    if len(others) > n_sample:
        drawn = np.random.default_rng(seed).choice(others, n_sample, replace=False)
    stands_for = np.ones(n_rows)
    stands_for[drawn] = len(others) / max(len(drawn), 1)
    rows = np.sort(np.concatenate([certain, drawn]))
    kept = part.rows(rows)._replace(weights=(weights * stands_for)[rows])
    return Glimpse(kept, n_rows, float(weights.sum()), len(has_weight))


def merged(glimpses: Sequence[Glimpse], n_sample: int, seed: int, *, are_classes: bool) -> Glimpse:
    """Return one glimpse of several parts: what each of them shows, all need not.

    Parameters
    ----------
    glimpses : sequence of Glimpse
        Of the parts.
    n_sample : int
        Rows that are drawn beside those that show a value, where there are so many.
    seed : int
        Of the draw.
    are_classes : bool
        Whether whole numbers in y are classes.

    Returns
    -------
    Glimpse
        Rows of the parts, which stand for as many as all of them did.
    """
    counts = (sum(each.n_rows for each in glimpses), sum(each.weight for each in glimpses))
    n_weighted = sum(each.n_weighted for each in glimpses)
    rows = joined([each.part for each in glimpses])
    if not n_weighted:
        return Glimpse(rows, *counts, n_weighted)
    assert rows.weights is not None  # some part has rows, whose glimpse says what they stand for
    rows = rows.rows(np.flatnonzero(rows.weights > 0))
    weights = np.asarray(rows.weights)
    certain = _witnesses(rows, are_classes)
    others = np.setdiff1d(np.arange(rows.n_rows), certain, assume_unique=True)
    if len(others) > n_sample:
        rng = np.random.default_rng(seed)
        others = rng.permutation(others)
        # The more a row stands for, the likelier it is drawn; those drawn then stand for equally much each.
        ends = np.cumsum(weights[others])
        steps = (np.arange(n_sample) + rng.random()) * (ends[-1] / n_sample)
        places = np.minimum(np.searchsorted(ends, steps, side="right"), len(others) - 1)
        others, times = np.unique(others[places], return_counts=True)
        weights[others] = times * (ends[-1] / n_sample)
    return Glimpse(rows.rows(np.sort(np.concatenate([certain, others]))), *counts, n_weighted)


def _witnesses(part: PartOfRows, are_classes: bool) -> np.ndarray:
    of_targets = witnesses_of_targets(part.y, are_classes=are_classes)
    return np.union1d(witnesses_of_features(part.X), of_targets)
