"""Claims about the order of rows by value."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal

from slantwood.kernels.sorting import sort_rows, sorting_workspace

pytestmark = pytest.mark.plain_python

FLOATS = st.floats(width=32, allow_nan=False)


@given(arrays(np.float32, st.integers(1, 150), elements=FLOATS))
def test_any_floats_come_in_their_order_equal_ones_as_they_were(values):
    order = sort_rows(values, sorting_workspace(len(values)))
    # Minus zero is put before zero, which comparisons do not tell apart.
    by_sign = np.lexsort((np.arange(len(values)), ~np.signbit(values), values))
    assert_array_equal(order, by_sign)


@given(st.integers(1, 300), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_few_different_values_are_sorted_stably(n, levels, seed):
    values = np.random.default_rng(seed).integers(0, levels, n).astype(np.float32)
    order = sort_rows(values, sorting_workspace(n))
    assert_array_equal(order, np.argsort(values, kind="stable"))


def test_one_workspace_serves_sorts_of_any_smaller_size():
    rng = np.random.default_rng(0)
    workspace = sorting_workspace(200)
    for n in (200, 3, 90, 1, 41, 40, 150):
        values = rng.normal(size=n).astype(np.float32)
        assert_array_equal(sort_rows(values, workspace), np.argsort(values))
