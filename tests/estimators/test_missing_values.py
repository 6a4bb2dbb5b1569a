"""Features may be missing: in any cell, in whole columns and rows, in training or later."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.impute import SimpleImputer

from slantwood import (
    GradientSplit,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
    load_model,
)

pytestmark = pytest.mark.sampled

SPLITS = ["gradient", "svm"]
TASKS = ["binary", "multi-class", "multi-label", "regression", "multi-target regression"]


def problem(task, n=90, seed=0):
    """Targets that three of five features decide; the features are rounded, so that some are zero."""
    rng = np.random.default_rng(seed)
    X = np.round(2 * rng.normal(size=(n, 5))) / 2
    hidden = X[:, :3] @ np.array([[1.0, 1.0, 0.0], [1.0, -1.0, 1.0], [0.0, 0.5, -1.0]])
    targets = {
        "binary": (hidden[:, 0] > 0).astype(int),
        "multi-class": np.argmax(hidden, axis=1),
        "multi-label": (hidden > 0.5).astype(int),
        "regression": hidden[:, 0],
        "multi-target regression": hidden,
    }
    return X, targets[task]


def with_gaps(X, share, seed=0):
    gaps = np.random.default_rng(seed).random(X.shape) < share
    return np.where(gaps, np.nan, X)


def forest(task, **parameters):
    kind = ObliqueForestRegressor if "regression" in task else ObliqueForestClassifier
    return kind(**{"n_estimators": 4, "random_state": 0, **parameters})


def tree(task, **parameters):
    kind = ObliqueTreeRegressor if "regression" in task else ObliqueTreeClassifier
    return kind(**{"random_state": 0, **parameters})


def scores(model, X):
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)


def same_trees(a, b):
    leaves_a, leaves_b = a.trees_.leaves, b.trees_.leaves
    pairs = list(zip(a.trees_[:-1], b.trees_[:-1], strict=True))
    pairs += [(leaves_a.values, leaves_b.values), (leaves_a.data, leaves_b.data)]
    return all(np.array_equal(x, y, equal_nan=x.dtype.kind == "f") for x, y in pairs)


# ---- any cell may be missing, at any time


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("make", [forest, tree])
@pytest.mark.parametrize("task", TASKS)
def test_cells_columns_and_rows_may_be_missing_in_training_and_later(task, make, split):
    X, y = problem(task)
    gaps = with_gaps(X, 0.2)
    gaps[:, 4] = np.nan
    gaps[7] = np.nan
    model = make(task, split=split).fit(gaps, y)
    later = X.copy()
    later[:, 0] = np.nan
    for rows in (gaps, X, later, np.full_like(X, np.nan)):
        predicted = model.predict(rows)
        assert predicted.shape == np.shape(y)
        assert np.isfinite(scores(model, rows)).all()
    # What is known is made use of.
    assert model.score(gaps, y) > model.score(np.full_like(X, np.nan), y)
    np.testing.assert_allclose(model.feature_importances_.sum(), 1.0)
    assert model.feature_importances_[4] == 0.0


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("task", TASKS)
def test_gaps_that_only_come_later_leave_training_as_it_was_and_rows_apart(task, split):
    X, y = problem(task)
    model = forest(task, split=split).fit(X, y)
    gaps = with_gaps(X, 0.3)
    whole = ~np.isnan(gaps).any(axis=1)
    assert 0 < whole.sum() < len(X)
    np.testing.assert_array_equal(scores(model, gaps)[whole], scores(model, X)[whole])
    one_by_one = np.concatenate([scores(model, gaps[[row]]) for row in range(20)])
    np.testing.assert_array_equal(scores(model, gaps)[:20], one_by_one)


@pytest.mark.parametrize("split", SPLITS)
def test_a_feature_that_is_never_known_leaves_a_tree_as_it_was(split):
    X, y = problem("regression")
    without = tree("regression", split=split).fit(X, y)
    wide = np.column_stack([X, np.full(len(X), np.nan)])
    with_it = tree("regression", split=split).fit(wide, y)
    np.testing.assert_array_equal(with_it.predict(wide), without.predict(X))
    # Nor does it matter what it holds later: nothing was learned about it.
    wide[:, -1] = 1e6
    np.testing.assert_array_equal(with_it.predict(wide), without.predict(X))


def test_nothing_known_at_all_predicts_the_mean():
    _, y = problem("regression")
    model = forest("regression", bootstrap=False).fit(np.full((len(y), 2), np.nan), y)
    np.testing.assert_allclose(model.predict([[1.0, np.nan]]), y.mean(), rtol=1e-6)
    np.testing.assert_array_equal(model.feature_importances_, np.zeros(2))


def test_the_users_arrays_are_left_as_they_are():
    X, y = problem("multi-target regression")
    X, y = with_gaps(X, 0.2).astype(np.float32), with_gaps(y, 0.2)
    X_before, y_before = X.copy(), y.copy()
    model = forest("regression", missing_indicators=True, unlabeled_weight=0.5).fit(X, y)
    model.predict(X)
    np.testing.assert_array_equal(X, X_before)
    np.testing.assert_array_equal(y, y_before)


# ---- how a gap is written does not matter


@pytest.mark.parametrize("missing_indicators", [False, True])
@pytest.mark.parametrize("container", [sp.csr_array, sp.csc_matrix, sp.coo_array])
@pytest.mark.parametrize("task", TASKS)
def test_sparse_matrices_with_explicit_nan_give_the_model_of_dense_ones(task, container, missing_indicators):
    X, y = problem(task)
    X = np.where(np.abs(X) < 1.0, 0.0, X)
    gaps = with_gaps(X, 0.1)
    expected = forest(task, missing_indicators=missing_indicators).fit(gaps, y)
    found = forest(task, missing_indicators=missing_indicators).fit(container(gaps), y)
    assert same_trees(expected, found)
    np.testing.assert_array_equal(scores(found, container(gaps)), scores(expected, gaps))
    np.testing.assert_array_equal(found.predict(gaps), expected.predict(container(gaps)))


@pytest.mark.parametrize("missing_indicators", [False, True])
def test_really_sparse_features_may_be_missing_too(missing_indicators):
    rng = np.random.default_rng(0)
    X = rng.poisson(0.06, (120, 60)).astype(float)
    y = (X @ rng.normal(size=(60, 40)) > 1.0).astype(int)
    gaps = with_gaps(X, 0.02)
    expected, found = (
        forest("multi-label", missing_indicators=missing_indicators).fit(form, y)
        for form in (gaps, sp.csr_array(gaps))
    )
    assert expected.settings_.normalize_rows
    assert same_trees(expected, found)
    np.testing.assert_array_equal(scores(found, sp.csr_array(gaps)), scores(expected, gaps))
    assert np.isfinite(scores(found, gaps)).all()


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA], ids=["None", "NaN", "NA"])
def test_arrays_of_objects_may_write_gaps_in_any_way(missing):
    X, y = problem("binary")
    gaps = with_gaps(X, 0.2)
    objects = gaps.astype(object)
    objects[np.isnan(gaps)] = missing
    model = forest("binary").fit(objects, y)
    np.testing.assert_array_equal(scores(model, objects), scores(forest("binary").fit(gaps, y), gaps))


def test_lists_may_hold_none():
    X, y = problem("binary")
    gaps = with_gaps(X, 0.2)
    rows = [[None if np.isnan(cell) else cell for cell in row] for row in gaps.tolist()]
    model = forest("binary").fit(rows, y)
    np.testing.assert_array_equal(scores(model, rows), scores(forest("binary").fit(gaps, y), gaps))


@pytest.mark.parametrize("task", TASKS)
def test_threads_copies_and_later_trees_do_not_change_a_model_with_gaps(task):
    X, y = problem(task)
    X = with_gaps(X, 0.2)
    y = with_gaps(y, 0.1) if task == "multi-target regression" else y
    one = forest(task, missing_indicators=True, n_jobs=1).fit(X, y)
    two = forest(task, missing_indicators=True, n_jobs=2).fit(X, y)
    grown = forest(task, missing_indicators=True, warm_start=True, n_estimators=2).fit(X, y)
    grown.set_params(n_estimators=4).fit(X, y)
    for other in (two, grown, pickle.loads(pickle.dumps(one)), clone(one).fit(X, y)):
        assert same_trees(one, other)
        np.testing.assert_array_equal(scores(other, X), scores(one, X))
        np.testing.assert_array_equal(other.feature_importances_, one.feature_importances_)


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("task", ["binary", "regression"])
def test_rows_of_weight_zero_leave_no_gaps_behind(task, split):
    X, y = problem(task)
    gaps = with_gaps(X, 0.1)
    gaps[::3, 0] = np.nan
    weights = np.ones(len(X))
    weights[::3] = 0.0
    kept = weights > 0
    weighted = tree(task, split=split).fit(gaps, y, sample_weight=weights)
    left_out = tree(task, split=split).fit(gaps[kept], y[kept])
    np.testing.assert_array_equal(weighted.trees_.left, left_out.trees_.left)
    np.testing.assert_allclose(scores(weighted, gaps), scores(left_out, gaps), atol=1e-5)


# ---- gaps cost what they must, and no more


def linear(seed, n_irrelevant):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(600, 3 + n_irrelevant))
    y = X[:, 0] + X[:, 1] - 1.5 * X[:, 2] + 0.1 * rng.normal(size=600)
    return X, y


def clusters(seed):
    """Features that say the same in different words, so that one can stand in for another."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 4, 600)
    X = 3.0 * rng.normal(size=(4, 8))[group] + rng.normal(size=(600, 8))
    return X, group + 0.3 * X[:, 0] + 0.1 * rng.normal(size=600)


