"""Which of a node's features a split may combine, where `max_features` limits them."""

import math
from typing import NamedTuple

import numpy as np

from slantwood.kernels.compiling import exact
from slantwood.kernels.random import below, uniform
from slantwood.kernels.scratch import scratch
from slantwood.kernels.sorting import sort_rows, sorting_workspace
from slantwood.kernels.workspace import measure, measure_some, swap_columns

# Where a random subset of the features gives no split, another one is drawn, so many times as large, and so
# on up to all features, before the node becomes a leaf.
_WIDER = 4


class Stream(NamedTuple):
    """A random stream, and the columns that it draws from before they are measured."""

    state: np.ndarray  # uint64
    columns: (
        np.ndarray
    )  # uint32, all of them, in any order; empty where the node's columns are measured first


class Subspace(NamedTuple):
    """The features that a node's split may combine: the first ones of the workspace."""

    size: int
    n_active: int  # features that vary in the node, or may
    n_drawn: int  # columns of the stream that were drawn
    width: int  # the next subspace has so many features


@exact
def make_stream(X, max_features, is_plain, seed):
    """Make the stream of a tree; `is_plain` where features are drawn from all."""
    # Where few of a dense matrix' columns are wanted, it is quicker to measure those only that are drawn.
    draws_first = not is_plain and X.is_dense and _WIDER * max_features <= X.n_columns
    columns = np.arange(X.n_columns if draws_first else 0).astype(np.uint32)
    return Stream(np.array([seed], np.uint64), columns)


@exact
def count_varying(X, here, min_support, workspace, stream):
    """Return how many features vary in a node; all may, where they are drawn before they are measured."""
    if stream.columns.shape[0] > 0:
        return X.n_columns
    n_active = 0
    support = min_support
    while n_active == 0 and support > 0:
        n_active = measure(X, here.rows, here.weights, support, workspace)
        # Before a node is given up, features of single rows will do.
        support = 1 if support > 1 else 0
    return n_active


@exact
def widen(X, here, workspace, subspace, per_row, stream):
    """Draw the next subspace, which is larger."""
    width = _WIDER * subspace.width
    if stream.columns.shape[0] > 0:
        n_drawn, size = draw_features(
            X,
            here.rows,
            here.weights,
            workspace,
            stream.columns,
            subspace.n_drawn,
            subspace.size,
            subspace.width,
            stream.state,
        )
        n_active = size if n_drawn == X.n_columns else subspace.n_active
        return Subspace(size, n_active, n_drawn, width)
    size = choose_features(
        X, workspace, here.rows.shape[0], subspace.n_active, subspace.width, per_row, stream.state
    )
    return Subspace(size, subspace.n_active, subspace.n_drawn, width)


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
def choose_of_all(matrix, workspace, n_active, size, state):
    """Draw features from all, those that do not vary in the node among them; return how many do.

    These move to the front of the workspace.
    """
    if size >= matrix.n_columns:
        return n_active
    count = 0
    for k in range(size):
        # What is left: first the features that vary, then the others.
        drawn = below(state, matrix.n_columns - k)
        if drawn < n_active - count:
            swap_columns(workspace, count, count + drawn)
            count += 1
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
