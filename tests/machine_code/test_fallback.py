"""Claims about kernels that Numba compiles alone: they give what the others give."""

import numpy as np

from slantwood.kernels.random import normal
from slantwood.machine_code.fallback import PlainCode
from slantwood.machine_code.words import parse
from slantwood.splits import protocol
from slantwood.splits.axis_parallel import AxisParallelSplit


def test_results_are_the_same():
    code = PlainCode(normal, parse("(u8:1)").parts)
    state, other = np.array([9], np.uint64), np.array([9], np.uint64)
    assert code([], (state,)) == np.float32(normal(other))
    assert state == other


def test_a_learner_has_an_address_that_the_grower_can_call(dense, gathered):
    X = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)
    x, _, _ = gathered(dense(X))
    z, _, _ = gathered(dense(X[:, :1] > 0), power=0.0)
    parameters = AxisParallelSplit().compiled()
    entry_point = protocol._entry_points[type(parameters)]
    code = PlainCode(entry_point, parse(f"({protocol._FORM})").parts)
    node = (x, z, np.ones(40, np.float32))
    arguments = (protocol._numbers(parameters), *node, protocol._NO_LIMITS, np.array([3], np.uint64))
    w, result = np.zeros(3, np.float32), np.zeros(protocol.RESULT_SIZE)
    protocol.ask(code.address, *arguments, w, result)
    assert result[2] == 1.0
    assert w.tolist() == protocol.learn(parameters, *node, np.array([3], np.uint64))[0].tolist()