def fresh_score(X, y, **parameters):
    model = ObliqueForestRegressor(**{"n_estimators": 10, **parameters})
    return model.fit(X[:300], y[:300]).score(X[300:], y[300:])


@pytest.mark.sampled(1)
@pytest.mark.parametrize("split", SPLITS)
def test_gaps_in_features_of_no_use_cost_nothing(split):
    cost = []
    for seed in range(4):
        X, y = linear(seed, n_irrelevant=8)
        gaps = np.column_stack([X[:, :3], with_gaps(X[:, 3:], 0.1, seed)])
        whole, holed = (fresh_score(Z, y, split=split, random_state=seed) for Z in (X, gaps))
        assert whole > 0.85
        cost.append(whole - holed)
    assert np.mean(cost) < 0.01


@pytest.mark.parametrize("split", SPLITS)
def test_what_is_known_stands_in_for_what_is_not_better_than_means_do(split):
    # Thresholds of single features, drawn at random, would hide so small a gain.
    split = GradientSplit(competitor=None) if split == "gradient" else split
    gain = []
    for seed in range(4):
        X, y = clusters(seed)
        gaps = with_gaps(X, 0.2, seed)
        filled = SimpleImputer().fit(gaps[:300]).transform(gaps)
        own, imputed = (fresh_score(Z, y, split=split, random_state=seed) for Z in (gaps, filled))
        assert own > 0.8
        gain.append(own - imputed)
    assert np.mean(gain) > 0.0


