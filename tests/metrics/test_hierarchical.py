"""Claims about precision, recall and ranking of labels that form a hierarchy."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose
from sklearn.metrics import precision_recall_fscore_support

from slantwood.metrics import (
    PrecisionRecallF1,
    hierarchical_precision_recall_f1,
    label_ranking_average_precision,
    micro_f1,
    ndcg_at_k,
    pooled_auprc,
)
from slantwood.targets.hierarchy import Hierarchy
from tests.sampling import examples

SETTINGS = examples(10)
SPARSE_FORMATS = [sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.csc_array, sp.coo_array]

# Columns: a, a/x, a/x/1, a/y, b
TREE = Hierarchy.from_paths(["a", "a/x", "a/x/1", "a/y", "b"])
# Label c has the two parents a and b, and the child d.
GRAPH = Hierarchy.from_edges([("a", "c"), ("b", "c"), ("c", "d")], nodes=["a", "b", "c", "d", "e"])


def slow_scores(true_sets, predicted_sets, hierarchy):
    """Precision, recall and F1 by the definition, of Python sets."""
    n_hits = n_true = n_predicted = 0
    for true, predicted in zip(true_sets, predicted_sets, strict=True):
        T = set(true).union(*(hierarchy.ancestors(label) for label in true))
        P = set(predicted).union(*(hierarchy.ancestors(label) for label in predicted))
        n_hits, n_true, n_predicted = n_hits + len(T & P), n_true + len(T), n_predicted + len(P)
    precision = n_hits / n_predicted if n_predicted else 0.0
    recall = n_hits / n_true if n_true else 0.0
    return precision, recall, 2 * precision * recall / (precision + recall) if n_hits else 0.0


@st.composite
def indicator_pairs(draw):
    shape = (draw(st.integers(1, 8)), len(TREE))
    return tuple(draw(hnp.arrays(np.int8, shape, elements=st.integers(0, 1))) for _ in range(2))


def sets_of(hierarchy, y):
    return [{hierarchy.nodes[j] for j in np.flatnonzero(row)} for row in y]


def test_a_near_miss_counts_for_the_ancestors_it_shares():
    # Row 1: T = {a, a/x, a/x/1}, P = {a, a/x}: 2 hits. Row 2: T = {b}, P = {a, a/y}: none.
    # Row 3: T = {a, a/y}, P = {a, a/x}: 1 hit. Together 3 hits, 6 predicted, 6 true.
    found = hierarchical_precision_recall_f1(
        [{"a/x/1"}, {"b"}, {"a/y"}], [{"a/x"}, {"a/y"}, {"a/x"}], hierarchy=TREE
    )
    assert found == (3 / 6, 3 / 6, 3 / 6)


def test_precision_and_recall_differ_where_predictions_are_shallow():
    # T = {a, a/x, a/x/1}, P = {a}: all that is predicted is right, and a third of what is true is found.
    found = hierarchical_precision_recall_f1([["a/x/1"]], [["a"]], hierarchy=TREE)
    assert isinstance(found, PrecisionRecallF1)
    assert_allclose(found, (1, 1 / 3, 2 * 1 / 3 / (1 + 1 / 3)), rtol=1e-14)
    assert (found.precision, found.recall, found.f1) == tuple(found)
    assert all(type(value) is float for value in found)


def test_a_label_with_two_parents_brings_both_and_their_common_ancestors_once():
    # T = {d, c, a, b}, P = {c, a, b, e}: 3 hits of 4 each.
    assert hierarchical_precision_recall_f1([{"d"}], [{"c", "e"}], hierarchy=GRAPH) == (0.75, 0.75, 0.75)


def test_rows_count_by_their_number_of_labels():
    # Row 1: T = P = {a, a/x, a/x/1}. Row 2: T = {b}, P = {a}. Hits 3 of 4; the mean of the rows were 1/2.
    found = hierarchical_precision_recall_f1([{"a/x/1"}, {"b"}], [{"a/x/1"}, {"a"}], hierarchy=TREE)
    assert found == (0.75, 0.75, 0.75)


@pytest.mark.parametrize("hierarchy", [TREE, GRAPH], ids=["tree", "graph"])
@SETTINGS
@given(pair=indicator_pairs())
def test_values_follow_the_definition(hierarchy, pair):
    sets = [sets_of(hierarchy, y) for y in pair]
    expected = slow_scores(*sets, hierarchy)
    found = hierarchical_precision_recall_f1(*pair, hierarchy=hierarchy)
    assert_allclose(found, expected, rtol=1e-13)
    # Sets of labels, and indicators that contain all ancestors already, say the same.
    assert hierarchical_precision_recall_f1(*sets, hierarchy=hierarchy) == found
    assert hierarchical_precision_recall_f1(sets[0], pair[1], hierarchy=hierarchy) == found
    closed = [hierarchy.closure(y) for y in pair]
    assert hierarchical_precision_recall_f1(*closed) == found
    assert hierarchical_precision_recall_f1(*closed, hierarchy=hierarchy) == found


@SETTINGS
@given(indicator_pairs())
def test_without_hierarchy_they_are_scikit_learns_micro_averages(pair):
    expected = precision_recall_fscore_support(*pair, average="micro", zero_division=0)[:3]
    assert_allclose(hierarchical_precision_recall_f1(*pair), expected, rtol=1e-13)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("form", SPARSE_FORMATS)
@pytest.mark.parametrize("hierarchy", [None, TREE], ids=["without", "with"])
@SETTINGS
@given(pair=indicator_pairs())
def test_sparse_and_dense_indicators_give_the_same_values(form, hierarchy, pair):
    true, predicted = pair
    expected = hierarchical_precision_recall_f1(true, predicted, hierarchy=hierarchy)
    for Y, P in (
        (form(true), predicted),
        (true, form(predicted)),
        (form(true), form(predicted.astype(bool))),
    ):
        assert hierarchical_precision_recall_f1(Y, P, hierarchy=hierarchy) == expected


@SETTINGS
@given(indicator_pairs())
def test_exchanging_the_arguments_exchanges_precision_and_recall(pair):
    precision, recall, f1 = hierarchical_precision_recall_f1(*pair, hierarchy=TREE)
    assert hierarchical_precision_recall_f1(*pair[::-1], hierarchy=TREE) == (recall, precision, f1)


@pytest.mark.parametrize(
    "make",
    [
        list,
        tuple,
        pd.Series,
        lambda sets: [sorted(labels) for labels in sets],
        lambda sets: [tuple(labels) for labels in sets],
        lambda sets: [np.array(sorted(labels), dtype=str) for labels in sets],
        lambda sets: [frozenset(labels) for labels in sets],
        lambda sets: TREE.indicator(sets).toarray().tolist(),
        lambda sets: pd.DataFrame(TREE.indicator(sets).toarray(), columns=TREE.nodes),
        lambda sets: TREE.indicator(sets).toarray().astype(object),
    ],
    ids=[
        "list",
        "tuple",
        "Series",
        "lists",
        "tuples",
        "arrays",
        "frozensets",
        "numbers",
        "DataFrame",
        "objects",
    ],
)
def test_labels_may_come_in_any_collection(make):
    true, predicted = [set(), {"a/x", "b"}, {"a/x/1"}], [{"b"}, {"a/y"}, set()]
    # T = {}, {a, a/x, b}, {a, a/x, a/x/1}; P = {b}, {a, a/y}, {}: 1 hit of 6 true and 3 predicted.
    found = hierarchical_precision_recall_f1(make(true), make(predicted), hierarchy=TREE)
    assert_allclose(found, (1 / 3, 1 / 6, 2 / 9), rtol=1e-14)


NUMBERS = Hierarchy.from_edges([(7, 1), (7, 0)])  # columns: 7, 1, 0


def test_labels_that_are_numbers_come_as_sets():
    # T = {1, 7}, P = {0, 7}.
    assert hierarchical_precision_recall_f1([{1}], [{0}], hierarchy=NUMBERS) == (0.5, 0.5, 0.5)
    # As sets they may well be as many as there are columns: all three labels, not the column of label 7.
    assert hierarchical_precision_recall_f1([{0, 1, 7}], [{7}], hierarchy=NUMBERS) == (1, 1 / 3, 0.5)


def test_lists_of_numbers_are_labels_only_if_their_lengths_differ():
    # T = {1, 7}, {0, 1, 7}; P = {7}, {0, 7}.
    found = hierarchical_precision_recall_f1([[1], [0, 1]], [[7], [0, 7]], hierarchy=NUMBERS)
    assert found == (1, 3 / 5, 3 / 4)
    # Of the same length, they are rows of zeros and ones: T = {1, 7}, {0, 7}; P = {7}, {0, 7}.
    found = hierarchical_precision_recall_f1(
        [[0, 1, 0], [0, 0, 1]], [[1, 0, 0], [1, 0, 1]], hierarchy=NUMBERS
    )
    assert found == (1, 3 / 4, 6 / 7)


@pytest.mark.parametrize(
    "none",
    [[[], []], ((), ()), pd.Series([[], []]), [set(), set()], np.zeros((2, 5)), sp.csr_array((2, 5))],
    ids=type,
)
def test_where_nothing_is_predicted_or_true_the_values_are_zero(none):
    some = [{"a/x"}, {"b"}]
    assert hierarchical_precision_recall_f1(some, none, hierarchy=TREE) == (0.0, 0.0, 0.0)
    assert hierarchical_precision_recall_f1(none, some, hierarchy=TREE) == (0.0, 0.0, 0.0)
    assert hierarchical_precision_recall_f1(none, none, hierarchy=TREE) == (0.0, 0.0, 0.0)


def test_right_predictions_score_one():
    true = [{"a/x/1", "b"}, {"a/y"}, set()]
    assert hierarchical_precision_recall_f1(true, true, hierarchy=TREE) == (1.0, 1.0, 1.0)
    # Ancestors that are named as well change nothing.
    named = [{"a/x/1", "b", "a/x", "a"}, {"a/y", "a"}, set()]
    assert hierarchical_precision_recall_f1(true, named, hierarchy=TREE) == (1.0, 1.0, 1.0)


def test_input_is_left_as_it_was():
    y = sp.csr_array(TREE.indicator([{"a/x/1"}, {"b"}]))
    dense = y.toarray()
    before = dense.copy()
    hierarchical_precision_recall_f1(y, dense, hierarchy=TREE)
    assert (dense == before).all()
    assert y.nnz == 2


@pytest.mark.parametrize("sets", [[{"a/x"}, {"b"}], [["a/x"], ["b"]], [["a/x", "b"], []]])
@pytest.mark.parametrize("measure", [pooled_auprc, micro_f1, ndcg_at_k])
def test_measures_that_take_no_hierarchy_refuse_label_sets(sets, measure):
    more = {"k": 1} if measure is ndcg_at_k else {}
    message = "y_true holds sets of labels.* pass hierarchy.closure.hierarchy.indicator.y_true"
    with pytest.raises(ValueError, match=message):
        measure(sets, np.ones((2, 5)), **more)


def test_huge_sparse_indicators_are_never_made_dense():
    n_rows, n_labels = 200_000, 50_000_000
    rows = np.arange(n_rows)
    y = sp.csr_array((np.ones(n_rows, bool), (rows, rows)), shape=(n_rows, n_labels))
    assert hierarchical_precision_recall_f1(y, y) == (1.0, 1.0, 1.0)


def test_ranking_may_weigh_labels_by_their_depth():
    w = TREE.weights()
    assert_allclose(w, [1, 0.75, 0.75**2, 0.75, 1])
    y = TREE.closure(TREE.indicator([{"a/x/1"}, {"b"}]))
    s = [[0.9, 0.4, 0.2, 0.1, 0.5], [0.6, 0.1, 0.2, 0.3, 0.5]]
    # Row 1: a ranks 1st, 1/1; a/x 3rd, after b, 2/3; a/x/1 4th, 3/4.
    # (1 * 1 + 0.75 * 2/3 + 0.5625 * 3/4) / (1 + 0.75 + 0.5625) = 1.921875 / 2.3125.
    # Row 2: b ranks 2nd, after a: 1/2.
    expected = (1.921875 / 2.3125 + 1 / 2) / 2
    assert_allclose(label_ranking_average_precision(y, s, label_weights=w), expected, rtol=1e-14)
    assert_allclose(label_ranking_average_precision(y, s), ((1 + 2 / 3 + 3 / 4) / 3 + 1 / 2) / 2, rtol=1e-14)


def test_the_metrics_load_neither_hierarchies_nor_trees():
    code = "import sys, slantwood.metrics; print(list(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "'slantwood.metrics.hierarchical'" in loaded
    assert "'slantwood.targets.hierarchy'" not in loaded
    assert "numba" not in loaded


Y = [[1, 0, 0, 0, 0], [0, 0, 0, 0, 1]]


@pytest.mark.parametrize(
    ("true", "predicted", "hierarchy", "message"),
    [
        (Y, [[1, 0, 0]] * 2, None, r"y_pred has shape \(2, 3\) but y_true has shape \(2, 5\)"),
        (Y, Y[:1], TREE, r"y_pred has shape \(1, 5\) but y_true has shape \(2, 5\)"),
        (Y, [{"a"}], TREE, r"y_pred has shape \(1, 5\) but y_true has shape \(2, 5\)"),
        ([[1, 0, 2]], [[1, 0, 1]], None, "y_true holds the value 2"),
        (Y, sp.csr_array([[3, 0, 0, 0, 0]] * 2), TREE, "y_pred does not fit the hierarchy: .*the value 3"),
        ([1, 0, 1], [1, 0, 1], TREE, r"y_true does not fit the hierarchy: .*\[1\]; give a set"),
        ([], Y, TREE, "y_true does not fit the hierarchy: .*give a set of labels"),
        ([{"a"}], Y, None, "y_true holds sets of labels.*pass hierarchy"),
        (Y, [["a"], ["b"]], None, "y_pred holds sets of labels.*pass hierarchy"),
        ([{"a"}, {"a/z"}], Y, TREE, "y_true does not fit the hierarchy: row 1 .* 'a/z'"),
        (Y, ["a", "b"], TREE, r"y_pred does not fit the hierarchy: .*\['a'\]; give a set"),
        (Y, np.array(["a", "b"]), TREE, r"y_pred does not fit the hierarchy: .*\['a'\]; give a set"),
        (Y, pd.Series(["a", "b"]), TREE, r"y_pred does not fit the hierarchy: .*\['a'\]; give a set"),
        (Y, [["b"], "a"], TREE, r"y_pred does not fit the hierarchy: row 1 .* give \['a'\]"),
        ([[1, 0], [1]], Y, None, "y_true holds sets of labels.*pass hierarchy"),
        (Y, None, TREE, "y_pred is None; give a set of labels"),
        (Y, [{"a"}, None], TREE, "y_pred holds the value nan"),
        (np.eye(2), np.eye(2), TREE, r"y_true does not fit the hierarchy: .*\(2, 2\).* 5 columns"),
    ],
)
def test_wrong_input_is_named_in_the_error(true, predicted, hierarchy, message):
    with pytest.raises((ValueError, TypeError), match=message):
        hierarchical_precision_recall_f1(true, predicted, hierarchy=hierarchy)


def test_columns_of_frames_are_found_by_their_names():
    y_true, y_pred = pd.DataFrame(Y, columns=TREE.nodes), pd.DataFrame(Y[::-1], columns=TREE.nodes)
    expected = hierarchical_precision_recall_f1(Y, Y[::-1], hierarchy=TREE)
    assert hierarchical_precision_recall_f1(y_true[y_true.columns[::-1]], y_pred, hierarchy=TREE) == expected


def test_labels_that_are_numbers_may_come_as_tuples():
    numbers = Hierarchy.from_edges([(1, 10), (1, 11)])
    found = hierarchical_precision_recall_f1([(10,), (11,)], [(1, 10), (1, 10)], hierarchy=numbers)
    assert found == hierarchical_precision_recall_f1([{10}, {11}], [{10}, {10}], hierarchy=numbers)
