"""Where to cut a line of rows: in the middle, or where the impurity falls the most."""

import numpy as np

from slantwood.kernels.block import copy_row
from slantwood.kernels.compiling import exact, vectorised
from slantwood.kernels.leaf_limits import allowed_places, no_limits
from slantwood.kernels.products import has_missing, known_weights
from slantwood.kernels.scratch import scratch
from slantwood.kernels.sorting import sort_rows, sorting_workspace

# A cut is better than another when its gain is so many times as high; less is rounding.
HIGHER = 1.0 + 1e-6

# Up to so many attributes, a plain loop over them is faster than one in vector registers.
_NARROW = 12


@exact
def weighted_median(values, weights):
    """Middle of the values, each counted as often as its weight says; midpoint of two where it is even."""
    order = sort_rows(values, sorting_workspace(values.shape[0]))
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

    Returns the cut and its gain, which is negative where no two projections differ.
    """
    return best_allowed_threshold(projections, Z, weights, no_limits())


@exact
def best_allowed_threshold(projections, Z, weights, limits):
    """Cut that removes the most impurity among those whose sides are as large as the limits ask for."""
    n = projections.shape[0]
    order = sort_rows(projections, sorting_workspace(n))
    total = 0.0
    for i in range(n):
        total += np.float64(weights[i])
    if has_missing(Z):
        gain, cut = best_cut_with_missing(projections, order, Z, weights, total, limits)
        return cut, gain
    line = scratch(n, np.float32)
    for i in range(n):
        line[i] = projections[order[i]]
    beyond = np.float32(np.nan)
    gain, cut = best_cut(line, order, beyond, Z, weights, total, 0.0, 0.0, np.zeros(Z.n_columns), limits)
    return cut, gain


@exact
def best_cut(line, rows, beyond, Z, weights, total, passed, passed_samples, sums, limits):
    """Cut between the values of a line, rising or falling, that removes the most impurity.

    `rows` stand at the values of the line; `total` is the weight of all rows. The rows that came before have
    the weight `passed`, are `passed_samples` in number, and have the `sums` of r z as stored, to which those
    of the line are added. The value `beyond` the line counts as its neighbour, unless it is NaN. Returns
    |sum r z|^2 / (left (total - left)), or -1 where the limits allow no cut, and the cut: values from it on
    are on the upper side.
    """
    n = line.shape[0]
    # |c - left mu|^2 = |c|^2 - 2 left c.mu + left^2 |mu|^2, with c the sums of stored values.
    squared = 0.0
    along_mean = 0.0
    of_means = 0.0
    for j in range(Z.n_columns):
        squared += sums[j] * sums[j]
        along_mean += sums[j] * np.float64(Z.mean[j])
        of_means += np.float64(Z.mean[j]) * np.float64(Z.mean[j])
    single = Z.is_dense and Z.n_columns == 1
    narrow = Z.is_dense and Z.n_columns <= _NARROW
    first, last = allowed_places(limits, rows, weights, passed, passed_samples, total)
    left = passed
    best = -1.0
    cut = np.float32(0.0)
    for i in range(last):
        row = rows[i]
        r = np.float64(weights[row])
        left += r
        if single:
            sums[0] += r * np.float64(Z.values[row, 0])
            squared = sums[0] * sums[0]
        elif narrow:
            for j in range(Z.n_columns):
                z = r * np.float64(Z.values[row, j])
                squared += (2.0 * sums[j] + z) * z
                sums[j] += z
        elif Z.is_dense:
            squared += _add_row(sums, Z.values[row], r)
        else:
            for k in range(np.uint64(Z.indptr[row]), np.uint64(Z.indptr[row + 1])):
                j = Z.indices[k]
                z = r * np.float64(Z.data[k])
                squared += (2.0 * sums[j] + z) * z
                along_mean += z * np.float64(Z.mean[j])
                sums[j] += z
        here = line[i]
        after = line[i + 1] if i + 1 < n else beyond
        # Comparisons with NaN are false, and what is left may be too light to count.
        if (after > here or after < here) and total > left and i >= first:
            gain = (squared - 2.0 * left * along_mean + left * left * of_means) / (left * (total - left))
            if gain > best * HIGHER:
                best = gain
                cut = between(min(here, after), max(here, after))
    return best, cut


@vectorised
def _add_row(sums, z, r):
    # sums += r z; returns the change of |sums|^2.
    change = 0.0
    for j in range(sums.shape[0]):
        step = r * np.float64(z[j])
        change += (2.0 * sums[j] + step) * step
        sums[j] += step
    return change


@exact
def between(here, after):
    """Return a number above `here` and not above `after`: halfway, where there is one."""
    middle = (here + after) * np.float32(0.5)
    return middle if middle > here else after  # nothing lies between neighbouring numbers


@exact
def best_cut_with_missing(projections, order, Z, weights, total, limits):
    """Return the gain, or -1, and the best cut that the limits allow, where attributes have missing values.

    Each attribute has its own gain, over the rows in which it is known: where those on the left have weight
    L_j of N_j in all, and sum c_j, it is c_j^2 N_j / (L_j (N_j - L_j)).
    """
    n = order.shape[0]
    known = scratch(Z.n_columns, np.float64)
    known_weights(Z, weights, known)
    c = np.zeros(Z.n_columns)
    left = np.zeros(Z.n_columns)
    z = scratch(Z.n_columns, np.float32)
    missing = np.zeros(Z.n_columns, np.bool_)
    first, last = allowed_places(limits, order, weights, 0.0, 0.0, total)
    best = -1.0
    cut = np.float32(0.0)
    for i in range(min(last, n - 1)):
        row = order[i]
        r = np.float64(weights[row])
        copy_row(Z, row, z)
        unknown = Z.missing_indices[Z.missing_indptr[row] : Z.missing_indptr[row + 1]]
        for j in unknown:
            missing[j] = True
        gain = 0.0
        for j in range(Z.n_columns):
            if not missing[j]:
                c[j] += r * z[j]
                left[j] += r
            both = left[j] * (known[j] - left[j])
            # A remainder of weights may be rounding only.
            gain += c[j] * c[j] * known[j] / both if both > 1e-9 * known[j] * known[j] else 0.0
        for j in unknown:
            missing[j] = False
        here = projections[row]
        after = projections[order[i + 1]]
        if after > here and i >= first and gain > best * HIGHER:
            best = gain
            cut = between(here, after)
    return best, cut
