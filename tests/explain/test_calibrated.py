"""Claims about models whose probabilities are made such as are met."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit, logit
from sklearn.datasets import load_iris, make_multilabel_classification

from slantwood import (
    Hierarchy,
    ObliqueBoostingClassifier,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
)
from slantwood.explain import Calibration, calibrated, calibration
from slantwood.explain.power_maps import ClassMap, Doubt, LabelCells, LabelMap

FOREST = {"n_estimators": 25, "bootstrap": True, "random_state": 0}


def classes(n_rows, seed, n_classes=3):
    """Classes that overlap: the features tell them with an error."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_rows)
    return rng.normal(size=(n_rows, n_classes)) + 1.2 * np.eye(n_classes)[y], y


def labels(n_rows, seed):
    rows = np.random.default_rng(seed).permutation(1500)[:n_rows]
    X, Y = make_multilabel_classification(1500, n_features=8, n_classes=6, random_state=0)
    return X[rows], Y[rows]


def planted_cells(n_rows, n_labels, power, offset, seed=0):
    """Labels whose true odds are a power of those that are said, times a factor."""
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.02, 0.98, size=(n_rows, n_labels))
    truth = rng.uniform(size=p.shape) < expit(power * logit(p) + offset)
    row, column = np.nonzero(p)
    present = truth.sum(axis=0).astype(float)
    parts = (row, column, p.ravel(), truth.ravel().astype(float), np.ones(p.size), present, n_rows - present)
    return p, truth, LabelCells(*parts)


# ---- the maps


def test_a_planted_power_and_factor_of_classes_is_found():
    rng = np.random.default_rng(0)
    p = 0.02 + 0.94 * rng.dirichlet(np.ones(3), 20000)  # not so small that doubt counts
    q = p**0.5 * np.array([1.0, 2.0, 0.5])
    q /= q.sum(axis=1, keepdims=True)
    y = (q.cumsum(axis=1) < rng.uniform(size=(20000, 1))).sum(axis=1)
    found = ClassMap.learn(p, y, np.ones(20000), Doubt(np.full(3, 1 / 3), np.inf))
    assert_allclose(found.power, 0.5, atol=0.05)
    assert_allclose(found.apply(p), q, atol=0.02)


def test_planted_powers_and_factors_of_labels_are_found():
    power, offset = np.array([0.5, 2.0, 1.0]), np.array([0.5, -1.0, 0.0])
    p, truth, cells = planted_cells(20000, 3, power, offset)
    found = LabelMap.learn(cells, Doubt(truth.mean(axis=0), np.inf))
    assert found.has_own.all()
    assert_allclose(found.apply(p), expit(power * logit(p) + offset), atol=0.03)


def test_rare_labels_share_a_map():
    _, truth, cells = planted_cells(600, 8, 0.5, -1.0)
    truth[:, 0] = False  # a label that no row has
    cells = cells._replace(truth=truth.ravel().astype(float), present=truth.sum(axis=0).astype(float))
    found = LabelMap.learn(cells, Doubt((truth.mean(axis=0) + 1e-3) / 1.01, np.inf))
    assert_array_equal(found.has_own, np.arange(8) > 0)
    assert abs(found.power[0] - np.mean(found.power[1:])) < 0.3
    assert found.offset[0] > found.offset.min() - 1.0  # not that of its own, which is as low as can be


def test_a_row_of_weight_two_is_as_two():
    rng = np.random.default_rng(0)
    p, y, weights = rng.dirichlet(np.ones(3), 60), rng.integers(0, 3, 60), np.tile([1.0, 2.0], 30)
    doubt, twice = Doubt(np.full(3, 1 / 3), 20.0), np.repeat(np.arange(60), weights.astype(int))
    one = ClassMap.learn(p, y, weights, doubt)
    two = ClassMap.learn(p[twice], y[twice], np.ones(90), doubt)
    assert_allclose(one.parameters, two.parameters, atol=1e-4)


def test_few_rows_change_little():
    rng = np.random.default_rng(0)
    p, y = rng.dirichlet(np.ones(3), 3), np.array([0, 1, 2])
    found = ClassMap.learn(p, y, np.ones(3), Doubt(np.full(3, 1 / 3), np.inf))
    assert 0.3 < found.power < 3.0
    assert np.abs(found.offset).max() < 1.0


# ---- planted miscalibration is removed


