"""A function that runs as machine code: what the decorators of `slantwood.kernels.compiling` make.

Called from Python, it is looked for in the shared library that came with the package; called by another
kernel, it is a part of that. What the library lacks is compiled in memory, by Numba.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from slantwood.machine_code import words


class Kernel:
    """A function that runs as machine code, and the options with which it is compiled."""

    __name__: str
    __qualname__: str

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function
        self.options = options
        # Machine code by the form of the arguments.
        self.found: dict[str, Callable[..., Any]] = {}

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Run on numbers, arrays and tuples of these."""
        if named or len(arguments) != self.py_func.__code__.co_argcount:
            bound = inspect.signature(self.py_func).bind(*arguments, **named)
            bound.apply_defaults()
            arguments = bound.args
        row: list[int] = []
        form = ",".join([words.flatten(value, row) for value in arguments])
        return (self.found.get(form) or self.code(form))(row, arguments)

    def code(self, form: str) -> Any:
        """Return the machine code for arguments of a form."""
        if form not in self.found:
            from slantwood.machine_code import library

            self.found[form] = library.find(self.entry(form)) or library.compile_in_memory(self, form)
        return self.found[form]

    def entry(self, form: str) -> str:
        """Return the name of an entry point of the library: module, name and the form of the arguments."""
        return f"{self.__module__}.{self.__qualname__}[{form}]"

    def __repr__(self) -> str:
        return f"<kernel {self.__module__}.{self.__qualname__}>"


# Compiled code does these in a way of its own, which `slantwood.machine_code.lowering` has.


def call_by_address(address: Any, arguments: tuple[Any, ...]) -> int:
    """Call the function at an address, in plain Python the function itself; 0 where it came to its end."""
    address(*arguments)
    return 0


def as_matrix(values: np.ndarray, n_rows: int, n_columns: int) -> np.ndarray:
    """Return the beginning of an array as a matrix, row after row, without a copy."""
    return values[: n_rows * n_columns].reshape(n_rows, n_columns)
