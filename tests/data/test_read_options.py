import re

import numpy as np
import pytest

from slantwood.data.read_options import ReadOptions

NAMES = ("id", "age", "size", "label_a", "label_b", "last:1x", "a,b")


def chosen(targets, names=NAMES):
    return [names[i] for i in ReadOptions(targets).roles(names).targets]


@pytest.mark.parametrize(
    ("targets", "expected"),
    [
        ("age", ["age"]),
        ("last:2", ["last:1x", "a,b"]),
        ("first:1", ["id"]),
        ("first:0", []),
        ("/^label_/", ["label_a", "label_b"]),
        (re.compile("b$"), ["label_b", "a,b"]),
        ("size, age", ["age", "size"]),
        ("a,b", ["a,b"]),
        ("last:1x", ["last:1x"]),
        (["label_b", "age"], ["age", "label_b"]),
        (["age", -1], ["age", "a,b"]),
        (np.array([1, 2]), ["age", "size"]),
        (2, ["size"]),
        ((), []),
    ],
)
def test_ways_to_say_targets(targets, expected):
    assert chosen(targets) == expected


def test_a_column_called_like_a_place_is_found_by_its_name():
    assert chosen("last:1", ("last:1", "b")) == ["last:1"]


def test_the_other_columns_are_inputs_but_for_those_dropped():
    roles = ReadOptions("last:1", drop="id", nominal=["size"]).roles(("id", "age", "size", "y"))
    assert (roles.inputs, roles.targets, roles.nominal) == ((1, 2), (3,), frozenset({2}))


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        (None, "nothing says which columns are targets; give targets"),
        ("agee", "targets has 'agee', but no column has this name; did you mean 'age'"),
        ("xyzzy", "but no column has this name; expected one of 'id', 'age'"),
        (["age", "qqqq"], "targets has 'qqqq'"),
        ("last:8", "targets='last:8', but there are 7 columns"),
        (7, "position 7, but there are 7 columns"),
        ("/zzz/", "targets=/zzz/ matches no name"),
        ("/(/", "is not a regular expression"),
    ],
)
def test_what_cannot_be_found(targets, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        ReadOptions(targets).roles(NAMES)


@pytest.mark.parametrize("targets", [1.5, [None], {"a": 1}.values, True, [False], b"size"])
def test_what_is_neither_name_nor_place(targets):
    with pytest.raises(TypeError, match="targets"):
        ReadOptions(targets).roles(NAMES)


def test_a_target_cannot_be_dropped():
    with pytest.raises(ValueError, match="'age' is in targets and in drop"):
        ReadOptions("age", drop=["age"]).roles(NAMES)


def test_targets_from_elsewhere_only_where_nothing_was_said():
    assert ReadOptions(None).takes_default_targets
    assert not ReadOptions("size").takes_default_targets
    assert not ReadOptions(()).takes_default_targets


def test_positions_may_be_those_of_numpy():
    assert ReadOptions(np.int64(2)).roles(NAMES).targets == (2,)
    assert ReadOptions(np.array([2, 0])).roles(NAMES).targets == (0, 2)