@pytest.mark.parametrize("split", SPLITS)
def test_gaps_in_features_that_nothing_stands_in_for_leave_most_of_the_signal(split):
    # A fifth of each of three equal parts of the variance is not to be had.
    for seed in range(2):
        X, y = linear(seed, n_irrelevant=1)
        assert fresh_score(with_gaps(X, 0.2, seed), y, split=split, random_state=seed) > 0.6


# ---- missing as a signal


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("make", [forest, tree])
def test_that_a_value_is_missing_is_seen_in_full_only_with_indicators(make, split):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    missing = rng.random(400) < 0.5
    X[missing, 1] = np.nan
    fitted = {
        marked: make("binary", split=split, missing_indicators=marked).fit(X[:200], missing[:200])
        for marked in (False, True)
    }
    assert fitted[True].score(X[200:], missing[200:]) == 1.0
    # Without them all such rows stand at the mean, so that two cuts around it may find most of them.
    assert fitted[False].score(X[200:], missing[200:]) < 0.9
    # The signal is the feature's, whatever column carried it.
    assert fitted[True].feature_importances_.argmax() == 1
    assert len(fitted[True].feature_importances_) == 4


def test_indicators_are_named_and_are_those_of_gaps_seen_in_training():
    X, y = problem("binary")
    X[3, 1] = np.nan
    model = forest("binary", missing_indicators=True).fit(X, y)
    assert model.n_features_in_ == 5
    assert model.split_feature_names_.tolist() == ["x0", "x1", "x2", "x3", "x4", "x1 is missing"]
    later = X.copy()
    later[:, 2] = np.nan
    assert np.isfinite(scores(model, later)).all()


def test_without_gaps_indicators_change_nothing():
    X, y = problem("multi-class")
    plain, marked = (forest("multi-class", missing_indicators=marked).fit(X, y) for marked in (False, True))
    assert same_trees(plain, marked)


def missing_for_a_reason(task, n=200):
    """Two columns miss values: the second where the first target is high, the fourth anywhere."""
    X, y = problem(task, n)
    rng = np.random.default_rng(1)
    by = y if y.ndim == 1 else y[:, 0]
    X[rng.random(n) < np.where(by > np.median(by), 0.9, 0.1), 1] = np.nan
    X[rng.random(n) < 0.4, 3] = np.nan
    return X, y


@pytest.mark.parametrize("make", [forest, tree])
@pytest.mark.parametrize("task", ["binary", "multi-label", "regression", "multi-target regression"])
def test_columns_that_are_missing_for_a_reason_have_indicators_by_default(task, make):
    X, y = missing_for_a_reason(task)
    model = make(task).fit(X, y)
    assert model.encoding_.indicated == (1,)
    assert model.split_feature_names_[-1] == "x1 is missing"
    later = X.copy()
    later[:, 2] = np.nan
    assert np.isfinite(scores(model, later)).all()


