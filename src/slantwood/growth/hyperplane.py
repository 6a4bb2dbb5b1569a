"""From a learner's hyperplane to what a node stores: weights in the units of the data, and two sides."""

import numpy as np

from slantwood.kernels.compiling import exact, indexed


@indexed
def store_in_raw_units(w, b, workspace, splits, first):
    """Store the hyperplane's weights from place `first` on; return where they end, and the offset.

    x.v + c = (x - mean).v + b with v = w * scale; c is computed from the rounded v in float64, so that
    columns far from zero cost no precision.
    """
    end = first
    offset = np.float64(b)
    for j in range(w.shape[0]):
        v = w[j] * workspace.scale[j]
        if v != np.float32(0.0):
            splits.columns[end] = workspace.columns[j]
            splits.weights[end] = v
            splits.means[end] = workspace.mean[j]
            offset -= np.float64(v) * workspace.mean[j]
            end += 1
    return end, offset


@indexed
def mark_sides(X, rows, splits, first, end, bias, spread, spread_means, is_right):
    """Mark the rows of which x.v + c >= 0, computed in float64 as routing does; return how many they are.

    The weights are at the places first .. end. `spread` is zeros over all columns of a sparse X, and
    `spread_means` has numbers for all of them where values are missing.
    """
    columns = splits.columns[first:end]
    weights = splits.weights[first:end]
    means = splits.means[first:end]
    if not X.is_dense:
        for k in range(columns.shape[0]):
            spread[columns[k]] = weights[k]
            if X.has_missing:
                spread_means[columns[k]] = means[k]
    n_right = 0
    for i in range(rows.shape[0]):
        total = bias
        if X.is_dense:
            row = X.values[rows[i]]
            for k in range(columns.shape[0]):
                x = row[columns[k]]
                x = means[k] if np.isnan(x) else x
                total += np.float64(x) * np.float64(weights[k])
        else:
            for k in range(np.uint64(X.indptr[rows[i]]), np.uint64(X.indptr[rows[i] + 1])):
                x = X.data[k]
                if np.isnan(x):
                    x = spread_means[X.indices[k]]
                total += np.float64(x) * np.float64(spread[X.indices[k]])
        is_right[i] = total >= 0.0
        n_right += is_right[i]
    if not X.is_dense:
        for k in range(columns.shape[0]):
            spread[columns[k]] = np.float32(0.0)
    return n_right


@exact
def leave_out_small(w, workspace, min_part):
    """Put the weights of features to zero whose part in the variance of x.w is small.

    That is less than `min_part` times the mean part of the features that have any. The hyperplane turns about
    the mean of the node's rows.
    """
    total = 0.0
    count = 0
    for j in range(w.shape[0]):
        part = _part(w, workspace, j)
        total += part
        count += part > 0.0
    least = min_part * total / max(count, 1)
    for j in range(w.shape[0]):
        if _part(w, workspace, j) < least:
            w[j] = np.float32(0.0)


@exact
def share_out(w, workspace, removed, shares):
    """Share out what the split removes by the parts of the features in the variance of x.w.

    That of feature j is w_j^2 times its own variance. There is a share for every weight that is stored.
    """
    total = 0.0
    for j in range(w.shape[0]):
        total += _part(w, workspace, j)
    share = removed / total if total > 0.0 else 0.0
    count = 0
    for j in range(w.shape[0]):
        if w[j] * workspace.scale[j] != np.float32(0.0):
            shares[count] = share * _part(w, workspace, j)
            count += 1


@exact
def _part(w, workspace, j):
    spread = np.float64(w[j]) * workspace.scale[j]
    return spread * spread * workspace.variance[j]
