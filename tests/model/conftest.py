"""Makers of trees that nobody had to grow."""

import numpy as np
import pytest
import scipy.sparse as sp


@pytest.fixture(scope="session")
def random_trees():
    """Make trees of random shape; splits have few levels, so that rows lie on boundaries."""
    from slantwood.kernels.matrix import dense_matrix, sparse_matrix
    from slantwood.model.trees import Trees, join

    def one_tree(rng, n_features, n_outputs, sparse_leaves):
        n_splits = int(rng.integers(0, 8))
        n_nodes = 2 * n_splits + 1
        left, right = np.full((2, n_nodes), -1, np.int32)
        depth = np.zeros(n_nodes, np.int32)
        leaves = [0]
        for k in range(n_splits):
            node = leaves.pop(int(rng.integers(len(leaves))))
            left[node], right[node] = 2 * k + 1, 2 * k + 2
            depth[[2 * k + 1, 2 * k + 2]] = depth[node] + 1
            leaves += [2 * k + 1, 2 * k + 2]
        is_leaf = left < 0
        weights = rng.integers(-2, 3, (n_nodes, n_features)) * ~is_leaf[:, None]
        weights = sp.csr_array(weights.astype(np.float32))
        values = rng.integers(0, 5, (is_leaf.sum(), n_outputs)) / np.float32(8)
        values = (values * (rng.random(values.shape) < 0.6)).astype(np.float32)
        return Trees(
            np.zeros(1, np.int32),
            left,
            right,
            np.where(is_leaf, np.cumsum(is_leaf) - 1, -1).astype(np.int32),
            weights.indptr.astype(np.int64),
            weights.indices.astype(np.int32),
            weights.data,
            rng.integers(-3, 4, weights.nnz).astype(np.float32),
            np.where(is_leaf, 0, rng.integers(-2, 3, n_nodes)).astype(np.float64),
            depth,
            rng.uniform(1, 9, n_nodes),
            sparse_matrix(sp.csr_array(values)) if sparse_leaves else dense_matrix(values),
        )

    def make(rng, n_trees, n_features=4, n_outputs=3, sparse_leaves=False):
        return join([one_tree(rng, n_features, n_outputs, sparse_leaves) for _ in range(n_trees)])

    return make


@pytest.fixture(scope="session")
def routed():
    """Route all rows of a `Matrix` through trees."""
    from slantwood.kernels.matrix import n_rows
    from slantwood.model.routing import route

    def go(X, trees):
        nodes = np.full((n_rows(X), trees.n_trees), -9, np.int32)
        route(X, trees, np.arange(len(nodes), dtype=np.uint32), nodes)
        return nodes

    return go
