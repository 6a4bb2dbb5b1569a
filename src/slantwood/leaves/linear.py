"""Slopes beside the means of leaves: how far targets follow where a row lies, told by left-out rows.

A ridge regression of deviations of targets on deviations of a few features, both from the means of the other
rows nearby. Its strength is chosen for each target by the errors of left-out rows, in closed form; without a
gain that is clear there is no slope.
"""

from typing import NamedTuple

import numpy as np

from slantwood.kernels.compiling import exact

# What is added to the correlations of the features: from hardly any shrinkage to a fourth of the slope. More
# is not tried, for then no slope at all is as good.
_PENALTIES = (0.03, 0.1, 0.3, 1.0, 3.0)

# A feature whose deviations are so small beside the largest has none but rounding.
_ROUNDED = 1e-9

# A row that all but decides a slope says nothing of it when it is left out.
_LEAST_LEFT = 1e-2


class RidgeMemory(NamedTuple):
    """What one regression after another uses: of up to k features and of T targets."""

    scale: np.ndarray  # float64 (k,), of 1 / deviation
    correlations: np.ndarray  # (k, k)
    inverse: np.ndarray  # (k, k), of the Cholesky factor of a penalised correlation matrix
    moments: np.ndarray  # (k, T)
    trial: np.ndarray  # (k, T), slopes of a penalty
    z: np.ndarray  # (k,), a row
    before: np.ndarray  # (T,), squared errors of left-out rows without slopes
    errors: np.ndarray  # (T,), with those of a penalty
    squares: np.ndarray  # (T,), squared gains of a penalty
    least: np.ndarray  # (T,), errors of the best penalty
    clear: np.ndarray  # (T,), what its gain must be above


@exact
def ridge_memory(k, T):
    """Memory for regressions of T targets on k features."""
    return RidgeMemory(
        np.empty(k),
        np.empty((k, k)),
        np.empty((k, k)),
        np.empty((k, T)),
        np.empty((k, T)),
        np.empty(k),
        np.empty(T),
        np.empty(T),
        np.empty(T),
        np.empty(T),
        np.empty(T),
    )


@exact
def _sum_moments(V, U, weights, n, k, memory):
    # Weighted correlations of the features, which have no mean to take off, and their products with targets.
    T = U.shape[1]
    scale, C, B, before = memory.scale, memory.correlations, memory.moments, memory.before
    total = 0.0
    before[:] = 0.0
    for a in range(k):
        for b in range(k):
            C[a, b] = 0.0
        for t in range(T):
            B[a, t] = 0.0
    for i in range(n):
        r = weights[i]
        total += r
        for a in range(k):
            rv = r * V[i, a]
            for b in range(a + 1):
                C[a, b] += rv * V[i, b]
            for t in range(T):
                B[a, t] += rv * U[i, t]
        for t in range(T):
            before[t] += r * U[i, t] * U[i, t]
    largest = 0.0
    for a in range(k):
        largest = max(largest, C[a, a])
    for a in range(k):
        has_spread = C[a, a] > _ROUNDED * _ROUNDED * largest
        scale[a] = np.sqrt(total / C[a, a]) if has_spread else 0.0
    for a in range(k):
        for b in range(a + 1):
            C[a, b] *= scale[a] * scale[b] / total
            C[b, a] = C[a, b]
        for t in range(T):
            B[a, t] *= scale[a] / total
    return total


@exact
def _invert_factor(C, penalty, k, inverse):
    # inverse = L^-1 where L L' = C + penalty I, which is never singular.
    for a in range(k):
        for b in range(a + 1):
            value = C[a, b] + (penalty if a == b else 0.0)
            for c in range(b):
                value -= inverse[a, c] * inverse[b, c]
            inverse[a, b] = np.sqrt(value) if a == b else value / inverse[b, b]
    # The factor is replaced row by row: row a needs the inverse of the rows above it and its own numbers.
    for a in range(k):
        own = inverse[a, a]
        for b in range(a):
            value = 0.0
            for c in range(b, a):
                value += inverse[a, c] * inverse[c, b]
            inverse[a, b] = -value / own
        inverse[a, a] = 1.0 / own


@exact
def _solve(inverse, B, k, T, out):
    # out = L^-T L^-1 B
    for t in range(T):
        for a in range(k):
            out[a, t] = 0.0
        for a in range(k):
            value = 0.0
            for b in range(a + 1):
                value += inverse[a, b] * B[b, t]
            for b in range(a + 1):
                out[b, t] += inverse[a, b] * value


@exact
def _left_out_errors(V, U, weights, n, k, total, memory):
    # Squared errors of rows, each by slopes without it, and squares of what they gain over no slopes.
    T = U.shape[1]
    scale, inverse, trial, z = memory.scale, memory.inverse, memory.trial, memory.z
    errors, squares = memory.errors, memory.squares
    errors[:] = 0.0
    squares[:] = 0.0
    for i in range(n):
        r = weights[i]
        for a in range(k):
            z[a] = V[i, a] * scale[a]
        leverage = 0.0
        for a in range(k):
            value = 0.0
            for b in range(a + 1):
                value += inverse[a, b] * z[b]
            leverage += value * value
        share = 1.0 / max(1.0 - r / total * leverage, _LEAST_LEFT)
        for t in range(T):
            value = U[i, t]
            for a in range(k):
                value -= z[a] * trial[a, t]
            value *= share
            gain = U[i, t] * U[i, t] - value * value
            errors[t] += r * value * value
            squares[t] += r * gain * gain


@exact
def find_slopes(V, U, weights, row_weight, n, k, n_errors, memory, slopes):
    """Put into slopes[:k] how the targets U follow the features V; return whether any target does.

    Of the first n rows of V, the first k columns count. The slopes of a target stay zero unless the squared
    errors of left-out rows fall by more than `n_errors` standard errors of the fall, in which a row counts by
    its weight in units of `row_weight`.
    """
    T = U.shape[1]
    before, errors, squares = memory.before, memory.errors, memory.squares
    least, clear, trial = memory.least, memory.clear, memory.trial
    total = _sum_moments(V, U, weights, n, k, memory)
    for t in range(T):
        least[t] = before[t]
        clear[t] = 0.0
        for a in range(k):
            slopes[a, t] = 0.0
    if total <= 0.0:
        return False
    for penalty in _PENALTIES:
        _invert_factor(memory.correlations, penalty, k, memory.inverse)
        _solve(memory.inverse, memory.moments, k, T, trial)
        _left_out_errors(V, U, weights, n, k, total, memory)
        for t in range(T):
            if errors[t] < least[t]:
                least[t] = errors[t]
                gain = before[t] - errors[t]
                clear[t] = n_errors * np.sqrt(max(squares[t] - gain * gain / total, 0.0) * row_weight)
                for a in range(k):
                    slopes[a, t] = trial[a, t] * memory.scale[a]
    any_slope = False
    for t in range(T):
        if before[t] - least[t] > clear[t]:
            any_slope = True
        else:
            for a in range(k):
                slopes[a, t] = 0.0
    return any_slope
