"""Claims about how probabilities compare with what came true."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.calibration import calibration_curve
from sklearn.datasets import load_breast_cancer, load_iris, make_multilabel_classification
from sklearn.metrics import brier_score_loss

from slantwood import ObliqueForestClassifier, ObliqueForestRegressor
from slantwood.explain import Calibration, calibration

FEW = {"n_estimators": 10, "random_state": 0}


def test_of_two_classes_it_is_what_scikit_learn_measures():
    X, y = load_breast_cancer(return_X_y=True)
    forest = ObliqueForestClassifier(**FEW).fit(X[::2], y[::2])
    p, truth = forest.predict_proba(X[1::2])[:, 1], y[1::2]
    found = calibration(forest, X[1::2], truth, n_bins=7)
    assert_allclose(found.brier, brier_score_loss(truth, p))
    observed, predicted = calibration_curve(truth, p, n_bins=7)
    assert_allclose(found.observed, observed)
    assert_allclose(found.predicted, predicted)
    assert found.weight.sum() == len(truth)
    assert_allclose(found.expected_error, np.average(abs(observed - predicted), weights=found.weight))


def test_probabilities_that_are_met_have_no_error_and_others_do():
    rng = np.random.default_rng(0)
    p = rng.uniform(size=20000)
    truth = rng.uniform(size=20000) < p
    assert Calibration.from_probabilities(p, truth).expected_error < 0.015
    assert Calibration.from_probabilities(p**2, truth).expected_error > 0.1


def test_all_classes_and_labels_count():
    X, y = load_iris(return_X_y=True)
    forest = ObliqueForestClassifier(**FEW).fit(X[::2], y[::2])
    found = calibration(forest, X[1::2], y[1::2])
    assert_allclose(found.brier, np.mean((forest.predict_proba(X[1::2]) - np.eye(3)[y[1::2]]) ** 2))
    X, Y = make_multilabel_classification(150, random_state=0)
    dense, sparse = (ObliqueForestClassifier(**FEW).fit(X[:100], y) for y in (Y[:100], sp.csr_array(Y[:100])))
    expected = np.mean((dense.predict_proba(X[100:]) - Y[100:]) ** 2)
    assert_allclose(calibration(dense, X[100:], Y[100:]).brier, expected, rtol=1e-5)
    assert_allclose(calibration(sparse, X[100:], sp.csr_array(Y[100:])).brier, expected, rtol=1e-5)


def test_a_row_of_weight_two_is_as_two():
    rng = np.random.default_rng(0)
    p, truth, weights = rng.uniform(size=50), rng.integers(0, 2, 50), np.tile([1, 2], 25)
    found = Calibration.from_probabilities(p, truth, sample_weight=weights)
    twice = Calibration.from_probabilities(np.repeat(p, weights), np.repeat(truth, weights))
    assert_allclose([found.brier, found.expected_error], [twice.brier, twice.expected_error])


def test_out_of_bag_probabilities_may_lack_rows():
    X, y = load_iris(return_X_y=True)
    forest = ObliqueForestClassifier(n_estimators=40, random_state=0, oob_score=True).fit(X, y)
    p = forest.oob_decision_function_.copy()
    found = Calibration.from_probabilities(p, np.eye(3)[y])
    p[0] = np.nan
    assert Calibration.from_probabilities(p, np.eye(3)[y]).weight.sum() == found.weight.sum() - 3


def test_what_is_no_probability_is_refused():
    with pytest.raises(ValueError, match="from 0 to 1"):
        Calibration.from_probabilities([1.5], [1])
    with pytest.raises(ValueError, match=r"shape \(2,\) and truth \(1,\)"):
        Calibration.from_probabilities([0.5, 0.5], [1])
    X, y = load_iris(return_X_y=True)
    forest = ObliqueForestRegressor(**FEW).fit(X, y)
    with pytest.raises(ValueError, match="use conformal"):
        calibration(forest, X, y)
