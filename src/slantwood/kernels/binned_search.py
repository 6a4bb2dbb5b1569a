"""Which single feature divides a node well, found in time proportional to its cells.

Of each feature the range in the node is cut into bins of equal width; rows are added to their bins, row
after row, and cuts between bins are compared. The best cut of the best feature is then found exactly, by
sorting the rows by this feature alone. So the feature may be second best where several are nearly as good,
but never the cut of it. Where a node has few rows, bins would cost more than sorting.
"""

import numpy as np

from slantwood.kernels.axis_search import best_allowed_feature
from slantwood.kernels.compiling import exact, vectorised
from slantwood.kernels.leaf_limits import allows
from slantwood.kernels.products import has_missing
from slantwood.kernels.random import below
from slantwood.kernels.scratch import scratch
from slantwood.kernels.thresholds import HIGHER, best_allowed_threshold
from slantwood.machine_code.kernel import as_matrix

_BINS = 32

# With fewer rows, or more clustering attributes, every feature is searched exactly.
_FEWEST_ROWS = 40
_MOST_ATTRIBUTES = 64

# What a bin holds before the sums of attributes: the number and the weight of its rows.
_COUNT = 0
_WEIGHT = 1
_SUMS = 2


@exact
def best_binned_feature(X, Z, weights, state, limits):
    """Find a feature whose best cut, that the limits allow, has nearly the highest gain of all.

    Returns the feature, -1 where there is none, the cut and its gain, as `best_allowed_feature` does.
    """
    n = X.n_rows
    is_small = n < _FEWEST_ROWS or Z.n_columns > _MOST_ATTRIBUTES
    if is_small or not X.is_dense or not Z.is_dense or has_missing(Z):
        return best_allowed_feature(X, Z, weights, False, state, limits)
    bins = _fill_bins(X, Z, weights, limits)
    feature = _best_by_bins(X, Z, bins, limits, below(state, X.n_columns))
    if feature < 0:
        # No border between bins is allowed; a cut within one may be.
        return best_allowed_feature(X, Z, weights, False, state, limits)
    column = scratch(n, np.float32)
    for i in range(n):
        column[i] = X.values[i, feature]
    cut, gain = best_allowed_threshold(column, Z, weights, limits)
    return (feature if gain >= 0.0 else -1), cut, gain


@exact
def _fill_bins(X, Z, weights, limits):
    # One row of bins for each feature, one after the other.
    n = X.n_rows
    d = X.n_columns
    K = Z.n_columns
    size = _SUMS + K
    low = scratch(d, np.float32)
    per_bin = scratch(d, np.float32)
    _ranges(X.values, low, per_bin)
    bins = as_matrix(scratch(d * _BINS * size, np.float32), d * _BINS, size)
    bins[:] = np.float32(0.0)
    place = scratch(d, np.uint32)
    for i in range(n):
        _places(X.values[i], low, per_bin, place)
        r = weights[i]
        count = np.float32(limits.counts[i]) if limits.is_limited else np.float32(1.0)
        if K == 1:
            z = r * Z.values[i, 0]
            for j in range(np.uint64(d)):
                own = place[j]
                bins[own, _COUNT] += count
                bins[own, _WEIGHT] += r
                bins[own, _SUMS] += z
        else:
            for j in range(np.uint64(d)):
                own = place[j]
                bins[own, _COUNT] += count
                bins[own, _WEIGHT] += r
                for k in range(np.uint64(K)):
                    bins[own, _SUMS + k] += r * Z.values[i, k]
    return bins


@vectorised
def _ranges(values, low, per_bin):
    # The least value of each feature, and bins per unit; 0 for a feature that does not vary.
    n, d = values.shape
    high = scratch(d, np.float32)
    for j in range(d):
        low[j] = values[0, j]
        high[j] = values[0, j]
    for i in range(n):
        for j in range(d):
            low[j] = min(low[j], values[i, j])
            high[j] = max(high[j], values[i, j])
    for j in range(d):
        width = high[j] - low[j]
        per_bin[j] = np.float32(_BINS) / width if width > np.float32(1e-30) else np.float32(0.0)


@vectorised
def _places(row, low, per_bin, place):
    # The bin of each feature of a row, counted through all features.
    last = np.float32(_BINS - 1)
    for j in range(row.shape[0]):
        place[j] = np.uint32(j * _BINS) + np.uint32(np.int32(min((row[j] - low[j]) * per_bin[j], last)))


@exact
def _best_by_bins(X, Z, bins, limits, first):
    # The feature with the best border between bins, beginning with a feature drawn at random.
    K = Z.n_columns
    d = X.n_columns
    sums = scratch(K, np.float64)
    feature = -1
    best = -1.0
    for visit in range(d):
        j = (first + visit) % d
        of_feature = bins[j * _BINS : (j + 1) * _BINS]
        total = 0.0
        for q in range(_BINS):
            total += np.float64(of_feature[q, _WEIGHT])
        sums[:] = 0.0
        left = 0.0
        n_left = 0.0
        for q in range(_BINS - 1):
            if of_feature[q, _COUNT] == np.float32(0.0):
                continue
            left += np.float64(of_feature[q, _WEIGHT])
            n_left += np.float64(of_feature[q, _COUNT])
            squared = 0.0
            for k in range(K):
                sums[k] += np.float64(of_feature[q, _SUMS + k])
                squared += sums[k] * sums[k]
            if not total > left:
                break
            gain = squared / (left * (total - left))
            if gain > best * HIGHER and (not limits.is_limited or allows(limits, left, n_left, total)):
                best = gain
                feature = j
    return feature
