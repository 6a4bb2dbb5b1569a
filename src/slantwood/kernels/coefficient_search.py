"""Which value of one coefficient of a hyperplane removes the most impurity, all others being held.

With the scores v_i = x_i.w + c of a node's rows, rows of v_i >= 0 stand on the right. Along any step, a
number a_i for each row (a feature, 1 for the offset, or a direction x_i.h), scores become v_i + t a_i, and
row i changes sides where t passes -v_i / a_i. So the rows that move are sorted by these critical values and
passed once, each taking its clustering attributes from one side to the other; rows of a_i = 0 stay where they
are. What is removed is

    gain = N / (S (N - S)) * |m|^2,    m = sum over the right of r_i z_i,    S the weight of the right

(with missing attributes sum_j N_j / (S_j (N_j - S_j)) m_j^2, over the rows in which attribute j is known).
From the empty plane w = 0, c = -1, on whose right there is nothing, the best step along one feature is the
best axis-parallel split by it: x >= 1 / t, or x <= 1 / t where t is negative.

Scores of sparse blocks are sums over stored values, so that a step along a feature moves only the rows that
have it. The offset c then is b - mean.w.

Functions that run for every row are compiled without counting references, which would take most of their
time; so they make no arrays and return none.
"""

from typing import NamedTuple

import numpy as np

from slantwood.kernels.columns import Columns, columns_of
from slantwood.kernels.compiling import exact
from slantwood.kernels.products import has_missing, known_weights, project
from slantwood.kernels.scratch import scratch
from slantwood.kernels.sorting import SortingWorkspace, sort_rows, sorting_workspace

# Longest step. Coefficients are kept near 1 at the most, so that longer ones would leave nothing of the rest.
_LONGEST = 1e6

# Share of the whole weight below which a side is rounding.
_NOTHING = 1e-9

# What a gain must rise by, relative to itself and to the whole weight, to be more than rounding: attributes
# are centred in float32 only, so that a partition and its mirror image differ by this much.
_HIGHER = 1e-5
_ABOVE_ZERO = 1e-12

# Coefficients below this share of the largest one are rounding.
_VANISHES = 1e-7

# Places in `totals`: weight and number of the rows on the right, |sums|^2 and sums.mean.
_WEIGHT = 0
_COUNT = 1
_SQUARED = 2
_ALONG_MEAN = 3


class Search(NamedTuple):
    """A hyperplane over the rows of a node, what stands on its right, and memory to look for a better one."""

    columns: Columns  # the features
    ones: np.ndarray  # float32 over rows: a step of the offset
    weights: np.ndarray  # float32 over rows
    w: np.ndarray  # float64 over features
    offset: np.ndarray  # float64 (1,): c
    scores: np.ndarray  # float64 over rows
    sums: np.ndarray  # float64 over attributes, of the rows on the right: sum r z, z as stored
    inside: np.ndarray  # with missing values: their weight where the attribute is known
    totals: np.ndarray  # float64 (4,), see above
    known: np.ndarray  # with missing values: weight of all rows in which an attribute is known
    whole: float  # weight of all rows
    of_means: float  # |mean of stored attributes|^2
    z: np.ndarray  # with missing values: one row of attributes
    keys: np.ndarray  # float32 over rows: critical values of those that move
    movers: np.ndarray  # and their moves there
    turned: np.ndarray  # moves that come before all of them
    sorting: SortingWorkspace
    tried_sums: np.ndarray  # sums as above while passing rows
    tried_inside: np.ndarray
    tried_totals: np.ndarray


@exact
def begin(X, Z, weights):
    """Make a search for a node, at the empty plane."""
    n = X.n_rows
    ones = scratch(n, np.float32)
    ones[:] = np.float32(1.0)
    n_tracked = Z.n_columns if has_missing(Z) else 0
    known = np.zeros(n_tracked)
    if n_tracked > 0:
        known_weights(Z, weights, known)
    whole = 0.0
    for i in range(n):
        whole += np.float64(weights[i])
    of_means = 0.0
    for j in range(Z.n_columns):
        of_means += np.float64(Z.mean[j]) ** 2
    search = Search(
        columns_of(X, ones),
        ones,
        weights,
        np.zeros(X.n_columns),
        np.zeros(1),
        np.zeros(n),
        np.zeros(Z.n_columns),
        np.zeros(n_tracked),
        np.zeros(4),
        known,
        whole,
        of_means,
        scratch(n_tracked, np.float32),
        scratch(n, np.float32),
        scratch(n, np.int64),
        scratch(n, np.int64),
        sorting_workspace(n),
        np.zeros(Z.n_columns),
        np.zeros(n_tracked),
        np.zeros(4),
    )
    clear(search)
    return search


