"""Claims about slopes: a ridge regression whose strength the errors of left-out rows choose."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from slantwood.leaves.linear import find_slopes, ridge_memory
from tests.sampling import examples

pytestmark = pytest.mark.plain_python

PENALTIES = (0.03, 0.1, 0.3, 1.0, 3.0)
SEEDS = st.integers(0, 2**32 - 1)


def problem(seed, noise=1.0):
    rng = np.random.default_rng(seed)
    n, k, T = int(rng.integers(4, 25)), int(rng.integers(1, 5)), int(rng.integers(1, 4))
    V = rng.normal(size=(n, k)) * rng.uniform(0.1, 10, k)
    U = V @ rng.normal(size=(k, T)) + noise * rng.normal(size=(n, T))
    draws = rng.integers(1, 4, n).astype(float)
    weights = draws * rng.choice([0.5, 1.0, 2.0], n)
    return V, U, weights


def row_weight_of(weights):
    return weights @ weights / weights.sum()


def found(V, U, weights, n_errors=1.0):
    (n, k), T = V.shape, U.shape[1]
    slopes = np.full((k + 2, T), np.nan)
    wide = np.hstack([V, np.full((n, 2), np.nan)])  # further columns do not count
    given = (weights, row_weight_of(weights), n, k, n_errors)
    any_slope = find_slopes(wide, U, *given, ridge_memory(k + 2, T), slopes)
    assert bool(any_slope) == bool((slopes[:k] != 0).any())
    return slopes[:k]


def twin(V, U, weights, n_errors=1.0):
    """Leave out each row for each penalty and target, and solve anew."""
    total = weights.sum()
    scale = np.sqrt(weights @ V**2 / total)
    Z = V / scale
    slopes = np.zeros((V.shape[1], U.shape[1]))
    for t, u in enumerate(U.T):
        before = weights @ u**2
        least = before
        for penalty in PENALTIES:
            A = (Z.T * weights) @ Z + penalty * total * np.eye(len(scale))
            b = Z.T @ (weights * u)
            errors = np.empty(len(u))
            for i, z in enumerate(Z):
                without = np.linalg.solve(A - weights[i] * np.outer(z, z), b - weights[i] * z * u[i])
                errors[i] = (u[i] - z @ without) ** 2
            gains = u**2 - errors
            if weights @ errors < least:
                least = weights @ errors
                spread = np.sqrt(max(weights @ gains**2 - (weights @ gains) ** 2 / total, 0.0))
                spread *= np.sqrt(row_weight_of(weights))
                is_clear = weights @ gains > n_errors * spread
                slopes[:, t] = is_clear * np.linalg.solve(A, b) / scale
    return slopes


@given(SEEDS)
@examples(20)
def test_slopes_are_those_of_the_penalty_that_left_out_rows_choose(seed):
    for noise in (0.3, 10.0):
        data = problem(seed, noise)
        assert_allclose(found(*data), twin(*data), rtol=1e-6, atol=1e-9)


@given(SEEDS)
@examples(10)
def test_a_common_factor_of_the_weights_changes_no_slope(seed):
    V, U, weights = problem(seed)
    assert_array_equal(found(V, U, 2.0**10 * weights), found(V, U, weights))


def test_noise_has_hardly_any_slope_and_a_line_has_its_own():
    rng = np.random.default_rng(0)
    V, one = rng.normal(size=(60, 3)), np.ones(60)
    n_sloped = sum((found(V, rng.normal(size=(60, 1)), one) != 0).any() for _ in range(100))
    assert n_sloped < 25  # one standard error is exceeded in every sixth case, if at all
    line = V @ [[1.0], [-2.0], [0.0]]
    assert_allclose(found(V, line, one), [[1.0], [-2.0], [0.0]], atol=0.15)


def test_a_feature_without_spread_has_no_slope():
    V, U, weights = problem(1, noise=0.1)
    V = np.hstack([V, np.zeros((len(V), 1))])
    slopes = found(V, U, weights)
    assert_array_equal(slopes[-1], 0.0)
    assert_allclose(slopes[:-1], found(V[:, :-1], U, weights), rtol=1e-9)
