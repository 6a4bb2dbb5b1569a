"""Claims about boosted trees."""

import io
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris, make_friedman1
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import log_loss, r2_score

from slantwood import (
    GradientSplit,
    Hierarchy,
    ObliqueBoostingClassifier,
    ObliqueBoostingRegressor,
    load_model,
)
from slantwood.callbacks import Callback
from slantwood.losses import QuantileLoss

QUICK = {"n_estimators": 5, "early_stopping": False, "random_state": 0}


@pytest.fixture(scope="module")
def numbers():
    return make_friedman1(300, random_state=0)


@pytest.fixture(scope="module")
def labels():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 5))
    return X, (X @ rng.normal(size=(5, 4)) > 0.5).astype(int)


def weights_of(model):
    trees = model.trees_
    return b"".join(
        np.ascontiguousarray(each).tobytes() for each in (trees.weights, trees.bias, trees.leaves.values)
    )


# ---- the same model


def test_the_model_is_the_same_at_any_number_of_threads(numbers):
    X, y = numbers
    fits = [ObliqueBoostingRegressor(n_estimators=12, random_state=0, n_jobs=n).fit(X, y) for n in (1, 2, 4)]
    assert len({weights_of(model) for model in fits}) == 1
    assert len({model.n_iter_ for model in fits}) == 1


def test_another_seed_gives_another_model(numbers):
    first, second = (
        ObliqueBoostingRegressor(**QUICK | {"random_state": seed}).fit(*numbers) for seed in (0, 1)
    )
    assert weights_of(first) != weights_of(second)


def test_dense_and_sparse_features_give_the_same_model(labels):
    X, Y = labels
    X = np.where(np.abs(X) > 1.2, X, 0.0)
    dense = ObliqueBoostingClassifier(**QUICK).fit(X, Y)
    sparse = ObliqueBoostingClassifier(**QUICK).fit(sp.csr_array(X), Y)
    assert weights_of(dense) == weights_of(sparse)
    assert_array_equal(dense.predict_proba(X), sparse.predict_proba(sp.csr_array(X)))


def test_a_row_of_weight_two_is_as_two_rows_where_nothing_counts_rows(numbers):
    X, y = numbers
    counts = np.random.default_rng(0).integers(1, 3, len(y))
    given = QUICK | {"split": "axis", "subsample": 1.0, "max_features": None, "min_samples_leaf": 1}
    given |= {"min_samples_split": 2, "l2_regularization": 0.0}
    weighted = ObliqueBoostingRegressor(**given).fit(X, y, sample_weight=counts)
    repeated = ObliqueBoostingRegressor(**given).fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-4)


def test_rows_of_weight_zero_have_no_part(numbers):
    X, y = numbers
    weights = np.ones(len(y))
    weights[200:] = 0.0
    wrong = np.where(weights > 0, y, 1e3)
    given = QUICK | {"split": "axis", "subsample": 1.0, "max_features": None}
    model = ObliqueBoostingRegressor(**given).fit(X, wrong, sample_weight=weights)
    assert_allclose(model.predict(X), ObliqueBoostingRegressor(**given).fit(X[:200], y[:200]).predict(X))


# ---- quality


def test_boosted_axis_parallel_trees_are_as_good_as_those_of_scikit_learn():
    X, y = make_friedman1(1500, random_state=1)
    ours = ObliqueBoostingRegressor(
        100, split="axis", subsample=1.0, max_depth=4, max_features=None, early_stopping=False, random_state=0
    ).fit(X[:1000], y[:1000])
    theirs = HistGradientBoostingRegressor(max_iter=100, max_depth=4, early_stopping=False, random_state=0)
    theirs.fit(X[:1000], y[:1000])
    scores = [r2_score(y[1000:], model.predict(X[1000:])) for model in (ours, theirs)]
    assert scores[0] > scores[1] - 0.01


def test_boosted_classes_are_as_good_as_those_of_scikit_learn():
    X, y = make_friedman1(1500, random_state=1)
    y = np.digitize(y, np.quantile(y, [0.33, 0.67]))
    ours = ObliqueBoostingClassifier(130, split="axis", early_stopping=False, random_state=0)
    theirs = HistGradientBoostingClassifier(max_iter=60, early_stopping=False, random_state=0)
    losses = []
    for model in (ours, theirs):  # each at its best: trees of all classes together are fewer
        stages = model.fit(X[:1000], y[:1000]).staged_predict_proba(X[1000:])
        losses.append(min(log_loss(y[1000:], stage) for stage in stages))
    assert losses[0] < losses[1]


