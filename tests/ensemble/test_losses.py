"""Losses row by row: those of scikit-learn and of plain loops."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.metrics import balanced_accuracy_score, label_ranking_average_precision_score, zero_one_loss

from slantwood import ObliqueForestClassifier, ObliqueForestRegressor
from slantwood.ensemble.losses import RowLosses

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
ONES = np.ones(40)


def targets_of(y):
    forest = ObliqueForestRegressor if np.asarray(y).dtype == float else ObliqueForestClassifier
    return forest(1, random_state=0).fit(X, y).targets_


def losses_of(y, Y, weights=ONES, target_weights=()):
    return RowLosses(targets_of(y), Y, weights, np.asarray(target_weights, float))


def test_numbers_have_squared_errors_with_the_weights_of_the_targets():
    Y, means = RNG.normal(size=(2, 40, 2)).astype(np.float32)
    found = losses_of(Y.astype(float), Y, target_weights=[1, 3]).squared(Y, means)
    assert_allclose(found, (Y - means) ** 2 @ [1, 3], rtol=1e-5)


def test_a_number_that_is_not_known_has_no_loss():
    Y, means = RNG.normal(size=(2, 40, 2)).astype(np.float32)
    full = losses_of(Y.astype(float), Y)
    Y[::2, 0] = np.nan
    expected = np.where(np.isnan(Y), 0, (Y - means) ** 2).sum(axis=1)
    assert_allclose(full.squared(Y, means), expected, rtol=1e-5)


def test_numbers_have_no_other_loss():
    Y = RNG.normal(size=(40, 2)).astype(np.float32)
    assert losses_of(Y.astype(float), Y).own(Y, Y).shape == (40, 0)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_classes_have_errors_and_errors_in_which_each_class_counts_alike(n_classes):
    y = RNG.choice(n_classes, size=40, p=np.arange(1, n_classes + 1) / np.arange(1, n_classes + 1).sum())
    y[:n_classes] = np.arange(n_classes)
    P = RNG.dirichlet(np.ones(n_classes), size=40).astype(np.float32)
    Y = np.eye(n_classes, dtype=np.float32)[y]
    Y, means = (Y[:, 1:], P[:, 1:]) if n_classes == 2 else (Y, P)
    losses = losses_of(y, Y)
    errors, balanced = losses.own(Y, means).mean(axis=0)
    assert errors == pytest.approx(zero_one_loss(y, P.argmax(axis=1)))
    assert balanced == pytest.approx(1 - balanced_accuracy_score(y, P.argmax(axis=1)))
    assert_allclose(losses.squared(Y, means), ((Y - means) ** 2).sum(axis=1), rtol=1e-5)


@pytest.mark.parametrize("as_sparse", [False, True])
def test_labels_have_what_their_ranking_lacks(as_sparse):
    Y = (RNG.random((40, 6)) < 0.4).astype(np.float32)
    means = RNG.random((40, 6)).astype(np.float32)
    form = sp.csr_array if as_sparse else np.asarray
    losses = losses_of(Y.astype(int), form(Y))
    own = losses.own(form(Y), form(means))
    assert own.shape == (40, 1)
    assert 1 - own.mean() == pytest.approx(label_ranking_average_precision_score(Y, means))
    assert_allclose(losses.squared(form(Y), form(means)), ((Y - means) ** 2).sum(axis=1), rtol=1e-5)


def test_several_targets_count_alike_whatever_the_number_of_their_classes():
    a, b = RNG.integers(0, 2, 40), RNG.integers(0, 5, 40)
    targets = targets_of(np.column_stack([a, b]))
    Y = np.column_stack([a, np.eye(5)[b]]).astype(np.float32)
    assert targets.n_columns == Y.shape[1]
    constant = np.broadcast_to(Y.mean(axis=0), Y.shape)
    first, second = constant.copy(), constant.copy()
    first[:, 0] = Y[:, 0]
    second[:, 1:] = Y[:, 1:]
    losses = RowLosses(targets, Y, ONES, np.empty(0))
    # Knowing either target, and of the other its mean, is worth the same.
    assert losses.squared(Y, first).mean() == pytest.approx(losses.squared(Y, second).mean(), rel=1e-4)
    assert losses.own(Y, Y).shape == (40, 4)
    assert not losses.own(Y, Y).any()
