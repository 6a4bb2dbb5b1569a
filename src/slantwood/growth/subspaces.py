"""Which of a node's features a split may combine, where `max_features` limits them."""

import math

import numpy as np

from slantwood.kernels.compiling import exact
from slantwood.kernels.random import below, uniform
from slantwood.kernels.scratch import scratch
from slantwood.kernels.sorting import sort_rows, sorting_workspace
from slantwood.kernels.workspace import measure_some, swap_columns


@exact
def choose_features(matrix, workspace, n_rows, n_active, size, per_row, state):
    """Move a random subset of the active columns to the front; return its size.

    Of a sparse matrix columns are drawn in proportion to the rows of the node that have them, and on until
    a row has `per_row` of those drawn on average: most of its columns say something about a handful of
    rows only, and a subset of those divides nothing.
    """
    if size >= n_active:
        return n_active
    if matrix.is_dense:
        for j in range(size):
            swap_columns(workspace, j, j + below(state, n_active - j))
        return size
    # Exponential waiting times at these rates: the order of arrival is a weighted draw without replacement
    # (Efraimidis & Spirakis 2006).
    arrival = scratch(n_active, np.float32)
    for j in range(n_active):
        arrival[j] = -math.log(np.float32(uniform(state))) / np.float32(workspace.support[j])
    order = sort_rows(arrival, sorting_workspace(n_active))
    values = 0
    count = 0
    while count < n_active and (count < size or values < per_row * n_rows):
        values += workspace.support[order[count]]
        count += 1
    latest = arrival[order[count - 1]]
    front = 0
    for j in range(n_active):
        if arrival[j] <= latest and front < count:
            swap_columns(workspace, front, j)
            front += 1
    return count


@exact
def draw_features(matrix, rows, weights, workspace, columns, n_drawn, n_active, size, state):
    """Draw columns of a dense matrix until `size` of them vary over the rows; these are measured.

    `columns` holds all of them, the first `n_drawn` of which have been drawn, and `n_active` of those vary.
    Returns both numbers anew.
    """
    while n_active < size and n_drawn < matrix.n_columns:
        wanted = min(size - n_active, matrix.n_columns - n_drawn)
        for k in range(wanted):
            other = n_drawn + below(state, matrix.n_columns - n_drawn)
            columns[n_drawn], columns[other] = columns[other], columns[n_drawn]
            workspace.columns[n_active + k] = columns[n_drawn]
            n_drawn += 1
        n_active = measure_some(matrix.values, rows, weights, n_active, n_active + wanted, workspace)
    return n_drawn, n_active
