"""Claims about errors as trees are added, and about labels that come together."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.datasets import load_diabetes, load_iris, make_multilabel_classification
from sklearn.metrics import r2_score

from slantwood import (
    ObliqueBoostingClassifier,
    ObliqueBoostingRegressor,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
)
from slantwood.explain import cooccurrence, staged_errors

FEW = {"n_estimators": 6, "random_state": 0}


def test_the_error_after_some_trees_is_that_of_a_forest_of_these():
    X, y = load_iris(return_X_y=True)
    for target in (y, y == 2):
        errors = staged_errors(ObliqueForestClassifier(**FEW).fit(X[::2], target[::2]), X[1::2], target[1::2])
        for n in (1, 4, 6):
            # Trees do not depend on how many there are.
            forest = ObliqueForestClassifier(**FEW | {"n_estimators": n}).fit(X[::2], target[::2])
            assert errors[n - 1] == pytest.approx(np.mean(forest.predict(X[1::2]) != target[1::2]))


def test_errors_of_numbers_are_those_that_r2_counts_and_of_labels_squares():
    X, y = load_diabetes(return_X_y=True)
    Y = np.stack([y, y**2], axis=1)
    weights = np.random.default_rng(0).integers(0, 3, 221).astype(float)
    forest = ObliqueForestRegressor(**FEW).fit(X[::2], Y[::2])
    errors = staged_errors(forest, X[1::2], Y[1::2], sample_weight=weights)
    expected = 1 - r2_score(Y[1::2], forest.predict(X[1::2]), sample_weight=weights)
    assert errors[-1] == pytest.approx(expected, rel=1e-5)
    X, Y = make_multilabel_classification(120, random_state=0)
    for form in (np.array, sp.csr_array):
        forest = ObliqueForestClassifier(**FEW).fit(X[::2], form(Y[::2]))
        p = forest.predict_proba(X[1::2])
        assert staged_errors(forest, X[1::2], form(Y[1::2]))[-1] == pytest.approx(np.mean((p - Y[1::2]) ** 2))


def test_boosted_models_have_an_error_for_each_round():
    X, y = load_diabetes(return_X_y=True)
    few = FEW | {"early_stopping": False}
    model = ObliqueBoostingRegressor(**few).fit(X[::2], y[::2])
    expected = [1 - r2_score(y[1::2], said) for said in model.staged_predict(X[1::2])]
    assert_allclose(staged_errors(model, X[1::2], y[1::2]), expected, rtol=1e-5)
    X, y = load_iris(return_X_y=True)
    model = ObliqueBoostingClassifier(**few).fit(X[::2], y[::2])
    expected = [np.mean(said != y[1::2]) for said in model.staged_predict(X[1::2])]
    assert_allclose(staged_errors(model, X[1::2], y[1::2]), expected)


def test_what_is_not_known_has_no_part():
    X, y = load_diabetes(return_X_y=True)
    forest = ObliqueForestRegressor(**FEW).fit(X, y)
    some = y.copy()
    some[::3] = np.nan
    known = ~np.isnan(some)
    assert_allclose(staged_errors(forest, X, some), staged_errors(forest, X[known], y[known]), rtol=1e-9)
    with pytest.raises(ValueError, match="the same, or not known"):
        staged_errors(forest, X, np.ones(len(y)))


# ---- labels that come together


def test_shares_of_labels_that_come_together():
    X, Y = make_multilabel_classification(150, n_classes=4, random_state=0)
    forest = ObliqueForestClassifier(**FEW).fit(X, sp.csr_array(Y))
    found = cooccurrence(forest, X, sp.csr_array(Y))
    p = forest.predict_proba(X)
    assert_allclose(found.observed, Y.T @ Y / 150)
    expected = p.T @ p / 150
    np.fill_diagonal(expected, p.mean(axis=0))
    assert_allclose(found.predicted, expected, atol=1e-6)
    frame = found.to_frame()
    assert len(frame) == 6
    assert (frame["observed"] - frame["predicted"]).abs().is_monotonic_decreasing
    assert cooccurrence(forest, X, Y, targets=[2, 0]).names == ("y2", "y0")


def test_classes_do_not_come_together():
    X, y = load_iris(return_X_y=True)
    tree = ObliqueTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="multi-class; co-occurrence is for labels"):
        cooccurrence(tree, X, y)
