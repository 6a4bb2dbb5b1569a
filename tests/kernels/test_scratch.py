"""Claims about the memory for intermediate results."""

import numpy as np
import pytest

from slantwood.kernels.compiling import exact
from slantwood.kernels.scratch import scratch

pytestmark = pytest.mark.plain_python


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.uint32])
def test_arrays_have_their_size_and_type_and_lie_in_one_piece(dtype):
    made = exact(lambda size: scratch(size, dtype))  # compiled once for all sizes
    for size in (0, 1, 7, 1000):
        array = made(size)
        assert array.shape == (size,)
        assert array.dtype == dtype
        assert array.flags.c_contiguous
        assert array.flags.writeable


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_on_both_sides_of_an_array_there_is_memory_that_nobody_has(size):
    array = getattr(scratch, "py_func", scratch)(size, np.float32)
    before = array.ctypes.data - array.base.ctypes.data
    after = array.base.nbytes - before - array.nbytes
    assert min(before, after) >= 8 * 64  # the widest registers have 64 bytes
