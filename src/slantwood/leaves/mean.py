"""Leaves that predict the weighted mean of their rows' targets."""

import numpy as np

from slantwood.kernels.compiling import exact
from slantwood.kernels.matrix import Matrix
from slantwood.kernels.scratch import copy_into, grown

# A small difference of large sums of weights is mostly rounding, and is added up anew.
_ROUNDED = 1e-6


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
    return Matrix(Y.is_dense, values, indptr, indices[:stored].copy(), data[:stored].copy(), T, False)


@exact
def _leaf_numbers(tree):
    # The number of each leaf among all leaves, how many there are, and how deep the deepest lies.
    number = np.empty(tree.left.shape[0], np.int64)
    n_leaves = 0
    deepest = 0
    for node in range(tree.left.shape[0]):
        number[node] = n_leaves
        if tree.left[node] < 0:
            n_leaves += 1
        deepest = max(deepest, tree.depth[node])
    return number, n_leaves, deepest


@exact
def mean_leaves_with_missing(Y, tree, weights, overall):
    """One row of means of what is known for each leaf of a grown tree; dense or sparse as Y is.

    A target of which no row of a leaf knows anything gets its mean at the nearest ancestor that has any, at
    last its `overall` mean. `weights` are those of `tree.rows`.
    """
    T = Y.n_columns
    number, n_leaves, deepest = _leaf_numbers(tree)
    values = np.empty((n_leaves if Y.is_dense else 0, T if Y.is_dense else 0), np.float32)
    first = np.zeros(0 if Y.is_dense else n_leaves, np.int64)  # a leaf's range of indices and data
    last = np.zeros(0 if Y.is_dense else n_leaves, np.int64)
    indices = np.empty(0 if Y.is_dense else 1024, np.uint32)
    data = np.empty(0 if Y.is_dense else 1024, np.float32)
    stored = 0
    # Depth first: while a node is visited, means[k] are those of its ancestor at depth k - 1.
    means = np.empty((deepest + 2, T), np.float32)
    copy_into(means[0], overall)
    sums = np.empty(T)
    known = np.empty(T)
    waiting = np.empty(deepest + 2, np.int32)
    waiting[0] = 0
    n_waiting = 1
    while n_waiting > 0:
        n_waiting -= 1
        node = waiting[n_waiting]
        _add_known(Y, tree.rows[tree.start[node] : tree.stop[node]], weights[tree.start[node] :], sums, known)
        level = tree.depth[node] + 1
        for j in range(T):
            means[level, j] = sums[j] / known[j] if known[j] > 0.0 else means[level - 1, j]
        if tree.left[node] >= 0:
            waiting[n_waiting] = tree.right[node]
            waiting[n_waiting + 1] = tree.left[node]
            n_waiting += 2
            continue
        if Y.is_dense:
            copy_into(values[number[node]], means[level])
        else:
            first[number[node]] = stored
            if stored + T > indices.shape[0]:
                indices = grown(indices, stored + T)
                data = grown(data, stored + T)
            for j in range(T):
                if means[level, j] != np.float32(0.0):
                    indices[stored] = j
                    data[stored] = means[level, j]
                    stored += 1
            last[number[node]] = stored
    indptr = np.zeros(0 if Y.is_dense else n_leaves + 1, np.int64)
    in_order = np.empty(stored, np.uint32)
    data_in_order = np.empty(stored, np.float32)
    for leaf in range(first.shape[0]):
        end = indptr[leaf] + last[leaf] - first[leaf]
        copy_into(in_order[indptr[leaf] : end], indices[first[leaf] : last[leaf]])
        copy_into(data_in_order[indptr[leaf] : end], data[first[leaf] : last[leaf]])
        indptr[leaf + 1] = end
    return Matrix(Y.is_dense, values, indptr, in_order, data_in_order, T, False)


@exact
def _add_known(Y, rows, weights, sums, known):
    # Weighted sums of what is known of each target over the rows, and the weights of the rows that know it.
    sums[:] = 0.0
    known[:] = 0.0
    total = 0.0
    for i in range(rows.shape[0]):
        row = rows[i]
        r = np.float64(weights[i])
        total += r
        if Y.is_dense:
            for j in range(Y.n_columns):
                if not np.isnan(Y.values[row, j]):
                    known[j] += r
                    sums[j] += r * Y.values[row, j]
        else:
            # What is not stored is known to be zero; so here the weights that know nothing are added up.
            for k in range(Y.indptr[row], Y.indptr[row + 1]):
                if np.isnan(Y.data[k]):
                    known[Y.indices[k]] -= r
                else:
                    sums[Y.indices[k]] += r * Y.data[k]
    if not Y.is_dense:
        for j in range(Y.n_columns):
            known[j] += total
            if known[j] < _ROUNDED * total:
                known[j] = _known_weight(Y, rows, weights, j)


@exact
def _known_weight(Y, rows, weights, j):
    # Weight of the rows of a sparse Y that know target j.
    total = 0.0
    for i in range(rows.shape[0]):
        start = Y.indptr[rows[i]]
        stop = Y.indptr[rows[i] + 1]
        k = start + np.searchsorted(Y.indices[start:stop], np.uint32(j))
        if not (k < stop and Y.indices[k] == j and np.isnan(Y.data[k])):
            total += np.float64(weights[i])
    return total
