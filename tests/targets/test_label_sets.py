"""Claims about what counts as a collection of labels for each row."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from slantwood.targets.label_sets import holds_label_sets, is_collection, rows_of

pytestmark = pytest.mark.plain_python

TEXT = st.text("ab/", max_size=3)
COLLECTIONS = [set, frozenset, list, tuple, np.array]


def objects(rows):
    array = np.empty(len(rows), object)
    array[:] = rows
    return array


SERIES = {
    "list": list,
    "tuple": tuple,
    "array of objects": objects,
    "pandas series": lambda rows: pd.Series(rows, dtype=object),
    "pandas series of another index": lambda rows: pd.Series(
        rows, dtype=object, index=range(7, 7 + len(rows))
    ),
    "polars series": pl.Series,
    "arrow array": pa.array,
    "arrow column": lambda rows: pa.chunked_array([rows]),
}
EVERY_SERIES = pytest.mark.parametrize("series", SERIES.values(), ids=SERIES.keys())


@given(
    rows=st.lists(st.lists(TEXT, max_size=3), min_size=1, max_size=6), kind=st.sampled_from(COLLECTIONS[:4])
)
def test_collections_of_text_are_label_sets_whatever_their_lengths(rows, kind):
    assert holds_label_sets([kind(row) for row in rows])
    assert holds_label_sets(objects([kind(row) for row in rows]))


@given(st.lists(st.sets(st.integers(0, 3), max_size=3), min_size=1, max_size=6))
def test_sets_of_numbers_are_label_sets_whatever_their_lengths(rows):
    assert holds_label_sets(rows)
    assert holds_label_sets([frozenset(row) for row in rows])
    assert holds_label_sets(pd.Series(rows))


@given(
    n_columns=st.integers(1, 4),
    n_rows=st.integers(1, 5),
    cell=st.sampled_from([0, 1, 0.0, 1.5, True, None, float("nan"), np.int8(1), np.bool_(True)]),
    kind=st.sampled_from([list, tuple]),
)
def test_lists_of_numbers_of_one_length_are_a_matrix(n_columns, n_rows, cell, kind):
    assert not holds_label_sets([kind([cell] * n_columns)] * n_rows)


@pytest.mark.parametrize("kind", COLLECTIONS[:4])
def test_lists_of_numbers_of_several_lengths_are_label_sets(kind):
    assert holds_label_sets([kind([1, 2]), kind([1])])
    assert holds_label_sets([kind([1]), kind([])])


@pytest.mark.parametrize("missing", [None, float("nan")])
@pytest.mark.parametrize("kind", COLLECTIONS)
def test_one_collection_beside_missing_rows_is_enough(kind, missing):
    assert holds_label_sets([missing, kind([1, 0]), missing])


@pytest.mark.parametrize("kind", COLLECTIONS)
def test_rows_without_any_label_are_label_sets(kind):
    assert holds_label_sets([kind([])] * 3)


@EVERY_SERIES
def test_a_series_of_any_library_may_hold_them(series):
    rows = [["a"], ["a", "b"], [], ["c", "a"]]
    assert holds_label_sets(series(rows))
    assert [list(row) for row in rows_of(series(rows))] == rows


@EVERY_SERIES
def test_one_class_for_each_row_is_no_label_set(series):
    assert not holds_label_sets(series(["a", "b", "ab"]))
    assert not holds_label_sets(series([1, 2, 3]))
    assert rows_of(series([1, 2, 3])) == [1, 2, 3]


Y = np.array([[0, 1], [1, 0], [1, 1]])
MATRICES = {
    "array": Y,
    "array of objects": Y.astype(object),
    "array of text": Y.astype(str),
    "one column": Y[:, :1],
    "nested lists": Y.tolist(),
    "csr_array": sp.csr_array(Y),
    "csc_matrix": sp.csc_matrix(Y),
    "coo_array": sp.coo_array(Y),
    "pandas": pd.DataFrame(Y, columns=["a", "b"]),
    "polars": pl.DataFrame(Y, schema=["a", "b"]),
    "arrow": pa.table({"a": Y[:, 0], "b": Y[:, 1]}),
    "classes": np.array(["a", "b", "a"]),
    "numbers": np.array([0.5, 1.5]),
    "no rows": [],
    "only missing": [None, None],
}


@pytest.mark.parametrize("y", MATRICES.values(), ids=MATRICES.keys())
def test_matrices_and_classes_are_no_label_sets(y):
    assert holds_label_sets(y) is False


def test_the_answer_is_a_plain_truth_value():
    assert holds_label_sets([["a"]]) is True
    assert holds_label_sets([["a"], None]) is True


@pytest.mark.parametrize("row", [{1}, frozenset(), [1], (), np.array(["a"])], ids=repr)
def test_collections_are_told_from_labels(row):
    assert is_collection(row)


@pytest.mark.parametrize("row", ["ab", b"ab", 1, None, 1.5, np.str_("a"), range(2), {"a": 1}], ids=repr)
def test_labels_are_told_from_collections(row):
    assert not is_collection(row)
