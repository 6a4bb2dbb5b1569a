"""Which learner is chosen where one of them is plainly right, and that the first one stays elsewhere."""

import numpy as np
import pytest

from slantwood import GradientSplit, ObliqueForestClassifier, ObliqueForestRegressor
from slantwood.ensemble import audition
from slantwood.split_names import name_of


def best(forest, X, y, **parameters):
    return forest(**{"n_estimators": 5, "preset": "best", "random_state": 0, **parameters}).fit(X, y)


def test_steps_of_single_features_want_thresholds_of_single_features():
    X = np.random.default_rng(0).uniform(size=(200, 6))
    y = np.floor(3 * X[:, 0]) + 2.0 * np.floor(3 * X[:, 1])
    assert name_of(best(ObliqueForestRegressor, X, y).settings_.split) == "axis"


def test_where_no_other_is_clearly_better_the_gradient_split_stays():
    X = np.random.default_rng(0).normal(size=(120, 5))
    assert isinstance(best(ObliqueForestClassifier, X, X[:, 0] > X[:, 1]).settings_.split, GradientSplit)


def test_on_more_rows_only_the_best_are_heard_again(monkeypatch):
    monkeypatch.setattr(audition, "_FIRST_ROWS", 80)
    heard = []
    hear = audition._hear

    def spy(data, spec, rows, split):
        heard.append((len(rows), split))
        return hear(data, spec, rows, split)

    monkeypatch.setattr(audition, "_hear", spy)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    model = best(ObliqueForestClassifier, X, X[:, 0] > X[:, 1])
    assert [n for n, _ in heard] == [80] * 5 + [120] * 3
    assert model.settings_.split.__class__ in {type(split) for n, split in heard if n == 120}


def test_a_learner_that_is_given_is_not_heard(monkeypatch):
    monkeypatch.setattr(audition, "_hear", None)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    model = best(ObliqueForestRegressor, X, X[:, 0], split="ridge")
    assert name_of(model.settings_.split) == "ridge"


def test_trees_that_are_added_have_the_same_learner(monkeypatch):
    X = np.random.default_rng(0).uniform(size=(150, 6))
    y = np.floor(3 * X[:, 0]) + 2.0 * np.floor(3 * X[:, 1])
    model = best(ObliqueForestRegressor, X, y, warm_start=True)
    at_once = best(ObliqueForestRegressor, X, y, n_estimators=6)
    monkeypatch.setattr(audition, "_hear", None)
    model.set_params(n_estimators=6).fit(X, y)
    assert len(model) == 24
    assert model.settings_ == at_once.settings_
    np.testing.assert_array_equal(model.trees_.bias, at_once.trees_.bias)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_choice_is_the_same_on_any_number_of_threads(n_jobs):
    X = np.random.default_rng(3).normal(size=(110, 4))
    model = best(ObliqueForestClassifier, X, X[:, 0] > 0, n_jobs=n_jobs)
    again = best(ObliqueForestClassifier, X, X[:, 0] > 0)
    np.testing.assert_array_equal(model.trees_.weights, again.trees_.weights)