@exact
def clear(search):
    """Go back to the empty plane."""
    search.w[:] = 0.0
    search.offset[0] = -1.0
    search.scores[:] = -1.0
    search.sums[:] = 0.0
    search.inside[:] = 0.0
    search.totals[:] = 0.0


@exact
def feature_step(search, j):
    """Return the stored values of a feature and their rows; where all have a value no rows are named.

    After the last feature comes the offset.
    """
    columns = search.columns
    if j == columns.n_columns:
        return search.ones, columns.rows[:0]
    if columns.is_dense:
        return columns.values[j], columns.rows
    start = columns.indptr[j]
    stop = columns.indptr[j + 1]
    return columns.data[start:stop], columns.rows[start:stop]


@exact
def _move(search, Z, move, sums, inside, totals):
    # Take a row to the right, or where the move is negative from it: row i to the left is the move -1 - i.
    row = move if move >= 0 else -1 - move
    sign = 1.0 if move >= 0 else -1.0
    r = sign * np.float64(search.weights[row])
    totals[_WEIGHT] += r
    totals[_COUNT] += sign
    if inside.shape[0] > 0:
        _move_what_is_known(search, Z, row, r, sums, inside)
        return
    squared = 0.0
    if Z.is_dense:
        for j in range(Z.n_columns):
            z = r * np.float64(Z.values[row, j])
            squared += (2.0 * sums[j] + z) * z
            sums[j] += z
    else:
        along_mean = 0.0
        for k in range(Z.indptr[row], Z.indptr[row + 1]):
            j = Z.indices[k]
            z = r * np.float64(Z.data[k])
            squared += (2.0 * sums[j] + z) * z
            along_mean += z * np.float64(Z.mean[j])
            sums[j] += z
        totals[_ALONG_MEAN] += along_mean
    totals[_SQUARED] += squared


@exact
def _move_what_is_known(search, Z, row, r, sums, inside):
    z = search.z
    for j in range(Z.n_columns):
        z[j] = Z.values[row, j] if Z.is_dense else -Z.mean[j]
    if not Z.is_dense:
        for k in range(Z.indptr[row], Z.indptr[row + 1]):
            z[Z.indices[k]] += Z.data[k]
    for k in range(Z.missing_indptr[row], Z.missing_indptr[row + 1]):
        z[Z.missing_indices[k]] = np.float32(np.nan)
    for j in range(Z.n_columns):
        if not np.isnan(z[j]):
            sums[j] += r * np.float64(z[j])
            inside[j] += r


@exact
def _gain(search, sums, inside, totals):
    # -1 where one side is empty.
    right = totals[_WEIGHT]
    left = search.whole - right
    n = search.scores.shape[0]
    if not (0.5 < totals[_COUNT] < n - 0.5 and min(left, right) > _NOTHING * search.whole):
        return -1.0
    if inside.shape[0] == 0:
        # |sums - right mean|^2, with the sums of stored values.
        squared = totals[_SQUARED] - 2.0 * right * totals[_ALONG_MEAN] + right * right * search.of_means
        return max(squared, 0.0) * search.whole / (left * right)
    gain = 0.0
    for j in range(inside.shape[0]):
        both = inside[j] * (search.known[j] - inside[j])
        if both > _NOTHING * search.known[j] * search.known[j]:
            gain += sums[j] * sums[j] * search.known[j] / both
    return gain


@exact
def gain_of(search):
    """Impurity that the plane removes; -1 where all rows are on one side."""
    return _gain(search, search.sums, search.inside, search.totals)


@exact
def is_higher(search, gain, other):
    """Whether a gain is above another one by more than rounding."""
    return gain > other + _HIGHER * max(other, 0.0) + _ABOVE_ZERO * search.whole


@exact
def best_step(search, Z, values, rows, shift):
    """Length t of the best step along `values + shift`, and the gain after it (-1: none has two sides)."""
    n_turned, n_moves = _list_moves(search, values, rows, shift)
    if n_turned == n_moves:
        return 0.0, -1.0
    order = sort_rows(search.keys[: n_moves - n_turned], search.sorting)
    return _pass_rows(search, Z, n_turned, n_moves, order)


