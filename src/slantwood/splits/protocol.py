"""What the grower asks of a split learner, and how a learner answers.

A learner is a NamedTuple of its parameters, a kernel

    kernel(parameters, X, Z, weights, state) -> (w, b, found)

and a compiled entrance to it. X and Z are standardised blocks of one node, the hyperplane is
`x @ w + b >= 0` in X's standardised units. The weights of the clustering attributes are in the scale of Z's
columns.

The grower knows a learner by the address of its entrance only, so that it is compiled once for all learners,
and each learner once by itself. Therefore all entrances look alike from outside: parameters come as an array
of numbers, and the answer is written into arrays.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numba import cfunc, config, types

from slantwood.kernels.block import Block
from slantwood.kernels.compiling import OPTIONS, exact
from slantwood.kernels.forking import hold_across_forks

_floats = types.Array(types.float32, 1, "C")
_doubles = types.Array(types.float64, 1, "C")
_places = types.Array(types.int64, 1, "C")
_columns = types.Array(types.uint32, 1, "C")
_stream = types.Array(types.uint64, 1, "C")
_block = types.NamedTuple(
    (
        types.boolean,
        types.Array(types.float32, 2, "C"),
        _places,
        _columns,
        _floats,
        _floats,
        types.int64,
        types.int64,
        _places,
        _columns,
    ),
    Block,
)
_ENTRANCE = types.void(_doubles, _block, _block, _floats, _stream, _floats, _doubles)

# Parts of an answer: the offset, whether there is a split, and whether the entrance came to its end, which it
# does not where memory runs out.
ANSWER_PARTS = 3

_entrances: dict[type, Callable] = {}
_compiled: dict[type, Any] = {}
_plain: dict[type, Callable] = {}
_compiling = threading.Lock()
hold_across_forks(_compiling)


class Scaling(NamedTuple):
    """Powers of the standard deviation by which a node's columns are divided before learning.

    Then features have variance 1 on average where `unit_variance` is set, and targets always.
    """

    features: float
    targets: float
    unit_variance: bool


def register(parameters_type: type, entrance: Callable) -> None:
    """Name the function `entrance(numbers, X, Z, weights, state, w, answer)` of a learner."""
    _entrances[parameters_type] = entrance


def register_plain(parameters_type: type, kernel: Callable) -> None:
    """Name the kernel, of plain Python, of learners with parameters of the given type."""
    _plain[parameters_type] = kernel


@exact
def give(learned, w, answer):
    """Write what a kernel returned to where the grower looks for it."""
    weights, b, found = learned
    w[:] = weights
    answer[0] = b
    answer[1] = 1.0 if found else 0.0
    answer[2] = 1.0


@exact
def read(answer):
    """Return the offset and whether there is a split, and forget the answer."""
    b, found, ended = answer[0], answer[1], answer[2]
    answer[:] = 0.0
    if ended == 0.0:
        raise MemoryError("a split learner did not come to its end: out of memory")
    return np.float32(b), found != 0.0


@exact
def _pass_on(entrance, numbers, X, Z, weights, state, w, answer):
    entrance(numbers, X, Z, weights, state, w, answer)


def learn(parameters, X, Z, weights, state):
    """Ask the learner with these parameters for the hyperplane of one node."""
    entrance, numbers = entrance_of(parameters)
    w, answer = np.empty(X.n_columns, np.float32), np.zeros(ANSWER_PARTS)
    if is_plain(parameters):
        entrance(numbers, X, Z, weights, state, w, answer)
    else:
        _pass_on(entrance, numbers, X, Z, weights, state, w, answer)
    return w, *read(answer)


def entrance_of(parameters: Any) -> tuple[Any, np.ndarray]:
    """Return what the grower calls for a learner with these parameters, and the numbers it passes on."""
    kind = type(parameters)
    if kind in _plain:
        return partial(_enter_plain, parameters), np.empty(0)
    numbers = np.array([float(value) for value in parameters])
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return _entrances[kind], numbers
    with _compiling:
        if kind not in _compiled:
            options = {name: value for name, value in OPTIONS.items() if name != "forceinline"}
            _compiled[kind] = cfunc(_ENTRANCE, cache=True, **options)(_entrances[kind])
    return _compiled[kind], numbers


def _enter_plain(parameters, numbers, X, Z, weights, state, w, answer):
    give(_plain[type(parameters)](parameters, X, Z, weights, state), w, answer)


def is_plain(parameters: Any) -> bool:
    """Whether the learner with these parameters needs the grower's uncompiled form."""
    return type(parameters) in _plain
