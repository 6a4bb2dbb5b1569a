"""Claims about the CART-LC split: where it climbs, which features it drops, and that nothing is random."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from slantwood.splits.cart_lc import CARTLCSplit
from slantwood.splits.protocol import learn

pytestmark = pytest.mark.sampled

FORMS = pytest.mark.parametrize(
    ("x_form", "z_form"), [(0, 0), (0, 1), (1, 0), (1, 1)], ids=["dense", "sparse Z", "sparse X", "sparse"]
)
SEEDS = pytest.mark.parametrize("seed", range(6))


def learned(X, Z, weights=None, seed=5, **given):
    weights = np.ones(X.n_rows, np.float32) if weights is None else np.asarray(weights, np.float32)
    split = replace(CARTLCSplit(), **given)
    return learn(split.compiled(), X, Z, weights, np.array([seed], np.uint64))


def twin(best_length, X, Z, r, max_iter, epsilon, beta, shifts):
    """CART-LC as it is described, one partition after another, in float64."""
    d = X.shape[1]
    with_offset = np.column_stack([X, np.ones(len(X))])
    w = np.append(np.zeros(d), -1.0)
    starts = [best_length(with_offset @ w, X[:, j], Z, r) for j in range(d)]
    j = int(np.argmax([gain for _, gain in starts]))
    w[j], gain = starts[j]
    w /= abs(w[j])
    for _ in range(max_iter):
        before = gain
        for j in range(d + 1):
            best = (gain * (1 + 1e-5) + 1e-12 * r.sum(), 0.0, 0.0)
            for shift in shifts if j < d else (0.0,):
                length, found = best_length(with_offset @ w, with_offset[:, j] + shift, Z, r)
                best = max(best, (found, length, shift), key=lambda each: each[0])
            if best[1] != 0:
                w[j] += best[1]
                w[-1] += best[1] * best[2]
                gain = best[0]
                w /= np.abs(w[:d]).max()
        if gain - before <= epsilon * before:
            break
    if beta > 0 and (w[:d] != 0).sum() > 1:
        used = np.flatnonzero(w[:d])

        def without(j):
            reduced = np.where(np.arange(d + 1) == j, 0.0, w)
            length, found = best_length(with_offset @ reduced, with_offset[:, d], Z, r)
            return found, reduced + length * (np.arange(d + 1) == d)

        costs = np.array([gain - max(without(j)[0], 0.0) for j in used])
        for j in used[np.argsort(costs)]:
            found, reduced = without(j)
            if found >= 0 and gain - found < beta * costs.max():
                gain, w = found, reduced
    return w[:d] / w[np.abs(w[:d]).argmax()], gain  # the largest is positive


@pytest.mark.plain_python
@SEEDS
@pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
@pytest.mark.parametrize("beta", [0.0, 0.2])
def test_the_split_is_that_of_the_slow_description(
    blocks_of, standardised_of, seed, form, beta, problem, gain_of, best_length
):
    X, Z, r = problem(seed, density=1.0 if form == 0 else 0.5)
    X, Z = blocks_of(X)[form], blocks_of(Z)[0]
    w, b, found = learned(X, Z, r, max_iter=4, beta=beta)
    assert found
    weights, values, attributes = r.astype(np.float64), standardised_of(X), standardised_of(Z)
    shifts = (0.0, -0.25, 0.25) if form == 0 else (0.0,)
    expected, gain = twin(best_length, values, attributes, weights, 4, 0.01, beta, shifts)
    assert_allclose(w, expected, atol=2e-4)
    assert_allclose(gain_of(values @ w + b >= 0, attributes, weights), gain, rtol=1e-5)


@pytest.mark.plain_python
@SEEDS
@FORMS
def test_a_climb_never_ends_below_the_best_axis_parallel_split(
    blocks_of, standardised_of, seed, x_form, z_form, problem, gain_of
):
    X, Z, r = problem(seed, n=30, density=0.6)
    X, Z = blocks_of(X)[x_form], blocks_of(Z)[z_form]
    w, b, found = learned(X, Z, r, beta=0.0)
    assert found
    values, attributes, weights = standardised_of(X), standardised_of(Z), r.astype(np.float64)
    axis = [
        gain_of(values[:, j] >= cut, attributes, weights)
        for j in range(values.shape[1])
        for cut in np.unique(values[:, j])[1:]
    ]
    assert gain_of(values @ w + b >= 0, attributes, weights) >= max(axis) * (1 - 1e-5)


@SEEDS
@FORMS
def test_only_the_features_of_a_planted_boundary_stay(blocks_of, standardised_of, seed, x_form, z_form):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(500, 12)) * (rng.random((500, 12)) < (1.0 if x_form == 0 else 0.7))
    side = X[:, 3] - 0.8 * X[:, 7] > 0.3
    Z = np.column_stack([side, ~side]) - np.array([side.mean(), 1 - side.mean()])
    X, Z = blocks_of(X)[x_form], blocks_of(Z)[z_form]
    w, b, found = learned(X, Z)
    assert found
    assert_array_equal(np.flatnonzero(w), [3, 7])
    agreement = ((standardised_of(X) @ w + b >= 0) == side).mean()
    assert max(agreement, 1 - agreement) > 0.97


@SEEDS
def test_a_higher_price_of_features_leaves_fewer_of_them(blocks_of, seed, problem):
    X, Z, r = problem(seed, n=300, d=10)
    X, Z = blocks_of(X)[0], blocks_of(Z)[0]
    counts = [np.count_nonzero(learned(X, Z, r, beta=beta)[0]) for beta in (0.0, 0.05, 0.3, 1.0)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[-1]


@pytest.mark.plain_python
def test_there_is_nothing_random_about_it(blocks_of, problem):
    X, Z, r = problem(3)
    X, Z = blocks_of(X)[0], blocks_of(Z)[0]
    one, other = (learned(X, Z, r, seed=seed) for seed in (1, 2))
    assert_array_equal(one[0], other[0])
    assert one[1:] == other[1:]


@pytest.mark.plain_python
@pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
def test_rows_without_a_cut_give_no_split(blocks_of, form):
    X, Z = blocks_of(np.ones((5, 2)), np.ones(2))[form], blocks_of(np.arange(5.0)[:, None] - 2)[0]
    w, b, found = learned(X, Z)
    assert not found
    assert not w.any()
    assert b == 0.0
