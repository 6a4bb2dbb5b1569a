"""Claims about the products of a block with vectors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slantwood.kernels.block import row_range
from slantwood.kernels.products import (
    add_over_known,
    back_project,
    dot,
    gram,
    has_missing,
    known_weights,
    project,
)

pytestmark = pytest.mark.plain_python

EPS = float(np.finfo(np.float32).eps)

# Not a multiple of four among them, one row, one column, and no stored value at all.
SHAPES = st.tuples(st.integers(1, 23), st.integers(1, 23))
DENSITIES = st.sampled_from([0.0, 0.1, 0.5, 1.0])
SEEDS = st.integers(0, 2**32 - 1)


def made(shape, density, seed):
    """Stored numbers with empty rows and columns, means, a vector over columns and one over rows."""
    rng = np.random.default_rng(seed)
    stored = rng.normal(size=shape) * (rng.random(shape) < density)
    stored[rng.random(shape[0]) < 0.2] = 0.0
    mean = rng.normal(size=shape[1])
    return tuple(
        a.astype(np.float32) for a in (stored, mean, rng.normal(size=shape[1]), rng.normal(size=shape[0]))
    )


def size_of_terms(block, stored, mean):
    """What rounding errors are relative to: absolute values of all numbers that enter a sum."""
    if block.is_dense:
        return np.abs(stored.astype(np.float64) - mean)
    return np.abs(stored).astype(np.float64) + np.abs(mean)


def assert_within_rounding(found, expected, size):
    assert (np.abs(found - expected) <= 8 * EPS * size + 1e-37).all()


@given(SHAPES, DENSITIES, SEEDS)
def test_block_times_vector_equals_the_dense_product(blocks_of, standardised_of, shape, density, seed):
    stored, mean, w, _ = made(shape, density, seed)
    for block in blocks_of(stored, mean):
        out = np.full(shape[0], np.nan, np.float32)
        project(block, w, out)
        size = size_of_terms(block, stored, mean) @ np.abs(w)
        assert_within_rounding(out, standardised_of(block) @ w.astype(np.float64), size)


@given(SHAPES, DENSITIES, SEEDS)
def test_transposed_block_times_vector_equals_the_dense_product(
    blocks_of, standardised_of, shape, density, seed
):
    stored, mean, _, h = made(shape, density, seed)
    for block in blocks_of(stored, mean):
        out = np.full(shape[1], np.nan, np.float32)
        back_project(block, h, out)
        size = size_of_terms(block, stored, mean).T @ np.abs(h)
        assert_within_rounding(out, standardised_of(block).T @ h.astype(np.float64), size)


@given(SHAPES, DENSITIES, SEEDS)
def test_gram_is_the_block_times_its_transpose_and_symmetric(
    blocks_of, standardised_of, shape, density, seed
):
    stored, mean, _, _ = made(shape, density, seed)
    for block in blocks_of(stored, mean):
        out = np.full((shape[0], shape[0]), np.nan, np.float32)
        gram(block, out)
        A, size = standardised_of(block), size_of_terms(block, stored, mean)
        assert_within_rounding(out, A @ A.T, size @ size.T)
        assert (out == out.T).all()


@given(SHAPES, DENSITIES, SEEDS)
def test_projecting_and_projecting_back_are_adjoint(blocks_of, shape, density, seed):
    stored, mean, w, h = made(shape, density, seed)
    for block in blocks_of(stored, mean):
        forth = np.empty(shape[0], np.float32)
        back = np.empty(shape[1], np.float32)
        project(block, w, forth)
        back_project(block, h, back)
        size = np.abs(h) @ size_of_terms(block, stored, mean) @ np.abs(w)
        # Two products, each with its own rounding.
        assert abs(forth.astype(np.float64) @ h - back.astype(np.float64) @ w) <= 16 * EPS * size


@given(st.integers(0, 60), SEEDS)
def test_dot_is_the_inner_product(length, seed):
    a, b = np.random.default_rng(seed).normal(size=(2, length)).astype(np.float32)
    exact = a.astype(np.float64) @ b
    assert_within_rounding(np.float64(dot(a, b)), exact, np.abs(a).astype(np.float64) @ np.abs(b))


@pytest.mark.parametrize("n", range(1, 10))
def test_each_unit_vector_picks_its_column_exactly_at_every_remainder_of_four(blocks_of, n):
    stored = np.arange(1, n * 3 + 1, dtype=np.float32).reshape(n, 3)
    for block in blocks_of(stored):
        for j, unit in enumerate(np.eye(3, dtype=np.float32)):
            out = np.empty(n, np.float32)
            project(block, unit, out)
            assert (out == stored[:, j]).all()
        for i, unit in enumerate(np.eye(n, dtype=np.float32)):
            out = np.empty(3, np.float32)
            back_project(block, unit, out)
            assert (out == stored[i]).all()


# ---- missing values


def missing_of(block):
    """Mask of the cells that a block lists as missing."""
    missing = np.zeros((block.n_rows, block.n_columns), bool)
    for i in range(block.n_rows):
        missing[i, block.missing_indices[block.missing_indptr[i] : block.missing_indptr[i + 1]]] = True
    return missing


def with_missing(in_both_forms, gathered, shape, density, seed):
    """Blocks with missing cells, rows and columns, and the generator to go on with."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=shape) * (rng.random(shape) < density)
    A[rng.random(shape) < rng.choice([0.05, 0.4])] = np.nan
    A[rng.random(shape[0]) < 0.1] = np.nan
    A[rng.integers(shape[0]), rng.integers(shape[1])] = np.nan
    r = rng.uniform(0.2, 4, shape[0]).astype(np.float32)
    return [gathered(matrix, None, r)[0] for matrix in in_both_forms(A)], r, rng


