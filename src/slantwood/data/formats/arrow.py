"""Arrow IPC files, of which Feather is another name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any

from slantwood.data.arrow_tables import pyarrow, table_from, write_batches
from slantwood.data.files import is_plain, open_read
from slantwood.data.read_options import ReadOptions
from slantwood.data.table import Data, Table

_MAGIC = b"ARROW1"


def read(path: Path, options: ReadOptions) -> Table:
    """Read a file, or a stored stream, batch by batch."""
    with open_read(path, options.max_memory, has_lines=False) as stream:
        # What is compressed as a whole can be read only once from front to back.
        content = None if is_plain(path) else pyarrow().py_buffer(stream.read())
        with open_arrow(path, content) as reader:
            schema = reader.schema

        def batches(names: list[str]) -> Iterator[Any]:
            """Yield batches with these columns only, of which just one is in memory at a time."""
            needed = set(names)
            chosen = [i for i, name in enumerate(schema.names) if name in needed]
            with open_arrow(path, content, pyarrow(".ipc").IpcReadOptions(included_fields=chosen)) as reader:
                if hasattr(reader, "num_record_batches"):
                    yield from map(reader.get_batch, range(reader.num_record_batches))
                else:
                    yield from reader

        # It does not say in front how many rows it has; one column is enough to count them.
        n_rows = sum(batch.num_rows for batch in batches(schema.names[:1]))
        return table_from(path, schema, n_rows, batches, options)


@contextmanager
def open_arrow(path: Path, content: Any = None, options: Any = None) -> Iterator[Any]:
    """Open a file, or its content, with what reads its batches."""
    pa, ipc = pyarrow(), pyarrow(".ipc")
    with pa.OSFile(str(path)) if content is None else pa.BufferReader(content) as source:
        is_file = source.read(len(_MAGIC)) == _MAGIC
        source.seek(0)
        yield (ipc.open_file if is_file else ipc.open_stream)(source, options=options)


def write(data: Data, file: IO[bytes]) -> None:
    """Write a file; targets become the last columns."""
    write_batches(data, partial(pyarrow(".ipc").new_file, file))
