"""Claims about the reranker: the score of its formula, for what is proposed and nothing else."""

import io

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_multilabel_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB

from slantwood import (
    Hierarchy,
    LabelTreeClassifier,
    ModelFileError,
    ObliqueForestClassifier,
    TailReranker,
    load_model,
)
from slantwood.metrics import precision_at_k, propensities
from slantwood.model import container
from slantwood.split_names import SPLITS


@pytest.fixture(scope="module")
def texts():
    X, Y = make_multilabel_classification(300, 30, n_classes=12, n_labels=3, random_state=0)
    return X[:200], Y[:200], X[200:], Y[200:]


def naive():
    return OneVsRestClassifier(MultinomialNB())


def small_forest(**parameters):
    return ObliqueForestClassifier(**{"n_estimators": 3, "random_state": 0, **parameters})


class Fixed(ClassifierMixin, BaseEstimator):
    """Proposes the same scores, whatever the rows."""

    def __init__(self, scores=None):
        self.scores = scores

    def fit(self, X, y):
        self.fitted_ = True
        return self

    def predict_proba(self, X):
        return self.scores

    def predict(self, X):
        return self.scores > 0.5


class Shares(ClassifierMixin, BaseEstimator):
    """Proposes each label as often as it occurs."""

    def fit(self, X, y, sample_weight=None):
        self.shares_ = np.average(y, axis=0, weights=sample_weight)
        return self

    def predict_proba(self, X):
        return np.tile(self.shares_, (len(X), 1))


def formula(X, Y, X_new, scores, alpha, gamma):
    """The score of every label, spelt out."""
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    unit_new = X_new / np.linalg.norm(X_new, axis=1, keepdims=True)
    inverse = 1 / propensities(Y)
    result = np.zeros(scores.shape)
    for i, x in enumerate(unit_new):
        for label in np.flatnonzero(scores[i] > 0):
            centre = unit[Y[:, label] == 1].mean(axis=0)
            tail = np.exp(-gamma / 2 * ((x - centre) ** 2).sum())
            forest = scores[i, label] * inverse[label] / inverse.max()
            result[i, label] = np.exp(alpha * np.log(forest) + (1 - alpha) * np.log(tail))
    return result


@pytest.mark.parametrize(("alpha", "gamma"), [(0.8, 30.0), (0.0, 2.0), (1.0, 30.0), (0.5, 0.0)])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, sp.csc_matrix])
def test_scores_are_those_of_the_formula(texts, alpha, gamma, container):
    X, Y, X_new, _ = texts
    rng = np.random.default_rng(0)
    proposals = rng.random((100, 12)) * (rng.random((100, 12)) < 0.4)
    for scores in (proposals, sp.csr_array(proposals)):
        reranker = TailReranker(Fixed(scores), alpha=alpha, gamma=gamma).fit(container(X), container(Y))
        found = reranker.predict_proba(container(X_new))
        assert isinstance(found, sp.csr_array)
        assert_allclose(found.toarray(), formula(X, Y, X_new, proposals, alpha, gamma), rtol=1e-6)


def test_only_proposed_labels_have_scores_and_these_are_above_zero_whatever_gamma(texts):
    X, Y, X_new, _ = texts
    proposals = np.zeros((100, 12))
    proposals[:, 3] = 1e-300
    proposals[:, 5] = 1.0
    found = TailReranker(Fixed(proposals), gamma=1e9).fit(X, Y).predict_proba(X_new)
    assert_array_equal(found.indices.reshape(100, 2), [[3, 5]] * 100)
    assert (found.data > 0).all()
    assert (found.data <= 1).all()


def test_tables_made_in_parts_are_the_same(texts, monkeypatch):
    X, Y, X_new, _ = texts
    reranker = TailReranker(naive()).fit(X, Y)
    whole = reranker.predict_proba(X_new)
    monkeypatch.setattr("slantwood.estimators.reranking._CELLS", 85)  # seven rows at a time
    assert_allclose(reranker.predict_proba(X_new).toarray(), whole.toarray())


def test_a_forest_is_fitted_with_inverse_propensities_unless_it_has_weights(texts):
    X, Y, X_new, _ = texts
    reranker = TailReranker(small_forest(), propensity_a=0.7).fit(X, Y)
    assert_allclose(reranker.estimator_.target_weights, 1 / propensities(Y, a=0.7))
    assert reranker.estimator.target_weights is None
    own = np.arange(1.0, 13.0)
    assert_array_equal(
        TailReranker(small_forest(target_weights=own)).fit(X, Y).estimator_.target_weights, own
    )
    scores = reranker.estimator_.predict_proba(X_new)
    assert_array_equal(reranker.predict_proba(X_new).toarray() > 0, scores > 0)
    assert_array_equal(reranker.predict(X_new), reranker.estimator_.predict(X_new))
    assert_array_equal(reranker.classes_, reranker.estimator_.classes_)


