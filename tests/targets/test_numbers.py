"""Claims about numeric targets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from slantwood.targets.numbers import NumberTargets

pytestmark = pytest.mark.plain_python

EPS = float(np.finfo(np.float32).eps)
SEEDS = st.integers(0, 2**32 - 1)
OFFSETS = st.sampled_from([0.0, 1.0, -1e6, 1e12])
UNITS = st.sampled_from([1e-12, 1e-3, 1.0, 1e9])
SHAPES = st.sampled_from([(20,), (20, 1), (20, 3), (2,), (2, 2)])


@given(SEEDS, OFFSETS, UNITS, SHAPES)
def test_numbers_survive_the_way_to_leaf_means_and_back(seed, offset, unit, shape):
    rng = np.random.default_rng(seed)
    y = offset * unit + unit * rng.normal(size=shape)
    targets = NumberTargets.of(y, np.ones(len(y)))
    decoded = targets.decode(targets.encode(y))
    assert decoded.shape == y.shape
    assert decoded.dtype == np.float64
    # Float32 precision of the spread, not of the size; plus float64 precision of the size.
    spread = np.ptp(y, axis=0)
    assert (np.abs(decoded - y) <= EPS * spread + 4e-16 * np.abs(y)).all()


@given(SEEDS, OFFSETS, UNITS, SHAPES, st.booleans())
def test_encoded_numbers_have_weighted_mean_0_and_variance_1(seed, offset, unit, shape, weighted):
    rng = np.random.default_rng(seed)
    y = offset * unit + unit * rng.normal(size=shape)
    weights = rng.uniform(0.1, 3, len(y)) if weighted else np.ones(len(y))
    targets = NumberTargets.of(y, weights)
    encoded = targets.encode(y)
    assert encoded.dtype == np.float32
    assert encoded.shape == (len(y), 1 if y.ndim == 1 else y.shape[1])
    # What float64 still resolves of the spread at this distance from zero.
    resolution = 1e-15 * np.abs(y).max() / y.std(axis=0).min()
    mean = np.average(encoded.astype(np.float64), axis=0, weights=weights)
    assert_allclose(mean, 0, atol=2 * EPS + 4 * resolution)
    square = np.average((encoded - mean) ** 2, axis=0, weights=weights)
    assert_allclose(square, 1, rtol=8 * EPS + 8 * resolution)


@given(st.floats(-1e15, 1e15, allow_subnormal=False), st.integers(1, 30), st.booleans())
def test_a_constant_target_comes_back_exactly(value, n, weighted):
    y = np.full(n, value)
    weights = np.random.default_rng(n).uniform(0.1, 3, n) if weighted else np.ones(n)
    targets = NumberTargets.of(y, weights)
    assert_array_equal(targets.encode(y), np.zeros((n, 1)))
    assert_array_equal(targets.decode(targets.encode(y)), y)


def test_a_constant_target_beside_others_disturbs_none():
    rng = np.random.default_rng(0)
    y = np.column_stack([rng.normal(size=10), np.full(10, 1e9 + 0.1), rng.normal(size=10) + 1e6])
    targets = NumberTargets.of(y, np.ones(10))
    decoded = targets.decode(targets.encode(y))
    assert_array_equal(decoded[:, 1], y[:, 1])
    assert_allclose(decoded, y, rtol=0, atol=4 * EPS)


@given(SEEDS)
def test_rows_without_weight_have_no_say(seed):
    rng = np.random.default_rng(seed)
    y, weights = rng.normal(size=(12, 2)), rng.uniform(0.5, 2, 12)
    weights[:5] = 0
    some = NumberTargets.of(y[5:], weights[5:])
    y[:5] = 1e9
    every = NumberTargets.of(y, weights)
    assert_allclose(every.mean, some.mean, rtol=1e-12, atol=1e-15)
    assert_allclose(every.scale, some.scale, rtol=1e-12)


def test_a_target_that_varies_in_rows_without_weight_only_is_constant():
    y = np.array([3.3, 3.3, 3.3, 100.0])
    targets = NumberTargets.of(y, np.array([0.3, 0.7, 0.1, 0.0]))
    assert_array_equal(targets.encode(y[:3]), np.zeros((3, 1)))
    assert_array_equal(targets.decode(np.zeros((1, 1), np.float32)), [3.3])


@pytest.mark.parametrize(
    ("shape", "task"), [((5,), "regression"), ((5, 1), "regression"), ((5, 4), "multi-target regression")]
)
def test_tasks_have_their_names(shape, task):
    targets = NumberTargets.of(np.arange(np.prod(shape), dtype=float).reshape(shape), np.ones(5))
    assert targets.task == task
    assert targets.n_columns == (shape[1] if len(shape) == 2 else 1)


@given(SEEDS, UNITS, OFFSETS)
def test_units_and_zero_points_do_not_change_what_trees_see(seed, unit, offset):
    rng = np.random.default_rng(seed)
    y = np.round(rng.normal(size=15) * 1024) / 1024
    ones = np.ones(15)
    moved = y * unit + offset * unit
    plain, other = NumberTargets.of(y, ones).encode(y), NumberTargets.of(moved, ones).encode(moved)
    resolution = 1e-15 * np.abs(moved).max() / moved.std()
    assert_allclose(other, plain, rtol=2 * EPS, atol=EPS + 4 * resolution)
