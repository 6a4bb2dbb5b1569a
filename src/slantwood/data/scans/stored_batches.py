"""Parquet and Arrow files some rows at a time: no more than a block of a file is in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from slantwood.data.arrow_tables import column_roles, is_text, pyarrow, table_from
from slantwood.data.files import is_plain
from slantwood.data.formats.arrow import open_arrow
from slantwood.data.read_options import ReadOptions
from slantwood.data.table import Table

# Bytes that are read ahead, of all columns together, and at least of one.
_READ_AHEAD, _LEAST_AHEAD = 1 << 23, 1 << 13


@dataclass(frozen=True)
class StoredBatches:
    """One Parquet or Arrow file."""

    path: Path
    is_parquet: bool

    def __post_init__(self) -> None:
        if not is_plain(self.path):
            raise ValueError(
                f"{self.path} is compressed as a whole, and can only be read whole; decompress it (Parquet "
                "and Arrow files compress their columns themselves)"
            )

    @cached_property
    def schema(self) -> Any:
        """Names and types of the columns."""
        if self.is_parquet:
            return pyarrow(".parquet").read_schema(self.path)
        with open_arrow(self.path) as reader:
            return reader.schema

    @cached_property
    def n_rows(self) -> int:
        """Number of rows."""
        if self.is_parquet:
            return int(pyarrow(".parquet").read_metadata(self.path).num_rows)
        return sum(batch.num_rows for batch in self._batches(self.schema.names[:1], 1 << 20))

    def tables(self, options: ReadOptions, block_rows: int) -> Iterator[Table]:
        """Yield the rows, at most so many at a time, with the columns that are asked for."""
        names, roles = column_roles(self.path, self.schema, options)
        kept = [names[i] for i in sorted({*roles.inputs, *roles.targets})]
        for batch in self._batches(kept, block_rows):
            # The schema is that of the file: a text may come as codes of its values.
            yield table_from(self.path, self.schema, batch.num_rows, partial(_same, [batch]), options)

    def _batches(self, names: list[str], block_rows: int) -> Iterator[Any]:
        if not names:
            return
        if self.is_parquet:
            texts = [field.name for field in self.schema if is_text(field.type)]
            # Without a buffer each column of a group of rows would be read whole before the first row.
            ahead = max(_READ_AHEAD // len(names), _LEAST_AHEAD)
            with pyarrow(".parquet").ParquetFile(
                self.path, read_dictionary=texts, pre_buffer=False, buffer_size=ahead
            ) as file:
                for group in range(file.num_row_groups):
                    yield from file.iter_batches(
                        block_rows, row_groups=[group], columns=names, use_threads=False
                    )
            return
        needed = set(names)
        chosen = [i for i, name in enumerate(self.schema.names) if name in needed]
        with open_arrow(self.path, options=pyarrow(".ipc").IpcReadOptions(included_fields=chosen)) as reader:
            is_file = hasattr(reader, "num_record_batches")
            stored = map(reader.get_batch, range(reader.num_record_batches)) if is_file else reader
            for batch in stored:
                for start in range(0, batch.num_rows, block_rows):
                    yield batch.slice(start, block_rows)


def _same(batches: list[Any], names: list[str]) -> list[Any]:
    """Return batches that have these columns already."""
    return batches
