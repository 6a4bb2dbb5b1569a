"""Which columns vary over a node's rows, and how they are scaled; memory for this and for the node's block.

A missing value has no part in a column's moments.
"""

from typing import NamedTuple

import numpy as np

from slantwood.kernels.compiling import exact, indexed, vectorised, vectorised_with_missing
from slantwood.kernels.scratch import scratch

# A column varies when its variance is above this share of its mean square: float64 sums of float32
# values carry about 1e-16 of relative error, and two different float32 numbers differ by 4e-15 here.
_VARIES = 1e-15


class Workspace(NamedTuple):
    """Memory for the blocks of all nodes of a tree, made once; the first n_active entries count."""

    slot: np.ndarray  # column of the matrix -> place among the active ones, -1 elsewhere
    columns: np.ndarray  # active column -> column of the matrix
    support: np.ndarray  # number and weight of the node's rows that are not zero there; sparse only
    weight: np.ndarray  # of dense matrices: weight of the rows in which it is known
    n_missing: np.ndarray  # number and weight of the node's rows in which it is missing; sparse only
    missing_weight: np.ndarray
    mean: np.ndarray  # float64 moments over the node's rows
    variance: np.ndarray
    offset: np.ndarray  # float64, subtracted from stored values: the mean, or 0 where zeros are not stored
    scale: np.ndarray  # float32: standardised value = (value - mean) * scale
    scaled_mean: np.ndarray
    values: np.ndarray  # flat float32, of dense blocks
    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray
    missing_indptr: np.ndarray  # empty where missing values are not listed
    missing_indices: np.ndarray


@exact
def make_workspace(matrix, rows, lists_missing):
    """Make a workspace for any subset of the given rows, whose blocks list missing values or do not."""
    n = rows.shape[0]
    n_stored = n * matrix.n_columns
    n_active = matrix.n_columns
    if not matrix.is_dense:
        n_stored = 0
        for row in rows:
            n_stored += matrix.indptr[row + 1] - matrix.indptr[row]
        n_active = min(n_active, n_stored)
    n_sparse = 0 if matrix.is_dense else n_stored
    lists_missing = lists_missing and matrix.has_missing
    n_missing = _count_missing(matrix, rows) if lists_missing else 0
    return Workspace(
        np.full(0 if matrix.is_dense else matrix.n_columns, -1, np.int32),
        scratch(n_active, np.uint32),
        scratch(0 if matrix.is_dense else n_active, np.int32),
        scratch(n_active, np.float64),
        scratch(0 if matrix.is_dense else n_active, np.int32),
        scratch(0 if matrix.is_dense else n_active, np.float64),
        scratch(n_active, np.float64),
        scratch(n_active, np.float64),
        scratch(n_active, np.float64),
        scratch(n_active, np.float32),
        scratch(n_active, np.float32),
        scratch(n_stored, np.float32),
        scratch(n + 1, np.int64),
        scratch(n_sparse, np.uint32),
        scratch(n_sparse, np.float32),
        scratch(n + 1 if lists_missing else 0, np.int64),
        scratch(n_missing, np.uint32),
    )


@exact
def _count_missing(matrix, rows):
    count = 0
    for row in rows:
        if matrix.is_dense:
            for j in range(matrix.n_columns):
                count += np.isnan(matrix.values[row, j])
        else:
            for k in range(matrix.indptr[row], matrix.indptr[row + 1]):
                count += np.isnan(matrix.data[k])
    return count


@exact
def measure(matrix, rows, weights, min_support, workspace):
    """Find the columns that vary over the rows, with weighted mean and variance of what is known of them.

    Returns how many there are; they are the first ones of the workspace.

    Of a sparse matrix, columns that are not zero in fewer than `min_support` rows are passed over.
    """
    if matrix.is_dense:
        if matrix.has_missing:
            return _measure_dense_with_missing(matrix.values, rows, weights, workspace)
        return _measure_dense(matrix.values, rows, weights, workspace)
    return _measure_sparse(matrix, rows, weights, min_support, workspace)


