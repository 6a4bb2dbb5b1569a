"""The rows that a tree is grown on. One index array is partitioned in place; a node is a range of it."""

from typing import NamedTuple

import numpy as np

from slantwood.kernels.compiling import exact
from slantwood.kernels.random import below
from slantwood.kernels.scratch import copy_into


class Sample(NamedTuple):
    """Distinct rows of the data, in the order that growing gives them."""

    rows: np.ndarray  # uint32
    counts: np.ndarray  # int32, how often each was drawn
    weights: np.ndarray  # float32


class Size(NamedTuple):
    """How many rows a sample has, counted in four ways."""

    drawn: float  # by the bootstrap, or in all
    weight: float
    effective: float  # so many rows of equal weight are as good as these: (sum w)^2 / sum w^2
    effective_draws: float  # the same of the draws, of which a row may have several


@exact
def size_of(sample):
    """Count the rows of a sample."""
    n_drawn = 0
    weight = 0.0
    squares = 0.0
    squares_of_draws = 0.0
    for i in range(sample.weights.shape[0]):
        r = np.float64(sample.weights[i])
        n_drawn += sample.counts[i]
        weight += r
        squares += r * r
        squares_of_draws += r * r / np.float64(sample.counts[i])
    drawn = np.float64(n_drawn)
    return Size(drawn, weight, weight * weight / squares, weight * weight / squares_of_draws)


@exact
def shuffle(sample, state):
    """Put the rows in random order."""
    rows, counts, weights = sample
    for i in range(rows.shape[0] - 1, 0, -1):
        k = below(state, i + 1)
        rows[i], rows[k] = rows[k], rows[i]
        counts[i], counts[k] = counts[k], counts[i]
        weights[i], weights[k] = weights[k], weights[i]


@exact
def partition(sample, is_right, spare):
    """Bring the rows of the left side to the front, order kept on both sides; return their number.

    `spare` has the memory for a sample of this size.
    """
    rows, counts, weights = sample
    n_left = 0
    n_right = 0
    for i in range(rows.shape[0]):
        if is_right[i]:
            spare.rows[n_right] = rows[i]
            spare.counts[n_right] = counts[i]
            spare.weights[n_right] = weights[i]
            n_right += 1
        else:
            rows[n_left] = rows[i]
            counts[n_left] = counts[i]
            weights[n_left] = weights[i]
            n_left += 1
    copy_into(rows[n_left:], spare.rows[:n_right])
    copy_into(counts[n_left:], spare.counts[:n_right])
    copy_into(weights[n_left:], spare.weights[:n_right])
    return n_left
