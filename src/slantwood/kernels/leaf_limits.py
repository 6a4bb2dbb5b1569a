"""How small the sides of a split may be, and which splits of a node are therefore not considered."""

from typing import NamedTuple

import numpy as np

from slantwood.kernels.compiling import exact


class LeafLimits(NamedTuple):
    """What each side of a node's split must have at least, and the counts of the node's rows."""

    is_limited: bool  # or else all splits are allowed, and nothing is counted
    min_samples: float  # rows, each as often as it was drawn
    min_weight: float
    counts: np.ndarray  # int32: how often each row was drawn
    n_samples: float  # sum of the counts


@exact
def no_limits():
    """Return limits that allow all splits."""
    return LeafLimits(False, 0.0, 0.0, np.empty(0, np.int32), 0.0)


@exact
def allows(limits, weight, n_samples, total):
    """Whether a split of a node that weighs `total` is allowed, with so much weight and rows on one side."""
    other_weight = total - weight
    other_samples = limits.n_samples - n_samples
    return (
        n_samples >= limits.min_samples
        and other_samples >= limits.min_samples
        and weight >= limits.min_weight
        and other_weight >= limits.min_weight
    )


@exact
def allowed_places(limits, rows, weights, passed, passed_samples, total):
    """Return the first place of a line of rows behind which a cut is allowed, and the one after the last.

    The rows that come before the line weigh `passed`, and are `passed_samples` in number. Along a line one
    side only grows and the other only shrinks, so that all places between the two are allowed.
    """
    first = rows.shape[0]
    last = 0
    if not limits.is_limited:
        return last, first
    weight = passed
    n_samples = passed_samples
    for i in range(rows.shape[0]):
        weight += np.float64(weights[rows[i]])
        n_samples += np.float64(limits.counts[rows[i]])
        if allows(limits, weight, n_samples, total):
            first = min(first, i)
            last = i + 1
    return first, last


@exact
def allows_sides(limits, weights, is_right, total):
    """Whether a split is allowed that puts these rows on the right."""
    weight = 0.0
    n_samples = 0.0
    for i in range(weights.shape[0]):
        if is_right[i]:
            weight += np.float64(weights[i])
            n_samples += np.float64(limits.counts[i])
    return allows(limits, weight, n_samples, total)
