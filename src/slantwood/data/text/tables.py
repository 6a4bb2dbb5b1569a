"""Tables of text with a separator between the cells: columns of numbers, and of categories.

Quotes are those of RFC 4180: in a quoted cell may be separators and line ends, and a quote is written twice.
A column whose cells are all numbers is one of numbers; one with text is nominal, but a rare text among
numbers is a mistake in the file. The first rows tell which columns have text; where a later one tells better,
these columns are read once more.

Not by pyarrow: its errors name no line, and on one thread it was no faster.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np

from slantwood.data.limits import Limit
from slantwood.data.names import NumberedNames, deduplicate
from slantwood.data.read_options import ReadOptions, Roles
from slantwood.data.table import Categories, Table, sorted_categories
from slantwood.data.text import table_scan
from slantwood.data.text.compiled.table import NUMBER, SKIP, TARGET, TEXT
from slantwood.data.text.numbers import fits, parse_number
from slantwood.data.text.scanning import malformed, scanning, whole_lines
from slantwood.data.text.table_scan import Columns, Layout, TableFile, split_record
from slantwood.hints import shown

MISSING = frozenset({"", "?", "NA", "N/A", "NaN", "nan", "null"})

# Texts that are no more of a column of numbers than this are taken for mistakes.
_RARE = 0.01
_CELLS_TO_LOOK_AT = 1 << 17
# A name, its place among others, and what is noted of its column.
_BYTES_OF_A_COLUMN = 400
_IN_QUOTES = rb'"(?:[^"]|"")++"'
_QUOTED_CELL = re.compile(rb"(?:^|(?<=[,;\t\n]))[ \t]*+" + _IN_QUOTES)
# A row of a spreadsheet in countries where commas are decimal points.
_DECIMAL_COMMAS = re.compile(rb"[-+]?[0-9]*+(?:,[0-9]++)?(?:;[-+]?[0-9]*+(?:,[0-9]++)?)++")


@scanning()
def read_delimited(path: Path, options: ReadOptions, separators: Sequence[str]) -> Table:
    """Read a table with one of these separators, the one that its first line has most often."""
    file, first, rest = _open_table(path, options, separators)
    roles = options.roles(file.names, path)
    columns = table_scan.read_columns(file, chain([first], rest), _guess_layout(file, first, roles))
    if columns.mistaken:
        kinds = np.full(len(file.names), SKIP)
        kinds[list(columns.mistaken)] = TEXT
        again = table_scan.read_columns(file, file.blocks(), Layout(kinds))
        columns = replace(columns, codes=columns.codes | again.codes, values=columns.values | again.values)
    return _as_table(file, roles, columns)


def _open_table(
    path: Path, options: ReadOptions, separators: Sequence[str]
) -> tuple[TableFile, bytes, Iterator[bytes]]:
    limit = Limit.of(path, options.max_memory)
    rest = whole_lines(path, limit.n_bytes)
    first = next(rest, b"")
    start = len(first) - len(first.lstrip(b"\r\n"))
    line = 1 + first[:start].count(b"\n")
    if start == len(first):
        raise malformed(path, line, "the file is empty; expected a line of names or a row")
    separator = _separator(first[start:], separators)
    # A cell in quotes may have line ends in it.
    end = first.find(b"\n", start)
    end = end if first.find(b'"', start, end) < 0 else len(first)
    n_columns = 1 + first.count(separator.encode(), start, end)
    limit.check(_BYTES_OF_A_COLUMN * n_columns, f"its {n_columns:,} columns")
    cells, end, n_lines = split_record(path, first, start, line, separator)
    names: Sequence[str] = NumberedNames("x", len(cells))
    if _are_names(cells, first, start, end, separator) if options.header is None else options.header:
        names = deduplicate(cell or f"x{i}" for i, cell in enumerate(cells))
        start, line = end, line + n_lines
    return TableFile(path, limit, separator, names, start, line), first, rest


def _separator(text: bytes, separators: Sequence[str]) -> str:
    """Return the separator that the first line has most often outside of quotes."""
    line = next(iter(_QUOTED_CELL.sub(b"", text).splitlines()), b"")
    if ";" in separators and _DECIMAL_COMMAS.fullmatch(line):
        return ";"
    return max(separators, key=lambda each: line.count(each.encode()))


def _are_names(cells: list[str], block: bytes, start: int, end: int, separator: str) -> bool:
    """Tell names from numbers.

    Names may be numbers too: those that pandas gives, from 0 on, maybe after an index without name; and those
    in quotes, above a row of numbers that are not.
    """
    if not are_numbers(cells):
        return True
    counted = list(map(str, range(len(cells))))
    if len(cells) > 2 and cells in (counted, ["", *counted[:-1]]):
        return True
    mark = re.escape(separator.encode())
    quoted = re.compile(rb"[\r\n]*+( *+%b(?: *+%b *+%b)*+ *+[\r\n])" % (_IN_QUOTES, mark, _IN_QUOTES))
    if not quoted.match(block, start):
        return False
    row = quoted.match(block, end)
    return row is None or not are_numbers(split_record(Path(), block, row.start(1), 0, separator)[0])


def are_numbers(cells: Sequence[str]) -> bool:
    """Tell whether all cells are numbers, or missing."""
    return all(cell in MISSING or parse_number(cell) is not None for cell in cells)


def _guess_layout(file: TableFile, first: bytes, roles: Roles) -> Layout:
    """Return what becomes of each column, as far as the first rows tell."""
    kinds = np.full(len(file.names), SKIP)
    kinds[list(roles.inputs)] = NUMBER
    kinds[list(roles.targets)] = TARGET
    nominal = [column for column in roles.nominal if kinds[column] != SKIP]
    kinds[nominal] = SKIP
    found = table_scan.read_first_rows(file, first, Layout(kinds), 1 + _CELLS_TO_LOOK_AT // len(kinds))
    kinds[nominal] = TEXT
    kinds[list(found.mistaken)] = TEXT
    return Layout(kinds, in_doubt=found.empty())


def _as_table(file: TableFile, roles: Roles, columns: Columns) -> Table:
    """Return inputs and targets, each column as what it turned out to be."""
    layout, nominal = columns.layout, {}
    held = {column: columns.numbers[:, j] for j, column in enumerate(layout.numbers)}
    held |= {column: columns.targets[:, j] for j, column in enumerate(layout.targets)}
    are_inputs = frozenset(roles.inputs)
    for column in columns.codes:
        found = _column(file, columns, column, column in roles.nominal, column in are_inputs)
        if isinstance(found, Categories):
            nominal[column] = found
        else:
            held[column][:] = found
    kept = [j for j, column in enumerate(layout.numbers) if column not in nominal]
    numbers = columns.numbers if len(kept) == len(layout.numbers) else columns.numbers[:, kept]
    targets = {i: np.ascontiguousarray(held[i]) for i in roles.targets if i not in nominal}
    return Table.of(file.names, roles, numbers, {**targets, **nominal})


def _column(
    file: TableFile, columns: Columns, column: int, is_nominal: bool, is_input: bool
) -> Categories | np.ndarray:
    codes, values = columns.codes[column], []
    for code, letters in enumerate(columns.values[column]):
        try:
            values.append(letters.decode())
        except UnicodeDecodeError as error:
            line = table_scan.line_of_row(file, int(np.argmax(codes == code)))
            raise malformed(file.path, line, f"{shown(letters)} is not text; expected UTF-8") from error
    if not is_nominal:
        numbers = _numbers_of(file, file.names[column], codes, values, is_input)
        if None not in numbers:
            return np.array([*numbers, np.nan], np.float64)[codes]  # -1, which is missing, takes the last
    return sorted_categories(Categories(codes, tuple(values)))


def _numbers_of(
    file: TableFile, name: str, codes: np.ndarray, values: Sequence[str], is_input: bool
) -> list[float | None]:
    """Return what values say, None for texts; refuse a column that should be one of numbers, and is not."""
    numbers = [parse_number(value) for value in values]
    wrong = texts = [code for code, value in enumerate(numbers) if value is None]
    counts = np.bincount(codes + 1)[1:]  # what is missing has the code -1
    n_texts = int(counts[texts].sum())
    if not texts:
        wrong = [code for code, value in enumerate(map(float, values)) if not fits(value, single=is_input)]
        expected = f"a finite number of {'single' if is_input else 'double'} precision"
    elif len(texts) < len(values) and (n_texts == 1 or n_texts <= _RARE * int(counts.sum())):
        expected = "a number, as in the rest of this column"
    elif all(parse_number(value.replace(",", ".", 1)) is not None for value in values):
        expected = "a number with a decimal point, not a comma"
    else:
        return numbers
    if wrong:
        row = int(np.argmax(np.isin(codes, wrong)))
        found = f"column {shown(name)} has {shown(values[codes[row]])}; expected {expected}"
        remedy = f"give nominal=[{shown(name)}] if its values are categories"
        raise malformed(file.path, table_scan.line_of_row(file, row), f"{found}; {remedy}")
    return numbers
