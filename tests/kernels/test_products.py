"""Claims about the products of a block with vectors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slantwood.kernels.products import back_project, dot, gram, project

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