@pytest.mark.parametrize("n_classes", [2, 4])
def test_probabilities_that_class_weights_moved_come_back(n_classes):
    X, y = classes(700, 0, n_classes)
    moved = {0: 8.0} | dict.fromkeys(range(1, n_classes), 1.0)
    forest = ObliqueForestClassifier(**FOREST, class_weight=moved).fit(X, y)
    sure = calibrated(forest, X, y)
    X, y = classes(3000, 1, n_classes)
    before, p = calibration(forest, X, y), sure.predict_proba(X)
    shown = (p[:, 1:], (y == 1)[:, None]) if n_classes == 2 else (p, y[:, None] == np.arange(n_classes))
    after = Calibration.from_probabilities(*shown)
    assert before.expected_error > 0.06
    assert after.expected_error < before.expected_error / 2
    assert after.brier < before.brier
    assert_allclose(p.mean(axis=0), 1 / n_classes, atol=0.05)


@pytest.mark.parametrize(
    ("model", "options"),
    [
        (ObliqueTreeClassifier(random_state=0), {"cv": 5, "random_state": 0}),
        (
            ObliqueBoostingClassifier(n_estimators=40, early_stopping=False, random_state=0),
            {"cv": 3, "random_state": 0},
        ),
        (ObliqueForestClassifier(**FOREST), {"unseen": True}),
    ],
    ids=["tree", "boosted", "kept aside"],
)
def test_every_way_to_unseen_rows_serves(model, options):
    X, y = classes(500, 0, 2)
    model.fit(X, y)
    rows = classes(500, 2, 2) if "unseen" in options else (X, y)
    sure = calibrated(model, *rows, **options)
    before = model.predict_proba(X)
    X, y = classes(3000, 1, 2)
    found = Calibration.from_probabilities(sure.predict_proba(X)[:, 1], y == 1)
    assert found.brier <= calibration(model, X, y).brier + 0.001
    assert found.expected_error < 0.06
    assert_allclose(sure.after.brier, found.brier, atol=0.03)
    assert_array_equal(model.predict_proba(classes(500, 0, 2)[0]), before)


def test_labels_drawn_by_lot_become_as_probable_as_they_are_though_the_trees_saw_them():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 3)), rng.uniform(size=400) < 0.3
    forest = ObliqueForestClassifier(**FOREST, min_samples_leaf=1).fit(X, y)
    assert calibration(forest, X, y).brier < 0.19  # as if it knew: 0.21 is what nobody can be below
    sure = calibrated(forest, X, y)
    assert sure.before.brier > 0.2
    assert 0.19 < sure.after.brier < 0.23
    assert sure.predict_proba(rng.normal(size=(500, 3)))[:, 1].std() < 0.08


# ---- what stays


def test_probabilities_of_classes_add_up_to_one():
    X, y = classes(300, 0, 5)
    p = calibrated(ObliqueForestClassifier(**FOREST).fit(X, y), X, y).predict_proba(X)
    assert_allclose(p.sum(axis=1), 1.0)
    assert (p > 0).all()


def test_the_order_of_rows_is_kept_within_each_label_and_each_of_two_classes():
    X, Y = labels(300, 0)
    for y in (Y, Y[:, 0]):
        forest = ObliqueForestClassifier(**FOREST).fit(X, y)
        p, q = forest.predict_proba(X), calibrated(forest, X, y).predict_proba(X)
        for said, met in zip(p.T, q.T, strict=True):
            order = np.argsort(said, kind="stable")
            assert (np.diff(met[order])[np.diff(said[order]) > 0] >= 0).all()
            assert_array_equal((met[order] == 0), (said[order] == 0) if y is Y else False)


def test_labels_as_matrix_sparse_matrix_and_sets_are_calibrated_the_same():
    X, Y = labels(250, 0)
    names = np.array([f"label {j}" for j in range(Y.shape[1])])
    sure = [
        calibrated(ObliqueForestClassifier(**FOREST).fit(X, y), X, y)
        for y in (Y, sp.csr_array(Y), [set(names[row == 1]) for row in Y])
    ]
    expected = sure[0].predict_proba(X)
    for each in sure:
        assert_allclose(each.predict_proba(X), expected, atol=1e-4)
        sparse = each.predict_proba(X, sparse=True)
        assert sp.issparse(sparse)
        assert_allclose(sparse.toarray(), expected, atol=1e-4)
        best = each.predict_proba(X, top_k=2)
        assert (np.diff(best.indptr) <= 2).all()
        assert_allclose(best.max(axis=1).toarray().ravel(), expected.max(axis=1), atol=1e-4)
        assert_allclose([each.before.brier, each.after.brier], [sure[0].before.brier, sure[0].after.brier])
    assert sp.issparse(sure[1].predict(X))
    assert_array_equal(sure[1].predict(X).toarray(), sure[0].predict(X))
    assert set(sure[2].predict(X)[0]) == set(names[sure[0].predict(X)[0] == 1])


