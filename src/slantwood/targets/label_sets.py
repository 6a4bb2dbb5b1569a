"""Is y a collection of labels for each row, rather than a matrix or one class per row."""

from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp

_COLLECTIONS = (set, frozenset, list, tuple, np.ndarray)


def holds_label_sets(y: Any) -> bool:
    """Tell whether y has a collection of labels for each row.

    Lists of numbers of equal length are the rows of a matrix; sets never are.

    Examples
    --------
    >>> from slantwood.targets.label_sets import holds_label_sets
    >>> holds_label_sets([["sea"], ["sea", "sun"], None]), holds_label_sets([{3}, {1}])
    (True, True)
    >>> holds_label_sets([[0, 1], [1, 0]]), holds_label_sets(["sea", "sun"])
    (False, False)
    """
    if sp.issparse(y) or len(getattr(y, "shape", (0,))) != 1:
        return False
    if isinstance(y, np.ndarray) and y.dtype != object:
        return False
    listed = rows_of(y)
    rows = [row for row in listed if is_collection(row)]
    if len(rows) < len(listed) or len({len(row) for row in rows}) > 1:
        return bool(rows)
    if any(isinstance(row, (set, frozenset)) for row in rows):
        return True
    cells = [cell for row in rows for cell in row]
    # Rows without any cell are rows without any label.
    return bool(rows) and not (cells and all(isinstance(c, (Real, np.bool_)) or c is None for c in cells))


def is_collection(row: Any) -> bool:
    """Tell whether a row of y is a collection of labels, rather than a label."""
    return isinstance(row, _COLLECTIONS)


def rows_of(y: Any) -> list[Any]:
    """Return the rows of a list, an array of objects, or a series of any library, as a list."""
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(y, method):
            return list(getattr(y, method)())
    return list(y)
