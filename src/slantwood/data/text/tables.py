"""Tables of text with a separator between the cells: columns of numbers, and of categories.

Quotes are those of RFC 4180: in a quoted cell may be separators and line ends, and a quote is written twice.
A column whose cells are all numbers is one of numbers; one with text is nominal, but a rare text among
numbers is a mistake in the file. The first rows tell which columns have text; where a later one tells better,
these columns are read once more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np

from slantwood.data.names import told_apart
from slantwood.data.table import Table
from slantwood.data.text.scanning import malformed, number, scanning, whole_lines
from slantwood.data.text.table_columns import MISSING, as_table
from slantwood.data.text.table_scan import Layout, TableFile, read_columns, read_first_rows, record
from slantwood.data.wanted import Roles, Wanted
from slantwood.kernels.text import NUMBER, SKIP, TARGET, TEXT

_CELLS_TO_LOOK_AT = 1 << 17


@scanning()
def read_delimited(path: Path, wanted: Wanted, separators: Sequence[str]) -> Table:
    """Read a table whose cells are between separators, the first of these that its first line has."""
    file, first, rest = _opened(path, wanted, separators)
    roles = wanted.roles(file.names, path)
    columns = read_columns(file, chain([first], rest), _first_guess(file, first, roles))
    if columns.mistaken:
        kinds = np.full(len(file.names), SKIP)
        kinds[list(columns.mistaken)] = TEXT
        again = read_columns(file, whole_lines(path), Layout(kinds))
        columns = replace(columns, codes=columns.codes | again.codes, values=columns.values | again.values)
    return as_table(file, roles, columns)


def _opened(
    path: Path, wanted: Wanted, separators: Sequence[str]
) -> tuple[TableFile, bytes, Iterator[bytes]]:
    rest = whole_lines(path)
    first = next(rest, b"")
    line = 1
    skipped = len(first) - len(first.lstrip(b"\r\n"))
    line += first[:skipped].count(b"\n")
    if skipped == len(first):
        raise malformed(path, line, "the file is empty; expected a line of names or a row")
    for separator in separators:
        cells, end, n_lines = record(path, first, skipped, line, separator)
        if len(cells) > 1:
            break
    else:
        separator = separators[0]
        cells, end, n_lines = record(path, first, skipped, line, separator)
    has_header = wanted.header
    if has_header is None:
        has_header = not all(cell in MISSING or number(cell) is not None for cell in cells)
    if not has_header:
        names = tuple(f"x{i}" for i in range(len(cells)))
        return TableFile(path, separator, names, skipped, line), first, rest
    names = told_apart(cell or f"x{i}" for i, cell in enumerate(cells))
    return TableFile(path, separator, names, end, line + n_lines), first, rest


def _first_guess(file: TableFile, first: bytes, roles: Roles) -> Layout:
    """Return what becomes of each column, as far as the first rows tell."""
    kinds = np.full(len(file.names), SKIP)
    kinds[list(roles.inputs)] = NUMBER
    kinds[list(roles.targets)] = TARGET
    told = [column for column in roles.nominal if kinds[column] != SKIP]
    kinds[told] = SKIP
    found = read_first_rows(file, first, Layout(kinds), 1 + _CELLS_TO_LOOK_AT // len(kinds))
    kinds[told] = TEXT
    kinds[list(found.mistaken)] = TEXT
    return Layout(kinds, in_doubt=found.empty())