def test_slanted_boundaries_are_found_where_axis_parallel_trees_take_stairs():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 6))
    y = np.sin(X @ np.array([1.0, 1.0, -1.0, 0.5, 0.0, 0.0]))
    scores = {}
    for split in ("auto", "axis"):
        model = ObliqueBoostingRegressor(60, split=split, early_stopping=False, random_state=0)
        scores[split] = model.fit(X[:500], y[:500]).score(X[500:], y[500:])
    assert scores["auto"] > scores["axis"] + 0.05


@pytest.mark.parametrize("n_rows", [150, pytest.param(2500, marks=pytest.mark.thorough)])
def test_noise_is_not_learned(n_rows):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n_rows, 5)), rng.normal(size=n_rows)
    model = ObliqueBoostingRegressor(50, n_iter_no_change=10, random_state=0).fit(X, y)
    new = rng.normal(size=(2000, 5))
    assert np.var(model.predict(new)) < 0.02 * np.var(y)
    assert model.n_iter_ < 10


def test_several_targets_of_which_some_are_not_known(numbers):
    X, y = numbers
    Y = np.stack([y, -2 * y, np.zeros_like(y)], axis=1)
    Y[::3, 1] = np.nan
    model = ObliqueBoostingRegressor(40, early_stopping=False, random_state=0).fit(X, Y)
    predicted = model.predict(X)
    assert r2_score(y, predicted[:, 0]) > 0.9
    known = ~np.isnan(Y[:, 1])
    assert r2_score(-2 * y[known], predicted[known, 1]) > 0.9
    assert r2_score(-2 * y[~known], predicted[~known, 1]) > 0.6
    assert (predicted[:, 2] == 0).all()


# ---- losses


@pytest.mark.parametrize("loss", ["absolute_error", "huber"])
def test_robust_losses_are_not_led_astray_by_far_values(numbers, loss):
    X, y = numbers
    spoilt = y.copy()
    spoilt[::10] += 500.0
    given = {"n_estimators": 40, "early_stopping": False, "random_state": 0}
    robust = ObliqueBoostingRegressor(loss=loss, **given).fit(X, spoilt)
    plain = ObliqueBoostingRegressor(**given).fit(X, spoilt)
    errors = [np.abs(model.predict(X) - y)[np.arange(len(y)) % 10 != 0].mean() for model in (robust, plain)]
    assert errors[0] < errors[1] / 2


def test_quantiles_leave_their_share_below():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (1200, 2))
    y = X[:, 0] + (1.5 + X[:, 1]) * rng.normal(size=1200)
    new = rng.uniform(-1, 1, (4000, 2))
    truth = new[:, 0] + (1.5 + new[:, 1]) * rng.normal(size=4000)
    shares = []
    for level in (0.1, 0.9):
        model = ObliqueBoostingRegressor(60, loss=QuantileLoss(level), n_iter_no_change=10, random_state=0)
        shares.append((truth < model.fit(X, y).predict(new)).mean())
    assert_allclose(shares, [0.1, 0.9], atol=0.05)


@pytest.mark.parametrize("loss", ["poisson", "gamma", "tweedie"])
def test_expected_counts_and_amounts_grow_by_factors(loss):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (600, 3))
    mean = np.exp(2 * X[:, 0] - X[:, 1])
    y = rng.poisson(mean) if loss == "poisson" else rng.gamma(5.0, mean / 5.0)
    model = ObliqueBoostingRegressor(60, loss=loss, early_stopping=False, random_state=0).fit(X, y)
    assert (model.predict(X) > 0).all() or loss == "poisson"
    assert np.corrcoef(np.log(model.predict(X) + 1e-3), np.log(mean))[0, 1] > 0.85


def test_units_of_the_target_do_not_matter(numbers):
    X, y = numbers
    plain = ObliqueBoostingRegressor(**QUICK).fit(X, y)
    scaled = ObliqueBoostingRegressor(**QUICK).fit(X, 1e6 * y)
    assert_allclose(scaled.predict(X), 1e6 * plain.predict(X), rtol=1e-3)


