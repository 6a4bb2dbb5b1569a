"""Classifiers whose labels are those of a hierarchy: what they read, predict, score and refuse."""

import itertools
import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

from slantwood import (
    Hierarchy,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
)
from slantwood.growth.plan import bootstrap_counts
from slantwood.metrics import pooled_auprc
from slantwood.model_selection import LabelStratifiedKFold
from slantwood.targets.thresholds import tuned_thresholds

# Few trees on purpose: rows that all of them saw, which a warning tells of, are no concern of these claims.
pytestmark = [
    pytest.mark.filterwarnings("ignore:oob_score=True.*no out-of-bag prediction:UserWarning"),
    pytest.mark.sampled,
]

SEEDS = st.integers(0, 2**32 - 1)
SPLITS = ["gradient", "svm"]
TUNED = ["f1_micro", "f1_macro"]

# Labels are neither in an order from parents to children nor in that of the alphabet; "wood" has two parents,
# and no row has "rest".
EDGES = [("art", "print"), ("art", "carving"), ("craft", "wood"), ("wood", "carving"), ("print", "etching")]
DAG = Hierarchy(["etching", "wood", "rest", "art", "carving", "craft", "print"], EDGES)


def problem(n=60, seed=0, noise=0.3):
    """Rows with the features that their labels depend on; the indicator holds the most specific labels."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 4)), 2)
    hidden = X[:, :3] + rng.normal(scale=noise, size=(n, 3))
    closed = np.zeros((n, len(DAG)), int)
    marks = {
        "art": hidden[:, 0] > -0.5,
        "print": hidden[:, 0] > 0.3,
        "etching": hidden[:, 0] > 0.9,
        "craft": hidden[:, 1] > 0,
        "wood": hidden[:, 1] > 0.5,
    }
    marks["carving"] = marks["art"] & marks["wood"] & (hidden[:, 2] > 0)
    for label, mark in marks.items():
        closed[:, DAG.index(label)] = mark
    return X, DAG.most_specific(closed)


X, Y = problem()
CLOSED = DAG.closure(Y)
SETS = [set(row) for row in DAG.label_sets(Y)]
FEW = slice(0, 28)  # too few rows for settings to be tuned on


def forest(**parameters):
    return ObliqueForestClassifier(**{"n_estimators": 3, "random_state": 0, "hierarchy": DAG, **parameters})


def tree(**parameters):
    return ObliqueTreeClassifier(**{"random_state": 0, "hierarchy": DAG, **parameters})


def dense(matrix):
    return matrix.toarray() if sp.issparse(matrix) else matrix


def excess(hierarchy, scores):
    """By how much any label scores above one of its parents; rows of NaN aside."""
    scores = np.nan_to_num(np.asarray(dense(scores)).astype(np.float64))
    child, parent = (
        [hierarchy.index(edge[end]) for edge in hierarchy.edges]
        for end in (1, 0)
    )  # fmt: skip
    return float((scores[:, child] - scores[:, parent]).max(initial=0.0))


def same_trees(a, b):
    leaves_a, leaves_b = a.trees_.leaves, b.trees_.leaves
    pairs = list(zip(a.trees_[:-1], b.trees_[:-1], strict=True))
    pairs += [(leaves_a.values, leaves_b.values), (leaves_a.data, leaves_b.data)]
    return all(np.array_equal(x, y) for x, y in pairs)


def not_seen_by_some_tree(model):
    counts = [bootstrap_counts(model.forest_.seed, t, 60) for t in range(model.trees_.n_trees)]
    return (np.array(counts) == 0).any(axis=0)


def objects(rows):
    array = np.empty(len(rows), object)
    array[:] = rows
    return array


def with_gaps(y, share=0.2, rows=()):
    y = np.where(np.random.default_rng(1).random(y.shape) < share, np.nan, y)
    y[list(rows)] = np.nan
    return y


def shuffled(make):
    order = np.random.default_rng(3).permutation(len(DAG))
    return make({DAG.nodes[j]: Y[:, j] for j in order})


# ---- forms of y


FORMS = {
    "sets of the most specific labels": SETS,
    "closed sets": [set(row) for row in DAG.label_sets(CLOSED)],
    "lists": [sorted(row) for row in SETS],
    "lists that repeat labels": [2 * sorted(row) for row in SETS],
    "tuples": [tuple(sorted(row)) for row in SETS],
    "arrays": [np.array(sorted(row), str) for row in SETS],
    "array of lists": objects([sorted(row) for row in SETS]),
    "series of lists": pd.Series([sorted(row) for row in SETS], index=range(100, 160)),
    "polars series": pl.Series([sorted(row) for row in SETS]),
    "arrow array": pa.array([sorted(row) for row in SETS]),
    "closed array": CLOSED,
    "nested lists": Y.tolist(),
    "bool": Y.astype(bool),
    "float": Y.astype(float),
    "float32": Y.astype(np.float32),
    "uint8, Fortran order": np.asfortranarray(Y.astype(np.uint8)),
    "objects": Y.astype(object),
    "csr_array": sp.csr_array(Y),
    "csr_matrix of bool": sp.csr_matrix(Y.astype(bool)),
    "closed csr_array": sp.csr_array(CLOSED),
    "csc_array": sp.csc_array(Y),
    "csc_matrix of int8": sp.csc_matrix(Y.astype(np.int8)),
    "coo_array": sp.coo_array(Y),
    "pandas": shuffled(pd.DataFrame),
    "polars": shuffled(pl.DataFrame),
    "arrow": shuffled(pa.table),
    "pandas without names": pd.DataFrame(Y),
}


@pytest.fixture(scope="module")
def of_array():
    return forest(bootstrap=True).fit(X, Y)


@pytest.mark.sampled(9)
@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_the_labels_gives_the_same_model(form, of_array):
    y = FORMS[form]
    found = forest(bootstrap=True).fit(X, y)
    assert same_trees(found, of_array)
    assert found.settings_ == of_array.settings_
    assert_array_equal(found.predict_proba(X), of_array.predict_proba(X))
    assert found.classes_.tolist() == list(DAG.nodes)
    assert found.n_classes_ == len(DAG)
    predicted = found.predict(X)
    if isinstance(predicted, list):
        assert (
            "list" in form or "sets" in form or form in ("tuples", "arrays", "polars series", "arrow array")
        )
        assert predicted == DAG.label_sets(of_array.predict(X))
        assert all(type(row) is tuple for row in predicted)
    else:
        assert sp.issparse(predicted) == sp.issparse(y)
        assert_array_equal(dense(predicted), of_array.predict(X))
        if hasattr(y, "dtype") and y.dtype != object:
            assert predicted.dtype == y.dtype


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_the_labels_gives_the_same_score(form, of_array):
    assert of_array.score(X, FORMS[form]) == pooled_auprc(CLOSED, of_array.predict_proba(X))


def test_labels_may_be_whole_numbers():
    numbered = Hierarchy(range(10, 17), [(DAG.index(a) + 10, DAG.index(b) + 10) for a, b in EDGES])
    sets = [{DAG.index(label) + 10 for label in row} for row in SETS]
    model = forest(hierarchy=numbered).fit(X, sets)
    assert_array_equal(model.predict_proba(X), forest().fit(X, Y).predict_proba(X))
    assert model.classes_.tolist() == list(range(10, 17))
    assert model.predict(X) == numbered.label_sets(forest().fit(X, Y).predict(X))
    frame = pd.DataFrame(Y[:, ::-1], columns=range(16, 9, -1))
    assert_array_equal(forest(hierarchy=numbered).fit(X, frame).predict_proba(X), model.predict_proba(X))


def test_lists_of_numbers_can_be_scored_where_all_rows_have_as_many():
    # Of the rows of a fold, or a single row, all may have one label; in fit they did not.
    numbered = Hierarchy([1, 2, 3], [(1, 2), (1, 3)])
    rows = [[[2], [3], [1], [2, 3]][i % 4] for i in range(28)]
    model = forest(hierarchy=numbered).fit(X[FEW], rows)
    as_sets = [set(row) for row in rows]
    assert model.score(X[:2], rows[:2]) == model.score(X[:2], as_sets[:2])


def test_labels_may_name_rows_that_are_not_known():
    y = [None if i % 4 == 0 else row for i, row in enumerate(SETS)]
    known = np.arange(60) % 4 != 0
    named = forest(bootstrap=False).fit(X, y)
    gaps = np.where(known[:, None], Y, np.nan)
    assert same_trees(named, forest(bootstrap=False).fit(X, gaps))
    assert same_trees(named, forest(bootstrap=False).fit(X, sp.csr_array(gaps)))
    left_out = forest(bootstrap=False).fit(X[known], Y[known])
    assert_array_equal(named.predict_proba(X), left_out.predict_proba(X))
    assert named.score(X, y) == named.score(X[known], Y[known])


def test_a_root_that_all_labelled_rows_have_does_not_vary_for_rows_without_label():
    deeper = Hierarchy(["all", *DAG.nodes], [*EDGES, *(("all", root) for root in DAG.roots)])
    known = np.arange(60) % 4 != 0
    y = [row | {"all"} if i % 4 else None for i, row in enumerate(SETS)]
    model = forest(hierarchy=deeper, bootstrap=False)
    named = clone(model).fit(X, y)
    left_out = clone(model).fit(X[known], [row for row in y if row is not None])
    assert_array_equal(named.predict_proba(X), left_out.predict_proba(X))


@pytest.mark.parametrize("make", [forest, tree])
def test_what_the_hierarchy_says_of_gaps_is_known(make):
    # Below an ancestor that is not there, nothing is; above a label that is there, everything is.
    gaps = np.where(np.random.default_rng(2).random(Y.shape) < 0.3, np.nan, CLOSED)
    decided = DAG.closure(gaps)
    assert np.isnan(decided).sum() < np.isnan(gaps).sum()
    assert_array_equal(make().fit(X, gaps).predict_proba(X), make().fit(X, decided).predict_proba(X))


# ---- consistent scores


def drawn_hierarchy(rng):
    n = int(rng.integers(1, 10))
    rank = rng.permutation(n)
    names = [f"n{i}" for i in range(n)]
    if rng.random() < 0.4:
        above = [int(rng.integers(0, i)) for i in range(1, n)]
        order = np.argsort(rank)
        return Hierarchy(names, [(names[order[p]], names[order[i + 1]]) for i, p in enumerate(above)])
    pairs = [(names[a], names[b]) for a in range(n) for b in range(n) if rank[a] < rank[b]]
    return Hierarchy(names, [pair for pair in pairs if rng.random() < 0.3])


def drawn(seed):
    """Make a hierarchy, few rows, and labels, with gaps or without, that the features do not tell."""
    rng = np.random.default_rng(seed)
    hierarchy = drawn_hierarchy(rng)
    n = int(rng.integers(12, 40))
    X = np.round(rng.normal(size=(n, 3)), 1)
    Y = (rng.random((n, len(hierarchy))) < rng.choice([0.05, 0.2, 0.5])).astype(float)
    if rng.random() < 0.5:
        Y[rng.random(Y.shape) < 0.3] = np.nan
    if rng.random() < 0.4:
        Y[rng.random(n) < 0.3] = np.nan
    Y[0] = 0.0
    Y[1, rng.integers(len(hierarchy))] = 1.0
    y = sp.csr_array(Y) if rng.random() < 0.5 else Y
    weights = [None, 10.0 ** rng.uniform(-8, 8, n), 1.0 + rng.integers(0, 3, n), rng.uniform(0.1, 9, n)]
    return hierarchy, X, y, weights[rng.integers(4)], rng


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", ["tree", "forest", "bootstrap", "unlabelled"])
@pytest.mark.parametrize("split", SPLITS)
@settings(max_examples=12)
@given(seed=SEEDS)
def test_no_label_scores_above_its_parents(split, kind, seed):
    hierarchy, X, y, weights, rng = drawn(seed)
    parameters = {"split": split, "hierarchy": hierarchy, "random_state": seed, "min_samples_split": 2}
    if kind == "tree":
        model = ObliqueTreeClassifier(**parameters)
    else:
        # The fewer trees, the more ties. Tuning is not what this is about.
        parameters |= {"n_estimators": int(rng.integers(1, 4)), "min_samples_split": 2}
        parameters |= {"bootstrap": kind == "bootstrap", "oob_score": kind == "bootstrap"}
        parameters["unlabeled_weight"] = 0.3 if kind == "unlabelled" else None
        model = ObliqueForestClassifier(**parameters)
    model.fit(X, y, sample_weight=weights)
    fresh = np.vstack([X, rng.normal(size=(20, 3))])
    scores = model.predict_proba(fresh)
    assert scores.min() >= 0
    assert excess(hierarchy, scores) == 0
    assert_array_equal(model.predict_proba(fresh, sparse=True).toarray(), scores)
    for k in range(1, len(hierarchy) + 1):
        best = model.predict_proba(fresh, top_k=k)
        assert excess(hierarchy, best) == 0
        assert_array_equal(np.diff(best.indptr), np.minimum(k, (scores > 0).sum(axis=1)))
        kept = best.toarray()
        assert_array_equal(kept[kept > 0], scores[kept > 0])
        assert_array_equal(np.sort(kept, axis=1)[:, -k:], np.sort(scores, axis=1)[:, -k:])
    if kind == "bootstrap":
        assert excess(hierarchy, model.oob_decision_function_) == 0


@pytest.mark.sampled(2)
@pytest.mark.parametrize("clustering", ["features", "targets+features", "sketch"])
@pytest.mark.parametrize("as_sparse", [False, True])
def test_scores_are_consistent_whatever_judges_the_splits(clustering, as_sparse):
    y = with_gaps(CLOSED, rows=range(10))
    model = forest().fit(X, sp.csr_array(y) if as_sparse else y, clustering=clustering)
    assert excess(DAG, model.predict_proba(X)) == 0


@pytest.mark.parametrize("weight", [None, 0.0, 0.3, 1, "auto"])
def test_rows_without_label_leave_scores_consistent(weight):
    y = CLOSED.astype(float)
    y[::3] = np.nan
    model = forest(unlabeled_weight=weight).fit(X, y)
    assert excess(DAG, model.predict_proba(X)) == 0
    assert excess(DAG, model.predict(X)) == 0
    if weight in (0.3, 1):
        assert model.unlabeled_weight_ == weight


def test_without_the_hierarchy_scores_are_not_consistent():
    # So that the tests above can fail.
    assert excess(DAG, forest(hierarchy=None).fit(X, Y).predict_proba(X)) > 0.5


@pytest.mark.parametrize("is_flat", [False, True])
def test_labels_of_all_rows_that_are_known_are_certain(is_flat):
    # By far the most weight lies on rows that do not tell; what the others tell must not drown in rounding.
    wide = Hierarchy(range(40), [(1, 0)])
    y = np.zeros((20, 40))
    y[:, 1] = 1.0
    y[:, 0] = np.where(np.arange(20) < 2, 1.0, np.nan)
    model = tree(hierarchy=None if is_flat else wide, min_samples_split=1000)
    for light in (1e-5, 1e-3, 0.1, 3.0):
        weights = np.full(20, 8.04614665e8)
        weights[:3] = light, light, 1e-8
        scores = model.fit(X[:20], y, sample_weight=weights).predict_proba(X[:20])
        assert scores.max() <= 1.0
        np.testing.assert_allclose(scores[:, :2], 1.0, rtol=1e-5)


# ---- decisions


@pytest.mark.parametrize("form", ["array", "sparse", "sets"])
@pytest.mark.parametrize(
    "threshold", [0, 0.3, 0.5, np.linspace(0.05, 0.95, 7), list(np.linspace(0.95, 0, 7))]
)
def test_decisions_are_closed_and_have_all_labels_above_the_threshold(threshold, form):
    y = {"array": CLOSED, "sparse": sp.csr_array(CLOSED), "sets": SETS}[form]
    for make in (forest, tree):
        model = make(threshold=threshold).fit(X[FEW], y[FEW])
        predicted = model.predict(X)
        if form == "sets":
            predicted = DAG.indicator(predicted)
        assert excess(DAG, predicted) == 0
        above = model.predict_proba(X) > np.asarray(threshold, np.float32)
        assert_array_equal(dense(predicted), DAG.closure(above.astype(int)))


@pytest.mark.parametrize("form", ["array", "sparse", "sets", "gaps"])
@pytest.mark.parametrize("threshold", TUNED)
def test_tuned_thresholds_are_those_of_the_closed_labels(threshold, form):
    y = {"array": Y, "sparse": sp.csr_array(Y), "sets": SETS, "gaps": with_gaps(CLOSED, rows=[0, 1])}[form]
    weights = np.arange(60) % 3 + 1.0
    model = forest(threshold=threshold, oob_score=True, n_estimators=8).fit(X, y, sample_weight=weights)
    scores = dense(model.oob_decision_function_)
    truth = DAG.closure(y) if form == "gaps" else CLOSED
    seen = not_seen_by_some_tree(model) & ~np.isnan(truth).all(axis=1)
    expected = tuned_thresholds(scores[seen], truth[seen], weights[seen], threshold.removeprefix("f1_"))
    assert_array_equal(model.thresholds_, expected)
    predicted = DAG.indicator(model.predict(X)) if form == "sets" else model.predict(X)
    assert excess(DAG, predicted) == 0
    assert_array_equal(
        dense(predicted), DAG.closure((model.predict_proba(X) > model.thresholds_).astype(float))
    )
    assert excess(DAG, scores) == 0


def test_gaps_come_back_as_numbers_of_their_type():
    predicted = forest().fit(X, with_gaps(CLOSED)).predict(X)
    assert predicted.dtype == np.float64
    assert set(np.unique(predicted)) == {0.0, 1.0}


def test_the_logarithm_is_that_of_the_probability(of_array):
    with np.errstate(divide="ignore"):
        assert_array_equal(of_array.predict_log_proba(X), np.log(of_array.predict_proba(X)))


# ---- degenerate labels


@pytest.mark.parametrize("make", [forest, tree])
def test_the_most_specific_label_may_be_an_inner_one(make):
    inner = [{["art", "print", "craft", "wood"][i % 4]} for i in range(60)]
    hot = np.eye(4)[np.arange(60) % 4]
    model = make(min_samples_split=2).fit(hot, inner)
    expected = [("art",), ("art", "print"), ("craft",), ("wood", "craft")]
    assert model.predict(np.eye(4)) == expected


@pytest.mark.parametrize("make", [forest, tree])
def test_rows_may_have_no_label(make):
    model = make(min_samples_split=2).fit(np.eye(2).repeat(20, axis=0), [set()] * 20 + [{"etching"}] * 20)
    assert model.predict(np.eye(2)) == [(), ("etching", "art", "print")]
    model = make().fit(X, [[] for _ in X])
    assert model.predict(X) == [()] * 60
    assert not model.predict_proba(X).any()
    with pytest.raises(ValueError, match="zero everywhere"):
        model.score(X, [[] for _ in X])


@pytest.mark.parametrize("make", [forest, tree])
def test_all_rows_may_have_one_root_and_nothing_else(make):
    model = make().fit(X, [["art"]] * 60)
    assert model.predict(X) == [("art",)] * 60
    assert_array_equal(model.predict_proba(X), np.tile(np.array(DAG.nodes) == "art", (60, 1)))
    assert model.score(X, [["art"]] * 60) == 1.0


@pytest.mark.parametrize("form", ["array", "sparse", "sets", "frame"])
@pytest.mark.parametrize("make", [forest, tree])
def test_a_hierarchy_may_have_one_label(make, form):
    one = Hierarchy(["only"])
    has = (X[:, :1] > 0).astype(int)
    y = {
        "array": has,
        "sparse": sp.csr_array(has),
        "sets": [["only"] if x else [] for x in has[:, 0]],
        "frame": pd.DataFrame({"only": has[:, 0]}),
    }[form]
    model = make(hierarchy=one).fit(X, y)
    assert model.classes_.tolist() == ["only"]
    scores = model.predict_proba(X)
    assert scores.shape == (60, 1)
    for in_csr in (model.predict_proba(X, sparse=True), model.predict_proba(X, top_k=1)):
        assert_array_equal(in_csr.toarray(), scores)
    predicted = model.predict(X)
    above = scores[:, 0] > 0.5
    if form == "sets":
        assert predicted == [("only",) if x else () for x in above]
    else:
        assert_array_equal(dense(predicted)[:, 0], above)
    assert model.score(X, y) > 0.9


@pytest.mark.parametrize("make", [forest, tree])
def test_a_chain_is_cut_off_at_some_length(make):
    names = [f"level {i}" for i in range(8)]
    chain = Hierarchy(names[::-1], list(itertools.pairwise(names)))
    depth = np.clip(np.round(2 * X[:, 0] + 3), 0, 7).astype(int)
    y = [{names[level]} for level in depth]
    model = make(hierarchy=chain).fit(X, y)
    scores = model.predict_proba(X)
    assert (np.diff(scores, axis=1) >= 0).all()
    assert_array_equal(scores[:, -1], 1.0)
    for row in model.predict(X):
        assert row == tuple(names[: len(row)][::-1])
    predicted = np.array([len(row) - 1 for row in model.predict(X)])
    assert np.abs(predicted - depth).mean() < 0.7


def test_labels_that_no_row_has_are_never_predicted(of_array):
    assert not of_array.predict_proba(X)[:, DAG.index("rest")].any()


def test_unused_labels_and_a_label_above_all_do_not_change_the_trees():
    # Constant labels have no say in any split; weights are given, as those of the labels would sink a level.
    wider = Hierarchy(
        ["all", *DAG.nodes, "unused"], [*EDGES, *(("all", root) for root in DAG.roots), ("wood", "unused")]
    )
    plain = forest(target_weights=np.ones(7)).fit(X, Y)
    wide = forest(target_weights=np.ones(9), hierarchy=wider).fit(X, [row | {"all"} for row in SETS])
    assert_array_equal(wide.trees_.left, plain.trees_.left)
    assert_array_equal(wide.trees_.weights, plain.trees_.weights)
    scores = wide.predict_proba(X)
    assert_array_equal(scores[:, 1:-1], plain.predict_proba(X))
    assert_array_equal(scores[:, 0], 1.0)
    assert_array_equal(scores[:, -1], 0.0)


def test_a_label_above_all_does_not_hurt():
    above = Hierarchy(["all", *DAG.nodes], [*EDGES, *(("all", root) for root in DAG.roots)])
    train, test = problem(200, 1), problem(200, 2)
    plain = forest(n_estimators=10).fit(*train)
    # Every label sinks by one level, so that all weights fall by the same factor.
    wide = forest(n_estimators=10, hierarchy=above).fit(train[0], np.insert(train[1], 0, 1, axis=1))
    before, after = (
        pooled_auprc(DAG.closure(test[1]), scores)
        for scores in (plain.predict_proba(test[0]), wide.predict_proba(test[0])[:, 1:])
    )
    assert after > before - 0.02


@pytest.mark.parametrize("split", SPLITS)
def test_the_order_of_the_labels_does_not_change_the_quality(split):
    train, test = problem(200, 1), problem(200, 2)
    quality = []
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(DAG)) if seed else np.arange(len(DAG))
        other = Hierarchy([DAG.nodes[j] for j in order], EDGES)
        model = forest(n_estimators=10, split=split, hierarchy=other).fit(train[0], train[1][:, order])
        assert model.classes_.tolist() == list(other.nodes)
        assert excess(other, model.predict_proba(test[0])) == 0
        assert excess(other, model.predict(test[0])) == 0
        quality.append(model.score(test[0], test[1][:, order]))
        assert quality[-1] == model.score(test[0], DAG.label_sets(test[1]))
    assert min(quality) > 0.8
    assert max(quality) - min(quality) < 0.03


def test_a_stump_does_not_depend_on_the_order_of_the_labels():
    order = np.array([3, 0, 6, 2, 5, 1, 4])
    other = Hierarchy([DAG.nodes[j] for j in order], EDGES)
    # Every row in one leaf: the shares of the labels.
    straight = forest(min_samples_split=1000, bootstrap=True).fit(X, Y)
    permuted = forest(min_samples_split=1000, bootstrap=True, hierarchy=other).fit(X, Y[:, order])
    assert_array_equal(permuted.predict_proba(X), straight.predict_proba(X)[:, order])


# ---- weights


def test_deep_labels_weigh_less_by_default():
    by_default = forest().fit(X, Y)
    given_weights = forest(target_weights=DAG.weights()).fit(X, Y)
    assert same_trees(by_default, given_weights)
    assert tree().fit(X, Y).get_n_leaves() > 1
    assert same_trees(tree().fit(X, Y), tree(target_weights=DAG.weights()).fit(X, Y))
    for other in (np.ones(7), DAG.weights(w0=0.1), DAG.weights()[::-1].copy()):
        assert not same_trees(by_default, forest(target_weights=other).fit(X, Y))


def test_labels_of_weight_zero_are_predicted_and_have_no_say():
    y = CLOSED.copy()
    y[:, DAG.index("etching")] = 0
    weights = np.where(np.array(DAG.nodes) == "etching", 0.0, 1.0)
    a = tree(target_weights=weights).fit(X, CLOSED)
    b = tree(target_weights=weights).fit(X, y)
    assert_array_equal(a.trees_.weights, b.trees_.weights)
    assert a.predict_proba(X)[:, DAG.index("etching")].any()
    assert not b.predict_proba(X)[:, DAG.index("etching")].any()


def test_rows_of_weight_zero_are_left_out():
    weights = np.arange(60) % 3 > 0
    weighted = forest(bootstrap=False).fit(X, SETS, sample_weight=weights)
    left_out = forest(bootstrap=False).fit(X[weights], Y[weights])
    assert_array_equal(weighted.predict_proba(X), left_out.predict_proba(X))


# ---- scores


@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize("make", [forest, tree])
def test_the_score_is_the_pooled_area_of_the_closed_labels(make, as_sparse):
    fresh, truth = problem(50, 5)
    model = make().fit(X, sp.csr_array(Y) if as_sparse else Y)
    scores = model.predict_proba(fresh)
    weights = np.random.default_rng(0).integers(0, 4, 50).astype(float)
    assert model.score(fresh, truth) == pooled_auprc(DAG.closure(truth), scores)
    weighted = pooled_auprc(DAG.closure(truth), scores, sample_weight=weights)
    for y in (truth, DAG.label_sets(truth), sp.csc_array(truth)):
        assert model.score(fresh, y, sample_weight=weights) == weighted
        assert model.score(fresh, y, weights) == weighted
    assert weighted != model.score(fresh, truth)
    gaps = with_gaps(truth, rows=[0])
    assert model.score(fresh, gaps) == pooled_auprc(DAG.closure(gaps), scores)


@pytest.mark.parametrize("form", ["array", "sparse", "sets", "gaps"])
def test_the_out_of_bag_score_is_the_pooled_area_of_rows_not_seen(form):
    y = {"array": Y, "sparse": sp.csr_array(Y), "sets": SETS, "gaps": with_gaps(CLOSED, rows=range(5))}[form]
    truth = DAG.closure(y) if form == "gaps" else CLOSED
    weights = np.arange(60) % 4 * 1.0
    model = forest(oob_score=True).fit(X, y, sample_weight=weights)
    scores = dense(model.oob_decision_function_)
    seen = not_seen_by_some_tree(model) & ~np.isnan(truth).all(axis=1)
    assert 10 < seen.sum() < 60
    expected = pooled_auprc(truth[seen], scores[seen], sample_weight=weights[seen])
    assert model.oob_score_ == pytest.approx(expected, rel=1e-12)


def test_without_any_label_there_is_no_out_of_bag_score():
    assert np.isnan(forest(oob_score=True).fit(X, [[]] * 60).oob_score_)


def test_labels_of_weightless_rows_only_are_no_out_of_bag_score_either():
    weights = (CLOSED.sum(axis=1) == 0).astype(float)
    assert weights.any()
    for y in (Y, sp.csr_array(Y)):
        model = forest(oob_score=True, n_estimators=10).fit(X, y, sample_weight=weights)
        assert np.isnan(model.oob_score_)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("form", ["sets", "lists", "sparse", "array", "frame"])
def test_cross_validation_takes_every_form(form):
    lists = [sorted(row) for row in SETS]
    forms = {"sets": SETS, "lists": lists, "sparse": sp.csr_array(Y), "array": Y, "frame": FORMS["pandas"]}
    folds = LabelStratifiedKFold(3, hierarchy=DAG)
    # scikit-learn's cross_val_score itself takes no sparse y, as its search does.
    search = GridSearchCV(forest(), {"threshold": [0.5]}, cv=folds, error_score="raise", refit=False)
    results = search.fit(X, forms[form]).cv_results_
    found = [results[f"split{k}_test_score"][0] for k in range(3)]
    if form != "sparse":
        assert_array_equal(cross_val_score(forest(), X, forms[form], cv=folds), found)
    expected = []
    for train, test in folds.split(X, Y):
        scores = forest().fit(X[train], Y[train]).predict_proba(X[test])
        expected.append(pooled_auprc(CLOSED[test], scores))
    assert_array_equal(found, expected)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("form", ["sets", "sparse"])
def test_grid_search_takes_label_sets(form):
    y = SETS if form == "sets" else sp.csr_array(Y)
    grid = {"min_samples_split": [2, 50], "threshold": [0.3]}
    search = GridSearchCV(forest(), grid, cv=LabelStratifiedKFold(3, hierarchy=DAG), error_score="raise")
    search.fit(X, y)
    assert search.best_params_ == {"min_samples_split": 2, "threshold": 0.3}
    assert excess(DAG, DAG.indicator(search.predict(X)) if form == "sets" else search.predict(X)) == 0
    assert search.best_estimator_.hierarchy == DAG
    both = GridSearchCV(
        forest(), {"hierarchy": [DAG, Hierarchy(DAG.nodes)]}, cv=KFold(2), error_score="raise"
    )
    assert both.fit(X, y).best_params_["hierarchy"] in (DAG, Hierarchy(DAG.nodes))


# ---- as an estimator


def test_estimators_with_a_hierarchy_are_copied_stored_and_shown(of_array):
    copied = clone(of_array)
    assert copied.get_params()["hierarchy"] == DAG
    assert same_trees(copied.fit(X, SETS), of_array)
    stored = pickle.loads(pickle.dumps(copied))
    assert stored.hierarchy == DAG
    assert stored.predict(X) == copied.predict(X)
    assert stored.score(X, SETS) == of_array.score(X, Y)
    assert "hierarchy=Hierarchy(7 labels, 3 roots, depth 0 to 2, DAG)" in re.sub(r"\s+", " ", repr(of_array))
    assert "Hierarchy(7 labels" in of_array._repr_html_()
    assert "hierarchy" not in repr(ObliqueForestClassifier())
    assert forest().set_params(hierarchy=None).hierarchy is None
    for kind in (ObliqueForestClassifier, ObliqueTreeClassifier):
        assert re.search(r"^ *hierarchy : Hierarchy or None", kind.__doc__, re.M)


def test_the_hierarchy_of_the_fit_is_the_one_that_predicts():
    model = forest().fit(X, SETS)
    expected = model.predict(X)
    assert model.set_params(hierarchy=None).predict(X) == expected
    flat = model.fit(X, CLOSED)
    assert flat.classes_.tolist() == list(range(7))
    assert flat.score(X, CLOSED) == (flat.predict(X) == CLOSED).all(axis=1).mean()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("form", ["sets", "sparse", "gaps"])
def test_trees_that_are_added_are_those_of_one_fit(form):
    y = {"sets": SETS, "sparse": sp.csr_array(Y), "gaps": with_gaps(CLOSED, rows=range(5))}[form]
    once = forest(n_estimators=5, oob_score=True).fit(X, y)
    grown = forest(n_estimators=2, oob_score=True, warm_start=True).fit(X, y)
    grown.set_params(n_estimators=5).fit(X, y)
    assert same_trees(grown, once)
    assert grown.settings_ == once.settings_
    assert grown.oob_score_ == once.oob_score_
    assert_array_equal(grown.predict_proba(X), once.predict_proba(X))


def test_trees_may_be_added_with_labels_in_another_form():
    grown = forest(n_estimators=2, warm_start=True).fit(X, SETS)
    grown.set_params(n_estimators=4, hierarchy=Hierarchy.from_json(DAG.to_json())).fit(X, CLOSED)
    assert same_trees(grown, forest(n_estimators=4).fit(X, Y))
    assert_array_equal(grown.predict(X), forest(n_estimators=4).fit(X, Y).predict(X))


@pytest.mark.parametrize(
    "other", [None, Hierarchy(DAG.nodes), Hierarchy(DAG.nodes[::-1], EDGES), Hierarchy(["a", "b"])]
)
def test_trees_of_another_hierarchy_are_not_added(other):
    model = forest(warm_start=True).fit(X, Y)
    expected = model.predict_proba(X)
    width = 7 if other is None else len(other)
    with pytest.raises(ValueError, match=r"warm_start=True.*hierarchy.*fit a new estimator"):
        model.set_params(hierarchy=other, n_estimators=5).fit(X, CLOSED[:, :width])
    assert_array_equal(model.predict_proba(X), expected)
    assert model.trees_.n_trees == 3


@pytest.mark.parametrize("y", [Y, Y[:, 0]], ids=["labels", "classes"])
def test_trees_of_a_hierarchy_are_not_added_to_those_without(y):
    # The trees that there are know nothing of it, so that scores would not be consistent.
    model = forest(hierarchy=None, warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match=r"warm_start=True.*fit a new estimator"):
        model.set_params(hierarchy=DAG, n_estimators=5).fit(X, Y)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("form", ["sets", "sparse", "gaps"])
def test_the_number_of_threads_does_not_matter(form):
    y = {"sets": SETS, "sparse": sp.csr_array(Y), "gaps": with_gaps(CLOSED)}[form]
    one = forest(oob_score=True).fit(X, y)
    several = forest(oob_score=True, n_jobs=3).fit(X, y)
    assert same_trees(one, several)
    assert one.settings_ == several.settings_
    assert one.oob_score_ == several.oob_score_
    assert_array_equal(several.predict_proba(X), one.predict_proba(X))


def test_features_may_be_sparse_or_a_frame_with_missing_values():
    holes = np.where(np.random.default_rng(0).random(X.shape) < 0.7, 0.0, X)
    assert_array_equal(
        forest().fit(sp.csr_array(holes), SETS).predict_proba(holes),
        forest().fit(holes, SETS).predict_proba(holes),
    )
    frame = pd.DataFrame(X, columns=list("abcd")).assign(town=["a", "b", None] * 20)
    frame.iloc[::7, 0] = np.nan
    model = forest(oob_score=True).fit(frame, SETS)
    assert excess(DAG, model.predict_proba(frame)) == 0
    assert model.score(frame, SETS) > 0.7


# ---- errors


WRONG = {
    "edges": ({"hierarchy": EDGES}, SETS, TypeError, r"hierarchy=\[.*\(list\) must be.*Hierarchy.from_paths"),
    "text": ({"hierarchy": "a/b"}, SETS, TypeError, r"hierarchy='a/b' \(str\) must be None or"),
    "class": ({"hierarchy": Hierarchy}, SETS, TypeError, r"hierarchy=.*\(type\) must be"),
    "class_weight": ({"class_weight": "even"}, SETS, ValueError, "class_weight='even' must be 'balanced'"),
    "class_weight by label": ({"class_weight": {"arts": 2}}, Y, ValueError, "'arts'.* none of the 7 labels"),
    "target_weights": ({"target_weights": np.ones(6)}, Y, ValueError, r"target_weights.*\(6,\).*\(7,\)"),
    "threshold": ({"threshold": [0.5] * 6}, SETS, ValueError, r"threshold.*\(6,\).*\(7,\)"),
    "unknown label": ({}, [*SETS[:-1], {"arts"}], ValueError, "row 59 .*'arts'.*did you mean 'art'"),
    "label in place of a set": ({}, [*SETS[:-1], "art"], TypeError, r"row 59 .*'art'; give \['art'\]"),
    "one label each": (
        {},
        ["art"] * 60,
        ValueError,
        "y does not fit the hierarchy: it begins with .*art.*set of labels for each row",
    ),
    "classes": (
        {},
        Y[:, 0],
        ValueError,
        r"y does not fit the hierarchy: it begins with \[0\].*set of labels",
    ),
    "width": ({}, Y[:, :6], ValueError, r"\(60, 6\).*7 columns.*order of its nodes"),
    "sparse width": ({}, sp.csr_array(Y[:, :6]), ValueError, r"\(60, 6\).*7 columns"),
    "rows": ({}, Y[:-1], ValueError, "X has 60, y has 59"),
    "rows of sets": ({}, SETS[:-1], ValueError, "X has 60, y has 59"),
    "column": ({}, pd.DataFrame(Y, columns=DAG.nodes).assign(x=0), ValueError, "column 'x'.*leave it out"),
    "no column": (
        {},
        pd.DataFrame(Y, columns=DAG.nodes).drop(columns="art"),
        ValueError,
        "label 'art'.*give",
    ),
    "value": ({}, 3 * Y, ValueError, "value 3.*zeros and ones"),
    "share": ({}, sp.csr_array(0.25 * Y), ValueError, r"value 0\.25.*zeros and ones"),
    "all NaN": ({}, np.full(Y.shape, np.nan), ValueError, "y is missing .*in every row"),
    "nothing known": ({}, [None] * 60, ValueError, "y does not fit the hierarchy: it begins with .*None"),
    "none": ({}, None, ValueError, "y is None"),
}


@pytest.mark.parametrize("make", [forest, tree])
@pytest.mark.parametrize(("parameters", "y", "error", "message"), WRONG.values(), ids=WRONG.keys())
def test_wrong_input_is_refused_and_leaves_the_earlier_model(parameters, y, error, message, make):
    model = make().fit(X[FEW], Y[FEW])
    before = model.predict_proba(X)
    with pytest.raises(error, match=message):
        model.set_params(**parameters).fit(X, y)
    assert_array_equal(model.set_params(threshold=0.5).predict_proba(X), before)
    assert_array_equal(model.predict(X), before > 0.5)
    with pytest.raises(error, match=message):
        make(**parameters).fit(X, y)


@pytest.mark.parametrize("weights", [(Y.sum(axis=1) < 0).astype(float), "first"])
def test_at_least_one_row_that_counts_must_be_known(weights):
    y = CLOSED.astype(float)
    y[:10] = np.nan
    weights = np.arange(60) < 10 if isinstance(weights, str) else weights
    with pytest.raises(ValueError, match="at least one row"):
        forest().fit(X, y, sample_weight=weights)


@pytest.mark.parametrize("y", [None, ["art"] * 60, [{"arts"}] * 60, Y[:, :6], SETS[:-1]])
def test_labels_that_cannot_be_scored_are_refused(y, of_array):
    with pytest.raises(ValueError, match=r"y is None|set of labels|'arts'|7 columns|y has 59"):
        of_array.score(X, y)


@pytest.mark.parametrize("kind", [ObliqueForestRegressor, ObliqueTreeRegressor])
def test_numbers_have_no_hierarchy(kind):
    with pytest.raises(TypeError, match="hierarchy"):
        kind(hierarchy=DAG)
    assert "hierarchy" not in kind().get_params()
    assert "hierarchy :" not in kind.__doc__
