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
        ([texts([0], "a"), numbers(1)], None, "target 't0' has text such as 'a', and is one of 2"),
        ([numbers(2**53 + 2, 1, 2)], "classification", "give nominal=['t0'], which takes them as text"),
        ([numbers(1), numbers(2)], "classification", "among the 2 targets some are not 0 and 1"),
    ],
)
def test_what_poses_no_task(columns, task, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        infer_task(columns, [f"t{i}" for i in range(len(columns))], task)


def test_classes_that_differ_in_a_zero_character_at_the_end_stay_apart():
    y, _ = infer_task([texts([0, 1], "a", "a\0")], ["t"], None)
    assert y.tolist() == ["a", "a\0"]
