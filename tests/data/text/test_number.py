"""Numbers in text, against Python's own reading of them."""

import math
import struct

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from slantwood.data.text.compiled.number import number_at
from slantwood.data.text.scanning import scanning
from tests.sampling import examples


def numbers_in(texts):
    """Read texts; None for those left to others."""
    found = []
    with scanning():
        for text in texts:
            letters = np.frombuffer(f"{text}\n".encode(), np.uint8)
            value, stop, is_number = number_at(letters, 0)
            found.append(value if is_number and stop == len(letters) - 1 else None)
    return found


def bits(value):
    return struct.pack("<d", value)


def assert_same_as_float(text):
    (value,) = numbers_in([text])
    try:
        expected = float(text)
    except ValueError:
        assert value is None
    else:
        assert value is None or bits(value) == bits(expected)


FINITE = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.plain_python
@examples(100)
@given(FINITE)
def test_the_shortest_spelling_of_a_number_is_read_to_the_bit(value):
    (found,) = numbers_in([repr(value)])
    # Below the normal numbers, and beyond 19 digits, others decide.
    if found is None:
        assert abs(value) < 2.3e-308 or len(repr(value).strip("-0.")) > 19
    else:
        assert bits(found) == bits(value)


@pytest.mark.plain_python
@examples(100)
@given(st.integers(0, 10**22), st.integers(0, 12), st.integers(-340, 340), st.sampled_from(["", "+", "-"]))
def test_any_digits_point_and_exponent_are_read_as_python_does(digits, n_decimals, exponent, sign):
    text = str(digits).rjust(n_decimals + 1, "0")
    whole, decimals = text[: len(text) - n_decimals], text[len(text) - n_decimals :]
    for spelling in (f"{sign}{whole}.{decimals}", f"{sign}{whole}.{decimals}e{exponent}", f"{whole}E+7"):
        assert_same_as_float(spelling)


@given(st.integers(2**52, 2**53 - 1), st.integers(0, 4))
def test_numbers_halfway_between_two_go_to_the_even_one(mantissa, power):
    half = 2 * mantissa + 1
    for text in (str(half), f"{half * 5**power}e-{power}", f"{half // 5**power}e{power}", f"{half}00e-2"):
        assert_same_as_float(text)


@examples(60)
@given(st.text("0123456789.eE+-_ infax", max_size=12))
@example("1_0")
@example("0x10")
@example(".")
@example("1e")
@example("1e+")
@example("-")
@example(".5")
@example("5.")
@example("00012")
@example("-0")
@example("1e400")
@example("1e-400")
@example("inf")
@example("nan")
@example("9" * 19)
@example("9" * 20)
@example("0." + "0" * 30 + "1")
@example("18446744073709551616")
def test_whatever_is_taken_for_a_number_is_one(text):
    assert_same_as_float(text)


def test_common_spellings_are_not_left_to_others():
    texts = [
        "0",
        "-0.0",
        "1",
        "+1",
        "12.5",
        ".5",
        "5.",
        "1e5",
        "-1.5E-7",
        "0.1234567890123456",
        "1e300",
        "123456789e-30",
    ]
    assert None not in numbers_in(texts)
    assert numbers_in(texts) == [float(text) for text in texts]


def test_a_negative_zero_keeps_its_sign():
    (value,) = numbers_in(["-0"])
    assert math.copysign(1, value) == -1


def test_a_hundred_thousand_random_doubles_are_read_to_the_bit():
    rng = np.random.default_rng(0)
    values = rng.integers(0, 2**64, 100_000, np.uint64, endpoint=False).view(np.float64)
    texts = [repr(value) for value in values[np.isfinite(values)].tolist()]
    wrong = [
        text
        for text, found in zip(texts, numbers_in(texts), strict=True)
        if found is not None and bits(found) != bits(float(text))
    ]
    assert wrong == []
