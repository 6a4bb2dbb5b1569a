"""A node's block turned on its side: one feature after another, for work that goes feature by feature."""

from typing import NamedTuple

import numpy as np

from slantwood.kernels.compiling import exact, indexed, vectorised
from slantwood.kernels.scratch import scratch
from slantwood.machine_code.kernel import as_matrix

# Rows that are turned at a time: their values stay in the cache while each column takes its share.
_TILE = 32


class Columns(NamedTuple):
    """Columns of a block, each row multiplied by a factor; stored values only, so without the means."""

    is_dense: bool
    values: np.ndarray  # (d, n) float32; (0, 0) when sparse
    indptr: np.ndarray
    rows: np.ndarray
    data: np.ndarray
    n_rows: int
    n_columns: int


@exact
def columns_of(block, factors):
    """Turn diag(factors) @ (stored values of the block)."""
    if block.is_dense:
        return _turn_dense(block, factors)
    return _turn_sparse(block, factors)


@exact
def _turn_dense(block, factors):
    n = block.n_rows
    d = block.n_columns
    values = as_matrix(scratch(n * d, np.float32), d, n)
    for start in range(0, n, _TILE):
        stop = min(start + _TILE, n)
        for j in range(d):
            for i in range(start, stop):
                values[j, i] = factors[i] * block.values[i, j]
    return Columns(True, values, np.empty(0, np.int64), np.empty(0, np.uint32), values[0, :0], n, d)


@indexed
def _turn_sparse(block, factors):
    n = block.n_rows
    d = block.n_columns
    # Counts, then starts, then, while columns fill up, their ends: shifted by one column they are starts.
    indptr = np.zeros(d + 2, np.int64)
    for k in range(block.indices.shape[0]):
        indptr[block.indices[k] + np.uint32(2)] += 1
    for j in range(2, d + 2):
        indptr[j] += indptr[j - 1]
    rows = scratch(block.indices.shape[0], np.uint32)
    data = scratch(block.indices.shape[0], np.float32)
    for i in range(n):
        for k in range(np.uint64(block.indptr[i]), np.uint64(block.indptr[i + 1])):
            j = block.indices[k] + np.uint32(1)
            place = np.uint64(indptr[j])
            rows[place] = i
            data[place] = factors[i] * block.data[k]
            indptr[j] += 1
    return Columns(False, as_matrix(data, 0, 0), indptr[: d + 1], rows, data, n, d)


@exact
def inner(columns, j, vector):
    """Inner product of a column with a float64 vector over the rows."""
    if columns.is_dense:
        return dense_inner(columns.values[j], vector)
    return _sparse_inner(columns.indptr[j], columns.indptr[j + 1], columns.rows, columns.data, vector)


@exact
def add_column(columns, j, factor, out):
    """Add a multiple of a column to a float64 vector over the rows."""
    if columns.is_dense:
        dense_add(columns.values[j], factor, out)
    else:
        _sparse_add(columns.indptr[j], columns.indptr[j + 1], columns.rows, columns.data, factor, out)


@vectorised
def dense_inner(column, vector):
    """Inner product of a float32 column that has a value for each row with a float64 vector."""
    total = 0.0
    for i in range(column.shape[0]):
        total += np.float64(column[i]) * vector[i]
    return total


@indexed
def _sparse_inner(start, stop, rows, data, vector):
    total = 0.0
    for k in range(np.uint64(start), np.uint64(stop)):
        total += np.float64(data[k]) * vector[rows[k]]
    return total


@vectorised
def dense_add(column, factor, out):
    """Add a multiple of a float32 column that has a value for each row to a float64 vector."""
    for i in range(column.shape[0]):
        out[i] += factor * np.float64(column[i])


@indexed
def _sparse_add(start, stop, rows, data, factor, out):
    for k in range(np.uint64(start), np.uint64(stop)):
        out[rows[k]] += factor * np.float64(data[k])
