"""How arguments and results cross between Python and machine code: as one row of 64-bit words.

A number is one word. An array is its address, the owner of its memory and its shape; the owner is a block of
memory that machine code made, or 0. A tuple is its parts, one after another. So machine code needs to know
neither Python's objects nor NumPy's.

The form of a value says what its words mean, as JSON: `"f4"` is a number of float32, `"f4:2"` a matrix of
them, `["", "f4:1", "i8"]` a tuple, `["slantwood.kernels.matrix:Matrix", "b1", ...]` a named tuple, and
`"none"` is None.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, TypeAlias

import numpy as np

Form: TypeAlias = "str | list[Form]"

NUMBERS = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")
_NAMES = {np.dtype(name): name for name in NUMBERS}
_double, _word = struct.Struct("d"), struct.Struct("q")


def n_words(form: Form) -> int:
    """Return how many words a value has."""
    if isinstance(form, list):
        return sum(map(n_words, form[1:]))
    _, is_array, n_axes = form.partition(":")
    return 2 + int(n_axes) if is_array else int(form != "none")


def class_of(name: str) -> type[Any]:
    """Return the class of a named tuple; its module must be loaded, because nothing is loaded from here."""
    module, _, class_name = name.partition(":")
    return getattr(sys.modules[module], class_name)


def flatten(value: Any, words: list[int]) -> str:
    """Add the words of an argument; return its form as JSON."""
    kind = type(value)
    if kind is np.ndarray:
        if not (value.flags.c_contiguous and value.flags.aligned):
            where = f"strides {value.strides}, aligned {value.flags.aligned}"
            raise TypeError(f"an array of shape {value.shape} is not in C order and aligned: {where}")
        words += (value.__array_interface__["data"][0], 0, *value.shape)
        return f'"{_name(value.dtype)}:{value.ndim}"'
    if kind is float:
        words.append(_word.unpack(_double.pack(value))[0])
        return '"f8"'
    if kind is bool or kind is int:
        words.append(value)
        return '"i8"' if kind is int else '"b1"'
    if isinstance(value, tuple):
        name = "" if kind is tuple else f"{kind.__module__}:{kind.__qualname__}"
        forms = "".join([f",{flatten(part, words)}" for part in value])
        return f'["{name}"{forms}]'
    if isinstance(value, np.generic):
        name = _name(value.dtype)
        words.append(_word.unpack(_double.pack(value))[0] if name[0] == "f" else int(value))
        return '"i8"' if name[0] == "i" else f'"{name}"'
    if isinstance(value, np.ndarray):  # of a subclass, such as a memory-mapped file
        return flatten(value.view(np.ndarray), words)
    raise TypeError(f"compiled code takes numbers, arrays and tuples, not {kind.__name__}")


def _name(dtype: np.dtype[Any]) -> str:
    try:
        return _NAMES[dtype]
    except KeyError:
        raise TypeError(f"compiled code does not take elements of type {dtype}") from None


def value_of(form: Form, words: Iterator[int], release: Callable[[int], Any], inputs: Any) -> Any:
    """Return the value of a form from its words; `inputs` live as long as a view of one of them."""
    if isinstance(form, list):
        parts = [value_of(part, words, release, inputs) for part in form[1:]]
        return class_of(str(form[0]))(*parts) if form[0] else tuple(parts)
    if form == "none":
        return None
    number, is_array, n_axes = form.partition(":")
    word = next(words)
    if is_array:
        owner, *shape = islice(words, 1 + int(n_axes))
        array = _array(np.dtype(number), word, tuple(shape), inputs)
        if not owner:
            return array
        # A copy: memory goes back here. A `__del__` that gave it back when the array goes could run at any
        # time, and what a signal handler raises there (Ctrl-C, a time limit) is lost.
        try:
            return array.copy()
        finally:
            release(owner)
    if number[0] == "f":
        return _double.unpack(_word.pack(word))[0]
    return bool(word) if number == "b1" else word if number[0] == "i" else word % (1 << 64)


class _Memory:
    """An array as NumPy asks for it; the array keeps this object, and so what it has."""

    __slots__ = ("__array_interface__", "kept")

    def __init__(self, interface: dict[str, Any], kept: Any) -> None:
        self.__array_interface__ = interface
        self.kept = kept


def _array(dtype: np.dtype[Any], address: int, shape: tuple[int, ...], kept: Any) -> np.ndarray:
    if 0 in shape:
        return np.empty(shape, dtype)
    interface = {"version": 3, "typestr": dtype.str, "data": (address, False), "shape": shape}
    return np.asarray(_Memory(interface, kept))
