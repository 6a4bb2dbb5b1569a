"""Claims about the OC1 split: where its climbs end, what restarts and jumps add, and its parameters."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from slantwood.splits.oc1 import OC1Split
from slantwood.splits.protocol import learn

pytestmark = pytest.mark.sampled

STREAM = 88172645463325252
FORMS = pytest.mark.parametrize(
    ("x_form", "z_form"), [(0, 0), (0, 1), (1, 0), (1, 1)], ids=["dense", "sparse Z", "sparse X", "sparse"]
)
SEEDS = pytest.mark.parametrize("seed", range(6))
ORDERS = pytest.mark.parametrize("order", ["random", "sequential", "best"])


def learned(X, Z, weights=None, seed=STREAM, **given):
    weights = np.ones(X.n_rows, np.float32) if weights is None else np.asarray(weights, np.float32)
    split = replace(OC1Split.published(), **given)
    return learn(split.compiled(), X, Z, weights, np.array([seed], np.uint64))


def twin(best_length, X, Z, r, order):
    """One climb in the order "sequential" or "best", one partition after another, in float64."""
    d = X.shape[1]
    with_offset = np.column_stack([X, np.ones(len(X))])
    w, gain, improved = np.append(np.zeros(d), -1.0), -1.0, True
    rounds = [range(d)]
    while rounds or improved:
        if not rounds:
            improved = False
            rounds = [range(d + 1)] if order == "best" else [[j] for j in range(d + 1)]
        candidates = rounds.pop(0)
        steps = [best_length(with_offset @ w, with_offset[:, j], Z, r) for j in candidates]
        best = int(np.argmax(np.round([found for _, found in steps], 6)))
        if steps[best][1] > gain + 1e-5 * max(gain, 0):
            w[candidates[best]] += steps[best][0]
            gain = steps[best][1]
            w /= np.abs(w[:d]).max()
            improved = True
    return w[:d] / w[np.abs(w[:d]).argmax()], gain  # the largest is positive


def gain_of_split(gain_of, split, X, Z, r):
    w, b, found = split
    return gain_of(X @ w + b >= 0, Z, r.astype(np.float64)) if found else -1.0


@pytest.mark.plain_python
@SEEDS
@pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
@pytest.mark.parametrize("order", ["sequential", "best"])
def test_one_climb_is_that_of_the_slow_description(
    blocks_of, standardised_of, seed, form, order, problem, gain_of, best_length
):
    X, Z, r = problem(seed, density=1.0 if form == 0 else 0.5)
    X, Z = blocks_of(X)[form], blocks_of(Z)[0]
    values, attributes = standardised_of(X), standardised_of(Z)
    split = learned(X, Z, r, order=order, n_restarts=0, n_jumps=0, stagnation=0.0)
    expected, gain = twin(best_length, values, attributes, r.astype(np.float64), order)
    assert_allclose(split[0], expected, atol=2e-4)
    assert_allclose(gain_of_split(gain_of, split, values, attributes, r), gain, rtol=1e-5)


@pytest.mark.plain_python
@SEEDS
@FORMS
@ORDERS
def test_a_climb_never_ends_below_the_best_axis_parallel_split(
    blocks_of, standardised_of, seed, x_form, z_form, order, problem, gain_of
):
    X, Z, r = problem(seed, n=30, density=0.6)
    X, Z = blocks_of(X)[x_form], blocks_of(Z)[z_form]
    split = learned(X, Z, r, order=order, n_restarts=0, n_jumps=1)
    values, attributes, weights = standardised_of(X), standardised_of(Z), r.astype(np.float64)
    axis = [
        gain_of(values[:, j] >= cut, attributes, weights)
        for j in range(values.shape[1])
        for cut in np.unique(values[:, j])[1:]
    ]
    assert gain_of_split(gain_of, split, values, attributes, r) >= max(axis) * (1 - 1e-5)


@SEEDS
@FORMS
@ORDERS
def test_restarts_never_make_the_split_worse_and_sometimes_better(
    blocks_of, standardised_of, seed, x_form, z_form, order, problem, gain_of
):
    X, Z, r = problem(seed, n=80, d=6, density=0.7)
    X, Z = blocks_of(X)[x_form], blocks_of(Z)[z_form]
    gains = [
        gain_of_split(
            gain_of,
            learned(X, Z, r, n_restarts=count, order=order),
            standardised_of(X),
            standardised_of(Z),
            r,
        )
        for count in (0, 2, 10)
    ]
    assert gains[1] >= gains[0] * (1 - 1e-5)
    assert gains[2] >= gains[1] * (1 - 1e-5)


@FORMS
@ORDERS
def test_restarts_and_jumps_find_better_splits_on_average(
    blocks_of, standardised_of, x_form, z_form, order, problem, gain_of
):
    def mean_gain(**given):
        gains = []
        for seed in range(10):
            X, Z, r = problem(seed, n=80, d=6, density=0.7)
            X, Z = blocks_of(X)[x_form], blocks_of(Z)[z_form]
            split = learned(X, Z, r, order=order, **given)
            gains.append(gain_of_split(gain_of, split, standardised_of(X), standardised_of(Z), r))
        return np.mean(gains)

    one = mean_gain(n_restarts=0, n_jumps=0)
    assert mean_gain(n_restarts=0, n_jumps=10) > one
    assert mean_gain(n_restarts=10, n_jumps=0) > one


@FORMS
@ORDERS
@pytest.mark.parametrize("seed", range(3))
def test_a_planted_boundary_is_found(blocks_of, standardised_of, seed, x_form, z_form, order):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(400, 6)) * (rng.random((400, 6)) < (1.0 if x_form == 0 else 0.7))
    side = X @ rng.normal(size=6) > 0.3
    Z = np.column_stack([side, ~side]) - np.array([side.mean(), 1 - side.mean()])
    X, Z = blocks_of(X)[x_form], blocks_of(Z)[z_form]
    w, b, found = learned(X, Z, order=order)
    assert found
    agreement = ((standardised_of(X) @ w + b >= 0) == side).mean()
    assert max(agreement, 1 - agreement) > 0.97


@pytest.mark.plain_python
@ORDERS
def test_the_stream_decides_everything_that_is_random(blocks_of, order, problem):
    X, Z, r = problem(3, n=20)
    X, Z = blocks_of(X)[0], blocks_of(Z)[0]
    one, same, other = (
        learned(X, Z, r, seed, order=order, n_restarts=2) for seed in (STREAM, STREAM, 7 * STREAM % 2**64)
    )
    assert_array_equal(one[0], same[0])
    assert one[1:] == same[1:]
    assert (one[0] != other[0]).any()


@pytest.mark.plain_python
@ORDERS
@pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
def test_rows_without_a_cut_give_no_split(blocks_of, form, order):
    X, Z = blocks_of(np.ones((5, 2)), np.ones(2))[form], blocks_of(np.arange(5.0)[:, None] - 2)[0]
    w, b, found = learned(X, Z, order=order, n_restarts=2)
    assert not found
    assert not w.any()
    assert b == 0.0
