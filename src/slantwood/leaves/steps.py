"""Leaves of boosted trees: how far the scores of their rows go, one step for each column of the targets."""

import numpy as np

from slantwood.kernels.compiling import exact
from slantwood.kernels.scratch import scratch
from slantwood.kernels.sorting import sort_rows, sorting_workspace


@exact
def newton_steps(G, H, rows, weights, starts, stops, l2, largest):
    """Newton's step of each leaf: the sum of its rows' negative gradients over that of their curvatures.

    `l2` rows of the same curvature but without gradient are added, in effect: small leaves take small steps.
    H without rows stands for curvatures of 1. Steps are cut off at plus and minus `largest`.
    """
    n_leaves = starts.shape[0]
    K = G.shape[1]
    steps = np.zeros((n_leaves, K), np.float32)
    gradient = scratch(K, np.float64)
    curvature = scratch(K, np.float64)
    for leaf in range(n_leaves):
        gradient[:] = 0.0
        curvature[:] = 0.0
        total = 0.0
        for i in range(starts[leaf], stops[leaf]):
            r = np.float64(weights[i])
            row = rows[i]
            total += r
            for j in range(K):
                gradient[j] += r * np.float64(G[row, j])
            if H.shape[0] > 0:
                for j in range(K):
                    curvature[j] += r * np.float64(H[row, j])
        for j in range(K):
            curved = curvature[j] if H.shape[0] > 0 else total
            if curved > 0.0:
                step = min(max(gradient[j] / curved, -largest), largest)
                steps[leaf, j] = step * total / (total + l2)
    return steps


@exact
def quantile_steps(Y, F, rows, weights, starts, stops, level, l2):
    """Quantile of what is left of the targets, Y - F, over the rows of each leaf that know them.

    Where the weights of the lower rows are just the share `level` of all, it is the middle between two rows.
    Small leaves take small steps: `l2` rows are added, in effect, that would not move.
    """
    n_leaves = starts.shape[0]
    K = Y.shape[1]
    steps = np.zeros((n_leaves, K), np.float32)
    most = 0
    for leaf in range(n_leaves):
        most = max(most, stops[leaf] - starts[leaf])
    rest = np.empty(most, np.float32)
    own = np.empty(most, np.float32)
    workspace = sorting_workspace(most)
    for leaf in range(n_leaves):
        for j in range(K):
            n = 0
            total = 0.0
            for i in range(starts[leaf], stops[leaf]):
                row = rows[i]
                if not np.isnan(Y[row, j]):
                    rest[n] = Y[row, j] - F[row, j]
                    own[n] = weights[i]
                    total += np.float64(weights[i])
                    n += 1
            if n > 0:
                order = sort_rows(rest[:n], workspace)
                steps[leaf, j] = _quantile(rest, own, order, level * total) * total / (total + l2)
    return steps


@exact
def _quantile(values, weights, order, share):
    below = 0.0
    for k in range(order.shape[0]):
        below += np.float64(weights[order[k]])
        if below >= share:
            here = np.float64(values[order[k]])
            if below == share and k + 1 < order.shape[0]:
                return 0.5 * (here + np.float64(values[order[k + 1]]))
            return here
    return np.float64(values[order[order.shape[0] - 1]])
