"""Where to cut a line of projected rows: in the middle, or where the impurity falls the most."""

import numpy as np

from slantwood.kernels.block import copy_row
from slantwood.kernels.compiling import exact
from slantwood.kernels.products import has_gaps, known_weights
from slantwood.kernels.scratch import scratch


@exact
def weighted_median(values, weights):
    """Middle of the values, each counted as often as its weight says; midpoint of two where it is even."""
    order = np.argsort(values)
    total = 0.0
    for i in range(weights.shape[0]):
        total += weights[i]
    below = 0.0
    for i in range(order.shape[0]):
        below += weights[order[i]]
        if below * 2.0 >= total:
            here = values[order[i]]
            if below * 2.0 == total and i + 1 < order.shape[0]:
                return (here + values[order[i + 1]]) * np.float32(0.5)
            return here
    return values[order[-1]]


@exact
def best_threshold(projections, Z, weights):
    """Cut that removes the most impurity: maximises |sum_left r z|^2 * N / (N_left (N - N_left)).

    Returns the cut and whether any two projections differ at all.
    """
    if has_gaps(Z):
        return _best_threshold_with_gaps(projections, Z, weights)
    order = np.argsort(projections)
    n = order.shape[0]
    total = 0.0
    for i in range(n):
        total += np.float64(weights[i])
    # |c - N_left mu|^2 = |c|^2 - 2 N_left c.mu + N_left^2 |mu|^2, with c the sum of stored values.
    c = np.zeros(Z.n_columns, np.float32)
    squared = 0.0
    along_mean = 0.0
    of_means = 0.0
    for j in range(Z.n_columns):
        of_means += Z.mean[j] * Z.mean[j]
    left = 0.0
    best = -1.0
    cut = np.float32(0.0)
    for i in range(n - 1):
        row = order[i]
        r = weights[row]
        left += np.float64(r)
        if Z.is_dense:
            for j in range(Z.n_columns):
                z = r * Z.values[row, j]
                squared += (np.float32(2.0) * c[j] + z) * z
                c[j] += z
        else:
            for k in range(Z.indptr[row], Z.indptr[row + 1]):
                j = Z.indices[k]
                z = r * Z.data[k]
                squared += (np.float32(2.0) * c[j] + z) * z
                along_mean += z * Z.mean[j]
                c[j] += z
        here = projections[row]
        after = projections[order[i + 1]]
        if after > here and total > left:  # what is left may be too light to count
            gain = (squared - 2.0 * left * along_mean + left * left * of_means) / (left * (total - left))
            if gain > best:
                best = gain
                cut = _between(here, after)
    return cut, best >= 0.0


@exact
def _between(here, after):
    middle = (here + after) * np.float32(0.5)
    return middle if middle > here else after  # nothing lies between neighbouring numbers


@exact
def _best_threshold_with_gaps(projections, Z, weights):
    # Each attribute has its own gain, over the rows in which it is known: where those on the left have weight
    # L_j of N_j in all, and sum c_j, it is c_j^2 N_j / (L_j (N_j - L_j)).
    order = np.argsort(projections)
    n = order.shape[0]
    known = scratch(Z.n_columns, np.float64)
    known_weights(Z, weights, known)
    c = np.zeros(Z.n_columns)
    left = np.zeros(Z.n_columns)
    z = scratch(Z.n_columns, np.float32)
    missing = np.zeros(Z.n_columns, np.bool_)
    best = -1.0
    cut = np.float32(0.0)
    for i in range(n - 1):
        row = order[i]
        r = np.float64(weights[row])
        copy_row(Z, row, z)
        gaps = Z.gap_indices[Z.gap_indptr[row] : Z.gap_indptr[row + 1]]
        for j in gaps:
            missing[j] = True
        gain = 0.0
        for j in range(Z.n_columns):
            if not missing[j]:
                c[j] += r * z[j]
                left[j] += r
            both = left[j] * (known[j] - left[j])
            # A remainder of weights may be rounding only.
            gain += c[j] * c[j] * known[j] / both if both > 1e-9 * known[j] * known[j] else 0.0
        for j in gaps:
            missing[j] = False
        here = projections[row]
        after = projections[order[i + 1]]
        if after > here and gain > best:
            best = gain
            cut = _between(here, after)
    return cut, best >= 0.0
