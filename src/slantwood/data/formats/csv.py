"""CSV: tables of text with commas, or else semicolons, between the cells."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO

import numpy as np

from slantwood.data.read_options import ReadOptions
from slantwood.data.table import Data, Table
from slantwood.data.text.numbers import MISSING, number_texts
from slantwood.data.text.tables import are_numbers, read_delimited
from slantwood.hints import shown

_CELLS_AT_A_TIME = 1 << 18
_NEEDS_QUOTES = frozenset('",;\t\r\n')


def read(path: Path, options: ReadOptions, separators: str = ",;") -> Table:
    """Read a file."""
    return read_delimited(path, options, separators)


def write(data: Data, file: IO[bytes], separator: str = ",") -> None:
    """Write a line of names and one line per row, inputs before targets; missing cells are empty.

    There is no place for weights and keys.
    """
    names = data.column_names
    # Quotes tell names that are numbers from a row.
    in_quotes = are_numbers(names)
    file.write(_joined([_quoted(name, separator, in_quotes) for name in names], separator))
    # Matrices are spelled out a few rows at a time.
    step = max(1, _CELLS_AT_A_TIME // max(len(names), 1))
    for start in range(0, data.X.shape[0], step):
        columns = map(np.asarray, data.columns(start, start + step))
        texts = [_cells(column, name, separator) for column, name in zip(columns, names, strict=True)]
        for row in zip(*texts, strict=True):
            file.write(_joined(row, separator))


def _joined(cells: Sequence[str], separator: str) -> bytes:
    # An empty line would be none at all.
    return ((separator.join(cells) or '""') + "\n").encode()


def _cells(column: np.ndarray, name: str, separator: str) -> list[str]:
    if column.dtype.kind in "biuf":
        return number_texts(column, missing="")
    texts = [None if value is None or value != value else str(value) for value in column.tolist()]
    if taken := MISSING.intersection(texts):
        raise ValueError(
            f"column {shown(name)} has the value {shown(min(taken))}, which stands for a missing cell in "
            "tables of text; write arff or parquet, or give it another name"
        )
    return ["" if text is None else _quoted(text, separator) for text in texts]


def _quoted(text: str, separator: str, always: bool = False) -> str:
    is_plain = text.strip() == text and text and not _NEEDS_QUOTES.intersection(text)
    if is_plain and separator not in text and not always:
        return text
    return '"' + text.replace('"', '""') + '"'
