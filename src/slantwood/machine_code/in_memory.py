"""Kernels as Numba compiles any function, for one process: where the library has none, and for debugging."""

from __future__ import annotations

import functools
from typing import Any

import numba
from numba import types

from slantwood.machine_code.kernel import Kernel
from slantwood.machine_code.lowering import FLOATS, WORDS, Runner, as_numba_function

_SIGNATURE = types.int32(types.voidptr, types.voidptr, WORDS, FLOATS)


class InMemory:
    """A kernel for arguments of one form, ready to run; like `slantwood.machine_code.library.Code`."""

    def __init__(self, kernel: Kernel, form: str) -> None:
        self._kernel, self._form = kernel, form

    def __call__(self, row: list[int], arguments: Any) -> Any:
        """Run; raise what the kernel raises."""
        return as_numba_function(self._kernel, nogil=True)(*arguments)

    @functools.cached_property
    def _entry_point(self) -> Any:
        run = numba.njit(Runner(self._kernel, f"[{self._form}]").run)

        def entry_point(unused, error, words, floats):
            run(words, floats)
            return 0

        return numba.cfunc(_SIGNATURE)(entry_point)

    @property
    def address(self) -> int:
        """Where the machine code is, for other machine code that calls it."""
        return int(self._entry_point.address)
