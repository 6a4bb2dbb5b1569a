"""Claims about the nodes that rows pass."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from slantwood.model.paths import decision_paths, parents

pytestmark = pytest.mark.plain_python

SEEDS = st.integers(0, 2**32 - 1)


@given(SEEDS, st.integers(1, 4))
def test_a_path_holds_the_nodes_from_the_root_to_the_leaf_of_every_tree(
    random_trees, dense, routed, seed, n_trees
):
    rng = np.random.default_rng(seed)
    trees = random_trees(rng, n_trees)
    leaves = routed(dense(rng.integers(-2, 3, (15, 4))), trees)
    above = {}
    for node in np.flatnonzero(trees.left >= 0):
        above[trees.left[node]] = above[trees.right[node]] = node
    expected = np.zeros((15, len(trees.left)))
    for i, reached in enumerate(leaves):
        for node in reached:
            expected[i, node] = 1
            while node in above:
                node = above[node]
                expected[i, node] = 1
    assert_array_equal(decision_paths(trees, leaves).toarray(), expected)


@given(SEEDS)
def test_a_path_is_as_long_as_its_leaf_is_deep(random_trees, dense, routed, seed):
    rng = np.random.default_rng(seed)
    trees = random_trees(rng, 1)
    leaves = routed(dense(rng.integers(-2, 3, (15, 4))), trees)
    assert_array_equal(decision_paths(trees, leaves).sum(axis=1), trees.depth[leaves[:, 0]] + 1)


@given(SEEDS, st.integers(1, 4))
def test_parents_are_above_their_children_and_roots_have_none(random_trees, seed, n_trees):
    trees = random_trees(np.random.default_rng(seed), n_trees)
    above = parents(trees)
    assert_array_equal(np.flatnonzero(above < 0), trees.roots)
    for node in np.flatnonzero(trees.left >= 0):
        assert above[trees.left[node]] == above[trees.right[node]] == node
