"""Claims about kernels as Python calls them: values go in and out, errors are raised, memory comes back."""

import gc

import numpy as np
import pytest

from slantwood.kernels.compiling import exact
from tests.machine_code.small_kernels import (
    Sums,
    kinds,
    nothing,
    refuse,
    reshaped,
    sums_of,
    total_of,
)

pytestmark = pytest.mark.plain_python


def test_tuples_arrays_and_views_come_out():
    matrix = np.arange(6, dtype=np.float32).reshape(3, 2)
    sums, rest = sums_of(matrix, 2.0)
    assert isinstance(sums, Sums)
    assert sums.total == 30.0
    assert sums.rows.tolist() == [2.0, 10.0, 18.0]
    rest[0, 0] = -1.0  # a view of what went in
    assert matrix[1, 0] == -1.0


def test_a_view_keeps_what_went_in():
    _, rest = sums_of(np.full((2, 2), 3, np.float32), 1.0)
    gc.collect()
    _ = [np.full((2, 2), 9, np.float32) for _ in range(50)]
    assert rest.tolist() == [[3.0, 3.0]]


def test_numbers_keep_their_kinds():
    assert kinds(True, 2**62, np.uint64(2**64 - 2), np.float32(3.0)) == (False, 2**62 - 1, 2**64 - 1, 1.5)


def test_arguments_can_be_named():
    matrix = np.ones((1, 1), np.float32)
    assert sums_of(factor=3.0, matrix=matrix)[0].total == 3.0
    with pytest.raises(TypeError):
        sums_of(matrix)


def test_a_kernel_without_a_result_returns_none_and_writes_into_arrays():
    array = np.zeros(2, np.int64)
    assert nothing(array) is None
    assert array.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("number", "kind", "message"), [(1, ValueError, "one is too few"), (2, MemoryError, "two is too much")]
)
def test_what_a_kernel_raises_is_raised(number, kind, message):
    assert refuse(3) == 3
    with pytest.raises(kind, match=message):
        refuse(number)


def test_a_matrix_is_the_beginning_of_an_array():
    values = np.arange(7, dtype=np.float32)
    matrix = reshaped(values, 2, 3)
    assert matrix.tolist() == [[0, 1, 2], [3, 4, 5]]
    matrix[1, 2] = 9
    assert values[5] == 9
    assert reshaped(values, 0, 3).shape == (0, 3)


def test_results_do_not_pile_up_in_memory():
    resource = pytest.importorskip("resource")
    matrix = np.ones((200_000, 1), np.float32)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(3 if isinstance(sums_of, type(lambda: 0)) else 200):  # plain Python is slow
        sums_of(matrix, 1.0)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # 320 MB without


def test_functions_that_share_a_name_are_not_taken_for_one_another():
    first, second = (exact(lambda x, n=n: x + n) for n in (1, 2))
    assert (first(1, 1), second(1, 2)) == (2, 3)
    made = [exact(function) for function in (lambda x: x + 1, lambda x: x + 2)]
    assert [kernel(1) for kernel in made] == [2, 3]


def test_a_kernel_shows_its_name_and_its_docstring():
    assert total_of.__name__ == "total_of"
    assert "total_of" in repr(total_of)
