"""Arrow IPC files, of which Feather is another name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from slantwood.data.arrow_tables import pyarrow, schema_and_batches, table_from
from slantwood.data.files import is_plain, open_read
from slantwood.data.read_options import ReadOptions
from slantwood.data.table import Data, Table

_MAGIC = b"ARROW1"


def read(path: Path, options: ReadOptions) -> Table:
    """Read a file, or a stored stream, batch by batch."""
    with open_read(path, options.max_memory, has_lines=False) as stream:
        # What is compressed as a whole can be read only once from front to back.
        content = None if is_plain(path) else pyarrow().py_buffer(stream.read())
        file = _File(path, content)
        # It does not say in front how many rows it has; one column is enough to count them.
        n_rows = sum(batch.num_rows for batch in file.batches(file.schema.names[:1]))
        return table_from(path, file.schema, n_rows, file.batches, options)


class _File:
    """A file that can be read several times."""

    def __init__(self, path: Path, content: Any) -> None:
        self._path, self._content = path, content
        with self._open() as source:
            self.schema = self._reader(source).schema

    def batches(self, names: list[str]) -> Iterator[Any]:
        """Yield batches with these columns only, of which just one is in memory at a time."""
        needed = set(names)
        chosen = [i for i, name in enumerate(self.schema.names) if name in needed]
        with self._open() as source:
            reader = self._reader(source, options=pyarrow(".ipc").IpcReadOptions(included_fields=chosen))
            if hasattr(reader, "num_record_batches"):
                yield from map(reader.get_batch, range(reader.num_record_batches))
            else:
                yield from reader

    def _open(self) -> Any:
        pa = pyarrow()
        return pa.OSFile(str(self._path)) if self._content is None else pa.BufferReader(self._content)

    def _reader(self, source: Any, **options: Any) -> Any:
        ipc = pyarrow(".ipc")
        is_file = source.read(len(_MAGIC)) == _MAGIC
        source.seek(0)
        return (ipc.open_file if is_file else ipc.open_stream)(source, **options)


def write(data: Data, file: IO[bytes]) -> None:
    """Write a file; targets become the last columns."""
    schema, batches = schema_and_batches(data)
    with pyarrow(".ipc").new_file(file, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
