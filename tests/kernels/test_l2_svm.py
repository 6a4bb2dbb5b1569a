"""Claims about the separators of sparse rows: they are the optimum, whatever stands beside them."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import LinearSVC

from slantwood.kernels.l2_svm import LANES, one_against_rest
from slantwood.kernels.matrix import sparse_matrix

EXACT = {"max_iter": 2000, "tol": 1e-5, "cut": 0.0}


def text(n=120, d=30, seed=0):
    """Few values in each row, scaled to length 1, and a last column of ones."""
    rng = np.random.default_rng(seed)
    values = (rng.random((n, d)) < 0.2) * rng.exponential(1, (n, d))
    values /= np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-12)
    return np.column_stack([values, np.ones(n)]).astype(np.float32)


def planted(X, n_sets, seed=1):
    rng = np.random.default_rng(seed)
    return (X[:, :-1] @ rng.normal(size=(X.shape[1] - 1, n_sets)) > 0.5).T


def separators(
    X, sets, costs=None, rows=None, max_iter=20, tol=0.1, cut=0.1, seed=1, stopped=0, factors=None
):
    """Weights of one separator for each set, given as masks of rows: shape (n_sets, n_columns)."""
    rows = np.arange(len(X)) if rows is None else rows
    costs = np.ones(len(rows)) if costs is None else costs
    members = [np.flatnonzero(mask) for mask in sets]
    starts = np.cumsum([0, *map(len, members)])
    assert (X[:, -1] == 1).all()
    factors = np.ones(len(X), np.float32) if factors is None else factors
    found = one_against_rest(
        sparse_matrix(sp.csr_array(X[:, :-1])),
        factors,
        rows.astype(np.uint32),
        np.asarray(costs, np.float32),
        starts.astype(np.int64),
        np.concatenate(members).astype(np.uint32),
        max_iter,
        tol,
        cut,
        np.uint64(seed),
        np.array([stopped], np.uint8),
    )
    shape = (len(sets), X.shape[1])
    return sp.csr_array((found.weights, found.features.astype(np.int32), found.starts), shape).toarray()


def liblinear(X, side, costs):
    model = LinearSVC(dual=True, fit_intercept=False, tol=1e-7, max_iter=100_000, random_state=0)
    return model.fit(X, side, sample_weight=costs).coef_[0]


def slow_descent(X, side, costs, order, n_passes):
    """The same descent for one separator, without shrinking, in a given order of rows."""
    w, a, c = np.zeros(X.shape[1]), np.zeros(len(X)), np.where(side, 1.0, -1.0)
    for _ in range(n_passes):
        for i in order:
            slope = c[i] * (X[i] @ w) - 1 + a[i] / (2 * costs[i])
            after = max(a[i] - slope / (X[i] @ X[i] + 1 / (2 * costs[i])), 0.0)
            w += (after - a[i]) * c[i] * X[i]
            a[i] = after
    return w


@pytest.mark.parametrize("weighted", [False, True])
def test_a_separator_is_that_of_liblinear(weighted):
    X = text()
    (side,) = planted(X, 1)
    costs = np.random.default_rng(0).uniform(0.2, 5, len(X)) if weighted else np.ones(len(X))
    np.testing.assert_allclose(separators(X, [side], costs, **EXACT)[0], liblinear(X, side, costs), atol=1e-3)


def test_a_separator_is_where_a_slow_descent_ends():
    X = text(n=40, d=8)
    (side,) = planted(X, 1)
    slow = slow_descent(X, side, np.ones(len(X)), range(len(X)), 3000)
    np.testing.assert_allclose(separators(X, [side], **EXACT)[0], slow, atol=1e-3)


@pytest.mark.plain_python
def test_one_pass_over_a_single_row_is_the_step_of_the_slow_descent():
    X = text(n=1, d=8)
    slow = slow_descent(X, [True], [2.0], [0], 1)
    found = separators(X, [np.array([True])], [2.0], max_iter=1, tol=1e-9, cut=0.0)
    np.testing.assert_allclose(found[0], slow, rtol=1e-5)


def test_rows_are_scaled_as_they_are_read():
    X = text(n=60, d=12)
    sets = planted(X, 3)
    factors = np.random.default_rng(2).uniform(0.3, 3, len(X)).astype(np.float32)
    raw = X.copy()
    raw[:, :-1] /= factors[:, None]
    scaled = separators(raw, sets, factors=factors, **EXACT)
    np.testing.assert_allclose(scaled, separators(X, sets, **EXACT), atol=1e-3)


@pytest.mark.parametrize("n_sets", [2, LANES, LANES + 1, 2 * LANES + 3])
def test_sets_side_by_side_are_separated_as_each_alone(n_sets):
    X = text(n=60, d=12)
    sets = planted(X, n_sets)
    together = separators(X, sets, **EXACT)
    for s in {0, n_sets // 2, n_sets - 1}:
        np.testing.assert_allclose(together[s], separators(X, [sets[s]], **EXACT)[0], atol=1e-3)


def test_a_row_of_weight_two_is_two_rows():
    X = text(n=60, d=12)
    (side,) = planted(X, 1)
    weights = np.random.default_rng(3).integers(1, 4, len(X))
    again = np.repeat(np.arange(len(X)), weights)
    repeated = separators(X[again], [side[again]], **EXACT)
    np.testing.assert_allclose(separators(X, [side], weights, **EXACT), repeated, atol=1e-3)


def test_only_the_rows_of_the_node_count():
    X = text()
    rows = np.arange(0, len(X), 3)
    (side,) = planted(X, 1)
    alone = separators(X[rows], [side[rows]], **EXACT)
    np.testing.assert_allclose(separators(X, [side[rows]], rows=rows, **EXACT), alone, atol=1e-6)


def test_small_weights_are_left_out_and_the_offset_never():
    X = text()
    (side,) = planted(X, 1)
    full, cut = separators(X, [side], cut=0.0)[0], separators(X, [side], cut=0.9)[0]
    expected = np.where(np.abs(full) > 0.9, full, 0.0)
    expected[-1] = full[-1]
    assert 0 < abs(full[-1]) < 0.9 < abs(full).max()
    np.testing.assert_array_equal(cut, expected)


def test_a_loose_tolerance_is_nearly_the_optimum():
    X = text(n=300, d=40)
    (side,) = planted(X, 1)

    def objective(w):
        return w @ w / 2 + (np.maximum(0, 1 - np.where(side, 1, -1) * (X @ w)) ** 2).sum()

    loose, best = (objective(separators(X, [side], cut=0.0, tol=t, max_iter=500)[0]) for t in (0.1, 1e-5))
    assert best <= loose < 1.01 * best


def test_once_it_is_asked_to_stop_nothing_is_learned_any_more():
    X = np.column_stack([np.eye(6, dtype=np.float32), np.ones(6, np.float32)])
    masks = np.eye(6, dtype=bool)[:2]
    assert separators(X, masks).any()
    assert not separators(X, masks, stopped=1).any()
