"""One node's share of the data: its rows, and only those columns that are not constant there.

A block is standardised: dense blocks explicitly, sparse blocks by scaling their stored values and
remembering the scaled means, so that zeros stay unstored. Making one takes two steps: `measure` finds
the columns that vary and their moments, `gather` writes the first so many of them.

A missing value has no part in the moments, and stands at the mean: 0 in standardised units. Where it matters
that it is missing, as in the clustering attributes, a block also lists its gaps.
"""

from typing import NamedTuple

import numpy as np

from slantwood.kernels.compiling import exact, indexed, vectorised, vectorised_with_gaps
from slantwood.kernels.matrix import DENSE_SHARE
from slantwood.kernels.scratch import scratch

# A column varies when its variance is above this share of its mean square: float64 sums of float32
# values carry about 1e-16 of relative error, and two different float32 numbers differ by 4e-15 here.
_VARIES = 1e-15


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
    gap_indptr: np.ndarray  # row i misses the columns gap_indices[gap_indptr[i] : gap_indptr[i + 1]]
    gap_indices: np.ndarray  # empty where nothing is missing, or where that need not be known


class Workspace(NamedTuple):
    """Room for the blocks of all nodes of a tree, made once; the first n_active entries count."""

    slot: np.ndarray  # column of the matrix -> place among the active ones, -1 elsewhere
    columns: np.ndarray  # active column -> column of the matrix
    support: np.ndarray  # number and weight of the node's rows that are not zero there; sparse only
    weight: np.ndarray  # of dense matrices: weight of the rows in which it is known
    n_gaps: np.ndarray  # number and weight of the node's rows in which it is missing; sparse only
    gap_weight: np.ndarray
    mean: np.ndarray  # float64 moments over the node's rows
    variance: np.ndarray
    offset: (
        np.ndarray
    )  # float64, what is subtracted from stored values: the mean, or 0 where zeros are not stored
    scale: np.ndarray  # float32: standardised value = (value - mean) * scale
    scaled_mean: np.ndarray
    values: np.ndarray  # flat float32 room of dense blocks
    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray
    gap_indptr: np.ndarray  # empty where gaps are not listed
    gap_indices: np.ndarray


@exact
def make_workspace(matrix, rows, lists_gaps):
    """Make room for blocks of any subset of the given rows, with or without lists of their gaps."""
    n = rows.shape[0]
    n_stored = n * matrix.n_columns
    n_active = matrix.n_columns
    if not matrix.is_dense:
        n_stored = 0
        for row in rows:
            n_stored += matrix.indptr[row + 1] - matrix.indptr[row]
        n_active = min(n_active, n_stored)
    n_sparse = 0 if matrix.is_dense else n_stored
    lists_gaps = lists_gaps and matrix.has_gaps
    n_gaps = _count_gaps(matrix, rows) if lists_gaps else 0
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
        scratch(n + 1 if lists_gaps else 0, np.int64),
        scratch(n_gaps, np.uint32),
    )


@exact
def _count_gaps(matrix, rows):
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
def measure(matrix, rows, weights, min_support, room):
    """Find the columns that vary over the rows, with weighted mean and variance of what is known of them.

    Returns how many there are; they are the first ones of the workspace.

    Of a sparse matrix, columns that are not zero in fewer than `min_support` rows are passed over.
    """
    if matrix.is_dense:
        if matrix.has_gaps:
            return _measure_dense_with_gaps(matrix.values, rows, weights, room)
        return _measure_dense(matrix.values, rows, weights, room)
    return _measure_sparse(matrix, rows, weights, min_support, room)


@vectorised
def _measure_dense(values, rows, weights, room):
    d = values.shape[1]
    sums = room.mean
    squares = room.variance
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
            room.columns[n_active] = j
            room.mean[n_active] = np.float64(first[j]) + shift
            room.offset[n_active] = np.float64(first[j]) + shift
            room.variance[n_active] = variance
            n_active += 1
    return n_active


@vectorised_with_gaps
def _measure_dense_with_gaps(values, rows, weights, room):
    # As above, each column over the rows in which it is known.
    d = values.shape[1]
    first = room.offset
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
    total = room.weight
    sums = room.mean
    squares = room.variance
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
            room.columns[n_active] = j
            room.mean[n_active] = mean
            room.offset[n_active] = mean
            room.variance[n_active] = variance
            n_active += 1
    return n_active