@pytest.mark.parametrize("split", [name for name in SPLITS if name != "wodt"])
def test_every_split_learner_for_labels_takes_the_propensities(texts, split):
    X, Y, *_ = texts
    reranker = TailReranker(small_forest(split=split, n_estimators=1)).fit(X, Y)
    plain = small_forest(split=split, n_estimators=1).fit(X, Y)
    assert not np.array_equal(reranker.estimator_.trees_.bias, plain.trees_.bias)
    assert precision_at_k(Y, reranker.predict_proba(X), 1) > 0.5


def test_likeness_puts_labels_of_the_rows_own_kind_first():
    # A classifier that knows nothing: the order comes from the centres alone.
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 5, 200)
    X = rng.poisson(0.2, (200, 25)) + 2.0 * (np.arange(25) // 5 == kind[:, None])
    Y = np.eye(5, dtype=int)[kind]
    found = TailReranker(Fixed(np.full((200, 5), 0.2))).fit(X, Y).predict_proba(X)
    assert precision_at_k(Y, found, 1) == 1.0


def test_rows_of_zeros_and_labels_without_rows_have_scores():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [1.0, 1.0]])
    Y = np.array([[1, 0, 0], [0, 1, 0], [0, 1, 0], [1, 1, 0]])
    reranker = TailReranker(Fixed(np.full((4, 3), 0.5))).fit(X, Y)
    found = reranker.predict_proba(X).toarray()
    assert np.isfinite(found).all()
    assert_array_equal(reranker.centres_.toarray()[2], [0.0, 0.0])
    # A row at a distance of 1 from the empty centre, and the zero row at none.
    assert found[2, 2] > found[0, 2]


def test_parameters_go_through_clone_and_search(texts):
    X, Y, _, _ = texts
    reranker = TailReranker(naive(), alpha=0.3)
    assert clone(reranker).get_params()["alpha"] == 0.3
    reranker.set_params(gamma=3.0, estimator__estimator__alpha=2.0)
    assert reranker.estimator.estimator.alpha == 2.0
    search = GridSearchCV(
        reranker,
        {"alpha": [0.0, 0.5]},
        scoring=lambda m, X, Y: precision_at_k(Y, m.predict_proba(X), 1),
        cv=2,
    )
    assert search.fit(X, Y).best_score_ > 0.3


def label_tree(**parameters):
    return LabelTreeClassifier(**{"n_forest_trees": 2, "random_state": 0} | parameters)


BASES = {"forest": small_forest, "label tree": label_tree, "scikit-learn": naive}


@pytest.mark.parametrize("base", BASES)
def test_frames_and_label_sets_give_what_arrays_give(texts, base):
    X, Y, X_new, Y_new = texts
    names = [f"tag{j:02}" for j in range(12)]
    sets, true_sets = ([{names[j] for j in np.flatnonzero(row)} for row in each] for each in (Y, Y_new))
    frame, new_frame = (pd.DataFrame(each, columns=[f"word{j}" for j in range(30)]) for each in (X, X_new))
    plain = TailReranker(BASES[base]()).fit(X, Y)
    named = TailReranker(BASES[base]()).fit(frame, sets)
    assert_array_equal(named.classes_, names)
    assert_array_equal(named.feature_names_in_, frame.columns)
    assert_allclose(named.predict_proba(new_frame).toarray(), plain.predict_proba(X_new).toarray())
    assert_array_equal(
        [[name in row for name in names] for row in named.predict(new_frame)], plain.predict(X_new)
    )
    assert named.score(new_frame, true_sets) == plain.score(X_new, Y_new)
    best = named.predict_top_k(new_frame, 3)
    dense = plain.predict_proba(X_new).toarray()
    assert_array_equal(best.labels, np.array(names, object)[np.argsort(-dense, axis=1, kind="stable")[:, :3]])
    assert_allclose(best.scores, -np.sort(-dense, axis=1)[:, :3])


@pytest.mark.parametrize("base", [Shares, label_tree])
def test_a_row_of_weight_two_moves_centres_as_two_rows_and_counts_as_one_in_propensities(texts, base):
    X, Y, _, _ = texts
    counts = np.arange(len(X)) % 3
    weighted = TailReranker(base()).fit(X, Y, counts)
    repeated = TailReranker(base()).fit(np.repeat(X, counts, axis=0), np.repeat(Y, counts, axis=0))
    assert_allclose(weighted.centres_.toarray(), repeated.centres_.toarray(), atol=1e-6)
    assert_allclose(
        weighted.propensities_, propensities(Y, sample_weight=counts / counts[counts > 0].mean()), rtol=1e-6
    )
    heavy = TailReranker(base()).fit(X, Y, 1024.0 * counts)
    assert_array_equal(heavy.propensities_, weighted.propensities_)
    assert_array_equal(heavy.centres_.toarray(), weighted.centres_.toarray())


