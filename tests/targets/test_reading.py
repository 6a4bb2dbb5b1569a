"""Claims about which classes and labels are not known."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from slantwood.targets.reading import as_numbers, known_classes

pytestmark = pytest.mark.plain_python


MISSING = {
    "None": None,
    "float NaN": math.nan,
    "NumPy NaN": np.float32(np.nan),
    "pd.NA": pd.NA,
    "pd.NaT": pd.NaT,
}
EVERY_MISSING = pytest.mark.parametrize("missing", MISSING.values(), ids=MISSING.keys())
EITHER = pytest.mark.parametrize("minus_one_is_unknown", [False, True])


def objects(values):
    y = np.empty(len(values), object)
    y[:] = values
    return y


@EITHER
@pytest.mark.parametrize(
    "y",
    [
        np.array([3, 1, 2]),
        np.array([3, 1, 2], np.uint8),
        np.array([True, False]),
        np.array([0.0, 2.0]),
        np.array(["a", "b", "-1", "nan"]),
        np.array(["a", "b", "-1", "None"], object),
    ],
    ids=lambda y: f"{y.dtype}",
)
def test_classes_that_are_all_known_come_back_as_they_are(y, minus_one_is_unknown):
    found, known = known_classes(y, minus_one_is_unknown)
    assert known.all()
    assert known.dtype == bool
    assert_array_equal(found, y)
    assert found.dtype == y.dtype


@EITHER
@EVERY_MISSING
def test_every_kind_of_missing_value_among_names_is_unknown(missing, minus_one_is_unknown):
    y = objects(["b", missing, "a", missing, "-1"])
    found, known = known_classes(y, minus_one_is_unknown)
    assert_array_equal(known, [True, False, True, False, True])
    assert_array_equal(found[known], ["b", "a", "-1"])


@EITHER
@EVERY_MISSING
@pytest.mark.parametrize(
    ("values", "dtype"),
    [([3, 1, 7], np.int64), ([0.0, 2.0, 1.0], np.float64), ([True, False, True], np.bool_)],
    ids=["int", "float", "bool"],
)
def test_numbers_that_a_missing_value_made_objects_become_numbers_again(
    missing, values, dtype, minus_one_is_unknown
):
    found, known = known_classes(objects([missing, *values]), minus_one_is_unknown)
    assert_array_equal(known, [False, True, True, True])
    assert_array_equal(found[known], values)
    assert found.dtype == dtype


@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.float32, np.float64])
def test_minus_one_is_a_class_unless_it_is_said_to_be_none(dtype):
    y = np.array([-1, 0, 1, -1, 2]).astype(dtype)
    found, known = known_classes(y, False)
    assert known.all()
    assert_array_equal(found, y)
    found, known = known_classes(y, True)
    assert_array_equal(known, [False, True, True, False, True])
    assert_array_equal(found[known].astype(int), [0, 1, 2])


def test_minus_one_and_missing_values_are_unknown_together():
    for y in (np.array([-1.0, np.nan, 4.0, 5.0]), objects([-1, None, 4, 5]), objects([-1.0, pd.NA, 4, 5])):
        assert_array_equal(known_classes(y, True)[1], [False, False, True, True])
        assert_array_equal(known_classes(y, False)[1], [True, False, True, True])


@EITHER
def test_the_name_of_minus_one_is_a_name(minus_one_is_unknown):
    for y in (np.array(["-1", "1"]), objects(["-1", "1"])):
        assert known_classes(y, minus_one_is_unknown)[1].all()


@given(st.lists(st.sampled_from([0, 1, 5, None, math.nan, -1]), min_size=1, max_size=12), st.booleans())
def test_the_mask_is_what_asking_each_value_says(values, minus_one_is_unknown):
    values = [None, *values]  # objects all of which are numbers are another matter, see below
    expected = [v is not None and v == v and not (minus_one_is_unknown and v == -1) for v in values]
    if not any(expected):
        with pytest.raises(ValueError, match="no label in any row"):
            known_classes(objects(values), minus_one_is_unknown)
        return
    before = objects(values)
    found, known = known_classes(before, minus_one_is_unknown)
    assert_array_equal(known, expected)
    assert list(found[known]) == [v for v, k in zip(values, expected, strict=True) if k]
    assert all(a is b for a, b in zip(before, values, strict=True))  # the user's own is left alone


@pytest.mark.parametrize(
    "y",
    [objects([None, None]), np.array([np.nan, np.nan]), objects([pd.NA, math.nan])],
    ids=["None", "NaN", "both"],
)
def test_no_class_at_all_is_refused(y):
    with pytest.raises(ValueError, match="no label in any row"):
        known_classes(y, False)


def test_only_minus_ones_are_no_class_where_they_are_unknown():
    with pytest.raises(ValueError, match="no label in any row"):
        known_classes(np.array([-1, -1]), True)
    assert known_classes(np.array([-1, -1]), False)[1].all()


@pytest.mark.parametrize("values", [["a", 1], ["a", 1, None]], ids=str)
def test_types_that_cannot_be_ordered_are_refused_with_a_remedy(values):
    with pytest.raises(TypeError, match="use one type for all classes"):
        known_classes(objects(values), False)


def test_numbers_held_as_objects_are_classes_whether_one_of_them_is_missing_or_not():
    # Some of the rows of a column with gaps, as in cross-validation, may all be known.
    y = objects([3, None, 1])
    found, known = known_classes(y[[0, 2]], False)
    assert known.all()
    assert_array_equal(found, [3, 1])
    assert found.dtype == known_classes(y, False)[0].dtype


@EITHER
@pytest.mark.parametrize("dtype", ["datetime64[D]", "timedelta64[s]"])
def test_a_missing_time_among_times_is_unknown(dtype, minus_one_is_unknown):
    y = np.array([5, 9, 5], dtype)
    y[1] = np.array("NaT", dtype)
    assert_array_equal(known_classes(y, minus_one_is_unknown)[1], [True, False, True])


# ---- matrices of objects


@EVERY_MISSING
def test_a_matrix_of_objects_becomes_numbers_as_numbers(missing):
    y = np.array([[1, 0, True], [False, 1.0, 0]], object)
    y[0, 1] = missing
    found = as_numbers(y)
    assert found.dtype == np.float64
    assert_array_equal(found, [[1, np.nan, 1], [0, 1, 0]])


def test_names_in_a_matrix_of_objects_are_refused():
    with pytest.raises(ValueError, match=r"y holds 'a' \(str\), which is not a number"):
        as_numbers(np.array([["a", None], ["b", "c"]], object))
