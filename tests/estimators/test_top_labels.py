"""Claims about the best few labels of each row: an argsort of the probabilities, by name."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from slantwood import (
    Hierarchy,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    TopLabels,
)
from slantwood.estimators import classification
from slantwood.estimators.top_labels import top_of_dense, top_of_sparse

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4)).round(1)
Y = (X > [0.0, 0.5, 1.0, 1.3]).astype(int)
TREE = Hierarchy.from_edges([("z", "y"), ("z", "x"), ("y", "w")])


def forest(**parameters):
    return ObliqueForestClassifier(**{"n_estimators": 4, "random_state": 0} | parameters)


MODELS = {
    "binary": lambda: forest().fit(X, np.where(Y[:, 0], "yes", "no")),
    "one class": lambda: forest().fit(X, ["only"] * 60),
    "multi-class": lambda: forest().fit(X, Y.sum(axis=1) + 5),
    "labels": lambda: forest().fit(X, Y),
    "named labels": lambda: forest().fit(X, pd.DataFrame(Y, columns=list("dcba"))),
    "sparse labels": lambda: forest().fit(X, sp.csr_array(Y)),
    "label sets": lambda: forest().fit(X, [tuple(np.array(list("dcba"))[row > 0]) for row in Y]),
    "hierarchy": lambda: forest(hierarchy=TREE).fit(X, TREE.closure(Y)),
    "tree": lambda: ObliqueTreeClassifier(random_state=0).fit(X, Y),
}


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS.keys())
def test_the_best_are_those_of_an_argsort_with_ties_by_rank(make, monkeypatch):
    monkeypatch.setattr(classification, "_CELLS", 40)  # several chunks
    model = make()
    scores, ranks = model.predict_proba(X), model.targets_.ranks
    n_classes = scores.shape[1]
    for k in (1, 2, n_classes, n_classes + 3):
        found = model.predict_top_k(X, k)
        assert found.labels.shape == found.scores.shape == (60, min(k, n_classes))
        for row in range(60):
            best = sorted(range(n_classes), key=lambda j, row=row: (-scores[row, j], ranks[j]))[:k]
            assert found.labels[row].tolist() == model.classes_[best].tolist()
            np.testing.assert_array_equal(found.scores[row], scores[row, best])
        in_csr = model.predict_proba(X, top_k=k)
        is_best = found.labels[:, :, None] == model.classes_
        np.testing.assert_array_equal(
            (is_best & (found.scores > 0)[:, :, None]).any(axis=1), in_csr.toarray() > 0
        )


def test_parents_go_before_children_of_the_same_score():
    model = MODELS["hierarchy"]()
    best = model.predict_top_k(X, 4)
    for row in best.labels.tolist():
        assert row.index("z") < row.index("y") < row.index("w")


def test_two_equally_probable_classes_come_in_order():
    same = ObliqueTreeClassifier(random_state=0).fit(np.zeros((4, 1)), ["b", "a", "a", "b"])
    assert same.predict_proba([[0.0]]).tolist() == [[0.5, 0.5]]
    assert same.predict_top_k([[0.0]], 2).labels.tolist() == [["a", "b"]]
    assert same.predict_proba([[0.0]], top_k=1).toarray().tolist() == [[0.5, 0.0]]  # as `predict` decides
    assert same.predict([[0.0]]).tolist() == ["a"]


@given(st.integers(0, 2**32 - 1), st.integers(1, 7))
def test_scores_that_are_stored_and_others_are_put_in_order(seed, k):
    rng = np.random.default_rng(seed)
    ranks = rng.permutation(7)
    scores = (rng.integers(1, 4, (9, 7)) / 4 * (rng.random((9, 7)) < 0.5)).astype(np.float32)
    for row in scores:  # no more than k are stored
        row[np.lexsort((ranks, -row))[k:]] = 0.0
    found = top_of_sparse(sp.csr_array(scores), ranks, k)
    expected = np.array([np.lexsort((ranks, -row))[:k] for row in scores])
    np.testing.assert_array_equal(found.columns, expected)
    np.testing.assert_array_equal(found.scores, np.take_along_axis(scores, expected, axis=1))
    dense = top_of_dense(scores[:, np.argsort(ranks)], k)  # columns in the order of ranks
    np.testing.assert_array_equal(dense.scores, found.scores)
    np.testing.assert_array_equal(np.argsort(ranks)[dense.columns], found.columns)


def test_the_dense_matrix_of_many_labels_is_never_formed(monkeypatch):
    many = sp.random_array((60, 5000), density=0.001, rng=np.random.default_rng(0), format="csr") > 0
    model = forest().fit(X, many)
    monkeypatch.setattr("slantwood.ensemble.prediction.Predictor._dense_mean", None)
    found = model.predict_top_k(X, 3)
    best = model.predict_proba(X, top_k=3)
    np.testing.assert_allclose(found.scores.sum(axis=1), best.sum(axis=1), rtol=1e-6)


def test_frames_have_a_pair_of_columns_for_each_place():
    table = pd.DataFrame(X, index=[f"row {i}" for i in range(60)], columns=list("abcd"))
    model = forest().fit(table, pd.DataFrame(Y, columns=list("dcba")))
    best = model.predict_top_k(table, 2)
    frame = best.to_frame(index=table.index)
    assert list(frame.columns) == ["label_1", "score_1", "label_2", "score_2"]
    assert frame.index.equals(table.index)
    assert frame["label_2"].tolist() == best.labels[:, 1].tolist()
    assert best.to_frame("polars").equals(pl.from_pandas(frame))
    with pytest.raises(ValueError, match="library='arrow' must be one of 'pandas', 'polars'"):
        best.to_frame("arrow")
    labels, scores = best
    assert isinstance(best, TopLabels)
    assert labels is best.labels
    assert scores is best.scores


def test_what_is_no_number_of_labels_is_refused_and_numbers_have_no_labels():
    model = MODELS["labels"]()
    with pytest.raises(ValueError, match="k=0 must be at least 1"):
        model.predict_top_k(X, 0)
    with pytest.raises(TypeError, match=r"k=1\.5"):
        model.predict_top_k(X, 1.5)
    assert not hasattr(ObliqueForestRegressor(), "predict_top_k")


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS.keys())
def test_json_holds_the_lists_of_the_best(make):
    best = make().predict_top_k(X[:5], 2)
    read = json.loads(json.dumps(best.to_list()))
    assert [[each["label"] for each in row] for row in read] == best.labels.tolist()
    assert [[each["score"] for each in row] for row in read] == best.scores.tolist()


def test_labels_of_numpys_own_types_become_those_of_python():
    labels = np.empty((1, 2), object)
    labels[0] = [np.int64(3), np.str_("sea")]
    best = TopLabels(labels, np.array([[0.5, 0.25]], np.float32))
    expected = '[[{"label": 3, "score": 0.5}, {"label": "sea", "score": 0.25}]]'
    assert json.dumps(best.to_list()) == expected
