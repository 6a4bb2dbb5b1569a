"""A sparse linear separator: the L1-regularised support vector machine with squared hinge loss.

    minimise  sum_j |w_j| + sum_i C_i max(0, 1 - c_i (x_i.w + b))^2

over w and the free offset b, for sides c_i = -1 or 1. Coordinate descent with shrinking (Yuan, Chang, Hsieh
and Lin 2010, the method of LIBLINEAR) finds out which weights are not zero; where it becomes slow, because
features are correlated, a Newton step moves these weights together.

With a_ij = sqrt(C_i) c_i x_ij and the weighted slacks s_i = sqrt(C_i) (1 - c_i (x_i.w + b)) the loss is
sum max(0, s_i)^2, and a step d of weight j takes d a_ij from every s_i: costs and sides are met once,
when the columns a_j are made.
"""

import math
from typing import NamedTuple

import numpy as np

from slantwood.kernels.columns import Columns, add_column, columns_of, dense_add, dense_inner, inner
from slantwood.kernels.compiling import exact, indexed, vectorised
from slantwood.kernels.random import below
from slantwood.kernels.scratch import scratch
from slantwood.kernels.sorting import sort_rows, sorting_workspace

# A step must achieve this share of the decrease that the slope promises; it is halved until it does.
_SUFFICIENT = 0.01
_HALVINGS = 20

_NO_STEP = 1e-12
_NO_GAIN = 1e-9  # of the objective: as far as float32 weights go
_MIN_CURVATURE = 1e-12

# A Newton step follows where a pass over the coordinates leaves more than this share of the violation. It
# takes so many conjugate gradients, to this share of the first residual, with the curvature raised by
# this share of the largest it can have; with more weights than `_MANY` that is slower than more passes.
_SLOW = 0.5
_GRADIENTS = 30
_RESIDUAL = 0.3
_DAMPING = 1e-4
_MANY = 1000


class _Problem(NamedTuple):
    columns: Columns  # a_ij
    offset_column: np.ndarray  # sqrt(C_i) c_i: the column of the offset
    squares: (
        np.ndarray
    )  # sum_i a_ij^2, half the curvature with all rows inside the margin; last, the offset's


@exact
def fit_l1_svm(X, is_right, weights, left_cost, right_cost, max_iter, tol, state, w):
    """Write the weights to w, for the block as it stands (its means subtracted); return the offset.

    Stops when the violations of optimality have fallen to `tol` times the share of the smaller side
    times what they were at the start, or after `max_iter` passes over the data.
    """
    n = X.n_rows
    d = X.n_columns
    slack = scratch(n, np.float64)
    offset_column = scratch(n, np.float32)
    right = 0.0
    total = 0.0
    for i in range(n):
        cost = np.float64(weights[i]) * (right_cost if is_right[i] else left_cost)
        slack[i] = math.sqrt(cost)
        offset_column[i] = slack[i] if is_right[i] else -slack[i]
        total += weights[i]
        right += weights[i] if is_right[i] else 0.0
    columns = columns_of(X, offset_column)
    squares = scratch(d + 1, np.float64)
    for j in range(d):
        squares[j] = _squared_length(columns, j)
        w[j] = np.float32(0.0)
    squares[d] = _dense_squared_length(offset_column)
    problem = _Problem(columns, offset_column, squares)
    b = _descend_offset(problem, slack)[0]
    # The strongest features first: once they have their weights, most others have nothing left to explain.
    strength = scratch(d, np.float32)
    for j in range(d):
        strength[j] = -abs(_derivatives(columns, j, slack)[0]) / math.sqrt(max(squares[j], _MIN_CURVATURE))
    order = sort_rows(strength, sorting_workspace(d))
    tolerance = tol * min(right, total - right) / total
    n_active = d
    shrink_within = np.inf
    at_start = -1.0
    before = np.inf
    value = _loss(slack)
    wait = 1  # passes between Newton steps: doubled by each that gains less than the passes would have
    waited = 0
    n_passes = 0
    while n_passes < max_iter:
        n_passes += 1
        shift, violation, worst, n_left = _descend(
            problem, order[:n_active], n_passes > 1, shrink_within, state, slack, w
        )
        b += shift
        if at_start < 0.0:
            at_start = violation
        pass_gain = value - _loss(slack) - _absolute_sum(w)
        value -= pass_gain
        if violation > tolerance * at_start and pass_gain > _NO_GAIN * value:
            n_active = n_left
            shrink_within = worst / total
        elif n_active < d:
            # The weights in use have settled; now look at all of them again.
            n_active = d
            shrink_within = np.inf
        else:
            break
        waited += 1
        if violation > _SLOW * before and waited >= wait and n_passes < max_iter:
            shift, gain, used = _newton_step(problem, order[:n_active], max_iter - n_passes, slack, w)
            b += shift
            value -= gain
            n_passes += used
            wait = 1 if gain > used * pass_gain else 2 * wait
            waited = 0
        before = violation
    for j in range(d):
        b += np.float64(X.mean[j]) * np.float64(w[j])
    return np.float32(b)