@vectorised
def _measure_dense(values, rows, weights, workspace):
    d = values.shape[1]
    sums = workspace.mean
    squares = workspace.variance
    sums[:d] = 0.0
    squares[:d] = 0.0
    first = values[rows[0]]  # moments around the first row: safe for columns far from zero
    total = 0.0
    for i in range(rows.shape[0]):
        row = values[rows[i]]
        r = np.float64(weights[i])
        total += r
        for j in range(d):
            x = np.float64(row[j]) - np.float64(first[j])
            sums[j] += r * x
            squares[j] += r * x * x
    n_active = 0
    for j in range(d):
        shift = sums[j] / total
        variance = squares[j] / total - shift * shift
        if variance > _VARIES * (squares[j] / total):
            workspace.columns[n_active] = j
            workspace.mean[n_active] = np.float64(first[j]) + shift
            workspace.offset[n_active] = np.float64(first[j]) + shift
            workspace.variance[n_active] = variance
            n_active += 1
    return n_active


@vectorised_with_missing
def _measure_dense_with_missing(values, rows, weights, workspace):
    # As above, each column over the rows in which it is known.
    d = values.shape[1]
    first = workspace.offset
    first[:d] = np.nan
    unknown = d
    for i in range(rows.shape[0]):
        if unknown == 0:
            break
        row = values[rows[i]]
        unknown = 0
        for j in range(d):
            first[j] = np.float64(row[j]) if np.isnan(first[j]) else first[j]
            unknown += np.isnan(first[j])
    total = workspace.weight
    sums = workspace.mean
    squares = workspace.variance
    total[:d] = 0.0
    sums[:d] = 0.0
    squares[:d] = 0.0
    for i in range(rows.shape[0]):
        row = values[rows[i]]
        r = np.float64(weights[i])
        for j in range(d):
            missing = np.isnan(row[j])
            known = 0.0 if missing else r
            x = 0.0 if missing else np.float64(row[j]) - first[j]
            total[j] += known
            sums[j] += known * x
            squares[j] += known * x * x
    n_active = 0
    for j in range(d):
        if not total[j] > 0.0:
            continue
        shift = sums[j] / total[j]
        square = squares[j] / total[j]
        variance = square - shift * shift
        if variance > _VARIES * square:
            mean = first[j] + shift
            workspace.columns[n_active] = j
            workspace.mean[n_active] = mean
            workspace.offset[n_active] = mean
            workspace.variance[n_active] = variance
            n_active += 1
    return n_active


@indexed
def measure_some(values, rows, weights, start, stop, workspace):
    """Measure the columns at the places start .. stop of the workspace, and keep those that vary.

    Returns how many columns there are then.
    """
    for k in range(start, stop):
        workspace.offset[k] = np.nan  # the first value that is known
        workspace.weight[k] = 0.0
        workspace.mean[k] = 0.0
        workspace.variance[k] = 0.0
    for i in range(rows.shape[0]):
        row = values[rows[i]]
        r = np.float64(weights[i])
        for k in range(start, stop):
            x = np.float64(row[workspace.columns[k]])
            if not np.isnan(x):
                if np.isnan(workspace.offset[k]):
                    workspace.offset[k] = x
                x -= workspace.offset[k]
                workspace.weight[k] += r
                workspace.mean[k] += r * x
                workspace.variance[k] += r * x * x
    n_active = start
    for k in range(start, stop):
        if workspace.weight[k] > 0.0:
            shift = workspace.mean[k] / workspace.weight[k]
            square = workspace.variance[k] / workspace.weight[k]
            variance = square - shift * shift
            if variance > _VARIES * square:
                mean = workspace.offset[k] + shift
                workspace.columns[n_active] = workspace.columns[k]
                workspace.mean[n_active] = mean
                workspace.offset[n_active] = mean
                workspace.variance[n_active] = variance
                n_active += 1
    return n_active


