"""Claims about numeric targets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from slantwood.targets.numbers import RegressionTargets

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
    targets = RegressionTargets.of(y, np.ones(len(y)))
    decoded = targets.decode(targets.encode(y))
    assert decoded.shape == y.shape
    assert decoded.dtype == np.float64
    # Float32 precision of the spread, not of the size; plus float64 precision of the size.
    spread = np.ptp(y, axis=0)
    assert (np.abs(decoded - y) <= EPS * spread + 4e-16 * np.abs(y)).all()


@given(SEEDS, OFFSETS, UNITS, SHAPES, st.booleans())
def test_encoded_numbers_have_variance_1_and_a_weighted_mean_near_0(seed, offset, unit, shape, weighted):
    rng = np.random.default_rng(seed)
    y = offset * unit + unit * rng.normal(size=shape)
    weights = rng.uniform(0.1, 3, len(y)) if weighted else np.ones(len(y))
    targets = RegressionTargets.of(y, weights)
    encoded = targets.encode(y)
    assert encoded.dtype == np.float32
    assert encoded.shape == (len(y), 1 if y.ndim == 1 else y.shape[1])
    # What float64 still resolves of the spread at this distance from zero.
    resolution = 1e-15 * np.abs(y).max() / y.std(axis=0).min()
    mean = np.average(encoded.astype(np.float64), axis=0, weights=weights)
    # Counted from zero where the mean is near it, in units of the spread; else from the mean.
    is_near = np.abs(mean) > 0.01
    assert_array_equal(targets.mean[is_near], 0)
    assert (np.abs(mean) <= 4 + 8 * EPS).all()
    assert_allclose(mean[targets.mean != 0], 0, atol=2 * EPS + 4 * resolution)
    square = np.average((encoded - mean) ** 2, axis=0, weights=weights)
    assert_allclose(square, 1, rtol=8 * EPS + 8 * resolution)


@given(st.floats(-1e15, 1e15, allow_subnormal=False), st.integers(1, 30), st.booleans())
def test_a_constant_target_comes_back_exactly(value, n, weighted):
    y = np.full(n, value)
    weights = np.random.default_rng(n).uniform(0.1, 3, n) if weighted else np.ones(n)
    targets = RegressionTargets.of(y, weights)
    assert_array_equal(targets.encode(y), np.zeros((n, 1)))
    assert_array_equal(targets.decode(targets.encode(y)), y)


def test_a_constant_target_beside_others_disturbs_none():
    rng = np.random.default_rng(0)
    y = np.column_stack([rng.normal(size=10), np.full(10, 1e9 + 0.1), rng.normal(size=10) + 1e6])
    targets = RegressionTargets.of(y, np.ones(10))
    decoded = targets.decode(targets.encode(y))
    assert_array_equal(decoded[:, 1], y[:, 1])
    assert_allclose(decoded, y, rtol=0, atol=4 * EPS)


@given(SEEDS)
def test_rows_without_weight_have_no_say(seed):
    rng = np.random.default_rng(seed)
    y, weights = rng.normal(size=(12, 2)), rng.uniform(0.5, 2, 12)
    weights[:5] = 0
    some = RegressionTargets.of(y[5:], weights[5:])
    y[:5] = 1e9
    every = RegressionTargets.of(y, weights)
    assert_allclose(every.mean, some.mean, rtol=1e-12, atol=1e-15)
    assert_allclose(every.scale, some.scale, rtol=1e-12)


def test_a_target_that_varies_in_rows_without_weight_only_is_constant():
    y = np.array([3.3, 3.3, 3.3, 100.0])
    targets = RegressionTargets.of(y, np.array([0.3, 0.7, 0.1, 0.0]))
    assert_array_equal(targets.encode(y[:3]), np.zeros((3, 1)))
    assert_array_equal(targets.decode(np.zeros((1, 1), np.float32)), [3.3])


@pytest.mark.parametrize(
    ("shape", "task"), [((5,), "regression"), ((5, 1), "regression"), ((5, 4), "multi-target regression")]
)
def test_tasks_have_their_names(shape, task):
    targets = RegressionTargets.of(np.arange(np.prod(shape), dtype=float).reshape(shape), np.ones(5))
    assert targets.task == task
    assert targets.n_columns == (shape[1] if len(shape) == 2 else 1)


@given(SEEDS, UNITS, OFFSETS)
def test_units_and_zero_points_do_not_change_what_trees_see(seed, unit, offset):
    rng = np.random.default_rng(seed)
    y = np.round(rng.normal(size=15) * 1024) / 1024
    ones = np.ones(15)
    moved = y * unit + offset * unit
    plain, other = RegressionTargets.of(y, ones).encode(y), RegressionTargets.of(moved, ones).encode(moved)
    resolution = 1e-15 * np.abs(moved).max() / moved.std()
    # Trees see differences between rows; which number is counted as zero is the same for all of them.
    assert_allclose(other - other[0], plain - plain[0], rtol=2 * EPS, atol=8 * EPS + 4 * resolution)


# ---- missing values


@given(SEEDS, OFFSETS, UNITS, SHAPES)
def test_known_numbers_survive_the_way_and_missing_ones_stay_missing(seed, offset, unit, shape):
    rng = np.random.default_rng(seed)
    y = offset * unit + unit * rng.normal(size=shape)
    missing = rng.random(shape) < 0.4
    missing[0] = False
    y[missing] = np.nan
    targets = RegressionTargets.of(y, np.ones(len(y)))
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
    together = RegressionTargets.of(y, weights)
    resolution = 1e-15 * np.nanmax(np.abs(y)) / unit
    for j in range(3):
        known = ~np.isnan(y[:, j])
        alone = RegressionTargets.of(y[known, j], weights[known])
        assert_allclose(
            together.encode(y)[known, j], alone.encode(y[known, j])[:, 0], atol=EPS + 8 * resolution
        )


@pytest.mark.parametrize("known", [[0.1], [3.3, 3.3, 3.3], [1e15]])
def test_a_target_whose_known_values_are_equal_comes_back_exactly(known):
    y = np.full((6, 2), np.nan)
    y[1 : 1 + len(known), 0] = known
    y[:, 1] = np.arange(6)
    targets = RegressionTargets.of(y, np.array([0.3, 0.7, 0.1, 0.9, 1.3, 0.2]))
    encoded = targets.encode(y)
    assert_array_equal(encoded[1 : 1 + len(known), 0], 0.0)
    assert_array_equal(targets.decode(np.zeros((1, 2), np.float32))[:, 0], known[0])


@pytest.mark.parametrize("weights", [[1.0, 1.0, 1.0], [0.0, 1.0, 1.0]])
def test_a_target_that_no_row_of_weight_knows_is_refused_by_its_number(weights):
    y = np.array([[1.0, 2.0, 5.0], [1.0, np.nan, 6.0], [2.0, np.nan, np.nan]])
    y[0, 1] = np.nan if weights[0] else 2.0
    with pytest.raises(ValueError, match=r"target 1 of y is missing \(NaN\) in every row of positive weight"):
        RegressionTargets.of(y, np.array(weights))


def test_a_value_known_in_rows_without_weight_only_has_no_say():
    y = np.array([[5.0], [1.0], [3.0], [np.nan]])
    targets = RegressionTargets.of(y, np.array([0.0, 1.0, 1.0, 1.0]))
    assert [targets.mean[0], targets.scale[0], targets.low[0], targets.high[0]] == [0.0, 1.0, 1.0, 3.0]


# ---- sizes, and the range of the training rows

SIZES = [1e-320, 1e-300, 1e-200, 1e-30, 1.0, 1e30, 1e200, 1e300, 1.7e308]


@pytest.mark.parametrize("size", SIZES)
def test_numbers_of_any_size_survive_the_way_to_leaf_means_and_back(size):
    y = size * np.array([-1.0, -0.5, 0.0, 0.25, 1.0])
    targets = RegressionTargets.of(y, np.ones(5))
    encoded = targets.encode(y)
    assert_allclose(encoded.std(), 1.0, rtol=1e-3 if size < 1e-310 else 4 * EPS)
    resolution = np.finfo(float).smallest_subnormal * 8
    assert_allclose(targets.decode(encoded), y, rtol=2 * EPS, atol=resolution if size < 1e-310 else 0.0)


def test_numbers_of_all_sizes_side_by_side_are_each_in_their_own_unit():
    shape = np.array([3.0, 1.0, 2.0, 5.0, 4.0])
    sizes = np.array([size for size in SIZES if 1e-310 < size < 1e301])
    y = np.outer(shape, sizes)
    targets = RegressionTargets.of(y, np.ones(5))
    encoded = targets.encode(y)
    assert_allclose(encoded, np.repeat(encoded[:, [3]], len(sizes), axis=1), rtol=4 * EPS)
    assert_allclose(targets.decode(encoded), y, rtol=2 * EPS)


def test_the_two_ends_of_float64_have_a_finite_mean_and_spread():
    largest = np.finfo(float).max
    y = np.array([-largest, -largest, -largest, largest])
    targets = RegressionTargets.of(y, np.ones(4))
    assert np.isfinite([targets.mean, targets.scale]).all()
    assert_allclose(targets.decode(targets.encode(y)), y, rtol=2 * EPS)
    far = RegressionTargets.of(np.array([largest, largest * (1 - 1e-6)]), np.ones(2))
    assert far.mean[0] != 0.0
    assert np.isfinite(far.decode(np.array([[-1.0], [1.0]], np.float32))).all()


@given(SEEDS, OFFSETS, UNITS, SHAPES)
def test_no_leaf_mean_is_decoded_to_a_number_outside_the_training_rows(seed, offset, unit, shape):
    rng = np.random.default_rng(seed)
    y = offset * unit + unit * rng.normal(size=shape)
    weights = np.ones(len(y))
    weights[rng.integers(len(y))] = float(len(y) < 3)
    targets = RegressionTargets.of(y, weights)
    around = targets.encode(y[weights > 0])
    leaves = np.concatenate([around, around * np.float32(1 + 1e-6), around - 1, around + 1])
    decoded = targets.decode(leaves)
    assert (decoded >= y[weights > 0].min(axis=0)).all()
    assert (decoded <= y[weights > 0].max(axis=0)).all()


def test_what_is_missing_stays_so_within_a_range():
    targets = RegressionTargets.of(np.array([1.0, 2.0]), np.ones(2))
    assert np.isnan(targets.decode(np.array([[np.nan]], np.float32))).all()


def test_zero_and_small_numbers_are_as_precise_as_large_ones():
    y = np.array([0.0] * 30 + [1e-6] * 30 + [1.0] * 30 + [1e6])
    targets = RegressionTargets.of(y, np.ones(len(y)))
    decoded = targets.decode(targets.encode(y))
    assert_array_equal(decoded[y == 0], 0.0)
    assert_allclose(decoded, y, rtol=2 * EPS)


def test_numbers_far_from_zero_keep_the_precision_of_their_spread():
    y = 1e9 + np.arange(20.0)
    targets = RegressionTargets.of(y, np.ones(20))
    assert_allclose(targets.decode(targets.encode(y)), y, rtol=0, atol=20 * EPS)


def test_rows_without_weight_may_hold_anything():
    y = np.array([1.0, 2.0, 1e300, -1e300])
    encoded = RegressionTargets.of(y, np.array([1.0, 1.0, 0.0, 0.0])).encode(y)
    assert np.isfinite(encoded).all()
    assert np.isfinite(np.float32(encoded) ** 2).all()


def test_more_rows_may_widen_the_range_but_never_narrow_it():
    first = RegressionTargets.of(np.array([1.0, 2.0, 3.0]), np.ones(3))
    second = RegressionTargets.of(np.array([2.0, 2.5, 9.0]), np.ones(3))
    both = first.continued(second)
    assert [both.low[0], both.high[0]] == [1.0, 9.0]
    assert [both.mean[0], both.scale[0]] == [first.mean[0], first.scale[0]]


def test_more_rows_of_another_size_are_refused():
    first = RegressionTargets.of(np.array([1.0, 2.0, 3.0]), np.ones(3))
    second = RegressionTargets.of(np.array([1e200, 2.5, 9.0]), np.ones(3))
    with pytest.raises(ValueError, match=r"target 0 of y now ranges from 2.5 to 1e\+200"):
        first.continued(second)
