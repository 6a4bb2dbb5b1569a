"""Weights of classes, which act on probabilities, and of labels: a row weighs the mean of those it has."""

import io

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_classification
from sklearn.metrics import recall_score, roc_auc_score
from sklearn.utils import compute_sample_weight

from slantwood import Hierarchy, ObliqueForestClassifier, ObliqueTreeClassifier, load_model
from slantwood.estimators.class_weights import row_weights_by_label
from slantwood.targets.classes import DOUBT, ClassTargets

rng = np.random.default_rng(0)
X = rng.normal(size=(150, 4))
Y = (X[:, :3] + 0.5 * rng.normal(size=(150, 3)) > [0.2, 1.0, 1.8]).astype(int)
LABELS = np.arange(3)
CLASSES = np.where(X[:, 0] > 1.0, 2, (X[:, 1] > 0).astype(int))


def forest(**parameters):
    return ObliqueForestClassifier(n_estimators=5, random_state=0, **parameters)


# ---- classes


def test_balanced_classes_raise_the_recall_of_a_rare_one_also_where_leaves_are_pure():
    X, y = make_classification(1200, 10, n_informative=6, weights=[0.97], random_state=0)
    train, test = np.arange(1200) < 600, np.arange(1200) >= 600
    plain = ObliqueForestClassifier(n_estimators=20, random_state=0).fit(X[train], y[train])
    assert np.isin(plain.estimators_[0].predict_proba(X), [0.0, 1.0]).all()
    balanced = ObliqueForestClassifier(n_estimators=20, class_weight="balanced", random_state=0)
    balanced.fit(X[train], y[train])
    one, other = (recall_score(y[test], model.predict(X[test])) for model in (plain, balanced))
    assert other > one + 0.2
    # Weights change the decision, and not the order of the rows.
    areas = [roc_auc_score(y[test], each.predict_proba(X[test])[:, 1]) for each in (plain, balanced)]
    assert areas[0] == pytest.approx(areas[1], abs=1e-9)


@pytest.mark.parametrize("y", [CLASSES > 0, CLASSES], ids=["two", "three"])
@pytest.mark.parametrize("how", [{}, {"max_depth": 2}, {"bootstrap": True}])
def test_probabilities_are_those_of_a_population_with_more_of_some_classes(y, how):
    plain = forest(**how).fit(X, y)
    classes, counts = np.unique(y, return_counts=True)
    weights = np.array([1.0, 3.0, 0.2])[: len(classes)]
    weighted = forest(class_weight=dict(zip(classes.tolist(), weights, strict=True)), **how).fit(X, y)
    np.testing.assert_array_equal(weighted.apply(X), plain.apply(X))
    expected = (plain.predict_proba(X) + DOUBT * counts / len(y)) * weights
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(weighted.predict_proba(X), expected, atol=1e-6)
    np.testing.assert_array_equal(weighted.predict(X), classes[expected.argmax(axis=1)])
    np.testing.assert_array_equal(weighted.predict_top_k(X, 1).labels[:, 0], weighted.predict(X))
    best = weighted.predict_proba(X, top_k=1)
    np.testing.assert_allclose(best.toarray().max(axis=1), expected.max(axis=1), atol=1e-6)
    assert best.nnz == len(X)


def test_equal_weights_of_classes_change_nothing():
    plain = forest().fit(X, CLASSES).predict_proba(X)
    equal = forest(class_weight={0: 7.0, 1: 7.0, 2: 7.0}).fit(X, CLASSES).predict_proba(X)
    np.testing.assert_array_equal(equal, plain)


def test_trees_that_agree_yield_to_a_weight_that_is_large_enough():
    model = forest(class_weight={0: 1e6, 1: 1e-6, 2: 1e-6}).fit(X, CLASSES)
    assert (model.predict(X) == 0).all()
    # Balanced weights never are: a row of which no tree says the rare class does not get it.
    y = (np.arange(150) < 2).astype(int)
    votes = forest().fit(X, y).predict_proba(X)[:, 1]
    assert not forest(class_weight="balanced").fit(X, y).predict(X)[votes == 0].any()


