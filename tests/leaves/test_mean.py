"""Claims about leaves that predict means."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from slantwood.leaves.mean import mean_leaves

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
