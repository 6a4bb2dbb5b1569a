"""Claims about measures of numbers: the coefficient of determination, errors, and correlation."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose
from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error

from slantwood import metrics
from slantwood.metrics import mean_r2
from tests.sampling import examples

SETTINGS = examples(20)
# Multiples of 1/4 keep means of constants exact, where scikit-learn needs them to be.
LEVELS = st.integers(-8, 8).map(lambda i: i / 4)


@st.composite
def problems(draw):
    shape = draw(st.one_of(st.tuples(st.integers(2, 9)), hnp.array_shapes(min_dims=2, max_dims=2)))
    shape = (max(shape[0], 2), *shape[1:])
    true, predicted = (draw(hnp.arrays(np.float64, shape, elements=LEVELS)) for _ in range(2))
    weight = draw(hnp.arrays(np.float64, shape[0], elements=st.sampled_from([0.5, 1.0, 2.0])))
    return true, predicted, weight


@SETTINGS
@given(problems())
def test_the_mean_is_scikit_learns_constant_targets_included(problem):
    true, predicted, weight = problem
    assert_allclose(mean_r2(true, predicted), r2_score(true, predicted), rtol=1e-9, atol=1e-12)
    assert_allclose(
        mean_r2(true, predicted, weight),
        r2_score(true, predicted, sample_weight=weight),
        rtol=1e-9,
        atol=1e-12,
    )


@SETTINGS
@given(problems())
def test_a_weight_of_two_counts_a_row_twice_and_zero_not_at_all(problem):
    true, predicted, _ = problem
    n = len(true)
    weight = np.arange(n) % 3
    weight[-1] = 2  # two rows at least
    again = np.repeat(np.arange(n), weight)
    expected = mean_r2(true[again], predicted[again])
    assert_allclose(mean_r2(true, predicted, weight), expected, rtol=1e-9, atol=1e-12)


def test_constant_targets_count_one_if_perfect_and_zero_otherwise():
    constant = np.full((10, 1), 0.1)
    assert mean_r2(constant, constant) == 1.0
    # The mean of ten times 0.1 is not 0.1 in floating point; the target is constant still.
    assert mean_r2(constant, constant + 1.0) == 0.0
    varied = np.arange(10.0)[:, None]
    assert mean_r2(np.hstack([constant, varied]), np.hstack([constant + 1, varied])) == 0.5


def test_a_variance_too_small_for_floating_point_is_none():
    true = np.array([0.0, 1e-200])
    assert mean_r2(true, true) == 1.0
    assert mean_r2(true, np.ones(2)) == 0.0


@pytest.mark.parametrize("size", [2.0**-1000, 2.0**-660, 2.0**660, 2.0**1020])
def test_numbers_of_any_size_are_scored_alike(size):
    true, predicted = np.array([[1.0, 5.0], [2.0, 4.0], [4.0, 4.5]]), np.array([[1.5, 5], [2, 5], [3, 4]])
    assert mean_r2(true * size, predicted * size) == mean_r2(true, predicted)


def test_predicting_the_mean_scores_zero_and_worse_is_negative():
    true = np.array([1.0, 2.0, 3.0, 4.0])
    assert mean_r2(true, np.full(4, 2.5)) == 0.0
    assert mean_r2(true, true[::-1]) < 0.0


def test_a_vector_and_a_single_column_are_the_same_target():
    true, predicted = np.array([1.0, 2.0, 4.0]), np.array([1.0, 3.0, 3.0])
    assert mean_r2(true, predicted[:, None]) == mean_r2(true, predicted)


def test_single_precision_input_is_summed_in_double():
    true = (np.arange(1000) % 7 + 10_000).astype(np.float32)
    predicted = true + np.float32(0.5)
    assert mean_r2(true, predicted) == mean_r2(true.astype(float), predicted.astype(float))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0, 2.0], [1.0, 2.0, 3.0]), r"y_pred has shape \(3, 1\) but y_true has shape \(2, 1\)"),
        (([1.0], [1.0]), "y_true has 1 row"),
        (([], []), r"y_true has shape \(0,\)"),
        ((np.ones((2, 2, 2)), np.ones((2, 2, 2))), r"y_true has shape \(2, 2, 2\)"),
        (([1.0, np.nan], [1.0, 2.0]), "y_true contains NaN"),
        (([1.0, 2.0], [1.0, np.inf]), "y_pred contains NaN or infinity"),
        ((sp.csr_array([[1.0], [2.0]]), [1.0, 2.0]), "y_true is sparse"),
        (([1.0, 2.0], [1.0, 2.0], [1.0]), r"sample_weight has shape \(1,\)"),
        (([1.0, 2.0], [1.0, 2.0], [1.0, -1.0]), "sample_weight holds the value -1.0"),
        (([1.0, 2.0], [1.0, 2.0], [0.0, 0.0]), "sample_weight is zero everywhere"),
    ],
)
def test_wrong_input_is_named_in_the_error(arguments, message):
    with pytest.raises(ValueError, match=message):
        mean_r2(*arguments)


# ---- errors and correlation of each target, with unknown values


@st.composite
def partly_known(draw):
    shape = draw(st.tuples(st.integers(1, 7), st.integers(1, 3)))
    values = st.one_of(LEVELS, st.just(np.nan))
    true = draw(hnp.arrays(np.float64, shape, elements=values))
    predicted = draw(hnp.arrays(np.float64, shape, elements=LEVELS))
    weight = draw(hnp.arrays(np.float64, shape[0], elements=st.sampled_from([0.0, 0.5, 1.0, 2.0])))
    weight[0] = 1.0
    return true, predicted, weight


def slow_rmse(t, p, w):
    return np.sqrt(np.average((t - p) ** 2, weights=w))


def slow_mae(t, p, w):
    return np.average(np.abs(t - p), weights=w)


def slow_rrmse(t, p, w):
    constant = np.full(len(t), np.average(t, weights=w))
    return slow_rmse(t, p, w) / slow_rmse(t, constant, w) if len(set(t)) > 1 else np.nan


def slow_correlation(t, p, w):
    if len(set(t)) == 1:
        return np.nan
    if len(set(p)) == 1:
        return 0.0
    covariance = np.cov(np.stack([t, p]), aweights=w, ddof=0)
    return covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])


TWINS = {"rmse": slow_rmse, "mae": slow_mae, "rrmse": slow_rrmse, "correlation": slow_correlation}


@pytest.mark.parametrize("name", TWINS)
@SETTINGS
@given(problem=partly_known())
def test_each_measure_equals_its_slow_twin_over_known_values(name, problem):
    true, predicted, weight = problem
    expected = []
    for t, p in zip(true.T, predicted.T, strict=True):
        counted = ~np.isnan(t) & (weight > 0)
        some = counted.any()
        expected.append(TWINS[name](t[counted], p[counted], weight[counted]) if some else np.nan)
    found = getattr(metrics, f"target_{name}")(true, predicted, sample_weight=weight)
    assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    average = getattr(metrics, f"average_{name}")(true, predicted, sample_weight=weight)
    defined = [value for value in expected if not np.isnan(value)]
    assert_allclose(average, np.mean(defined) if defined else np.nan, rtol=1e-9, atol=1e-12)


def test_errors_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    true, predicted, weight = rng.normal(size=(50, 3)), rng.normal(size=(50, 3)), rng.random(50)
    given = {"sample_weight": weight, "multioutput": "raw_values"}
    rmse = root_mean_squared_error(true, predicted, **given)
    mae = mean_absolute_error(true, predicted, **given)
    assert_allclose(metrics.target_rmse(true, predicted, sample_weight=weight), rmse)
    assert_allclose(metrics.target_mae(true, predicted, sample_weight=weight), mae)
    relative = metrics.target_rrmse(true, predicted, sample_weight=weight)
    assert_allclose(relative, np.sqrt(1 - r2_score(true, predicted, **given)))


def test_the_reference_of_relative_errors_may_be_the_training_mean():
    assert metrics.target_rrmse([1.0, 3.0], [1.0, 1.0], reference=[1.0]) == [1.0]
    assert metrics.target_rrmse([3.0, 3.0], [2.0, 2.0], reference=[1.0]) == [0.5]
    with pytest.raises(ValueError, match="reference has shape"):
        metrics.target_rrmse([1.0, 3.0], [1.0, 1.0], reference=[1.0, 2.0])


@pytest.mark.parametrize("size", [2.0**-1000, 2.0**660])
def test_errors_of_numbers_of_any_size_are_in_their_unit(size):
    true, predicted = np.array([[1.0, 5.0], [2.0, 4.0], [4.0, 4.5]]), np.array([[1.5, 5], [2, 5], [3, 4]])
    for name in ("rmse", "mae"):
        function = getattr(metrics, f"target_{name}")
        assert (function(true * size, predicted * size) == function(true, predicted) * size).all()
    for name in ("rrmse", "correlation"):
        function = getattr(metrics, f"target_{name}")
        assert_allclose(function(true * size, predicted * size), function(true, predicted), rtol=1e-15)
