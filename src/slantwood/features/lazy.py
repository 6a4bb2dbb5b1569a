"""Tables that hold no rows yet, such as those of Dask: local estimators cannot read them."""

from __future__ import annotations

from typing import Any


def refuse_lazy(table: Any, called: str) -> None:
    """Refuse a data frame or bag of Dask; its arrays and series become NumPy arrays where they are read."""
    if not hasattr(table, "__dask_graph__"):
        return
    is_frame = hasattr(table, "columns") and getattr(table, "ndim", 2) == 2
    if is_frame or not hasattr(table, "__array__"):
        raise lazy_error(table, called)


def lazy_error(table: Any, called: str) -> TypeError:
    """Return the error for a table without rows, with its remedy."""
    if hasattr(table, "__dask_graph__"):
        remedy = f"give {called}.compute(), or use the estimators of slantwood.dask"
        return TypeError(f"{called} is a {type(table).__name__} of Dask, whose rows are elsewhere; {remedy}")
    kind = f"a lazy frame ({type(table).__name__}), which holds no rows yet"
    return TypeError(f"{called} is {kind}; give {called}.collect()")
