"""Claims about trees side by side in one set of arrays."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from slantwood.kernels.matrix import n_rows, sparse_matrix
from slantwood.model.trees import join

pytestmark = pytest.mark.plain_python

SEEDS = st.integers(0, 2**32 - 1)


def parts_of(random_trees, seed, sparse_leaves):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 4, int(rng.integers(1, 5)))
    return [random_trees(rng, int(size), sparse_leaves=sparse_leaves) for size in sizes], rng


@given(SEEDS, st.booleans())
def test_joined_trees_route_and_predict_like_their_parts(
    random_trees, numbers_of, dense, routed, seed, sparse_leaves
):
    parts, rng = parts_of(random_trees, seed, sparse_leaves)
    whole = join(parts)
    X = dense(rng.integers(-2, 3, (20, 4)))
    nodes = routed(X, whole)
    leaves = numbers_of(whole.leaves)
    first_tree = first_node = 0
    for part in parts:
        mine = nodes[:, first_tree : first_tree + part.n_trees]
        alone = routed(X, part)
        assert_array_equal(mine, alone + first_node)
        assert_array_equal(leaves[whole.leaf[mine]], numbers_of(part.leaves)[part.leaf[alone]])
        first_tree += part.n_trees
        first_node += len(part.left)
    assert whole.n_trees == first_tree


@given(SEEDS, st.booleans())
def test_joining_shifts_numbers_and_leaves_marks_of_nothing_alone(random_trees, seed, sparse_leaves):
    parts, _ = parts_of(random_trees, seed, sparse_leaves)
    whole = join(parts)
    nodes, leaves, weights = (
        np.cumsum([0] + [size(part) for part in parts])
        for size in (lambda p: len(p.left), lambda p: n_rows(p.leaves), lambda p: len(p.weights))
    )
    assert (nodes[-1], leaves[-1], weights[-1]) == (len(whole.left), n_rows(whole.leaves), len(whole.weights))
    for k, part in enumerate(parts):
        mine = slice(nodes[k], nodes[k + 1])
        for field, shift in (("left", nodes[k]), ("right", nodes[k]), ("leaf", leaves[k])):
            before, after = getattr(part, field), getattr(whole, field)[mine]
            assert_array_equal(after[before >= 0], before[before >= 0] + shift)
            assert (after[before < 0] == -1).all()
        for field in ("bias", "depth", "node_weight"):
            assert_array_equal(getattr(whole, field)[mine], getattr(part, field))
        assert_array_equal(whole.indptr[nodes[k] : nodes[k + 1] + 1], part.indptr + weights[k])
        assert_array_equal(whole.indices[weights[k] : weights[k + 1]], part.indices)
        assert_array_equal(whole.weights[weights[k] : weights[k + 1]], part.weights)
    assert_array_equal(whole.roots, np.concatenate([p.roots + s for p, s in zip(parts, nodes, strict=False)]))
    assert_array_equal(whole.node_offsets, np.append(whole.roots, nodes[-1]))


@given(SEEDS, st.booleans())
def test_joining_keeps_the_types_that_compiled_code_expects(random_trees, seed, sparse_leaves):
    parts, _ = parts_of(random_trees, seed, sparse_leaves)
    whole = join(parts)
    for before, after in zip(parts[0][:-1], whole[:-1], strict=True):
        assert before.dtype == after.dtype
    for field in ("values", "indptr", "indices", "data"):
        assert getattr(parts[0].leaves, field).dtype == getattr(whole.leaves, field).dtype


@given(SEEDS, st.booleans())
def test_joining_in_steps_is_joining_at_once(random_trees, numbers_of, seed, sparse_leaves):
    parts, _ = parts_of(random_trees, seed, sparse_leaves)
    at_once, in_steps = join(parts), parts[0]
    for part in parts[1:]:
        in_steps = join([in_steps, part])
    for one, other in zip(at_once[:-1], in_steps[:-1], strict=True):
        assert_array_equal(one, other)
    assert_array_equal(numbers_of(at_once.leaves), numbers_of(in_steps.leaves))


@pytest.mark.parametrize("dense_first", [True, False])
def test_trees_with_dense_and_with_sparse_leaves_can_be_joined(
    random_trees, numbers_of, dense, routed, dense_first
):
    # A forest that is grown further on other targets may meet both.
    rng = np.random.default_rng(0)
    parts = [random_trees(rng, 2, sparse_leaves=False), random_trees(rng, 2, sparse_leaves=True)]
    parts = parts if dense_first else parts[::-1]
    whole = join(parts)
    assert_array_equal(numbers_of(whole.leaves), np.concatenate([numbers_of(part.leaves) for part in parts]))


def test_wrapping_a_csr_array_shares_its_numbers():
    csr = sp.csr_array(np.eye(3, dtype=np.float32))
    assert np.shares_memory(sparse_matrix(csr).data, csr.data)