def test_what_a_loss_or_split_is_not_for_is_said_by_name(numbers):
    X, y = numbers
    with pytest.raises(ValueError, match=r"poisson.*non-negative"):
        ObliqueBoostingRegressor(loss="poisson").fit(X, -y)
    with pytest.raises(ValueError, match="loss='mse'"):
        ObliqueBoostingRegressor(loss="mse").fit(X, y)
    with pytest.raises(ValueError, match="split='wodt' cannot be boosted"):
        ObliqueBoostingRegressor(split=["axis", "wodt"]).fit(X, y)
    with pytest.raises(ValueError, match=r"split=\[\] names no"):
        ObliqueBoostingRegressor(split=[]).fit(X, y)
    with pytest.raises(ValueError, match="learning_rate=0"):
        ObliqueBoostingRegressor(learning_rate=0.0).fit(X, y)
    with pytest.raises(ValueError, match="subsample=2"):
        ObliqueBoostingRegressor(subsample=2.0).fit(X, y)
    with pytest.raises(ValueError, match=r"threshold='f1_micro'.*use a forest"):
        ObliqueBoostingClassifier(threshold="f1_micro").fit(X, y > 10)
    with pytest.raises(ValueError, match=r"2 targets.*ObliqueForestClassifier"):
        ObliqueBoostingClassifier().fit(X, np.stack([y > 10, y > 12], axis=1).astype(int) + 3)


# ---- few rows that count, and targets that hardly vary


@pytest.mark.parametrize("n_rows", [2, 3, 50])
@pytest.mark.parametrize("estimator", [ObliqueBoostingRegressor, ObliqueBoostingClassifier])
def test_a_single_row_of_weight_is_what_is_predicted(estimator, n_rows):
    X, y = np.arange(n_rows, dtype=float)[:, None], np.arange(n_rows) % 2
    weights = np.zeros(n_rows)
    weights[1] = 2.0
    model = estimator(3, random_state=0).fit(X, y, sample_weight=weights)
    assert model.predict(X).tolist() == [1] * n_rows
    assert model.n_iter_ == 3
    assert model.validation_scores_.size == 0


def test_a_single_row_with_a_target_is_what_is_predicted():
    model = ObliqueBoostingRegressor(3, random_state=0).fit([[0.0], [1.0]], [7.0, np.nan])
    assert model.predict([[5.0]]).tolist() == [7.0]


@pytest.mark.parametrize("n_targets", [1, 3])
def test_targets_that_are_mostly_zero_are_learned_with_a_forest_beside(n_targets):
    rng = np.random.default_rng(0)
    X = rng.random((323, 4))
    Y = 2.0 * (X[:, :1] + 0.3 * rng.normal(size=(323, n_targets)) > 1.2)
    model = ObliqueBoostingRegressor(3, random_state=0).fit(X, Y)
    assert (Y == 0).mean() > 0.8
    assert len(model) == 10 * model.n_iter_ + 50
    assert model.score(X, Y) > 0.2


def test_at_least_one_of_many_rows_is_held_out():
    X, y = make_friedman1(2000, random_state=0)
    model = ObliqueBoostingRegressor(
        1, split="axis", max_depth=1, validation_fraction=1e-9, random_state=0
    ).fit(X, y)
    assert np.isfinite(model.validation_scores_).all()
    assert len(model.validation_scores_) == 2


# ---- rounds


def test_early_stopping_keeps_the_best_round(numbers):
    X, y = numbers
    y = y + 5.0 * np.random.default_rng(0).normal(size=len(y))
    model = ObliqueBoostingRegressor(60, learning_rate=0.5, n_iter_no_change=5, random_state=0).fit(X, y)
    scores = model.validation_scores_
    assert model.n_iter_ == scores.argmax() < len(scores) - 1
    # The mean of five models, each with two trees a round, and a forest of ten trees beside each.
    assert len(model) == 10 * model.n_iter_ + 50


def test_of_few_rows_the_model_is_the_mean_of_five_that_each_miss_a_part(numbers):
    X, y = numbers
    model = ObliqueBoostingRegressor(3, split="axis", subsample=1.0, max_depth=2, random_state=0).fit(X, y)
    roots = model.trees_.node_weight[model.trees_.roots].reshape(3, 5, 2)
    assert_allclose(roots, 0.8 * len(y))
    alone = [model[place].predict(X) - y.mean() for place in range(10)]
    whole = next(model.staged_predict(X)) - y.mean()
    assert_allclose(np.sum(alone, axis=0), whole, rtol=1e-3, atol=1e-2)


def test_rows_are_held_out_where_there_are_many():
    X, y = make_friedman1(2100, random_state=0)
    model = ObliqueBoostingRegressor(
        6, split="axis", validation_fraction=0.2, max_depth=2, random_state=0
    ).fit(X, y)
    assert len(model.validation_scores_) == 7
    assert (np.diff(model.validation_scores_) > 0).all()
    roots = model.trees_.node_weight[model.trees_.roots]
    assert_allclose(roots, 0.7 * 0.8 * 2100, rtol=0.1)