def test_of_sparse_labels_before_is_what_calibration_measures_of_unseen_rows():
    X, Y = labels(700, 0)
    forest = ObliqueForestClassifier(**FOREST).fit(X[:300], sp.csr_array(Y[:300]))
    rows = X[300:], sp.csr_array(Y[300:])
    found, expected = calibrated(forest, *rows, unseen=True).before, calibration(forest, *rows)
    assert_allclose([found.brier, found.expected_error], [expected.brier, expected.expected_error], rtol=1e-5)
    assert_allclose(found.weight, expected.weight)


def test_in_a_hierarchy_no_label_is_more_probable_than_its_parents():
    X, y = load_iris(return_X_y=True)
    kinds = Hierarchy.from_edges(
        [("any", "short"), ("any", "long"), ("short", "0"), ("long", "1"), ("long", "2")]
    )
    tags = [{str(each)} for each in y]
    forest = ObliqueForestClassifier(hierarchy=kinds, **FOREST).fit(X, tags)
    sure = calibrated(forest, X, tags)
    p = sure.predict_proba(X)
    for parent, child in kinds.edges:
        assert (p[:, kinds.index(parent)] >= p[:, kinds.index(child)]).all()
    assert_allclose(sure.predict_proba(X, sparse=True).toarray(), p, atol=1e-6)
    assert_array_equal(kinds.closure(np.asarray(kinds.indicator(sure.predict(X)).toarray())), p > 0.5)


def test_labels_that_are_not_known_have_no_part():
    X, Y = labels(400, 0)
    Y = Y.astype(float)
    Y[:200, 0] = np.nan
    forest = ObliqueForestClassifier(**FOREST).fit(X, Y)
    sure = calibrated(forest, X, Y)
    known = labels(400, 0)[1][200:, 0]
    assert_allclose(sure.predict_proba(X)[200:, 0].mean(), known.mean(), atol=0.1)


def test_it_is_pickled_with_its_model():
    X, y = classes(200, 0)
    sure = calibrated(ObliqueForestClassifier(**FOREST).fit(X, y), X, y)
    again = pickle.loads(pickle.dumps(sure))
    assert_array_equal(again.predict_proba(X), sure.predict_proba(X))
    assert repr(again) == repr(sure)
    assert " rows, Brier score 0." in repr(sure)


def test_the_threshold_of_the_model_counts_unless_it_was_tuned():
    X, Y = labels(250, 0)
    low = ObliqueForestClassifier(**FOREST, threshold=0.2).fit(X, Y)
    sure = calibrated(low, X, Y)
    assert_array_equal(sure.predict(X), sure.predict_proba(X) > 0.2)
    tuned = ObliqueForestClassifier(**FOREST, threshold="f1_macro").fit(X, Y)
    assert_array_equal(calibrated(tuned, X, Y).predict(X), tuned.predict(X))


def test_the_short_method_is_the_function():
    X, y = classes(200, 0)
    forest = ObliqueForestClassifier(**FOREST).fit(X, y)
    assert_array_equal(forest.calibrated(X, y).predict_proba(X), calibrated(forest, X, y).predict_proba(X))
    assert_array_equal(forest.calibrated(X, y).classes_, forest.classes_)
    assert not hasattr(ObliqueForestRegressor, "calibrated")


def test_what_cannot_be_told_is_refused_with_a_remedy():
    X, y = classes(200, 0)
    forest = ObliqueForestClassifier(**FOREST).fit(X, y)
    with pytest.raises(ValueError, match="numbers, which have no probabilities; use conformal"):
        calibrated(ObliqueForestRegressor(**FOREST).fit(X, y), X, y)
    with pytest.raises(ValueError, match=r"saw the rows.*unseen=True, or cv=5"):
        calibrated(ObliqueTreeClassifier().fit(X, y), X, y)
    with pytest.raises(ValueError, match="not those that the model was fitted on"):
        calibrated(forest, X[::-1], y)
    with pytest.raises(ValueError, match="give one of the two"):
        calibrated(forest, X, y, unseen=True, cv=5)
    nameless = np.where(np.arange(200) < 1, y.astype(object), None)
    first = np.arange(200) == 0
    with pytest.raises(ValueError, match="y is known in no row"):
        calibrated(forest, X, nameless, unseen=True, sample_weight=~first * 1.0)
    several = np.stack([y > 1, y < 1], axis=1).astype(str)
    with pytest.raises(ValueError, match="several targets with classes"):
        calibrated(ObliqueForestClassifier(**FOREST).fit(X, several), X, several)
    with pytest.raises(TypeError, match="model is a str"):
        calibrated("forest", X, y)
    with pytest.raises(ValueError, match="top_k"):
        calibrated(forest, X, y).predict_proba(X, top_k=0)
