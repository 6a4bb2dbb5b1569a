"""Claims about when y is several targets, and which of them are numbers."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from slantwood.targets.columns import array_targets, columns_as, frame_targets

pytestmark = pytest.mark.plain_python

LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
ANY_LIBRARY = pytest.mark.parametrize("library", LIBRARIES.values(), ids=LIBRARIES)

TARGETS = {
    "whole numbers": [[0, 1], [2, 1]],
    "whole numbers as floats": [[0.0, 1.0], [2.0, np.nan]],
    "text": [["a", "b"], ["c", "b"]],
    "objects": np.array([["a", 1], ["b", None]], object),
    "zeros and ones beside text": np.array([[0, "a"], [1, "b"]], object),
    "dates": np.array([["2020-01-01", "2020-01-02"]] * 2, "M8[D]"),
}


@pytest.mark.parametrize("y", TARGETS.values(), ids=TARGETS)
def test_arrays_of_classes_are_targets(y):
    columns = array_targets(np.asarray(y))
    assert [each.name for each in columns] == [0, 1]
    assert not any(each.is_number for each in columns)


NO_TARGETS = {
    "labels": [[0, 1], [1, 1]],
    "labels of truth": [[True, False], [True, True]],
    "labels as floats, some unknown": [[0.0, 1.0], [1.0, np.nan]],
    "labels as objects, some unknown": np.array([[0, None], [True, 1]], object),
    "numbers": [[0.5, 1.0], [2.0, 3.0]],
    "numbers as objects": np.array([[0.5, 1], [2, None]], object),
    "one column": [[3], [5]],
}


@pytest.mark.parametrize("y", NO_TARGETS.values(), ids=NO_TARGETS)
def test_labels_and_numbers_are_none(y):
    assert array_targets(np.asarray(y)) is None


def test_sparse_matrices_are_labels():
    assert array_targets(sp.csr_array(np.array([[0, 3], [2, 0]]))) is None


@ANY_LIBRARY
def test_columns_of_frames_say_by_their_type_what_they_are(library):
    y = library({"tree": ["oak", "elm"], "height": [1.5, 2.0], "rings": [3, 4], "alive": [True, False]})
    columns = frame_targets(y, 2)
    assert [each.name for each in columns] == ["tree", "height", "rings", "alive"]
    assert [each.is_number for each in columns] == [False, True, False, False]
    assert columns[1].values.tolist() == [1.5, 2.0]


@ANY_LIBRARY
def test_frames_of_labels_or_of_floats_alone_are_as_their_arrays(library):
    assert frame_targets(library({"a": [0, 1], "b": [True, False]}), 2) is None
    assert frame_targets(library({"a": [0, 1], "b": [1.0, None]}), 2) is None
    assert frame_targets(library({"a": [0.5, 1.0], "b": [1.0, 2.0]}), 2) is None
    assert frame_targets(library({"a": ["x", "y"]}), 2) is None
    assert frame_targets(np.array([["a", "b"]]), 1) is None


@ANY_LIBRARY
def test_missing_classes_are_missing_in_any_library(library):
    columns = frame_targets(library({"tree": ["oak", None, "elm"], "rings": [3, 4, 5]}), 3)
    assert columns[0].values[1] is None or columns[0].values[1] != columns[0].values[1]


def test_categories_are_classes_though_they_are_numbers():
    columns = frame_targets(pd.DataFrame({"a": pd.Categorical([0.5, 1.5]), "b": [0.5, 1.5]}), 2)
    assert [each.is_number for each in columns] == [False, True]


def test_as_many_rows_and_columns_are_asked_for():
    y = pd.DataFrame({"a": ["x", "y"], "b": [1, 2]})
    with pytest.raises(ValueError, match="X has 3, y has 2"):
        frame_targets(y, 3)
    with pytest.raises(ValueError, match="y has 2 columns, and 3 targets are predicted"):
        columns_as(y, [False] * 3, 2)


def test_names_of_columns_may_be_numbers():
    columns = frame_targets(pd.DataFrame({1: ["x", "y"], 0: [0.5, 1.5]}), 2)
    assert [each.name for each in columns] == [1, 0]
    assert columns[0].values.tolist() == ["x", "y"]
