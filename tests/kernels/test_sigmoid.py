"""Claims about the rational sigmoid."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from slantwood.kernels.sigmoid import sigmoid

pytestmark = pytest.mark.plain_python

ULP = float(np.finfo(np.float32).eps)


def fast(u):
    values = np.array(u, np.float32, ndmin=1)
    sigmoid(values)
    return values.astype(np.float64)


def true(u):
    return 1 / (1 + np.exp(-np.asarray(u, np.float32).astype(np.float64)))


def test_error_is_at_most_5e_7_from_minus_40_to_40():
    u = np.linspace(-40, 40, 40001, dtype=np.float32)
    assert np.abs(fast(u) - true(u)).max() <= 5e-7


@given(hnp.arrays(np.float32, st.integers(1, 40), elements=st.floats(-40, 40, width=32)))
def test_error_is_at_most_5e_7_at_any_number_and_length(u):
    assert np.abs(fast(u) - true(u)).max() <= 5e-7


def test_is_monotone_within_rounding():
    values = fast(np.linspace(-40, 40, 40001, dtype=np.float32))
    highest_before = np.maximum.accumulate(values)
    assert (values >= highest_before - 4 * ULP).all()


@given(st.floats(-40, 40, width=32))
def test_opposite_numbers_give_complements(u):
    assert abs(fast(u) + fast(-u) - 1)[0] <= 2 * ULP


def test_zero_is_in_the_middle():
    assert fast(0.0)[0] == 0.5


@pytest.mark.parametrize("u", [40.0, 1e4, 1e20, float(np.finfo(np.float32).max)])
def test_extremes_reach_0_and_1_within_rounding_and_stay_finite(u):
    assert abs(fast(u)[0] - 1) <= 5e-7
    assert abs(fast(-u)[0]) <= 5e-7


@given(hnp.arrays(np.float32, st.integers(1, 40), elements=st.floats(-(2.0**100), 2.0**100, width=32)))
def test_results_are_shares_within_rounding(u):
    values = fast(u)
    assert values.min() >= -2 * ULP
    assert values.max() <= 1 + 2 * ULP