def test_without_early_stopping_there_are_all_rounds(numbers):
    model = ObliqueBoostingRegressor(**QUICK).fit(*numbers)
    assert model.n_iter_ == 5
    assert model.validation_scores_.size == 0


def test_stages_lead_to_the_prediction(numbers, labels):
    X, y = numbers
    model = ObliqueBoostingRegressor(**QUICK).fit(X, y)
    stages = list(model.staged_predict(X))
    assert len(stages) == 5
    assert_allclose(stages[-1], model.predict(X), rtol=1e-5)
    errors = [np.mean((stage - y) ** 2) for stage in stages]
    assert (np.diff(errors) < 0).all()
    X, Y = labels
    model = ObliqueBoostingClassifier(**QUICK).fit(X, Y)
    assert_allclose(list(model.staged_predict_proba(X))[-1], model.predict_proba(X), rtol=1e-4)
    assert_array_equal(list(model.staged_predict(X))[-1], model.predict(X))


def test_a_warm_start_goes_on_where_the_earlier_fit_ended(numbers):
    X, y = numbers
    given = QUICK | {"split": "axis", "max_features": None}  # one kind, so that there is no contest to repeat
    whole = ObliqueBoostingRegressor(**given | {"n_estimators": 6}).fit(X, y)
    parts = ObliqueBoostingRegressor(**given | {"n_estimators": 2}).fit(X, y)
    parts.set_params(n_estimators=6, warm_start=True).fit(X, y)
    assert parts.n_iter_ == 6
    assert_allclose(parts.predict(X), whole.predict(X), rtol=1e-4)
    with pytest.raises(ValueError, match="n_estimators=3 is less than the 6 rounds"):
        parts.set_params(n_estimators=3).fit(X, y)


def test_a_callback_hears_of_every_round_and_may_stop(numbers):
    class Three(Callback):
        def __init__(self):
            self.scores = []

        def on_fit_task_end(self, estimator, context, *, X, y, fitted_estimator):
            if context.task_name != "round":
                return False
            self.scores.append(fitted_estimator.score(X, y))
            return context.task_id == 2

    callback = Three()
    model = ObliqueBoostingRegressor(**QUICK).set_callbacks(callback).fit(*numbers)
    assert model.n_iter_ == 3
    assert_allclose(callback.scores[-1], model.score(*numbers))
    assert (np.diff(callback.scores) > 0).all()


def test_progress_counts_rounds(numbers, capsys):
    ObliqueBoostingRegressor(**QUICK, verbose=2).fit(*numbers)
    assert "ObliqueBoostingRegressor: round 5 of 5" in capsys.readouterr().err


# ---- classes, labels and hierarchies


def test_probabilities_follow_from_scores(labels):
    X, Y = labels
    model = ObliqueBoostingClassifier(**QUICK).fit(X, Y)
    assert_allclose(model.predict_proba(X), 1 / (1 + np.exp(-model.decision_function(X))), rtol=1e-5)
    two = ObliqueBoostingClassifier(**QUICK).fit(X, Y[:, 0])
    assert two.decision_function(X).shape == (len(X),)
    assert_array_equal(two.predict(X), (two.decision_function(X) > 0).astype(int))
    X, y = load_iris(return_X_y=True)
    three = ObliqueBoostingClassifier(**QUICK).fit(X, y)
    assert_allclose(three.predict_proba(X).sum(axis=1), 1.0, rtol=1e-5)
    assert_array_equal(three.predict(X), three.decision_function(X).argmax(axis=1))


def test_class_weights_are_weights_of_rows(numbers):
    X, y = numbers
    y = (y > np.quantile(y, 0.9)).astype(int)
    plain = ObliqueBoostingClassifier(**QUICK).fit(X, y)
    balanced = ObliqueBoostingClassifier(**QUICK, class_weight="balanced").fit(X, y)
    assert_allclose(plain.predict_proba(X)[:, 1].mean(), 0.1, atol=0.03)
    assert balanced.predict_proba(X)[:, 1].mean() > 0.25
    weights = np.where(y == 1, 5.0, 5.0 / 9.0)
    by_rows = ObliqueBoostingClassifier(**QUICK).fit(X, y, sample_weight=weights)
    assert_allclose(by_rows.predict_proba(X), balanced.predict_proba(X), rtol=1e-3)


