"""What forests and trees offer beyond fit and predict."""

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, make_multilabel_classification, make_regression
from sklearn.metrics import accuracy_score, r2_score, recall_score
from sklearn.model_selection import GridSearchCV, cross_val_score

from slantwood import (
    GradientSplit,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
)
from slantwood.growth.plan import bootstrap_counts

# Few trees on purpose: rows that all of them saw, which a warning tells of, are no concern of these claims.
pytestmark = pytest.mark.filterwarnings("ignore:oob_score=True.*no out-of-bag prediction:UserWarning")


@pytest.fixture(scope="module")
def labels():
    X, Y = make_multilabel_classification(300, 20, n_classes=8, random_state=0)
    return X[:200], Y[:200], X[200:], Y[200:]


@pytest.fixture(scope="module")
def label_forest(labels):
    X, Y, _, _ = labels
    return ObliqueForestClassifier(n_estimators=10, random_state=0).fit(X, Y)


def test_classes_of_any_type_come_back_as_they_were():
    X, codes = load_iris(return_X_y=True)
    for names in (np.array(["a", "b", "c"]), np.array([3, -1, 7]), np.array([0.0, 1.0, 2.0])):
        y = names[codes]
        model = ObliqueForestClassifier(n_estimators=5, random_state=0).fit(X, y)
        assert set(model.predict(X)) <= set(names)
        assert model.score(X, y) > 0.95
        np.testing.assert_array_equal(model.classes_, np.sort(names))
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    boolean = ObliqueTreeClassifier(random_state=0).fit(X, codes == 1)
    assert boolean.predict(X).dtype == bool


def test_multi_label_scores_are_one_array(labels, label_forest):
    _, _, X, _ = labels
    scores = label_forest.predict_proba(X)
    assert scores.shape == (100, 8)
    assert scores.min() >= 0.0
    assert scores.max() <= 1.0 + 1e-6
    np.testing.assert_array_equal(label_forest.predict(X), (scores > 0.5).astype(int))


def test_the_threshold_can_be_changed_without_fitting_again(labels, label_forest):
    _, _, X, _ = labels
    scores = label_forest.predict_proba(X)
    low = clone(label_forest)
    low.__dict__.update(label_forest.__dict__)
    np.testing.assert_array_equal(low.set_params(threshold=0.2).predict(X), (scores > 0.2).astype(int))


def test_sparse_scores_are_the_dense_ones_without_zeros(labels, label_forest):
    _, _, X, _ = labels
    dense = label_forest.predict_proba(X)
    sparse = label_forest.predict_proba(X, sparse=True)
    assert isinstance(sparse, sp.csr_array)
    np.testing.assert_allclose(sparse.toarray(), dense, atol=1e-6)
    assert sparse.nnz == np.count_nonzero(dense)


@pytest.mark.parametrize("k", [1, 3, 8, 20])
def test_top_k_keeps_the_largest_scores(labels, label_forest, k):
    _, _, X, _ = labels
    dense = label_forest.predict_proba(X)
    top = label_forest.predict_proba(X, top_k=k)
    assert np.diff(top.indptr).max() <= k
    for row in range(len(X)):
        kept = top.data[top.indptr[row] : top.indptr[row + 1]]
        expected = np.sort(dense[row][dense[row] > 0])[::-1][:k]
        np.testing.assert_allclose(np.sort(kept)[::-1], expected, atol=1e-6)


def test_top_k_of_two_classes_is_the_likelier_one():
    X, codes = load_iris(return_X_y=True)
    model = ObliqueForestClassifier(n_estimators=5, random_state=0).fit(X, codes == 1)
    top = model.predict_proba(X, top_k=1)
    assert (np.diff(top.indptr) == 1).all()
    np.testing.assert_array_equal(top.toarray().argmax(axis=1), model.predict_proba(X).argmax(axis=1))


def test_rows_without_any_label_are_fine(labels):
    X, Y, _, _ = labels
    Y = Y.copy()
    Y[::3] = 0
    for y in (Y, sp.csr_matrix(Y), sp.csc_array(Y)):
        model = ObliqueForestClassifier(n_estimators=3, random_state=0).fit(X, y)
        assert model.predict(X).shape == Y.shape


