"""Predictions as a Parquet file, written some rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from slantwood.data.arrow_tables import pyarrow
from slantwood.data.files import write_file

if TYPE_CHECKING:
    from slantwood.cli.predictions import Predictions

# Rows of a group: small groups would take long to read.
_GROUP = 100_000


def write_parquet(path: Path, result: Predictions) -> int:
    """Write predictions to a file, which appears when it is whole; return the number of rows."""
    pa, parquet = pyarrow(), pyarrow(".parquet")
    n_rows = 0
    groups = _groups(result)
    first = next(groups, [])
    columns = [list(column) for column in zip(*first, strict=True)] if first else [[] for _ in result.heading]
    types = [_type(name, cells) for name, cells in zip(result.heading, columns, strict=True)]
    schema = pa.schema(list(zip(result.heading, types, strict=True)))

    def write(file: IO[bytes]) -> None:
        nonlocal n_rows
        with parquet.ParquetWriter(file, schema) as writer:
            for rows in chain([first] if first else [], groups):
                cells = [
                    pa.array(column, type=kind)
                    for column, kind in zip(zip(*rows, strict=True), types, strict=True)
                ]
                writer.write_batch(pa.record_batch(cells, schema=schema))
                n_rows += len(rows)

    write_file(path, write)
    return n_rows


def _groups(result: Predictions) -> Iterator[list[list[Any]]]:
    held: list[list[Any]] = []
    for chunk in result.chunks:
        held += chunk
        if len(held) >= _GROUP:
            yield held
            held = []
    if held:
        yield held


def _type(name: str, cells: list[Any]) -> Any:
    """Return the type of a column; one without any value yet may have some later."""
    pa = pyarrow()
    found = pa.array(cells).type
    if pa.types.is_list(found):
        return pa.list_(pa.string())
    if pa.types.is_null(found):
        return pa.float64() if name.startswith("score_") else pa.string()
    return found
