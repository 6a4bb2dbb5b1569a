"""Claims about columns of noise: as the real ones in all but their order, and unrelated to anything."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal

from slantwood_bench.noise import with_noise

MATRICES = hnp.arrays(
    np.float32,
    hnp.array_shapes(min_dims=2, max_dims=2, min_side=0, max_side=8),
    elements=st.sampled_from([0.0, 0.0, 0.0, 1.0, -2.0, 3.5, np.nan]),
)


def halves(both):
    return both[:, : both.shape[1] // 2], both[:, both.shape[1] // 2 :]


@given(MATRICES, st.integers(0, 5))
def test_each_column_of_noise_holds_the_values_of_its_real_one(X, seed):
    real, noise = halves(with_noise(X, seed))
    assert_array_equal(real, X)
    assert_array_equal(np.sort(noise, axis=0), np.sort(X, axis=0))


@given(MATRICES, st.integers(0, 5))
def test_dense_and_sparse_get_the_same_noise(X, seed):
    sparse = with_noise(sp.csr_array(X), seed)
    assert sparse.format == "csr"
    assert sparse.dtype == X.dtype
    assert_array_equal(sparse.toarray(), with_noise(X, seed))
    assert sparse.nnz == 2 * np.count_nonzero(X)


@given(MATRICES)
def test_the_seed_decides_and_the_given_matrix_stays(X):
    before, sparse = X.copy(), sp.csr_matrix(X)
    first = with_noise(X, 3)
    with_noise(sparse, 3)
    assert_array_equal(first, with_noise(X, 3))
    assert_array_equal(X, before)
    assert_array_equal(sparse.toarray(), before)


def test_another_seed_gives_other_noise():
    X = np.arange(200.0).reshape(100, 2)
    assert (with_noise(X, 0) != with_noise(X, 1)).any()


def test_zeros_that_are_stored_and_cells_in_parts_are_the_cells_that_they_stand_for():
    X = sp.coo_array(([1.0, 2.0, 0.0, 4.0], ([0, 0, 1, 2], [0, 0, 1, 1])), shape=(5, 2))
    assert_array_equal(with_noise(X, 0).toarray(), with_noise(X.toarray(), 0))
    parts = sp.csr_array((np.array([1.0, 2.0, 0.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
    assert_array_equal(with_noise(parts, 0).toarray(), with_noise(parts.toarray(), 0))


@pytest.mark.parametrize("zeros", [0.0, 0.8])
def test_noise_is_unrelated_to_the_targets_and_to_other_columns(zeros):
    # Forty copies of one column, which is the target as well.
    rng = np.random.default_rng(1)
    y = rng.normal(size=4000) * (rng.random(4000) >= zeros)
    _, noise = halves(with_noise(np.repeat(y[:, None], 40, axis=1), 0))
    relation = np.corrcoef(np.column_stack([y, noise]), rowvar=False) - np.eye(41)
    # Correlations of unrelated columns are normal with a deviation of 1 / sqrt(4000).
    assert np.abs(relation).max() < 5 / np.sqrt(4000)
    assert 0.8 < relation[np.triu_indices(41, 1)].std() * np.sqrt(4000) < 1.2


def test_every_order_is_as_likely_as_any_other():
    # All columns are 1, 2, 0; there are six orders of them.
    X = np.repeat([[1], [2], [0]], 6000, axis=1)
    _, noise = halves(with_noise(X, 0))
    _, counts = np.unique(noise, axis=1, return_counts=True)
    assert len(counts) == 6
    assert np.abs(counts - 1000).max() < 5 * np.sqrt(1000)


def test_memory_is_that_of_the_nonzeros():
    X = sp.random_array((30_000, 40_000), density=2e-5, format="csr", rng=np.random.default_rng(0))
    tracemalloc.start()
    both = with_noise(X, 0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert both.nnz == 2 * X.nnz
    assert peak < 50e6  # with all zeros it is 19 GB


@pytest.mark.parametrize("X", [np.zeros(3), [[1, 2]], sp.coo_array(np.zeros(3))])
def test_what_is_no_matrix_is_refused(X):
    with pytest.raises(ValueError, match="X is a"):
        with_noise(X, 0)
