"""Arrow IPC files, of which Feather is another name."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any

from slantwood.data.arrow_tables import pyarrow, schema_and_batches, table_from
from slantwood.data.files import opened
from slantwood.data.table import Data, Table
from slantwood.data.wanted import Wanted

_MAGIC = b"ARROW1"


def read(path: Path, wanted: Wanted) -> Table:
    """Read a file, or a stored stream."""
    with opened(path) as stream:
        try:
            content = pyarrow().py_buffer(stream.read())
            table = _table(content)
            return table_from(
                path, table.schema, table.num_rows, lambda names: table.select(names).to_batches(), wanted
            )
        except pyarrow().ArrowException as error:
            raise ValueError(f"{path}: {error}; expected a whole Arrow file (Feather version 2)") from error


def _table(content: Any) -> Any:
    ipc = pyarrow(".ipc")
    is_file = bytes(content[: len(_MAGIC)]) == _MAGIC
    return (ipc.open_file if is_file else ipc.open_stream)(content).read_all()


def write(data: Data, file: IO[bytes]) -> None:
    """Write a file; targets become the last columns."""
    schema, batches = schema_and_batches(data)
    with pyarrow(".ipc").new_file(file, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