def test_a_label_that_never_occurs_gets_score_zero(labels):
    X, Y, _, _ = labels
    wide = np.hstack([Y, np.zeros((len(Y), 1), int)])
    scores = ObliqueForestClassifier(n_estimators=3, random_state=0).fit(X, wide).predict_proba(X)
    assert (scores[:, -1] == 0).all()


def test_out_of_bag_predictions_use_only_trees_that_did_not_see_the_row():
    X, y = load_digits(return_X_y=True)
    X, y = X[:400], y[:400]
    forest = ObliqueForestClassifier(n_estimators=15, oob_score=True, random_state=0).fit(X, y)
    assert forest.settings_.bootstrap
    decided = forest.classes_[np.argmax(np.nan_to_num(forest.oob_decision_function_), axis=1)]
    seen = ~np.isnan(forest.oob_decision_function_).any(axis=1)
    assert forest.oob_score_ == pytest.approx(accuracy_score(y[seen], decided[seen]))
    # An honest estimate: well below the training score, near the cross-validated one.
    cross = cross_val_score(
        ObliqueForestClassifier(n_estimators=15, bootstrap=True, random_state=0), X, y, cv=5
    )
    assert forest.score(X, y) > forest.oob_score_ + 0.02
    assert abs(forest.oob_score_ - cross.mean()) < 0.06


def test_out_of_bag_equals_averaging_by_hand():
    X, y = make_regression(80, 5, n_targets=2, random_state=0)
    forest = ObliqueForestRegressor(n_estimators=7, oob_score=True, random_state=3).fit(X, y)
    expected = np.full(y.shape, np.nan)
    counts = [bootstrap_counts(forest.forest_.seed, t, len(X)) for t in range(7)]
    leaves = forest.trees_.leaves.values
    nodes = forest.apply(X) + forest.trees_.roots
    for i in range(len(X)):
        unseen = [t for t in range(7) if counts[t][i] == 0]
        if unseen:
            mean = np.mean([leaves[forest.trees_.leaf[nodes[i, t]]] for t in unseen], axis=0)
            expected[i] = mean * forest.targets_.scale + forest.targets_.mean
    np.testing.assert_allclose(forest.oob_prediction_, expected, rtol=1e-4, atol=1e-3)
    seen = ~np.isnan(expected).any(axis=1)
    assert forest.oob_score_ == pytest.approx(r2_score(y[seen], forest.oob_prediction_[seen]))


def test_out_of_bag_works_for_label_matrices(labels):
    X, Y, _, _ = labels
    for y in (Y, sp.csr_array(Y)):
        forest = ObliqueForestClassifier(n_estimators=15, oob_score=True, random_state=0).fit(X, y)
        assert forest.oob_decision_function_.shape == Y.shape
        assert 0.0 <= forest.oob_score_ <= 1.0


def test_warm_start_continues_where_it_stopped():
    X, y = load_iris(return_X_y=True)
    at_once = ObliqueForestClassifier(n_estimators=12, random_state=5).fit(X, y)
    in_steps = ObliqueForestClassifier(n_estimators=4, random_state=5, warm_start=True).fit(X, y)
    for n in (9, 12):
        in_steps.set_params(n_estimators=n).fit(X, y)
        assert in_steps.trees_.n_trees == n
    np.testing.assert_array_equal(in_steps.predict_proba(X), at_once.predict_proba(X))
    np.testing.assert_allclose(in_steps.feature_importances_, at_once.feature_importances_)
    with pytest.raises(ValueError, match="n_estimators=3"):
        in_steps.set_params(n_estimators=3).fit(X, y)


