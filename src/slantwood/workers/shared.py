"""What all tasks of a fit read, as one large thing that reaches each worker once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Generic, TypeVar

import numpy as np
import scipy.sparse as sp

Value = TypeVar("Value")


class Shared(Generic[Value]):
    """A dataclass with arrays, which backends send once and not with each task.

    Dask's backend of joblib scatters arguments that say that they are large, and knows a later one for the
    same object; that of processes writes their arrays to a file that workers map into memory.

    Parameters
    ----------
    value : dataclass
        What tasks read.
    """

    def __init__(self, value: Value) -> None:
        self.value = value

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + sum(map(_n_bytes, vars(self.value).values()))

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Arrays may arrive in the middle of a message, at an address that compiled code does not take.
        value = state["value"]
        fields = {name: _aligned(vars(value)[name]) for name in value.__dataclass_fields__}
        self.value = replace(value, **fields)


def _n_bytes(value: Any) -> int:
    if isinstance(value, np.ndarray):
        return value.nbytes
    if sp.issparse(value):
        return int(value.data.nbytes + value.indices.nbytes + value.indptr.nbytes)
    return sum(map(_n_bytes, value)) if isinstance(value, (tuple, list)) else 0


def _aligned(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return np.require(value, requirements=["C", "A"])
    is_named = isinstance(value, tuple) and hasattr(value, "_fields")
    return type(value)(*map(_aligned, value)) if is_named else value
