"""A sparse linear separator that knows how sure it is: L1-regularised logistic regression.

    minimise  sum_j |w_j| + sum_i C_i log(1 + exp(-c_i (x_i.w + b)))

over w and the free offset b, for sides c_i = -1 or 1. Each Newton step minimises a quadratic model of the
loss, with the penalty as it is, by coordinate descent over those weights that are not zero or near to leaving
it, and goes as far along this direction as the objective falls (newGLMNET: Yuan, Ho & Lin 2012).

With u_i = x_i.w + b, p_i = sigmoid(u_i) and t_i = 1 on the right, else 0, row i pulls at u_i with
q_i = C_i (p_i - t_i). The model has the curvature h_i = C_i max(p_i (1 - p_i), |p_i - t_i| / 8) there: that
of the loss, but for rows far on the wrong side, which else would send the model further than it holds. Within
the model a step of weight j changes every q_i by h_i x_ij times the step, so that one array says all about
the slope of any weight.
"""

import math

import numpy as np

from slantwood.kernels.columns import add_column, columns_of, inner
from slantwood.kernels.compiling import exact, indexed, vectorised
from slantwood.kernels.random import below
from slantwood.kernels.scratch import scratch

# The step must achieve this share of the decrease that the slope promises; it is halved until it does.
_SUFFICIENT = 0.01
_HALVINGS = 20

_FARTHEST = 8.0
_NO_STEP = 1e-12
_MIN_CURVATURE = 1e-12

# Passes over the weights for one quadratic model at the most. At first one pass is enough for it; each model
# that a single pass has met raises the demand.
_PASSES = 10
_STRICTER = 0.25


@exact
def fit_l1_logistic(X, is_right, weights, left_cost, right_cost, max_iter, tol, state, w):
    """Write the weights to w, for the block as it stands (its means subtracted); return the offset.

    Stops when the violations of optimality have fallen to `tol` times the share of the smaller side
    times what they were at the start, or after `max_iter` Newton steps. Both sides must have some weight.
    """
    n = X.n_rows
    d = X.n_columns
    cost = scratch(n, np.float64)
    ones = scratch(n, np.float32)
    left = 0.0
    right = 0.0
    for i in range(n):
        cost[i] = np.float64(weights[i]) * (right_cost if is_right[i] else left_cost)
        ones[i] = np.float32(1.0)
        left += 0.0 if is_right[i] else np.float64(weights[i])
        right += np.float64(weights[i]) if is_right[i] else 0.0
    columns = columns_of(X, ones)
    b = math.log(right * right_cost) - math.log(left * left_cost)  # the best for w = 0
    margin = scratch(n, np.float64)
    margin[:] = b
    weight = np.zeros(d)
    step = np.zeros(d)
    slope = scratch(d, np.float64)
    curvature = scratch(d, np.float64)
    order = np.arange(d)
    pull = scratch(n, np.float64)
    bend = scratch(n, np.float64)
    along = scratch(n, np.float64)
    tolerance = tol * min(left, right) / (left + right)
    shrink_within = np.inf
    at_start = -1.0
    demand = 1.0
    loss = _loss(cost, is_right, margin, margin, 0.0)
    for _ in range(max_iter):
        _derive(cost, is_right, margin, pull, bend)
        offset_slope = _sum(pull)
        violation, worst, n_active = _slopes(
            columns, weight, pull, bend, shrink_within, order, slope, curvature
        )
        violation += abs(offset_slope)
        worst = max(worst, abs(offset_slope))
        if at_start < 0.0:
            at_start = violation
        if violation <= tolerance * at_start:
            break
        shrink_within = worst / (left + right)
        shift, passes = _descend(
            columns,
            weight,
            curvature,
            bend,
            order[:n_active],
            left + right,
            demand * at_start,
            state,
            pull,
            step,
        )
        if passes == 1:
            demand *= _STRICTER
        along[:] = shift
        promise = offset_slope * shift
        for k in range(n_active):
            j = order[k]
            if step[j] != 0.0:
                promise += slope[j] * step[j] + abs(weight[j] + step[j]) - abs(weight[j])
                add_column(columns, j, step[j], along)
        factor = 1.0
        lower = loss
        achieved = False
        for _ in range(_HALVINGS):
            lower = _loss(cost, is_right, margin, along, factor)
            change = lower - loss
            for k in range(n_active):
                j = order[k]
                change += abs(weight[j] + factor * step[j]) - abs(weight[j])
            achieved = change <= _SUFFICIENT * factor * promise and change < 0.0
            if achieved:
                break
            factor *= 0.5
        if not achieved:
            break
        loss = lower
        b += factor * shift
        for i in range(n):
            margin[i] += factor * along[i]
        for k in range(n_active):
            weight[order[k]] += factor * step[order[k]]
            step[order[k]] = 0.0
    for j in range(d):
        w[j] = weight[j]
        b += np.float64(X.mean[j]) * np.float64(w[j])
    return np.float32(b)


@exact
def _loss(cost, is_right, margin, along, factor):
    # At the margins moved along a direction.
    total = 0.0
    for i in range(cost.shape[0]):
        u = margin[i] + factor * along[i]
        wrong = -u if is_right[i] else u
        total += cost[i] * (max(wrong, 0.0) + math.log1p(math.exp(-abs(u))))
    return total


