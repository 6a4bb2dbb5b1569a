"""Claims about how values become words, and words values."""

import json
import weakref
from typing import NamedTuple

import numpy as np
import pytest

from slantwood.machine_code import words

pytestmark = pytest.mark.plain_python


class Pair(NamedTuple):
    left: np.ndarray
    right: float


PAIR = f"{Pair.__module__}:Pair"


@pytest.mark.parametrize(
    ("value", "form"),
    [
        (True, "b1"),
        (np.bool_(True), "b1"),
        (-3, "i8"),
        (np.int32(-3), "i8"),
        (np.uint64(2**64 - 1), "u8"),
        (0.1, "f8"),
        (np.float32(0.1), "f4"),
        (np.float64(-np.inf), "f8"),
    ],
)
def test_numbers_come_back(value, form):
    row = []
    assert json.loads(words.flatten(value, row)) == form
    assert len(row) == words.n_words(form) == 1
    signed = np.array(row, object).astype(np.uint64).astype(np.int64).tolist() if row[0] > 2**63 else row
    assert words.value_of(form, iter(signed), None, None) == value


def test_arrays_and_tuples_come_back_as_views():
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    value = (Pair(array, 2.5), (True, array[1]))
    row = []
    form = json.loads(words.flatten(value, row))
    assert form == ["", [PAIR, "f4:2", "f8"], ["", "b1", "f4:1"]]
    assert len(row) == words.n_words(form) == 4 + 1 + 1 + 3
    (back, (truth, line)) = words.value_of(form, iter(row), None, None)
    assert isinstance(back, Pair)
    assert truth is True
    np.testing.assert_array_equal(back.left, array)
    line[0] = 7.0
    assert array[1, 0] == 7.0


def test_read_only_and_mapped_arrays_have_the_form_of_any_other(tmp_path):
    np.save(tmp_path / "a.npy", np.ones((2, 2), np.float32))
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    locked = np.ones((2, 2), np.float32)
    locked.flags.writeable = False
    assert {words.flatten(each, []) for each in (mapped, locked, np.ones((2, 2), np.float32))} == {'"f4:2"'}


@pytest.mark.parametrize(
    "value", [np.ones((3, 3), np.float32)[:, 1], np.ones(3, ">f4"), np.array(["a"]), "text", None, [1.0]]
)
def test_what_compiled_code_cannot_read_is_refused(value):
    with pytest.raises(TypeError, match=r"C order|compiled code"):
        words.flatten(value, [])


def test_a_result_is_copied_and_its_memory_given_back_at_once():
    memory = np.arange(4, dtype=np.int64)
    released = []
    row = [memory.__array_interface__["data"][0], 17, 4]
    result = words.value_of("i8:1", iter(row), released.append, None)
    memory[:] = -1
    assert result.tolist() == [0, 1, 2, 3]
    assert released == [17]
    empty = words.value_of("i8:1", iter([0, 18, 0]), released.append, None)
    assert empty.shape == (0,)
    assert released == [17, 18]


def test_a_result_that_is_a_view_of_an_input_keeps_the_input():
    memory = np.arange(4, dtype=np.int64)
    kept = weakref.ref(memory)
    row = [memory.__array_interface__["data"][0], 0, 4]
    result = words.value_of("i8:1", iter(row), None, memory)
    del memory
    assert result.tolist() == [0, 1, 2, 3]
    del result
    assert kept() is None


def test_none_has_no_words():
    assert words.n_words("none") == 0
    assert words.value_of("none", iter([]), None, None) is None
