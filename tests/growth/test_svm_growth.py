"""Claims about what must not change a tree of SVM splits: copies against counts, units, containers."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from slantwood import (
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
    SVMSplit,
)

SEEDS = pytest.mark.parametrize("seed", [0, 1, 2])
DENSITIES = pytest.mark.parametrize("density", [1.0, 0.1], ids=["dense", "sparse"])
LABELS = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]], float)


@pytest.fixture(
    params=[(10.0, None), (0.1, "balanced")], ids=["costly, as they fall", "cheap, balanced"], scope="session"
)
def svm_plan(plan, request):
    """Make a growth plan with an SVM split whose every parameter is settled."""
    C, class_weight = request.param
    learner = SVMSplit(
        C=C, class_weight=class_weight, tol=0.1, feature_power=1.0, target_power=1.0, min_support=1
    )
    return lambda *data, **given: plan(*data, learner=learner, **given)


def clustered(seed, density=1.0, n=120):
    """Rows around six centres that are far apart, with a label set for each centre."""
    rng = np.random.default_rng(seed)
    centres = 8 * rng.normal(size=(6, 12)) * (rng.random((6, 12)) < max(density, 0.25))
    which = np.arange(n) % 6
    X = np.zeros((n, 12 if density == 1 else 120))
    X[:, :12] = (centres[which] + rng.normal(size=(n, 12))) * (centres[which] != 0 if density < 1 else 1)
    return X, LABELS[which]


def assert_same_tree(one, other, X, predicted):
    assert_array_equal(one.left, other.left)
    assert_array_equal(one.right, other.right)
    assert_allclose(one.node_weight, other.node_weight, rtol=1e-6)
    assert_allclose(predicted(one, X), predicted(other, X), rtol=0, atol=1e-4)
    assert len(one.left) > 5


def assert_identical(one, other):
    for field, a, b in zip(one._fields[:-1], one, other, strict=False):
        assert_array_equal(a, b, err_msg=field)
    for field, a, b in zip(one.leaves._fields, one.leaves, other.leaves, strict=True):
        assert_array_equal(a, b, err_msg=f"leaves.{field}")
    assert len(one.left) > 5


@SEEDS
@DENSITIES
def test_weighting_a_row_is_repeating_it(svm_plan, predicted, seed, density):
    X, Y = clustered(seed, density)
    counts = np.random.default_rng(seed).integers(1, 5, len(X))
    again = np.repeat(np.arange(len(X)), counts)
    weighted, _ = svm_plan(X, Y, row_weights=counts).grow_tree(0)
    repeated, _ = svm_plan(X[again], Y[again]).grow_tree(0)
    assert_same_tree(weighted, repeated, X, predicted)


@SEEDS
@DENSITIES
def test_a_bootstrap_sample_is_its_copied_rows(svm_plan, predicted, seed, density):
    X, Y = clustered(seed, density)
    drawn = svm_plan(X, Y, bootstrap=True, seed=seed)
    counts = drawn.counts(3)
    assert counts.sum() == len(X)
    again = np.repeat(np.arange(len(X)), counts)
    copied = svm_plan(X[again], Y[again], seed=seed)
    assert_same_tree(drawn.grow_tree(3)[0], copied.grow_tree(3)[0], X, predicted)


@SEEDS
@DENSITIES
def test_rows_without_weight_change_nothing_at_all(svm_plan, seed, density):
    rng = np.random.default_rng(seed)
    X, Y = clustered(seed, density)
    weights = rng.uniform(0.5, 2, len(X)) * (rng.random(len(X)) < 0.7)
    present = weights > 0
    # Where they are missing, their features and targets cannot matter; put nonsense there.
    nonsense, labels = X.copy(), Y.copy()
    nonsense[~present], labels[~present] = 0.0, 1.0
    one, importance = svm_plan(nonsense, labels, row_weights=weights).grow_tree(0)
    other, its_importance = svm_plan(X[present], Y[present], row_weights=weights[present]).grow_tree(0)
    assert_identical(one, other)
    assert_array_equal(importance, its_importance)


@SEEDS
@pytest.mark.parametrize(
    "container", [sp.csr_array, sp.csc_array, sp.coo_array, np.asfortranarray, np.float32]
)
@DENSITIES
def test_the_container_of_the_numbers_does_not_matter(svm_plan, seed, container, density):
    X, Y = clustered(seed, density)
    X = X.astype(np.float32)
    assert_identical(svm_plan(container(X), Y).grow_tree(0)[0], svm_plan(X, Y).grow_tree(0)[0])


@SEEDS
@pytest.mark.parametrize("held", ["X", "Z"])
def test_numbers_held_dense_and_sparse_grow_the_same_tree(svm_plan, predicted, in_both_forms, seed, held):
    X, Y = clustered(seed, 0.1)
    data = svm_plan(X, Y)
    assert not data.X.is_dense
    one, other = (
        replace(data, **{held: matrix}).grow_tree(0)[0] for matrix in in_both_forms(X if held == "X" else Y)
    )
    assert_same_tree(one, other, X, predicted)


@SEEDS
@DENSITIES
def test_units_of_the_features_do_not_matter(svm_plan, predicted, seed, density):
    X, Y = clustered(seed, density)
    units = 2.0 ** np.random.default_rng(seed).integers(-20, 21, X.shape[1])
    one, _ = svm_plan(X, Y).grow_tree(0)
    other, _ = svm_plan(X * units, Y).grow_tree(0)
    assert_array_equal(one.left, other.left)
    assert len(one.left) > 5
    assert_allclose(predicted(one, X), predicted(other, X * units), rtol=0, atol=1e-4)


@SEEDS
def test_where_the_features_have_their_zero_does_not_matter(svm_plan, predicted, seed):
    X, Y = clustered(seed)
    X = np.round(X * 64) / 64  # sums with the shifts below are exact in float32
    shift = 2.0 ** np.random.default_rng(seed).integers(0, 17, X.shape[1])
    one, _ = svm_plan(X, Y).grow_tree(0)
    other, _ = svm_plan(X + shift, Y).grow_tree(0)
    assert_array_equal(one.left, other.left)
    assert len(one.left) > 5
    assert_allclose(predicted(one, X), predicted(other, X + shift), rtol=0, atol=1e-4)


@SEEDS
def test_units_of_the_targets_do_not_matter(svm_plan, predicted, seed):
    X, Y = clustered(seed)
    units = np.array([2.0**-10, 1.0, 2.0**13])
    one, _ = svm_plan(X, Y).grow_tree(0)
    other, _ = svm_plan(X, Y * units).grow_tree(0)
    assert_array_equal(one.left, other.left)
    assert len(one.left) > 5
    assert_allclose(predicted(one, X), predicted(other, X) / units, rtol=0, atol=1e-4)


@SEEDS
def test_constant_targets_change_nothing_but_what_is_predicted(svm_plan, predicted, seed):
    X, Y = clustered(seed)
    one, _ = svm_plan(X, Y).grow_tree(0)
    other, _ = svm_plan(X, np.column_stack([np.ones(len(Y)), Y, np.zeros(len(Y))])).grow_tree(0)
    assert_array_equal(one.left, other.left)
    assert_array_equal(one.weights, other.weights)
    assert_array_equal(predicted(other, X)[:, 1:-1], predicted(one, X))


@SEEDS
def test_the_order_of_equal_weighted_columns_of_targets_does_not_matter(svm_plan, predicted, seed):
    X, Y = clustered(seed)
    one, _ = svm_plan(X, Y).grow_tree(0)
    other, _ = svm_plan(X, Y[:, ::-1]).grow_tree(0)
    assert_array_equal(one.left, other.left)
    assert len(one.left) > 5
    assert_allclose(predicted(one, X), predicted(other, X)[:, ::-1], rtol=0, atol=1e-4)


@SEEDS
def test_weighting_a_target_is_repeating_its_column(svm_plan, predicted, seed):
    X, Y = clustered(seed)
    weighted, _ = svm_plan(X, Y, attribute_weights=[3, 1, 2]).grow_tree(0)
    repeated, _ = svm_plan(X, Y, Z=np.repeat(Y, [3, 1, 2], axis=1)).grow_tree(0)
    assert_same_tree(weighted, repeated, X, predicted)


@SEEDS
def test_a_target_of_great_weight_decides_the_first_split(svm_plan, predicted, seed):
    X, Y = clustered(seed)
    for j in range(3):
        weights = np.where(np.arange(3) == j, 100.0, 1.0)
        tree, _ = svm_plan(X, Y, attribute_weights=weights, max_depth=1).grow_tree(0)
        assert_allclose(predicted(tree, X)[:, j], Y[:, j], atol=0.05)


@SEEDS
def test_trees_differ_from_one_another_and_are_the_same_again(svm_plan, seed):
    X, Y = clustered(seed)
    Y = np.roll(Y, 1, axis=0) * 0.5 + Y  # not separable by one simple tree
    data = svm_plan(X, Y, bootstrap=True, seed=seed)
    one, same, other = (data.grow_tree(index)[0] for index in (4, 4, 5))
    assert_identical(one, same)
    assert len(one.weights) != len(other.weights) or (one.weights != other.weights).any()


@SEEDS
def test_clustering_attributes_choose_the_splits_and_targets_fill_the_leaves(svm_plan, predicted, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(400, 3))
    Z, Y = (X[:, :1] >= 0) * 1.0, (X[:, 1:2] >= 0) * 1.0
    tree, importance = svm_plan(X, Y, Z=Z, max_depth=1).grow_tree(0)
    assert importance.argmax() == 0
    means = predicted(tree, X)[:, 0]
    side = means == means.max()
    assert_allclose(means[side], Y[side].mean(), rtol=1e-6)
    assert_allclose(means[~side], Y[~side].mean(), rtol=1e-6)
    agreement = (side == (Z[:, 0] == 1)).mean()
    assert max(agreement, 1 - agreement) > 0.97


# ---- through the estimators


@pytest.mark.parametrize("kind", [ObliqueForestClassifier, ObliqueForestRegressor])
@DENSITIES
def test_the_number_of_threads_does_not_change_the_forest(kind, density):
    X, Y = clustered(0, density)
    Y = Y.astype(int) if kind is ObliqueForestClassifier else Y + 0.1 * X[:, :3]
    one, *others = (
        kind(n_estimators=6, split="svm", random_state=0, n_jobs=n_jobs).fit(X, Y) for n_jobs in (1, 2, 4)
    )
    assert len(one.trees_.left) > 6 * 5
    for several in others:
        assert_identical(one.trees_, several.trees_)
        assert_array_equal(one.feature_importances_, several.feature_importances_)
        assert_array_equal(one.predict(X), several.predict(X))


@pytest.mark.parametrize("kind", [ObliqueTreeClassifier, ObliqueTreeRegressor])
@pytest.mark.parametrize("container", [sp.csr_array, sp.csc_matrix, np.asfortranarray])
@DENSITIES
def test_the_container_of_the_features_does_not_change_the_tree(kind, container, density):
    X, Y = clustered(0, density)
    tree = kind(split="svm", min_samples_split=2, random_state=0)
    labels = Y.astype(int)
    one = tree.fit(X, labels).trees_
    assert_identical(one, tree.fit(container(X), labels).trees_)
