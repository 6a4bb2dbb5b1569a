"""CSV: tables of text with commas, or else semicolons, between the cells."""

from __future__ import annotations

from pathlib import Path
from typing import IO

from slantwood.data.read_options import ReadOptions
from slantwood.data.table import Data, Table
from slantwood.data.text.table_output import write_delimited
from slantwood.data.text.tables import read_delimited


def read(path: Path, options: ReadOptions) -> Table:
    """Read a file."""
    return read_delimited(path, options, ",;")


def write(data: Data, file: IO[bytes]) -> None:
    """Write a file: a line of names, and inputs before targets. It has no place for weights and keys."""
    write_delimited(data, file, ",")
