"""Claims about the heap."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slantwood.kernels.heap import pop, push


@pytest.mark.plain_python
@given(st.lists(st.integers(0, 5), min_size=1, max_size=40), st.data())
def test_the_highest_key_comes_first_and_of_equal_ones_the_least_number(keys, data):
    """Numbers come and go in any order; a sorted list says which one comes next."""
    keys = np.array(keys, float)
    heap = np.empty(len(keys), np.int64)
    size, waiting, later = 0, [], list(range(len(keys)))[::-1]
    while later or waiting:
        if later and (not waiting or data.draw(st.booleans())):
            waiting.append(later.pop())
            size = push(heap, size, keys, waiting[-1])
        else:
            first = min(waiting, key=lambda number: (-keys[number], number))
            assert pop(heap, size, keys) == first
            size -= 1
            waiting.remove(first)
    assert size == 0
