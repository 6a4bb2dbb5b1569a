"""Claims about leaves that predict means."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from slantwood.growth.nodes import GrownTree
from slantwood.leaves.mean import mean_leaves, mean_leaves_with_missing

pytestmark = pytest.mark.plain_python

EPS = float(np.finfo(np.float32).eps)
SEEDS = st.integers(0, 2**32 - 1)


def problem(seed, signed=False):
    """Targets, rows in the order of the leaves, their weights, and where each leaf begins and ends."""
    rng = np.random.default_rng(seed)
    n, t = int(rng.integers(1, 40)), int(rng.integers(1, 9))
    Y = rng.normal(size=(n, t)) if signed else rng.uniform(0.5, 2, (n, t))
    Y = (Y * (rng.random((n, t)) < rng.choice([0.1, 0.6, 1.0]))).astype(np.float32)
    rows = rng.permutation(n)[: rng.integers(1, n + 1)].astype(np.uint32)
    weights = rng.uniform(0.1, 5, len(rows)).astype(np.float32)
    cuts = np.sort(rng.choice(np.arange(1, len(rows)), rng.integers(0, len(rows)), replace=False))
    edges = np.concatenate([[0], cuts, [len(rows)]]).astype(np.int64)
    return Y, rows, weights, edges[:-1].copy(), edges[1:].copy()


def twin(Y, rows, weights, starts, stops):
    """A weighted mean for each leaf."""
    return np.array(
        [
            np.average(Y[rows[a:b]].astype(np.float64), axis=0, weights=weights[a:b])
            for a, b in zip(starts, stops, strict=True)
        ]
    )


@given(SEEDS)
def test_a_leaf_is_the_weighted_mean_of_its_rows(in_both_forms, numbers_of, seed):
    Y, *leaves = problem(seed)
    for matrix in in_both_forms(Y):
        means = mean_leaves(matrix, *leaves)
        assert means.is_dense == matrix.is_dense
        assert means.n_columns == Y.shape[1]
        assert_allclose(numbers_of(means), twin(Y, *leaves), rtol=EPS)


@given(SEEDS)
def test_a_leaf_of_signed_numbers_is_their_weighted_mean_too(in_both_forms, numbers_of, seed):
    Y, *leaves = problem(seed, signed=True)
    expected = twin(Y, *leaves)
    for matrix in in_both_forms(Y):
        assert_allclose(numbers_of(mean_leaves(matrix, *leaves)), expected, rtol=EPS, atol=1e-14)


@given(SEEDS)
def test_sparse_leaves_store_each_target_once_and_no_zeros(sparse, seed):
    Y, *leaves = problem(seed)
    means = mean_leaves(sparse(Y), *leaves)
    assert (means.data > 0).all()
    assert len(means.indices) == len(means.data) == means.indptr[-1]
    for a, b in zip(means.indptr[:-1], means.indptr[1:], strict=True):
        assert len(np.unique(means.indices[a:b])) == b - a


def test_numbers_that_cancel_on_the_way_are_stored_once(sparse, numbers_of):
    Y = np.array([[1.0, 0.0], [-1.0, 0.0], [3.0, 0.0], [0.0, 2.0]])
    rows, ones = np.arange(4, dtype=np.uint32), np.ones(4, np.float32)
    means = mean_leaves(sparse(Y), rows, ones, np.array([0]), np.array([4]))
    assert_allclose(numbers_of(means), [[0.75, 0.5]])
    assert len(np.unique(means.indices)) == len(means.indices)


@given(SEEDS)
def test_weighting_a_row_is_repeating_it(in_both_forms, numbers_of, seed):
    Y, rows, _, _, _ = problem(seed)
    counts = np.random.default_rng(seed).integers(1, 5, len(rows))
    again = np.repeat(rows, counts)
    for matrix in in_both_forms(Y):
        counted = mean_leaves(matrix, rows, counts.astype(np.float32), np.array([0]), np.array([len(rows)]))
        copied = mean_leaves(
            matrix, again, np.ones(len(again), np.float32), np.array([0]), np.array([len(again)])
        )
        assert_allclose(numbers_of(counted), numbers_of(copied), rtol=EPS)


@given(SEEDS)
def test_means_of_a_label_hierarchy_never_put_a_child_above_its_parent(in_both_forms, numbers_of, seed):
    rng = np.random.default_rng(seed)
    child = rng.random((30, 4)) < 0.3
    parent = child | (rng.random((30, 4)) < 0.2)
    rows = rng.permutation(30).astype(np.uint32)
    weights = rng.uniform(0.1, 3, 30).astype(np.float32)
    for matrix in in_both_forms(np.hstack([parent, child])):
        means = numbers_of(mean_leaves(matrix, rows, weights, np.array([0, 11, 20]), np.array([11, 20, 30])))
        assert (means[:, :4] >= means[:, 4:]).all()


def test_a_leaf_of_one_row_repeats_it_exactly(in_both_forms, numbers_of):
    Y = np.array([[0.1, 0.0, 1e30, -3.3], [5.0, 1e-30, 0.0, 7.7]], np.float32)
    rows, weights = np.array([1, 0], np.uint32), np.array([0.3, 7.0], np.float32)
    for matrix in in_both_forms(Y):
        means = mean_leaves(matrix, rows, weights, np.array([0, 1]), np.array([1, 2]))
        assert_allclose(numbers_of(means), Y[[1, 0]].astype(np.float64), rtol=EPS)


# ---- missing values


def divided(rng, rows, n_targets):
    """A tree of random shape over the given rows, breadth first, with some leaves of one row."""
    left, right, depth, start, stop = [-1], [-1], [0], [0], [len(rows)]
    node = 0
    while node < len(left):
        size = stop[node] - start[node]
        if size > 1 and rng.random() < 0.8:
            middle = start[node] + int(rng.choice([1, size - 1, rng.integers(1, size)]))
            left[node], right[node] = len(left), len(left) + 1
            for a, b in [(start[node], middle), (middle, stop[node])]:
                left.append(-1)
                right.append(-1)
                depth.append(depth[node] + 1)
                start.append(a)
                stop.append(b)
        node += 1
    n = len(left)
    return GrownTree(
        np.array(left, np.int32),
        np.array(right, np.int32),
        np.zeros(n + 1, np.int64),
        np.empty(0, np.int32),
        np.empty(0, np.float32),
        np.empty(0, np.float32),
        np.zeros(n),
        np.array(depth, np.int32),
        np.ones(n),
        np.array(start, np.int64),
        np.array(stop, np.int64),
        rows,
        np.empty(0),
        np.zeros(n_targets, np.float32),
    )


def problem_with_missing(seed, share=None):
    """Targets of which some are missing, a tree over some of their rows, weights and overall means."""
    Y, rows, weights, _, _ = problem(seed, signed=seed % 2 == 0)
    rng = np.random.default_rng(seed)
    share = rng.choice([0.1, 0.5, 0.9]) if share is None else share
    Y[rng.random(Y.shape) < share] = np.nan
    Y[:, rng.random(Y.shape[1]) < share / 4] = np.nan
    tree = divided(rng, rows, Y.shape[1])
    overall = rng.integers(-2, 3, Y.shape[1]).astype(np.float32)
    return Y, tree, weights, overall


def twin_with_missing(Y, tree, weights, overall):
    """Mean of what is known in each leaf; where nothing is, of its parent, and so on to the overall mean."""
    parent = np.full(len(tree.left), -1)
    for children in (tree.left, tree.right):
        parent[children[children >= 0]] = np.flatnonzero(children >= 0)
    leaves = []
    for leaf in np.flatnonzero(tree.left < 0):
        values = overall.astype(np.float64)
        for j in range(Y.shape[1]):
            node = leaf
            while node >= 0:
                part = slice(tree.start[node], tree.stop[node])
                y, r = Y[tree.rows[part], j].astype(np.float64), weights[part].astype(np.float64)
                known = ~np.isnan(y)
                if known.any():
                    values[j] = np.average(y[known], weights=r[known])
                    break
                node = parent[node]
        leaves.append(values)
    return np.array(leaves)


@given(SEEDS)
def test_a_leaf_is_the_mean_of_what_is_known_in_it_or_in_its_nearest_ancestor(
    in_both_forms, numbers_of, seed
):
    Y, tree, weights, overall = problem_with_missing(seed)
    expected = twin_with_missing(Y, tree, weights, overall)
    for matrix in in_both_forms(Y):
        means = mean_leaves_with_missing(matrix, tree, weights, overall)
        assert means.is_dense == matrix.is_dense
        assert means.n_columns == Y.shape[1]
        assert not means.has_missing
        assert_allclose(numbers_of(means), expected, rtol=EPS, atol=1e-12)


@given(SEEDS)
def test_with_nothing_missing_leaves_are_the_plain_ones(in_both_forms, numbers_of, seed):
    Y, tree, weights, overall = problem_with_missing(seed, share=0.0)
    is_leaf = tree.left < 0
    for matrix in in_both_forms(Y):
        plain = mean_leaves(matrix, tree.rows, weights, tree.start[is_leaf], tree.stop[is_leaf])
        found = mean_leaves_with_missing(matrix, tree, weights, overall)
        assert_allclose(numbers_of(found), numbers_of(plain), rtol=EPS, atol=1e-14)
        assert (found.values.dtype, found.data.dtype) == (plain.values.dtype, plain.data.dtype)
        assert (found.indices.dtype, found.indptr.dtype) == (plain.indices.dtype, plain.indptr.dtype)


@given(SEEDS)
def test_sparse_leaves_of_known_targets_store_no_zeros_in_rising_order(sparse, seed):
    Y, tree, weights, overall = problem_with_missing(seed)
    means = mean_leaves_with_missing(sparse(Y), tree, weights, overall)
    assert (means.data != 0).all()
    assert len(means.indices) == len(means.data) == means.indptr[-1]
    assert len(means.indptr) == (tree.left < 0).sum() + 1
    for a, b in zip(means.indptr[:-1], means.indptr[1:], strict=True):
        assert (np.diff(means.indices[a:b].astype(np.int64)) > 0).all()


@given(SEEDS)
def test_weighting_a_row_of_known_targets_is_repeating_it(in_both_forms, numbers_of, seed):
    Y, tree, _, overall = problem_with_missing(seed)
    counts = np.random.default_rng(seed).integers(1, 5, len(tree.rows))
    edges = np.concatenate([[0], np.cumsum(counts)])
    copied = tree._replace(rows=np.repeat(tree.rows, counts), start=edges[tree.start], stop=edges[tree.stop])
    ones = np.ones(counts.sum(), np.float32)
    for matrix in in_both_forms(Y):
        one = mean_leaves_with_missing(matrix, tree, counts.astype(np.float32), overall)
        other = mean_leaves_with_missing(matrix, copied, ones, overall)
        assert_allclose(numbers_of(one), numbers_of(other), rtol=2 * EPS, atol=1e-14)


@pytest.mark.parametrize("heavy", [1.0, 1e4, 1e8])
def test_a_target_that_no_row_of_a_leaf_knows_is_not_taken_from_its_rounding(
    in_both_forms, numbers_of, heavy
):
    # Three leaves: weights that add up to other sums in another order, and of which no row knows the target.
    rng = np.random.default_rng(0)
    Y = np.array([[np.nan], [np.nan], [np.nan], [7.0], [np.nan], [np.nan]])
    tree = divided(rng, np.arange(6, dtype=np.uint32), 1)._replace(
        left=np.array([1, 3, -1, -1, -1], np.int32),
        right=np.array([2, 4, -1, -1, -1], np.int32),
        depth=np.array([0, 1, 1, 2, 2], np.int32),
        start=np.array([0, 0, 4, 0, 3]),
        stop=np.array([6, 4, 6, 3, 4]),
    )
    weights = np.array([0.1, 0.2, heavy, 0.7, 0.3, heavy], np.float32)
    for matrix in in_both_forms(Y):
        means = numbers_of(mean_leaves_with_missing(matrix, tree, weights, np.array([-1.0], np.float32)))
        assert_array_equal(means, [[7.0], [7.0], [7.0]])


def test_a_target_that_no_row_knows_has_its_overall_mean(in_both_forms, numbers_of):
    Y = np.array([[1.0, np.nan, 0.0], [3.0, np.nan, np.nan]])
    tree = divided(np.random.default_rng(0), np.arange(2, dtype=np.uint32), 3)
    overall = np.array([9.0, 0.25, 9.0], np.float32)
    for matrix in in_both_forms(Y):
        means = numbers_of(mean_leaves_with_missing(matrix, tree, np.ones(2, np.float32), overall))
        assert_array_equal(means[:, 1], 0.25)
        assert_array_equal(means[:, 2], 0.0)


def test_more_values_than_fit_at_first_are_kept(sparse, numbers_of):
    rng = np.random.default_rng(0)
    Y = rng.normal(size=(40, 300))
    Y[rng.random(Y.shape) < 0.3] = np.nan
    tree = divided(rng, rng.permutation(40).astype(np.uint32), 300)
    overall, ones = np.zeros(300, np.float32), np.ones(40, np.float32)
    means = mean_leaves_with_missing(sparse(Y), tree, ones, overall)
    assert len(means.data) > 2048
    assert_allclose(numbers_of(means), twin_with_missing(Y, tree, ones, overall), rtol=1e-6, atol=1e-7)
