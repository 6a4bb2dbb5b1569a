"""Some rows of a table, and tables put below one another, in whatever container rows come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.hints import shown


def n_rows_of(table: Any) -> int:
    """Return the number of rows of an array, sparse matrix, frame, series or list.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> n_rows_of([1, 2, 3]), n_rows_of(sp.eye_array(4))
    (3, 4)
    """
    shape = getattr(table, "shape", None)
    return int(shape[0]) if shape else len(table)


def take_rows(table: Any, rows: np.ndarray) -> Any:
    """Return some rows, in the container that the table is.

    Parameters
    ----------
    table : array, sparse matrix, frame, series or list
        All rows.
    rows : array of int
        Numbers of rows.

    Returns
    -------
    object
        Of the same kind as the table; a tuple becomes a list.

    Examples
    --------
    >>> import numpy as np
    >>> take_rows(["a", "b", "c"], np.array([2, 0]))
    ['c', 'a']
    """
    if isinstance(table, (list, tuple)):
        return [table[row] for row in rows.tolist()]
    if sp.issparse(table):
        return sp.csr_array(table)[rows]
    if isinstance(table, np.ndarray):
        return table[rows]
    if hasattr(table, "iloc"):
        return table.iloc[rows]
    if hasattr(table, "take"):  # of Arrow
        return table.take(rows)
    return table[rows]  # of polars


def slice_rows(table: Any, start: int, stop: int) -> Any:
    """Return the rows from one to before another, in the container that the table is; arrays as views.

    Parameters
    ----------
    table : array, sparse matrix, frame, series or list
        All rows.
    start, stop : int
        Which.

    Returns
    -------
    object
        Of the same kind as the table.

    Examples
    --------
    >>> slice_rows(["a", "b", "c"], 1, 3)
    ['b', 'c']
    """
    if hasattr(table, "iloc"):
        return table.iloc[start:stop]
    if hasattr(table, "combine_chunks"):  # of Arrow
        return table.slice(start, stop - start)
    return table[start:stop]


def join_rows(parts: Sequence[Any]) -> Any:
    """Put tables of one kind below one another.

    Parameters
    ----------
    parts : sequence of arrays, sparse matrices, frames, series or lists
        Tables with the same columns; those without any row are left out, unless all are so.

    Returns
    -------
    object
        Of the same kind as the parts.

    Examples
    --------
    >>> import numpy as np
    >>> join_rows([np.zeros((2, 3)), np.ones((1, 3))]).shape
    (3, 3)
    """
    parts = [part for part in parts if n_rows_of(part)] or list(parts[:1])
    first = parts[0]
    if len(parts) == 1:
        return first
    if all(isinstance(part, (list, tuple)) for part in parts):
        return [row for part in parts for row in part]
    if any(map(sp.issparse, parts)) and all(
        sp.issparse(each) or isinstance(each, np.ndarray) for each in parts
    ):
        return sp.csr_array(sp.vstack([sp.csr_array(part) for part in parts], format="csr"))
    if all(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate(parts)
    if not all(type(part) is type(first) for part in parts):
        kinds = ", ".join(sorted({type(part).__name__ for part in parts}))
        raise TypeError(f"parts of the rows are of several kinds ({kinds}); give all in the same form")
    if hasattr(first, "iloc"):
        return _joined_pandas(parts)
    if hasattr(first, "vstack") or hasattr(first, "append"):  # a frame or a series of polars
        import polars as pl

        return pl.concat(parts)
    if hasattr(first, "to_pylist"):
        import pyarrow as pa

        if hasattr(first, "column_names"):
            return pa.concat_tables(parts)
        if hasattr(first, "chunks"):
            return pa.chunked_array([chunk for part in parts for chunk in part.chunks])
        return pa.concat_arrays(parts)
    raise TypeError(f"rows come as {shown(type(first).__name__)}; give arrays, sparse matrices or frames")


def _joined_pandas(parts: Sequence[Any]) -> Any:
    import pandas as pd

    if not hasattr(parts[0], "columns"):
        return pd.concat(parts)
    nominal = [
        name
        for name in parts[0].columns
        if all(isinstance(part[name].dtype, pd.CategoricalDtype) for part in parts)
        and any(part[name].dtype != parts[0][name].dtype for part in parts)
    ]
    if nominal:
        # Categories that only some parts have would otherwise turn a column into objects.
        parts = [part.copy(deep=False) for part in parts]
        for name in nominal:
            columns = pd.api.types.union_categoricals([part[name] for part in parts], ignore_order=True)
            for part in parts:
                part[name] = part[name].cat.set_categories(columns.categories)
    return pd.concat(parts)
