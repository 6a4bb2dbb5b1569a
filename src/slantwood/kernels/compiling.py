"""The three ways in which slantwood compiles a function, and why there are three.

All of them release the GIL, keep the machine code on disk and follow NumPy's rules of division.
They differ only in how freely the compiler may reorder floating-point arithmetic.
"""

from numba import njit

_COMMON = {"nogil": True, "cache": True, "error_model": "numpy", "forceinline": True}

# Arithmetic in the order in which it is written.
exact = njit(**_COMMON)

# Sums over contiguous memory may be reordered, so that they run in vector registers.
vectorised = njit(fastmath=True, **_COMMON)

# Loops that read through an index array: without "reassoc", because reordering makes the compiler
# emit vector gathers, which are several times slower than the plain loads.
indexed = njit(fastmath={"contract", "nnan", "ninf", "nsz", "arcp"}, **_COMMON)
