"""Claims about a block turned on its side."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from slantwood.kernels.columns import add_column, columns_of, inner

pytestmark = pytest.mark.plain_python

# Below, at and above a tile of rows; one row, one column, and no stored value at all.
SHAPES = st.tuples(st.sampled_from([1, 2, 3, 31, 32, 33, 64, 70]), st.integers(1, 9))
DENSITIES = st.sampled_from([0.0, 0.1, 0.5, 1.0])
SEEDS = st.integers(0, 2**32 - 1)


def made(shape, density, seed):
    """Stored numbers with empty rows and columns, means, and a factor for each row."""
    rng = np.random.default_rng(seed)
    stored = rng.normal(size=shape) * (rng.random(shape) < density)
    stored[rng.random(shape[0]) < 0.2] = 0.0
    stored[:, rng.random(shape[1]) < 0.2] = 0.0
    return tuple(a.astype(np.float32) for a in (stored, rng.normal(size=shape[1]), rng.normal(size=shape[0])))


def product(a, b):
    """What one multiplication gives, rounded once: float64 holds the product of two float32 exactly."""
    return (a.astype(np.float64) * b).astype(np.float32)


@given(SHAPES, DENSITIES, SEEDS)
def test_dense_columns_are_the_transpose_of_the_rows_times_their_factors(blocks_of, shape, density, seed):
    stored, mean, factors = made(shape, density, seed)
    block, _ = blocks_of(stored, mean)
    columns = columns_of(block, factors)
    assert columns.is_dense
    assert (columns.n_rows, columns.n_columns) == shape
    np.testing.assert_array_equal(columns.values, product(block.values, factors[:, None]).T)


@given(SHAPES, DENSITIES, SEEDS)
def test_sparse_columns_are_the_transpose_of_the_stored_values_without_the_means(
    blocks_of, shape, density, seed
):
    stored, mean, factors = made(shape, density, seed)
    _, block = blocks_of(stored, mean)
    columns = columns_of(block, factors)
    assert not columns.is_dense
    assert (columns.n_rows, columns.n_columns) == shape
    assert len(columns.indptr) == shape[1] + 1
    assert len(columns.rows) == len(columns.data) == columns.indptr[-1] == np.count_nonzero(stored)
    turned = sp.csr_array((columns.data, columns.rows.astype(np.int64), columns.indptr), shape=shape[::-1])
    np.testing.assert_array_equal(turned.toarray(), product(stored, factors[:, None]).T)


@given(SHAPES, DENSITIES, SEEDS)
def test_rows_of_a_sparse_column_keep_their_order(blocks_of, shape, density, seed):
    stored, mean, factors = made(shape, density, seed)
    columns = columns_of(blocks_of(stored, mean)[1], factors)
    for j in range(shape[1]):
        rows = columns.rows[columns.indptr[j] : columns.indptr[j + 1]]
        np.testing.assert_array_equal(rows, np.flatnonzero(stored[:, j]))


@given(SHAPES, DENSITIES, SEEDS)
def test_turning_leaves_the_block_as_it_was(blocks_of, standardised_of, shape, density, seed):
    stored, mean, factors = made(shape, density, seed)
    for block in blocks_of(stored, mean):
        before = standardised_of(block)
        columns = columns_of(block, factors)
        (columns.values if columns.is_dense else columns.data)[:] = -1  # a copy, not a view
        np.testing.assert_array_equal(standardised_of(block), before)


@given(SHAPES, DENSITIES, SEEDS, st.booleans())
def test_products_with_a_column_and_multiples_of_it_are_those_of_numpy(
    blocks_of, shape, density, seed, is_sparse
):
    stored, mean, factors = made(shape, density, seed)
    block = blocks_of(stored, mean)[is_sparse]
    columns = columns_of(block, factors)
    turned = product(stored if is_sparse else block.values, factors[:, None]).astype(np.float64)
    vector = np.random.default_rng(seed).normal(size=shape[0])
    for j in range(shape[1]):
        np.testing.assert_allclose(inner(columns, j, vector), turned[:, j] @ vector, rtol=1e-12, atol=1e-12)
        out = vector.copy()
        add_column(columns, j, -1.5, out)
        np.testing.assert_allclose(out, vector - 1.5 * turned[:, j], rtol=1e-12, atol=1e-12)
