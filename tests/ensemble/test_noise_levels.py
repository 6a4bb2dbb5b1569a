"""Settings that follow the noise of hierarchical labels: which are chosen, when, and what is left alone."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from slantwood import (
    GradientSplit,
    Hierarchy,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    SVMSplit,
)
from slantwood.ensemble import noise_levels, semi_supervised, tuning, unseen
from slantwood.ensemble.gains import averaged_by
from slantwood.ensemble.prediction import Predictor

# Few trees on purpose: rows that all of them saw, which a warning tells of, are no concern of these claims.
pytestmark = pytest.mark.filterwarnings("ignore:oob_score=True.*no out-of-bag prediction:UserWarning")

TREE = Hierarchy.from_paths(["a/x", "a/y", "b/x", "b/y", "c"])
LEVELS = noise_levels.GRADIENT_LEVELS
ALL_GIVEN = GradientSplit(C=1.0, max_iter=5, learning_rate=0.1, target_power=1.0)


def problem(n=60, flipped=0.05, seed=0):
    """Two features tell the most specific label, except of a share of the rows, which have any."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    leaf = np.where(X[:, 0] + X[:, 1] > 0, 0, 2) + (X[:, 2] - X[:, 3] > 0)
    leaf = np.where(rng.random(n) < flipped, rng.integers(0, 5, n), leaf)
    return X, [{TREE.leaves[i]} for i in leaf]


def forest(**parameters):
    return ObliqueForestClassifier(**{"n_estimators": 2, "random_state": 0, "hierarchy": TREE, **parameters})


class OwnLearner:
    """Cuts along the first feature."""

    def learn(self, X, Z, p, weights, rng):
        return np.eye(X.shape[1])[0], 0.0


@pytest.fixture
def inner(monkeypatch):
    """List the inner fits of the tuning, as (data, spec)."""
    return spied(monkeypatch, unseen)


def spied(monkeypatch, module):
    calls = []

    def spy(data, spec):
        calls.append((data, spec))
        return grow_forest(data, spec)

    grow_forest = module.grow_forest
    monkeypatch.setattr(module, "grow_forest", spy)
    return calls


# ---- what is chosen


def level_of(model):
    return LEVELS.index(model.forest_.tuned)


DEEP = Hierarchy.from_paths([f"{top}/{leaf}" for top in range(4) for leaf in range(4)])


def clean(seed):
    """Small, well separated groups of one label each, several groups to a label."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 48, 240)
    X = 3 * rng.normal(size=(48, 4))[group] + rng.normal(scale=0.15, size=(240, 4))
    return X, [{DEEP.leaves[i % 16]} for i in group]


def noisy(seed):
    """Two features of twenty say something of the upper labels, and nothing tells the lower ones."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(600, 20))
    bits = X[:, :2] + 3 * rng.normal(size=(600, 2)) > 0
    leaf = 8 * bits[:, 0] + 4 * bits[:, 1] + rng.integers(0, 4, 600)
    return X, [{DEEP.leaves[i]} for i in leaf]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("split", "levels"), [("gradient", LEVELS), ("svm", noise_levels.OTHER_LEVELS)])
def test_noisy_labels_get_a_higher_level_than_clean_ones(split, levels):
    of_clean, of_noisy = (
        [
            levels.index(model.fit(*make(seed)).forest_.tuned)
            for seed in range(3)
            for model in [forest(split=split, random_state=seed, hierarchy=DEEP)]
        ]
        for make in (clean, noisy)
    )
    assert max(of_clean) <= 1
    # On fresh rows levels 2 and 3 of the gradient's are best, by both the squared error and the area.
    assert min(of_noisy) >= 2


def test_the_chosen_settings_are_in_use():
    model = forest().fit(*problem())
    level = LEVELS[level_of(model)]
    assert model.settings_.min_samples_split == level["min_samples_split"]
    for name in set(level) - {"min_samples_split"}:
        assert getattr(model.settings_.split, name) == level[name]