def test_rows_whose_labels_are_not_known_move_no_centre(texts):
    X, Y, _, _ = texts
    sets = [tuple(np.flatnonzero(row)) if i % 2 else None for i, row in enumerate(Y)]
    some = TailReranker(label_tree()).fit(X, sets)
    known = TailReranker(label_tree()).fit(X[1::2], Y[1::2])
    assert_allclose(some.centres_.toarray(), known.centres_.toarray())
    assert_allclose(some.propensities_, known.propensities_)


def test_labels_of_a_hierarchy_have_centres_of_all_rows_below(texts):
    X = texts[0]
    tree = Hierarchy.from_paths(["a/b", "a/c", "d"])
    given = [{"a/b"}, {"a/c"}, {"d"}, {"a/b", "d"}] * 50
    reranker = TailReranker(small_forest(hierarchy=tree)).fit(X, given)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    below = unit[[any(label.startswith("a") for label in row) for row in given]].mean(axis=0)
    assert_allclose(reranker.centres_.toarray()[list(reranker.classes_).index("a")], below, rtol=1e-6)
    assert reranker.predict_top_k(X, 4).labels.shape == (200, 4)


def test_candidates_are_the_best_of_the_classifier(texts):
    X, Y, X_new, _ = texts
    for base in (naive, label_tree):
        everything = TailReranker(base()).fit(X, Y)
        few = TailReranker(base(), n_candidates=4).fit(X, Y)
        scores = everything.estimator_.predict_proba(X_new)
        rank = np.argsort(np.argsort(-scores, axis=1, kind="stable"), axis=1)
        expected = np.where(rank < 4, everything.predict_proba(X_new).toarray(), 0.0)
        assert_allclose(few.predict_proba(X_new).toarray(), expected)


def saved(model, **options):
    file = io.BytesIO()
    model.save(file, **options)
    return file.getvalue()


@pytest.mark.parametrize("base", [small_forest, label_tree])
def test_a_loaded_reranker_predicts_what_the_saved_one_did(texts, base):
    X, Y, X_new, _ = texts
    frame = pd.DataFrame(X, columns=[f"word{j}" for j in range(30)])
    sets = [tuple(f"tag{j}" for j in np.flatnonzero(row)) for row in Y]
    X_new = pd.DataFrame(X_new, columns=frame.columns)
    model = TailReranker(base(), alpha=0.7, n_candidates=5).fit(frame, sets)
    content = saved(model)
    again = load_model(io.BytesIO(content))
    assert_array_equal(again.predict_proba(X_new).toarray(), model.predict_proba(X_new).toarray())
    assert again.predict(X_new) == model.predict(X_new)
    assert_array_equal(again.feature_names_in_, frame.columns)
    assert str(again) == str(model)
    assert again.estimator.get_params() == model.estimator.get_params()
    assert saved(again) == content
    small = load_model(io.BytesIO(saved(model, float16=True, predict_only=True)))
    assert_allclose(small.predict_top_k(X_new, 2).scores, model.predict_top_k(X_new, 2).scores, rtol=0.1)
    again.fit(frame, sets)  # as the saved one was fitted
    assert_allclose(again.predict_proba(X_new).toarray(), model.predict_proba(X_new).toarray())


@pytest.mark.parametrize("gamma", [10.0, 1e300])
def test_scores_of_a_loaded_reranker_are_equal_in_every_bit(gamma):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(80, 10)), rng.random((80, 6)) < 0.3
    model = TailReranker(small_forest(), gamma=gamma).fit(X, Y)
    again = load_model(io.BytesIO(saved(model)))
    assert_array_equal(again.centres_.toarray(), model.centres_.toarray())
    assert_array_equal(again.predict_proba(X).toarray(), model.predict_proba(X).toarray())


def test_a_classifier_of_others_is_not_saved(texts):
    with pytest.raises(TypeError, match=r"OneVsRestClassifier.*cannot be written to a model file, only"):
        saved(TailReranker(naive()).fit(*texts[:2]))


def say(**parts):
    return lambda document, arrays: document.update(parts)


