"""Which of a node's features a split may combine, where `max_features` limits them."""

import math

import numpy as np

from slantwood.kernels.block import swap_columns
from slantwood.kernels.compiling import exact
from slantwood.kernels.random import below, uniform
from slantwood.kernels.scratch import scratch


@exact
def choose_features(matrix, room, n_rows, n_active, size, per_row, state):
    """Move a random subset of the active columns to the front; return its size.

    Of a sparse matrix columns are drawn in proportion to the rows of the node that have them, and on until
    a row has `per_row` of those drawn on average: most of its columns say something about a handful of
    rows only, and a subset of those divides nothing.
    """
    if size >= n_active:
        return n_active
    if matrix.is_dense:
        for j in range(size):
            swap_columns(room, j, j + below(state, n_active - j))
        return size
    # Exponential waiting times at these rates: the order of arrival is a weighted draw without replacement
    # (Efraimidis & Spirakis 2006).
    arrival = scratch(n_active, np.float32)
    for j in range(n_active):
        arrival[j] = -math.log(np.float32(uniform(state))) / np.float32(room.support[j])
    while True:
        latest = np.partition(arrival, size - 1)[size - 1]
        values = 0
        for j in range(n_active):
            values += room.support[j] if arrival[j] <= latest else 0
        if values >= per_row * n_rows:
            break
        # Later arrivals are rarer columns, so this is too few rather than too many.
        size = int(size * per_row * n_rows / values) + 1
        if size >= n_active:
            return n_active
    front = 0
    for j in range(n_active):
        if arrival[j] <= latest and front < size:
            swap_columns(room, front, j)
            front += 1
    return size
