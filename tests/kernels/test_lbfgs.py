"""Claims about the directions of L-BFGS: those of the BFGS formula over the last pairs, and no others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from slantwood.kernels.lbfgs import descend, make_history, remember

SEEDS = st.integers(0, 2**32 - 1)

pytestmark = pytest.mark.plain_python


def pairs_of_a_bowl(seed, d, count):
    """Moves and changes of the gradient over a function whose second derivatives are positive definite."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(d, d))
    A = A @ A.T / d + 0.5 * np.eye(d)
    moves = rng.normal(size=(count, d)).astype(np.float32)
    return moves, (moves @ A).astype(np.float32)


def remembered(n_pairs, moves, changes):
    history = make_history(n_pairs, moves.shape[1])
    for move, change in zip(moves, changes, strict=True):
        remember(history, move, change)
    return history


def direction(history, gradient):
    out = np.full(len(gradient), np.nan, np.float32)
    descend(history, np.asarray(gradient, np.float32), out)
    return out


def bfgs_inverse(moves, changes):
    """The matrix H, one pair after another: (I - s y'/s.y) H (I - y s'/s.y) + s s'/s.y."""
    moves, changes = moves.astype(np.float64), changes.astype(np.float64)
    identity = np.eye(moves.shape[1])
    H = identity * (moves[-1] @ changes[-1]) / (changes[-1] @ changes[-1])
    for s, y in zip(moves, changes, strict=True):
        left = identity - np.outer(s, y) / (s @ y)
        H = left @ H @ left.T + np.outer(s, s) / (s @ y)
    return H


@given(SEEDS, st.integers(1, 6), st.integers(1, 9), st.integers(1, 5))
def test_the_direction_is_that_of_the_formula_over_the_last_pairs(seed, d, count, n_pairs):
    moves, changes = pairs_of_a_bowl(seed, d, count)
    gradient = np.random.default_rng(seed + 1).normal(size=d).astype(np.float32)
    kept = slice(max(count - n_pairs, 0), None)
    H = bfgs_inverse(moves[kept], changes[kept])
    result = direction(remembered(n_pairs, moves, changes), gradient)
    # Each of the passes rounds to float32 what may be larger than the result.
    assert_allclose(result, -H @ gradient, rtol=1e-3, atol=1e-4 * np.linalg.norm(H, 2))


def test_without_pairs_it_is_the_steepest_descent():
    gradient = np.array([1.0, -2.0, 0.0], np.float32)
    assert_array_equal(direction(make_history(4, 3), gradient), -gradient)


@given(SEEDS, st.integers(1, 6), st.integers(1, 9))
def test_the_last_change_leads_back_along_the_last_move(seed, d, count):
    moves, changes = pairs_of_a_bowl(seed, d, count)
    result = direction(remembered(4, moves, changes), changes[-1])
    assert_allclose(result, -moves[-1], rtol=1e-3, atol=1e-3 * np.abs(moves).max())


@pytest.mark.parametrize("change", [[-1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [1e-9, 1.0]])
def test_a_move_along_which_the_slope_did_not_rise_is_forgotten(change):
    history = make_history(3, 2)
    remember(history, np.array([1.0, 0.0], np.float32), np.array(change, np.float32))
    assert history.seen[0] == 0
    assert_array_equal(direction(history, [3.0, 4.0]), [-3.0, -4.0])


@given(SEEDS, st.integers(2, 6))
def test_a_bowl_is_gone_down_to_its_bottom_in_as_many_steps_as_it_has_dimensions(seed, d):
    # With the best length of each step, as is known of BFGS on quadratic functions.
    rng = np.random.default_rng(seed)
    scales = rng.uniform(0.5, 2.0, d)
    x = rng.normal(size=d)
    history = make_history(10, d)
    first = np.linalg.norm(scales * x)
    for _ in range(d):
        gradient = scales * x
        along = direction(history, gradient).astype(np.float64)
        move = -(gradient @ along) / (along @ (scales * along)) * along if along.any() else 0 * x
        remember(history, move.astype(np.float32), (scales * move).astype(np.float32))
        x = x + move
    assert np.linalg.norm(scales * x) <= 1e-3 * first
