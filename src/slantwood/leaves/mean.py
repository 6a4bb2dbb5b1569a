"""Leaves that predict the weighted mean of their rows' targets."""

import numpy as np

from slantwood.kernels.compiling import exact
from slantwood.kernels.matrix import Matrix


@exact
def mean_leaves(Y, rows, weights, starts, stops):
    """One row of means for each range of rows; dense or sparse as Y is."""
    n_leaves = starts.shape[0]
    T = Y.n_columns
    sums = np.zeros(T, np.float64)
    seen = np.zeros(T, np.bool_)
    values = np.empty((n_leaves if Y.is_dense else 0, T if Y.is_dense else 0), np.float32)
    stored = 0
    if not Y.is_dense:
        for row in rows:
            stored += Y.indptr[row + 1] - Y.indptr[row]
    indptr = np.zeros(0 if Y.is_dense else n_leaves + 1, np.int64)
    indices = np.empty(stored, np.uint32)
    data = np.empty(stored, np.float32)
    stored = 0
    for leaf in range(n_leaves):
        total = 0.0
        first = stored
        for i in range(starts[leaf], stops[leaf]):
            r = np.float64(weights[i])
            row = rows[i]
            total += r
            if Y.is_dense:
                for j in range(T):
                    sums[j] += r * Y.values[row, j]
            else:
                for k in range(Y.indptr[row], Y.indptr[row + 1]):
                    j = Y.indices[k]
                    if not seen[j]:
                        seen[j] = True
                        indices[stored] = j
                        stored += 1
                    sums[j] += r * Y.data[k]
        if Y.is_dense:
            for j in range(T):
                values[leaf, j] = sums[j] / total
            sums[:] = 0.0
        else:
            for k in range(first, stored):
                data[k] = sums[indices[k]] / total
                sums[indices[k]] = 0.0
                seen[indices[k]] = False
            indptr[leaf + 1] = stored
    return Matrix(Y.is_dense, values, indptr, indices[:stored].copy(), data[:stored].copy(), T)
