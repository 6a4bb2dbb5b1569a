"""Two clusters of a node's rows by their clustering attributes (Lloyd's 2-means).

The block is centred, so with S the weight of one cluster, N that of all rows and m = sum of r z over
the cluster, the two centres are m / S and -m / (N - S): both lie along m. A row is nearer to the
first if z.m is above the middle |m|^2 (1/S - 1/(N - S)) / 2. A round is one product with Z and one with
its transpose, whether Z is dense or sparse. Where values are missing, centres and distances are taken over
those that are known.
"""

import numpy as np

from slantwood.kernels.block import copy_row
from slantwood.kernels.compiling import exact
from slantwood.kernels.products import add_over_known, back_project, dot, has_missing, known_weights, project
from slantwood.kernels.random import uniform
from slantwood.kernels.scratch import scratch

# How often two first rows are drawn before the attributes are taken to have no two clusters.
_STARTS = 3

# Squared distances below this share of the squared lengths are rounding: the rows are equal.
_EQUAL = 1e-6

# A row that is nearer to the first centre by less than this share of the squared distance between the centres
# goes to the second: labels often lie halfway, and rounding must not decide.
_HALFWAY = 1e-4
_ROUNDING = 1e-7

# An attribute that one cluster knows by no more than this share of its weight is known to the other alone.
_ALONE = 1e-9


@exact
def two_means(Z, weights, max_iter, state, member):
    """Mark the rows of one of two clusters in `member`; return whether there are two.

    Starts at two rows drawn as k-means++ does (Arthur & Vassilvitskii 2007): the second with a probability
    that grows with its squared distance from the first. An attribute with just two values, as two
    classes are, gives these two as clusters from any start.
    """
    n = Z.n_rows
    along = scratch(n, np.float32)
    squares = _squared_lengths(Z)
    m = scratch(Z.n_columns, np.float32)
    total = 0.0
    for i in range(n):
        total += weights[i]
    for _ in range(_STARTS):
        if not _start(Z, weights, squares, state, m, along, member):
            continue
        for _ in range(max_iter):
            weight = 0.0
            for i in range(n):
                along[i] = weights[i] if member[i] else np.float32(0.0)
                weight += along[i]
            if not 0.0 < weight < total:
                break
            back_project(Z, along, m)
            if has_missing(Z):
                middle = _nearer_with_missing(Z, weights, along, m)
            else:
                project(Z, m, along)
                square = np.float64(dot(m, m))
                middle = 0.5 * square * (1.0 / weight - 1.0 / (total - weight))
                middle += _HALFWAY * square * (1.0 / weight + 1.0 / (total - weight))
            changed = False
            for i in range(n):
                inside = along[i] > middle
                changed = changed or inside != member[i]
                member[i] = inside
            if not changed:
                break
        count = 0
        for i in range(n):
            count += member[i]
        if 0 < count < n:
            return True
    return False


@exact
def _nearer_with_missing(Z, weights, along, m):
    # From along_i = r_i within the first cluster and 0 outside, and m = sum of r z over it, puts into along_i
    # by how much row i is nearer to the first centre: with the attributes that are known of it,
    # sum_j z_ij (a_j - b_j) - (a_j^2 - b_j^2) / 2 for centres a_j = m_j / S_j and b_j = -m_j / (N_j - S_j),
    # less what counts as halfway. Returns how much it must be so that rounding does not decide.
    K = Z.n_columns
    N = scratch(K, np.float64)
    S = scratch(K, np.float64)
    levels = scratch(K, np.float64)
    known_weights(Z, weights, N)
    known_weights(Z, along, S)
    square = 0.0
    for j in range(K):
        a = np.float64(m[j]) / S[j] if S[j] > _ALONE * N[j] else 0.0
        b = -np.float64(m[j]) / (N[j] - S[j]) if N[j] - S[j] > _ALONE * N[j] else 0.0
        levels[j] = -0.5 * (a * a - b * b) - _HALFWAY * (a - b) ** 2
        m[j] = a - b
        square += (a - b) ** 2
    project(Z, m, along)
    add_over_known(Z, levels, along)
    return _ROUNDING * square


@exact
def _start(Z, weights, squares, state, direction, along, member):
    # Draws two distinct rows and divides all rows by which of the two is nearer.
    n = Z.n_rows
    share = scratch(n, np.float64)
    for i in range(n):
        share[i] = weights[i]
    first = _draw(share, state)
    copy_row(Z, first, direction)
    project(Z, direction, along)
    for i in range(n):
        distance = squares[i] + squares[first] - 2.0 * along[i]
        share[i] = weights[i] * distance if distance > _EQUAL * (squares[i] + squares[first]) else 0.0
    second = _draw(share, state)
    if second < 0:
        return False
    # z is nearer to the second row b than to the first row a if z.(b - a) > (|b|^2 - |a|^2) / 2.
    origin = scratch(Z.n_columns, np.float32)
    copy_row(Z, first, origin)
    copy_row(Z, second, direction)
    for j in range(Z.n_columns):
        direction[j] -= origin[j]
    project(Z, direction, along)
    middle = 0.5 * (squares[second] - squares[first]) + _HALFWAY * np.float64(dot(direction, direction))
    for i in range(n):
        member[i] = along[i] > middle
    # Whatever rounding says of the rows between them.
    member[first] = False
    member[second] = True
    return True


@exact
def _draw(share, state):
    # A position drawn in proportion to its share; -1 where all shares are zero.
    total = 0.0
    for i in range(share.shape[0]):
        total += share[i]
    left = uniform(state) * total
    chosen = -1
    for i in range(share.shape[0]):
        if share[i] > 0.0:
            chosen = i
            left -= share[i]
            if left < 0.0:
                break
    return chosen


@exact
def _squared_lengths(Z):
    n = Z.n_rows
    squares = scratch(n, np.float64)
    if Z.is_dense:
        for i in range(n):
            squares[i] = dot(Z.values[i], Z.values[i])
        return squares
    # |a - mu|^2 = |mu|^2 + sum over stored a of (a^2 - 2 a mu)
    of_means = np.float64(dot(Z.mean, Z.mean))
    for i in range(n):
        square = of_means
        for k in range(Z.indptr[i], Z.indptr[i + 1]):
            a = np.float64(Z.data[k])
            square += a * (a - 2.0 * np.float64(Z.mean[Z.indices[k]]))
        squares[i] = square
    return squares
