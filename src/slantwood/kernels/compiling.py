"""The ways in which slantwood compiles a function, and why there is more than one.

All of them release the GIL and follow NumPy's rules of division. They differ in how freely the compiler may
reorder floating-point arithmetic. `slantwood.machine_code` does the compiling.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from slantwood.machine_code.kernel import Kernel

# Under Numba's own switch for debugging, compiled code is plain Python.
IS_PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def _compiled(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    def decorate(function: Callable[..., Any]) -> Any:
        return function if IS_PLAIN else Kernel(function, {"error_model": "numpy", **options})

    return decorate


# Arithmetic in the order in which it is written. Said outright, because Numba gives a function that says
# nothing the freedom of whichever caller it is first compiled for.
exact = _compiled(fastmath=False)

# Sums over contiguous memory may be reordered, so that they run in vector registers.
vectorised = _compiled(fastmath=True)

# The same for values some of which may be missing: without "nnan", under which no number is NaN.
vectorised_with_missing = _compiled(fastmath={"reassoc", "contract", "ninf", "nsz", "arcp"})

# Loops that read through an index array: without "reassoc", because reordering makes the compiler
# emit vector gathers, which are several times slower than the plain loads. Values may be missing.
indexed = _compiled(fastmath={"contract", "ninf", "nsz", "arcp"})
