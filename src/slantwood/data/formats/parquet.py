"""Parquet files, read group of rows by group of rows."""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any

from slantwood.data.arrow_tables import is_text, pyarrow, table_from, write_batches
from slantwood.data.files import is_plain, open_read
from slantwood.data.read_options import ReadOptions
from slantwood.data.table import Data, Table

_ROWS_AT_A_TIME = 1 << 13


def read(path: Path, options: ReadOptions) -> Table:
    """Read a file."""
    parquet = pyarrow(".parquet")
    with open_read(path, options.max_memory, has_lines=False) as stream:
        source = stream if is_plain(path) else io.BytesIO(stream.read())
        schema = parquet.ParquetFile(source).schema_arrow
        # A text that many rows have is stored once, and would be copied for each of them.
        texts = [field.name for field in schema if is_text(field.type)]
        # A buffer would hold all of the file in the end.
        file = parquet.ParquetFile(source, read_dictionary=texts, pre_buffer=False)
        n_rows = file.metadata.num_rows
        return table_from(path, schema, n_rows, lambda names: _batches(file, names), options)


def _batches(file: Any, names: list[str]) -> Iterator[Any]:
    for group in range(file.num_row_groups):
        # Threads keep memory for themselves.
        yield from file.iter_batches(_ROWS_AT_A_TIME, row_groups=[group], columns=names, use_threads=False)


def write(data: Data, file: IO[bytes]) -> None:
    """Write a file; targets become the last columns."""
    write_batches(data, partial(pyarrow(".parquet").ParquetWriter, file))
