"""Which threshold of which single feature removes the most impurity from a node.

Of each feature the rows are sorted by value and every cut is looked at. Where a node has very many rows, a
histogram first says between which two of its bins the best cut lies, and only their rows are sorted; a
feature many of whose rows share a bin is sorted as a whole. Rows at a value that many share, such as the
zeros of a sparse feature, are not sorted: between the lower and the higher ones, they are what others leave.

The gain of a cut is |sum_left r z|^2 / (left (N - left)), as in `thresholds`.
"""

from typing import NamedTuple

import numpy as np

from slantwood.kernels.columns import columns_of
from slantwood.kernels.compiling import exact, vectorised
from slantwood.kernels.leaf_limits import allows, no_limits
from slantwood.kernels.products import has_missing
from slantwood.kernels.random import below, uniform
from slantwood.kernels.scratch import scratch
from slantwood.kernels.sorting import SortingWorkspace, sort_rows, sort_within, sorting_workspace
from slantwood.kernels.thresholds import HIGHER, best_cut, best_cut_with_missing

# From so many rows on, a histogram of so many bins comes first; not for more clustering attributes than
# these, nor where a bin holds more than this share of the rows.
_MANY_ROWS = 4096
_BINS = 256
_FEW_ATTRIBUTES = 64
_CROWDED = 0.125

_NAN = np.float32(np.nan)


class _Workspace(NamedTuple):
    sorting: SortingWorkspace
    values: np.ndarray  # float32: values of one feature
    rows: np.ndarray  # uint32: and their rows
    line: np.ndarray  # float32: values in the order of the sweep
    line_rows: np.ndarray  # uint32: and their rows
    sums: np.ndarray  # float64 over attributes
    bins: np.ndarray  # (bins, 2 + attributes) float64: number and weight of rows, and their sums; or empty


@exact
def best_feature(X, Z, weights, at_random, state):
    """Find the feature and the cut with the highest gain; of equal ones, those met first in a random order.

    With `at_random` one cut is drawn for each feature, anywhere between its least and its largest value.
    Returns the feature, -1 where there is none, the cut: rows whose standardised value is at least as large
    are on the right, and its gain in the units of `best_threshold`.
    """
    return best_allowed_feature(X, Z, weights, at_random, state, no_limits())


@exact
def best_allowed_feature(X, Z, weights, at_random, state, limits):
    """Find the best among the cuts whose sides are as large as the limits ask for."""
    n = X.n_rows
    d = X.n_columns
    columns = columns_of(X, np.ones(n, np.float32))
    any_missing = has_missing(Z)
    is_narrow = Z.is_dense and Z.n_columns <= _FEW_ATTRIBUTES
    n_bins = _BINS if n >= _MANY_ROWS and is_narrow and not any_missing else 0
    values = np.empty(2 * n, np.float32)
    rows = np.empty(2 * n, np.uint32)
    workspace = _Workspace(
        sorting_workspace(n),
        values[:n],
        rows[:n],
        values[n:],
        rows[n:],
        scratch(Z.n_columns, np.float64),
        np.empty((n_bins, 2 + Z.n_columns)),
    )
    total = 0.0
    for i in range(n):
        total += np.float64(weights[i])
    visits = np.arange(d).astype(np.uint32)
    feature = -1
    best = -1.0
    best_place = np.float32(0.0)
    for visit in range(d):
        other = visit + below(state, d - visit)
        j = visits[other]
        visits[other] = visits[visit]
        if at_random:
            column = _by_row(columns, j, workspace.values)
            gain, cut = _random_cut(column, Z, weights, total, state, workspace, limits)
        elif any_missing:
            column = _by_row(columns, j, workspace.values)
            order = sort_rows(column, workspace.sorting)
            gain, cut = best_cut_with_missing(column, order, Z, weights, total, limits)
        else:
            gain, cut = _searched_cut(columns, j, Z, weights, total, workspace, limits)
        if gain >= 0.0 and gain > best * HIGHER:
            best = gain
            feature = int(j)
            best_place = cut - X.mean[j]  # stored values of a sparse block are not shifted
    return feature, best_place, best * total if any_missing and at_random else best