def put(name, place, value):
    return lambda document, arrays: arrays[name].__setitem__(place, value)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (put("propensities", 0, 0.0), "between 0 and 1"),
        (put("propensities", 0, np.nan), "between 0 and 1"),
        (put("centres/data", 0, np.inf), "rows of length 1"),
        (put("centres/data", 0, 7.0), "rows of length 1"),
        (put("centres/indices", 0, 1000), "has the index 1000 of columns"),
        (lambda document, arrays: document["centres"]["csr"].__setitem__(3, 31), "12 labels and 30 columns"),
        (say(centres=None), "12 labels and 30 columns"),
        (say(propensities=1.0), "between 0 and 1"),
        (say(weighted=1), "weighted"),
        (say(parameters={"alpha": 2.0}), "alpha=2.0"),
        (say(parameters={"estimator": 1}), "estimator"),
        (say(classifier=None), "none that can be reranked"),
        (lambda document, arrays: document["classifier"].update(estimator="TailReranker"), "none that can"),
        (lambda document, arrays: document["classifier"].update(n_columns=29), "must be 29"),
        (lambda document, arrays: arrays.update(more=np.zeros(1)), "no meaning"),
        (lambda document, arrays: arrays.pop("classifier/label_trees/weights"), "missing"),
        (lambda document, arrays: document.pop("weighted"), "must have just"),
    ],
)
def test_a_made_up_file_is_refused(content, change, says):
    read = container.read(io.BytesIO(content))
    arrays = {name: array.copy() for name, array in read.arrays.items()}
    change(read.document, arrays)
    file = io.BytesIO()
    container.write(file, read.document, arrays)
    with pytest.raises(ModelFileError, match=says):
        load_model(io.BytesIO(file.getvalue()))


@pytest.mark.parametrize(
    ("part", "array", "says"),
    [
        ("indptr", [0, 2_000_000, *[0] * 11], "indptr must be 13 numbers that begin with 0 and never fall"),
        ("indptr", [0] * 12 + [2**40], "indptr ends with 1099511627776"),
        ("indptr", np.zeros(0, np.int64), "has the shape"),
        ("indptr", np.zeros(13, np.float64), "expected int32 or int64"),
        ("indices", np.zeros(0, np.int32), "there are 0 indices"),
        ("data", np.zeros(0, np.float32), "and 0 values"),
        ("data", np.zeros((1, 1), np.float32), "2 dimensions"),
    ],
)
def test_centres_that_are_no_csr_array_are_refused(content, part, array, says):
    test_a_made_up_file_is_refused(
        content, lambda document, arrays: arrays.update({f"centres/{part}": np.asarray(array)}), says
    )


def test_centres_that_do_not_rise_within_a_row_are_refused(content):
    def turn(document, arrays):
        arrays["centres/indices"][:2] = arrays["centres/indices"][1::-1]

    test_a_made_up_file_is_refused(content, turn, "does not rise within a row")


@pytest.fixture(scope="module")
def content(texts):
    return saved(TailReranker(label_tree()).fit(*texts[:2]))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"alpha": 1.5}, "alpha=1.5 must be a finite number at least 0.0 and at most 1.0"),
        ({"gamma": -1.0}, "gamma=-1.0 must be a finite number at least 0"),
        ({"n_candidates": 0}, "n_candidates=0"),
        ({"propensity_b": 0.0}, "propensity_b=0.0 must be a finite number above 0"),
    ],
)
def test_parameters_out_of_range_are_refused(texts, given, message):
    X, Y, _, _ = texts
    with pytest.raises(ValueError, match=message):
        TailReranker(naive(), **given).fit(X, Y)


def test_what_cannot_be_reranked_is_refused_with_the_reason(texts):
    X, Y, X_new, _ = texts
    with pytest.raises(ValueError, match=r"only the class 1; give rows of two classes or more"):
        TailReranker(naive()).fit(X, np.ones(len(X), int))
    with pytest.raises(ValueError, match="the target y is None"):
        TailReranker(naive()).fit(X, None)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        TailReranker(naive()).fit(X, Y[:-1])
    with pytest.raises(ValueError, match="contains NaN"):
        TailReranker(naive()).fit(np.where(X > 5, np.nan, X), Y)
    with pytest.raises(ValueError, match="no distance from the centres"):
        TailReranker(small_forest()).fit(np.where(X > 5, np.nan, X), Y)
    with pytest.raises(TypeError, match="sample_weight was given, but fit of estimator"):
        TailReranker(Fixed()).fit(X, Y, np.ones(len(X)))
    lists = TailReranker(RandomForestClassifier(2, random_state=0)).fit(X, Y)
    with pytest.raises(ValueError, match=r"predict_proba returns a list; it must return one array of shape"):
        lists.predict_proba(X_new)
    narrow = TailReranker(Fixed(np.ones((100, 11)))).fit(X, Y)
    with pytest.raises(
        ValueError, match=r"array of shape \(100, 11\); it must return one array of shape \(100, 12\)"
    ):
        narrow.predict_proba(X_new)
    with pytest.raises(ValueError, match="30 features"):
        lists.predict_proba(X_new[:, :5])
