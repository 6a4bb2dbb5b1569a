"""Where to cut a line of projected rows: in the middle, or where the impurity falls the most."""

import numpy as np

from slantwood.kernels.compiling import exact


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
                middle = (here + after) * np.float32(0.5)
                cut = middle if middle > here else after  # nothing lies between neighbouring numbers
    return cut, best >= 0.0
