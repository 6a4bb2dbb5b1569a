"""What the grower asks of a split learner, and how a learner returns its result.

A learner is a NamedTuple of its parameters and a kernel

    kernel(parameters, X, Z, weights, state) -> (w, b, found)

X and Z are standardised blocks of one node, the hyperplane is `x @ w + b >= 0` in X's standardised units. The
weights of the clustering attributes are in the scale of Z's columns. A learner may take `LeafLimits` as well,
and consider only splits that they allow; for the others the grower moves a threshold that is not allowed.

The grower knows a learner by the address of its machine code only, so that the grower is compiled once for
all learners, and each learner once by itself. Therefore all entry points have the same arguments: parameters
come as an array of numbers, and the result is written into arrays. A learner in plain Python has an address
too.
"""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, get_type_hints

import numpy as np

from slantwood.kernels.block import Block
from slantwood.kernels.compiling import IS_PLAIN, exact
from slantwood.kernels.leaf_limits import LeafLimits
from slantwood.machine_code import library, words
from slantwood.machine_code.kernel import call_by_address

# Numbers of a result, beside the weights: the offset, whether there is a split, and whether the entry point
# came to its end, which it does not where memory runs out.
RESULT_SIZE = 3

# What a learner is told where leaves may have any size.
_NO_LIMITS = LeafLimits(False, 0.0, 0.0, np.empty(0, np.int32), 0.0)

# The entry point of each compiled learner, by the type of its parameters, and the kernel of each in plain
# Python.
_entry_points: dict[type, Callable[..., Any]] = {}
_plain: dict[type, Callable[..., Any]] = {}


class Scaling(NamedTuple):
    """Powers of the standard deviation by which a node's columns are divided before learning.

    Then features have variance 1 on average where `unit_variance` is set, and targets always.
    """

    features: float
    targets: float
    unit_variance: bool


def split_learner(parameters_type: type, *, heeds_limits: bool = False) -> Callable[[Any], Any]:
    """Register a kernel as the learner with parameters of the given type; it may heed limits on leaves."""
    unpack = unpacker(parameters_type)

    def register(kernel: Any) -> Any:
        def heeding(numbers, X, Z, weights, limits, state, w, result):
            write_result(kernel(unpack(numbers), X, Z, weights, state, limits), w, result)

        def unaware(numbers, X, Z, weights, limits, state, w, result):
            write_result(kernel(unpack(numbers), X, Z, weights, state), w, result)

        entry_point = heeding if heeds_limits else unaware
        for name in ("__module__", "__name__", "__qualname__", "__doc__"):
            setattr(entry_point, name, getattr(kernel, name))
        kernel.entry_point = _entry_points[parameters_type] = exact(entry_point)
        return kernel

    return register


def register_plain(parameters_type: type, kernel: Callable[..., Any]) -> None:
    """Register the kernel, of plain Python, of learners with parameters of the given type."""
    _plain[parameters_type] = kernel


def unpacker(parameters_type):
    """Return a kernel that makes parameters of a type from an array with a number for each field."""
    # Written out field by field, because compiled code has no loop over values of several types.
    converters = get_type_hints(parameters_type).values()
    values = ", ".join(f"{convert.__name__}(numbers[{i}])" for i, convert in enumerate(converters))
    names: dict[str, Any] = {"parameters_type": parameters_type, "__name__": __name__}
    exec(f"def unpack(numbers): return parameters_type({values})", names)
    return exact(names["unpack"])


def _write_result(learned, w, result):
    """Write what a kernel returned to where the grower looks for it."""
    weights, b, found = learned
    for j in range(w.shape[0]):
        w[j] = weights[j]
    result[0] = b
    result[1] = 1.0 if found else 0.0
    result[2] = 1.0


write_result = exact(_write_result)


@exact
def read_result(result):
    """Return the offset and whether there is a split, and clear the result."""
    b, found, ended = result[0], result[1], result[2]
    result[:] = 0.0
    if ended == 0.0:
        raise MemoryError("a split learner did not come to its end: out of memory")
    return np.float32(b), found != 0.0


@exact
def ask(learner, numbers, X, Z, weights, limits, state, w, result):
    """Let a learner look for the hyperplane of one node; it writes `w` and `result`."""
    call_by_address(learner, (numbers, X, Z, weights, limits, state, w, result))


def learn(parameters, X, Z, weights, state, limits=_NO_LIMITS):
    """Ask the learner with these parameters for the hyperplane of one node."""
    w, result = np.empty(X.n_columns, np.float32), np.zeros(RESULT_SIZE)
    if type(parameters) in _plain:
        _write_result(_plain[type(parameters)](parameters, X, Z, weights, state), w, result)
    else:
        _entry_points[type(parameters)](_numbers(parameters), X, Z, weights, limits, state, w, result)
    return w, *read_result(result)


def _numbers(parameters: Any) -> np.ndarray:
    return np.array([float(value) for value in parameters])


class LearnerAddress:
    """A learner as the grower calls it.

    Attributes
    ----------
    address
        Of machine code; where compiled code runs as plain Python, the function itself.
    numbers
        The parameters.
    error
        What a learner in plain Python raised; the grower then stops with a MemoryError.
    """

    def __init__(self, parameters: Any) -> None:
        self.error: BaseException | None = None
        self.numbers = np.empty(0)
        self.address: Any
        kind = type(parameters)
        if kind in _plain:
            self._kernel = partial(_plain[kind], parameters)
            self.address = self._run if IS_PLAIN else self._callback_address()
            return
        self.numbers = _numbers(parameters)
        entry_point: Any = _entry_points[kind]
        self.address = entry_point if IS_PLAIN else entry_point.code(_FORM).address

    def _run(self, numbers, X, Z, weights, limits, state, w, result):
        _write_result(self._kernel(X, Z, weights, state), w, result)

    def _callback_address(self) -> int | None:
        self._callback = library.RUN(
            self._run_from_words
        )  # kept, because its address lives no longer than it
        return ctypes.cast(self._callback, ctypes.c_void_p).value

    def _run_from_words(self, unused: int, error: int, row: int, same_row: int) -> int:
        form = json.loads(f'["",{_FORM}]')
        row_words = (ctypes.c_int64 * words.n_words(form)).from_address(row)
        try:
            self._run(*words.value_of(form, iter(row_words), int, None))
        except BaseException as raised:  # whatever it is, compiled code must be left in order
            self.error = raised
            return 1
        return 0


def _empty_block() -> Block:
    places, columns, values = np.empty(0, np.int64), np.empty(0, np.uint32), np.empty(0, np.float32)
    matrix = np.empty((0, 0), np.float32)
    return Block(True, matrix, places, columns, values, values, 0, 0, places, columns)


# The form of an entry point's arguments.
_EXAMPLE = (
    np.empty(0),
    _empty_block(),
    _empty_block(),
    np.empty(0, np.float32),
    _NO_LIMITS,
    np.empty(0, np.uint64),
    np.empty(0, np.float32),
    np.empty(0),
)
_FORM = ",".join(words.flatten(value, []) for value in _EXAMPLE)