@exact
def _derive(cost, is_right, margin, pull, bend):
    for i in range(cost.shape[0]):
        small = math.exp(-abs(margin[i]))
        unlikely = small / (1.0 + small)  # the probability of the other side
        is_wrong = is_right[i] != (margin[i] >= 0.0)
        error = 1.0 - unlikely if is_wrong else unlikely
        pull[i] = -cost[i] * error if is_right[i] else cost[i] * error
        bend[i] = cost[i] * max(unlikely * (1.0 - unlikely), error / _FARTHEST)


@exact
def _slopes(columns, weight, pull, bend, shrink_within, order, slope, curvature):
    # Slope and curvature of all weights; returns the sum and the largest of their violations, and how many
    # of them may move, put in front: not those far from leaving zero.
    violation = 0.0
    worst = 0.0
    n_active = order.shape[0]
    k = 0
    while k < n_active:
        j = order[k]
        if columns.is_dense:
            slope[j], curvature[j] = _dense_derivatives(columns.values[j], pull, bend)
        else:
            slope[j], curvature[j] = _sparse_derivatives(
                columns.indptr[j], columns.indptr[j + 1], columns.rows, columns.data, pull, bend
            )
        if weight[j] == 0.0 and 1.0 - abs(slope[j]) > shrink_within:
            n_active -= 1
            order[k], order[n_active] = order[n_active], order[k]
            continue
        k += 1
        excess = _violation(weight[j], slope[j])
        violation += excess
        worst = max(worst, excess)
    return violation, worst, n_active


@exact
def _violation(weight, slope):
    if weight == 0.0:
        return max(abs(slope) - 1.0, 0.0)
    return abs(slope + (1.0 if weight > 0.0 else -1.0))


@exact
def _descend(columns, weight, curvature, bend, order, total, enough, state, pull, step):
    # Minimises the quadratic model from a step of zeros; returns the step of the offset and the number of
    # passes. Weights that stay at zero are left out until the others have settled.
    offset_curvature = max(_sum(bend), _MIN_CURVATURE)
    shift = 0.0
    n_passes = 0
    n_active = order.shape[0]
    shrink_within = np.inf
    while n_passes < _PASSES:
        n_passes += 1
        offset_slope = _sum(pull)
        shift -= offset_slope / offset_curvature
        _add(bend, -offset_slope / offset_curvature, pull)
        violation = abs(offset_slope)
        worst = violation
        k = 0
        while k < n_active:
            other = k + below(state, n_active - k)
            order[k], order[other] = order[other], order[k]
            j = order[k]
            slope = inner(columns, j, pull)
            old = weight[j] + step[j]
            if old == 0.0 and 1.0 - abs(slope) > shrink_within:
                n_active -= 1
                order[k], order[n_active] = order[n_active], order[k]
                continue
            k += 1
            excess = _violation(old, slope)
            violation += excess
            worst = max(worst, excess)
            # The minimum over this weight: right of zero, left of it, or at it.
            curved = max(curvature[j], _MIN_CURVATURE)
            new = 0.0
            if slope + 1.0 < curved * old:
                new = old - (slope + 1.0) / curved
            elif slope - 1.0 > curved * old:
                new = old - (slope - 1.0) / curved
            if abs(new - old) < _NO_STEP:
                continue
            step[j] = new - weight[j]
            if columns.is_dense:
                _dense_pull(columns.values[j], new - old, bend, pull)
            else:
                _sparse_pull(
                    columns.indptr[j],
                    columns.indptr[j + 1],
                    columns.rows,
                    columns.data,
                    new - old,
                    bend,
                    pull,
                )
        if violation > enough:
            shrink_within = worst / total
        elif n_active < order.shape[0]:
            n_active = order.shape[0]
            shrink_within = np.inf
        else:
            break
    return shift, n_passes


@vectorised
def _sum(values):
    total = 0.0
    for i in range(values.shape[0]):
        total += values[i]
    return total


@vectorised
def _add(values, factor, out):
    for i in range(values.shape[0]):
        out[i] += factor * values[i]


# What follows reads one column, dense or sparse.


@vectorised
def _dense_derivatives(column, pull, bend):
    slope = 0.0
    curvature = 0.0
    for i in range(column.shape[0]):
        x = np.float64(column[i])
        slope += x * pull[i]
        curvature += x * x * bend[i]
    return slope, curvature


@indexed
def _sparse_derivatives(start, stop, rows, data, pull, bend):
    slope = 0.0
    curvature = 0.0
    for k in range(np.uint64(start), np.uint64(stop)):
        x = np.float64(data[k])
        slope += x * pull[rows[k]]
        curvature += x * x * bend[rows[k]]
    return slope, curvature


@vectorised
def _dense_pull(column, step, bend, pull):
    for i in range(column.shape[0]):
        pull[i] += step * np.float64(column[i]) * bend[i]


@indexed
def _sparse_pull(start, stop, rows, data, step, bend, pull):
    for k in range(np.uint64(start), np.uint64(stop)):
        pull[rows[k]] += step * np.float64(data[k]) * bend[rows[k]]
