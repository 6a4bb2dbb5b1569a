"""Linear separators of sparse rows: L2-regularised support vector machines with squared hinge loss.

    minimise  |w|^2 / 2 + sum_i C_i max(0, 1 - c_i x_i.w)^2

for sides c_i = -1 or 1, solved in the dual by coordinate descent with shrinking (Hsieh, Chang, Lin, Keerthi
and Sundararajan 2008, the method of LIBLINEAR):

    minimise  |sum_i a_i c_i x_i|^2 / 2 + sum_i a_i^2 / (4 C_i) - sum_i a_i    for a_i >= 0

where w = sum_i a_i c_i x_i. Rows are scaled as they are read, and have a last column of ones, whose weight is
the offset: neither takes a copy of the rows.

Separators of the same rows are found side by side, in lanes. A step costs one pass over the stored values of
a row, whose weights lie far apart in memory; with a line of weights at each place, one for each lane, it is
hardly dearer for all lanes than for one. A row that lies beyond the margin in all of them takes no part.
"""

from typing import NamedTuple

import numpy as np

from slantwood.kernels.compiling import exact, vectorised
from slantwood.kernels.random import below
from slantwood.kernels.scratch import grown, scratch

_0 = np.float32(0.0)
_1 = np.float32(1.0)

# Separators that are found side by side: their weights of thousands of features fit into the cache.
LANES = 64

# Beyond all slopes; infinity is no number to arithmetic that may be reordered.
_FAR = np.float32(1e30)


class Separators(NamedTuple):
    """Weights of several separators, one after the other: those of separator s from starts[s] on."""

    starts: np.ndarray  # int64
    features: np.ndarray  # uint32
    weights: np.ndarray  # float32


class _Lanes(NamedTuple):
    """What the descent knows, with a column for each lane."""

    W: np.ndarray  # (n_columns, lanes)
    sides: np.ndarray  # (n_rows, lanes): c_i
    duals: np.ndarray  # (n_rows, lanes): a_i
    products: np.ndarray  # of one row with the weights of each lane
    steps: np.ndarray  # of these, times the side
    largest: np.ndarray  # projected slopes of a pass
    smallest: np.ndarray
    shrink_above: np.ndarray  # a slope beyond which a row at zero takes no part