@exact
def _list_moves(search, values, rows, shift):
    # First the moves to the far negative end, where rows of negative values are on the right and those of
    # positive ones are not; from there on each row moves once, at its key.
    n_turned = 0
    count = 0
    for k in range(values.shape[0]):
        row = np.int64(rows[k]) if rows.shape[0] > 0 else k
        a = np.float64(values[k]) + shift
        v = search.scores[row]
        if abs(v) < _LONGEST * abs(a):
            search.keys[count] = -v / a
            search.movers[count] = row if a > 0.0 else -1 - row
            count += 1
            if (a < 0.0) != (v >= 0.0):
                search.turned[n_turned] = row if a < 0.0 else -1 - row
                n_turned += 1
    return n_turned, n_turned + count


@exact
def _pass_rows(search, Z, n_turned, n_moves, order):
    sums = search.tried_sums
    inside = search.tried_inside
    totals = search.tried_totals
    for j in range(sums.shape[0]):
        sums[j] = search.sums[j]
    for j in range(inside.shape[0]):
        inside[j] = search.inside[j]
    for j in range(totals.shape[0]):
        totals[j] = search.totals[j]
    best = -1.0
    step = 0.0
    here = np.float32(-np.inf)
    for q in range(n_moves + 1):
        move = search.turned[q] if q < n_turned else np.int64(0)
        if q >= n_turned:
            after = np.float32(np.inf)
            if q < n_moves:
                place = order[q - n_turned]
                move = search.movers[place]
                after = search.keys[place]
            if after > here:
                length = _between(here, after)
                if here < length < after:
                    gain = _gain(search, sums, inside, totals)
                    # The first of those that differ by rounding, such as a partition and its mirror image.
                    if gain > best + _HIGHER * abs(best):
                        best = gain
                        step = np.float64(length)
            here = after
        if q < n_moves:
            _move(search, Z, move, sums, inside, totals)
    return step, best


@exact
def _between(here, after):
    half = np.float32(0.5)
    if np.isinf(here):
        return after - half * (abs(after) + np.float32(1.0))
    if np.isinf(after):
        return here + half * (abs(here) + np.float32(1.0))
    return half * (here + after)


@exact
def take_step(search, Z, values, rows, shift, length):
    """Move the rows by a step; the coefficients that it stands for are the caller's to change."""
    for k in range(values.shape[0]):
        row = np.int64(rows[k]) if rows.shape[0] > 0 else k
        old = search.scores[row]
        new = old + length * (np.float64(values[k]) + shift)
        search.scores[row] = new
        if (old >= 0.0) != (new >= 0.0):
            move = row if new >= 0.0 else -1 - row
            _move(search, Z, move, search.sums, search.inside, search.totals)


@exact
def note_step(search, j, shift, length):
    """Change the coefficient of a feature, or after the last one the offset, by a step that was taken."""
    if j < search.w.shape[0]:
        search.w[j] += length
        search.offset[0] += length * shift
    else:
        search.offset[0] += length


@exact
def change_coefficient(search, Z, j, shift, length):
    """Take a step along a feature, shifted, or after the last one along the offset."""
    values, rows = feature_step(search, j)
    take_step(search, Z, values, rows, shift, length)
    note_step(search, j, shift, length)


@exact
def rescale(search):
    """Make the largest coefficient 1 or -1, which changes no row's side."""
    largest = 0.0
    for j in range(search.w.shape[0]):
        largest = max(largest, abs(search.w[j]))
    if largest > 0.0:
        for j in range(search.w.shape[0]):
            search.w[j] /= largest
        for i in range(search.scores.shape[0]):
            search.scores[i] /= largest
        search.offset[0] /= largest


@exact
def as_split(search, X):
    """Coefficients and offset in standardised units, and whether there are rows on both sides.

    The plane lies halfway between the nearest rows of the two sides. Its largest coefficient is positive:
    which side is the right one makes no difference, and was left to rounding before.
    """
    d = X.n_columns
    w = scratch(d, np.float32)
    w[:] = np.float32(0.0)
    largest = 0.0
    for j in range(d):
        if abs(search.w[j]) > abs(largest):
            largest = search.w[j]
    if largest == 0.0:
        return w, np.float32(0.0), False
    cut = -search.offset[0] / largest
    for j in range(d):
        share = search.w[j] / largest
        if abs(share) > _VANISHES:
            w[j] = share
            cut -= np.float64(w[j]) * np.float64(X.mean[j])
    projections = scratch(X.n_rows, np.float32)
    project(X, w, projections)
    left = np.float32(-np.inf)
    right = np.float32(np.inf)
    for i in range(X.n_rows):
        if projections[i] >= cut:
            right = min(right, projections[i])
        else:
            left = max(left, projections[i])
    if np.isinf(left) or np.isinf(right):
        return w, np.float32(0.0), False
    middle = np.float32(0.5) * (left + right)
    return w, -(middle if middle > left else right), True