@pytest.mark.parametrize("as_sparse", [False, True])
def test_levels_are_compared_by_the_errors_of_rows_which_the_trees_have_not_seen(monkeypatch, as_sparse):
    X, sets = problem()
    Y = TREE.closure(TREE.indicator(sets)).toarray()
    weights = (np.arange(60) % 5 + 0.5) / 2.5  # of mean 1
    grown, heard = [], {}

    def grow(data, spec):
        grown.append((data.row_weights, grow_forest(data, spec)))
        return grown[-1][1]

    def compare(losses, rows, n_levels):
        for level in range(n_levels):
            heard[level] = losses(level) @ rows.share
        return 2

    grow_forest = unseen.grow_forest
    monkeypatch.setattr(unseen, "grow_forest", grow)
    monkeypatch.setattr(noise_levels, "best_level", compare)
    model = forest().fit(X, sp.csr_array(Y) if as_sparse else Y, sample_weight=weights)
    assert level_of(model) == 2
    assert len(grown) == 2 * len(heard) == 2 * len(LEVELS)
    for level, error in heard.items():
        expected, times_out = 0.0, np.zeros(60)
        for inner_weights, inner_forest in grown[2 * level : 2 * level + 2]:
            out = inner_weights == 0
            times_out += out
            assert_allclose(inner_weights[~out], weights[~out])
            expected += weights[out] @ error_of_many_trees(inner_forest, X[out], Y[out])
        assert_array_equal(times_out, 1)
        assert error == pytest.approx(expected / weights.sum(), rel=1e-5)


def error_of_many_trees(inner_forest, X, Y):
    """Squared errors, where those of T trees and of T / 2 lie on a line in 1 / T, of 50 trees."""
    each = np.stack([tree_means(inner_forest, X, t) for t in range(noise_levels.INNER_TREES)])
    T = len(each)

    def error(trees):
        return (Y - each[trees].mean(axis=0)) ** 2 @ TREE.weights()

    of_half = (error(slice(0, None, 2)) + error(slice(1, None, 2))) / 2
    slope = (of_half - error(slice(None))) / (2 / T - 1 / T)
    return error(slice(None)) + slope * (1 / 50 - 1 / T)


def tree_means(inner_forest, X, tree):
    mask = np.zeros((len(X), inner_forest.trees.n_trees), np.bool_)
    mask[:, tree] = True
    return Predictor(inner_forest).mean(X, mask)


@pytest.mark.parametrize("split", ["gradient", "svm"])
def test_the_same_seed_gives_the_same_choice(split):
    X, y = problem(flipped=0.4)
    first = forest(split=split).fit(X, y)
    again = forest(split=split, n_jobs=2, n_estimators=1).fit(X, TREE.closure(TREE.indicator(y)))
    assert again.settings_ == first.settings_
    assert again.forest_.tuned == first.forest_.tuned


# ---- climbing


def climbed(errors, noise=0.0):
    """Return the level chosen by errors that vary from row to row, and the levels looked at."""
    looked_at = set()
    by_row = np.random.default_rng(0).normal(size=(len(errors), 100))
    by_row -= by_row.mean(axis=1, keepdims=True)

    def losses(level):
        looked_at.add(level)
        return errors[level] + noise * by_row[level]

    return noise_levels.best_level(losses, averaged_by(np.ones(100)), len(errors)), sorted(looked_at)


@pytest.mark.parametrize("peak", range(5))
def test_climbing_finds_the_least_error(peak):
    chosen, looked_at = climbed([abs(level - peak) for level in range(5)])
    assert chosen == peak
    # Level 0 is looked at, as it takes little time, and others no further than one beyond the best.
    assert looked_at == list(range(1 + min(max(peak + 1, 1 if peak == 0 else 2), 4)))


def test_climbing_goes_on_over_a_level_that_is_no_clearly_worse():
    errors = [3.0, 2.0, 1.0, 1.05, 0.8]
    assert climbed(errors, noise=0.01) == (2, [0, 1, 2, 3])
    assert climbed(errors, noise=1.0) == (4, [0, 1, 2, 3, 4])


def test_where_level_0_is_better_by_chance_only_the_others_are_looked_at_too():
    errors = [0.98, 1.0, 0.9, 1.5, 2.0]
    assert climbed(errors, noise=0.01) == (0, [0, 1])
    assert climbed(errors, noise=1.0) == (2, [0, 1, 2, 3])


