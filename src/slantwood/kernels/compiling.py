"""The six ways in which slantwood compiles a function, and why there are six.

All of them release the GIL, keep the machine code on disk and follow NumPy's rules of division, and
all are inlined into their callers: a function that stays one of its own exists in several copies, which
are optimised, and so round, differently, and a process that compiles would run another copy than one that
loads from disk. Four of them differ only in how freely the compiler may reorder floating-point arithmetic.
"""

from typing import Any

from numba import njit
from numba.extending import register_jitable

OPTIONS: Any = {"nogil": True, "error_model": "numpy", "forceinline": True}

# Arithmetic in the order in which it is written.
exact = njit(cache=True, **OPTIONS)

# The same for functions that call a split learner, which may be of plain Python: called from compiled code
# they are compiled, called from plain Python they are plain Python.
exact_or_plain = register_jitable(**OPTIONS)

# The same without counting references to arrays: passing one to an inlined function counts it, which takes
# half of the time of loops over single bytes or over a node of few rows. Functions compiled so can neither
# make nor return arrays, and neither can those that they are the first to call. `_nrt` is a private option of
# Numba, to be looked at when Numba changes.
scanning = njit(cache=True, **(OPTIONS | {"_nrt": False}))

# Sums over contiguous memory may be reordered, so that they run in vector registers.
vectorised = njit(fastmath=True, cache=True, **OPTIONS)

# The same for values some of which may be missing: without "nnan", under which no number is NaN.
vectorised_with_missing = njit(fastmath={"reassoc", "contract", "ninf", "nsz", "arcp"}, cache=True, **OPTIONS)

# Loops that read through an index array: without "reassoc", because reordering makes the compiler
# emit vector gathers, which are several times slower than the plain loads. Values may be missing.
indexed = njit(fastmath={"contract", "ninf", "nsz", "arcp"}, cache=True, **OPTIONS)
