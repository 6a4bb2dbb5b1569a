"""Names that are only numbers behave as the tuple of them."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slantwood.data.names import NumberedNames, finder


@given(st.sampled_from(["", "x", "x1"]), st.integers(0, 12), st.integers(0, 11), st.data())
def test_numbered_names_behave_as_a_tuple(prefix, count, first, data):
    names = NumberedNames(prefix, count, first)
    spelled = tuple(f"{prefix}{i}" for i in range(first, first + count))
    assert names == spelled
    assert spelled == names
    assert hash(names) == hash(spelled)
    assert (len(names), tuple(names), tuple(reversed(names))) == (count, spelled, spelled[::-1])
    part = data.draw(st.slices(count))
    assert tuple(names[part]) == spelled[part]
    assert names + ("y",) == (*spelled, "y")  # noqa: RUF005
    assert ("y",) + names == ("y", *spelled)  # noqa: RUF005
    for name in (*spelled, "x", "", "x007", "-1", "x12", "²", "9" * 5000, 3):
        assert (name in names) == (name in spelled)
        assert names.count(name) == spelled.count(name)
        assert finder(names)(name) == finder(spelled)(name)
    assert pickle.loads(pickle.dumps(names)) == names


def test_other_names_are_not_equal():
    names = NumberedNames("x", 2)
    assert names != ("x0", "x2")
    assert names != ("x0",)
    assert names != ["x0", "x1"]
    assert NumberedNames("x1", 1) == NumberedNames("x", 1, first=10)


def test_the_place_of_a_name_is_found_without_looking_at_the_others():
    names = NumberedNames("", 10**12, first=1)
    assert names.index("1000000000000") == 10**12 - 1
    assert names[-1] == "1000000000000"
    assert repr(names) == "<1000000000000 names from '1' to '1000000000000'>"
    with pytest.raises(ValueError, match="'0' is not among the names"):
        names.index("0")
    with pytest.raises(IndexError):
        NumberedNames("x", 0)[0]
