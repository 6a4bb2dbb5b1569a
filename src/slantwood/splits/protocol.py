"""What the grower asks of a split learner, and how a learner answers.

A learner is a NamedTuple of its parameters and a kernel
`kernel(parameters, X, Z, weights, state) -> (w, b, found)`: X and Z are standardised blocks of one
node, the hyperplane is `x @ w + b >= 0` in X's standardised units. The weights of the clustering attributes
are in the scale of Z's columns. The grower calls `learn`; which kernel runs is decided from the type of the
parameters, when compiling or, in plain Python, at the call. No function travels as an argument, so the
compiled grower is kept on disk.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from numba.extending import overload

from slantwood.kernels.compiling import OPTIONS

_kernels: dict[type, Callable] = {}
_plain: set[type] = set()


class Scaling(NamedTuple):
    """Powers of the standard deviation by which a node's columns are divided before learning."""

    features: float
    targets: float


def learn(parameters, X, Z, weights, state):
    """Find the hyperplane that divides one node."""
    return _kernels[type(parameters)](parameters, X, Z, weights, state)


def register(parameters_type: type, kernel: Callable) -> None:
    """Make `learn` run `kernel`, a compiled function, for parameters of the given type."""
    _kernels[parameters_type] = kernel

    @overload(learn, jit_options=OPTIONS)
    def _learn(parameters, X, Z, weights, state):
        if getattr(parameters, "instance_class", None) is parameters_type:
            return getattr(kernel, "py_func", kernel)
        return None


def register_plain(parameters_type: type, function: Callable) -> None:
    """Make `learn` run `function`, of plain Python, for parameters of the given type."""
    _kernels[parameters_type] = function
    _plain.add(parameters_type)


def is_plain(parameters: Any) -> bool:
    """Whether the learner with these parameters needs the grower's uncompiled form."""
    return type(parameters) in _plain
