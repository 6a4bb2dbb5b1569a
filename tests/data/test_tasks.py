import re

import numpy as np
import pytest
import scipy.sparse as sp

from slantwood.data.table import Categories
from slantwood.data.tasks import infer_task

NAN = np.nan


def numbers(*values):
    return np.array(values, np.float64)


def texts(codes, *values):
    return Categories(np.array(codes), values)


@pytest.mark.parametrize(
    ("columns", "task", "recognised", "y"),
    [
        ([texts([0, 1, 0], "no", "yes")], None, "binary", ["no", "yes", "no"]),
        ([texts([0, 1, 2], "a", "b", "c")], None, "multi-class", ["a", "b", "c"]),
        ([texts([0, 0, 1], "a", "b", "never")], None, "binary", ["a", "a", "b"]),
        ([numbers(0, 1, 1)], None, "binary", [0, 1, 1]),
        ([numbers(1, 2, 3)], None, "regression", [1.0, 2.0, 3.0]),
        ([numbers(1, 2, 3)], "classification", "multi-class", [1, 2, 3]),
        ([numbers(0, 1, 1)], "regression", "regression", [0.0, 1.0, 1.0]),
        ([numbers(0, 1, 1), numbers(1, 0, 0)], None, "multi-label", [[0, 1], [1, 0], [1, 0]]),
        ([numbers(0, 1, 2), numbers(1, 0, 0)], None, "multi-target regression", [[0, 1], [1, 0], [2, 0]]),
        ([numbers(0, 1, 1), numbers(1, 0, 0)], "regression", "multi-target regression", None),
        ([texts([0, 1], "False", "True"), texts([1, 1], "1", "0")], None, "multi-label", [[0, 0], [1, 0]]),
        ([], None, None, None),
    ],
)
def test_tasks_are_recognised(columns, task, recognised, y):
    found, said = infer_task(columns, [f"t{i}" for i in range(len(columns))], task)
    assert said == recognised
    if y is not None:
        assert np.array_equal(found, y)


def test_whole_numbers_are_classes_as_integers_and_others_as_they_are():
    whole, _ = infer_task([numbers(3, 4)], ["t"], None)
    broken, _ = infer_task([numbers(0.5, 4)], ["t"], None)
    assert whole.dtype == np.int64
    assert broken.tolist() == [0.5, 4]


def test_what_is_missing_stays_missing():
    classes, _ = infer_task([texts([0, -1, 1], "a", "b")], ["t"], None)
    assert classes.tolist() == ["a", None, "b"]
    labels, task = infer_task([numbers(0, NAN, 1), texts([0, 1, -1], "0", "1")], ["s", "t"], None)
    assert task == "multi-label"
    np.testing.assert_array_equal(labels, [[0, 0], [NAN, 1], [1, NAN]])
    some, task = infer_task([numbers(0, NAN, 1)], ["t"], None)
    assert task == "binary"
    np.testing.assert_array_equal(some, [0, NAN, 1])


def test_few_labels_are_held_sparse():
    columns = [numbers(*row) for row in np.eye(20)]
    Y, _ = infer_task(columns, list("abcdefghijklmnopqrst"), None)
    assert sp.issparse(Y)
    assert Y.dtype == np.int8
    assert (Y.toarray() == np.eye(20)).all()


@pytest.mark.parametrize(
    ("columns", "task", "message"),
    [
        ([numbers(1)], "clustering", "task='clustering' must be"),
        ([texts([0], "a")], "regression", "target 't0' has text such as 'a'; expected numbers"),
        ([texts([0], "a"), numbers(1)], "regression", "target 't0' has text such as 'a'; expected numbers"),
        ([numbers(2**53 + 2, 1, 2)], "classification", "give nominal=['t0'], which takes them as text"),
        ([numbers(1), numbers(0.5)], "classification", "target 't1' has numbers that are not whole"),
    ],
)
def test_what_poses_no_task(columns, task, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        infer_task(columns, [f"t{i}" for i in range(len(columns))], task)


def test_classes_that_differ_in_a_zero_character_at_the_end_stay_apart():
    y, _ = infer_task([texts([0, 1], "a", "a\0")], ["t"], None)
    assert y.tolist() == ["a", "a\0"]


SEVERAL = {
    "text": ([texts([0, 1, 1], "a", "b"), texts([2, 0, 1], "x", "y", "z")], None, ["category", "category"]),
    "text and numbers": ([texts([0, 1, 1], "a", "b"), numbers(1.5, 2, 3)], None, ["category", "float64"]),
    "text and two whole numbers": (
        [texts([0, 1, 1], "a", "b"), numbers(7, 3, 7)],
        None,
        ["category", "int64"],
    ),
    "text and two broken numbers": (
        [texts([0, 1, 1], "a", "b"), numbers(0.5, 3, 3)],
        None,
        ["category", "float64"],
    ),
    "numbers, said to be classes": (
        [numbers(1, 2, 3), numbers(0, 1, 0)],
        "classification",
        ["int64", "int64"],
    ),
}


@pytest.mark.parametrize(("columns", "task", "dtypes"), SEVERAL.values(), ids=SEVERAL)
def test_several_targets_with_classes_of_their_own_are_a_frame(columns, task, dtypes):
    y, recognised = infer_task(columns, ["s", "t"], task)
    assert list(y) == ["s", "t"]
    assert [str(dtype) for dtype in y.dtypes] == dtypes
    assert recognised == ("mixed targets" if "float64" in dtypes else "multi-target classification")


def test_classes_of_several_targets_may_be_missing():
    y, task = infer_task([texts([0, -1, 1], "a", "b"), numbers(7, NAN, 3)], ["s", "t"], None)
    assert task == "multi-target classification"
    assert y["s"].tolist()[::2] == ["a", "b"]
    assert y["t"].cat.categories.tolist() == [3, 7]
    assert y.isna().to_numpy().tolist() == [[False, False], [True, True], [False, False]]