def test_labels_in_all_forms_are_predicted_in_theirs(labels):
    X, Y = labels
    dense = ObliqueBoostingClassifier(**QUICK).fit(X, Y)
    sparse = ObliqueBoostingClassifier(**QUICK).fit(X, sp.csr_array(Y))
    assert sp.issparse(sparse.predict(X))
    assert_array_equal(sparse.predict(X).toarray(), dense.predict(X))
    top = dense.predict_proba(X, top_k=2)
    assert (np.diff(top.indptr) == 2).all()
    assert_allclose(top.max(axis=1).toarray().ravel(), dense.predict_proba(X).max(axis=1))
    names = np.array(["a", "b", "c", "d"])
    sets = [tuple(names[row == 1]) for row in Y]
    by_name = ObliqueBoostingClassifier(**QUICK).fit(X, sets)
    assert by_name.predict(X) == [tuple(names[row == 1]) for row in dense.predict(X)]
    best = by_name.predict_top_k(X, k=2)
    assert_allclose(best.scores[:, 0], dense.predict_proba(X).max(axis=1))


def test_no_label_is_more_probable_than_those_above_it(labels):
    X, _ = labels
    hierarchy = Hierarchy.from_edges([("a", "b"), ("a", "c"), ("c", "d"), ("c", "e")])
    y = [("b",) if x < -0.5 else ("d",) if x < 0.5 else ("e",) for x in X[:, 0]]
    model = ObliqueBoostingClassifier(20, hierarchy=hierarchy, early_stopping=False, random_state=0).fit(X, y)
    scores = dict(zip(model.classes_, model.predict_proba(X).T, strict=True))
    for above, below in (("a", "b"), ("a", "c"), ("c", "d"), ("c", "e")):
        assert (scores[above] >= scores[below]).all()
    assert model.score(X, y) > 0.95
    assert_allclose(list(model.staged_predict_proba(X))[-1], model.predict_proba(X), rtol=1e-4)


def test_rows_without_a_class_are_left_out():
    X, y = load_iris(return_X_y=True)
    y = np.array(["a", "b", "c"], object)[y]
    some = y.copy()
    some[::2] = None
    given = QUICK | {"split": "axis", "subsample": 1.0, "max_features": None}
    model = ObliqueBoostingClassifier(**given).fit(X, some)
    alone = ObliqueBoostingClassifier(**given).fit(X[1::2], y[1::2])
    assert_allclose(model.predict_proba(X), alone.predict_proba(X), rtol=1e-5)


def test_frames_with_nominal_and_missing_cells_go_in():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"size": rng.normal(size=100), "kind": rng.choice(["u", "v", "w"], 100)})
    y = X["size"].to_numpy() + 3.0 * (X["kind"] == "u")
    X.loc[::7, "size"] = np.nan
    model = ObliqueBoostingRegressor(30, early_stopping=False, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.7
    assert model.feature_names_in_.tolist() == ["size", "kind"]
    assert_allclose(model.feature_importances_.sum(), 1.0)


# ---- the same object elsewhere


@pytest.mark.parametrize("loss", ["squared_error", QuantileLoss(0.3)], ids=["squared", "quantile"])
def test_a_saved_model_predicts_the_same_and_goes_on(numbers, loss):
    X, y = numbers
    model = ObliqueBoostingRegressor(loss=loss, **QUICK, split=["axis", GradientSplit(C=3.0)]).fit(X, y)
    file = io.BytesIO()
    model.save(file)
    file.seek(0)
    again = load_model(file)
    assert_array_equal(again.predict(X), model.predict(X))
    assert again.get_params() == model.get_params()
    assert again.settings_ == model.settings_
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    for each in (model, again):
        each.set_params(n_estimators=7, warm_start=True).fit(X, y)
    assert_array_equal(again.predict(X), model.predict(X))
    assert clone(model).get_params()["n_estimators"] == 7


def test_a_file_for_predicting_only_predicts_the_same(labels):
    X, Y = labels
    model = ObliqueBoostingClassifier(**QUICK).fit(X, Y)
    file = io.BytesIO()
    model.save(file, predict_only=True)
    file.seek(0)
    again = load_model(file)
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.n_iter_ == 5


def test_single_trees_can_be_looked_at(numbers):
    X, y = numbers
    model = ObliqueBoostingRegressor(**QUICK).fit(X, y)
    assert len(model) == 10
    assert repr(model[3]).startswith("<tree 3 of ObliqueBoostingRegressor")
    assert model.apply(X).shape == (len(X), 10)
    assert model.decision_path(X)[0].shape[0] == len(X)


def test_the_second_round_of_learning_on_diabetes_is_worth_it():
    X, y = load_diabetes(return_X_y=True)
    model = ObliqueBoostingRegressor(100, random_state=0).fit(X[:300], y[:300])
    assert model.score(X[300:], y[300:]) > 0.4
