"""Object code to a function that Python calls, by llvmlite and ctypes."""

from __future__ import annotations

import builtins
import ctypes
import functools
import pickletools
import threading
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm

from slantwood.machine_code import words
from slantwood.machine_code.backend import ALLOCATE, FREE, target_machine

# Code is called without the GIL.
RUN = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_RELEASE = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)

_lock = threading.Lock()


class Code:
    """Machine code of a kernel for arguments of one form, ready to run.

    Called with the words of the arguments, and the arguments, which must live while it runs.
    """

    def __init__(self, object_code: bytes, names: tuple[str, str], result: str) -> None:
        with _lock:
            engine = _engine()
            engine.add_object_file(llvm.object_file.ObjectFileRef.from_data(object_code))
            engine.finalize_object()
            self.address, release = map(engine.get_function_address, names)
        self._run = RUN(self.address)
        self._release = _RELEASE(release)
        self._result = words.parse(result)
        self._n_result_words = self._result.n_result_words

    def __call__(self, row: list[int], arguments: Any) -> Any:
        """Run; raise what the kernel raises."""
        n = len(row)
        buffer = (ctypes.c_int64 * (n + self._n_result_words))(*row)
        unused, error = ctypes.c_void_p(), ctypes.c_void_p()
        if self._run(ctypes.byref(unused), ctypes.byref(error), buffer):
            raise _exception(error.value)
        if not self._n_result_words:
            return None
        return words.result(self._result, iter(buffer[n:]), self._release, arguments)


@functools.cache
def _engine() -> Any:
    for name in (ALLOCATE, FREE):
        address = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value
        llvm.add_symbol(name, address)
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), target_machine())


def _exception(record: int | None) -> BaseException:
    """Return the exception that machine code names. Numba pickled it; here it is read and not run."""
    strings: list[str] = []
    if record:
        start = ctypes.c_void_p.from_address(record).value or 0
        size = ctypes.c_int32.from_address(record + 8).value
        pickled = ctypes.string_at(start, size)
        strings = [value for _, value, _ in pickletools.genops(pickled) if isinstance(value, str)]
    kinds = [getattr(builtins, text, None) for text in strings]
    kind: Callable[..., BaseException] = next(
        (each for each in kinds if isinstance(each, type) and issubclass(each, Exception)), RuntimeError
    )
    said = [text for text, each in zip(strings, kinds, strict=True) if " " in text and each is None]
    return kind(*said[:1])
