"""Claims about ridge regression on a node: it is exact, and its strength is that of cross-validation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from slantwood.kernels.ridge import LADDER, STRONGEST, WEAKEST, fit_ridge

pytestmark = pytest.mark.compiles

SEEDS = st.integers(0, 2**32 - 1)
STRENGTHS = st.sampled_from([0.03, 1.0, 100.0])
ENOUGH = 1000  # steps, more than any of these nodes has ranks


def fitted(block, y, weights, strength=None, max_iter=ENOUGH, tol=0.0):
    """The direction and its strength; cross-validated unless one is given."""
    w = np.empty(block.n_columns, np.float32)
    given = 0.0 if strength is None else strength
    y, weights = np.asarray(y, np.float32), np.asarray(weights, np.float32)
    return w, fit_ridge(block, y, weights, given, strength is not None, max_iter, tol, w)


def standardised(blocks_of, stored, r):
    """Both forms of the numbers, each column of weighted mean 0 and variance 1."""
    mean = np.average(stored, axis=0, weights=r)
    deviation = np.sqrt(np.average((stored - mean) ** 2, axis=0, weights=r))
    varies = deviation > 1e-3  # a block has no constant columns
    return blocks_of(stored[:, varies] / deviation[varies], mean[varies] / deviation[varies])


def node(blocks_of, seed, weighted=True, noise=1.0, least_rows=4):
    """Features in both forms, correlated and partly zero, a number that depends on them, and row weights."""
    rng = np.random.default_rng(seed)
    n, d = rng.integers(least_rows, 30), rng.integers(1, 20)
    r = (rng.uniform(0.2, 4, n) if weighted else np.ones(n)).astype(np.float32)
    stored = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.7)
    stored[:, : d // 2] += stored[:, d // 2 : d // 2 * 2]
    stored[0] = 1.0  # no column is constant
    y = stored @ rng.normal(size=d) + noise * np.sqrt(d) * rng.normal(size=n)
    return standardised(blocks_of, stored, r), y, r


def weighted_problem(X, y, r):
    """The matrix and the right side of the weighted least squares problem of the centred numbers."""
    p = r.astype(np.float64) / r.sum(dtype=np.float64)
    y = np.asarray(y, np.float32).astype(np.float64)
    return np.sqrt(p)[:, None] * (X - p @ X), np.sqrt(p) * (y - p @ y)


def exact_ridge(X, y, r, strength):
    """Normal equations."""
    A, t = weighted_problem(X, y, r)
    w = np.linalg.solve(A.T @ A + strength * np.eye(A.shape[1]), A.T @ t)
    return w / np.linalg.norm(w)


def scores(X, y, r):
    """The strengths that are tried, and their generalised cross-validation by the textbook."""
    A, t = weighted_problem(X, y, r)
    n, d = A.shape
    tried = STRONGEST * d / LADDER ** np.arange(100)
    tried = tried[tried > WEAKEST]
    found = []
    for strength in tried:
        H = A @ np.linalg.solve(A.T @ A + strength * np.eye(d), A.T)
        found.append(np.sum((t - H @ t) ** 2) / (n - 1 - np.trace(H)) ** 2)
    return tried, np.array(found)


@pytest.mark.plain_python
@given(seed=SEEDS, weighted=st.booleans(), strength=STRENGTHS)
def test_with_enough_steps_it_is_exact_ridge_regression(blocks_of, standardised_of, seed, weighted, strength):
    blocks, y, r = node(blocks_of, seed, weighted)
    for block in blocks:
        w, used = fitted(block, y, r, strength)
        assert used == strength
        # Float32 products, and eigenvalues of A^T A that are at least the strength.
        assert_allclose(w, exact_ridge(standardised_of(block), y, r, strength), atol=1e-4)


@pytest.mark.plain_python
@given(seed=SEEDS)
def test_without_strength_it_is_least_squares_of_the_least_length(blocks_of, standardised_of, seed):
    blocks, y, r = node(blocks_of, seed)
    for block in blocks:
        w, used = fitted(block, y, r, 0.0)
        assert 0 < used < 1e-9
        A, t = weighted_problem(standardised_of(block), y, r)
        exact = np.linalg.lstsq(A, t, rcond=1e-4)[0]
        singular = np.linalg.svd(A, compute_uv=False)
        kept = singular[singular > 1e-4 * singular[0]]
        if kept[-1] > 0.02 * singular[0]:  # or float32 products tell too little of the last direction
            assert_allclose(w, exact / np.linalg.norm(exact), atol=2e-3)


@pytest.mark.plain_python
@given(seed=SEEDS, weighted=st.booleans(), noise=st.sampled_from([0.1, 1.0, 10.0]))
def test_the_chosen_strength_is_the_best_by_cross_validation(
    blocks_of, standardised_of, seed, weighted, noise
):
    blocks, y, r = node(blocks_of, seed, weighted, noise)
    for block in blocks:
        tried, score = scores(standardised_of(block), y, r)
        w, used = fitted(block, y, r)
        place = np.argmin(np.abs(np.log(tried / used)))
        assert_allclose(used, tried[place], rtol=1e-9)
        assert score[place] <= score.min() * (1 + 1e-3)
        assert_allclose(w, fitted(block, y, r, used)[0], atol=1e-6)


def test_cross_validation_is_strong_for_noise_and_weak_for_what_is_linear(blocks_of):
    chosen = {"noise": [], "linear": []}
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(100, 10))
        block, _ = standardised(blocks_of, X, np.ones(100))
        for kind, y in (("noise", rng.normal(size=100)), ("linear", X @ rng.normal(size=10))):
            chosen[kind].append(fitted(block, y, np.ones(100))[1])
    assert np.median(chosen["noise"]) > 1.0
    assert np.median(chosen["linear"]) < 1e-3


@pytest.mark.sampled(1)
@pytest.mark.parametrize("shape", [(400, 150), (60, 300)], ids=["more rows", "more features"])
def test_few_steps_choose_strengths_that_serve_fresh_rows_as_well_as_the_best_one(blocks_of, shape):
    # Few steps have not seen most eigenvalues.
    n, d = shape
    shares = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        mixture = rng.normal(size=(d, d)) * 0.9 ** np.arange(d)[:, None]
        X = rng.normal(size=(n + 5000, d)) @ mixture
        X += 0.3 * X.std() * rng.normal(size=X.shape)
        y = X[:, :5].sum(axis=1) + 2 * X.std() * rng.normal(size=len(X))
        X = (X - X[:n].mean(axis=0)) / X[:n].std(axis=0)
        block, _ = blocks_of(X[:n])
        chosen = fitted(block, y[:n], np.ones(n), max_iter=20)[0]
        exact = [exact_ridge(X[:n], y[:n], np.ones(n), 10.0**power) for power in range(-4, 4)]
        reached = [np.corrcoef(X[n:] @ w, y[n:])[0, 1] for w in (chosen, *exact)]
        shares.append(reached[0] / max(reached[1:]))
    assert np.mean(shares) > 0.97


def test_few_steps_come_near_to_the_exact_solution(blocks_of, standardised_of):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 80))
    X[:, 40:] += X[:, :40]
    y = X @ rng.normal(size=80) + rng.normal(size=300)
    for block in standardised(blocks_of, X, np.ones(300)):
        exact = exact_ridge(standardised_of(block), y, np.ones(300), 0.1)
        near = [fitted(block, y, np.ones(300), 0.1, max_iter=k)[0] @ exact for k in (1, 3, 10, 30)]
        assert near == sorted(near)
        assert near[0] < 0.99
        assert near[-1] > 0.99999


@pytest.mark.plain_python
@given(seed=SEEDS, tol=st.sampled_from([0.01, 0.1, 0.5]))
def test_steps_end_where_one_lowers_the_residual_too_little(blocks_of, standardised_of, seed, tol):
    (block, _), y, r = node(blocks_of, seed, least_rows=10)
    A, t = weighted_problem(standardised_of(block), y, r)
    # Residuals of least squares in the Krylov spaces of A^T A at A^T t, one dimension more each.
    basis, direction, squares = [], A.T @ t, [t @ t]
    for _ in range(min(len(t) - 1, A.shape[1])):
        for _ in range(2):
            for v in basis:
                direction = direction - v @ direction * v
        basis.append(direction / np.linalg.norm(direction))
        space = np.array(basis).T
        residual = t - A @ space @ np.linalg.lstsq(A @ space, t, rcond=None)[0]
        squares.append(residual @ residual)
        direction = A.T @ (A @ basis[-1])
    shares = 1 - np.array(squares[1:]) / squares[:-1]
    if np.abs(shares - tol).min() < 1e-3 or min(squares) < 1e-6 * squares[0]:
        return  # too near to tell
    last = np.flatnonzero(np.append(shares, 0.0) < tol)[0] + 1
    stopped, _ = fitted(block, y, r, 0.1, tol=tol)
    assert_allclose(stopped, fitted(block, y, r, 0.1, max_iter=int(last))[0], atol=1e-6)


@pytest.mark.plain_python
@given(seed=SEEDS, strength=STRENGTHS)
def test_weighting_a_row_is_repeating_it_at_a_given_strength(blocks_of, seed, strength):
    rng = np.random.default_rng(seed)
    n, d = rng.integers(3, 20), rng.integers(1, 8)
    counts = rng.integers(1, 5, n)
    stored, y = rng.normal(size=(n, d)), rng.normal(size=n)
    again = np.repeat(np.arange(n), counts)
    weighted = standardised(blocks_of, stored, counts)
    repeated = standardised(blocks_of, stored[again], np.ones(len(again)))
    for one, other in zip(weighted, repeated, strict=True):
        w, _ = fitted(one, y, counts, strength)
        assert_allclose(w, fitted(other, y[again], np.ones(len(again)), strength)[0], atol=1e-4)


@pytest.mark.plain_python
@settings(max_examples=10)
@given(seed=SEEDS, factor=st.sampled_from([2.0**-40, 2.0**-3, 2.0**40]))
def test_a_factor_of_all_weights_changes_nothing(blocks_of, seed, factor):
    blocks, y, r = node(blocks_of, seed)
    for block in blocks:
        for strength in (None, 0.0, 1.0):
            w, used = fitted(block, y, r, strength)
            same, same_used = fitted(block, y, r * np.float32(factor), strength)
            assert used == same_used
            assert (w == same).all()


@pytest.mark.plain_python
@given(seed=SEEDS, strength=st.sampled_from([None, 0.1]))
def test_rows_without_weight_are_not_there(blocks_of, seed, strength):
    # The others are no longer of mean 0, which must not matter.
    rng = np.random.default_rng(seed)
    n, d = rng.integers(6, 30), rng.integers(1, 6)
    X, y = rng.normal(size=(n, d)) + 0.5, rng.normal(size=n)
    present = rng.permutation(np.arange(n) < max(n // 2, 3))
    X /= np.sqrt(np.mean((X[present] - X[present].mean(axis=0)) ** 2))
    for all_rows, some in zip(blocks_of(X), blocks_of(X[present]), strict=True):
        w, used = fitted(all_rows, y, present * 1.0, strength)
        other, same_used = fitted(some, y[present], np.ones(present.sum()), strength)
        assert_allclose(used, same_used, rtol=1e-9)
        assert_allclose(w, other, atol=1e-4)


@pytest.mark.plain_python
@pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
def test_what_does_not_vary_with_the_features_has_no_direction(blocks_of, form):
    X = blocks_of(np.array([[1.0], [1.0], [-1.0], [-1.0]]))[form]
    for y in ([1, -1, 1, -1], [0, 0, 0, 0], [3, 3, 3, 3]):
        for strength in (None, 0.0, 1.0):
            assert fitted(X, y, np.ones(4), strength)[1] < 0


@pytest.mark.plain_python
@pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
@pytest.mark.parametrize("strength", [None, 0.0, 1.0])
def test_copies_of_a_feature_share_its_weight(blocks_of, form, strength):
    rng = np.random.default_rng(0)
    x, y = np.round(rng.normal(size=(2, 30)), 2)
    block = standardised(blocks_of, np.column_stack([x, x, y + x, x]), np.ones(30))[form]
    w, used = fitted(block, y + 0.1 * rng.normal(size=30), np.ones(30), strength)
    assert used > 0
    assert np.isfinite(w).all()
    assert_allclose(w[[1, 3]], w[0], atol=1e-5)
    assert_allclose(np.linalg.norm(w), 1.0, rtol=1e-5)