@pytest.mark.parametrize("kind", [ObliqueTreeClassifier, ObliqueForestClassifier])
def test_a_row_of_weight_two_is_as_two_where_classes_are_balanced(kind):
    times = np.random.default_rng(1).integers(0, 3, 150)
    how = {"class_weight": "balanced", "max_depth": 2, "split": "axis", "random_state": 0}
    how |= {} if kind is ObliqueTreeClassifier else {"bootstrap": False}
    weighted = kind(**how).fit(X, CLASSES, sample_weight=times)
    repeated = kind(**how).fit(np.repeat(X, times, axis=0), np.repeat(CLASSES, times))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-3)


def test_rows_of_a_single_tree_have_the_weights_of_their_classes():
    weights = {0: 1.0, 1: 3.0, 2: 0.5}
    by_class = ObliqueTreeClassifier(class_weight=weights, random_state=0).fit(X, CLASSES)
    by_row = ObliqueTreeClassifier(random_state=0)
    by_row.fit(X, CLASSES, sample_weight=compute_sample_weight(weights, CLASSES))
    np.testing.assert_array_equal(by_class.predict_proba(X), by_row.predict_proba(X))


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf, 1e-13])
def test_weights_of_classes_must_be_positive_numbers(weight):
    with pytest.raises(ValueError, match=r"class_weight has the weight .* for class .*1"):
        forest(class_weight={0: 1.0, 1: weight, 2: 1.0}).fit(X, CLASSES)


def test_more_trees_keep_the_weights_of_classes():
    at_once = forest(class_weight="balanced").fit(X, CLASSES)
    grown = forest(class_weight="balanced", warm_start=True).set_params(n_estimators=2).fit(X, CLASSES)
    grown.set_params(n_estimators=5).fit(X, CLASSES)
    np.testing.assert_array_equal(grown.predict_proba(X), at_once.predict_proba(X))


def test_weights_of_classes_are_saved():
    model = forest(class_weight="balanced").fit(X, CLASSES)
    file = io.BytesIO()
    model.save(file, predict_only=True)
    file.seek(0)
    again = load_model(file)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.targets_.weights == model.targets_.weights


@pytest.mark.parametrize(
    "fields",
    [
        {"weights": np.ones(2)},
        {"weights": np.ones(3), "shares": np.full(2, 0.5)},
        {"weights": np.ones(2), "shares": np.full((2, 1), 0.5)},
        {"weights": np.array([1.0, np.nan]), "shares": np.full(2, 0.5)},
        {"weights": np.array([1.0, -2.0]), "shares": np.full(2, 0.5)},
        {"weights": np.ones(2), "shares": np.array([0.5, np.inf])},
        {"weights": [1.0, 1.0], "shares": np.full(2, 0.5)},
        {"weights": np.empty(0), "shares": np.full(2, 0.5)},
    ],
)
def test_a_file_cannot_have_other_weights_of_classes(fields):
    with pytest.raises(ValueError, match="classes"):
        ClassTargets.from_json({"classes": np.arange(2), **fields})


# ---- labels


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
    classes = CLASSES
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
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=1e-6)
    assert one.trees_.node_weight[0] == pytest.approx(150)


def test_weights_given_per_row_and_per_class_multiply():
    weights = rng.uniform(0.5, 2.0, 150)
    classes = (X[:, 1] > 0).astype(int)
    both = weights * np.where(classes == 1, 6.0, 1.0)
    one = ObliqueTreeClassifier(class_weight={1: 6.0}, random_state=0).fit(X, classes, sample_weight=weights)
    other = ObliqueTreeClassifier(random_state=0).fit(X, classes, sample_weight=both)
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=1e-6)
    assert one.trees_.node_weight[0] == pytest.approx(150)


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


@pytest.mark.filterwarnings("error")
def test_where_no_row_with_a_class_has_weight_this_is_said_and_not_laid_to_class_weight():
    classes = np.where(CLASSES == 2, 2.0, np.nan)
    model = ObliqueTreeClassifier(class_weight="balanced")
    with pytest.raises(ValueError, match="y has no label in any row of positive weight"):
        model.fit(X, classes, sample_weight=np.isnan(classes))
