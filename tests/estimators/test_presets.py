"""Presets: what each stands for, that whatever is given goes before it, and that files keep it."""

import numpy as np
import pytest
from sklearn.base import clone

import slantwood
from slantwood import (
    GradientSplit,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
)
from slantwood.presets import PRESETS

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
Y = X[:, 0] + RNG.normal(size=60)


def fitted(preset, forest=ObliqueForestRegressor, y=Y, **parameters):
    return forest(**{"n_estimators": 3, "preset": preset, "random_state": 0, **parameters}).fit(X, y)


@pytest.mark.parametrize(("preset", "n_trees"), [("default", 10), ("fast", 7), ("best", 40), ("paper", 10)])
def test_a_preset_says_how_many_trees_are_grown(preset, n_trees):
    model = fitted(preset, n_estimators=10)
    assert len(model) == n_trees
    assert model.settings_.preset == preset


def test_the_default_is_what_is_grown_where_nothing_is_said():
    a, b = ObliqueForestRegressor(3, random_state=0).fit(X, Y), fitted("default")
    np.testing.assert_array_equal(a.trees_.weights, b.trees_.weights)


def test_the_paper_has_its_own_values():
    model = fitted("paper")
    at_length = fitted(
        "default",
        split=GradientSplit.published(),
        bootstrap=True,
        max_features=None,
        min_samples_split=2,
        normalize_rows=False,
    )
    np.testing.assert_array_equal(model.trees_.weights, at_length.trees_.weights)
    np.testing.assert_array_equal(model.predict(X), at_length.predict(X))


def test_a_tree_of_the_paper_is_grown_to_the_end():
    tree = ObliqueTreeRegressor(preset="paper").fit(X, Y)
    assert tree.settings_.min_samples_split == 2
    assert tree.settings_.split == GradientSplit.published().filled_in(vars(tree.settings_.split))


def test_what_is_given_goes_before_the_preset():
    model = fitted("paper", bootstrap=False, min_samples_split=7, split="svm")
    assert model.settings_.bootstrap is False
    assert model.settings_.min_samples_split == 7
    assert type(model.settings_.split).__name__ == "SVMSplit"
    assert fitted("fast", split=GradientSplit(max_iter=3)).settings_.split.max_iter == 3


@pytest.mark.parametrize("preset", ["fast", "best"])
def test_single_trees_have_those_that_say_something_of_them(preset):
    with pytest.raises(ValueError, match=f"preset='{preset}' is for forests; .* 'default', 'paper'"):
        ObliqueTreeClassifier(preset=preset).fit(X, Y > 0)


@pytest.mark.parametrize("preset", ["quick", None, 3])
def test_a_word_that_is_none_of_them_is_refused(preset):
    with pytest.raises(ValueError, match=r"preset=.* must be one of 'default', 'fast', 'best', 'paper'"):
        ObliqueForestRegressor(preset=preset).fit(X, Y)


@pytest.mark.parametrize("preset", PRESETS)
def test_files_and_clones_keep_it(preset, tmp_path):
    model = fitted(preset, ObliqueForestClassifier, Y > 0)
    model.save(tmp_path / "model")
    loaded = slantwood.load_model(tmp_path / "model")
    assert loaded.preset == clone(model).preset == preset
    assert loaded.settings_ == model.settings_
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


def test_adding_trees_counts_them_as_the_preset_does():
    model = fitted("fast", n_estimators=10, warm_start=True)
    assert len(model.set_params(n_estimators=20).fit(X, Y)) == 14
