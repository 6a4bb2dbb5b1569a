"""Python to LLVM's intermediate code, by Numba: a kernel and everything that it calls, in one module.

Numba by itself optimises each function with all that it calls, makes machine code of it and of wrappers for
Python, and then does so again one level up. Here functions stay as they were translated and are linked once;
`slantwood.machine_code.backend` does the rest. All that is private in Numba, and may be another in its next
version, is in this file; where something of it is missing, no library can be built, and kernels are
compiled as Numba compiles any function (`slantwood.machine_code.in_memory`).
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any
from unittest.mock import patch

import llvmlite.binding as llvm
from numba import types
from numba.core.callconv import CPUCallConv
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Flags, compile_extra
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target

from slantwood.machine_code.kernel import Kernel
from slantwood.machine_code.lowering import FLOATS, WORDS, Runner
from slantwood.machine_code.words import Form


class _Library(JITCodeLibrary):
    """Code as it was translated, and which other code it calls."""

    @property
    def codegen(self) -> Any:
        return _NoEnvironment()

    def add_llvm_module(self, module: Any) -> None:
        self._final_module.link_in(module)

    def finalize(self) -> None:
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.external:
                function.linkage = "linkonce_odr"
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0

    def whole(self) -> Any:
        """Return a module of this code and all that it calls."""
        module = self._final_module.clone()
        found, waiting = {self}, list(self._linking_libraries)
        while waiting:
            library = waiting.pop(0)
            if library in found:
                continue
            found.add(library)
            if isinstance(library, _Library):
                module.link_in(library._final_module, preserve=True)
                waiting.extend(library._linking_libraries)
            else:  # of a function that Numba compiled before, for others
                module.link_in(library._get_module_for_linking(), preserve=True)
        return module

    @cache  # noqa: B019
    def _get_module_for_linking(self) -> Any:
        # Asked for by code of others that calls the same function of Numba.
        return self.whole()


class _NoEnvironment:
    """Stands for Numba's code generator where Numba would tell machine code of Python's objects."""

    def set_env(self, name: str, environment: Any) -> None:
        """Nothing: our code has none."""


def _as_text(call_convention: Any, kind: Any, said: tuple[Any, ...] | None, *where: Any) -> str:
    """Return what a kernel raises, as `library.Code` reads it; not where, so that bytes stay the same."""
    return ": ".join([(kind or RuntimeError).__name__, *map(str, said or ())])


def translate(kernel: Kernel, form: str) -> tuple[Any, str, Form]:
    """Return a module that runs a kernel on arguments of a form, and its result's form.

    Between the two is the name of the module's function, `status = run(unused, error, words, words)`.
    """
    with global_compiler_lock:
        target = cpu_target.target_context
        target.refresh()
        codegen = target.codegen()
        flags = Flags()
        flags.nrt = True
        flags.no_cpython_wrapper = True
        flags.no_cfunc_wrapper = True
        flags.error_model = "numpy"
        library = _Library(codegen, f"run_{kernel.__name__}")
        runner = Runner(kernel, form)
        with (
            patch.object(codegen, "create_library", partial(_Library, codegen), create=True),
            patch.object(CPUCallConv, "build_excinfo_struct", _as_text),
        ):
            compiled = compile_extra(
                cpu_target.typing_context, target, runner.run, (WORDS, FLOATS), types.none, flags, {}, library
            )
        return library.whole(), compiled.fndesc.llvm_func_name, runner.result
