"""Claims about values as TOML text."""

import math
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slantwood.cli import toml

scalars = st.one_of(st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False), st.text())
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3), max_leaves=6)


def no_surrogates(value):
    return "\\ud" not in ascii(value)


@given(values.filter(no_surrogates))
def test_what_is_written_reads_back_the_same(value):
    assert tomllib.loads(f"x = {toml.format_value(value)}")["x"] == value


@given(st.dictionaries(st.text().filter(no_surrogates), scalars.filter(no_surrogates), max_size=3))
def test_tables_read_back_the_same(table):
    assert tomllib.loads(f"x = {toml.format_value(table)}")["x"] == table


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("0.5", 0.5),
        ("true", True),
        ("sqrt", "sqrt"),
        ('"3"', "3"),
        ("[1, 2]", [1, 2]),
        ("none", None),
        ('"none"', None),
        ("inf", math.inf),
        ("{a = 1}", {"a": 1}),
    ],
)
def test_typed_values_are_toml_or_words(text, value):
    assert toml.parse_value(text) == value


def test_pairs_may_have_an_equals_sign_in_the_value_and_dashes_in_the_name():
    assert toml.parse_pair("max-iter=5") == ("max_iter", 5)
    assert toml.parse_pair("text=a=b") == ("text", "a=b")


@pytest.mark.parametrize("text", ["alone", "=3", ""])
def test_what_is_no_pair_is_named(text):
    with pytest.raises(ValueError, match="name=value"):
        toml.parse_pair(text)