def test_on_level_ground_the_first_level_stays():
    assert climbed([0.5] * 5)[0] == noise_levels.FIRST_LEVEL


@pytest.mark.parametrize("split", ["svm", ALL_GIVEN])
def test_levels_that_differ_in_the_size_of_leaves_only_are_one_growth(inner, split):
    model = forest(split=split).fit(*problem())
    sizes = [level["min_samples_split"] for level in noise_levels.OTHER_LEVELS]
    assert [spec.tuned for _, spec in inner] == [{"min_samples_split": sizes[0]}] * 2
    assert model.forest_.tuned["min_samples_split"] in sizes


def test_a_fold_without_labels_does_not_decide():
    model = forest().fit(problem()[0], [[]] * 60)
    assert level_of(model) == noise_levels.FIRST_LEVEL


# ---- what is left alone


def test_what_the_user_gives_is_respected():
    X, y = problem()
    for name, value in {"C": 2.5, "max_iter": 7, "learning_rate": 0.03, "target_power": 0.4}.items():
        model = forest(split=GradientSplit(**{name: value})).fit(X, y)
        assert getattr(model.settings_.split, name) == value
        assert name not in model.forest_.tuned
        assert set(model.forest_.tuned) > {"min_samples_split"}
    model = forest(min_samples_split=7).fit(X, y)
    assert model.settings_.min_samples_split == 7
    assert "min_samples_split" not in model.forest_.tuned
    assert "C" in model.forest_.tuned
    model = forest(split=SVMSplit(C=0.7)).fit(X, y)
    assert model.settings_.split.C == 0.7
    assert set(model.forest_.tuned) == {"min_samples_split"}


def test_levels_that_the_user_makes_equal_are_tried_once(inner):
    # Without C, min_samples_split, max_iter and learning_rate, the second and third differ in nothing.
    split = GradientSplit(C=1.0, max_iter=5, learning_rate=0.1)
    forest(split=split, min_samples_split=5).fit(*problem())
    tried = [spec.tuned for _, spec in inner]
    assert {"target_power": 0.75} in tried
    assert all(set(settings) == {"target_power"} for settings in tried)
    distinct = {settings["target_power"] for settings in tried}
    assert len(tried) == noise_levels.FOLDS * len(distinct)


@pytest.mark.parametrize("split", [ALL_GIVEN, GradientSplit.published(), "svm", SVMSplit(C=1), OwnLearner()])
def test_where_everything_is_given_nothing_is_fitted_on_the_way(inner, split):
    model = forest(split=split, min_samples_split=4).fit(*problem())
    assert inner == []
    assert model.forest_.tuned == {}
    assert model.settings_.min_samples_split == 4


def test_own_learners_have_the_size_of_their_leaves_tuned(monkeypatch, inner):
    monkeypatch.setattr(noise_levels, "INNER_TREES", 2)
    model = forest(split=OwnLearner(), n_estimators=1).fit(*problem(32))
    assert inner
    assert model.forest_.tuned in noise_levels.OTHER_LEVELS


@pytest.mark.parametrize("how", ["rows", "weights", "unknown"])
@pytest.mark.parametrize("n", [29, 30])
def test_few_rows_tell_nothing_and_leave_the_defaults(inner, how, n):
    X, y = problem(n if how == "rows" else 60)
    weights = (np.arange(len(y)) < n).astype(float) if how == "weights" else None
    if how == "unknown":
        y = [row if i < n else None for i, row in enumerate(y)]
    model = forest().fit(X, y, sample_weight=weights)
    assert bool(inner) == (n == 30)
    assert (model.forest_.tuned == {}) == (n == 29)
    if n == 29:
        plain = forest(hierarchy=None, max_features=1.0)
        plain.fit(X[:29], TREE.closure(TREE.indicator(y[:29])).toarray())
        assert model.settings_ == plain.settings_


def test_only_forests_of_a_hierarchy_are_tuned(inner):
    X, sets = problem()
    Y = TREE.closure(TREE.indicator(sets))
    forest(hierarchy=None).fit(X, Y)
    forest(hierarchy=None).fit(X, Y.toarray())
    forest(hierarchy=None).fit(X, [min(row) for row in sets])
    ObliqueForestRegressor(n_estimators=2).fit(X, Y.toarray())
    ObliqueTreeClassifier(hierarchy=TREE).fit(X, sets)
    assert inner == []
    forest().fit(X, sets)
    assert inner != []


