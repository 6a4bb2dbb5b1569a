"""Claims about the losses of boosting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from slantwood import losses
from slantwood.losses import (
    AbsoluteError,
    GammaLoss,
    HuberLoss,
    LogisticLoss,
    PoissonLoss,
    QuantileLoss,
    SoftmaxLoss,
    SquaredError,
    TweedieLoss,
)

pytestmark = pytest.mark.plain_python

ALL = [
    SquaredError(),
    AbsoluteError(),
    HuberLoss(0.7),
    HuberLoss(1.0, (0.5, 1.0, 2.0)),
    QuantileLoss(0.8),
    PoissonLoss(),
    GammaLoss(),
    TweedieLoss(1.3),
    LogisticLoss(),
    SoftmaxLoss(),
]
EACH = pytest.mark.parametrize("loss", ALL, ids=lambda loss: loss.name)
SEEDS = st.integers(0, 2**32 - 1)


def problem(loss, seed, n=6, k=3):
    """Targets that the loss is for, and scores near enough that single precision tells derivatives."""
    rng = np.random.default_rng(seed)
    F = rng.normal(size=(n, k)).astype(np.float32)
    if loss.name == "softmax":
        Y = np.eye(k)[rng.integers(0, k, n)]
    elif loss.name == "logistic":
        Y = rng.integers(0, 2, (n, k))
    elif loss.link == "log":
        Y = rng.gamma(2.0, size=(n, k)) + 0.1
    else:
        Y = rng.normal(size=(n, k))
    return Y.astype(np.float32), F


def derivatives(loss, Y, F):
    G, H = np.full_like(F, 9.0), np.full_like(F, 9.0)
    loss.derivatives(Y, F, G, H)
    return G, H


def total(loss, Y, F):
    return loss.of_rows(Y.astype(np.float64), F.astype(np.float64)).sum()


@EACH
@given(SEEDS)
def test_the_gradient_is_that_of_the_loss(loss, seed):
    Y, F = problem(loss, seed)
    G, _ = derivatives(loss, Y, F)
    scale = 2.0 if loss.name == "absolute_error" else 1.0  # leaves go by the median, whatever the size
    for i, j in np.ndindex(F.shape):
        step = np.zeros(F.shape)
        step[i, j] = 1e-6
        if loss.unit_curvature and abs(Y[i, j] - F[i, j]) < 1e-5:
            continue  # at a corner
        slope = (total(loss, Y, F + step) - total(loss, Y, F - step)) / 2e-6
        assert_allclose(scale * G[i, j], -slope, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize(
    "loss", [loss for loss in ALL if loss.leaf_quantile is None], ids=lambda loss: loss.name
)
@given(SEEDS)
def test_the_curvature_is_that_of_the_loss_or_above_it(loss, seed):
    Y, F = problem(loss, seed)
    _, H = derivatives(loss, Y, F)
    for i, j in np.ndindex(F.shape):
        step = np.zeros(F.shape)
        step[i, j] = 1e-3
        near = (total(loss, Y, F + step) + total(loss, Y, F - step) - 2.0 * total(loss, Y, F)) / 1e-6
        if loss.name == "huber":
            assert H[i, j] >= near - 1e-3
        else:
            factor = 1.5 if loss.name == "softmax" else 1.0  # of three classes, see `softmax`
            assert_allclose(H[i, j], factor * near, rtol=1e-2, atol=1e-3)


@EACH
@given(SEEDS)
def test_no_constant_is_better_than_the_start(loss, seed):
    Y, _ = problem(loss, seed, n=9)
    weights = np.random.default_rng(seed).integers(1, 4, len(Y)).astype(np.float64)
    start = loss.start(Y, weights)

    def lost(constant):
        return weights @ loss.of_rows(Y, np.broadcast_to(constant, Y.shape)).sum(axis=1)

    if loss.name == "huber":
        return  # the median, which is only near
    for step in (1e-2, -1e-2):
        for j in range(Y.shape[1]):
            other = start.copy()
            other[j] += step
            assert lost(start) <= lost(other) + 1e-5 * abs(lost(other))


@EACH
def test_targets_that_are_not_known_pull_nowhere_and_cost_nothing(loss):
    Y, F = problem(loss, 0)
    unknown = np.zeros(Y.shape, np.bool_)
    unknown[1] = True
    if loss.name != "softmax":  # of a class either all is known or nothing
        unknown[3, 2] = True
    Y[unknown] = np.nan
    G, H = derivatives(loss, Y, F)
    assert (G[unknown] == 0).all()
    assert (H[unknown] == 0).all()
    assert np.isfinite(G).all()
    assert loss.of_rows(Y, F)[1].sum() == 0
    assert np.isfinite(loss.start(Y, np.ones(len(Y)))).all()


@EACH
def test_curvatures_that_nobody_asks_for_are_not_written(loss):
    Y, F = problem(loss, 0)
    G, H = np.empty_like(F), np.empty((0, 0), np.float32)
    loss.derivatives(Y, F, G, H)
    assert_allclose(G, derivatives(loss, Y, F)[0])


@EACH
def test_extreme_scores_have_finite_derivatives(loss):
    Y, F = problem(loss, 0)
    for size in (1e4, -1e4):
        G, H = derivatives(loss, Y, np.full_like(F, size))
        assert np.isfinite(G).all()
        assert np.isfinite(H).all()


@EACH
def test_scores_of_the_start_predict_the_middle_of_the_targets(loss):
    Y, _ = problem(loss, 0, n=2000)
    weights = np.ones(len(Y))
    predicted = loss.predicted(np.broadcast_to(loss.start(Y, weights), Y.shape))[0]
    if loss.leaf_quantile is not None:
        assert_allclose((predicted[:, None] > Y.T).mean(axis=1), loss.leaf_quantile, atol=0.01)
    elif loss.name != "huber":
        assert_allclose(predicted, Y.mean(axis=0), rtol=1e-3, atol=1e-3)


@EACH
def test_a_loss_comes_back_from_json(loss):
    assert losses.from_json(loss.to_json()) == loss


def test_an_unknown_loss_names_the_known_ones():
    with pytest.raises(ValueError, match="'squared_error'"):
        losses.named("squared")
    with pytest.raises(TypeError, match="loss=3"):
        losses.named(3)
    with pytest.raises(ValueError, match="'logistic' must be one of"):
        losses.named("logistic")
    with pytest.raises(ValueError, match="is not a loss"):
        losses.from_json({"name": "os.system"})


@pytest.mark.parametrize("level", [0.0, 1.0, -1.0, np.nan])
def test_levels_of_quantiles_lie_between_0_and_1(level):
    with pytest.raises(ValueError, match="level"):
        QuantileLoss(level)


@pytest.mark.parametrize("power", [1.0, 2.0, 0.5])
def test_powers_of_tweedies_lie_between_1_and_2(power):
    with pytest.raises(ValueError, match="power"):
        TweedieLoss(power)


def test_numbers_that_a_loss_is_not_for_are_refused():
    with pytest.raises(ValueError, match=r"poisson.*non-negative.*-1"):
        PoissonLoss().check_targets(np.array([1.0, -1.0]))
    with pytest.raises(ValueError, match=r"gamma.*positive.*0"):
        GammaLoss().check_targets(np.array([0.0, np.nan, 2.0]))
    PoissonLoss().check_targets(np.array([0.0, np.nan]))