@indexed
def measure_some(values, rows, weights, start, stop, room):
    """Measure the columns at the places start .. stop of the workspace, and keep those that vary.

    Returns how many columns there are then.
    """
    for k in range(start, stop):
        room.offset[k] = np.nan  # the first value that is known
        room.weight[k] = 0.0
        room.mean[k] = 0.0
        room.variance[k] = 0.0
    for i in range(rows.shape[0]):
        row = values[rows[i]]
        r = np.float64(weights[i])
        for k in range(start, stop):
            x = np.float64(row[room.columns[k]])
            if not np.isnan(x):
                if np.isnan(room.offset[k]):
                    room.offset[k] = x
                x -= room.offset[k]
                room.weight[k] += r
                room.mean[k] += r * x
                room.variance[k] += r * x * x
    n_active = start
    for k in range(start, stop):
        if room.weight[k] > 0.0:
            shift = room.mean[k] / room.weight[k]
            square = room.variance[k] / room.weight[k]
            variance = square - shift * shift
            if variance > _VARIES * square:
                mean = room.offset[k] + shift
                room.columns[n_active] = room.columns[k]
                room.mean[n_active] = mean
                room.offset[n_active] = mean
                room.variance[n_active] = variance
                n_active += 1
    return n_active


@indexed
def _measure_sparse(matrix, rows, weights, min_support, room):
    # Moments around the first stored value a of a column, so that columns far from zero are safe. Over
    # the stored values, with weight W: A = sum r (x - a), B = sum r (x - a)^2; of the rows that know the
    # column, with weight K, the others have zero, so mean - a = (A - (K - W) a) / K and
    # variance = (B + (K - W) a^2) / K - (mean - a)^2.
    slot = room.slot
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
                room.columns[place] = column
                room.support[place] = 1
                room.weight[place] = r
                room.n_gaps[place] = 0
                room.gap_weight[place] = 0.0
                room.scale[place] = matrix.data[k]
                room.mean[place] = 0.0
                room.variance[place] = 0.0
                seen += 1
            elif not np.isnan(room.scale[place]) and not np.isnan(matrix.data[k]):
                x = np.float64(matrix.data[k]) - np.float64(room.scale[place])
                room.support[place] += 1
                room.weight[place] += r
                room.mean[place] += r * x
                room.variance[place] += r * x * x
            elif np.isnan(matrix.data[k]):
                room.n_gaps[place] += 1
                room.gap_weight[place] += r
            else:
                # The first value that is known; what came before it were gaps.
                room.n_gaps[place] += room.support[place]
                room.gap_weight[place] += room.weight[place]
                room.support[place] = 1
                room.weight[place] = r
                room.scale[place] = matrix.data[k]
    n_active = 0
    for place in range(seen):
        column = room.columns[place]
        slot[column] = -1
        if room.support[place] < min_support or np.isnan(room.scale[place]):
            continue
        first = np.float64(room.scale[place])
        is_full = room.support[place] + room.n_gaps[place] == rows.shape[0]
        known = room.weight[place] if is_full else total - room.gap_weight[place]
        absent = known - room.weight[place]
        shift = (room.mean[place] - absent * first) / known
        square = (room.variance[place] + absent * first * first) / known
        variance = square - shift * shift
        if variance > _VARIES * square:
            room.columns[n_active] = column
            room.mean[n_active] = first + shift
            # A column without zeros is centred explicitly, which keeps its precision far from zero.
            room.offset[n_active] = first + shift if is_full else 0.0
            room.variance[n_active] = variance
            room.support[n_active] = room.support[place]
            n_active += 1
    return n_active


@vectorised
def set_scales(room, n_columns, power, column_weights, unit_variance=True):
    """Scale each column by 1/sd^power and, with `unit_variance`, all by one factor: to a mean variance of 1.

    `column_weights` is empty, or holds a weight for each column of the matrix; its square root goes into
    the scale, so that squares of standardised values carry the weight.
    """
    weighted = column_weights.shape[0] > 0
    total = 0.0
    count = 0.0
    for j in range(n_columns):
        scale = room.variance[j] ** (-0.5 * power)
        p = np.float64(column_weights[room.columns[j]]) if weighted else 1.0
        total += p * room.variance[j] * scale * scale
        count += p
        room.scale[j] = scale * np.sqrt(p)
    factor = np.sqrt(count / total) if unit_variance and total > 0.0 else 1.0
    for j in range(n_columns):
        room.scale[j] = room.scale[j] * factor
        room.scaled_mean[j] = (room.mean[j] - room.offset[j]) * room.scale[j]


@exact
def swap_columns(room, j, k):
    """Exchange two active columns."""
    room.columns[j], room.columns[k] = room.columns[k], room.columns[j]
    room.mean[j], room.mean[k] = room.mean[k], room.mean[j]
    room.variance[j], room.variance[k] = room.variance[k], room.variance[j]
    room.offset[j], room.offset[k] = room.offset[k], room.offset[j]
    if room.support.shape[0] > 0:
        room.support[j], room.support[k] = room.support[k], room.support[j]


