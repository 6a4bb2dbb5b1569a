"""Claims about label sets and indicators whose labels are those of a hierarchy."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from slantwood.targets.hierarchical_labels import HierarchyTargets, closed_labels
from slantwood.targets.hierarchy import Hierarchy
from slantwood.targets.labels import LabelTargets

pytestmark = pytest.mark.plain_python

SEEDS = st.integers(0, 2**32 - 1)
DAG = Hierarchy.from_edges(
    [("art", "design"), ("craft", "design"), ("craft", "pots"), ("design", "fonts")],
    nodes=["fonts", "pots", "art", "design", "craft"],
)


def drawn_hierarchy(rng, n_labels=None):
    """Make a graph whose labels are in no particular order."""
    n = int(rng.integers(1, 9)) if n_labels is None else n_labels
    rank = rng.permutation(n)
    share = rng.choice([0.1, 0.3, 0.7])
    names = [f"n{i}" for i in range(n)]
    edges = [(names[a], names[b]) for a in range(n) for b in range(n) if rank[a] < rank[b]]
    return Hierarchy(names, [edge for edge in edges if rng.random() < share])


def drawn(seed, gaps=False):
    """Make a hierarchy and an indicator that need not be closed."""
    rng = np.random.default_rng(seed)
    hierarchy = drawn_hierarchy(rng)
    Y = (rng.random((12, len(hierarchy))) < rng.choice([0.05, 0.3, 0.9])).astype(float)
    if gaps:
        Y[rng.random(Y.shape) < 0.3] = np.nan
    return hierarchy, Y, rng


def spelt_out(Y):
    return Y.toarray() if sp.issparse(Y) else Y


def sets_of(hierarchy, Y):
    return [{hierarchy.nodes[j] for j in np.flatnonzero(row)} for row in Y]


def is_closed(hierarchy, Y):
    Y = spelt_out(Y)
    return all(
        (Y[:, hierarchy.index(parent)] >= Y[:, hierarchy.index(child)]).all()
        for parent, child in hierarchy.edges
    )


def shuffled_frame(hierarchy, Y, make):
    order = np.random.default_rng(0).permutation(len(hierarchy))
    return make({hierarchy.nodes[j]: Y[:, j] for j in order})


def objects(rows):
    array = np.empty(len(rows), object)
    array[:] = rows
    return array


FORMS = {
    "int": lambda h, Y: Y.astype(int),
    "bool": lambda h, Y: Y.astype(bool),
    "float": lambda h, Y: Y,
    "float32, Fortran order": lambda h, Y: np.asfortranarray(Y.astype(np.float32)),
    "objects": lambda h, Y: Y.astype(int).astype(object),
    "nested lists": lambda h, Y: Y.astype(int).tolist(),
    "csr_array": lambda h, Y: sp.csr_array(Y.astype(np.int8)),
    "csr_matrix": lambda h, Y: sp.csr_matrix(Y),
    "csc_array": lambda h, Y: sp.csc_array(Y.astype(bool)),
    "coo_array": lambda h, Y: sp.coo_array(Y),
    "pandas": lambda h, Y: shuffled_frame(h, Y.astype(int), pd.DataFrame),
    "pandas of missing values": lambda h, Y: shuffled_frame(h, Y.astype(int), pd.DataFrame).astype("Int8"),
    "pandas without names": lambda h, Y: pd.DataFrame(Y),
    "polars": lambda h, Y: shuffled_frame(h, Y.astype(bool), pl.DataFrame),
    "arrow": lambda h, Y: shuffled_frame(h, Y, pa.table),
    "sets": sets_of,
    "most specific sets": lambda h, Y: sets_of(h, h.most_specific(Y)),
    "lists": lambda h, Y: [sorted(row) for row in sets_of(h, Y)],
    "lists that repeat": lambda h, Y: [sorted(row) * 2 for row in sets_of(h, Y)],
    "tuples": lambda h, Y: tuple(tuple(row) for row in sets_of(h, Y)),
    "arrays": lambda h, Y: [np.array(sorted(row), str) for row in sets_of(h, Y)],
    "array of lists": lambda h, Y: objects([sorted(row) for row in sets_of(h, Y)]),
    "pandas series": lambda h, Y: pd.Series([sorted(row) for row in sets_of(h, Y)], index=range(5, 17)),
    "polars series": lambda h, Y: pl.Series([sorted(row) for row in sets_of(h, Y)], dtype=pl.List(pl.String)),
    "arrow array": lambda h, Y: pa.array([sorted(row) for row in sets_of(h, Y)], pa.list_(pa.string())),
}


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=12)
@given(seed=SEEDS)
def test_every_form_means_the_same_closed_indicator(form, seed):
    hierarchy, Y, _ = drawn(seed)
    y = FORMS[form](hierarchy, Y)
    closed = closed_labels(y, hierarchy, len(Y))
    assert_array_equal(spelt_out(closed).astype(float), hierarchy.closure(Y))
    targets, read = HierarchyTargets.read(y, hierarchy, len(Y))
    assert_array_equal(spelt_out(read).astype(float), hierarchy.closure(Y))
    assert targets.n_labels == targets.n_columns == len(hierarchy)
    assert targets.is_sparse == sp.issparse(read)


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=12)
@given(seed=SEEDS)
def test_labels_survive_the_way_to_scores_and_back_in_their_form(form, seed):
    hierarchy, Y, _ = drawn(seed)
    y = FORMS[form](hierarchy, Y)
    targets, read = HierarchyTargets.read(y, hierarchy, len(Y))
    for scores in (spelt_out(targets.encode(read)), sp.csr_array(targets.encode(read))):
        assert scores.dtype == np.float32
        decoded = targets.decode(scores, 0.5)
        if targets.as_sets:
            assert decoded == hierarchy.label_sets(hierarchy.closure(Y))
            assert all(type(row) is tuple for row in decoded)
        else:
            assert_array_equal(spelt_out(decoded), hierarchy.closure(Y))
            assert decoded.dtype == (getattr(y, "dtype", decoded.dtype) if form != "objects" else np.float64)
    decoded = targets.decode(scores if targets.is_sparse else spelt_out(scores), 0.5)
    assert targets.as_sets or sp.issparse(decoded) == sp.issparse(y)


@given(seed=SEEDS)
def test_the_users_own_matrix_is_left_as_it_was(seed):
    hierarchy, Y, _ = drawn(seed, gaps=True)
    for y in (Y, sp.csr_array(Y), sp.csc_array(Y)):
        before = y.copy()
        closed_labels(y, hierarchy, len(Y))
        assert_array_equal(spelt_out(y), spelt_out(before))


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, sp.csc_array])
@given(seed=SEEDS)
def test_gaps_that_the_hierarchy_decides_are_decided(container, seed):
    hierarchy, Y, _ = drawn(seed, gaps=True)
    assert_array_equal(spelt_out(closed_labels(container(Y), hierarchy, len(Y))), hierarchy.closure(Y))


@given(seed=SEEDS)
def test_rows_that_are_not_known_are_gaps_in_every_label(seed):
    hierarchy, Y, rng = drawn(seed)
    unknown = rng.random(len(Y)) < 0.3
    sets = [None if gone else row for gone, row in zip(unknown, sets_of(hierarchy, Y), strict=True)]
    if unknown.all():
        return
    expected = hierarchy.closure(Y)
    expected[unknown] = np.nan
    assert_array_equal(closed_labels(sets, hierarchy, len(Y)).toarray(), expected)
    targets, read = HierarchyTargets.read(sets, hierarchy, len(Y))
    assert targets.as_sets
    assert_array_equal(spelt_out(read), expected)


def test_labels_are_the_classes_and_parents_rank_before_children():
    targets, _ = HierarchyTargets.read([["fonts"], ["pots"]], DAG, 2)
    assert targets.classes.tolist() == list(DAG.nodes)
    assert targets.task == "hierarchical multi-label"
    for parent, child in DAG.edges:
        assert targets.ranks[DAG.index(parent)] < targets.ranks[DAG.index(child)]
    assert sorted(targets.ranks) == list(range(5))
    whole = Hierarchy([3, 1, 2], [(1, 3)])
    assert HierarchyTargets.read([{3}, {2}], whole, 2)[0].classes.tolist() == [3, 1, 2]


@given(seed=SEEDS)
def test_ranks_are_an_order_in_which_parents_come_first(seed):
    hierarchy = drawn_hierarchy(np.random.default_rng(seed))
    targets = HierarchyTargets(len(hierarchy), False, np.dtype(int), hierarchy)
    assert sorted(targets.ranks) == list(range(len(hierarchy)))
    for parent, child in hierarchy.edges:
        assert targets.ranks[hierarchy.index(parent)] < targets.ranks[hierarchy.index(child)]


@pytest.mark.parametrize("kind", ["number", "same for all", "one for each"])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@given(seed=SEEDS)
def test_decisions_are_closed_and_lose_no_label_above_its_threshold(container, kind, seed):
    hierarchy, Y, rng = drawn(seed)
    scores = hierarchy.consistent(np.round(rng.random(Y.shape), 1).astype(np.float32) * (Y > 0))
    threshold = {
        "number": 0.3,
        "same for all": np.full(len(hierarchy), 0.3),
        "one for each": np.round(rng.random(len(hierarchy)), 1),
    }[kind]
    targets, _ = HierarchyTargets.read(container(Y), hierarchy, len(Y))
    decided = spelt_out(targets.decided(container(scores), threshold))
    above = scores > np.asarray(threshold, np.float32)
    assert is_closed(hierarchy, decided)
    assert_array_equal(decided, hierarchy.closure(above.astype(int)))
    if kind != "one for each":
        assert_array_equal(decided, above)


def test_more_trees_need_the_same_hierarchy():
    Y = np.eye(5)
    first, _ = HierarchyTargets.read(Y, DAG, 5)
    later, _ = HierarchyTargets.read(DAG.label_sets(Y), Hierarchy.from_json(DAG.to_json()), 5)
    assert first.continued(later) is later
    reordered = Hierarchy(DAG.nodes[::-1], DAG.edges)
    for other in (
        HierarchyTargets.read(Y, reordered, 5)[0],
        HierarchyTargets.read(Y, Hierarchy(DAG.nodes), 5)[0],
        LabelTargets.of(Y),
    ):
        with pytest.raises(ValueError, match=r"warm_start=True.*not of the hierarchy.*fit a new estimator"):
            first.continued(other)


def test_labels_without_a_hierarchy_are_not_continued_by_labels_of_one():
    # Trees that were grown without the hierarchy need not be consistent with it.
    Y = np.eye(5)
    with pytest.raises(ValueError, match=r"warm_start=True.*fit a new estimator"):
        LabelTargets.of(Y).continued(HierarchyTargets.read(Y, DAG, 5)[0])


def test_targets_can_be_pickled():
    targets, _ = HierarchyTargets.read([["fonts"], ["pots"]], DAG, 2)
    assert pickle.loads(pickle.dumps(targets)) == targets


Y = np.eye(5, dtype=int)
FRAME = pd.DataFrame(Y, columns=list(DAG.nodes))
WRONG = {
    "one class per row": (["fonts"] * 5, ValueError, "begins with .*fonts.*set of labels.*hierarchy.nodes"),
    "one number per row": (np.arange(5), ValueError, r"begins with \[0\].*set of labels"),
    "series of text": (pd.Series(["fonts"] * 5), ValueError, "begins with .*fonts.*set of labels"),
    "unknown label": ([["pots"], ["font"], [], [], []], ValueError, "row 1 .*'font'.*did you mean 'fonts'"),
    "text among sets": ([["pots"], "fonts", [], [], []], TypeError, r"row 1 .*'fonts'; give \['fonts'\]"),
    "label that is no set": ([["pots"], 3, [], [], []], TypeError, "row 1 .*is 3; give a list of labels"),
    "too few rows": (Y[:4], ValueError, "X has 5, y has 4"),
    "too few sets": ([["pots"]] * 4, ValueError, "X has 5, y has 4"),
    "too few sparse rows": (sp.csr_array(Y[:4]), ValueError, "X has 5, y has 4"),
    "too few columns": (Y[:, :4], ValueError, r"\(5, 4\).*5 columns.*order of its nodes"),
    "too many sparse columns": (sp.csr_array(np.hstack([Y, Y])), ValueError, r"\(5, 10\).*5 columns"),
    "unnamed columns": (pd.DataFrame(Y[:, :4]), ValueError, r"\(5, 4\).*5 columns"),
    "column of no label": (FRAME.assign(clay=0), ValueError, "it has the column 'clay'.*leave it out"),
    "misnamed column": (FRAME.rename(columns={"art": "Art"}), ValueError, "it has the column 'Art'"),
    "missing column": (
        FRAME.drop(columns="art"),
        ValueError,
        "it has no column for the label 'art'.*give one",
    ),
    "two": (2 * Y, ValueError, "value 2.*zeros and ones"),
    "minus one": (-Y, ValueError, "value -1.*zeros and ones"),
    "half": (sp.csr_array(Y / 2), ValueError, r"value 0\.5.*zeros and ones"),
    "text": (Y.astype(str), ValueError, "y holds .*'1'.*not a number"),
    "infinity": (np.where(Y, np.inf, 0.0), ValueError, "y contains infinity"),
    "three dimensions": (Y[None], ValueError, "y has shape"),
    "none": (None, ValueError, "y is None"),
    "column twice": (
        pd.DataFrame(Y, columns=["pots", "pots", "art", "design", "craft"]),
        ValueError,
        r"\by has more than one column 'pots'",
    ),
    "lazy frame": (pl.DataFrame(Y, schema=list(DAG.nodes)).lazy(), TypeError, r"y is a lazy frame.*collect"),
    "sparse and of one dimension": (sp.coo_array(Y[0]), ValueError, "set of labels for each row"),
}


@pytest.mark.parametrize(("y", "error", "message"), WRONG.values(), ids=WRONG.keys())
def test_labels_that_cannot_be_read_are_refused(y, error, message):
    with pytest.raises(error, match=message):
        closed_labels(y, DAG, 5)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_a_label_that_is_nowhere_known_is_refused_by_its_position(container):
    gaps = np.where(np.arange(5) == 1, np.nan, np.ones((5, 5)))
    with pytest.raises(ValueError, match=r"label .* of y is missing \(NaN\) in every row"):
        HierarchyTargets.read(container(gaps), DAG, 5)


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA], ids=repr)
def test_missing_rows_of_a_series_are_rows_that_are_not_known(missing):
    rows = pd.Series([["fonts"], missing, ["pots"]], dtype=object)
    closed = closed_labels(rows, DAG, 3).toarray()
    assert np.isnan(closed[1]).all()
    assert_array_equal(closed[[0, 2]], [[1, 0, 1, 1, 1], [0, 1, 0, 0, 1]])