def test_apply_and_decision_path_agree():
    X, y = load_iris(return_X_y=True)
    forest = ObliqueForestClassifier(n_estimators=4, random_state=0).fit(X, y)
    leaves = forest.apply(X)
    paths, offsets = forest.decision_path(X)
    assert leaves.shape == (150, 4)
    assert paths.shape == (150, offsets[-1])
    for t in range(4):
        part = paths[:, offsets[t] : offsets[t + 1]].toarray()
        assert (part[:, 0] == 1).all()
        assert (part[np.arange(150), leaves[:, t]] == 1).all()
        depth = forest.trees_.depth[offsets[t] + leaves[:, t]]
        np.testing.assert_array_equal(part.sum(axis=1), depth + 1)
    tree = ObliqueTreeClassifier(random_state=0).fit(X, y)
    assert tree.apply(X).shape == (150,)
    assert tree.decision_path(X).shape[0] == 150
    assert tree.get_n_leaves() == len(set(tree.apply(X)))
    assert tree.get_depth() == tree.trees_.depth.max()


def test_importances_point_at_the_features_that_matter():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 20)) * np.logspace(-3, 3, 20)
    y = X[:, 2] / X[:, 2].std() + X[:, 17] / X[:, 17].std() > 0
    for kind in (ObliqueForestClassifier, ObliqueForestRegressor):
        model = kind(n_estimators=10, random_state=0).fit(X, y.astype(float))
        importances = model.feature_importances_
        assert importances.sum() == pytest.approx(1.0)
        assert set(np.argsort(importances)[-2:]) == {2, 17}
        assert importances[[2, 17]].sum() > 4 * 2 / 20  # four times their fair share


def test_balanced_class_weights_raise_the_recall_of_a_rare_class():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 5))
    y = (X[:, 0] + rng.normal(size=2000) > 2.0).astype(int)
    assert y.mean() < 0.1
    plain = ObliqueForestClassifier(n_estimators=10, max_depth=3, random_state=0).fit(X, y)
    balanced = clone(plain).set_params(class_weight="balanced").fit(X, y)
    by_hand = clone(plain).set_params(class_weight={0: 1.0 / (1 - y.mean()), 1: 1.0 / y.mean()}).fit(X, y)
    assert recall_score(y, balanced.predict(X)) > recall_score(y, plain.predict(X)) + 0.3
    assert recall_score(y, by_hand.predict(X)) > recall_score(y, plain.predict(X)) + 0.3


def test_a_target_of_weight_zero_has_no_say_but_is_predicted():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 6))
    Y = np.column_stack([X[:, 0] > 0, X[:, 1] > 0]).astype(float)
    only_first = ObliqueTreeRegressor(max_depth=1, target_weights=[1.0, 0.0], random_state=0).fit(X, Y)
    alone = ObliqueTreeRegressor(max_depth=1, random_state=0, split=only_first.settings_.split).fit(
        X, Y[:, 0]
    )
    np.testing.assert_array_equal(only_first.trees_.weights, alone.trees_.weights)
    assert only_first.predict(X).shape == (400, 2)
    assert abs(np.corrcoef(only_first.predict(X)[:, 0], Y[:, 0])[0, 1]) > 0.9


def test_target_weights_move_the_split_towards_the_heavier_target():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 4))
    Y = np.column_stack([X[:, 0] > 0, X[:, 1] > 0]).astype(float)
    for heavy in (0, 1):
        weights = [1.0, 1.0]
        weights[heavy] = 20.0
        tree = ObliqueTreeRegressor(max_depth=1, target_weights=weights, random_state=0).fit(X, Y)
        assert np.argmax(tree.feature_importances_) == heavy


def test_automatic_settings_are_visible_and_can_be_overruled():
    X, y = load_iris(return_X_y=True)
    auto = ObliqueForestClassifier(n_estimators=2, random_state=0).fit(X, y)
    assert "auto" not in map(str, auto.settings_.to_dict().values())
    assert "auto" not in repr(auto.settings_.split)
    mine = ObliqueForestClassifier(
        n_estimators=2,
        split=GradientSplit(C=3.0, start="noise"),
        bootstrap=True,
        min_samples_split=7,
        random_state=0,
    ).fit(X, y)
    assert mine.settings_.split.C == 3.0
    assert mine.settings_.split.start == "noise"
    assert mine.settings_.split.max_iter == auto.settings_.split.max_iter
    assert mine.settings_.bootstrap is True
    assert mine.settings_.min_samples_split == 7


