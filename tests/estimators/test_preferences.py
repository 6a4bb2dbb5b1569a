"""Claims about what split learners make of parameters that are left at "auto"."""

import numpy as np
import pytest

from slantwood import (
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
)

pytestmark = pytest.mark.sampled

X = np.random.default_rng(0).normal(size=(60, 40))


@pytest.mark.parametrize("split", ["gradient", "svm", "axis", "ridge", "oc1", "wodt"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_single_trees_of_classes_divide_small_nodes_unless_clusters_would_divide_noise(split, n_classes):
    y = np.arange(60) % n_classes
    tree = ObliqueTreeClassifier(split=split, random_state=0).fit(X, y)
    assert tree.settings_.min_samples_split == (50 if (split, n_classes) == ("svm", 2) else 2)


@pytest.mark.parametrize("split", ["gradient", "ridge", "oc1"])
@pytest.mark.parametrize(("n_rows", "together"), [(8, 2), (30, 3), (60, 6), (120, 10), (240, 10)])
def test_single_trees_of_numbers_and_labels_leave_a_tenth_or_ten_rows_together(split, n_rows, together):
    rows = np.resize(X, (n_rows, 40))
    labels = (rows[:, :3] > 0).astype(int)
    for kind, y in ((ObliqueTreeRegressor, rows[:, 0]), (ObliqueTreeClassifier, labels)):
        assert kind(split=split, random_state=0).fit(rows, y).settings_.min_samples_split == together


def test_single_trees_of_one_target_have_a_smaller_C():
    labels = (X[:, :3] > 0).astype(int)
    for kind, y, C in (
        (ObliqueTreeRegressor, X[:, 0], 3.0),
        (ObliqueTreeClassifier, labels[:, 0], 3.0),
        (ObliqueTreeRegressor, X[:, :2], 10.0),
        (ObliqueTreeClassifier, labels, 10.0),
        (ObliqueTreeClassifier, np.arange(60) % 3, 10.0),
        (ObliqueForestClassifier, labels[:, 0], 10.0),
    ):
        assert kind(random_state=0).fit(X, y).settings_.split.C == C


@pytest.mark.parametrize(("n_features", "few"), [(20, True), (21, False)])
def test_oc1_searches_few_features_as_published_in_single_trees_and_for_several_numbers(n_features, few):
    wide = np.random.default_rng(0).normal(size=(20, n_features))
    y, Y = wide[:, 0] > 0, wide[:, :2]
    tree = ObliqueTreeClassifier(split="oc1", random_state=0).fit(wide, y)
    numbers = ObliqueForestRegressor(n_estimators=1, split="oc1", random_state=0).fit(wide, Y)
    classes = ObliqueForestClassifier(n_estimators=1, split="oc1", random_state=0).fit(wide, y)
    for model, as_published in ((tree, few), (numbers, few), (classes, False)):
        split = model.settings_.split
        assert (split.n_restarts, split.order) == ((20, "random") if as_published else (0, "sequential"))


def test_single_trees_of_ndcg_splits_have_a_small_C_for_labels():
    labels = (X[:, :3] > 0).astype(int)
    for kind, y, C in (
        (ObliqueTreeClassifier, labels, 0.3),
        (ObliqueTreeClassifier, np.arange(60) % 3, 3.0),
        (ObliqueForestClassifier, labels, 3.0),
    ):
        assert kind(split="ndcg", random_state=0).fit(X, y).settings_.split.C == C


def test_forests_of_ridge_splits_draw_few_features_of_all_rows_for_one_number():
    number = ObliqueForestRegressor(n_estimators=1, split="ridge", random_state=0).fit(X, X[:, 0])
    classes = ObliqueForestClassifier(n_estimators=1, split="ridge", random_state=0).fit(X, X[:, 0] > 0)
    for forest, max_features in ((number, "sqrt"), (classes, 0.5)):
        assert forest.settings_.max_features == max_features
        assert forest.settings_.bootstrap is False


def test_ndcg_splits_divide_small_nodes_of_classes_only():
    classes, labels = np.arange(60) % 3, (X[:, :3] > 0).astype(int)
    for y, expected in ((classes, 2), (labels, 10)):
        forest = ObliqueForestClassifier(n_estimators=1, split="ndcg", random_state=0).fit(X, y)
        assert forest.settings_.min_samples_split == expected
