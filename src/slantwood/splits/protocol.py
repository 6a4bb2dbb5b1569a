"""What the grower asks of a split learner, and how a learner returns its result.

A learner is a NamedTuple of its parameters, a kernel

    kernel(parameters, X, Z, weights, state) -> (w, b, found)

and an entry point that calls it. X and Z are standardised blocks of one node, the hyperplane is
`x @ w + b >= 0` in X's standardised units. The weights of the clustering attributes are in the scale of Z's
columns.

The grower knows a learner by the address of its entry point only, so that it is compiled once for all
learners, and each learner once by itself. Therefore all entry points have the same signature: parameters come
as an array of numbers, and the result is written into arrays.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, get_type_hints

import numpy as np
from numba import cfunc, config, types
from numba.extending import overload

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
_SIGNATURE = types.void(_doubles, _block, _block, _floats, _stream, _floats, _doubles)

# Numbers of a result, beside the weights: the offset, whether there is a split, and whether the entry point
# came to its end, which it does not where memory runs out.
RESULT_SIZE = 3

_entry_points: dict[type, Callable[..., Any]] = {}
_compiled: dict[type, Any] = {}
_plain: dict[type, Callable[..., Any]] = {}
_compiling = threading.Lock()
hold_across_forks(_compiling)


class Scaling(NamedTuple):
    """Powers of the standard deviation by which a node's columns are divided before learning.

    Then features have variance 1 on average where `unit_variance` is set, and targets always.
    """

    features: float
    targets: float
    unit_variance: bool


def entry_point(parameters_type: type) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register `entry_point(numbers, X, Z, weights, state, w, result)` for parameters of the given type."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        _entry_points[parameters_type] = function
        return function

    return register


def register_plain(parameters_type: type, kernel: Callable[..., Any]) -> None:
    """Register the kernel, of plain Python, of learners with parameters of the given type."""
    _plain[parameters_type] = kernel


def unpack(parameters_type, numbers):
    """Return parameters of the given type from an array that has a number for each field."""
    converters = get_type_hints(parameters_type).values()
    return parameters_type(*(convert(x) for convert, x in zip(converters, numbers, strict=True)))


@overload(unpack)
def _compile_unpack(parameters_type, numbers):
    # Written out field by field, because compiled code has no loop over values of several types.
    converters = get_type_hints(parameters_type.instance_class).values()
    values = ", ".join(f"{convert.__name__}(numbers[{i}])" for i, convert in enumerate(converters))
    names: dict[str, Any] = {}
    exec(f"def unpack(parameters_type, numbers): return parameters_type({values})", names)
    return names["unpack"]


@exact
def write_result(learned, w, result):
    """Write what a kernel returned to where the grower looks for it."""
    weights, b, found = learned
    w[:] = weights
    result[0] = b
    result[1] = 1.0 if found else 0.0
    result[2] = 1.0


@exact
def read_result(result):
    """Return the offset and whether there is a split, and clear the result."""
    b, found, ended = result[0], result[1], result[2]
    result[:] = 0.0
    if ended == 0.0:
        raise MemoryError("a split learner did not come to its end: out of memory")
    return np.float32(b), found != 0.0


@exact
def _call(learner, numbers, X, Z, weights, state, w, result):
    learner(numbers, X, Z, weights, state, w, result)


def learn(parameters, X, Z, weights, state):
    """Ask the learner with these parameters for the hyperplane of one node."""
    learner, numbers = entry_point_of(parameters)
    w, result = np.empty(X.n_columns, np.float32), np.zeros(RESULT_SIZE)
    if is_plain(parameters):
        learner(numbers, X, Z, weights, state, w, result)
    else:
        _call(learner, numbers, X, Z, weights, state, w, result)
    return w, *read_result(result)


def entry_point_of(parameters: Any) -> tuple[Any, np.ndarray]:
    """Return what the grower calls for a learner with these parameters, and the numbers it passes on."""
    kind = type(parameters)
    if kind in _plain:
        return partial(_run_plain, parameters), np.empty(0)
    numbers = np.array([float(value) for value in parameters])
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return _entry_points[kind], numbers
    with _compiling:
        if kind not in _compiled:
            options = {name: value for name, value in OPTIONS.items() if name != "forceinline"}
            _compiled[kind] = cfunc(_SIGNATURE, cache=True, **options)(_entry_points[kind])
    return _compiled[kind], numbers


def _run_plain(parameters, numbers, X, Z, weights, state, w, result):
    write_result(_plain[type(parameters)](parameters, X, Z, weights, state), w, result)


def is_plain(parameters: Any) -> bool:
    """Whether the learner with these parameters needs the grower's uncompiled form."""
    return type(parameters) in _plain
