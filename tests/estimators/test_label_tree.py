"""Claims about `LabelTreeClassifier`: it finds planted labels, whatever form rows and labels come in."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from slantwood import LabelTreeClassifier
from slantwood.metrics import precision_at_k

SMALL = {"n_children": 5, "max_leaf_labels": 6, "n_forest_trees": 0, "random_state": 0}


def words_and_labels(n=400, n_words=60, n_labels=40, seed=0):
    """Texts of ten words, and labels each of which stands for one word or another."""
    rng = np.random.default_rng(seed)
    meaning = rng.permutation(n_words)[:n_labels]
    X = np.zeros((n, n_words), np.float32)
    for row in X:
        row[rng.choice(n_words, 10, replace=False)] = rng.uniform(0.5, 1.5, 10)
    return sp.csr_array(X), sp.csr_array((X[:, meaning] > 0).astype(np.int8))


@pytest.fixture(scope="module")
def data():
    return words_and_labels()


@pytest.fixture(scope="module")
def model(data):
    return LabelTreeClassifier(**SMALL).fit(*data)


def test_labels_that_are_words_are_found_in_new_texts(model):
    X, Y = words_and_labels(n=900)
    X, Y = X[400:], Y[400:]
    assert precision_at_k(Y, model.predict_proba(X, top_k=3), 3) > 0.95
    shuffled = Y[np.random.default_rng(0).permutation(500)]
    assert precision_at_k(shuffled, model.predict_proba(X, top_k=3), 3) < 0.3


def test_few_labels_are_not_divided(data):
    whole = LabelTreeClassifier(random_state=0).fit(*data)
    assert whole.label_trees_.child_starts.tolist() == [0, data[1].shape[1]]
    assert precision_at_k(data[1], whole.predict_proba(data[0], top_k=3), 3) > 0.95


def test_trees_are_as_deep_as_labels_ask_for(model):
    assert len(model.label_trees_.roots) == 3
    assert np.diff(model.label_trees_.child_starts).max() <= 6


def test_dense_rows_give_the_model_of_sparse_ones(data, model):
    X, Y = data
    dense = LabelTreeClassifier(**SMALL).fit(X.toarray(), Y)
    assert all(map(np.array_equal, dense.label_trees_, model.label_trees_))
    np.testing.assert_array_equal(dense.predict_proba(X.toarray()), model.predict_proba(X))


def test_threads_change_nothing(data, model):
    again = LabelTreeClassifier(**SMALL, n_jobs=2).fit(*data)
    assert all(map(np.array_equal, again.label_trees_, model.label_trees_))


def test_a_seed_gives_one_model_and_another_seed_another(data, model):
    other = clone(model).set_params(random_state=1).fit(*data)
    assert all(map(np.array_equal, clone(model).fit(*data).label_trees_, model.label_trees_))
    assert not np.array_equal(other.label_trees_.targets, model.label_trees_.targets)


def test_labels_in_another_order_have_nearly_the_same_scores(data):
    X, Y = data
    order = np.random.default_rng(0).permutation(Y.shape[1])
    # In one node, and solved exactly.
    settings = {"n_forest_trees": 0, "max_iter": 500, "tol": 1e-4, "min_weight": 0.0}
    plain = LabelTreeClassifier(**settings).fit(X, Y).predict_proba(X)
    permuted = LabelTreeClassifier(**settings).fit(X, Y[:, order]).predict_proba(X)
    np.testing.assert_allclose(permuted, plain[:, order], atol=1e-3)


def test_a_row_of_weight_two_is_two_rows_where_their_costs_are_the_same(data):
    X, Y = data
    weights = np.random.default_rng(0).integers(0, 3, X.shape[0])
    again = np.repeat(np.arange(X.shape[0]), weights)
    settings = {"n_forest_trees": 0, "max_iter": 500, "tol": 1e-4, "min_weight": 0.0}
    mean = weights[weights > 0].mean()
    weighted = LabelTreeClassifier(C=mean, **settings).fit(X, Y, weights)
    repeated = LabelTreeClassifier(**settings).fit(X[again], Y[again])
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-3)


def test_rows_scaled_by_any_factor_have_the_same_labels(data, model):
    X, _ = data
    np.testing.assert_allclose(model.predict_proba(7 * X), model.predict_proba(X), atol=1e-5)


# ---- forms of y


def test_label_sets_indicators_and_frames_give_the_same_scores(data, model):
    X, Y = data
    names = [f"label{j:02}" for j in range(Y.shape[1])]
    sets = [{names[j] for j in row.nonzero()[0]} for row in Y.toarray()]
    of_sets = LabelTreeClassifier(**SMALL).fit(X, sets)
    of_frame = LabelTreeClassifier(**SMALL).fit(X, pd.DataFrame(Y.toarray(), columns=names))
    assert of_sets.classes_.tolist() == of_frame.classes_.tolist() == names
    for other in (of_sets, of_frame):
        np.testing.assert_array_equal(other.predict_proba(X), model.predict_proba(X))
    assert of_sets.predict(X[:5])[0] == tuple(np.array(names)[model.predict(X[:1]).toarray()[0] > 0])
    assert of_sets.score(X, sets) == model.score(X, Y) > 0.5


def test_rows_without_known_labels_take_no_part(data, model):
    X, Y = data
    Y_more = np.vstack([Y.toarray().astype(np.float32), np.full((3, Y.shape[1]), np.nan)])
    more = LabelTreeClassifier(**SMALL).fit(sp.csr_array(sp.vstack([X, X[:3]])), Y_more)
    assert all(map(np.array_equal, more.label_trees_, model.label_trees_))


def test_a_label_without_rows_scores_zero(data):
    X, Y = data
    Y = Y.toarray()
    Y[:, 7] = 0
    model = LabelTreeClassifier(**SMALL).fit(X, Y)
    assert model.predict_proba(X)[:, 7].max() == 0
    assert model.n_classes_ == Y.shape[1]


@pytest.mark.parametrize("max_leaf_labels", ["auto", 2])
def test_rows_without_labels_teach_what_has_none(max_leaf_labels):
    # Words 0 to 4 stand for labels; half of the rows have neither.
    X = sp.csr_array(np.kron(np.eye(10), np.ones((20, 1))))
    Y = (X.toarray() > 0)[:, :5]
    model = LabelTreeClassifier(max_leaf_labels=max_leaf_labels, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), Y)
    one = LabelTreeClassifier(random_state=0).fit(X, sp.csr_array(Y[:, :1]))
    np.testing.assert_array_equal(one.predict(X).toarray(), Y[:, :1])


# ---- the best few


def test_the_best_labels_are_those_of_the_highest_scores(data, model):
    X, _ = data
    scores, best = model.predict_proba(X), model.predict_top_k(X, 4)
    np.testing.assert_array_equal(best.labels, np.argsort(-scores, axis=1, kind="stable")[:, :4])
    np.testing.assert_array_equal(best.scores, np.take_along_axis(scores, best.labels, axis=1))
    assert model.predict_proba(X, top_k=4).nnz == 4 * X.shape[0]
    np.testing.assert_array_equal(model.predict_proba(X, sparse=True).toarray(), scores)


def test_a_wider_beam_finds_no_less(data, model):
    X, _ = data
    narrow, wide = clone(model).set_params(beam=1).fit(*data), model
    assert (narrow.predict_proba(X, sparse=True).nnz) < wide.predict_proba(X, sparse=True).nnz
    assert (narrow.predict_proba(X) <= wide.predict_proba(X) + 1e-6).all()


# ---- with a forest beside


def test_scores_are_the_mean_of_those_of_trees_and_forest(data, model):
    X, Y = data
    mixed = LabelTreeClassifier(**{**SMALL, "n_forest_trees": 3}, forest_share=0.4, n_jobs=2).fit(X, Y)
    of_forest = mixed.oblique_forest_.predict_proba(X)
    expected = 0.6 * model.predict_proba(X) + 0.4 * of_forest
    np.testing.assert_allclose(mixed.predict_proba(X), expected, atol=1e-6)
    best = mixed.predict_top_k(X, 3)
    np.testing.assert_allclose(best.scores, -np.sort(-expected, axis=1)[:, :3], atol=1e-6)
    assert mixed.oblique_forest_.trees_.n_trees == 3


# ---- what is refused


@pytest.mark.parametrize(
    ("name", "value", "error", "says"),
    [
        ("n_estimators", 0, ValueError, "n_estimators=0 must be at least 1"),
        ("n_children", 1, ValueError, "n_children=1 must be at least 2"),
        ("max_leaf_labels", 1 << 17, ValueError, "max_leaf_labels=131072 must be at most 65536"),
        ("C", 0.0, ValueError, "C=0.0 must be a finite number above 0"),
        ("beam", 2.5, TypeError, "beam=2.5"),
        ("min_weight", -1, ValueError, "min_weight=-1"),
        ("forest_share", 1.5, ValueError, "forest_share=1.5"),
        ("threshold", "f1_micro", TypeError, "threshold='f1_micro'"),
        ("n_jobs", 0, ValueError, "n_jobs=0"),
    ],
)
def test_a_wrong_parameter_is_named_with_its_value(data, name, value, error, says):
    with pytest.raises(error, match=says):
        LabelTreeClassifier(**{**SMALL, name: value}).fit(*data)


def test_an_unknown_parameter_is_answered_with_the_one_that_was_meant():
    with pytest.raises(TypeError, match="n_estimators"):
        LabelTreeClassifier(n_trees=3)
    with pytest.raises(ValueError, match="n_children"):
        LabelTreeClassifier().set_params(n_childen=3)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda X, Y: (X, np.ones(400)), "only the class 1.0; give rows of two classes or more"),
        (lambda X, Y: (X, np.linspace(0, 1, 400)), "y cannot be taken as classes"),
        (lambda X, Y: (X * np.nan, Y), "X has missing values"),
        (lambda X, Y: (X, sp.csr_array(Y.shape)), "y has no label in any row"),
        (lambda X, Y: (X, sp.vstack([Y[:1] * np.nan, Y[1:]])), "some labels are known and others not"),
        (lambda X, Y: (X[:7], Y), "rows"),
        (lambda X, Y: (X, Y * 2), "holds the value 2"),
    ],
)
def test_what_cannot_be_learned_from_is_refused_and_an_earlier_model_stays(data, change, says):
    model = LabelTreeClassifier(n_estimators=1, **SMALL).fit(*data)
    before = model.predict_proba(data[0])
    with pytest.raises(ValueError, match=says):
        model.fit(*change(*data))
    np.testing.assert_array_equal(model.predict_proba(data[0]), before)


def test_rows_of_another_width_are_refused(model):
    with pytest.raises(ValueError, match="60 features"):
        model.predict(np.ones((2, 3)))


def test_a_model_survives_pickling(data, model):
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(data[0]), model.predict_proba(data[0]))


def test_of_one_row_with_labels_there_are_label_trees_but_no_forest():
    X, Y = np.eye(3), np.array([[1, 0], [0, 1], [1, 1]])
    weights = [0.0, 1.0, 0.0]
    with pytest.raises(ValueError, match=r"only one row of positive weight.*n_forest_trees=0"):
        LabelTreeClassifier(random_state=0).fit(X, Y, sample_weight=weights)
    model = LabelTreeClassifier(n_forest_trees=0, random_state=0).fit(X, Y, sample_weight=weights)
    assert model.predict(X).tolist() == [[0, 1]] * 3
