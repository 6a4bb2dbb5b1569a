"""Claims about the steps of boosted leaves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from slantwood.leaves.steps import newton_steps, quantile_steps

pytestmark = pytest.mark.plain_python

SEEDS = st.integers(0, 2**32 - 1)
NO_ROWS = np.empty((0, 0), np.float32)


def problem(seed):
    """Rows in the order of the leaves, their weights, and where each leaf begins and ends."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(2, 30)), int(rng.integers(1, 4))
    rows = rng.permutation(n)[: rng.integers(1, n + 1)].astype(np.uint32)
    weights = rng.integers(1, 4, len(rows)).astype(np.float32)
    cuts = np.sort(rng.choice(np.arange(1, len(rows)), rng.integers(0, len(rows)), replace=False))
    edges = np.concatenate([[0], cuts, [len(rows)]]).astype(np.int64)
    G = rng.normal(size=(n, k)).astype(np.float32)
    H = rng.uniform(0.1, 2.0, (n, k)).astype(np.float32)
    return G, H, rows, weights, edges[:-1].copy(), edges[1:].copy()


@pytest.mark.parametrize("l2", [0.0, 3.0])
@pytest.mark.parametrize("is_flat", [False, True])
@given(SEEDS)
def test_a_step_is_the_gradient_over_the_curvature(l2, is_flat, seed):
    G, H, rows, weights, starts, stops = problem(seed)
    steps = newton_steps(G, NO_ROWS if is_flat else H, rows, weights, starts, stops, l2, np.inf)
    for leaf, (a, b) in enumerate(zip(starts, stops, strict=True)):
        r = weights[a:b, None].astype(np.float64)
        curved = r.sum() if is_flat else (r * H[rows[a:b]]).sum(axis=0)
        expected = (r * G[rows[a:b]]).sum(axis=0) / curved * r.sum() / (r.sum() + l2)
        assert_allclose(steps[leaf], expected, rtol=1e-5, atol=1e-6)


def test_a_step_is_cut_off_and_stays_where_there_is_no_curvature():
    G = np.array([[5.0, -5.0, 1.0]], np.float32)
    H = np.array([[1.0, 1.0, 0.0]], np.float32)
    one = np.ones(1, np.float32)
    steps = newton_steps(
        G, H, np.zeros(1, np.uint32), one, np.zeros(1, np.int64), np.ones(1, np.int64), 0.0, 4.0
    )
    assert steps.tolist() == [[4.0, -4.0, 0.0]]


def quantile_of(values, weights, level):
    """Spell out each value as often as its weight says; the middle of two where the share falls between."""
    spelt_out = np.sort(np.repeat(values, weights))
    place = level * len(spelt_out)
    below, above = int(np.ceil(place)) - 1, int(np.floor(place))
    return (spelt_out[max(below, 0)] + spelt_out[min(above, len(spelt_out) - 1)]) / 2


@pytest.mark.parametrize("level", [0.5, 0.9])
@given(SEEDS)
def test_a_step_is_the_quantile_of_what_is_left(level, seed):
    Y, F, rows, weights, starts, stops = problem(seed)
    Y[np.random.default_rng(seed).random(Y.shape) < 0.1] = np.nan
    steps = quantile_steps(Y, F, rows, weights, starts, stops, level, 0.0)
    for leaf, (a, b) in enumerate(zip(starts, stops, strict=True)):
        for j in range(Y.shape[1]):
            rest = (Y - F)[rows[a:b], j]
            known = ~np.isnan(rest)
            counts = weights[a:b][known].astype(int)
            expected = quantile_of(rest[known], counts, level) if known.any() else 0.0
            assert_allclose(steps[leaf, j], expected, rtol=1e-6, atol=1e-7)


def test_quantiles_of_small_leaves_are_shrunk():
    Y, F = np.full((2, 1), 3.0, np.float32), np.zeros((2, 1), np.float32)
    rows, ones = np.arange(2, dtype=np.uint32), np.ones(2, np.float32)
    steps = quantile_steps(Y, F, rows, ones, np.zeros(1, np.int64), np.full(1, 2), 0.5, 4.0)
    assert_allclose(steps, [[1.0]])
