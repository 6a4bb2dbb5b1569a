"""Claims about how the grower talks to a learner: every parameter arrives, and no end goes unnoticed."""

from dataclasses import fields, replace
from typing import get_type_hints

import numpy as np
import pytest

from slantwood.kernels.leaf_limits import LeafLimits
from slantwood.split_names import SPLITS, split_class
from slantwood.splits import protocol

# Values for what learners leave to be chosen from the data.
CHOSEN = {
    "C": 3.0,
    "learning_rate": 0.1,
    "max_iter": 10,
    "start": "informed",
    "threshold": "learned",
    "feature_power": 1.0,
    "target_power": 1.0,
    "batch_size": None,
    "min_support": 1,
    "min_part": 0.0,
    "competitor": None,
    "class_weight": None,
    "target_iter": 5,
    "n_restarts": 1,
    "order": "random",
}
MADE = {float: lambda i: i + 0.5, int: lambda i: i + 2, bool: lambda i: i % 2 == 0}


def made_parameters(name):
    """Parameters of a learner of which no two are equal but truths."""
    module = split_class(name).__module__
    kind = next(kind for kind in protocol._entry_points if kind.__module__ == module)
    return kind(*(MADE[each](i) for i, each in enumerate(get_type_hints(kind).values())))


@pytest.mark.parametrize("name", SPLITS)
@pytest.mark.parametrize("turned", [False, True])
def test_every_parameter_arrives_as_what_it_was(monkeypatch, name, turned):
    parameters = made_parameters(name)
    if turned:  # truths, too, must be told apart
        parameters = type(parameters)(*(not p if isinstance(p, bool) else p for p in parameters))
    arrived = []

    def kernel(given, X, Z, weights, state):
        arrived.append(given)
        return np.array([1.0, 2.0], np.float32), np.float32(3.0), True

    monkeypatch.setattr(protocol, "write_result", protocol._write_result)
    monkeypatch.setattr(protocol, "exact", lambda function: function)
    monkeypatch.setattr(protocol, "_entry_points", {})
    protocol.split_learner(type(parameters))(kernel)
    w, result = np.zeros(2, np.float32), np.zeros(protocol.RESULT_SIZE)
    numbers = np.array([float(value) for value in parameters])
    kernel.entry_point(numbers, None, None, None, None, None, w, result)
    assert arrived == [parameters]
    assert w.tolist() == [1.0, 2.0]
    assert protocol.read_result(result) == (3.0, True)


@pytest.mark.plain_python
@pytest.mark.parametrize("name", SPLITS)
def test_learn_runs_the_learner_of_the_parameters_type(dense, gathered, name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4))
    y = X[:, :3].argmax(axis=1)
    x_block, _, _ = gathered(dense(X))
    z_block, _, _ = gathered(dense(y[:, None] == np.arange(3)), power=0.0)
    kind = split_class(name)
    chosen = {field.name: CHOSEN[field.name] for field in fields(kind) if field.default == "auto"}
    parameters = replace(kind(), **chosen).compiled()
    arguments = x_block, z_block, np.ones(30, np.float32)
    w, b, found = protocol.learn(parameters, *arguments, np.array([5], np.uint64))
    assert found
    # The grower calls the same by its address.
    learner = protocol.LearnerAddress(parameters)
    other, result = np.zeros(4, np.float32), np.zeros(protocol.RESULT_SIZE)
    free = LeafLimits(False, 0.0, 0.0, np.empty(0, np.int32), 0.0)
    state = np.array([5], np.uint64)
    protocol.ask(learner.address, learner.numbers, *arguments, free, state, other, result)
    assert np.array_equal(w, other)
    assert protocol.read_result(result) == (b, True)


def test_a_learner_that_did_not_come_to_its_end_is_an_error():
    with pytest.raises(MemoryError, match="did not come to its end"):
        protocol.read_result(np.zeros(protocol.RESULT_SIZE))


@pytest.mark.parametrize("name", SPLITS)
def test_compiled_code_unpacks_parameters_as_plain_python_does(name):
    parameters = made_parameters(name)
    kind = type(parameters)
    numbers = np.array([float(value) for value in parameters])
    unpacked = protocol.unpacker(kind)(numbers)
    assert unpacked == parameters
    assert list(map(type, unpacked)) == list(map(type, parameters))
