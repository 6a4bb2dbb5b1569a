"""Tables of text with a separator between the cells: columns of numbers, and of categories.

Quotes are those of RFC 4180: in a quoted cell may be separators and line ends, and a quote is written twice.
A column whose cells are all numbers is one of numbers; one with text is nominal, but a rare text among
numbers is a mistake in the file, and a few are reported. The first rows tell which columns have text; where a
later one tells better, these columns are read once more.

Not by pyarrow: its errors name no line, and on one thread it was no faster.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from slantwood.data.limits import Limit
from slantwood.data.names import NumberedNames, deduplicate
from slantwood.data.read_options import ReadOptions, Roles
from slantwood.data.table import Categories, Table, sorted_values
from slantwood.data.text import table_scan
from slantwood.data.text.compiled.table import NUMBER, SKIP, TARGET, TEXT
from slantwood.data.text.numbers import fits, parse_cell, parse_number
from slantwood.data.text.scanning import malformed, scanning, whole_lines
from slantwood.data.text.table_scan import Columns, Layout, TableFile, TextColumn, split_record
from slantwood.hints import listed, shown, stacklevel_of_user

# Texts that are no more of a column of numbers than this are taken for mistakes.
_RARE = 0.01
# And up to this the user is warned, for the column is nominal then.
_FEW = 0.2
_CELLS_TO_LOOK_AT = 1 << 17
_MOST_MEANINGS = 256
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
        return _as_table(file, roles, columns, chain(columns.texts(), again.texts()))
    return _as_table(file, roles, columns, columns.texts())


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
    return all(parse_cell(cell) is not None for cell in cells)


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


def _as_table(file: TableFile, roles: Roles, columns: Columns, texts: Iterable[TextColumn]) -> Table:
    """Return inputs and targets, each column as what it turned out to be."""
    layout, nominal = columns.layout, {}
    held = {column: columns.numbers[:, j] for j, column in enumerate(layout.numbers)}
    held |= {column: columns.targets[:, j] for j, column in enumerate(layout.targets)}
    is_input = np.zeros(len(file.names), np.bool_)
    is_input[list(roles.inputs)] = True
    mixed: list[_Mixed] = []
    # Of many columns most have the same texts.
    meaning_of = lru_cache(_MOST_MEANINGS)(_Meaning.of)
    for column, codes, letters in texts:
        try:
            meaning = meaning_of(letters)
        except UnicodeDecodeError:
            raise _not_text(file, codes, letters) from None
        if column not in roles.nominal:
            name, is_single = file.names[column], bool(is_input[column])
            if _is_of_numbers(file, name, codes, meaning, is_single, mixed):
                numbers = np.array([*meaning.numbers, np.nan], np.float64)
                held[column][:] = numbers[codes]  # -1, which is missing, takes the last
                continue
        nominal[column] = Categories(meaning.ranks.take(codes, mode="wrap"), meaning.sorted_texts)
    if mixed:
        _warn_of_texts(file, mixed)
    kept = [j for j, column in enumerate(layout.numbers) if column not in nominal]
    numbers = columns.numbers if len(kept) == len(layout.numbers) else columns.numbers[:, kept]
    targets = {i: np.ascontiguousarray(held[i]) for i in roles.targets if i not in nominal}
    return Table.of(file.names, roles, numbers, {**targets, **nominal})


def _not_text(file: TableFile, codes: np.ndarray, letters: Sequence[bytes]) -> ValueError:
    """Return the error that names the first cell of a column that is not UTF-8."""
    for code, each in enumerate(letters):
        try:
            each.decode()
        except UnicodeDecodeError:
            line = table_scan.line_of_row(file, int(np.argmax(codes == code)))
            return malformed(file.path, line, f"{shown(each)} is not text; expected UTF-8")
    raise AssertionError


class _Meaning(NamedTuple):
    """Distinct texts of a column, as numbers and as categories.

    Attributes
    ----------
    texts, numbers
        In order of appearance; the number is NaN for marks of missing cells and None for others.
    sorted_texts, ranks
        The texts in the order of their letters, and the place of each there; -1, which is missing, behind.
    has_numbers, has_decimal_commas
        Whether some text is a number; whether all that are none are so with a point in place of a comma.
    """

    texts: tuple[str, ...]
    numbers: tuple[float | None, ...]
    sorted_texts: tuple[str, ...]
    ranks: np.ndarray
    has_numbers: bool
    has_decimal_commas: bool

    @classmethod
    def of(cls, letters: tuple[bytes, ...]) -> _Meaning:
        """Decode texts; UnicodeDecodeError where one is not UTF-8."""
        texts = tuple(map(bytes.decode, letters))
        numbers = tuple(map(parse_cell, texts))
        others = [text for text, number in zip(texts, numbers, strict=True) if number is None]
        return cls(
            texts,
            numbers,
            *sorted_values(texts),
            any(number is not None and number == number for number in numbers),
            all(parse_number(text.replace(",", ".", 1)) is not None for text in others),
        )


class _Mixed(NamedTuple):
    """A column of numbers but for a few cells, which is read as nominal."""

    name: str
    n_texts: int
    n_cells: int  # that are not missing
    row: int  # of the first text
    text: str


def _is_of_numbers(
    file: TableFile, name: str, codes: np.ndarray, meaning: _Meaning, is_single: bool, mixed: list[_Mixed]
) -> bool:
    """Tell whether a column is one of numbers; refuse one that should be and is not.

    One of numbers and few texts is added to the mixed ones.
    """
    texts = [code for code, value in enumerate(meaning.numbers) if value is None]
    if not texts:
        known = [value for value in meaning.numbers if value is not None]
        if wrong := [code for code, value in enumerate(known) if not fits(value, single=is_single)]:
            expected = f"a finite number of {'single' if is_single else 'double'} precision"
            raise _not_a_number(file, name, codes, meaning, wrong, expected)
        return True
    n_texts = n_numbers = 0
    if meaning.has_numbers:
        counts = np.bincount(codes + 1, minlength=len(meaning.texts) + 1)[
            1:
        ]  # what is missing has the code -1
        n_texts = int(counts[texts].sum())
        n_numbers = int(counts[[value is not None and value == value for value in meaning.numbers]].sum())
        if n_texts == 1 or n_texts <= _RARE * (n_texts + n_numbers):
            expected = "a number, as in the rest of this column"
            raise _not_a_number(file, name, codes, meaning, texts, expected)
    if meaning.has_decimal_commas:
        expected = "a number with a decimal point, not a comma"
        raise _not_a_number(file, name, codes, meaning, texts, expected)
    if n_texts and n_texts <= _FEW * (n_texts + n_numbers):
        row = int(np.argmax(np.isin(codes, texts)))
        mixed.append(_Mixed(name, n_texts, n_texts + n_numbers, row, meaning.texts[codes[row]]))
    return False


def _not_a_number(
    file: TableFile, name: str, codes: np.ndarray, meaning: _Meaning, wrong: Sequence[int], expected: str
) -> ValueError:
    """Return the error that names the first cell with one of the wrong values."""
    row = int(np.argmax(np.isin(codes, wrong)))
    found = f"column {shown(name)} has {shown(meaning.texts[codes[row]])}; expected {expected}"
    remedy = f"give nominal=[{shown(name)}] if its values are categories"
    return malformed(file.path, table_scan.line_of_row(file, row), f"{found}; {remedy}")


def _warn_of_texts(file: TableFile, mixed: Sequence[_Mixed]) -> None:
    """Warn that columns became nominal for a few cells; the first of these columns is described."""
    first, *others = mixed
    line = table_scan.line_of_row(file, first.row)
    likewise = f"; likewise {listed([each.name for each in others])}" * bool(others)
    warnings.warn(
        f"{file.path}: column {shown(first.name)} has text in {first.n_texts} of {first.n_cells} cells, the "
        f"first {shown(first.text)} in line {line}, and numbers in the others; it is read as nominal"
        f"{likewise}. Empty or correct these cells, or give nominal=[{shown(first.name)}] if its values are "
        "categories",
        stacklevel=stacklevel_of_user(),
    )
