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


# ---- missing values


@given(SEEDS, OFFSETS, UNITS, SHAPES)
def test_known_numbers_survive_the_way_and_missing_ones_stay_missing(seed, offset, unit, shape):
    rng = np.random.default_rng(seed)
    y = offset * unit + unit * rng.normal(size=shape)
    missing = rng.random(shape) < 0.4
    missing[0] = False
    y[missing] = np.nan
    targets = NumberTargets.of(y, np.ones(len(y)))
    encoded = targets.encode(y)
    assert encoded.dtype == np.float32
    assert_array_equal(np.isnan(encoded), missing.reshape(len(y), -1))
    decoded = targets.decode(encoded)
    assert_array_equal(np.isnan(decoded), missing)
    spread = np.fmax.reduce(y) - np.fmin.reduce(y)
    assert ((np.abs(decoded - y) <= EPS * spread + 4e-16 * np.abs(y)) | missing).all()


@given(SEEDS, OFFSETS, UNITS, st.booleans())
def test_a_target_is_encoded_as_if_only_the_rows_that_know_it_were_there(seed, offset, unit, weighted):
    rng = np.random.default_rng(seed)
    y = offset * unit + unit * rng.normal(size=(20, 3))
    y[rng.random(y.shape) < 0.4] = np.nan
    y[:2] = offset * unit + unit * np.array([[1.0], [2.0]])
    weights = rng.uniform(0.1, 3, 20) if weighted else np.ones(20)
    weights[rng.random(20) < 0.2] = 0.0
    weights[:2] = 1.0
    together = NumberTargets.of(y, weights)
    resolution = 1e-15 * np.nanmax(np.abs(y)) / unit
    for j in range(3):
        known = ~np.isnan(y[:, j])
        alone = NumberTargets.of(y[known, j], weights[known])
        assert_allclose(
            together.encode(y)[known, j], alone.encode(y[known, j])[:, 0], atol=EPS + 8 * resolution
        )


@pytest.mark.parametrize("known", [[0.1], [3.3, 3.3, 3.3], [1e15]])
def test_a_target_whose_known_values_are_equal_comes_back_exactly(known):
    y = np.full((6, 2), np.nan)
    y[1 : 1 + len(known), 0] = known
    y[:, 1] = np.arange(6)
    targets = NumberTargets.of(y, np.array([0.3, 0.7, 0.1, 0.9, 1.3, 0.2]))
    encoded = targets.encode(y)
    assert_array_equal(encoded[1 : 1 + len(known), 0], 0.0)
    assert_array_equal(targets.decode(np.zeros((1, 2), np.float32))[:, 0], known[0])


@pytest.mark.parametrize("weights", [[1.0, 1.0, 1.0], [0.0, 1.0, 1.0]])
def test_a_target_that_no_row_of_weight_knows_is_refused_by_its_number(weights):
    y = np.array([[1.0, 2.0, 5.0], [1.0, np.nan, 6.0], [2.0, np.nan, np.nan]])
    y[0, 1] = np.nan if weights[0] else 2.0
    with pytest.raises(ValueError, match=r"target 1 of y is missing \(NaN\) in every row of positive weight"):
        NumberTargets.of(y, np.array(weights))


def test_a_value_known_in_rows_without_weight_only_has_no_say():
    y = np.array([[5.0], [1.0], [3.0], [np.nan]])
    targets = NumberTargets.of(y, np.array([0.0, 1.0, 1.0, 1.0]))
    assert_allclose([targets.mean[0], targets.scale[0]], [2.0, 1.0])
