"""Claims about the two sides of a node's rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from slantwood.kernels.sides import has_weight, side_weights

pytestmark = pytest.mark.plain_python


@given(st.integers(1, 20), st.integers(0, 2**32 - 1))
def test_weights_of_both_sides_are_added_up(n, seed):
    rng = np.random.default_rng(seed)
    is_right, weights = rng.random(n) < 0.5, rng.uniform(0, 9, n).astype(np.float32)
    exactly = weights.astype(np.float64)
    assert_allclose(side_weights(is_right, weights), (exactly[~is_right].sum(), exactly[is_right].sum()))


def test_a_direction_has_weight_unless_all_is_zero():
    assert not has_weight(np.zeros(3, np.float32))
    assert has_weight(np.array([0, 0, 1e-30], np.float32))
