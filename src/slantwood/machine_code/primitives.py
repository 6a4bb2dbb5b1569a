"""What compiled code does in a way of its own; here is what it means, in plain Python.

`slantwood.machine_code.frontend` has the compiled forms.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def call_by_address(address: Any, arguments: tuple[Any, ...]) -> int:
    """Call the function at an address, in plain Python the function itself; 0 where it came to its end."""
    address(*arguments)
    return 0


def as_matrix(values: np.ndarray, n_rows: int, n_columns: int) -> np.ndarray:
    """Return the beginning of an array as a matrix, row after row, without a copy."""
    return values[: n_rows * n_columns].reshape(n_rows, n_columns)
