"""Claims about what must not change a tree: copies against counts, rows without weight, units, containers."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from slantwood import ObliqueTreeClassifier

SEEDS = pytest.mark.parametrize("seed", [0, 1, 2])
STARTS = pytest.mark.parametrize("start", ["noise", "informed"])
DENSITIES = pytest.mark.parametrize("density", [1.0, 0.1], ids=["dense", "sparse"])


def clustered(seed, density=1.0, n=120):
    """Rows around six centres that are far apart, with a label set for each centre."""
    rng = np.random.default_rng(seed)
    centres = 8 * rng.normal(size=(6, 12)) * (rng.random((6, 12)) < max(density, 0.25))
    labels = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]], float)
    which = np.arange(n) % 6
    X = np.zeros((n, 12 if density == 1 else 120))
    X[:, :12] = (centres[which] + rng.normal(size=(n, 12))) * (centres[which] != 0 if density < 1 else 1)
    return X, labels[which]


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


@SEEDS
@STARTS
@DENSITIES
def test_weighting_a_row_is_repeating_it(plan, predicted, split, seed, start, density):
    X, Y = clustered(seed, density)
    counts = np.random.default_rng(seed).integers(1, 5, len(X))
    again = np.repeat(np.arange(len(X)), counts)
    weighted, _ = plan(X, Y, row_weights=counts, learner=split(start=start)).grow_tree(0)
    repeated, _ = plan(X[again], Y[again], learner=split(start=start)).grow_tree(0)
    assert_same_tree(weighted, repeated, X, predicted)


@SEEDS
@STARTS
@DENSITIES
def test_a_bootstrap_sample_is_its_copied_rows(plan, predicted, split, seed, start, density):
    X, Y = clustered(seed, density)
    drawn = plan(X, Y, bootstrap=True, learner=split(start=start), seed=seed)
    counts = drawn.counts(3)
    assert counts.sum() == len(X)
    assert 0.5 < (counts > 0).mean() < 0.75
    again = np.repeat(np.arange(len(X)), counts)
    copied = plan(X[again], Y[again], learner=split(start=start), seed=seed)
    assert_same_tree(drawn.grow_tree(3)[0], copied.grow_tree(3)[0], X, predicted)


@SEEDS
@DENSITIES
def test_rows_without_weight_change_nothing_at_all(plan, seed, density):
    rng = np.random.default_rng(seed)
    X, Y = clustered(seed, density)
    weights = rng.uniform(0.5, 2, len(X)) * (rng.random(len(X)) < 0.7)
    present = weights > 0
    # Where they are missing, their features and targets cannot matter; put nonsense there.
    nonsense, labels = X.copy(), Y.copy()
    nonsense[~present], labels[~present] = 0.0, 1.0
    one, importance = plan(nonsense, labels, row_weights=weights).grow_tree(0)
    other, its_importance = plan(X[present], Y[present], row_weights=weights[present]).grow_tree(0)
    assert_identical(one, other)
    assert_array_equal(importance, its_importance)


@SEEDS
@pytest.mark.parametrize(
    "container", [sp.csr_array, sp.csc_array, sp.coo_array, np.asfortranarray, np.float32]
)
@DENSITIES
def test_the_container_of_the_numbers_does_not_matter(plan, seed, container, density):
    X, Y = clustered(seed, density)
    X = X.astype(np.float32)
    assert_identical(plan(container(X), Y).grow_tree(0)[0], plan(X, Y).grow_tree(0)[0])


@SEEDS
def test_numbers_held_dense_and_sparse_grow_the_same_tree(plan, predicted, split, in_both_forms, seed):
    # From an informed start: noise is given to columns in the order in which a form comes upon them.
    X, Y = clustered(seed, 0.1)
    data = plan(X, Y, learner=split(start="informed"))
    assert not data.X.is_dense
    one, other = (replace(data, X=matrix).grow_tree(0)[0] for matrix in in_both_forms(X))
    assert_same_tree(one, other, X, predicted)


@SEEDS
@DENSITIES
def test_units_of_the_features_do_not_matter(plan, predicted, seed, density):
    X, Y = clustered(seed, density)
    units = 2.0 ** np.random.default_rng(seed).integers(-20, 21, X.shape[1])
    one, _ = plan(X, Y).grow_tree(0)
    other, _ = plan(X * units, Y).grow_tree(0)
    assert_array_equal(one.left, other.left)
    assert_allclose(predicted(one, X), predicted(other, X * units), rtol=0, atol=1e-4)


@SEEDS
def test_where_the_features_have_their_zero_does_not_matter(plan, predicted, seed):
    X, Y = clustered(seed)
    X = np.round(X * 64) / 64  # sums with the shifts below are exact in float32
    shift = 2.0 ** np.random.default_rng(seed).integers(0, 17, X.shape[1])
    one, _ = plan(X, Y).grow_tree(0)
    other, _ = plan(X + shift, Y).grow_tree(0)
    assert_array_equal(one.left, other.left)
    assert_allclose(predicted(one, X), predicted(other, X + shift), rtol=0, atol=1e-4)


@pytest.mark.parametrize("low", [1.0, 1e6, 1.7e9, -3e7])
@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 0.9])
@pytest.mark.parametrize("threshold", ["learned", "exact"])
def test_two_neighbouring_float32_numbers_are_told_apart(plan, predicted, split, low, share, threshold):
    low = np.float32(low)
    Y = (np.arange(40) < 40 * share) * 1.0
    X = np.where(Y == 1, np.nextafter(low, np.float32(np.inf)), low).astype(np.float32)[:, None]
    for seed in range(6):  # from both sides
        tree, _ = plan(X, Y, learner=split(threshold=threshold), seed=seed).grow_tree(0)
        assert_array_equal(predicted(tree, X)[:, 0], Y)


@SEEDS
def test_the_order_of_equal_weighted_columns_of_targets_does_not_matter(plan, predicted, seed):
    X, Y = clustered(seed)
    one, _ = plan(X, Y).grow_tree(0)
    other, _ = plan(X, Y[:, ::-1]).grow_tree(0)
    assert_array_equal(one.left, other.left)
    assert_allclose(predicted(one, X), predicted(other, X)[:, ::-1], rtol=0, atol=1e-4)


@SEEDS
def test_weighting_a_target_is_repeating_its_column(plan, predicted, seed):
    X, Y = clustered(seed)
    weighted, _ = plan(X, Y, attribute_weights=[3, 1, 2]).grow_tree(0)
    repeated, _ = plan(X, Y, Z=np.repeat(Y, [3, 1, 2], axis=1)).grow_tree(0)
    assert_same_tree(weighted, repeated, X, predicted)


@SEEDS
def test_trees_differ_from_one_another_and_are_the_same_again(plan, seed):
    X, Y = clustered(seed)
    Y = np.roll(Y, 1, axis=0) * 0.5 + Y  # not separable by one simple tree
    data = plan(X, Y, bootstrap=True, seed=seed)
    one, same, other = (data.grow_tree(index)[0] for index in (4, 4, 5))
    assert_identical(one, same)
    assert len(one.weights) != len(other.weights) or (one.weights != other.weights).any()
    assert (data.counts(4) != data.counts(5)).any()


@SEEDS
def test_clustering_attributes_choose_the_splits_and_targets_fill_the_leaves(plan, predicted, split, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(400, 3))
    Z, Y = (X[:, :1] >= 0) * 1.0, (X[:, 1:2] >= 0) * 1.0
    tree, importance = plan(X, Y, Z=Z, learner=split(start="informed"), max_depth=1).grow_tree(0)
    assert importance.argmax() == 0
    means = predicted(tree, X)[:, 0]
    side = means == means.max()
    assert_allclose(means[side], Y[side].mean(), rtol=1e-6)
    assert_allclose(means[~side], Y[~side].mean(), rtol=1e-6)
    agreement = (side == (Z[:, 0] == 1)).mean()
    assert max(agreement, 1 - agreement) > 0.97


def test_only_weightless_rows_drawn_falls_back_to_all_rows(plan):
    X, Y = clustered(0)
    drawn = plan(X, Y, bootstrap=True).counts(0)
    weights = np.zeros(len(X))
    weights[np.flatnonzero(drawn == 0)[0]] = 2.0
    data = plan(X, Y, row_weights=weights, bootstrap=True)
    assert (data.counts(0) == 1).all()
    tree, _ = data.grow_tree(0)
    assert_allclose(tree.node_weight, [2.0])
    assert np.isfinite(tree.leaves.values).all()


@pytest.mark.parametrize("weight", [1e-50, 1e-30, 1e30, 1e50])
def test_extreme_weights_are_refused_or_harmless(weight):
    X, Y = clustered(0)
    tree = ObliqueTreeClassifier(random_state=0)
    try:
        tree.fit(X, Y.astype(int), sample_weight=np.full(len(X), weight))
    except ValueError as error:
        assert "sample_weight" in str(error)  # noqa: PT017
    else:
        assert_allclose(tree.predict_proba(X).mean(axis=0), Y.mean(axis=0), atol=1e-5)
