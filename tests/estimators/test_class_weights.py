"""Weights of labels: a row weighs the mean of the weights of its labels."""

import io

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils import compute_sample_weight

from slantwood import Hierarchy, ObliqueForestClassifier, ObliqueTreeClassifier, load_model
from slantwood.estimators.class_weights import row_weights_by_label

rng = np.random.default_rng(0)
X = rng.normal(size=(150, 4))
Y = (X[:, :3] + 0.5 * rng.normal(size=(150, 3)) > [0.2, 1.0, 1.8]).astype(int)
LABELS = np.arange(3)


@pytest.mark.parametrize("container", [np.array, sp.csr_array])
def test_a_row_weighs_the_mean_of_the_weights_of_its_labels(container):
    y = container(np.array([[1.0, 0, 0], [0, 1, 1], [1, 1, 1], [0, 0, 0]]))
    np.testing.assert_allclose(row_weights_by_label([1, 2, 6], LABELS, y), [1, 4, 3, 1])
    np.testing.assert_allclose(row_weights_by_label({1: 3}, LABELS, y), [1, 2, 5 / 3, 1])


def test_labels_that_are_not_known_have_no_part():
    y = np.array([[1.0, np.nan, 0], [np.nan, 1, 1], [np.nan, np.nan, np.nan]])
    np.testing.assert_allclose(row_weights_by_label([1, 2, 6], LABELS, y), [1, 4, 1])


def test_balanced_labels_have_equal_parts_of_all_labels_given():
    y = np.array([[1, 0, 0]] * 6 + [[0, 1, 0]] * 3 + [[0, 0, 0]])
    weights = row_weights_by_label("balanced", LABELS, y)
    np.testing.assert_allclose([weights[:6].sum(), weights[6:9].sum(), weights[9]], [4.5, 4.5, 1.0])


@pytest.mark.parametrize("class_weight", ["balanced", {0: 5.0}, {0: 1.0, 1: 2.0, 2: 0.5}])
def test_one_label_per_row_is_weighted_as_a_class_is(class_weight):
    classes = np.where(X[:, 0] > 1.0, 2, (X[:, 1] > 0).astype(int))
    as_labels = (classes[:, None] == LABELS).astype(int)
    weights = row_weights_by_label(class_weight, LABELS, as_labels)
    np.testing.assert_allclose(weights, compute_sample_weight(class_weight, classes))
    tree = ObliqueTreeClassifier(class_weight=class_weight, max_depth=1, random_state=0)
    as_class = tree.fit(X, classes).trees_.node_weight[0]
    assert tree.fit(X, as_labels).trees_.node_weight[0] == pytest.approx(as_class)


@pytest.mark.parametrize("kind", [ObliqueTreeClassifier, ObliqueForestClassifier])
def test_a_rare_label_of_great_weight_gets_higher_probabilities(kind):
    plain = kind(max_depth=1, random_state=0).fit(X, Y)
    for weights in ([1.0, 1.0, 20.0], {2: 20.0}, "balanced"):
        weighted = kind(max_depth=1, class_weight=weights, random_state=0).fit(X, Y)
        assert weighted.predict_proba(X)[:, 2].mean() > 1.2 * plain.predict_proba(X)[:, 2].mean()


def test_weights_given_per_row_and_per_label_multiply():
    weights = rng.uniform(0.5, 2.0, 150)
    by_label = np.array([1.0, 2.0, 6.0])
    both = weights * row_weights_by_label(by_label, LABELS, Y)
    one = ObliqueTreeClassifier(class_weight=by_label, random_state=0).fit(X, Y, sample_weight=weights)
    other = ObliqueTreeClassifier(random_state=0).fit(X, Y, sample_weight=both)
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))
    assert one.trees_.node_weight[0] == pytest.approx(both.sum())


def test_weights_given_per_row_and_per_class_multiply():
    weights = rng.uniform(0.5, 2.0, 150)
    classes = (X[:, 1] > 0).astype(int)
    both = weights * np.where(classes == 1, 6.0, 1.0)
    one = ObliqueTreeClassifier(class_weight={1: 6.0}, random_state=0).fit(X, classes, sample_weight=weights)
    other = ObliqueTreeClassifier(random_state=0).fit(X, classes, sample_weight=both)
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))
    assert one.trees_.node_weight[0] == pytest.approx(both.sum())


def test_labels_of_a_hierarchy_have_weights_by_name():
    chain = Hierarchy.from_edges([("a", "b"), ("b", "c")])
    labels = [{"a"} if x < 0 else {"b"} if x < 1.2 else {"c"} for x in X[:, 0]]
    plain = ObliqueTreeClassifier(hierarchy=chain, max_depth=1, random_state=0).fit(X, labels)
    heavy = ObliqueTreeClassifier(hierarchy=chain, max_depth=1, class_weight={"c": 30.0}, random_state=0)
    c = list(heavy.fit(X, labels).classes_).index("c")
    assert heavy.predict_proba(X)[:, c].mean() > 1.2 * plain.predict_proba(X)[:, c].mean()


@pytest.mark.parametrize(
    "class_weight", ["balanced", {2: 20.0}, [1.0, 1.0, 20.0], np.array([1.0, 1.0, 20.0])]
)
def test_weights_of_labels_are_saved(class_weight):
    model = ObliqueForestClassifier(n_estimators=3, class_weight=class_weight, random_state=0).fit(X, Y)
    file = io.BytesIO()
    model.save(file)
    file.seek(0)
    again = load_model(file)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.fit(X, Y).predict_proba(X), model.predict_proba(X))
