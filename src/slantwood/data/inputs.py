"""Which X the inputs of a file become: an array, a sparse matrix, or a data frame."""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.data.table import Categories, Table, compact


def inputs(path: Path, table: Table) -> Any:
    """Return the X that estimators take."""
    return frame(pandas_for(path), table) if table.nominal else compact(table.numbers)


def frame(pandas: Any, table: Table) -> Any:
    """Make a data frame of the inputs, nominal ones of dtype category."""
    numbers: Any = table.numbers
    rest = iter((numbers.toarray() if sp.issparse(numbers) else numbers).T)
    # A type with its categories is slow to make, and columns by the thousand may share one.
    dtype = cache(pandas.CategoricalDtype)
    columns: dict[str, Any] = {}
    for i, name in enumerate(table.names):
        match table.nominal.get(i):
            case Categories(codes, values):
                columns[name] = pandas.Categorical.from_codes(codes, dtype=dtype(values))
            case None:
                columns[name] = np.ascontiguousarray(next(rest))
    return pandas.DataFrame(columns)


def pandas_for(path: Path) -> Any:
    """Import pandas, or say which file needs it."""
    try:
        return importlib.import_module("pandas")
    except ImportError as error:
        raise ImportError(
            f"{path} has nominal columns, which need pandas; install it with: pip install 'slantwood[data]'"
        ) from error
