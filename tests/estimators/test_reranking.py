"""Claims about the reranker: the score of its formula, for what is proposed and nothing else."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_multilabel_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB

from slantwood import ObliqueForestClassifier, TailReranker
from slantwood.metrics import precision_at_k, propensities


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


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"alpha": 1.5}, "alpha=1.5 must be a finite number at least 0.0 and at most 1.0"),
        ({"gamma": -1.0}, "gamma=-1.0 must be a finite number at least 0"),
        ({"propensity_b": 0.0}, "propensity_b=0.0 must be a finite number above 0"),
    ],
)
def test_parameters_out_of_range_are_refused(texts, given, message):
    X, Y, _, _ = texts
    with pytest.raises(ValueError, match=message):
        TailReranker(naive(), **given).fit(X, Y)


def test_what_cannot_be_reranked_is_refused_with_the_reason(texts):
    X, Y, X_new, _ = texts
    with pytest.raises(ValueError, match=r"y has one dimension; pass the \(n_rows, n_labels\)"):
        TailReranker(naive()).fit(X, Y[:, 0])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        TailReranker(naive()).fit(X, Y[:-1])
    with pytest.raises(ValueError, match="contains NaN"):
        TailReranker(naive()).fit(np.where(X > 5, np.nan, X), Y)
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
