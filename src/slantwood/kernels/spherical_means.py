"""Clusters of sparse rows of unit length by their angles: spherical k-means (Dhillon and Modha 2001).

Each row belongs to the centre with which its inner product is largest; each centre is the sum of its rows,
scaled to length 1. Centres are held with one line for each feature, so that the products of a row with all of
them are sums of whole lines, which run in vector registers.
"""

import math

import numpy as np

from slantwood.kernels.compiling import exact, vectorised
from slantwood.kernels.random import below
from slantwood.kernels.scratch import scratch

_0 = np.float32(0.0)

# So many rows for each cluster tell where the centres are; the others only find theirs at the end.
_ROWS_PER_CLUSTER = 256


@exact
def spherical_means(Z, rows, n_clusters, max_iter, tol, seed, stop_flag, cluster):
    """Write the cluster of each of some rows; return the mean inner product of rows with their centres.

    Starts from rows drawn at random, as many as there are clusters, and ends when a round raises that mean
    by no more than `tol`, or after `max_iter` rounds. Of many rows a sample tells where the centres are. A
    cluster may be empty.

    Parameters
    ----------
    Z : Matrix
        Sparse, rows of length 1.
    rows : array of uint32
        Those to divide, at least as many as clusters.
    n_clusters, max_iter : int
        Numbers of clusters, and of rounds at the most.
    tol : float
        Of the mean.
    seed : int
        A number of 64 bits, not 0.
    stop_flag : array of uint8 of shape (1,)
        Once it is not 0, all rows go to the first cluster: the result does not matter any more.
    cluster : array of int32
        Out: of each of the rows.
    """
    n = rows.shape[0]
    state = np.empty(1, np.uint64)
    state[0] = seed
    order = rows.copy()
    n_some = min(n, _ROWS_PER_CLUSTER * n_clusters)
    for k in range(n_some):
        other = k + below(state, n - k)
        order[k], order[other] = order[other], order[k]
    some = order[:n_some]
    of_some = np.empty(n_some, np.int32)
    centres = np.zeros((Z.n_columns, n_clusters), np.float32)
    for c in range(n_clusters):
        _add_to_centre(Z, some[c], centres, c)
    before = -np.inf
    for _ in range(max_iter):
        mean = _assign(Z, some, centres, stop_flag, of_some)
        if mean - before <= tol:
            break
        before = mean
        _move_centres(Z, some, of_some, centres)
    return _assign(Z, rows, centres, stop_flag, cluster)


@exact
def _assign(Z, rows, centres, stop_flag, cluster):
    # Each row to the centre that is nearest, of equal ones the first; returns the mean inner product.
    n_clusters = centres.shape[1]
    products = scratch(n_clusters, np.float32)
    total = 0.0
    for i in range(rows.shape[0]):
        for c in range(n_clusters):
            products[c] = _0
        if stop_flag[0] != 0:
            cluster[i] = 0
            continue
        for k in range(Z.indptr[rows[i]], Z.indptr[rows[i] + 1]):
            _add_multiple(centres[np.int64(Z.indices[k])], Z.data[k], products)
        best = 0
        for c in range(1, n_clusters):
            if products[c] > products[best]:
                best = c
        cluster[i] = best
        total += products[best]
    return total / rows.shape[0]


@exact
def _move_centres(Z, rows, cluster, centres):
    for j in range(centres.shape[0]):
        for c in range(centres.shape[1]):
            centres[j, c] = _0
    for i in range(rows.shape[0]):
        _add_to_centre(Z, rows[i], centres, cluster[i])
    lengths = np.zeros(centres.shape[1], np.float64)
    for j in range(centres.shape[0]):
        for c in range(centres.shape[1]):
            lengths[c] += np.float64(centres[j, c]) ** 2
    factors = scratch(centres.shape[1], np.float32)
    for c in range(centres.shape[1]):
        factors[c] = np.float32(1.0 / math.sqrt(lengths[c])) if lengths[c] > 0.0 else _0
    for j in range(centres.shape[0]):
        for c in range(centres.shape[1]):
            centres[j, c] *= factors[c]


@exact
def _add_to_centre(Z, row, centres, c):
    for k in range(Z.indptr[row], Z.indptr[row + 1]):
        centres[np.int64(Z.indices[k]), c] += Z.data[k]


@vectorised
def _add_multiple(line, factor, out):
    for c in range(out.shape[0]):
        out[c] += factor * line[c]