@pytest.mark.parametrize("max_features", [5, 0.5, "sqrt", "log2", None])
def test_splits_use_no_more_features_than_they_may(max_features):
    X, y = load_digits(return_X_y=True)
    model = ObliqueForestClassifier(n_estimators=3, max_features=max_features, random_state=0).fit(
        X[:500], y[:500]
    )
    used = np.diff(model.trees_.indptr).max()
    most = {5: 5, 0.5: 32, "sqrt": 8, "log2": 6, None: 64}[max_features]
    assert 1 <= used <= most
    assert model.score(X[500:], y[500:]) > 0.7


def test_subsets_skip_features_that_do_not_vary():
    rng = np.random.default_rng(0)
    X = np.zeros((300, 400))
    X[:, :6] = rng.normal(size=(300, 6))
    y = X[:, 0] - X[:, 1] > 0
    model = ObliqueForestClassifier(
        n_estimators=10, max_features=5, normalize_rows=False, random_state=0
    ).fit(X, y)
    assert model.score(X, y) > 0.95
    assert model.feature_importances_[6:].sum() == 0


def test_forests_work_in_grid_search_and_on_disk(tmp_path):
    X, y = load_iris(return_X_y=True)
    search = GridSearchCV(
        ObliqueForestClassifier(n_estimators=5, random_state=0),
        {"max_depth": [1, 5], "split": [GradientSplit(C=1.0), GradientSplit(C=10.0)]},
        cv=3,
    ).fit(X, y)
    assert search.best_score_ > 0.9
    joblib.dump(search.best_estimator_, tmp_path / "forest.joblib")
    loaded = joblib.load(tmp_path / "forest.joblib")
    np.testing.assert_array_equal(loaded.predict_proba(X), search.best_estimator_.predict_proba(X))


def test_trees_on_one_sparse_target_differ():
    rng = np.random.default_rng(0)
    X = sp.random_array((300, 200), density=0.05, rng=rng, format="csr")
    y = np.asarray(X[:, :20].sum(axis=1)).ravel() > 0.5
    for model in (
        ObliqueForestClassifier(n_estimators=4, random_state=0).fit(X, y),
        ObliqueForestRegressor(n_estimators=4, random_state=0).fit(X, y.astype(float)),
    ):
        firsts = [tuple(model.trees_.weights[model.trees_.indptr[r] :][:5]) for r in model.trees_.roots]
        assert len(set(firsts)) == 4


def test_warm_start_keeps_the_unit_of_the_first_fit_and_refuses_other_targets():
    X, y = make_regression(100, 5, random_state=0)
    forest = ObliqueForestRegressor(n_estimators=3, random_state=0, warm_start=True).fit(X, y)
    first = forest.trees_.leaves.values.copy()
    forest.set_params(n_estimators=6).fit(X, 10 * y + 1000)
    np.testing.assert_array_equal(forest.trees_.leaves.values[: len(first)], first)
    # Half of the trees predict y, half 10 y + 1000, all in the same unit.
    np.testing.assert_allclose(forest.predict(X).mean(), (11 * y.mean() + 1000) / 2, rtol=0.1)
    with pytest.raises(ValueError, match=r"warm_start.*2 columns"):
        forest.set_params(n_estimators=7).fit(X, np.column_stack([y, y]))
    X, y = load_iris(return_X_y=True)
    forest = ObliqueForestClassifier(n_estimators=1, random_state=0, warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match=r"warm_start.*classes"):
        forest.set_params(n_estimators=2).fit(X, y + 1)
    assert forest.classes_.tolist() == [0, 1, 2]
    at_once = ObliqueForestClassifier(n_estimators=3, random_state=0).fit(X, y)
    forest.set_params(n_estimators=3).fit(X, y)
    np.testing.assert_array_equal(forest.predict_proba(X), at_once.predict_proba(X))


def test_warnings_of_fit_point_at_the_line_that_called_it():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(UserWarning, match="column-vector y") as of_column:
        grown = ObliqueForestClassifier(n_estimators=2, warm_start=True, random_state=0).fit(X, y[:, None])
    with pytest.warns(UserWarning, match="fit adds none") as of_none:
        grown.fit(X, y)
    assert {warning.filename for warning in [*of_column, *of_none]} == {__file__}
