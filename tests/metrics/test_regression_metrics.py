"""Claims about the mean coefficient of determination."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose
from sklearn.metrics import r2_score

from slantwood.metrics import mean_r2

SETTINGS = settings(deadline=None, max_examples=50)
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
