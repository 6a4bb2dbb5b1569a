"""Claims about the few rows that show every value of a part."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from slantwood.estimators.parts.witnesses import witnesses_of_features, witnesses_of_targets
from tests.sampling import examples

CELLS = st.lists(st.sampled_from([None, "ash", "elm", "oak", "fir"]), min_size=1, max_size=30)


@given(CELLS)
@examples(30)
def test_every_category_and_a_missing_cell_are_shown(cells):
    rows = witnesses_of_features(pd.DataFrame({"tree": pd.Series(cells, dtype=object)}))
    assert {cells[row] for row in rows} == set(cells)
    assert len(rows) == len(set(cells))


@given(st.lists(st.sampled_from([np.nan, 1.0, 2.5]), min_size=1, max_size=20))
@examples(30)
def test_of_numbers_a_missing_and_a_known_cell_are_shown_where_both_occur(cells):
    shown = np.array(cells)[witnesses_of_features(np.array(cells)[:, None])]
    has_missing = np.isnan(cells)
    if has_missing.any():
        assert np.isnan(shown).any()
        assert np.isnan(shown).all() == has_missing.all()


def test_stored_missing_entries_of_sparse_rows_are_shown():
    X = sp.csr_array(np.array([[0.0, 1.0], [np.nan, 0.0], [np.nan, 2.0]]))
    assert witnesses_of_features(X).tolist() == [1]


@given(st.lists(st.sets(st.sampled_from("abcde")), min_size=1, max_size=20))
@examples(30)
def test_every_label_is_shown(rows):
    found = witnesses_of_targets([tuple(row) for row in rows], are_classes=True)
    assert set().union(*(rows[i] for i in found)) == set().union(*rows)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=30), st.booleans())
@examples(30)
def test_every_class_is_shown_or_of_numbers_the_least_and_the_largest(values, are_classes):
    y = np.array(values)
    shown = y[witnesses_of_targets(y, are_classes=are_classes)]
    assert set(shown) == set(values) if are_classes else {min(values), max(values)} <= set(shown)


def test_numbers_that_are_not_whole_are_no_classes():
    y = np.array([0.5, 0.1, 0.2, 0.9, 0.3])
    assert witnesses_of_targets(y, are_classes=True).tolist() == [1, 3]


@pytest.mark.parametrize("make", [lambda Y: Y, sp.csr_array], ids=["dense", "sparse"])
def test_labels_of_a_matrix_are_shown_by_a_row_each(make):
    Y = np.zeros((30, 3), int)
    Y[7, 0] = Y[20, 1] = Y[29, 2] = 1
    shown = Y[witnesses_of_targets(make(Y), are_classes=True)]
    assert shown.max(axis=0).tolist() == [1, 1, 1]


def test_labels_that_are_not_known_are_shown_too():
    Y = sp.csr_array(np.array([[0, 1.0], [np.nan, 0], [0, 1]]))
    assert witnesses_of_targets(Y, are_classes=True).tolist() == [0, 1]
