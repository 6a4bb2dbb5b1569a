"""Numba's view of a kernel: how its arguments come out of words, and its result goes into them.

What reads and writes words is made as Python text, for the forms of a kernel's arguments, and compiled with
it. Everything here is what Numba offers to those who extend it, or has long been used by them.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from itertools import count
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic, overload, typeof_impl
from numba.np.arrayobj import populate_array

from slantwood.machine_code.kernel import Kernel, as_matrix, call_by_address
from slantwood.machine_code.words import NUMBERS, Form, class_of, n_words

# An entry point gets its words twice, as whole numbers and as floating-point numbers.
WORDS, FLOATS = types.CPointer(types.int64), types.CPointer(types.float64)
_TYPES = {name: np.dtype(name).type for name in NUMBERS}
_word = ir.IntType(64)


def form_of(numba_type: Any) -> Form:
    """Return the form of the values that have a type of Numba; KeyError where they cannot cross."""
    numba_type = types.unliteral(numba_type)
    if isinstance(numba_type, types.BaseTuple):
        made = getattr(numba_type, "instance_class", None)
        name = f"{made.__module__}:{made.__qualname__}" if made else ""
        return [name, *map(form_of, numba_type.types)]
    names = {numba.from_dtype(np.dtype(name)): name for name in NUMBERS} | {types.none: "none"}
    if isinstance(numba_type, types.Array) and numba_type.layout == "C":
        return f"{names[numba_type.dtype]}:{numba_type.ndim}"
    return names[numba_type]


def _function(name: str, parameters: str, lines: list[str], names: dict[str, Any]) -> Any:
    exec(f"def {name}({parameters}):\n " + "\n ".join(lines), names)
    return names[name]


def _reading(form: Form, places: Iterator[int], names: dict[str, Any]) -> str:
    """Return an expression for a value whose words are in `w` and `f`; `names` gets what it uses."""
    if isinstance(form, list):
        parts = ", ".join(_reading(part, places, names) for part in form[1:])
        alias = str(form[0]).replace(".", "_").replace(":", "_")
        names |= {alias: class_of(str(form[0]))} if form[0] else {}
        return f"{alias}({parts})" if alias else f"({parts},)"
    number, is_array, n_axes = form.partition(":")
    i = next(places)
    if is_array:
        next(places)  # Python owns the memory
        shape = ", ".join(f"w[{next(places)}]" for _ in range(int(n_axes)))
        return f"_array(w[{i}], ({shape},), {number})"
    return f"w[{i}] != 0" if number == "b1" else f"{number}({'f' if number[0] == 'f' else 'w'}[{i}])"


def _writing(form: Form, value: str, places: Iterator[int], owner: str) -> list[str]:
    """Return lines that write the words of a value into `w` and `f`."""
    if isinstance(form, list):
        parts = [_writing(part, f"{value}[{i}]", places, owner) for i, part in enumerate(form[1:])]
        return [line for part in parts for line in part]
    if form == "none":
        return []
    number, is_array, n_axes = form.partition(":")
    i = next(places)
    if is_array:
        lines = [f"w[{i}] = _address({value})", f"w[{next(places)}] = {owner.format(value)}"]
        return lines + [f"w[{next(places)}] = {value}.shape[{axis}]" for axis in range(int(n_axes))]
    return [f"f[{i}] = {value}" if number[0] == "f" else f"w[{i}] = np.int64({value})"]


class Runner:
    """A function `run(w, f)` for Numba to compile: it runs a kernel on the arguments that the words hold.

    Attributes
    ----------
    run
        The function.
    result
        Form of the result, whose words come after those given; known once `run` is compiled.
    """

    def __init__(self, kernel: Kernel, form: str) -> None:
        self.result: Form = "none"
        places = count()

        def pack(w, f, value):
            raise NotImplementedError("only compiled code does this")

        @overload(pack)
        def compile_pack(w, f, value):
            self.result = form_of(value)
            lines = _writing(self.result, "value", count(n_before), "_owner({})")
            return _function("pack", "w, f, value", [*lines, "return"], dict(globals()))

        names = globals() | _TYPES | {"kernel": kernel, "pack": pack}
        arguments = ", ".join([_reading(each, places, names) for each in json.loads(form)])
        n_before = next(places)
        self.run = _function("run", "w, f", [f"pack(w, f, kernel({arguments}))"], names)


@intrinsic
def _array(typingctx, address, shape, number):
    # As `numba.carray`, but there references are counted, which keeps loops from being optimised.
    array = types.Array(number.dtype, shape.count, "C")

    def generate(context, builder, signature, values):
        made = context.make_array(array)(context, builder)
        lengths = cgutils.unpack_tuple(builder, values[1], shape.count)
        itemsize = context.get_abi_sizeof(context.get_data_type(array.dtype))
        strides = [_word(itemsize)]
        for length in lengths[:0:-1]:
            strides.insert(0, builder.mul(strides[0], length))
        data = builder.inttoptr(values[0], made.data.type)
        populate_array(made, data, tuple(lengths), tuple(strides), itemsize, None)
        return made._getvalue()

    return array(types.int64, shape, number), generate


@intrinsic
def _address(typingctx, array):
    def generate(context, builder, signature, values):
        return builder.ptrtoint(context.make_array(array)(context, builder, values[0]).data, _word)

    return types.int64(array), generate


@intrinsic
def _owner(typingctx, array):
    def generate(context, builder, signature, values):
        context.nrt.incref(builder, array, values[0])  # one more who owns the memory: Python
        return builder.ptrtoint(context.make_array(array)(context, builder, values[0]).meminfo, _word)

    return types.int64(array), generate


@intrinsic
def _call(typingctx, address, row):
    def generate(context, builder, signature, values):
        words = builder.bitcast(context.make_array(row)(context, builder, values[1]).data, cgutils.voidptr_t)
        unused = cgutils.alloca_once(builder, cgutils.voidptr_t)
        given = [builder.bitcast(unused, cgutils.voidptr_t)] * 2 + [words] * 2
        kind = ir.FunctionType(cgutils.int32_t, [cgutils.voidptr_t] * 4)
        return builder.sext(builder.call(builder.inttoptr(values[0], kind.as_pointer()), given), _word)

    return types.int64(types.int64, row), generate


@overload(call_by_address)
def _compile_call_by_address(address, arguments):
    form = form_of(arguments)
    lines = [
        f"w = np.empty({n_words(form)}, np.int64)",
        f"f = _array(_address(w), ({n_words(form)},), np.float64)",
        *_writing(form, "arguments", count(), "0"),
        "return _call(address, w)",
    ]
    return _function("call_by_address", "address, arguments", lines, dict(globals()))


@intrinsic
def _as_matrix(typingctx, values, n_rows, n_columns):
    matrix = types.Array(values.dtype, 2, "C")

    def generate(context, builder, signature, arguments):
        old = context.make_array(values)(context, builder, arguments[0])
        new = context.make_array(matrix)(context, builder)
        itemsize = context.get_abi_sizeof(context.get_data_type(matrix.dtype))
        strides = (builder.mul(arguments[2], _word(itemsize)), _word(itemsize))
        populate_array(new, old.data, tuple(arguments[1:]), strides, itemsize, old.meminfo, old.parent)
        return impl_ret_borrowed(context, builder, matrix, new._getvalue())

    return matrix(values, types.int64, types.int64), generate


@overload(as_matrix)
def _compile_as_matrix(values, n_rows, n_columns):
    return lambda values, n_rows, n_columns: _as_matrix(values, n_rows, n_columns)


@typeof_impl.register(Kernel)
def _typeof_kernel(kernel, context):
    return types.Dispatcher(as_numba_function(kernel, no_cpython_wrapper=True, no_cfunc_wrapper=True))


@functools.cache
def as_numba_function(kernel: Kernel, **options: bool) -> Any:
    """Return a kernel as a function that Numba compiles."""
    return numba.njit(**kernel.options, **options)(kernel.py_func)
