"""Claims about the L1-regularised logistic regression: its objective, its optimum, its zeros."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression

from slantwood.kernels.l1_logistic import fit_l1_logistic

pytestmark = pytest.mark.compiles

SEEDS = st.integers(0, 2**32 - 1)
BOTH = pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])


def fitted(block, side, weights=None, costs=(1.0, 1.0), max_iter=200, tol=1e-4, seed=88172645463325252):
    """Weights and offset in float64; costs are those of the left and of the right side."""
    weights = np.ones(block.n_rows, np.float32) if weights is None else np.asarray(weights, np.float32)
    w = np.full(block.n_columns, np.nan, np.float32)
    left, right = map(float, costs)
    state = np.array([seed], np.uint64)
    b = fit_l1_logistic(block, np.asarray(side, np.bool_), weights, left, right, max_iter, tol, state, w)
    return w.astype(np.float64), float(b)


# ---- the slow twin


def objective(X, side, cost, w, b):
    """Sum |w_j| + sum C_i log(1 + exp(-c_i (x_i.w + b))); the offset is free."""
    return np.abs(w).sum() + (cost * np.logaddexp(0, -np.where(side, 1.0, -1.0) * (X @ w + b))).sum()


def errors(X, side, w, b):
    """Probability of the wrong side."""
    return 1 / (1 + np.exp(np.clip(np.where(side, 1.0, -1.0) * (X @ w + b), -500, 500)))


def best_offset(X, side, cost, w):
    """Where the slope over the offset is zero; it never falls, so halving an interval finds it."""
    low, high = -(np.abs(X @ w).max() + 50), np.abs(X @ w).max() + 50
    c = np.where(side, 1.0, -1.0)
    for _ in range(200):
        middle = (low + high) / 2
        slope = -(c * cost * errors(X, side, w, middle)).sum()
        low, high = (low, middle) if slope > 0 else (middle, high)
    return (low + high) / 2


def entropy(t):
    t = np.clip(t, 1e-300, 1 - 1e-16)
    return -(t * np.log(t) + (1 - t) * np.log1p(-t))


def lower_bound(X, side, cost, w):
    """A number that no weights and offset can go below, which at the optimum is the objective.

    The dual problem is to maximise sum C_i H(a_i / C_i), H the entropy, over 0 <= a_i <= C_i with
    |sum a_i c_i x_ij| <= 1 for all j and sum a_i c_i = 0. The errors at the best offset give such a_i, scaled
    down to be allowed.
    """
    c = np.where(side, 1.0, -1.0)
    share = errors(X, side, w, best_offset(X, side, cost, w))
    factor = min(1.0, 1 / np.abs((share * cost * c) @ X).max())
    return (cost * entropy(factor * share)).sum()


def made(blocks_of, seed, weighted):
    """Features of a small node in both forms, sides that they tell in part, row weights and costs."""
    rng = np.random.default_rng(seed)
    n, d = rng.integers(6, 40), rng.integers(1, 8)
    r = (rng.uniform(0.2, 4, n) if weighted else np.ones(n)).astype(np.float32)
    while True:
        stored = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)
        side = stored @ rng.normal(size=d) + rng.normal(size=n) > 0
        if (np.ptp(stored, axis=0) > 0).all() and 0 < side.sum() < n:
            break
    mean, deviation = np.average(stored, axis=0, weights=r), stored.std(axis=0)
    costs = tuple(10 ** rng.uniform(-1, 1, 2)) if weighted else (1.0, 1.0)
    return blocks_of(stored / deviation, mean / deviation), side, r, costs


def cost_of(side, r, costs):
    return np.asarray(r, np.float64) * np.where(side, costs[1], costs[0])


# ---- the optimum


@pytest.mark.plain_python
@given(SEEDS, st.booleans(), st.booleans())
@example(0, True, True)
def test_nothing_lies_more_than_a_thousandth_below(blocks_of, standardised_of, seed, weighted, is_sparse):
    blocks, side, r, costs = made(blocks_of, seed, weighted)
    block = blocks[is_sparse]
    w, b = fitted(block, side, r, costs, tol=1e-5)
    X, cost = standardised_of(block), cost_of(side, r, costs)
    value = objective(X, side, cost, w, b)
    assert value <= 1.001 * lower_bound(X, side, cost, w) + 1e-6


@BOTH
@pytest.mark.parametrize("C", [0.01, 0.1])
def test_the_objective_is_that_of_scikit_learn_within_a_thousandth(blocks_of, form, C):
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    # What makes it L1 has another name from scikit-learn 1.8 on.
    l1 = {"penalty": "l1"} if LogisticRegression().l1_ratio is None else {"l1_ratio": 1.0}
    theirs = LogisticRegression(**l1, C=C, solver="saga", tol=1e-6, max_iter=20_000).fit(X, y)
    w, b = fitted(blocks_of(X)[form], y == 1, costs=(C, C), tol=1e-3)
    cost = np.full(len(y), C)
    ours = objective(X, y == 1, cost, w, b)
    assert ours <= 1.001 * objective(X, y == 1, cost, theirs.coef_[0], theirs.intercept_[0])


def text(n=800, d=600):
    """Counts of words, few of them frequent; a tenth of the words tell the side."""
    rng = np.random.default_rng(0)
    X = (rng.random((n, d)) < 3 / (np.arange(d) + 5.0)) * rng.exponential(1, (n, d))
    side = X @ (rng.normal(size=d) * (rng.random(d) < 0.1)) + 2 * rng.normal(size=n) > 0
    return X[:, X.std(axis=0) > 0], side


@pytest.mark.parametrize("C", [0.3, 3.0])
def test_ten_steps_are_enough_for_words(blocks_of, C):
    X, side = text()
    w, b = fitted(blocks_of(X)[1], side, costs=(C, C), max_iter=10, tol=0.01)
    cost = np.full(len(side), C)
    best = objective(X, side, cost, *fitted(blocks_of(X)[1], side, costs=(C, C), max_iter=1000, tol=1e-7))
    assert objective(X, side, cost, w, b) <= 1.005 * best
    assert 0 < (w != 0).sum() < X.shape[1]


@pytest.mark.plain_python
@BOTH
def test_every_step_lowers_the_objective(blocks_of, standardised_of, form):
    for seed in range(10):
        blocks, side, r, costs = made(blocks_of, seed, weighted=True)
        X, cost = standardised_of(blocks[form]), cost_of(side, r, costs)
        values = [
            objective(X, side, cost, *fitted(blocks[form], side, r, costs, max_iter=steps, tol=0.0))
            for steps in range(12)
        ]
        assert (np.diff(values) <= 1e-5 * values[0]).all()
        assert values[1] < values[0] or np.isclose(values[0], values[-1])


# ---- invariances


@pytest.mark.plain_python
@pytest.mark.parametrize("seed", range(5))
def test_dense_and_sparse_blocks_agree(blocks_of, standardised_of, seed):
    blocks, side, r, costs = made(blocks_of, seed, weighted=True)
    (w, b), (sparse_w, sparse_b) = (fitted(block, side, r, costs, tol=1e-6) for block in blocks)
    X = standardised_of(blocks[0])
    assert_allclose(X @ w + b, X @ sparse_w + sparse_b, atol=2e-2)


@pytest.mark.plain_python
@BOTH
def test_a_row_of_weight_two_is_two_rows_and_one_of_weight_zero_none(blocks_of, form):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 4))
    side = X[:, 0] + 0.5 * rng.normal(size=30) > 0
    counts = np.arange(30) % 3
    repeated = np.repeat(np.arange(30), counts)
    w, b = fitted(blocks_of(X)[form], side, counts, tol=1e-6)
    other_w, other_b = fitted(blocks_of(X[repeated])[form], side[repeated], tol=1e-6)
    assert_allclose(w, other_w, atol=1e-3)
    assert_allclose(b, other_b, atol=1e-3)


@pytest.mark.plain_python
@BOTH
def test_means_of_a_block_are_in_the_offset(blocks_of, form):
    rng = np.random.default_rng(4)
    X, mean = rng.normal(size=(40, 3)), np.array([1.0, -2.0, 0.5])
    side = X[:, 1] + 0.3 * rng.normal(size=40) > 0
    w, b = fitted(blocks_of(X)[form], side, tol=1e-6)
    moved_w, moved_b = fitted(blocks_of(X, mean)[form], side, tol=1e-6)
    assert_allclose(moved_w, w, atol=2e-3)
    assert_allclose(moved_b, b + mean @ w, atol=1e-2)


@pytest.mark.plain_python
@BOTH
def test_without_features_that_help_the_offset_tells_the_sides(blocks_of, form):
    X = blocks_of(np.array([[1.0], [-1.0], [1.0], [-1.0], [1.0], [-1.0]]))[form]
    w, b = fitted(X, [True, True, True, True, False, False], costs=(1.0, 2.0))
    assert_array_equal(w, [0.0])
    assert_allclose(b, np.log(4.0))


@pytest.mark.plain_python
@given(SEEDS, st.sampled_from([1e-12, 1e-6, 1.0, 1e6, 1e12]), st.booleans())
def test_the_objective_never_rises_whatever_the_weights(blocks_of, seed, factor, is_sparse):
    rng = np.random.default_rng(seed)
    n = rng.integers(2, 8)
    side = rng.permutation(np.arange(n) < rng.integers(1, n))
    X = rng.normal(size=(n, 3)) * 10.0 ** rng.integers(-6, 7, 3)
    r = (factor * 10 ** rng.uniform(-3, 3, n)).astype(np.float32)
    w, b = fitted(blocks_of(X)[is_sparse], side, r, costs=(1.0, 5.0))
    cost = r * np.where(side, 5.0, 1.0)
    at_zero = objective(X, side, cost, np.zeros(3), 0.0)
    assert objective(X, side, cost, w, b) <= (1 + 1e-6) * at_zero


def test_separable_rows_are_separated_at_any_cost(blocks_of):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 5))
    side = X @ [1.0, -1.0, 0.0, 0.0, 0.5] > 0
    w, b = fitted(blocks_of(X)[0], side, costs=(1e6, 1e6), max_iter=100)
    assert_array_equal(X @ w + b >= 0, side)


@pytest.mark.plain_python
def test_the_same_stream_gives_the_same_solution(blocks_of):
    X, side = text(60, 40)
    block = blocks_of(sp.csr_array(X).toarray())[1]
    one, same = (fitted(block, side, max_iter=3) for _ in range(2))
    assert_array_equal(one[0], same[0])
    assert one[1] == same[1]
