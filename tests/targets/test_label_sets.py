"""Claims about what counts as a collection of labels for each row."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import MultiLabelBinarizer

from slantwood.targets.label_sets import (
    are_label_sets,
    as_label_sets,
    holds_label_sets,
    is_collection,
    read_label_sets,
    rows_of,
)

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


@pytest.mark.parametrize(
    "y", [None, 3, "ab", {"a": 1}, pl.LazyFrame({"a": [["b"]]})], ids=lambda y: type(y).__name__
)
def test_what_is_no_series_holds_no_label_sets(y):
    assert not holds_label_sets(y)


def test_rows_of_another_length_than_a_matrix_has_are_label_sets():
    assert are_label_sets([(3,), (1,)], 2)
    assert not are_label_sets([(0, 1), (1, 1)], 2)
    assert not are_label_sets(np.eye(2), 3)


# ---- to an indicator matrix and back


@given(
    st.sampled_from([st.text("ab/ ", max_size=2), st.integers(-(2**40), 2**40)]).flatmap(
        lambda labels: st.lists(st.none() | st.lists(labels, max_size=4), min_size=1, max_size=6)
    )
)
def test_label_sets_become_the_indicator_of_scikit_learn_and_come_back(rows):
    found = read_label_sets(rows, len(rows))
    known = [row for row in rows if row is not None]
    binarizer = MultiLabelBinarizer()
    expected = binarizer.fit_transform(known)
    assert found.labels.tolist() == list(binarizer.classes_)
    spelt_out = found.indicator.toarray()
    is_known = [row is not None for row in rows]
    np.testing.assert_array_equal(spelt_out[is_known], expected)
    assert np.isnan(spelt_out[np.logical_not(is_known)].astype(float)).all()
    if found.labels.size:
        back = as_label_sets(found.indicator, found.labels.tolist())
        assert [row for row in back if row is not None] == binarizer.inverse_transform(expected)
    assert not found.has_others.any()


@given(
    st.lists(st.none() | st.sets(st.sampled_from("abcd")), min_size=1, max_size=6),
    st.sets(st.sampled_from("abcd"), min_size=1),
)
def test_labels_without_a_column_are_left_out_and_their_rows_marked(rows, known):
    labels = np.array(sorted(known, reverse=True), object)
    found = read_label_sets(rows, None, labels)
    assert found.labels is labels
    assert found.has_others.tolist() == [row is not None and not row <= known for row in rows]
    back = as_label_sets(found.indicator, labels.tolist())
    assert [row if row is None else set(row) for row in back] == [
        row if row is None else row & known for row in rows
    ]


def test_text_of_numpy_is_plain_text():
    found = read_label_sets([np.array(["b", "a"]), {np.str_("b")}], 2)
    assert {type(label) for label in found.labels} == {str}
    assert found.indicator.toarray().tolist() == [[1, 1], [0, 1]]
    assert read_label_sets([np.array([2, 1]), [2]], 2).labels.dtype == np.int64
