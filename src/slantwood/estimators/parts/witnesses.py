"""A few rows that show every value that a part of the rows has: categories, classes, labels, ranges.

What estimators learn about X and y before they grow trees depends on which values there are. It can
therefore be learned from these rows, by the code that learns it from all rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from slantwood.features.frames import Coded, Table, is_frame
from slantwood.features.rows import n_rows_of
from slantwood.targets.label_sets import holds_label_sets, is_collection, rows_of


def witnesses_of_features(X: Any) -> np.ndarray:
    """Return rows of X in which each category, and of each column a missing and a known cell, occurs.

    Parameters
    ----------
    X : array, sparse matrix or data frame
        Features.

    Returns
    -------
    array of int
        Numbers of rows; they rise.

    Examples
    --------
    >>> import numpy as np
    >>> witnesses_of_features(np.array([["oak"], ["elm"], ["oak"], [None]], object))
    array([0, 1, 3])
    """
    if not n_rows_of(X):
        return np.empty(0, np.intp)
    if sp.issparse(X):
        return _of_missing_entries(X)
    if _are_numbers(X):
        return _sorted(_of_missing_cells(np.asarray(X)))
    table = Table(X)
    return _sorted(*(_of_cells(table.read(column)) for column in range(table.shape[1])))


def witnesses_of_targets(y: Any, *, are_classes: bool) -> np.ndarray:
    """Return rows of y in which each class or label occurs, and the least and largest of each number.

    Parameters
    ----------
    y : array, sparse matrix, frame, series or list
        Targets in any form that `fit` takes.
    are_classes : bool
        Whether whole numbers are classes.

    Returns
    -------
    array of int
        Numbers of rows; they rise.

    Examples
    --------
    >>> import numpy as np
    >>> witnesses_of_targets([{"sea"}, {"sea"}, {"sun"}], are_classes=True)
    array([0, 2])
    >>> witnesses_of_targets(np.array([2.5, 1.5, 9.5, 3.5]), are_classes=False)
    array([1, 2])
    """
    if not n_rows_of(y):
        return np.empty(0, np.intp)
    if sp.issparse(y):
        return _of_entries(sp.coo_array(y))
    if holds_label_sets(y):
        return _of_labels(rows_of(y))
    columns = Table(y if is_frame(y) else _two_dimensional(y))
    found = (columns.read(column) for column in range(columns.shape[1]))
    return _sorted(*(_of_target(cells, are_classes) for cells in found))


class ManyValues(NamedTuple):
    """A column, and how many values it has."""

    label: str
    n_values: int


def column_of_most_values(X: Any) -> ManyValues | None:
    """Return the column of X with most values, of those that may have categories; None where there is none.

    Parameters
    ----------
    X : array, sparse matrix or data frame
        Features.

    Returns
    -------
    ManyValues or None
        The column as an error should name it, and its number of different values.

    Examples
    --------
    >>> import numpy as np
    >>> column_of_most_values(np.array([["oak", 1], ["elm", 1], ["ash", 2]], object))
    ManyValues(label='column 0 of X', n_values=3)
    """
    if _are_numbers(X):
        return None
    table = Table(X)
    cells = [table.read(column) for column in range(table.shape[1])]
    counts = [len(each.values) if isinstance(each, Coded) else 0 for each in cells]
    if not any(counts):
        return None
    largest = int(np.argmax(counts))
    return ManyValues(table.label(largest), counts[largest])


def _are_numbers(X: Any) -> bool:
    return sp.issparse(X) or (not is_frame(X) and np.asarray(X).dtype.kind in "biuf")


def _two_dimensional(y: Any) -> np.ndarray:
    y = np.asarray(y if not hasattr(y, "to_numpy") else y.to_numpy())
    return y.reshape(len(y), -1)


def _sorted(*rows: np.ndarray) -> np.ndarray:
    return np.unique(np.concatenate([np.empty(0, np.intp), *rows])).astype(np.intp)


def _of_cells(cells: np.ndarray | Coded) -> np.ndarray:
    if isinstance(cells, Coded):
        return np.unique(cells.codes, return_index=True)[1]
    return _of_missing_cells(cells[:, None])


def _of_target(cells: np.ndarray | Coded, are_classes: bool) -> np.ndarray:
    if isinstance(cells, Coded):
        return np.unique(cells.codes, return_index=True)[1]
    known = np.flatnonzero(cells == cells)
    of_missing = _of_missing_cells(cells[:, None])
    if not len(known):
        return of_missing
    numbers = cells[known]
    # Numbers that are not whole are none of the classes that estimators take.
    if are_classes and (numbers.dtype.kind != "f" or (numbers == np.floor(numbers)).all()):
        firsts = np.unique(numbers, return_index=True)[1]
    else:
        firsts = np.array([numbers.argmin(), numbers.argmax()])
    return np.concatenate([known[firsts], of_missing])


def _of_missing_cells(X: np.ndarray) -> np.ndarray:
    """Return the first missing and the first known cell of each column that has missing ones."""
    if X.dtype.kind != "f" or not len(X):
        return np.empty(0, np.intp)
    missing = np.isnan(X)
    columns = missing.any(axis=0)
    return np.concatenate([missing[:, columns].argmax(axis=0), (~missing[:, columns]).argmax(axis=0)])


def _of_missing_entries(X: Any) -> np.ndarray:
    if X.dtype.kind != "f":
        return np.empty(0, np.intp)
    entries = sp.coo_array(X)
    at = np.flatnonzero(np.isnan(entries.data))
    return _sorted(entries.coords[0][at][np.unique(entries.coords[1][at], return_index=True)[1]])


def _of_entries(entries: sp.coo_array) -> np.ndarray:
    """Return a row for each column with a known entry, and one for each with a missing entry."""
    missing = np.isnan(entries.data) if entries.data.dtype.kind == "f" else np.zeros(entries.nnz, np.bool_)
    rows, columns = entries.coords
    firsts = [np.unique(columns[mask], return_index=True)[1] for mask in (missing, ~missing)]
    return _sorted(rows[missing][firsts[0]], rows[~missing][firsts[1]])


def _of_labels(rows: list[Any]) -> np.ndarray:
    first: dict[Any, int] = {}
    for number, row in enumerate(rows):
        if is_collection(row):
            for label in row:
                first.setdefault(label, number)
        else:
            first.setdefault(None, number)
    return _sorted(np.fromiter(first.values(), np.intp, len(first)))
