"""How arguments and results cross between Python and machine code: as one row of 64-bit words.

A number is one word. An array is its address and its shape; a result that is an array also has its owner, a
block of memory that machine code made, and its strides. A tuple is its parts, one after another. So machine
code needs to know neither Python's objects nor NumPy's.

The form of a value says what its words mean, in text: `f4` is a number of float32, `f4:2` a matrix of them,
`(f4:1,i8)` a tuple, `slantwood.kernels.matrix:Matrix(b1,...)` a named tuple, `none` is None.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

NUMBERS = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")
_DTYPES = {name: np.dtype(name if name != "b1" else np.bool_) for name in NUMBERS}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}
_double, _word = struct.Struct("d"), struct.Struct("q")


@dataclass(frozen=True)
class Form:
    """What the words of a value mean."""

    number: str = ""  # of NUMBERS: of the value, or of an array's elements
    n_axes: int | None = None  # of an array
    parts: tuple[Form, ...] | None = None  # of a tuple
    class_name: str = ""  # of a named tuple, `module:name`

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of a number, or of an array's elements."""
        return _DTYPES[self.number]

    @property
    def n_words(self) -> int:
        """Number of words as an argument."""
        if self.parts is not None:
            return sum(part.n_words for part in self.parts)
        if self.n_axes is not None:
            return 1 + self.n_axes
        return 1 if self.number else 0

    @property
    def n_result_words(self) -> int:
        """Number of words as a result."""
        if self.parts is not None:
            return sum(part.n_result_words for part in self.parts)
        return 2 + 2 * self.n_axes if self.n_axes is not None else self.n_words

    def __str__(self) -> str:
        if self.parts is not None:
            return f"{self.class_name}({','.join(map(str, self.parts))})"
        if self.n_axes is not None:
            return f"{self.number}:{self.n_axes}"
        return self.number or "none"


def class_of(form: Form) -> type[Any]:
    """Return the class of a named tuple; its module must be loaded, because nothing is loaded from here."""
    module, name = form.class_name.split(":")
    return getattr(sys.modules[module], name)


@lru_cache(4096)
def parse(text: str) -> Form:
    """Return the form that a text says; ValueError where it says none."""
    form, rest = _parse(text)
    if rest:
        raise ValueError(f"{rest!r} after the form of a value")
    return form


def _parse(text: str) -> tuple[Form, str]:
    end = next((i for i, letter in enumerate(text) if letter in "(),"), len(text))
    word, rest = text[:end], text[end:]
    if rest.startswith("("):
        parts, rest = [], rest[1:]
        while not rest.startswith(")"):
            part, rest = _parse(rest)
            parts.append(part)
            if not rest.startswith((",", ")")):
                raise ValueError(f"the form {text!r} has no end")
            rest = rest.removeprefix(",")
        return Form(parts=tuple(parts), class_name=word), rest[1:]
    number, colon, n_axes = word.partition(":")
    if word != "none" and (number not in _DTYPES or (colon and not n_axes.isdigit())):
        raise ValueError(f"{word!r} is no form of a value")
    return Form("" if word == "none" else number, int(n_axes) if n_axes else None), rest


def flatten(value: Any, words: list[int]) -> str:
    """Add the words of an argument; return its form."""
    kind = type(value)
    if kind is np.ndarray:
        if not (value.flags.c_contiguous and value.flags.aligned):
            where = f"strides {value.strides}, aligned {value.flags.aligned}"
            raise TypeError(f"an array of shape {value.shape} is not in C order and aligned: {where}")
        words.append(value.__array_interface__["data"][0])
        words.extend(value.shape)
        return f"{_name(value.dtype)}:{value.ndim}"
    if kind is float:
        words.append(_word.unpack(_double.pack(value))[0])
        return "f8"
    if kind is bool:
        words.append(value)
        return "b1"
    if kind is int:
        words.append(value)
        return "i8"
    if isinstance(value, tuple):
        forms = ",".join([flatten(part, words) for part in value])
        return f"{kind.__module__}:{kind.__qualname__}({forms})" if kind is not tuple else f"({forms})"
    if isinstance(value, np.generic):
        name = _name(value.dtype)
        if name[0] == "f":
            words.append(_word.unpack(_double.pack(value))[0])
        else:
            words.append(int(value))
            name = "i8" if name[0] == "i" else name
        return name
    if isinstance(value, np.ndarray):  # of a subclass, such as a memory-mapped file
        return flatten(value.view(np.ndarray), words)
    raise TypeError(f"compiled code takes numbers, arrays and tuples, not {kind.__name__}")


def _name(dtype: np.dtype[Any]) -> str:
    try:
        return _NAMES[dtype]
    except KeyError:
        raise TypeError(f"compiled code does not take elements of type {dtype}") from None


def arguments(form: Form, words: Iterator[int]) -> Any:
    """Return the value of an argument from its words: arrays are views of the memory that they name."""
    if form.parts is not None:
        return _as_tuple(form, [arguments(part, words) for part in form.parts])
    if form.n_axes is None:
        return _as_number(form, next(words))
    address = next(words)
    shape = tuple(next(words) for _ in range(form.n_axes))
    return _array(form, address, shape, None, None)


def result(form: Form, words: Iterator[int], release: Callable[[int], Any], inputs: Any) -> Any:
    """Return the value of a result from its words; `inputs` live as long as a view of one of them."""
    if form.parts is not None:
        return _as_tuple(form, [result(part, words, release, inputs) for part in form.parts])
    if form.n_axes is None:
        return _as_number(form, next(words)) if form.number else None
    address, owner = next(words), next(words)
    shape = tuple(next(words) for _ in range(form.n_axes))
    strides = tuple(next(words) for _ in range(form.n_axes))
    array = _array(form, address, shape, strides, inputs)
    if not owner:
        return array
    # A copy: memory goes back here. A `__del__` that gave it back when the array goes could run at any
    # time, and what a signal handler raises there (Ctrl-C, a time limit) is lost.
    try:
        return array.copy()
    finally:
        release(owner)


def _as_tuple(form: Form, parts: list[Any]) -> Any:
    return class_of(form)(*parts) if form.class_name else tuple(parts)


def _as_number(form: Form, word: int) -> Any:
    if form.number[0] == "f":
        return _double.unpack(_word.pack(word))[0]
    if form.number == "b1":
        return bool(word)
    return word if form.number[0] == "i" else word % (1 << 64)


class _Memory:
    """An array as NumPy asks for it; the array keeps this object, and so what it has."""

    __slots__ = ("__array_interface__", "kept")

    def __init__(self, interface: dict[str, Any], kept: Any) -> None:
        self.__array_interface__ = interface
        self.kept = kept


def _array(
    form: Form, address: int, shape: tuple[int, ...], strides: tuple[int, ...] | None, kept: Any
) -> np.ndarray:
    if 0 in shape:
        return np.empty(shape, form.dtype)
    interface = {
        "version": 3,
        "typestr": form.dtype.str,
        "data": (address, False),
        "shape": shape,
        "strides": strides,
    }
    return np.asarray(_Memory(interface, kept))
