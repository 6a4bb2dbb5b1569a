"""Claims about how values become words, and words values."""

import weakref
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slantwood.machine_code import words
from slantwood.machine_code.words import NUMBERS, Form

pytestmark = pytest.mark.plain_python


class Pair(NamedTuple):
    left: np.ndarray
    right: float


PAIR = f"{Pair.__module__}:Pair"

numbers = st.sampled_from(NUMBERS).map(Form)
arrays = st.builds(Form, st.sampled_from(NUMBERS), st.integers(1, 3))
forms = st.recursive(
    st.one_of(numbers, arrays, st.just(Form())),
    lambda parts: st.builds(
        lambda parts, name: Form(parts=tuple(parts), class_name=name),
        st.lists(parts, max_size=4),
        st.sampled_from(["", "a.b:C"]),
    ),
    max_leaves=8,
)


@given(forms)
def test_a_form_is_read_from_its_text(form):
    assert words.parse(str(form)) == form


@pytest.mark.parametrize("text", ["", "f3", "f4:", "f4:x", "(f4", "f4)", "(f4,,f4)", "f4 ", "x:Y(f4"])
def test_what_is_no_form_is_refused(text):
    with pytest.raises(ValueError, match=r"form|after"):
        words.parse(text)


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
    assert words.flatten(value, row) == form
    assert len(row) == words.parse(form).n_words == 1
    signed = np.array(row, object).astype(np.uint64).astype(np.int64).tolist() if row[0] > 2**63 else row
    assert words.arguments(words.parse(form), iter(signed)) == value


def test_arrays_and_tuples_come_back_as_views():
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    value = (Pair(array, 2.5), (True, array[1]))
    row = []
    form = words.flatten(value, row)
    assert form == f"({PAIR}(f4:2,f8),(b1,f4:1))"
    (back, (truth, line)) = words.arguments(words.parse(form), iter(row))
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
    assert {words.flatten(each, []) for each in (mapped, locked, np.ones((2, 2), np.float32))} == {"f4:2"}


@pytest.mark.parametrize(
    "value", [np.ones((3, 3), np.float32)[:, 1], np.ones(3, ">f4"), np.array(["a"]), "text", None, [1.0]]
)
def test_what_compiled_code_cannot_read_is_refused(value):
    with pytest.raises(TypeError, match=r"C order|compiled code"):
        words.flatten(value, [])


def test_a_result_is_copied_and_its_memory_given_back_at_once():
    memory = np.arange(8, dtype=np.int64)
    released = []
    row = [memory.__array_interface__["data"][0], 17, 4, 16]
    result = words.result(words.parse("i8:1"), iter(row), released.append, None)
    memory[:] = -1
    assert result.tolist() == [0, 2, 4, 6]
    assert result.flags.c_contiguous
    assert released == [17]
    empty = words.result(words.parse("i8:1"), iter([0, 18, 0, 8]), released.append, None)
    assert empty.shape == (0,)
    assert released == [17, 18]


def test_a_result_that_is_a_view_of_an_input_keeps_the_input():
    memory = np.arange(4, dtype=np.int64)
    kept = weakref.ref(memory)
    row = [memory.__array_interface__["data"][0], 0, 4, 8]
    result = words.result(words.parse("i8:1"), iter(row), None, memory)
    del memory
    assert result.tolist() == [0, 1, 2, 3]
    del result
    assert kept() is None
