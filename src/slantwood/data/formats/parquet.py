"""Parquet files, read group of rows by group of rows."""

from __future__ import annotations

import io
from pathlib import Path
from typing import IO

from slantwood.data.arrow_tables import pyarrow, schema_and_batches, table_from
from slantwood.data.files import opened
from slantwood.data.table import Data, Table
from slantwood.data.wanted import Wanted


def read(path: Path, wanted: Wanted) -> Table:
    """Read a file."""
    parquet = pyarrow(".parquet")
    with opened(path) as stream:
        source = stream if path.suffix.lower() in (".parquet", ".pq") else io.BytesIO(stream.read())
        try:
            file = parquet.ParquetFile(source)
            schema, n_rows = file.schema_arrow, file.metadata.num_rows
            return table_from(path, schema, n_rows, lambda names: file.iter_batches(columns=names), wanted)
        except pyarrow().ArrowException as error:
            raise ValueError(f"{path}: {error}; expected a whole Parquet file") from error


def write(data: Data, file: IO[bytes]) -> None:
    """Write a file; targets become the last columns."""
    schema, batches = schema_and_batches(data)
    with pyarrow(".parquet").ParquetWriter(file, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
