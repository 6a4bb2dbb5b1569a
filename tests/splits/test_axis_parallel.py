"""Claims about axis-parallel splits: their trees are those of scikit-learn, and each looks at one feature."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor

from slantwood import (
    AxisParallelSplit,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
)

pytestmark = pytest.mark.sampled

EVERY_SPLIT = {"min_samples_split": 2, "min_impurity_decrease": 0.0, "random_state": 0}
FORMS = pytest.mark.parametrize("hold", [np.asarray, sp.csr_array], ids=["dense", "sparse"])


def numbers(seed, n=150, d=6, density=1.0):
    """Features without ties, except at zero."""
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(n, d)) * (rng.random((n, d)) < density)).astype(np.float32), rng


@FORMS
@pytest.mark.parametrize("density", [1.0, 0.3])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("weighted", [False, True])
def test_a_tree_of_numbers_is_that_of_scikit_learn(hold, density, seed, weighted):
    X, rng = numbers(seed, density=density)
    Y = X[:, :2] @ rng.normal(size=(2, 3)) + rng.normal(size=(150, 3))
    r = rng.integers(1, 4, 150) if weighted else np.ones(150)
    mean = np.average(Y, axis=0, weights=r)
    Y = (Y - mean) / np.sqrt(np.average((Y - mean) ** 2, axis=0, weights=r))  # as slantwood does
    ours = ObliqueTreeRegressor(split="axis", max_depth=4, **EVERY_SPLIT).fit(hold(X), Y, sample_weight=r)
    theirs = DecisionTreeRegressor(max_depth=4, random_state=0).fit(X, Y, sample_weight=r)
    assert ours.get_n_leaves() == theirs.get_n_leaves()
    assert_allclose(ours.predict(hold(X)), theirs.predict(X), atol=1e-5)


@FORMS
@pytest.mark.parametrize("n_classes", [2, 3, 8])
def test_a_tree_of_classes_is_that_of_scikit_learn_on_0_1_columns(hold, n_classes):
    X, rng = numbers(n_classes, n=400)
    y = np.clip(
        np.digitize(X[:, 0] + X[:, 1] + rng.normal(size=400), np.linspace(-2, 2, n_classes - 1)), 0, 9
    )
    one_hot = np.eye(n_classes)[y]
    # In small nodes many cuts divide the classes alike, and any of them may be taken.
    ours = ObliqueTreeClassifier(split="axis", max_depth=2, **EVERY_SPLIT).fit(hold(X), y)
    theirs = DecisionTreeRegressor(max_depth=2, random_state=0).fit(X, one_hot)
    assert_allclose(ours.predict_proba(hold(X)), theirs.predict(X), atol=1e-5)


def test_a_tree_of_labels_is_that_of_scikit_learn_whether_labels_are_sparse_or_not():
    X, rng = numbers(0, n=300)
    Y = (X @ rng.normal(size=(6, 12)) + rng.normal(size=(300, 12)) > 1.5) * 1
    theirs = DecisionTreeRegressor(max_depth=4, random_state=0).fit(X, Y)
    for labels in (Y, sp.csr_array(Y)):
        ours = ObliqueTreeClassifier(split="axis", max_depth=4, normalize_labels=False, **EVERY_SPLIT)
        scores = ours.fit(X, labels).predict_proba(X)
        scores = scores.toarray() if sp.issparse(scores) else scores
        assert_allclose(scores, theirs.predict(X), atol=1e-5)


@pytest.mark.parametrize(
    ("thresholds", "peer"), [("best", RandomForestRegressor), ("random", ExtraTreesRegressor)]
)
def test_a_forest_is_as_good_as_scikit_learns(thresholds, peer):
    X, rng = numbers(0, n=900, d=10)
    y = X[:, 0] + 2.0 * (X[:, 1] > 0) + np.sin(2 * X[:, 2]) + 0.1 * rng.normal(size=900)
    settings = {"n_estimators": 60, "max_features": 0.5, "bootstrap": thresholds == "best", "random_state": 0}
    ours = ObliqueForestRegressor(
        split=AxisParallelSplit(thresholds), min_samples_split=2, min_impurity_decrease=0.0, **settings
    )
    scores = [model.fit(X[:600], y[:600]).score(X[600:], y[600:]) for model in (ours, peer(**settings))]
    assert scores[1] > 0.8
    assert abs(scores[0] - scores[1]) < 0.02


@FORMS
@pytest.mark.parametrize("thresholds", ["best", "binned", "random"])
def test_every_split_looks_at_one_feature(hold, thresholds):
    X, _ = numbers(0, density=0.5)
    forest = ObliqueForestClassifier(n_estimators=5, split=AxisParallelSplit(thresholds), random_state=0)
    trees = forest.fit(hold(X), X[:, 0] + X[:, 1] > 0).trees_
    assert (np.diff(trees.indptr)[trees.left >= 0] == 1).all()


def test_nodes_of_very_many_rows_are_searched_as_well_as_small_ones():
    X, rng = numbers(0, n=20_000, d=4)
    y = (X[:, 2] > 0.3) * 1.0 + 0.3 * rng.normal(size=20_000)
    tree = ObliqueTreeRegressor(split="axis", max_depth=1, **EVERY_SPLIT).fit(X, y)
    assert tree.trees_.indices.tolist() == [2]
    assert_allclose(-tree.trees_.bias[0] / tree.trees_.weights[0], 0.3, atol=1e-3)


def test_a_forest_left_alone_is_a_random_forest():
    X, _ = numbers(0, d=16)
    settings = (
        ObliqueForestClassifier(n_estimators=1, split="axis", random_state=0).fit(X, X[:, 0] > 0).settings_
    )
    assert settings.bootstrap is True
    assert settings.max_features == "sqrt"
    assert settings.min_impurity_decrease == 0.0
