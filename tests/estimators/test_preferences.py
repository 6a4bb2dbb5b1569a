"""Claims about what split learners make of parameters that are left at "auto"."""

import numpy as np
import pytest

from slantwood import (
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
)

X = np.random.default_rng(0).normal(size=(60, 40))


@pytest.mark.parametrize(
    ("split", "expected"),
    [("gradient", 10), ("svm", 10), ("axis", 10), ("ridge", 2), ("oc1", 2), ("wodt", 2)],
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_single_trees_of_classes_divide_small_nodes_where_that_suits_the_learner(split, expected, n_classes):
    y = np.arange(60) % n_classes
    tree = ObliqueTreeClassifier(split=split, random_state=0).fit(X, y)
    assert tree.settings_["min_samples_split"] == expected


@pytest.mark.parametrize("split", ["gradient", "ridge", "oc1"])
def test_single_trees_of_numbers_and_labels_leave_ten_rows_together(split):
    for kind, y in ((ObliqueTreeRegressor, X[:, 0]), (ObliqueTreeClassifier, (X[:, :3] > 0).astype(int))):
        assert kind(split=split, random_state=0).fit(X, y).settings_["min_samples_split"] == 10


def test_forests_of_ridge_splits_draw_few_features_for_one_number_as_published():
    number = ObliqueForestRegressor(n_estimators=1, split="ridge", random_state=0).fit(X, X[:, 0])
    classes = ObliqueForestClassifier(n_estimators=1, split="ridge", random_state=0).fit(X, X[:, 0] > 0)
    for forest, max_features in ((number, "sqrt"), (classes, 0.5)):
        assert forest.settings_["max_features"] == max_features
        assert forest.settings_["bootstrap"] is True


def test_ndcg_splits_divide_small_nodes_of_classes_only():
    classes, labels = np.arange(60) % 3, (X[:, :3] > 0).astype(int)
    for y, expected in ((classes, 2), (labels, 10)):
        forest = ObliqueForestClassifier(n_estimators=1, split="ndcg", random_state=0).fit(X, y)
        assert forest.settings_["min_samples_split"] == expected
