"""Claims about the memory for intermediate results."""

from itertools import pairwise

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


def test_no_two_arrays_are_near_one_another():
    made = exact(lambda size: scratch(size, np.float32))
    arrays = sorted((made(size) for size in (1, 2, 3, 5, 8, 13) * 10), key=lambda a: a.ctypes.data)
    for before, after in pairwise(arrays):
        assert (
            after.ctypes.data - (before.ctypes.data + before.nbytes) >= 8 * 64
        )  # widest registers: 64 bytes
