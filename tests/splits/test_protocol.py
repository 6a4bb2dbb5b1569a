"""Claims about how the grower talks to a learner: every parameter arrives, and no end goes unnoticed."""

import sys
from typing import get_type_hints

import numpy as np
import pytest

from slantwood.split_names import SPLITS, split_class
from slantwood.splits import protocol

MADE = {float: lambda i: i + 0.5, int: lambda i: i + 2, bool: lambda i: i % 2 == 0}


def entrance_and_parameters(name):
    """The entrance of a learner, and parameters of which no two are equal but truths."""
    module = sys.modules[split_class(name).__module__]
    kind, entrance = next(
        (kind, entrance)
        for kind, entrance in protocol._entrances.items()
        if kind.__module__ == module.__name__
    )
    types = get_type_hints(kind).values()
    return module, entrance, kind(*(MADE[each](i) for i, each in enumerate(types)))


@pytest.mark.parametrize("name", SPLITS)
@pytest.mark.parametrize("turned", [False, True])
def test_every_parameter_arrives_as_what_it_was(monkeypatch, name, turned):
    module, entrance, parameters = entrance_and_parameters(name)
    if turned:  # truths, too, must be told apart
        parameters = type(parameters)(*(not p if isinstance(p, bool) else p for p in parameters))
    arrived = []

    def kernel(given, X, Z, weights, state):
        arrived.append(given)
        return np.array([1.0, 2.0], np.float32), np.float32(3.0), True

    monkeypatch.setattr(module, entrance.__name__.replace("enter", "learn"), kernel)
    w, answer = np.zeros(2, np.float32), np.zeros(protocol.ANSWER_PARTS)
    numbers = np.array([float(value) for value in parameters])
    entrance(numbers, None, None, None, None, w, answer)
    assert arrived == [parameters]
    assert w.tolist() == [1.0, 2.0]
    assert protocol.read(answer) == (3.0, True)


def test_a_learner_that_did_not_come_to_its_end_is_an_error():
    with pytest.raises(MemoryError, match="did not come to its end"):
        protocol.read(np.zeros(protocol.ANSWER_PARTS))