@given(SHAPES, DENSITIES, SEEDS, st.booleans())
def test_known_weights_are_the_weights_of_the_rows_that_know_a_column(
    in_both_forms, gathered, shape, density, seed, a_part
):
    blocks, r, rng = with_missing(in_both_forms, gathered, shape, density, seed)
    start, stop = np.sort(rng.integers(0, shape[0] + 1, 2)) if a_part else (0, shape[0])
    for block in blocks:
        block, weights = row_range(block, start, stop), r[start:stop]
        out = np.full(block.n_columns, np.nan)
        known_weights(block, weights, out)
        expected = weights.astype(np.float64) @ ~missing_of(block)
        assert (np.abs(out - expected) <= 1e-13 * weights.sum()).all()
        assert (out >= 0).all()


@given(SHAPES, DENSITIES, SEEDS, st.booleans())
def test_levels_are_added_over_the_columns_that_a_row_knows(
    in_both_forms, gathered, shape, density, seed, a_part
):
    blocks, _, rng = with_missing(in_both_forms, gathered, shape, density, seed)
    start, stop = np.sort(rng.integers(0, shape[0] + 1, 2)) if a_part else (0, shape[0])
    for block in blocks:
        block = row_range(block, start, stop)
        levels, before = rng.normal(size=block.n_columns), rng.normal(size=block.n_rows)
        out = before.copy()
        add_over_known(block, levels, out)
        assert (np.abs(out - (before + ~missing_of(block) @ levels)) <= 1e-12).all()


@given(SHAPES, DENSITIES, SEEDS)
def test_a_missing_value_adds_nothing_to_any_product(
    in_both_forms, gathered, standardised_of, shape, density, seed
):
    blocks, _, rng = with_missing(in_both_forms, gathered, shape, density, seed)
    for block in blocks:
        n, d = block.n_rows, block.n_columns
        A, missing = standardised_of(block), missing_of(block)
        assert (A[missing] == 0).all()
        size = np.abs(A) + 2 * np.abs(block.mean)
        w, h = rng.normal(size=d).astype(np.float32), rng.normal(size=n).astype(np.float32)
        forth, back = np.full(n, np.nan, np.float32), np.full(d, np.nan, np.float32)
        project(block, w, forth)
        back_project(block, h, back)
        assert_within_rounding(forth, A @ w.astype(np.float64), size @ np.abs(w))
        assert_within_rounding(back, A.T @ h.astype(np.float64), size.T @ np.abs(h))


def test_a_block_has_missing_values_where_one_of_its_columns_has(in_both_forms, gathered):
    A = np.array([[1.0, np.nan], [2.0, np.nan], [3.0, 5.0], [np.nan, 5.0]])
    for matrix in in_both_forms(A):
        assert has_missing(gathered(matrix)[0])
        assert not has_missing(gathered(matrix, [0, 1, 2])[0])  # the other column does not vary
    for matrix in in_both_forms(A[:3, :1]):
        assert not has_missing(gathered(matrix)[0])
