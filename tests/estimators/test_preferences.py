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


@pytest.mark.parametrize("split", ["gradient", "svm", "axis", "ridge", "oc1", "wodt"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_single_trees_of_classes_divide_small_nodes_unless_clusters_would_divide_noise(split, n_classes):
    y = np.arange(60) % n_classes
    tree = ObliqueTreeClassifier(split=split, random_state=0).fit(X, y)
    assert tree.settings_["min_samples_split"] == (50 if (split, n_classes) == ("svm", 2) else 2)


@pytest.mark.parametrize("split", ["gradient", "ridge", "oc1"])
@pytest.mark.parametrize(("n_rows", "together"), [(8, 2), (30, 3), (60, 6), (120, 10), (240, 10)])
def test_single_trees_of_numbers_and_labels_leave_a_tenth_or_ten_rows_together(split, n_rows, together):
    rows = np.resize(X, (n_rows, 40))
    labels = (rows[:, :3] > 0).astype(int)
    for kind, y in ((ObliqueTreeRegressor, rows[:, 0]), (ObliqueTreeClassifier, labels)):
        assert kind(split=split, random_state=0).fit(rows, y).settings_["min_samples_split"] == together


def test_single_trees_start_from_noise_where_there_is_one_target():
    labels, noise = (X[:, :3] > 0).astype(int), "noise"
    for kind, y, start in (
        (ObliqueTreeRegressor, X[:, 0], noise),
        (ObliqueTreeClassifier, labels[:, 0], noise),
        (ObliqueTreeRegressor, X[:, :2], "informed"),
        (ObliqueTreeClassifier, labels, "informed"),
        (ObliqueTreeClassifier, np.arange(60) % 3, "informed"),
    ):
        assert kind(random_state=0).fit(X, y).settings_["split"].start == start


@pytest.mark.parametrize(("n_features", "n_restarts"), [(100, 20), (101, 0)])
def test_oc1_starts_from_random_planes_of_few_features_in_single_trees_and_for_several_numbers(
    n_features, n_restarts
):
    wide = np.random.default_rng(0).normal(size=(20, n_features))
    tree = ObliqueTreeClassifier(split="oc1", random_state=0).fit(wide, wide[:, 0] > 0)
    assert tree.settings_["split"].n_restarts == n_restarts
    forest = ObliqueForestClassifier(n_estimators=1, split="oc1", random_state=0).fit(wide, wide[:, 0] > 0)
    assert forest.settings_["split"].n_restarts == 0
    numbers = ObliqueForestRegressor(n_estimators=1, split="oc1", random_state=0).fit(wide, wide[:, :2])
    assert numbers.settings_["split"].n_restarts == n_restarts / 4
    assert numbers.settings_["max_features"] == (1.0 if n_restarts else 0.5)


def test_single_trees_of_ndcg_splits_have_a_small_C_for_labels():
    labels = (X[:, :3] > 0).astype(int)
    for kind, y, C in (
        (ObliqueTreeClassifier, labels, 0.3),
        (ObliqueTreeClassifier, np.arange(60) % 3, 3.0),
        (ObliqueForestClassifier, labels, 3.0),
    ):
        assert kind(split="ndcg", random_state=0).fit(X, y).settings_["split"].C == C


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
