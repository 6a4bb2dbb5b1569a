"""Claims about clusters by angles: planted ones are found, and every row is with its nearest centre."""

import numpy as np
import pytest
import scipy.sparse as sp

from slantwood.kernels.matrix import sparse_matrix
from slantwood.kernels.random import below
from slantwood.kernels.spherical_means import spherical_means

pytestmark = pytest.mark.plain_python


def unit(values):
    return (values / np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-12)).astype(np.float32)


def clusters(Z, k, rows=None, max_iter=50, seed=1):
    rows = np.arange(len(Z)) if rows is None else rows
    found = np.empty(len(rows), np.int32)
    matrix = sparse_matrix(sp.csr_array(Z))
    going_on = np.zeros(1, np.uint8)
    mean = spherical_means(matrix, rows.astype(np.uint32), k, max_iter, 0.0, np.uint64(seed), going_on, found)
    return found, mean


def slow_clusters(Z, k, max_iter, seed):
    state, order = np.array([seed], np.uint64), np.arange(len(Z))
    n_some = min(len(Z), 256 * k)
    for place in range(n_some):
        other = place + below(state, len(Z) - place)
        order[[place, other]] = order[[other, place]]
    some = Z[order[:n_some]].astype(np.float64)
    centres, before = some[:k], -np.inf
    for _ in range(max_iter):
        products = some @ centres.T
        cluster, mean = products.argmax(axis=1), products.max(axis=1).mean()
        if mean <= before:
            break
        before = mean
        centres = unit(np.array([some[cluster == c].sum(axis=0) for c in range(k)])).astype(np.float64)
    return (Z @ centres.T).argmax(axis=1)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_clusters_are_those_of_the_slow_twin(seed):
    rng = np.random.default_rng(seed)
    Z = unit(rng.exponential(1, (80, 15)) * (rng.random((80, 15)) < 0.4) + 1e-3)
    for max_iter in (1, 4):
        np.testing.assert_array_equal(
            clusters(Z, 5, max_iter=max_iter, seed=seed)[0], slow_clusters(Z, 5, max_iter, seed)
        )


def test_of_many_rows_a_sample_says_where_the_centres_are_and_all_find_theirs():
    rng = np.random.default_rng(0)
    Z = unit(rng.exponential(1, (1400, 6)))
    np.testing.assert_array_equal(clusters(Z, 2, max_iter=3)[0], slow_clusters(Z, 2, 3, 1))


def test_planted_directions_are_found():
    rng = np.random.default_rng(0)
    true = np.repeat(np.arange(3), 30)
    Z = unit(np.eye(3)[true].repeat(4, axis=1) + 0.1 * rng.random((90, 12)))
    # From some first centres k-means ends elsewhere; from the best of a few it does not.
    found, _ = max((clusters(Z, 3, seed=seed) for seed in range(1, 9)), key=lambda result: result[1])
    assert len(set(zip(true, found, strict=True))) == 3


def test_only_the_given_rows_are_divided():
    rng = np.random.default_rng(0)
    Z, rows = unit(rng.random((50, 6))), np.arange(5, 45, 2)
    alone, within = clusters(Z[rows], 4), clusters(Z, 4, rows)
    np.testing.assert_array_equal(alone[0], within[0])
    assert alone[1] == within[1]