@exact
def _by_row(columns, j, out):
    # Values of a feature with its zeros.
    if columns.is_dense:
        return columns.values[j]
    out[:] = np.float32(0.0)
    for k in range(columns.indptr[j], columns.indptr[j + 1]):
        out[columns.rows[k]] = columns.data[k]
    return out


@exact
def _searched_cut(columns, j, Z, weights, total, workspace, limits):
    # The best of all cuts of feature j. Rows at a value that many share, zero in sparse columns, need not be
    # sorted: the others are swept from both ends towards it.
    workspace.sums[:] = 0.0
    passed = 0.0
    passed_samples = 0.0
    if columns.is_dense:
        common = _common_value(columns.values[j])
        size = columns.n_rows
        if workspace.bins.shape[0] > 0 and np.isnan(common):
            size, passed, passed_samples = _near_the_best_bins(
                columns.values[j], Z, weights, total, workspace, limits
            )
        if size == columns.n_rows:
            size = _others(columns.values[j], common, workspace)
        values = workspace.values[:size]
        owners = workspace.rows
    else:
        common = np.float32(0.0)
        values = columns.data[columns.indptr[j] : columns.indptr[j + 1]]
        owners = columns.rows[columns.indptr[j] : columns.indptr[j + 1]]
    sort_within(values, workspace.sorting)
    order = workspace.sorting.order
    size = values.shape[0]
    n_low = 0
    while n_low < size and values[order[n_low]] < common:
        n_low += 1
    n_high = 0
    while n_high < size - n_low and values[order[size - 1 - n_high]] > common:
        n_high += 1
    beyond = common
    if np.isnan(common) or n_low + n_high == columns.n_rows:
        # No row is at it: one sweep from below.
        n_low = size
        n_high = 0
        beyond = _NAN
    for i in range(n_low):
        workspace.line[i] = values[order[i]]
        workspace.line_rows[i] = owners[order[i]]
    for i in range(n_high):
        workspace.line[n_low + i] = values[order[size - 1 - i]]
        workspace.line_rows[n_low + i] = owners[order[size - 1 - i]]
    best = -1.0
    cut = np.float32(0.0)
    first = 0
    last = n_low
    for _ in range(2):
        gain, place = best_cut(
            workspace.line[first:last],
            workspace.line_rows[first:last],
            beyond,
            Z,
            weights,
            total,
            passed,
            passed_samples,
            workspace.sums,
            limits,
        )
        if gain > best * HIGHER:
            best = gain
            cut = place
        first = last
        last = n_low + n_high
        if first == last:
            break
        workspace.sums[:] = 0.0
    return best, cut


