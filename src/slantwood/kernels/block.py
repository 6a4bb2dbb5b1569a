"""One node's share of the data: its rows, and only those columns that are not constant there.

A block is standardised: dense blocks explicitly, sparse blocks by scaling their stored values and
remembering the scaled means, so that zeros stay unstored. `slantwood.kernels.workspace` finds the columns
that vary and how they are scaled; `gather` writes the first so many of them.

A missing value stands at the mean: 0 in standardised units. Where it matters that it is missing, as in the
clustering attributes, a block also lists it.
"""

from typing import NamedTuple

import numpy as np

from slantwood.kernels.compiling import exact, indexed, vectorised_with_missing
from slantwood.kernels.matrix import DENSE_SHARE
from slantwood.kernels.scratch import copy_into
from slantwood.machine_code.kernel import as_matrix


class Block(NamedTuple):
    """The standardised rows and varying columns of one node."""

    is_dense: bool
    values: np.ndarray  # (n, d) float32; (0, 0) when sparse
    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray
    mean: np.ndarray  # (d,) float32, scaled; zeros when dense, where it is already subtracted
    n_rows: int
    n_columns: int
    missing_indptr: np.ndarray  # missing cells in CSR form, without data
    missing_indices: np.ndarray  # empty where nothing is missing, or where that need not be known


@exact
def gather(matrix, rows, workspace, n_columns):
    """Write the node's first `n_columns` active columns, standardised, into the workspace."""
    if matrix.is_dense:
        return _gather_dense(matrix, rows, workspace, n_columns)
    return _gather_sparse(matrix, rows, workspace, n_columns)


@exact
def _standardised(value, offset, scale):
    x = np.float64(value) - offset
    return np.float32(0.0) if np.isnan(x) else np.float32(x * scale)


@vectorised_with_missing
def _gather_dense(matrix, rows, workspace, d):
    n = rows.shape[0]
    values = as_matrix(workspace.values, n, d)
    columns = workspace.columns
    whole = d == matrix.n_columns and n > 0
    for j in range(d):
        whole = whole and columns[j] == j
    for i in range(n):
        row = matrix.values[rows[i]]
        if whole:
            for j in range(d):
                values[i, j] = _standardised(row[j], workspace.offset[j], workspace.scale[j])
        else:
            for j in range(d):
                values[i, j] = _standardised(row[columns[j]], workspace.offset[j], workspace.scale[j])
    n_missing = 0
    if workspace.missing_indptr.shape[0] > 0:
        workspace.missing_indptr[0] = 0
        for i in range(n):
            for j in range(d):
                if np.isnan(matrix.values[rows[i], columns[j]]):
                    workspace.missing_indices[n_missing] = j
                    n_missing += 1
            workspace.missing_indptr[i + 1] = n_missing
    return _dense_block(workspace, values, n_missing)


@exact
def _dense_block(workspace, values, n_missing):
    n, d = values.shape
    return Block(
        True,
        values,
        workspace.indptr[:0],
        workspace.indices[:0],
        workspace.data[:0],
        workspace.scaled_mean[:d],
        n,
        d,
        workspace.missing_indptr[: n + 1],
        workspace.missing_indices[:n_missing],
    )


@indexed
def _gather_sparse(matrix, rows, workspace, d):
    n = rows.shape[0]
    slot = workspace.slot
    for j in range(d):
        slot[workspace.columns[j]] = j
    stored = np.uint64(0)
    workspace.indptr[0] = 0
    lists_missing = workspace.missing_indptr.shape[0] > 0
    n_missing = 0
    if lists_missing:
        workspace.missing_indptr[0] = 0
    for i in range(n):
        row = rows[i]
        for k in range(np.uint64(matrix.indptr[row]), np.uint64(matrix.indptr[row + 1])):
            place = slot[matrix.indices[k]]
            if place >= 0:
                workspace.indices[stored] = place
                x = np.float64(matrix.data[k]) - workspace.offset[place]
                if np.isnan(x):
                    # The mean, which sparse blocks subtract.
                    workspace.data[stored] = workspace.scaled_mean[place]
                    if lists_missing:
                        workspace.missing_indices[n_missing] = place
                        n_missing += 1
                else:
                    workspace.data[stored] = x * workspace.scale[place]
                stored += np.uint64(1)
        workspace.indptr[i + 1] = stored
        if lists_missing:
            workspace.missing_indptr[i + 1] = n_missing
    for j in range(d):
        slot[workspace.columns[j]] = -1
    if n * d <= workspace.values.shape[0] and stored >= DENSE_SHARE * n * d:
        return _as_dense(workspace, n, d, n_missing)
    return Block(
        False,
        as_matrix(workspace.values, 0, 0),
        workspace.indptr[: n + 1],
        workspace.indices[:stored],
        workspace.data[:stored],
        workspace.scaled_mean[:d],
        n,
        d,
        workspace.missing_indptr[: n + 1],
        workspace.missing_indices[:n_missing],
    )


@indexed
def _as_dense(workspace, n, d, n_missing):
    values = as_matrix(workspace.values, n, d)
    for i in range(n):
        for j in range(d):
            values[i, j] = -workspace.scaled_mean[j]
        for k in range(np.uint64(workspace.indptr[i]), np.uint64(workspace.indptr[i + 1])):
            values[i, workspace.indices[k]] += workspace.data[k]
    workspace.scaled_mean[:d] = np.float32(0.0)
    return _dense_block(workspace, values, n_missing)


@exact
def row_range(block, start, stop):
    """Rows start .. stop of a block, as a view."""
    if block.is_dense:
        return Block(
            True,
            block.values[start:stop],
            block.indptr,
            block.indices,
            block.data,
            block.mean,
            stop - start,
            block.n_columns,
            block.missing_indptr[start : stop + 1],
            block.missing_indices,
        )
    return Block(
        False,
        block.values,
        block.indptr[start : stop + 1],
        block.indices,
        block.data,
        block.mean,
        stop - start,
        block.n_columns,
        block.missing_indptr[start : stop + 1],
        block.missing_indices,
    )


@exact
def copy_row(block, row, out):
    """Write a standardised row, with zeros spelt out."""
    if block.is_dense:
        copy_into(out, block.values[row])
        return
    for j in range(block.n_columns):
        out[j] = -block.mean[j]
    for k in range(block.indptr[row], block.indptr[row + 1]):
        out[block.indices[k]] += block.data[k]