@exact
def one_against_rest(X, factors, rows, costs, starts, members, max_iter, tol, cut, seed, stop_flag):
    """Return a separator of each of several sets of rows from the other rows of a node.

    Parameters
    ----------
    X : Matrix
        Sparse, without the column of ones, which is feature X.n_columns.
    factors : array of float32
        By which each row of X is multiplied.
    rows : array of uint32
        The rows of the node.
    costs : array of float32
        C_i of each of them.
    starts, members : arrays of int64 and of uint32
        The places in `rows` of those of set s are members[starts[s] : starts[s + 1]].
    max_iter : int
        Passes over the rows at the most.
    tol : float
        The descent ends when the projected slopes of a pass over all rows differ by no more.
    cut : float
        Weights that are no larger are left out, but for the offset.
    seed : uint64
        Of the order of rows, not 0.
    stop_flag : array of uint8 of shape (1,)
        Once it is not 0, the result does not matter any more, and comes soon.
    """
    n_sets = starts.shape[0] - 1
    used = _used_columns(X, rows)
    squares = _squares(X, factors, rows)
    order = np.empty(rows.shape[0], np.uint32)
    state = np.empty(1, np.uint64)
    state[0] = seed
    width = -(-n_sets // -(-n_sets // LANES))  # as many in each block
    lanes = _lanes(X.n_columns + 1, rows.shape[0], width)
    out_starts = np.zeros(n_sets + 1, np.int64)
    features = np.empty(1024, np.uint32)
    weights = np.empty(1024, np.float32)
    n_kept = 0
    for first in range(0, n_sets, width):
        _take_sides(lanes, used, starts, members, first, min(first + width, n_sets))
        _descend(X, factors, rows, costs, squares, order, lanes, max_iter, np.float32(tol), state, stop_flag)
        for s in range(first, min(first + width, n_sets)):
            if n_kept + used.shape[0] > features.shape[0]:
                features = grown(features, n_kept + used.shape[0])
                weights = grown(weights, n_kept + used.shape[0])
            for j in used:
                weight = lanes.W[j, s - first]
                if abs(weight) > cut or (j == X.n_columns and weight != _0):
                    features[n_kept] = j
                    weights[n_kept] = weight
                    n_kept += 1
            out_starts[s + 1] = n_kept
    return Separators(out_starts, features[:n_kept].copy(), weights[:n_kept].copy())


@exact
def _used_columns(X, rows):
    # Columns, in order, in which any of the rows has a value, and that of ones: other weights stay zero.
    is_used = np.zeros(X.n_columns, np.bool_)
    n_used = 0
    for i in rows:
        for k in range(X.indptr[i], X.indptr[i + 1]):
            if not is_used[X.indices[k]]:
                is_used[X.indices[k]] = True
                n_used += 1
    used = np.empty(n_used + 1, np.uint32)
    used[n_used] = X.n_columns
    n_used = 0
    for j in range(X.n_columns):
        if is_used[j]:
            used[n_used] = j
            n_used += 1
    return used


@exact
def _squares(X, factors, rows):
    squares = np.empty(rows.shape[0], np.float32)
    for p in range(rows.shape[0]):
        total = 0.0
        for k in range(X.indptr[rows[p]], X.indptr[rows[p] + 1]):
            total += np.float64(X.data[k]) ** 2
        squares[p] = total * np.float64(factors[rows[p]]) ** 2 + 1.0
    return squares


@exact
def _lanes(n_columns, n_rows, n_lanes):
    return _Lanes(
        np.empty((n_columns, n_lanes), np.float32),
        np.empty((n_rows, n_lanes), np.float32),
        np.empty((n_rows, n_lanes), np.float32),
        scratch(n_lanes, np.float32),
        scratch(n_lanes, np.float32),
        scratch(n_lanes, np.float32),
        scratch(n_lanes, np.float32),
        scratch(n_lanes, np.float32),
    )


@exact
def _take_sides(lanes, used, starts, members, first, last):
    # All weights zero, and each lane's members against the rest; lanes without a set have no members.
    for j in used:
        for c in range(lanes.W.shape[1]):
            lanes.W[j, c] = _0
    for p in range(lanes.sides.shape[0]):
        for c in range(lanes.sides.shape[1]):
            lanes.sides[p, c] = -_1
            lanes.duals[p, c] = _0
    for s in range(first, last):
        for m in range(starts[s], starts[s + 1]):
            lanes.sides[members[m], s - first] = _1


@exact
def _descend(X, factors, rows, costs, squares, order, lanes, max_iter, tol, state, stop_flag):
    n = rows.shape[0]
    for p in range(n):
        order[p] = p
    n_active = n
    _forget(lanes.shrink_above, _FAR)
    for _ in range(max_iter):
        _forget(lanes.largest, -_FAR)
        _forget(lanes.smallest, _FAR)
        n_before = n_active
        k = 0
        while k < n_active:
            if stop_flag[0] != 0:
                return
            other = k + below(state, n_active - k)
            order[k], order[other] = order[other], order[k]
            p = order[k]
            i = rows[p]
            half = np.float32(0.5) / costs[p]
            _multiply(X.indptr[i], X.indptr[i + 1], X.indices, X.data, factors[i], lanes.W, lanes.products)
            stays, moves = _step(lanes, lanes.sides[p], lanes.duals[p], half, _1 / (squares[p] + half))
            if moves:
                _add_row(X.indptr[i], X.indptr[i + 1], X.indices, X.data, factors[i], lanes.steps, lanes.W)
            if stays:
                k += 1
            else:
                n_active -= 1
                order[k], order[n_active] = order[n_active], order[k]
        if _spread(lanes.largest, lanes.smallest) > tol:
            _shrink_from(lanes.largest, lanes.shrink_above)
        elif n_before == n:
            return
        else:
            # The rows in use have settled; now look at all of them again.
            n_active = n
            _forget(lanes.shrink_above, _FAR)


@vectorised
def _forget(values, value):
    for c in range(values.shape[0]):
        values[c] = value


@vectorised
def _step(lanes, sides, duals, half, inverse):
    # Brings a row's dual in each lane to the value that is best while all others stay. Returns whether the
    # row takes part any further, and whether it moves, in any lane.
    stays = np.int32(0)
    moves = np.int32(0)
    for c in range(sides.shape[0]):
        before = duals[c]
        slope = sides[c] * lanes.products[c] + before * half - _1
        after = max(before - slope * inverse, _0)
        projected = slope if before > _0 else min(slope, _0)
        lanes.largest[c] = max(lanes.largest[c], projected)
        lanes.smallest[c] = min(lanes.smallest[c], projected)
        lanes.steps[c] = (after - before) * sides[c]
        duals[c] = after
        stays |= np.int32(before > _0) | np.int32(slope <= lanes.shrink_above[c])
        moves |= np.int32(after != before)
    return stays != 0, moves != 0


@vectorised
def _spread(largest, smallest):
    worst = _0
    for c in range(largest.shape[0]):
        worst = max(worst, largest[c] - smallest[c])
    return worst


@vectorised
def _shrink_from(largest, shrink_above):
    for c in range(largest.shape[0]):
        shrink_above[c] = largest[c] if largest[c] > _0 else _FAR


@exact
def _multiply(start, end, indices, data, factor, W, products):
    _forget(products, _0)
    k = start
    while k + 4 <= end:
        _add_four(
            W[np.int64(indices[k])],
            W[np.int64(indices[k + 1])],
            W[np.int64(indices[k + 2])],
            W[np.int64(indices[k + 3])],
            data[k],
            data[k + 1],
            data[k + 2],
            data[k + 3],
            products,
        )
        k += 4
    while k < end:
        _add_multiple(W[np.int64(indices[k])], data[k], products)
        k += 1
    _scale_and_add(factor, W[W.shape[0] - 1], products)


@vectorised
def _add_four(first, second, third, fourth, a, b, c, d, out):
    for j in range(out.shape[0]):
        out[j] += (a * first[j] + b * second[j]) + (c * third[j] + d * fourth[j])


@vectorised
def _scale_and_add(factor, line, out):
    for c in range(out.shape[0]):
        out[c] = factor * out[c] + line[c]


@vectorised
def _add_multiple(line, factor, out):
    for c in range(out.shape[0]):
        out[c] += factor * line[c]


@exact
def _add_row(start, end, indices, data, factor, steps, W):
    for k in range(start, end):
        _add_multiple(steps, factor * data[k], W[np.int64(indices[k])])
    _add_multiple(steps, _1, W[W.shape[0] - 1])