def test_by_default_a_forest_learns_from_what_is_missing():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 12))
    y = rng.random(600) < 0.5
    X[rng.random(600) < np.where(y, 0.9, 0.1), 1] = np.nan
    X[rng.random((600, 12)) < 0.2] = np.nan
    none, auto = (
        forest("binary", n_estimators=10, missing_indicators=way).fit(X[:300], y[:300])
        for way in (False, "auto")
    )
    assert auto.encoding_.indicated == (1,)
    assert auto.score(X[300:], y[300:]) > none.score(X[300:], y[300:]) + 0.05


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, pd.DataFrame], ids=["array", "CSR", "frame"])
@pytest.mark.parametrize("task", TASKS)
def test_where_values_are_missing_at_random_the_model_is_that_without_indicators(task, container):
    X, y = problem(task)
    gaps = container(with_gaps(X, 0.2))
    auto, without = (forest(task, missing_indicators=way).fit(gaps, y) for way in ("auto", False))
    assert auto.encoding_ == without.encoding_
    assert same_trees(auto, without)


@pytest.mark.parametrize("container", [sp.csr_array, pd.DataFrame], ids=["CSR", "frame"])
def test_indicators_are_chosen_alike_in_every_container(container):
    X, y = missing_for_a_reason("binary")
    expected = forest("binary").fit(X, y)
    found = forest("binary").fit(container(X), y)
    assert found.encoding_.indicated == expected.encoding_.indicated == (1,)
    np.testing.assert_allclose(scores(found, container(X)), scores(expected, X), atol=1e-5)


def test_nominal_columns_are_missing_for_a_reason_too():
    X, y = missing_for_a_reason("binary")
    names = np.array(["ash", "elm", "oak"], object)[np.arange(200) % 3]
    frame = pd.DataFrame({"size": X[:, 0], "kind": np.where(np.isnan(X[:, 1]), None, names), "age": X[:, 3]})
    model = forest("binary").fit(frame, y)
    assert model.encoding_.indicated == (1,)
    assert model.split_feature_names_[-1] == "kind is missing"
    without = forest("binary", missing_indicators=False).fit(frame, y[::-1])
    assert forest("binary").fit(frame, y[::-1]).encoding_ == without.encoding_


def test_more_trees_keep_the_indicators_of_the_first_ones():
    X, y = missing_for_a_reason("binary")
    at_once = forest("binary").fit(X, y)
    grown = forest("binary", n_estimators=2, warm_start=True).fit(X, y)
    grown.set_params(n_estimators=4).fit(X, y)
    assert same_trees(at_once, grown)
    grown.set_params(n_estimators=5).fit(X[::-1], y)  # where nothing tells anything
    assert grown.encoding_.indicated == (1,)


def test_rows_without_weight_or_class_do_not_choose_indicators():
    X, y = problem("binary", 200)
    gaps = with_gaps(X, 0.3)
    gaps[100:, 2] = np.nan
    y = np.where(np.arange(200) < 100, y, 1)
    assert forest("binary").fit(gaps, y).encoding_.indicated == (2,)
    weights = (np.arange(200) < 100).astype(float)
    assert forest("binary").fit(gaps, y, sample_weight=weights).encoding_.indicated == ()
    partly = np.where(np.arange(200) < 100, y.astype(object), None)
    assert forest("binary").fit(gaps, partly).encoding_.indicated == ()


def test_a_model_with_chosen_indicators_is_saved(tmp_path):
    X, y = missing_for_a_reason("multi-label")
    model = forest("multi-label").fit(X, y)
    model.save(tmp_path / "m.slant")
    again = load_model(tmp_path / "m.slant")
    assert again.missing_indicators == "auto"
    assert again.encoding_ == model.encoding_
    np.testing.assert_array_equal(scores(again, X), scores(model, X))


# ---- what is no gap


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, pd.DataFrame], ids=["array", "CSR", "frame"])
def test_infinity_is_no_gap(form):
    X, y = problem("binary")
    wrong = with_gaps(X, 0.1)
    wrong[5, 1] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        forest("binary").fit(form(wrong), y)
    model = forest("binary").fit(form(X), y)
    with pytest.raises(ValueError, match="infinity"):
        model.predict(form(wrong))


def test_indicators_are_on_or_off():
    X, y = problem("binary")
    with pytest.raises(TypeError, match="missing_indicators='yes'"):
        forest("binary", missing_indicators="yes").fit(X, y)
