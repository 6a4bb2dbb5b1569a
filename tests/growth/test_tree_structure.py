"""Claims about every grown tree: its numbering, its ranges of rows, and that training and routing agree."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from slantwood.growth.trials import LEVELS

SEEDS = st.integers(0, 2**32 - 1)
# Full, half empty, and mostly empty: the last is held sparse.
DENSITIES = st.sampled_from([1.0, 0.5, 0.1])


def problem(seed, density, n=None):
    """Small data of few levels (so that rows tie) with up to three targets, weights and counts."""
    rng = np.random.default_rng(seed)
    n = n or int(rng.integers(2, 40))
    d, t = int(rng.integers(1, 8)), int(rng.integers(1, 4))
    scale = rng.choice([1.0, 0.1])
    X = rng.integers(-3, 4, (n, d)) * (rng.random((n, d)) < density) * scale
    Y = rng.integers(0, 2, (n, t)) * 1.0
    return X, Y, rng.uniform(0.5, 3, n), rng.integers(1, 4, n)


@pytest.mark.plain_python
@given(SEEDS, DENSITIES, st.booleans())
def test_nodes_are_numbered_breadth_first_and_share_out_their_rows(
    plan, grown, split, seed, density, shuffle
):
    X, Y, r, counts = problem(seed, density)
    learner = split(max_iter=10)
    tree = grown(
        plan(X, Y, row_weights=r, learner=learner, min_impurity_decrease=0.0, shuffle=shuffle), counts
    )
    inner = np.flatnonzero(tree.left >= 0)
    assert_array_equal(np.sort(tree.rows), np.arange(len(X)))
    assert all((np.diff(part) > 0).all() for part in np.split(tree.indices, tree.indptr[1:-1]))
    assert (tree.start[0], tree.stop[0], tree.depth[0]) == (0, len(X), 0)
    assert_array_equal(tree.left >= 0, tree.right >= 0)
    # Children come in pairs, in the order of their parents.
    assert_array_equal(tree.left[inner], 1 + 2 * np.arange(len(inner)))
    assert_array_equal(tree.right[inner], tree.left[inner] + 1)
    assert len(tree.left) == 2 * len(inner) + 1
    left, right = tree.left[inner], tree.right[inner]
    assert_array_equal(tree.start[left], tree.start[inner])
    assert_array_equal(tree.stop[left], tree.start[right])
    assert_array_equal(tree.stop[right], tree.stop[inner])
    assert (tree.start < tree.stop).all()
    assert_array_equal(tree.depth[left], tree.depth[inner] + 1)
    assert_array_equal(tree.depth[right], tree.depth[inner] + 1)
    has_weights = np.diff(tree.indptr) > 0
    assert_array_equal(has_weights, tree.left >= 0)
    assert (tree.weights != 0).all()


@pytest.mark.plain_python
@given(SEEDS, DENSITIES, st.booleans())
def test_a_node_weighs_what_its_rows_weigh(plan, grown, split, seed, density, shuffle):
    X, Y, r, counts = problem(seed, density)
    learner = split(max_iter=10)
    tree = grown(
        plan(X, Y, row_weights=r, learner=learner, min_impurity_decrease=0.0, shuffle=shuffle), counts
    )
    weights = (r * counts).astype(np.float32).astype(np.float64)
    for node in range(len(tree.left)):
        rows = tree.rows[tree.start[node] : tree.stop[node]]
        assert_allclose(tree.node_weight[node], weights[rows].sum(), rtol=1e-12)


@pytest.mark.plain_python
@given(SEEDS, DENSITIES, st.sampled_from(["learned", "exact"]), st.sampled_from([None, 5]), st.integers(1, 8))
def test_training_rows_are_routed_to_the_leaves_in_which_they_were_counted(
    plan, grown, routed, leaf_of_each_row, split, seed, density, threshold, batch_size, max_features
):
    X, Y, r, counts = problem(seed, density)
    learner = split(max_iter=10, threshold=threshold, batch_size=batch_size)
    data = plan(X, Y, row_weights=r, learner=learner, min_impurity_decrease=0.0, max_features=max_features)
    tree = grown(data, counts)
    assert_array_equal(routed(data.X, tree), leaf_of_each_row(tree))


@pytest.mark.parametrize("start", ["noise", "informed"])
@pytest.mark.parametrize("density", [1.0, 0.05])
@pytest.mark.parametrize("seed", [0, 1])
def test_training_rows_of_larger_data_are_routed_to_their_leaves_too(
    plan, grown, routed, leaf_of_each_row, split, seed, density, start
):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(1500, 60)) * (rng.random((1500, 60)) < density)
    X[:, 0] += 1e4
    Y = rng.integers(0, 2, (1500, 5)) * 1.0
    data = plan(X, Y, learner=split(start=start, max_iter=20), min_impurity_decrease=0.0, max_features=20)
    tree = grown(data)
    assert (tree.left >= 0).sum() > 100
    assert_array_equal(routed(data.X, tree), leaf_of_each_row(tree))


@pytest.mark.plain_python
@given(SEEDS, st.sampled_from([0.5, 0.1]))
def test_dense_and_sparse_rows_are_routed_alike(plan, grown, routed, split, in_both_forms, seed, density):
    X, Y, r, _ = problem(seed, density)
    tree = grown(plan(X, Y, row_weights=r, learner=split(max_iter=10), min_impurity_decrease=0.0))
    one, other = (routed(matrix, tree) for matrix in in_both_forms(X))
    assert_array_equal(one, other)


def twin_decrease(Z, r, right):
    """Relative decrease of the variance along the direction that joins the two sides' means.

    On the side where it falls more; attributes are standardised over the node.
    """
    Z = Z[:, Z.min(axis=0) < Z.max(axis=0)]
    Z = Z - np.average(Z, axis=0, weights=r)
    Z = Z / np.sqrt(np.average(Z**2, axis=0, weights=r))
    along = Z @ (r[right, None] * Z[right]).sum(axis=0)

    def variance(part):
        return np.average((along[part] - np.average(along[part], weights=r[part])) ** 2, weights=r[part])

    return 1 - min(variance(right), variance(~right)) / variance(np.ones_like(right))


def pays(tree, node, passes, levels):
    """Whether a split passes, or one below it within so many levels."""
    if tree.left[node] < 0:
        return False
    below = (tree.left[node], tree.right[node])
    return passes[node] or (levels > 0 and any(pays(tree, child, passes, levels - 1) for child in below))


@pytest.mark.plain_python
@given(SEEDS, DENSITIES, st.sampled_from([0.05, 0.4, 0.9]))
def test_every_split_lowers_the_impurity_of_a_side_by_the_share_asked_for_or_leads_to_one_that_does(
    plan, grown, split, seed, density, share
):
    X, Y, r, _ = problem(seed, density)
    tree = grown(plan(X, Y, row_weights=r, learner=split(max_iter=10), min_impurity_decrease=share))
    r = r.astype(np.float32).astype(np.float64)
    passes = np.zeros(len(tree.left), bool)
    for node in np.flatnonzero(tree.left >= 0):
        rows = tree.rows[tree.start[node] : tree.stop[node]]
        right = np.arange(tree.start[node], tree.stop[node]) >= tree.start[tree.right[node]]
        passes[node] = twin_decrease(Y[rows], r[rows], right) >= share - 1e-5
    for node in np.flatnonzero(tree.left >= 0):
        assert pays(tree, node, passes, LEVELS)


@pytest.mark.plain_python
@given(SEEDS, DENSITIES, st.sampled_from([0.0, 1.0]))
def test_importances_share_out_the_impurity_that_splits_remove(plan, grown, split, seed, density, power):
    X, Y, r, _ = problem(seed, density)
    p = np.random.default_rng(seed).uniform(0.5, 2, Y.shape[1])
    learner = split(max_iter=10)
    tree = grown(
        plan(
            X,
            Y,
            row_weights=r,
            attribute_weights=p,
            learner=learner,
            min_impurity_decrease=0.0,
            importance_power=power,
        )
    )
    expected = np.zeros(X.shape[1])
    spread = weighted_variance(Y, r) ** (power / 2)
    scaled = np.sqrt(p) * np.divide(Y, spread, where=spread > 1e-9, out=np.zeros_like(Y))
    for node in np.flatnonzero(tree.left >= 0):
        own, left, right = (
            tree.rows[tree.start[n] : tree.stop[n]] for n in (node, tree.left[node], tree.right[node])
        )
        whole = r[own].sum() * weighted_variance(scaled[own], r[own]).sum()
        parts = sum(r[side].sum() * weighted_variance(scaled[side], r[side]).sum() for side in (left, right))
        used = slice(tree.indptr[node], tree.indptr[node + 1])
        columns = tree.indices[used]
        of_features = tree.weights[used] ** 2.0 * weighted_variance(X[own][:, columns], r[own])
        np.add.at(expected, columns, (whole - parts) / r.sum() * of_features / of_features.sum())
    assert_allclose(tree.importance, expected, rtol=2e-3, atol=2e-5 * max(expected.max(), 1e-3))


def weighted_variance(A, r):
    return np.average((A - np.average(A, axis=0, weights=r)) ** 2, axis=0, weights=r)


def test_importance_is_measured_in_standardised_units(plan, grown, split):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4)) * [1, 100, 1, 0.01]
    Y = (X[:, 1] / 100 + X[:, 3] * 100 >= 0) * 1.0
    tree = grown(plan(X, Y, learner=split(start="informed"), max_depth=1))
    raw = np.zeros(4)
    raw[tree.indices] = tree.weights
    standardised = (raw * X.std(axis=0)) ** 2
    shares = tree.importance / tree.importance.sum()
    assert_allclose(shares, standardised / standardised.sum(), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("density", [1.0, 0.05])
def test_a_split_weighs_at_most_as_many_features_as_it_may_draw(plan, grown, split, density):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 30)) * (rng.random((200, 30)) < density)
    Y = rng.integers(0, 2, (200, 2)) * 1.0
    tree = grown(plan(X, Y, learner=split(C=1e6, max_iter=5), max_features=7, min_impurity_decrease=0.0))
    used = np.diff(tree.indptr)
    assert used.max() == 7
    assert len(np.unique(tree.indices)) == 30


def test_a_feature_subset_is_drawn_among_features_that_vary_in_the_node(plan, grown, split):
    rng = np.random.default_rng(0)
    X = np.zeros((100, 500))
    X[:, [7, 70, 400]] = rng.normal(size=(100, 3))
    X[:, 100:200] = 3.0
    for form in (X, sp.csr_array(X)):
        tree = grown(
            plan(form, (X[:, 7] >= 0) * 1.0, learner=split(start="informed"), max_features=3, max_depth=1)
        )
        assert_array_equal(np.sort(tree.indices)[0], 7)
        assert set(tree.indices) <= {7, 70, 400}


def test_the_same_stream_grows_the_same_tree_wherever_its_arrays_lie(plan, grown):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(150, 13)), rng.integers(0, 2, (150, 3)) * 1.0
    first = grown(plan(X, Y))
    kept = []
    for i in range(15):
        kept.append([np.empty(int(size), np.uint8) for size in rng.integers(1, 5000, 20)])
        if i % 3 == 0:
            kept = kept[1::2]
        for one, other in zip(grown(plan(X, Y)), first, strict=True):
            assert_array_equal(one, other)