# ---- how it is done


def test_inner_fits_are_small_and_know_their_settings(inner):
    X, y = problem()
    model = forest(n_estimators=3, oob_score=True, threshold="f1_macro").fit(X, y)
    assert {spec.n_trees for _, spec in inner} == {noise_levels.INNER_TREES}
    assert all(spec.tuned in LEVELS for _, spec in inner)
    assert len(inner) % noise_levels.FOLDS == 0
    assert len({spec.seed for _, spec in inner}) == noise_levels.FOLDS
    assert not any(spec.out_of_bag or spec.verbose for _, spec in inner)
    assert model.trees_.n_trees == 3


def test_no_more_rows_than_needed_are_looked_at(monkeypatch, inner):
    monkeypatch.setattr(tuning, "MOST_ROWS", 40)
    forest().fit(*problem())
    assert {int((data.row_weights > 0).sum()) for data, *_ in inner} == {20}


def test_rows_without_label_take_no_part(inner):
    X, y = problem()
    forest().fit(X, [row if i % 3 else None for i, row in enumerate(y)])
    for data, *_ in inner:
        assert not data.row_weights[::3].any()


def test_trees_that_are_added_have_the_settings_of_the_first(inner):
    X, y = problem()
    model = forest(warm_start=True).fit(X, y)
    before = len(inner)
    assert before > 0
    settings = model.settings_
    model.set_params(n_estimators=4).fit(X, y)
    assert len(inner) == before
    assert model.settings_ == settings


@pytest.mark.parametrize("weight", [0.3, "auto"])
def test_models_that_teach_have_the_tuned_settings(monkeypatch, inner, weight):
    monkeypatch.setattr(semi_supervised, "_TREES", 2)
    taught = spied(monkeypatch, semi_supervised)
    X, y = problem()
    model = forest(unlabeled_weight=weight).fit(X, [row if i % 3 else None for i, row in enumerate(y)])
    assert taught
    assert all(spec.tuned == model.forest_.tuned for _, spec in taught)
    # Tuned once, not for each of them.
    assert len(inner) <= noise_levels.FOLDS * len(LEVELS)


def test_the_users_estimator_and_numbers_are_left_as_they_were():
    X, y = problem()
    before = X.copy()
    numbers = np.random.RandomState(5)
    model = forest(random_state=numbers)
    parameters = model.get_params()
    model.fit(X, y)
    assert model.get_params() == parameters
    assert_array_equal(X, before)
    # One number is drawn, as without noise_levels.
    other = np.random.RandomState(5)
    forest(random_state=other, min_samples_split=4, split=ALL_GIVEN).fit(X, y)
    assert numbers.randint(1000) == other.randint(1000)


def test_inner_fits_are_silent(capfd):
    forest(verbose=2).fit(*problem())
    shown = capfd.readouterr()
    assert shown.err.count(": tree ") == 2
    assert shown.out == ""


def test_progress_tells_each_level_that_was_judged(capfd, inner):
    model = forest(verbose=1).fit(*problem())
    lines = [line for line in capfd.readouterr().err.splitlines() if "held-out" in line]
    assert len(lines) == len(inner) / noise_levels.FOLDS
    best = min(lines, key=lambda line: float(line.split("squared error ")[1].split()[0]))
    assert f"min_samples_split={model.settings_.min_samples_split}," in best


def test_callbacks_hear_of_the_trees_of_the_final_model_only(inner):
    told = []

    class Listener:
        def setup(self, estimator, context):
            told.append("setup")

        def on_fit_task_begin(self, estimator, context, *, X):
            told.append(X.shape)

        def on_fit_task_end(self, estimator, context):
            told.append("end")
            return False

        def teardown(self, estimator, context):
            told.append("teardown")

    X, y = problem()
    forest(n_estimators=3).set_callbacks(Listener()).fit(X, y)
    assert inner
    assert told.count("setup") == told.count("teardown") == 1
    assert told.count("end") == 4
    assert {each for each in told if isinstance(each, tuple)} == {X.shape}