@exact
def _descend(problem, order, shuffled, shrink_within, state, slack, w):
    # One pass over the offset and the given weights, in random order or as they come. Returns the step of the
    # offset, the sum and the largest of the violations met, and how many weights remain in use, put in front.
    columns = problem.columns
    shift, violation = _descend_offset(problem, slack)
    worst = violation
    n_active = order.shape[0]
    k = 0
    while k < n_active:
        if shuffled:
            other = k + below(state, n_active - k)
            order[k], order[other] = order[other], order[k]
        j = order[k]
        old = np.float64(w[j])
        slope, curvature = _derivatives(columns, j, slack)
        up = slope + 1.0  # slope of the whole objective right of zero
        down = slope - 1.0  # and left of it
        if old == 0.0 and up > shrink_within and down < -shrink_within:
            # Far from leaving zero: not looked at again before the others have settled.
            n_active -= 1
            order[k], order[n_active] = order[n_active], order[k]
            continue
        k += 1
        excess = max(-up, down, 0.0)
        if old != 0.0:
            excess = abs(up) if old > 0.0 else abs(down)
        violation += excess
        worst = max(worst, excess)
        # The minimum of the quadratic model: right of zero, left of it, or at it.
        curvature = max(curvature, _MIN_CURVATURE)
        step = -old
        if up < curvature * old:
            step = -up / curvature
        elif down > curvature * old:
            step = -down / curvature
        if abs(step) < _NO_STEP:
            continue
        w[j] = old + _sufficient(problem, j, slack, old, step, slope)
        add_column(columns, j, old - np.float64(w[j]), slack)  # as far as the stored weight has moved
    return shift, violation, worst, n_active


@exact
def _sufficient(problem, j, slack, old, step, slope):
    # The step, halved until the objective falls enough. The objective is at most the quadratic with the
    # curvature that all rows inside the margin would give; this is tried first because it costs nothing.
    promise = abs(old + step) - abs(old) + slope * step
    for _ in range(_HALVINGS):
        penalty = abs(old + step) - abs(old)
        if penalty + step * (slope + problem.squares[j] * step) <= _SUFFICIENT * promise:
            return step
        if penalty + _change(problem.columns, j, step, slack) <= _SUFFICIENT * promise:
            return step
        step *= 0.5
        promise *= 0.5
    return 0.0


@exact
def _descend_offset(problem, slack):
    # The same for the offset, which has no penalty. Returns its step and its violation.
    slope, curvature = _dense_derivatives(problem.offset_column, slack)
    step = -slope / max(curvature, _MIN_CURVATURE)
    square = problem.squares[problem.squares.shape[0] - 1]
    for _ in range(_HALVINGS):
        limit = _SUFFICIENT * slope * step
        if step * (slope + square * step) <= limit or (
            _dense_change(problem.offset_column, step, slack) <= limit
        ):
            dense_add(problem.offset_column, -step, slack)
            return step, abs(slope)
        step *= 0.5
    return 0.0, abs(slope)


@exact
def _newton_step(problem, candidates, max_passes, slack, w):
    # Moves the offset and the weights that are not zero, within their signs, towards the minimum of the
    # quadratic model. Returns the step of the offset, the decrease of the objective and the number of
    # passes over the data.
    support = scratch(candidates.shape[0], np.int64)
    size = 0
    for j in candidates:
        if w[j] != np.float32(0.0):
            support[size] = j
            size += 1
    if size > _MANY:
        return 0.0, 0.0, 0
    support = support[:size]
    step, n_passes = _newton_direction(problem, support, max_passes, slack, w)
    n = slack.shape[0]
    before = _loss(slack)
    for k in range(size):
        before += abs(np.float64(w[support[k]]))
    move = scratch(size + 1, np.float64)
    taken = scratch(n, np.float64)
    factor = 1.0
    for _ in range(_HALVINGS):
        after = 0.0
        for k in range(size):
            old = np.float64(w[support[k]])
            new = np.float64(np.float32(old + factor * step[k]))
            if new * old < 0.0:
                new = np.float64(0.0)
            after += abs(new)
            move[k] = new - old
        move[size] = factor * step[size]
        _combine(problem, support, move, taken)
        for i in range(n):
            after += max(slack[i] - taken[i], 0.0) ** 2
        if after < before:
            for i in range(n):
                slack[i] -= taken[i]
            for k in range(size):
                w[support[k]] = np.float64(w[support[k]]) + move[k]
            return move[size], before - after, n_passes
        factor *= 0.5
    return 0.0, 0.0, n_passes


