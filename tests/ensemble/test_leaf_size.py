"""How small leaves are: noise makes them larger, clean data leaves them as they are, and so does the user."""

import numpy as np
import pytest
import scipy.sparse as sp

from slantwood import GradientSplit, ObliqueForestClassifier, ObliqueForestRegressor, ObliqueTreeRegressor
from slantwood.ensemble import leaf_size, unseen
from slantwood.ensemble.gains import averaged_by
from slantwood.ensemble.leaf_size import Pilot

TREES = 20


def clean(n=200, seed=0):
    """A smooth function of the features, without noise."""
    X = np.random.default_rng(seed).normal(size=(n, 3))
    return X, X[:, 0] + X[:, 1] * X[:, 2]


def noisy(n=200, seed=0):
    """A little signal in much noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, X[:, 0] + 4 * rng.normal(size=n)


def chosen(X, y, forest=ObliqueForestRegressor, **parameters):
    model = forest(**{"n_estimators": TREES, "random_state": 0, **parameters}).fit(X, y)
    return model.settings_.min_samples_split


@pytest.fixture
def pilots(monkeypatch):
    """List the pilots that are made."""
    made = []

    class Spy(Pilot):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            made.append(self)

    monkeypatch.setattr(leaf_size, "Pilot", Spy)
    return made


@pytest.mark.parametrize("seed", range(2))
def test_noise_makes_leaves_larger_and_the_forest_better(seed):
    X, y = noisy(seed=seed)
    X_new = np.random.default_rng(99).normal(size=(1000, 3))
    errors = {}
    for size in ("auto", 2):
        model = ObliqueForestRegressor(TREES, min_samples_split=size, random_state=0).fit(X, y)
        errors[size] = np.mean((model.predict(X_new) - X_new[:, 0]) ** 2)
        if size == "auto":
            assert model.settings_.min_samples_split >= 20
    assert errors["auto"] < 0.7 * errors[2]


@pytest.mark.parametrize("seed", range(2))
def test_clean_data_keep_the_default(seed):
    assert chosen(*clean(seed=seed)) == 2


def test_noisy_labels_of_a_row_get_larger_leaves():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 4))
    Y = (X + 4 * rng.normal(size=X.shape) > 0).astype(int)
    assert chosen(X, Y, ObliqueForestClassifier) > 2
    assert chosen(X, sp.csr_array(Y), ObliqueForestClassifier) > 2
    assert chosen(X, (X > 0).astype(int), ObliqueForestClassifier) == 2


def test_clear_classes_keep_the_default():
    X = np.random.default_rng(1).normal(size=(300, 4))
    assert chosen(X, X[:, 0] > X[:, 1], ObliqueForestClassifier) == 2


def made_up(gain, own=0.0, spread=0.1, n=400):
    """A pilot of two sizes, of which the second is better by so much in squared error."""
    pilot = Pilot.__new__(Pilot)
    pilot.sizes, pilot._rows, pilot._clear = [2, 10], averaged_by(np.ones(n)), leaf_size._CLEAR
    noise = np.resize([spread, -spread], n)
    pilot._squared = {2: np.ones(n), 10: np.ones(n) - gain - noise}
    pilot._own = lambda size: np.full((n, 1), own if size == 10 else 0.0)
    return pilot


@pytest.mark.parametrize(("gain", "size"), [(-0.1, 2), (0.0, 2), (0.004, 2), (0.006, 10), (0.1, 10)])
def test_a_gain_must_be_larger_than_its_standard_error(gain, size):
    assert made_up(gain).clearly_best() == size  # the standard error is 0.005


def test_a_clear_gain_counts_for_nothing_where_what_users_look_at_gets_worse():
    assert made_up(0.1, own=0.01).clearly_best() == 2
    assert made_up(0.1, own=-0.01).clearly_best() == 10


@pytest.mark.parametrize(
    ("gain", "sizes"), [(-0.1, (2, 2, 2)), (0.005, (2, 10, 10)), (0.0, (2, 2, 10)), (0.1, (10, 10, 10))]
)
def test_sizes_that_differ_by_less_than_chance_are_likely_choices(gain, sizes):
    found = made_up(gain).likely(400)  # the standard error is 0.005
    assert found[0] == sizes[0]
    assert found[2] == sizes[2]
    if sizes[0] == sizes[2]:
        assert found[1] == sizes[1]


def test_the_targets_decide_where_something_else_scores_splits():
    X, y = noisy()
    model = ObliqueForestRegressor(TREES, random_state=0).fit(X, y, clustering=X[:, :1])
    assert model.settings_.min_samples_split >= 20


def test_the_choice_does_not_depend_on_threads_or_the_number_of_trees():
    X, y = noisy()
    first = ObliqueForestRegressor(TREES, random_state=0).fit(X, y)
    larger = ObliqueForestRegressor(TREES + 5, random_state=0, n_jobs=2).fit(X, y)
    assert larger.settings_.min_samples_split == first.settings_.min_samples_split
    np.testing.assert_array_equal(larger.trees_.bias[: len(first.trees_.bias)], first.trees_.bias)


@pytest.mark.parametrize("n_first", [1, 10])
def test_trees_that_are_added_to_few_make_the_forest_that_has_all_at_once(n_first):
    X, y = noisy()
    whole = ObliqueForestRegressor(TREES, random_state=0).fit(X, y)
    parts = ObliqueForestRegressor(n_first, warm_start=True, random_state=0).fit(X, y)
    assert parts.settings_ == whole.settings_
    assert parts.settings_.min_samples_split >= 20
    parts.set_params(n_estimators=TREES).fit(X, y)
    np.testing.assert_array_equal(parts.predict(X), whole.predict(X))


def test_trees_that_are_added_have_leaves_of_the_same_size(pilots):
    X, y = noisy()
    model = ObliqueForestRegressor(TREES, warm_start=True, random_state=0).fit(X, y)
    size = model.settings_.min_samples_split
    model.set_params(n_estimators=TREES + 5).fit(X, y)
    assert len(pilots) == 1
    assert model.settings_.min_samples_split == size


@pytest.mark.parametrize(
    "parameters",
    [
        {"min_samples_split": 3},
        {"preset": "fast"},
        {"preset": "paper"},
        {"split": GradientSplit.published()},
    ],
)
def test_where_nothing_is_to_be_chosen_there_is_no_pilot(pilots, parameters):
    chosen(*noisy(120), **parameters)
    assert pilots == []


def test_a_single_tree_and_few_rows_have_the_default(pilots):
    ObliqueTreeRegressor().fit(*noisy(120))
    assert chosen(*noisy(99)) == 2
    assert pilots == []


def test_rows_are_predicted_by_trees_that_did_not_see_them(pilots, monkeypatch):
    seen = []
    grow_forest = unseen.grow_forest
    monkeypatch.setattr(
        unseen, "grow_forest", lambda data, spec: seen.append(data) or grow_forest(data, spec)
    )
    X, y = noisy(200)
    weights = np.arange(200) % 4 + 0.5
    weights[::6] = 0
    ObliqueForestRegressor(TREES, random_state=0).fit(X, y, sample_weight=weights)
    held_out = [(data.row_weights == 0) & (weights > 0) for data in seen]
    # Every row that has weight is left out once.
    np.testing.assert_array_equal(np.sum(held_out, axis=0), weights > 0)
    assert len(pilots) == 1


def test_few_trees_tell_the_squared_error_of_many(pilots, monkeypatch):
    # Extrapolated from four trees, the error is that of twelve on the same rows, and not that of four. One
    # pilot may be off by as much as a half of the difference; the mean of six is not.
    few, many = leaf_size._TREES, 12
    for n_trees, told in [(few, many), (few, few), (many, many)]:
        monkeypatch.setattr(leaf_size, "_TREES", n_trees)
        monkeypatch.setattr(unseen, "_MANY_TREES", told)
        for seed in range(6):
            chosen(*noisy(120, seed))
    errors = np.reshape([pilot.mean_squared(2) for pilot in pilots], (3, 6))
    extrapolated, of_few, of_many = errors.mean(axis=1)
    assert abs(extrapolated - of_many) < abs(of_few - of_many) / 2


def test_what_was_found_is_told(capsys):
    ObliqueForestRegressor(TREES, verbose=1, random_state=0).fit(*noisy(120))
    assert "squared error of unseen rows by min_samples_split: 2: " in capsys.readouterr().err
