"""Claims about kernels that Numba compiles alone: they give what the others give."""

from typing import NamedTuple

import numpy as np
import pytest

from slantwood.kernels.compiling import exact
from slantwood.kernels.random import normal
from slantwood.machine_code.in_memory import InMemory
from slantwood.splits import protocol


def test_results_are_the_same():
    code = InMemory(normal, '"u8:1"')
    state, other = np.array([9], np.uint64), np.array([9], np.uint64)
    assert code([], (state,)) == np.float32(normal(other))
    assert state == other


class OneFeature(NamedTuple):
    """Parameters of the smallest of learners: Numba alone takes long to compile the others."""

    feature: int
    cut: float


def learn_one_feature(parameters, X, Z, weights, state):
    w = np.zeros(X.n_columns, np.float32)
    w[parameters.feature] = weights[0]
    return w, np.float32(Z.n_rows - parameters.cut), True


@pytest.fixture
def one_feature(monkeypatch):
    """Register the learner, as long as a test lasts; return its parameters."""
    monkeypatch.setattr(protocol, "_entry_points", protocol._entry_points.copy())
    protocol.split_learner(OneFeature)(exact(learn_one_feature))
    return OneFeature(1, 0.25)


def test_a_learner_has_an_address_that_the_grower_can_call(dense, gathered, one_feature):
    X = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)
    x, _, _ = gathered(dense(X))
    z, _, _ = gathered(dense(X[:, :1] > 0), power=0.0)
    code = InMemory(protocol._entry_points[OneFeature], protocol._FORM)
    node = (x, z, np.full(40, 2.0, np.float32))
    arguments = (protocol._numbers(one_feature), *node, protocol._NO_LIMITS, np.array([3], np.uint64))
    w, result = np.zeros(3, np.float32), np.zeros(protocol.RESULT_SIZE)
    protocol.ask(code.address, *arguments, w, result)
    assert w.tolist() == [0.0, 2.0, 0.0]
    assert result.tolist() == [39.75, 1.0, 1.0]
    w_of_learn, b, found = protocol.learn(one_feature, *node, np.array([3], np.uint64))
    assert (w_of_learn.tolist(), b, found) == (w.tolist(), 39.75, True)
