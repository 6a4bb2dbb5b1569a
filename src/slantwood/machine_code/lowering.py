"""Numba's view of a kernel: how its arguments come out of words, and its result goes into them.

Everything here is what Numba offers to those who extend it, or has long been used by them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic, overload, typeof_impl
from numba.np.arrayobj import populate_array

from slantwood.machine_code import words
from slantwood.machine_code.kernel import Kernel, specialisations
from slantwood.machine_code.primitives import as_matrix, call_by_address
from slantwood.machine_code.words import Form

WORDS = types.CPointer(types.int64)
_word = ir.IntType(64)
_TYPES = {
    "b1": types.boolean,
    "i1": types.int8,
    "i2": types.int16,
    "i4": types.int32,
    "i8": types.int64,
    "u1": types.uint8,
    "u2": types.uint16,
    "u4": types.uint32,
    "u8": types.uint64,
    "f4": types.float32,
    "f8": types.float64,
}
_NAMES = {numba_type: name for name, numba_type in _TYPES.items()}


def numba_type(form: Form) -> Any:
    """Return the type that Numba has for values of a form."""
    if form.parts is not None:
        parts = [numba_type(part) for part in form.parts]
        return types.NamedTuple(parts, words.class_of(form)) if form.class_name else types.Tuple(parts)
    if form.n_axes is not None:
        return types.Array(_TYPES[form.number], form.n_axes, "C")
    return _TYPES[form.number] if form.number else types.none


def form_of(numba_type: Any) -> Form:
    """Return the form of the values that have a type of Numba."""
    if isinstance(numba_type, types.Literal):
        numba_type = numba_type.literal_type
    if isinstance(numba_type, types.BaseNamedTuple):
        made = numba_type.instance_class
        name = f"{made.__module__}:{made.__qualname__}"
        return Form(parts=tuple(map(form_of, numba_type.types)), class_name=name)
    if isinstance(numba_type, types.BaseTuple):
        return Form(parts=tuple(map(form_of, numba_type.types)))
    if isinstance(numba_type, types.Array):
        return Form(_NAMES[numba_type.dtype], numba_type.ndim)
    return Form(_NAMES[numba_type] if numba_type != types.none else "")


class Runner:
    """A function `run(words)` for Numba to compile: it runs a kernel on the arguments that the words hold."""

    def __init__(self, kernel: Kernel, forms: tuple[Form, ...]) -> None:
        self._result_type: Any = types.none
        pack = self._packing(sum(form.n_words for form in forms))
        unpack = _unpacking(tuple(numba_type(form) for form in forms))

        def run(words):
            pack(words, kernel(*unpack(words)))

        self.run: Callable[..., None] = run

    def result(self) -> Form:
        """Return the form of the result, whose words come after those given; known once `run` is compiled."""
        return form_of(self._result_type)

    def _packing(self, n_before: int) -> Any:
        @intrinsic
        def pack(typingctx, words, value):
            self._result_type = value

            def generate(context, builder, signature, arguments):
                position = _Position(builder, arguments[0], n_before)
                _write(context, builder, signature.args[1], arguments[1], position, as_result=True)
                return context.get_dummy_value()

            return types.none(words, value), generate

        return pack


def _unpacking(wanted: tuple[Any, ...]) -> Any:
    @intrinsic
    def unpack(typingctx, words):
        whole = types.Tuple(wanted)

        def generate(context, builder, signature, arguments):
            position = _Position(builder, arguments[0])
            return context.make_tuple(
                builder, whole, [_read(context, builder, each, position) for each in wanted]
            )

        return whole(words), generate

    return unpack


class _Position:
    """Where in a row of words the next is."""

    def __init__(self, builder: Any, words: Any, start: int = 0) -> None:
        self._builder, self._words, self._next = builder, words, start

    def _place(self) -> Any:
        self._next += 1
        return self._builder.gep(self._words, [_word(self._next - 1)])

    def read(self) -> Any:
        return self._builder.load(self._place())

    def write(self, value: Any) -> None:
        self._builder.store(value, self._place())


def _read(context, builder, wanted, position):
    if isinstance(wanted, types.BaseTuple):
        parts = [_read(context, builder, part, position) for part in wanted.types]
        return context.make_tuple(builder, wanted, parts)
    if isinstance(wanted, types.Array):
        array = context.make_array(wanted)(context, builder)
        data = builder.inttoptr(position.read(), array.data.type)
        shape = [position.read() for _ in range(wanted.ndim)]
        itemsize = context.get_abi_sizeof(context.get_data_type(wanted.dtype))
        strides: list[Any] = []
        step = _word(itemsize)
        for length in reversed(shape):
            strides.insert(0, step)
            step = builder.mul(step, length)
        populate_array(array, data, tuple(shape), tuple(strides), itemsize, None)
        return array._getvalue()
    if wanted == types.none:
        return context.get_dummy_value()
    word = position.read()
    if isinstance(wanted, types.Float):
        return context.cast(builder, builder.bitcast(word, ir.DoubleType()), types.float64, wanted)
    if wanted == types.boolean:
        return builder.icmp_unsigned("!=", word, _word(0))
    return context.cast(builder, word, types.int64, wanted)


def _write(context, builder, given, value, position, as_result):
    if isinstance(given, types.BaseTuple):
        for i, part in enumerate(given.types):
            _write(context, builder, part, builder.extract_value(value, i), position, as_result)
    elif isinstance(given, types.Array):
        array = context.make_array(given)(context, builder, value)
        position.write(builder.ptrtoint(array.data, _word))
        if as_result:
            # One more who owns the memory: Python.
            context.nrt.incref(builder, given, value)
            position.write(builder.ptrtoint(array.meminfo, _word))
        for length in cgutils.unpack_tuple(builder, array.shape, given.ndim):
            position.write(length)
        if as_result:
            for step in cgutils.unpack_tuple(builder, array.strides, given.ndim):
                position.write(step)
    elif given != types.none:
        if isinstance(given, types.Literal):
            given = given.literal_type
        if isinstance(given, types.Float):
            value = context.cast(builder, value, given, types.float64)
            position.write(builder.bitcast(value, _word))
        elif given == types.boolean:
            position.write(builder.zext(value, _word))
        else:
            position.write(context.cast(builder, value, given, types.int64))


@intrinsic
def _call(typingctx, address, arguments):
    form = form_of(arguments)

    def generate(context, builder, signature, values):
        given = cgutils.alloca_once(builder, ir.ArrayType(_word, max(form.n_words, 1)))
        given = builder.bitcast(given, _word.as_pointer())
        _write(context, builder, signature.args[1], values[1], _Position(builder, given), as_result=False)
        pointer = ir.IntType(8).as_pointer()
        unused = cgutils.alloca_once(builder, pointer)
        kind = ir.FunctionType(ir.IntType(32), [pointer.as_pointer()] * 2 + [_word.as_pointer()])
        status = builder.call(builder.inttoptr(values[0], kind.as_pointer()), [unused, unused, given])
        return builder.sext(status, _word)

    return types.int64(types.int64, arguments), generate


@overload(call_by_address)
def _compile_call_by_address(address, arguments):
    return lambda address, arguments: _call(address, arguments)


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
    for function in specialisations:
        _specialise(function)
    return numba.njit(**kernel.options, **options)(kernel.py_func)


@functools.cache
def _specialise(function: Callable[..., Any]) -> None:
    overload(function)(specialisations[function])
