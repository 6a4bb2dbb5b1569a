"""What must not change a tree: copies against counts, rows without weight, units, containers, order."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

pytestmark = pytest.mark.sampled

SEEDS = pytest.mark.parametrize("seed", [0, 1])
THIN = pytest.mark.parametrize("thin", [False, True], ids=["dense", "sparse"])
MISSING = pytest.mark.parametrize("missing", [0.0, 0.1], ids=["whole", "missing"])

# On what a tree may depend where columns change their places: without missing values, and with them.
ORDER_OF_FEATURES = (["order of features"], ["order of features", "order of features with missing values"])


# ---- how often a row counts


@SEEDS
@THIN
@MISSING
def test_weighting_a_row_is_repeating_it(plan, clustered, assert_same_tree, learner, seed, thin, missing):
    X, Y = clustered(learner, seed, thin=thin, missing=missing)
    rng = np.random.default_rng(seed)
    # Some groups are made much larger, so that other splits than without weights are the best.
    counts = rng.integers(1, 5, len(X)) * np.where(Y[:, 1] > 0, 1 if learner.takes_labels_only else 3, 1)
    Y = learner.with_missing(Y, missing, rng)
    again = np.repeat(np.arange(len(X)), counts)
    weighted, _ = plan(X, Y, row_weights=counts, learner=learner.settled).grow_tree(0)
    repeated, _ = plan(X[again], Y[again], learner=learner.settled).grow_tree(0)
    assert_same_tree(learner, weighted, repeated, X, Y=Y, unless=["number of rows"])


@SEEDS
@THIN
def test_a_bootstrap_sample_is_its_copied_rows(plan, clustered, assert_same_tree, learner, seed, thin):
    X, Y = clustered(learner, seed, thin=thin)
    drawn = plan(X, Y, bootstrap=True, learner=learner.settled, seed=seed)
    counts = drawn.counts(3)
    assert counts.sum() == len(X)
    assert 0.5 < (counts > 0).mean() < 0.75
    again = np.repeat(np.arange(len(X)), counts)
    copied = plan(X[again], Y[again], learner=learner.settled, seed=seed)
    one, other = drawn.grow_tree(3)[0], copied.grow_tree(3)[0]
    seen = counts > 0
    assert_same_tree(learner, one, other, X[seen], Y=Y[seen], unless=["number of rows"])


@SEEDS
@THIN
@MISSING
def test_rows_without_weight_change_nothing_at_all(
    plan, clustered, assert_identical, learner, seed, thin, missing
):
    X, Y = clustered(learner, seed, thin=thin, missing=missing)
    rng = np.random.default_rng(seed)
    Y = learner.with_missing(Y, missing, rng)
    weights = rng.uniform(0.5, 2, len(X)) * (rng.random(len(X)) < 0.7)
    present = weights > 0
    # Where they are missing, their features and targets cannot matter; put nonsense there, but let what is
    # mostly zeros remain so.
    nonsense, labels = X.copy(), Y.copy()
    nonsense[~present] = np.nan if missing and not thin else 0.0
    labels[~present] = np.nan if missing else Y[0]
    one, importance = plan(nonsense, labels, row_weights=weights, learner=learner.settled).grow_tree(0)
    kept = plan(X[present], Y[present], row_weights=weights[present], learner=learner.settled)
    other, its_importance = kept.grow_tree(0)
    assert len(one.left) > 5
    assert_identical(one, other)
    assert_array_equal(importance, its_importance)


# ---- how numbers are held


@SEEDS
@THIN
def test_the_container_of_the_numbers_does_not_matter(plan, clustered, assert_identical, learner, seed, thin):
    X, Y = clustered(learner, seed, thin=thin)
    tree, _ = plan(X.astype(np.float32), Y, learner=learner.settled).grow_tree(0)
    assert len(tree.left) > 5
    for container in (sp.csr_array, sp.csc_array, sp.coo_array, np.asfortranarray, np.float64):
        assert_identical(plan(container(X), Y, learner=learner.settled).grow_tree(0)[0], tree)


@SEEDS
@MISSING
def test_features_held_dense_and_sparse_grow_the_same_tree(
    plan, predicted, clustered, assert_same_tree, in_both_forms, learner, seed, missing
):
    X, Y = clustered(learner, seed, thin=True, missing=missing)
    data = plan(X, Y, learner=learner.settled)
    assert not data.X.is_dense
    one, other = (replace(data, X=matrix).grow_tree(0)[0] for matrix in in_both_forms(X))
    assert_same_tree(learner, one, other, X, Y=Y, unless=ORDER_OF_FEATURES[missing > 0])
    assert_array_equal(predicted(one, X), predicted(one, sp.csr_array(X)))


@SEEDS
@MISSING
def test_attributes_held_dense_and_sparse_grow_the_same_tree(
    plan, clustered, assert_same_tree, in_both_forms, learner, seed, missing
):
    X, Y = clustered(learner, seed)
    Y = learner.with_missing(Y, 2 * missing, np.random.default_rng(seed))
    data = plan(X, Y, learner=learner.settled)
    one, other = (replace(data, Y=matrix, Z=matrix).grow_tree(0)[0] for matrix in in_both_forms(Y))
    assert_same_tree(learner, one, other, X, Y=Y, unless=["order of attributes"])
    assert one.leaves.is_dense
    assert not other.leaves.is_dense


# ---- units, and where zero is


@SEEDS
@THIN
@MISSING
def test_units_of_the_features_do_not_matter(
    plan, clustered, assert_same_tree, standardising_learner, seed, thin, missing
):
    learner = standardising_learner
    X, Y = clustered(learner, seed, thin=thin, missing=missing)
    units = 2.0 ** np.random.default_rng(seed).integers(-20, 21, X.shape[1])
    one, _ = plan(X, Y, learner=learner.settled).grow_tree(0)
    other, _ = plan(X * units, Y, learner=learner.settled).grow_tree(0)
    assert_same_tree(learner, one, other, X, X * units, Y=Y, unless=None)


@SEEDS
def test_where_the_features_have_their_zero_does_not_matter(plan, clustered, assert_same_tree, learner, seed):
    X, Y = clustered(learner, seed)
    X = np.round(X * 64) / 64  # sums with the shifts below are exact in float32
    shift = 2.0 ** np.random.default_rng(seed).integers(0, 17, X.shape[1])
    one, _ = plan(X, Y, learner=learner.settled).grow_tree(0)
    other, _ = plan(X + shift, Y, learner=learner.settled).grow_tree(0)
    assert_same_tree(learner, one, other, X, X + shift, Y=Y)


@pytest.mark.parametrize("low", [1.0, 1e6, 1.7e9, -3e7])
@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 0.9])
def test_two_neighbouring_float32_numbers_are_told_apart(plan, predicted, learner, low, share):
    # Of two labels that exclude one another, the more frequent goes before wherever rows are drawn at random.
    share = 0.5 if learner.takes_labels_only else share
    low = np.float32(low)
    is_right = np.arange(40) < 40 * share
    X = np.where(is_right, np.nextafter(low, np.float32(np.inf)), low).astype(np.float32)[:, None]
    Y = learner.two_sides(is_right)
    for seed in range(6):  # from both sides
        tree, _ = plan(X, Y, learner=learner.settled, seed=seed).grow_tree(0)
        assert_array_equal(predicted(tree, X), Y)


@SEEDS
def test_units_of_the_attributes_do_not_matter(plan, clustered, assert_same_tree, free_of_units, seed):
    X, Y = clustered(free_of_units, seed)
    units = np.array([2.0**-10, 1.0, 2.0**13, 2.0**5])
    one, _ = plan(X, Y, learner=free_of_units.settled).grow_tree(0)
    other, _ = plan(X, Y, Z=Y * units, learner=free_of_units.settled).grow_tree(0)
    assert_same_tree(free_of_units, one, other, X, Y=Y)


# ---- order


@SEEDS
@THIN
@MISSING
def test_the_order_of_rows_does_not_matter(plan, clustered, assert_same_tree, learner, seed, thin, missing):
    X, Y = clustered(learner, seed, thin=thin, missing=missing)
    order = np.random.default_rng(seed).permutation(len(X))
    one, _ = plan(X, Y, learner=learner.settled).grow_tree(0)
    other, _ = plan(X[order], Y[order], learner=learner.settled).grow_tree(0)
    of_features = ORDER_OF_FEATURES[missing > 0] if thin else []
    assert_same_tree(learner, one, other, X, Y=Y, unless=["order of rows", *of_features])


@SEEDS
@THIN
@MISSING
def test_the_order_of_features_does_not_matter(
    plan, clustered, assert_same_tree, learner, seed, thin, missing
):
    X, Y = clustered(learner, seed, thin=thin, missing=missing)
    order = np.random.default_rng(seed).permutation(X.shape[1])
    one, _ = plan(X, Y, learner=learner.settled).grow_tree(0)
    other, _ = plan(X[:, order], Y, learner=learner.settled).grow_tree(0)
    assert_same_tree(learner, one, other, X, X[:, order], Y=Y, unless=ORDER_OF_FEATURES[missing > 0])


@SEEDS
def test_the_order_of_attributes_does_not_matter(plan, clustered, assert_same_tree, learner, seed):
    X, Y = clustered(learner, seed)
    one, _ = plan(X, Y, learner=learner.settled).grow_tree(0)
    other, _ = plan(X, Y, Z=Y[:, ::-1], learner=learner.settled).grow_tree(0)
    assert_same_tree(learner, one, other, X, Y=Y, unless=["order of attributes"])


# ---- what says nothing, and what says more


@SEEDS
@THIN
@pytest.mark.parametrize("column", [np.nan, 0.0, 3.25], ids=["missing", "zero", "constant"])
def test_a_feature_that_says_nothing_changes_nothing(
    plan, clustered, assert_same_tree, learner, seed, thin, column
):
    X, Y = clustered(learner, seed, thin=thin, missing=0.1)
    more = np.insert(X, 5, column, axis=1)
    one, importance = plan(X, Y, learner=learner.settled).grow_tree(0)
    other, more_importance = plan(more, Y, learner=learner.settled).grow_tree(0)
    assert_same_tree(learner, one, other, X, more, Y=Y)
    assert 5 not in other.indices
    assert more_importance[5] == 0
    if not learner.depends_on("rounding"):
        assert_allclose(np.delete(more_importance, 5), importance, rtol=1e-3, atol=1e-4)


@SEEDS
def test_constant_attributes_change_nothing_but_what_is_predicted(plan, predicted, clustered, learner, seed):
    X, Y = clustered(learner, seed)
    one, _ = plan(X, Y, learner=learner.settled).grow_tree(0)
    more = np.column_stack([np.ones(len(Y)), Y, np.zeros(len(Y))])
    other, _ = plan(X, more, learner=learner.settled).grow_tree(0)
    assert_array_equal(one.left, other.left)
    assert_array_equal(one.weights, other.weights)
    assert_array_equal(predicted(other, X)[:, 1:-1], predicted(one, X))


@SEEDS
def test_weighting_an_attribute_is_repeating_its_column(
    plan, clustered, assert_same_tree, free_learner, seed
):
    learner = free_learner
    X, Y = clustered(learner, seed)
    weighted, _ = plan(X, Y, attribute_weights=[3, 1, 2, 1], learner=learner.settled).grow_tree(0)
    repeated, _ = plan(X, Y, Z=np.repeat(Y, [3, 1, 2, 1], axis=1), learner=learner.settled).grow_tree(0)
    assert_same_tree(learner, weighted, repeated, X, Y=Y, unless=["order of attributes"])


@SEEDS
@pytest.mark.parametrize("heavy", [0, 1])
def test_an_attribute_of_great_weight_decides_the_first_split(
    plan, predicted, free_careful_learner, seed, heavy
):
    X = np.random.default_rng(seed).normal(size=(400, 4))
    Y = (X[:, :2] >= 0) * 1.0
    weights = np.where(np.arange(2) == heavy, 100.0, 1.0)
    data = plan(X, Y, attribute_weights=weights, max_depth=1, learner=free_careful_learner.settled)
    tree, importance = data.grow_tree(0)
    assert importance.argmax() == heavy
    assert ((predicted(tree, X) > 0.5) == Y)[:, heavy].mean() > 0.95


@SEEDS
def test_clustering_attributes_choose_the_splits_and_targets_fill_the_leaves(
    plan, predicted, careful_learner, seed
):
    learner = careful_learner
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(400, 3))
    is_member, Y = X[:, 0] >= 0, (X[:, 1:2] >= 0) * 1.0
    data = plan(X, Y, Z=learner.two_groups(is_member, rng), learner=learner.settled, max_depth=1)
    tree, importance = data.grow_tree(0)
    assert importance.argmax() == 0
    means = predicted(tree, X)[:, 0]
    side = means == means.max()
    assert_allclose(means[side], Y[side].mean(), rtol=1e-6)
    assert_allclose(means[~side], Y[~side].mean(), rtol=1e-6)
    agreement = (side == is_member).mean()
    assert max(agreement, 1 - agreement) > 0.97


# ---- chance


@SEEDS
def test_trees_differ_from_one_another_and_are_the_same_again(
    plan, clustered, assert_identical, learner, seed
):
    X, Y = clustered(learner, seed)
    X = X + 6 * np.random.default_rng(seed).normal(size=X.shape)  # not separable by one simple tree
    data = plan(X, Y, bootstrap=True, seed=seed, learner=learner.settled)
    one, same, other = (data.grow_tree(index)[0] for index in (4, 4, 5))
    assert len(one.left) > 5
    assert_identical(one, same)
    assert len(one.weights) != len(other.weights) or (one.weights != other.weights).any()
    assert (data.counts(4) != data.counts(5)).any()
