"""What users give: dask arrays and frames, arrays and frames of this process, or a folder of files.

All become a list of parts of the rows: futures, but for rows that this process holds.
"""

from __future__ import annotations

from numbers import Real
from os import PathLike
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from slantwood.data.read_options import ReadOptions
from slantwood.data.scans.scan import Scan, scan_with_options
from slantwood.estimators.parts.out_of_core import is_scan
from slantwood.estimators.parts.part_of_rows import PartOfRows, checked_part, joined
from slantwood.features.rows import n_rows_of
from slantwood.hints import pluralize, shown


def is_collection(table: Any) -> bool:
    """Tell whether something is a dask array, data frame or series."""
    return hasattr(table, "__dask_graph__") and hasattr(table, "to_delayed")


def is_folder(table: Any) -> bool:
    """Tell whether something is the path of a folder or of files."""
    return isinstance(table, (str, PathLike))


class Parts(NamedTuple):
    """The rows in parts, in their order."""

    rows: list[Any]  # futures of `PartOfRows`, or of rows of this process the only part
    feature_names: tuple[str, ...] | None = None  # as files say
    target_names: tuple[str, ...] | None = None


def parts_of(client: Any, X: Any, y: Any, sample_weight: Any, task: str) -> Parts:
    """Return the parts of the rows.

    Parameters
    ----------
    client : distributed.Client
        Whose workers read and hold the parts.
    X : dask array, dask data frame, array, sparse matrix, data frame, or path of a folder
        Features; in a folder, these and the targets.
    y : dask array, frame or series, array, frame, label sets, or names of columns
        Targets, divided as X is.
    sample_weight : dask array or series, array, number, or None
        Weights of the rows, divided as X is; a number is that of each.
    task : {"classification", "regression"}
        What numbers in the targets of files mean.

    Returns
    -------
    Parts
        Of files with the names of their columns.
    """
    if is_folder(X):
        if sample_weight is not None:
            raise ValueError("sample_weight is not taken beside a folder of files, whose rows have no order")
        return _parts_of_files(client, scan_with_options(X, ReadOptions(y, task=task)))
    if is_scan(X):
        raise TypeError(f"X is {X!r}; for a cluster give the path of the folder, and the targets as y")
    if y is None:
        raise ValueError("fit requires y to be passed, but the target y is None")
    if not is_collection(X):
        if is_collection(y) or is_collection(sample_weight):
            raise TypeError(
                f"y or sample_weight is a dask collection, and X is {shown(type(X).__name__)}; give both as "
                "dask collections, or both as arrays"
            )
        return Parts([_part(X, y, sample_weight, 0)])
    features = _blocks(client, X)
    targets = _blocks_like(client, y, len(features))
    columns = (columns_of(X), columns_of(y))
    is_same_for_all = sample_weight is None or isinstance(sample_weight, Real)
    weights = (
        [sample_weight] * len(features)
        if is_same_for_all
        else _blocks_like(client, sample_weight, len(features))
    )
    numbers = range(len(features))
    return Parts(client.map(_part, features, targets, weights, numbers, columns=columns, pure=False))


def _part(
    X: Any, y: Any, weights: Any, number: int, columns: tuple[Columns, Columns] = (None, None)
) -> PartOfRows:
    X, y = (in_columns(*each, number) for each in ((X, columns[0], "X"), (y, columns[1], "y")))
    if isinstance(weights, Real):  # the same for all rows
        weights = np.full(n_rows_of(X), weights, np.float64)
    return checked_part(X, y, weights, number)


# The names of the columns of all parts of a frame, or of an array the number of columns; None where unknown.
Columns: TypeAlias = list[Any] | int | None


def columns_of(collection: Any) -> Columns:
    """Return the columns that a collection says its parts have."""
    if getattr(collection, "ndim", 1) != 2:
        return None
    if hasattr(collection, "columns"):
        return list(collection.columns)
    width = collection.shape[1]
    return int(width) if width == width else None


def in_columns(rows: Any, columns: Columns, called: str, number: int) -> Any:
    """Return a part with its columns in the order of all; one that lacks any, or has others, is refused.

    Dask does not check that parts have the columns of the frame.
    """
    if isinstance(columns, int):
        width = rows.shape[1] if len(rows.shape) == 2 else 1
        if width != columns:
            raise ValueError(
                f"part {number} of {called} has {pluralize(width, 'column')}; expected {columns}"
            )
        return rows
    names = list(getattr(rows, "columns", columns or ()))
    if columns is None or names == columns:
        return rows
    missing = next((name for name in columns if name not in names), None)
    other = next((name for name in names if name not in columns), None)
    if missing is None and other is None and len(names) == len(columns):
        return rows[columns]
    found = [] if missing is None else [f"lacks the column {shown(missing)}"]
    found += [] if other is None else [f"has the column {shown(other)}, which {called} has not"]
    what = " and ".join(found) or "has a column twice"
    raise ValueError(f"part {number} of {called} {what}; give all parts the same columns")


def _blocks(client: Any, table: Any) -> list[Any]:
    """Return futures of the blocks of rows of a collection."""
    if getattr(table, "ndim", 1) == 2 and hasattr(table, "rechunk") and len(table.chunks[1]) > 1:
        table = table.rechunk({1: -1})
    delayed = table.to_delayed()
    return client.compute(delayed.ravel().tolist() if hasattr(delayed, "ravel") else list(delayed))


def _blocks_like(client: Any, table: Any, n_blocks: int) -> list[Any]:
    if not is_collection(table):
        raise TypeError(
            f"X is a dask collection, and beside it is {shown(type(table).__name__)}; give y and "
            "sample_weight as dask collections, divided as X is"
        )
    blocks = _blocks(client, table)
    if len(blocks) != n_blocks:
        raise ValueError(
            f"X has {pluralize(n_blocks, 'part')}, and y or sample_weight has {len(blocks)}; divide them in "
            "the same way (rechunk, repartition)"
        )
    return blocks


def _parts_of_files(client: Any, scan: Scan) -> Parts:
    """Let workers read files, each in the form of the first, with the targets that all of them have."""
    surveyed = client.submit(Scan.surveyed, scan, pure=False)
    features, targets = client.submit(_names, surveyed, pure=False).result()
    if not targets:
        raise ValueError(f"{scan.files[0]} has no targets; name its columns of targets as y")
    rows = client.map(_read, range(len(scan.files)), scan=surveyed, pure=False)
    return Parts(rows, features, targets)


def _names(scan: Scan) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(scan.feature_names), tuple(scan.target_names)


def _read(number: int, scan: Scan) -> PartOfRows:
    """Read a file, on a worker."""
    parts = [checked_part(block.X, block.y, block.weights, number) for block in scan.blocks_of_file(number)]
    if not parts:
        return PartOfRows(np.empty((0, len(scan.feature_names))), np.empty(0), None)
    return joined(parts)
