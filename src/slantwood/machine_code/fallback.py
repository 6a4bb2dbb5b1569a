"""Kernels as Numba compiles any function, where Numba has changed what `frontend` rests on.

Slower to start, and kept for one process only; the results are the same up to rounding.
"""

from __future__ import annotations

import functools
from typing import Any

import numba
from numba import types

from slantwood.machine_code.kernel import Kernel
from slantwood.machine_code.lowering import WORDS, Runner
from slantwood.machine_code.words import Form

_SIGNATURE = types.int32(types.voidptr, types.voidptr, WORDS)


class PlainCode:
    """A kernel for arguments of one form, ready to run; like `slantwood.machine_code.loading.Code`."""

    def __init__(self, kernel: Kernel, forms: tuple[Form, ...]) -> None:
        self._kernel, self._forms = kernel, forms
        self._compiled = numba.njit(nogil=True, **kernel.options)(kernel.py_func)

    def __call__(self, row: list[int], arguments: Any) -> Any:
        """Run; raise what the kernel raises."""
        return self._compiled(*arguments)

    @functools.cached_property
    def _entry_point(self) -> Any:
        run = numba.njit(Runner(self._kernel, self._forms).run)

        def entry_point(unused, error, words):
            run(words)
            return 0

        return numba.cfunc(_SIGNATURE)(entry_point)

    @property
    def address(self) -> int:
        """Where the machine code is, for other machine code that calls it."""
        return int(self._entry_point.address)