@exact
def gather(matrix, rows, room, n_columns):
    """Write the node's first `n_columns` active columns, standardised, into the workspace."""
    if matrix.is_dense:
        return _gather_dense(matrix, rows, room, n_columns)
    return _gather_sparse(matrix, rows, room, n_columns)


@exact
def _standardised(value, offset, scale):
    x = np.float64(value) - offset
    return np.float32(0.0) if np.isnan(x) else np.float32(x * scale)


@vectorised_with_gaps
def _gather_dense(matrix, rows, room, d):
    n = rows.shape[0]
    values = room.values[: n * d].reshape(n, d)
    columns = room.columns
    whole = d == matrix.n_columns and n > 0
    for j in range(d):
        whole = whole and columns[j] == j
    for i in range(n):
        row = matrix.values[rows[i]]
        if whole:
            for j in range(d):
                values[i, j] = _standardised(row[j], room.offset[j], room.scale[j])
        else:
            for j in range(d):
                values[i, j] = _standardised(row[columns[j]], room.offset[j], room.scale[j])
    n_gaps = 0
    if room.gap_indptr.shape[0] > 0:
        room.gap_indptr[0] = 0
        for i in range(n):
            for j in range(d):
                if np.isnan(matrix.values[rows[i], columns[j]]):
                    room.gap_indices[n_gaps] = j
                    n_gaps += 1
            room.gap_indptr[i + 1] = n_gaps
    return _dense_block(room, values, n_gaps)


@exact
def _dense_block(room, values, n_gaps):
    n, d = values.shape
    return Block(
        True,
        values,
        room.indptr[:0],
        room.indices[:0],
        room.data[:0],
        room.scaled_mean[:d],
        n,
        d,
        room.gap_indptr[: n + 1],
        room.gap_indices[:n_gaps],
    )


@indexed
def _gather_sparse(matrix, rows, room, d):
    n = rows.shape[0]
    slot = room.slot
    for j in range(d):
        slot[room.columns[j]] = j
    stored = np.uint64(0)
    room.indptr[0] = 0
    lists_gaps = room.gap_indptr.shape[0] > 0
    n_gaps = 0
    if lists_gaps:
        room.gap_indptr[0] = 0
    for i in range(n):
        row = rows[i]
        for k in range(np.uint64(matrix.indptr[row]), np.uint64(matrix.indptr[row + 1])):
            place = slot[matrix.indices[k]]
            if place >= 0:
                room.indices[stored] = place
                x = np.float64(matrix.data[k]) - room.offset[place]
                if np.isnan(x):
                    # The mean, which sparse blocks subtract.
                    room.data[stored] = room.scaled_mean[place]
                    if lists_gaps:
                        room.gap_indices[n_gaps] = place
                        n_gaps += 1
                else:
                    room.data[stored] = x * room.scale[place]
                stored += np.uint64(1)
        room.indptr[i + 1] = stored
        if lists_gaps:
            room.gap_indptr[i + 1] = n_gaps
    for j in range(d):
        slot[room.columns[j]] = -1
    if n * d <= room.values.shape[0] and stored >= DENSE_SHARE * n * d:
        return _as_dense(room, n, d, n_gaps)
    return Block(
        False,
        room.values[:0].reshape(0, 0),
        room.indptr[: n + 1],
        room.indices[:stored],
        room.data[:stored],
        room.scaled_mean[:d],
        n,
        d,
        room.gap_indptr[: n + 1],
        room.gap_indices[:n_gaps],
    )


@indexed
def _as_dense(room, n, d, n_gaps):
    values = room.values[: n * d].reshape(n, d)
    for i in range(n):
        for j in range(d):
            values[i, j] = -room.scaled_mean[j]
        for k in range(np.uint64(room.indptr[i]), np.uint64(room.indptr[i + 1])):
            values[i, room.indices[k]] += room.data[k]
    room.scaled_mean[:d] = np.float32(0.0)
    return _dense_block(room, values, n_gaps)


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
            block.gap_indptr[start : stop + 1],
            block.gap_indices,
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
        block.gap_indptr[start : stop + 1],
        block.gap_indices,
    )


@exact
def copy_row(block, row, out):
    """Write a standardised row, with zeros spelt out."""
    if block.is_dense:
        out[:] = block.values[row]
        return
    for j in range(block.n_columns):
        out[j] = -block.mean[j]
    for k in range(block.indptr[row], block.indptr[row + 1]):
        out[block.indices[k]] += block.data[k]