@exact
def _common_value(values):
    # A value that two of three rows have, so that many may; else NaN.
    first = values[0]
    middle = values[values.shape[0] // 2]
    last = values[values.shape[0] - 1]
    if first in (middle, last):
        return first
    return middle if middle == last else _NAN


@exact
def _others(values, common, workspace):
    # Writes the values that are not the common one, and their rows; returns how many there are.
    count = 0
    for i in range(values.shape[0]):
        workspace.values[count] = values[i]
        workspace.rows[count] = i
        count += values[i] != common
    return count


@exact
def _near_the_best_bins(values, Z, weights, total, workspace, limits):
    # Finds between which bins the best cut lies; writes the values and rows of these two, and the sums of the
    # bins before, to the workspace. Returns how many rows they have, all where a bin is crowded or the limits
    # allow no cut between bins, and the weight and the number of those before.
    n = values.shape[0]
    low, high = _extremes(values)
    per_bin = np.float32(_BINS) / (high - low)
    if not per_bin < np.float32(np.inf):
        return n, 0.0, 0.0
    workspace.bins[:] = 0.0
    bin_rows = workspace.bins[:, 0]
    bin_weight = workspace.bins[:, 1]
    bin_sums = workspace.bins[:, 2:]
    bin_of = workspace.rows
    single = Z.n_columns == 1
    for i in range(n):
        own = min(np.uint32((values[i] - low) * per_bin), np.uint32(_BINS - 1))
        bin_of[i] = own
        r = np.float64(weights[i])
        bin_rows[own] += 1.0
        bin_weight[own] += r
        if single:
            bin_sums[own, 0] += r * np.float64(Z.values[i, 0])
        else:
            _add_multiple(bin_sums[own], Z.values[i], r)
    bin_samples = np.zeros(_BINS)
    if limits.is_limited:
        for i in range(n):
            bin_samples[bin_of[i]] += np.float64(limits.counts[i])
    left = 0.0
    left_samples = 0.0
    best = -1.0
    best_bin = 0
    passed = 0.0
    passed_samples = 0.0
    before = 0  # the last bin with rows
    for q in range(_BINS):
        if bin_rows[q] > _CROWDED * n:
            workspace.sums[:] = 0.0
            return n, 0.0, 0.0
        if bin_rows[q] > 0.0:
            if left > 0.0 and total > left:
                squared = 0.0
                for k in range(Z.n_columns):
                    squared += workspace.sums[k] * workspace.sums[k]
                gain = squared / (left * (total - left))
                is_allowed = not limits.is_limited or allows(limits, left, left_samples, total)
                if gain > best and is_allowed:
                    best = gain
                    best_bin = q
                    passed = left - bin_weight[before]
                    passed_samples = left_samples - bin_samples[before]
            left += bin_weight[q]
            left_samples += bin_samples[q]
            for k in range(Z.n_columns):
                workspace.sums[k] += bin_sums[q, k]
            before = q
    workspace.sums[:] = 0.0
    if limits.is_limited and best < 0.0:
        return n, 0.0, 0.0
    # The bin before the best border: the last one below it with rows.
    before = best_bin - 1
    while before > 0 and bin_rows[before] == 0.0:
        before -= 1
    for q in range(before):
        for k in range(Z.n_columns):
            workspace.sums[k] += bin_sums[q, k]
    few = 0
    for i in range(n):
        if bin_of[i] in (best_bin, before):
            workspace.values[few] = values[i]
            workspace.rows[few] = i  # this is `bin_of`, whose first few places are no longer needed
            few += 1
    return few, passed, passed_samples


@vectorised
def _extremes(values):
    low = values[0]
    high = values[0]
    for i in range(values.shape[0]):
        low = min(low, values[i])
        high = max(high, values[i])
    return low, high


@vectorised
def _add_multiple(sums, z, r):
    for k in range(sums.shape[0]):
        sums[k] += r * np.float64(z[k])


@exact
def _random_cut(values, Z, weights, total, state, workspace, limits):
    # One cut drawn between the least and the largest value, and its gain. Attributes that are missing count
    # as if they were at their means, where they stand.
    low, high = _extremes(values)
    cut = np.float32(low + uniform(state) * (np.float64(high) - np.float64(low)))
    cut = cut if cut > low else high
    if not high > low:
        return -1.0, cut
    sums = workspace.sums
    sums[:] = 0.0
    if Z.is_dense and Z.n_columns == 1:
        left, sums[0] = _single_sums_below(values, cut, Z.values[:, 0], weights)
    else:
        left = _add_sums_below(values, cut, Z, weights, sums)
    if not (left > 0.0 and total > left):
        return -1.0, cut
    if limits.is_limited and not allows(limits, left, _samples_below(values, cut, limits.counts), total):
        return -1.0, cut
    squared = 0.0
    for k in range(Z.n_columns):
        squared += (sums[k] - left * np.float64(Z.mean[k])) ** 2
    return squared / (left * (total - left)), cut


@exact
def _samples_below(values, cut, counts):
    total = 0.0
    for i in range(values.shape[0]):
        total += np.float64(counts[i]) if values[i] < cut else 0.0
    return total


@vectorised
def _single_sums_below(values, cut, z, weights):
    # Weight of the rows below the cut, and their sum of a single attribute.
    left = 0.0
    total = 0.0
    for i in range(values.shape[0]):
        r = np.float64(weights[i]) if values[i] < cut else 0.0
        left += r
        total += r * np.float64(z[i])
    return left, total


@exact
def _add_sums_below(values, cut, Z, weights, sums):
    left = 0.0
    for i in range(values.shape[0]):
        if values[i] < cut:
            r = np.float64(weights[i])
            left += r
            if Z.is_dense:
                for k in range(Z.n_columns):
                    sums[k] += r * np.float64(Z.values[i, k])
            else:
                for k in range(np.uint64(Z.indptr[i]), np.uint64(Z.indptr[i + 1])):
                    sums[Z.indices[k]] += r * np.float64(Z.data[k])
    return left