@exact
def _newton_direction(problem, support, max_passes, slack, w):
    # Conjugate gradients for H step = -slope over the support and, in the last place, the offset, where H
    # counts the rows inside the margin; preconditioned with the curvature that all rows would give.
    n = slack.shape[0]
    size = support.shape[0]
    scale = scratch(size + 1, np.float64)
    residual = scratch(size + 1, np.float64)
    direction = scratch(size + 1, np.float64)
    product = scratch(size + 1, np.float64)
    step = scratch(size + 1, np.float64)
    inside = scratch(n, np.float64)
    for i in range(n):
        inside[i] = max(slack[i], 0.0)
    _against(problem, support, inside, residual)
    for k in range(size + 1):
        residual[k] *= 2.0
        if k < size:
            residual[k] -= 1.0 if w[support[k]] > np.float32(0.0) else -1.0
        scale[k] = problem.squares[support[k] if k < size else problem.squares.shape[0] - 1]
        direction[k] = residual[k] / scale[k]
        step[k] = 0.0
    length = _weighted_square(residual, scale)
    enough = _RESIDUAL * _RESIDUAL * length
    n_passes = 0
    for _ in range(min(_GRADIENTS, size + 1, max_passes)):
        if not length > enough:
            break
        n_passes += 1
        _combine(problem, support, direction, inside)
        for i in range(n):
            inside[i] = inside[i] if slack[i] > 0.0 else 0.0
        _against(problem, support, inside, product)
        curvature = 0.0
        for k in range(size + 1):
            product[k] = 2.0 * (product[k] + _DAMPING * scale[k] * direction[k])
            curvature += direction[k] * product[k]
        factor = length / curvature
        for k in range(size + 1):
            step[k] += factor * direction[k]
            residual[k] -= factor * product[k]
        shorter = _weighted_square(residual, scale)
        for k in range(size + 1):
            direction[k] = residual[k] / scale[k] + shorter / length * direction[k]
        length = shorter
    return step, n_passes


@exact
def _weighted_square(residual, scale):
    total = 0.0
    for k in range(residual.shape[0]):
        total += residual[k] * residual[k] / scale[k]
    return total


@exact
def _combine(problem, support, factors, out):
    # Sum of the support's columns and the offset's, each times its factor.
    size = support.shape[0]
    for i in range(out.shape[0]):
        out[i] = factors[size] * np.float64(problem.offset_column[i])
    for k in range(size):
        add_column(problem.columns, support[k], factors[k], out)


@exact
def _against(problem, support, vector, out):
    # Inner product of the vector with each of the support's columns and with the offset's.
    for k in range(support.shape[0]):
        out[k] = inner(problem.columns, support[k], vector)
    out[support.shape[0]] = dense_inner(problem.offset_column, vector)


@vectorised
def _loss(slack):
    total = 0.0
    for i in range(slack.shape[0]):
        inside = max(slack[i], 0.0)
        total += inside * inside
    return total


@vectorised
def _absolute_sum(w):
    total = 0.0
    for j in range(w.shape[0]):
        total += abs(np.float64(w[j]))
    return total


# What follows reads one column, dense or sparse.


@exact
def _derivatives(columns, j, slack):
    # Slope and curvature of the loss along weight j.
    if columns.is_dense:
        return _dense_derivatives(columns.values[j], slack)
    return _sparse_derivatives(columns.indptr[j], columns.indptr[j + 1], columns.rows, columns.data, slack)


@exact
def _change(columns, j, step, slack):
    # Of the loss, by a step of weight j.
    if columns.is_dense:
        return _dense_change(columns.values[j], step, slack)
    return _sparse_change(columns.indptr[j], columns.indptr[j + 1], columns.rows, columns.data, step, slack)


@exact
def _squared_length(columns, j):
    if columns.is_dense:
        return _dense_squared_length(columns.values[j])
    return _dense_squared_length(columns.data[columns.indptr[j] : columns.indptr[j + 1]])


@vectorised
def _dense_squared_length(column):
    total = 0.0
    for i in range(column.shape[0]):
        total += np.float64(column[i]) * np.float64(column[i])
    return total


@vectorised
def _dense_derivatives(column, slack):
    slope = 0.0
    curvature = 0.0
    for i in range(column.shape[0]):
        s = slack[i]
        a = np.float64(column[i]) if s > 0.0 else 0.0
        slope += a * s
        curvature += a * a
    return -2.0 * slope, 2.0 * curvature


@indexed
def _sparse_derivatives(start, stop, rows, data, slack):
    slope = 0.0
    curvature = 0.0
    for k in range(np.uint64(start), np.uint64(stop)):
        s = slack[rows[k]]
        if s > 0.0:
            a = np.float64(data[k])
            slope += a * s
            curvature += a * a
    return -2.0 * slope, 2.0 * curvature


@vectorised
def _dense_change(column, step, slack):
    change = 0.0
    for i in range(column.shape[0]):
        before = max(slack[i], 0.0)
        after = max(slack[i] - step * np.float64(column[i]), 0.0)
        change += after * after - before * before
    return change


@indexed
def _sparse_change(start, stop, rows, data, step, slack):
    change = 0.0
    for k in range(np.uint64(start), np.uint64(stop)):
        s = slack[rows[k]]
        before = max(s, 0.0)
        after = max(s - step * np.float64(data[k]), 0.0)
        change += after * after - before * before
    return change
