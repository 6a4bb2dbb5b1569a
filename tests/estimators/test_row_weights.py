"""Claims about the weights of rows: their ratios count, and what counts rows counts rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.utils.estimator_checks import check_sample_weight_equivalence_on_dense_data

from slantwood import (
    Hierarchy,
    LabelTreeClassifier,
    ObliqueBoostingClassifier,
    ObliqueBoostingRegressor,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
    TailReranker,
)
from slantwood.features.matrix import effective_rows

rng = np.random.default_rng(0)
X = rng.normal(size=(160, 5)).astype(np.float32)
NUMBER = X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=160)
CLASSES = np.digitize(NUMBER, [-0.4, 0.4])
LABELS = (X[:, :3] + NUMBER[:, None] > 0).astype(int)
SOME_CLASSES = np.where(np.arange(160) % 3 == 0, -1, CLASSES)
SETS = [{"a/b"} if x < 0 else {"a"} if x < 0.7 else {"c"} for x in X[:, 0]]
WEIGHTS = rng.choice([0.0, 0.5, 1.0, 4.0], 160)

MODELS = {
    "tree, classes": (ObliqueTreeClassifier(class_weight="balanced", random_state=0), CLASSES),
    "tree, numbers": (ObliqueTreeRegressor(min_samples_leaf=0.05, ftest=0.2, random_state=0), NUMBER),
    "tree, slopes": (ObliqueTreeRegressor(leaves="linear", min_samples_leaf=20, random_state=0), NUMBER),
    "forest, numbers": (ObliqueForestRegressor(20, random_state=0), NUMBER),
    "forest, classes": (
        ObliqueForestClassifier(4, class_weight={1: 3.0}, bootstrap=True, random_state=0),
        CLASSES,
    ),
    "forest, svm": (ObliqueForestClassifier(4, split="svm", random_state=0), CLASSES),
    "forest, labels": (ObliqueForestClassifier(4, class_weight="balanced", random_state=0), LABELS),
    "forest, targets": (ObliqueForestClassifier(4, random_state=0), np.column_stack([CLASSES, LABELS[:, 0]])),
    "forest, hierarchy": (
        ObliqueForestClassifier(4, hierarchy=Hierarchy.from_paths(["a/b", "c"]), random_state=0),
        SETS,
    ),
    "partly labelled": (ObliqueForestClassifier(4, unlabeled_weight="auto", random_state=0), SOME_CLASSES),
    "boosted numbers": (ObliqueBoostingRegressor(3, random_state=0), NUMBER),
    "boosted quantiles": (
        ObliqueBoostingRegressor(3, loss="quantile", early_stopping=False, random_state=0),
        NUMBER,
    ),
    "boosted classes": (ObliqueBoostingClassifier(3, random_state=0), CLASSES),
    "label trees": (LabelTreeClassifier(n_forest_trees=3, random_state=0), LABELS),
    "reranked": (TailReranker(LabelTreeClassifier(n_forest_trees=0, random_state=0)), LABELS),
}


def scores(model):
    found = model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)
    arrays = found if isinstance(found, list) else [found]
    return np.hstack(
        [each.toarray() if hasattr(each, "toarray") else each.reshape(160, -1) for each in arrays]
    )


def sizes(tree, weights=None):
    """Rows of the leaves of a tree."""
    used = np.ones(160, bool) if weights is None else weights > 0
    return np.unique(tree.apply(X[used]), return_counts=True)[1]


@pytest.mark.parametrize("name", MODELS)
def test_a_common_factor_of_all_weights_changes_nothing(name):
    model, y = MODELS[name]
    expected = scores(model.fit(X, y, sample_weight=WEIGHTS))
    for factor in (2.0**-10, 1e-3, 1000.0, 2.0**10):
        assert_array_equal(scores(model.fit(X, y, sample_weight=factor * WEIGHTS)), expected)


@pytest.mark.parametrize("name", MODELS)
def test_equal_weights_are_none(name):
    model, y = MODELS[name]
    expected = scores(model.fit(X, y))
    for weight in (1e-3, 1000.0):
        assert_array_equal(scores(model.fit(X, y, sample_weight=np.full(160, weight))), expected)


def test_a_common_factor_of_the_weights_of_all_classes_changes_nothing():
    one, other = (
        ObliqueTreeClassifier(class_weight=weights, random_state=0).fit(X, CLASSES)
        for weights in ({0: 1.0, 1: 2.0, 2: 1.0}, {0: 1024.0, 1: 2048.0, 2: 1024.0})
    )
    assert_array_equal(scores(one), scores(other))


@pytest.mark.parametrize("split", ["axis", "gradient", "svm"])
@pytest.mark.parametrize("weights", [np.full(160, 1000.0), 1000.0 * WEIGHTS], ids=["equal", "unequal"])
def test_a_leaf_of_heavy_rows_has_as_many_as_any_other(split, weights):
    tree = ObliqueTreeRegressor(split=split, min_samples_leaf=5, min_samples_split=2, random_state=0)
    assert sizes(tree.fit(X, NUMBER, sample_weight=weights), weights).min() >= 5
    assert tree.get_n_leaves() > 5


def test_a_share_of_the_rows_is_one_of_those_that_have_weight():
    weights = np.where(np.arange(160) < 40, 7.0, 0.0)
    tree = ObliqueTreeRegressor(split="axis", min_samples_leaf=0.2, min_samples_split=2, random_state=0)
    assert sizes(tree.fit(X, NUMBER, sample_weight=weights), weights).min() >= 8
    assert tree.get_n_leaves() > 2


def test_boosted_leaves_count_rows_and_not_weights():
    given = {"split": "axis", "min_samples_leaf": 30, "subsample": 1.0, "early_stopping": False}
    model = ObliqueBoostingRegressor(1, **given, random_state=0).fit(X, NUMBER, sample_weight=1000 * WEIGHTS)
    for tree in model:
        assert sizes(tree, WEIGHTS).min() >= 30


def test_rows_of_unequal_weight_tell_less_than_as_many_equal_ones():
    assert effective_rows(np.ones(90)) == effective_rows(np.full(90, 0.1)) == 90
    assert effective_rows(np.r_[np.ones(90), np.zeros(10)]) == 90
    assert effective_rows(np.r_[np.ones(90), 90.0]) == 4
    heavy = np.where(np.arange(160) == 0, 1e4, 1.0)
    tree = ObliqueTreeRegressor(random_state=0)
    assert tree.fit(X, NUMBER).settings_.min_samples_split == 10
    assert tree.fit(X, NUMBER, sample_weight=heavy).settings_.min_samples_split == 2


def test_heavy_rows_do_not_hide_that_a_split_is_chance():
    # Without weights the same test is passed by hardly any split of noise.
    noise = np.random.default_rng(1).normal(size=160)
    tree = ObliqueTreeRegressor(split="axis", max_depth=1, max_features=1, ftest=0.001, random_state=0)
    assert tree.fit(X, noise, sample_weight=np.full(160, 1e6)).get_n_leaves() == 1


@pytest.mark.parametrize(
    "model",
    [
        ObliqueTreeClassifier(split="axis", random_state=0),
        ObliqueTreeClassifier(split="axis", ccp_alpha=0.001, max_leaf_nodes=12, random_state=0),
        ObliqueTreeRegressor(split="axis", random_state=0),
        ObliqueForestClassifier(5, split="axis", bootstrap=False, random_state=0),
        ObliqueForestRegressor(5, split="axis", bootstrap=False, random_state=0),
    ],
)
def test_whole_weights_are_repeated_rows_where_nothing_counts_rows(model):
    check_sample_weight_equivalence_on_dense_data(type(model).__name__, model)


def test_weights_that_differ_too_much_are_refused():
    weights = np.r_[1e-19, np.ones(159)]
    with pytest.raises(
        ValueError, match=r"sample_weight ranges from 1e-19 to 1.0; .* at least 1e-18 of their"
    ):
        ObliqueTreeRegressor().fit(X, NUMBER, sample_weight=weights)
    with pytest.raises(ValueError, match="sample_weight ranges from 1e-200"):
        ObliqueTreeRegressor().fit(X, NUMBER, sample_weight=np.full(160, 1e-200))


def test_nodes_weigh_their_rows_in_units_of_the_mean():
    tree = ObliqueTreeRegressor(random_state=0).fit(X, NUMBER, sample_weight=1000.0 * WEIGHTS)
    assert_allclose(tree.trees_.node_weight[0], (WEIGHTS > 0).sum(), rtol=1e-6)