@indexed
def _measure_sparse(matrix, rows, weights, min_support, workspace):
    # Moments around the first stored value a of a column, so that columns far from zero are safe. Over
    # the stored values, with weight W: A = sum r (x - a), B = sum r (x - a)^2; of the rows that know the
    # column, with weight K, the others have zero, so mean - a = (A - (K - W) a) / K and
    # variance = (B + (K - W) a^2) / K - (mean - a)^2.
    slot = workspace.slot
    seen = 0
    total = 0.0
    for i in range(rows.shape[0]):
        row = rows[i]
        r = np.float64(weights[i])
        total += r
        for k in range(np.uint64(matrix.indptr[row]), np.uint64(matrix.indptr[row + 1])):
            column = matrix.indices[k]
            place = slot[column]
            if place < 0:
                place = seen
                slot[column] = place
                workspace.columns[place] = column
                workspace.support[place] = 1
                workspace.weight[place] = r
                workspace.n_missing[place] = 0
                workspace.missing_weight[place] = 0.0
                workspace.scale[place] = matrix.data[k]
                workspace.mean[place] = 0.0
                workspace.variance[place] = 0.0
                seen += 1
            elif not np.isnan(workspace.scale[place]) and not np.isnan(matrix.data[k]):
                x = np.float64(matrix.data[k]) - np.float64(workspace.scale[place])
                workspace.support[place] += 1
                workspace.weight[place] += r
                workspace.mean[place] += r * x
                workspace.variance[place] += r * x * x
            elif np.isnan(matrix.data[k]):
                workspace.n_missing[place] += 1
                workspace.missing_weight[place] += r
            else:
                # The first value that is known; all before it were missing.
                workspace.n_missing[place] += workspace.support[place]
                workspace.missing_weight[place] += workspace.weight[place]
                workspace.support[place] = 1
                workspace.weight[place] = r
                workspace.scale[place] = matrix.data[k]
    n_active = 0
    for place in range(seen):
        column = workspace.columns[place]
        slot[column] = -1
        if workspace.support[place] < min_support or np.isnan(workspace.scale[place]):
            continue
        first = np.float64(workspace.scale[place])
        is_full = workspace.support[place] + workspace.n_missing[place] == rows.shape[0]
        known = workspace.weight[place] if is_full else total - workspace.missing_weight[place]
        absent = known - workspace.weight[place]
        shift = (workspace.mean[place] - absent * first) / known
        square = (workspace.variance[place] + absent * first * first) / known
        variance = square - shift * shift
        if variance > _VARIES * square:
            workspace.columns[n_active] = column
            workspace.mean[n_active] = first + shift
            # A column without zeros is centred explicitly, which keeps its precision far from zero.
            workspace.offset[n_active] = first + shift if is_full else 0.0
            workspace.variance[n_active] = variance
            workspace.support[n_active] = workspace.support[place]
            n_active += 1
    return n_active


@vectorised
def set_scales(workspace, n_columns, power, column_weights, unit_variance=True):
    """Scale each column by 1/sd^power and, with `unit_variance`, all by one factor: to a mean variance of 1.

    `column_weights` is empty, or holds a weight for each column of the matrix; its square root goes into
    the scale, so that squares of standardised values carry the weight.
    """
    weighted = column_weights.shape[0] > 0
    total = 0.0
    count = 0.0
    for j in range(n_columns):
        scale = workspace.variance[j] ** (-0.5 * power)
        p = np.float64(column_weights[workspace.columns[j]]) if weighted else 1.0
        total += p * workspace.variance[j] * scale * scale
        count += p
        workspace.scale[j] = scale * np.sqrt(p)
    factor = np.sqrt(count / total) if unit_variance and total > 0.0 else 1.0
    for j in range(n_columns):
        workspace.scale[j] = workspace.scale[j] * factor
        workspace.scaled_mean[j] = (workspace.mean[j] - workspace.offset[j]) * workspace.scale[j]


@exact
def swap_columns(workspace, j, k):
    """Exchange two active columns."""
    workspace.columns[j], workspace.columns[k] = workspace.columns[k], workspace.columns[j]
    workspace.mean[j], workspace.mean[k] = workspace.mean[k], workspace.mean[j]
    workspace.variance[j], workspace.variance[k] = workspace.variance[k], workspace.variance[j]
    workspace.offset[j], workspace.offset[k] = workspace.offset[k], workspace.offset[j]
    if workspace.support.shape[0] > 0:
        workspace.support[j], workspace.support[k] = workspace.support[k], workspace.support[j]
