"""How well a split separates the clustering attributes of a node."""

from typing import NamedTuple

import numpy as np

from slantwood.kernels.compiling import exact
from slantwood.kernels.products import add_over_known, back_project, has_missing, known_weights, project
from slantwood.kernels.scratch import scratch

# Shares of a direction below this are rounding.
_UNKNOWN = 1e-9
_TINY = 1e-300


class Separation(NamedTuple):
    """How well a split separates the clustering attributes, along the direction that joins its sides."""

    decrease: float  # share of the impurity that is gone on the side where it falls more
    explained: float  # share of the variance that lies between the sides


@exact
def sum_right(Z, weights, is_right, members, direction):
    """Write the weights of the rows on the right, zero for others, and their sum of r z, a direction.

    As the sum over all rows is zero, the direction points from the centre of one side to that of the other.
    """
    for i in range(Z.n_rows):
        members[i] = weights[i] if is_right[i] else np.float32(0.0)
    back_project(Z, members, direction)


@exact
def removed_impurity(workspace, direction, members, root_scale, total):
    """Return the impurity that the split removes, N / (S (N - S)) |m|^2 with m = `direction`.

    It is in scales that are the same for all nodes, so that these can be compared.
    """
    S = 0.0
    for i in range(members.shape[0]):
        S += np.float64(members[i])
    squared = 0.0
    for j in range(direction.shape[0]):
        if workspace.scale[j] > 0.0:  # not so for attributes of weight 0
            m = np.float64(direction[j]) * root_scale[workspace.columns[j]] / workspace.scale[j]
            squared += m * m
    both = S * (total - S)
    return squared * total / both if both > 0.0 else 0.0  # a side may weigh no more than rounding


@exact
def total_impurity(workspace, n_attributes, root_scale, total):
    """Return the impurity of a node of this weight: a sum of squares, scaled as `removed_impurity`."""
    variance = 0.0
    for j in range(n_attributes):
        scale = root_scale[workspace.columns[j]]
        variance += scale * scale * workspace.variance[j]
    return variance * total


@exact
def separation_of(Z, weights, is_right, members, direction):
    """Return how well a split separates the attributes, from what `sum_right` wrote, which is overwritten.

    The decrease is relative to the impurity of all rows, on the side where it falls more, along the direction
    in which the split separates the clustering attributes: a split between two sides can act on one direction
    only, so what varies across it must not count against the split. With a single attribute this is the
    relative decrease of its variance.
    """
    n = Z.n_rows
    known = scratch(n, np.float64)
    known[:] = 1.0
    if has_missing(Z):
        _between_known_centres(Z, weights, members, direction)
        # A row of which only a part (in squares) of the direction is known counts with this part.
        levels = direction.astype(np.float64) ** 2
        levels /= max(levels.sum(), _TINY)
        known[:] = 0.0
        add_over_known(Z, levels, known)
    along = members
    project(Z, direction, along)
    total = np.zeros(2)
    sums = np.zeros(2)
    squares = np.zeros(2)
    for i in range(n):
        if known[i] > _UNKNOWN:
            c = 1 if is_right[i] else 0
            r = weights[i] * known[i]
            a = np.float64(along[i]) / known[i]
            total[c] += r
            sums[c] += r * a
            squares[c] += r * a * a
    if not (total[0] > 0.0 and total[1] > 0.0):
        return Separation(0.0, 0.0)
    mean = (sums[0] + sums[1]) / (total[0] + total[1])
    variance = (squares[0] + squares[1]) / (total[0] + total[1]) - mean * mean
    if not variance > 0.0:
        return Separation(0.0, 0.0)
    left = squares[0] / total[0] - (sums[0] / total[0]) ** 2
    right = squares[1] / total[1] - (sums[1] / total[1]) ** 2
    within = (total[0] * left + total[1] * right) / (total[0] + total[1])
    return Separation(1.0 - min(left, right) / variance, 1.0 - within / variance)


@exact
def largest_decrease(Z, weights, is_right, members):
    """Return the share by which the impurity falls on the side where it falls more: the publication's rule.

    The impurity of a side is the sum of the variances of all attributes of Z, which vary in the node and have
    their weights in their scales. `members` are the weights of the rows on the right, zero for others.
    """
    K = Z.n_columns
    known = np.zeros((2, K))
    sums = np.zeros((2, K))
    squares = np.zeros((2, K))
    if has_missing(Z):
        known_weights(Z, weights, known[0])
        known_weights(Z, members, known[1])
        known[0] -= known[1]
    for i in range(Z.n_rows):
        c = 1 if is_right[i] else 0
        if not has_missing(Z):
            known[c] += np.float64(weights[i])
        r = np.float64(weights[i])
        if Z.is_dense:
            for j in range(K):
                value = np.float64(Z.values[i, j])
                sums[c, j] += r * value
                squares[c, j] += r * value * value
        else:
            for k in range(np.uint64(Z.indptr[i]), np.uint64(Z.indptr[i + 1])):
                value = np.float64(Z.data[k])
                sums[c, Z.indices[k]] += r * value
                squares[c, Z.indices[k]] += r * value * value
    before = 0.0
    left = 0.0
    right = 0.0
    for j in range(K):
        both = known[0, j] + known[1, j]
        variance = _variance(both, sums[0, j] + sums[1, j], squares[0, j] + squares[1, j])
        before += variance
        # Of an attribute that is not known on a side nothing is known to have fallen.
        left += _variance(known[0, j], sums[0, j], squares[0, j]) if known[0, j] > 0.0 else variance
        right += _variance(known[1, j], sums[1, j], squares[1, j]) if known[1, j] > 0.0 else variance
    return 1.0 - min(left, right) / before if before > 0.0 else 0.0


@exact
def _variance(weight, total, squares):
    mean = total / weight
    return max(squares / weight - mean * mean, 0.0)


@exact
def _between_known_centres(Z, weights, members, direction):
    # From the sums over one side to the difference of the centres of what is known on the two sides, which
    # without missing values is the same direction.
    total = scratch(Z.n_columns, np.float64)
    inside = scratch(Z.n_columns, np.float64)
    known_weights(Z, weights, total)
    known_weights(Z, members, inside)
    for j in range(Z.n_columns):
        both = inside[j] * (total[j] - inside[j])
        is_on_both = both > _UNKNOWN * total[j] * total[j]
        direction[j] = direction[j] * total[j] / both if is_on_both else np.float32(0.0)
