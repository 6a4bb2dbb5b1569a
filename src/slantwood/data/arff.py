"""Tables in the text format ARFF, dense or sparse, plain or compressed, read row by row.

What an attribute is for is not known here: types of other programs are columns with a parser of their own.
Every error says the file, the line and what was expected there.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from operator import itemgetter
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np
import scipy.sparse as sp

from slantwood.data import files
from slantwood.data.names import told_apart

MISSING = "?"

_BITS = ("0", "1")

_BLANKS = " \t\r\n"

# Possessive throughout: what cannot be read is found out in one pass, however long it is.
_QUOTED = r"""(?:'(?:\\.|[^'\\])*+'|"(?:\\.|[^"\\])*+")"""
_IS_QUOTED = re.compile(_QUOTED)
_COMMENT = re.compile(r"[ \t]%.*")
_RELATION = re.compile(r"@relation(?:[ \t]++(.*))?", re.IGNORECASE)
_ATTRIBUTE = re.compile(rf"@attribute[ \t]++({_QUOTED}|[^ \t'\"][^ \t]*+)[ \t]++(.+)", re.IGNORECASE)
_DATA = re.compile(r"@data[ \t]*+(?:%.*)?", re.IGNORECASE)
_NUMERIC = re.compile(r"(?:numeric|real|integer)[ \t]*+(?:%.*)?", re.IGNORECASE)
_STRING = re.compile(r"string[ \t]*+(?:%.*)?", re.IGNORECASE)
_RELATIONAL = re.compile(r"relational\b.*", re.IGNORECASE)
_NO_VALUES = re.compile(r"\{[ \t]*+\}")
_VALUE = re.compile(rf"[ \t]*+({_QUOTED}|[^,}}'\"][^,}}]*+|)[ \t]*+([,}}])")
_CELL = re.compile(rf"[ \t]*+({_QUOTED}|[^,'\"][^,]*+|)[ \t]*+(,|(?<=[ \t])%.*|$)")
_PAIR = re.compile(rf"[ \t]*+([0-9]{{1,18}}+)[ \t]++({_QUOTED}|[^,}}'\" \t][^,}}]*+)[ \t]*+([,}}])")
_NO_PAIRS = re.compile(r"\{[ \t]*+\}")
_AT_THE_END = re.compile(r"[ \t]*+(?:%.*)?")
_AFTER_PAIRS = re.compile(r"[ \t]*+(?:,[ \t]*+(\{[^{}]*+\})[ \t]*+)?(?:%.*)?")

# Numbers below are rounded to one of single precision, those above to infinity.
_TOO_LARGE = 2.0**128 - 2.0**103
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
# Few enough for the texts of cells to take little room.
_CELLS_AT_ONCE = 1 << 15
# Before a cell that was empty, or a question mark, in quotes. No file has it: it is no character of UTF-8.
_IN_QUOTES = "\udc00"


_Taker = Callable[[list[str]], Sequence[str]]


class Source:
    """The lines of a file that say something: no blank ones, no comments, no blanks around them.

    Iterating goes on where it stopped. `line` is the number of the line that was read last.
    """

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self.path = path
        self.line = 0
        self._lines = self._read(file)

    def __iter__(self) -> Iterator[str]:
        return self._lines

    def error(self, message: str, line: int | None = None) -> ValueError:
        """Make an error that names the file and a line, the one read last unless told."""
        # In an empty file no line was read.
        return ValueError(f"{self.path}, line {max(1, self.line) if line is None else line}: {message}")

    def _read(self, file: IO[bytes]) -> Iterator[str]:
        for raw in self._raw_lines(file):
            self.line += 1
            try:
                # Some editors put a mark of the encoding at the start of a file.
                line = raw.decode("utf-8-sig" if self.line == 1 else "utf-8").strip(_BLANKS)
            except UnicodeDecodeError as error:
                raise self.error("these bytes are no text; expected UTF-8") from error
            if line and not line.startswith("%"):
                yield line

    def _raw_lines(self, file: IO[bytes]) -> Iterator[bytes]:
        try:
            yield from file
        except Exception as error:
            damaged = files.decompression_error(self.path, error, f", line {self.line}")
            if damaged is None:
                raise
            raise damaged from error


@contextmanager
def opened(path: str | PathLike[str]) -> Iterator[Source]:
    """Open a text file, decompressed."""
    with files.opened(path) as file:
        yield Source(Path(path), file)


@dataclass(frozen=True)
class Attribute:
    """A line of the header: a name, and a type that nobody has looked at."""

    name: str
    type: str
    line: int


@dataclass(frozen=True)
class Header:
    """What stands above the rows: the name of the table, and attributes, whose names all differ."""

    relation: str
    attributes: list[Attribute]

    @property
    def names(self) -> list[str]:
        """The names of the attributes."""
        return [attribute.name for attribute in self.attributes]


def read_header(source: Source) -> Header:
    """Read the attributes, up to and with the line ``@data``."""
    relation = ""
    found: list[Attribute] = []
    for line in source:
        if _DATA.fullmatch(line):
            names = told_apart(attribute.name for attribute in found)
            return Header(
                relation, [replace(each, name=name) for each, name in zip(found, names, strict=True)]
            )
        if match := _ATTRIBUTE.fullmatch(line):
            found.append(Attribute(_unquoted(match[1]), match[2], source.line))
            if _RELATIONAL.fullmatch(match[2]):
                raise source.error(
                    f"attribute {found[-1].name!r} is relational: its cells are tables; expected numeric, "
                    "real, integer, or values in braces"
                )
        elif match := _RELATION.fullmatch(line):
            relation = _unquoted(match[1] or "")
        else:
            raise source.error(f"expected '@attribute <name> <type>' or @data, found {_short(line)}")
    raise source.error("the file ends here; expected @data and rows after the attributes")


@dataclass(frozen=True)
class Number:
    """A column of numbers.

    Those that are exact are kept in double precision; a column of bits has the declared values 0 and 1 only.
    """

    exact: bool = False
    of_bits: bool = False


@dataclass(frozen=True)
class Nominal:
    """A column of some of these values."""

    values: tuple[str, ...]


@dataclass(frozen=True)
class Parsed:
    """A column with a parser of its own, which raises ValueError for a cell that is wrong.

    The parser gets None for a cell that is missing. `absent` is what a cell says that a sparse row leaves
    out, or None where that is an error.
    """

    parse: Callable[[str | None], Any]
    absent: str | None = None


@dataclass(frozen=True)
class Skipped:
    """A column that is not stored, of any type."""


Column = Number | Nominal | Parsed | Skipped


def column(
    source: Source, attribute: Attribute, *, exact: bool = False, bits_are_numbers: bool = False
) -> Column:
    """Return the column of an attribute of numbers or values; texts and dates are errors."""
    if is_numeric(attribute):
        return Number(exact)
    values = _declared_values(source, attribute)
    if values == _BITS and bits_are_numbers:
        return Number(of_bits=True)
    if values is None:
        texts = f", or take its texts as values with nominal=[{attribute.name!r}]" * is_text(attribute)
        raise source.error(
            f"attribute {attribute.name!r} has the type {_short(attribute.type)}; expected numeric, real, "
            f"integer, or values in braces. Leave the column out with drop=[{attribute.name!r}]{texts}",
            attribute.line,
        )
    twice = [value for value, count in Counter(values).items() if count > 1]
    if twice:
        raise source.error(f"attribute {attribute.name!r} has the value {twice[0]!r} twice", attribute.line)
    return Nominal(values)


def is_numeric(attribute: Attribute) -> bool:
    """Tell whether an attribute has numbers."""
    return bool(_NUMERIC.fullmatch(attribute.type))


def is_text(attribute: Attribute) -> bool:
    """Tell whether an attribute has any texts."""
    return bool(_STRING.fullmatch(attribute.type))


def number_text(cell: str | None) -> str | None:
    """Return the text of a number as it is, for numbers that are only codes."""
    if cell is not None:
        try:
            _number(cell, math.inf)
        except ValueError:
            raise ValueError(f"{_short(cell)} is no number; expected one, or {MISSING}") from None
    return cell


def _declared_values(source: Source, attribute: Attribute) -> tuple[str, ...] | None:
    """Return the values in braces, or None where the type is something else."""
    declared = attribute.type
    if not declared.startswith("{"):
        return None
    none = _NO_VALUES.match(declared)
    at, end = (none.end(), "}") if none else (1, ",")
    values = []
    while end == ",":
        match = _VALUE.match(declared, at)
        if not match:
            return None
        value = _cell(match[1])
        if value in ("", MISSING):
            raise source.error(
                f"attribute {attribute.name!r} has the value {value!r}; expected values that are neither "
                f"empty nor {MISSING!r}, which marks a missing cell; in quotes they may be so",
                attribute.line,
            )
        values.append(plain(value))
        at, end = match.end(), match[2]
    return tuple(values) if _AT_THE_END.fullmatch(declared, at) else None


@dataclass(frozen=True)
class Cells:
    """The rows of a file, column by column.

    Attributes
    ----------
    numbers : ndarray or csr_array of shape (n_rows, number columns)
        In float32, NaN where they are missing; CSR where the rows list pairs of index and value.
    exact : dict
        For the position of each column of exact numbers, these in float64.
    codes : dict
        For the position of each nominal column, positions in its values, -1 where they are missing.
    parsed : dict
        For the position of each parsed column, what its parser returned.
    weights : ndarray of shape (n_rows,) or None
        What rows give as their weights, 1 where they give none; None where no row does.
    """

    numbers: np.ndarray | sp.csr_array
    exact: dict[int, np.ndarray]
    codes: dict[int, np.ndarray]
    parsed: dict[int, list[Any]]
    weights: np.ndarray | None


def read_rows(source: Source, names: Sequence[str], columns: Sequence[Column]) -> Cells:
    """Read the rows below ``@data``; the first one tells whether all of them list pairs."""
    rows: _Rows | None = None
    all_in_pairs = False
    # Numbers too large for single precision are looked for, and named.
    with np.errstate(over="ignore"):
        for line in source:
            in_pairs = line.startswith("{")
            if rows is None:
                rows = (_SparseRows if in_pairs else _DenseRows)(source, names, columns)
                all_in_pairs = in_pairs
            if in_pairs != all_in_pairs:
                form = "values without braces" if in_pairs else "{index value, ...}"
                raise source.error(f"expected {form}, as in the first row")
            rows.add(line)
        return (rows or _DenseRows(source, names, columns)).cells()


def split(source: Source, line: str, number: int | None = None) -> list[str]:
    """Return the cells of a line, unquoted, without the comment after the last one.

    Those that were empty or a question mark in quotes are marked; `plain` takes the mark away.
    """
    if "'" in line or '"' in line:
        return list(_quoted_cells(source, line, number))
    if "%" in line:
        line = _COMMENT.sub("", line)
    line = line.replace(", ", ",")
    if " " in line or "\t" in line:
        return [cell.strip(_BLANKS) for cell in line.split(",")]
    return line.split(",")


def plain(cell: str) -> str:
    """Return what a cell says."""
    return cell.removeprefix(_IN_QUOTES)


def _quoted_cells(source: Source, line: str, number: int | None) -> Iterator[str]:
    position, end = 0, ","
    while end == ",":
        match = _CELL.match(line, position)
        if not match:
            raise source.error(f"expected a closing quote and a comma in {_short(line[position:])}", number)
        position, end = match.end(), match[2]
        if comment := _COMMENT.search(match[1]) if match[1][:1] not in ("'", '"') else None:
            yield match[1][: comment.start()].rstrip(_BLANKS)
            return
        yield _cell(match[1])


def _cell(token: str) -> str:
    token = token.rstrip(_BLANKS)
    text = _unquoted(token)
    # Without quotes the cell would count as missing.
    return _IN_QUOTES + text if text in ("", MISSING) and token != text else text


def _unquoted(token: str) -> str:
    if token[:1] not in ("'", '"') or not _IS_QUOTED.fullmatch(token):
        return token
    text = token[1:-1]
    if "\\" not in text:
        return text
    return re.sub(r"\\(.)", lambda match: _ESCAPED.get(match[1], match[1]), text)


def _short(text: str) -> str:
    if text.startswith(_IN_QUOTES):
        text = f"'{plain(text)}'"
    return repr(text if len(text) <= 60 else text[:57] + "...")


def _number(cell: str, too_large: float) -> float:
    if cell == MISSING:
        return math.nan
    number = float(cell)
    # Python's float also takes nan, inf and 1_000.
    if "_" in cell or not abs(number) < too_large:
        raise ValueError(cell)
    return number


class _Stack:
    """Rows of a matrix, held in blocks, as an array for every short row would take more than its cells."""

    def __init__(self, width: int, dtype: Any) -> None:
        self._width, self._dtype = width, dtype
        self._rows: list[np.ndarray] = []
        self._blocks: list[np.ndarray] = []

    def add(self, row: np.ndarray) -> None:
        self._rows.append(row)
        if len(self._rows) == 1024:
            self._close()

    def extend(self, block: np.ndarray) -> None:
        self._close()
        self._blocks.append(block)

    def matrix(self) -> np.ndarray:
        self._close()
        matrix = np.concatenate(self._blocks)
        self._blocks = [matrix]
        return matrix

    def _close(self) -> None:
        if self._rows or not self._blocks:
            self._blocks.append(np.array(self._rows, self._dtype).reshape(len(self._rows), self._width))
            self._rows = []


class _Group:
    """Nominal columns that have the same values; read at once, since there may be thousands."""

    def __init__(self, values: tuple[str, ...], positions: list[int]) -> None:
        self.values, self.positions = values, positions
        self.code = {
            _IN_QUOTES + value if value in ("", MISSING) else value: i for i, value in enumerate(values)
        }
        self.code[MISSING] = -1
        self.dtype = np.min_scalar_type(-len(values) - 1)
        self.rows = _Stack(len(positions), self.dtype)

    def columns(self) -> Iterator[tuple[int, np.ndarray]]:
        return zip(self.positions, np.ascontiguousarray(self.rows.matrix().T), strict=True)


class _Rows(ABC):
    """What dense and sparse rows have in common: columns sorted by kind, and the errors of their cells."""

    def __init__(self, source: Source, names: Sequence[str], columns: Sequence[Column]) -> None:
        self.source, self.names = source, names
        self.numeric = [i for i, each in enumerate(columns) if isinstance(each, Number) and not each.exact]
        self.exact = [i for i, each in enumerate(columns) if isinstance(each, Number) and each.exact]
        self.bits = frozenset(
            i for i, each in enumerate(columns) if isinstance(each, Number) and each.of_bits
        )
        self.parsers = {i: each for i, each in enumerate(columns) if isinstance(each, Parsed)}
        self.parsed: dict[int, list[Any]] = {i: [] for i in self.parsers}
        by_values: dict[tuple[str, ...], list[int]] = {}
        for i, column in enumerate(columns):
            if isinstance(column, Nominal):
                by_values.setdefault(column.values, []).append(i)
        self.groups = [_Group(values, positions) for values, positions in by_values.items()]
        self._exact_rows = _Stack(len(self.exact), np.float64)
        self._weights = array("d")
        self._n_rows = 0
        self._line: int | None = None  # of the row that is looked at, where it is not the last one read

    def add(self, line: str) -> None:
        """Read one row."""
        weight = self._add_cells(line)
        if weight is not None:
            # Rows before that gave none weigh 1.
            self._weights.extend([1.0] * (self._n_rows - len(self._weights)))
            self._weights.append(self._weight(weight))
        self._n_rows += 1

    @abstractmethod
    def _add_cells(self, line: str) -> str | None:
        """Store the cells of a row, and return its weight in braces."""

    @abstractmethod
    def _numbers(self) -> np.ndarray | sp.csr_array:
        """Return the numbers of all rows."""

    def cells(self) -> Cells:
        """Return all that was read."""
        codes = dict(chain.from_iterable(group.columns() for group in self.groups))
        exact = dict(zip(self.exact, np.ascontiguousarray(self._exact_rows.matrix().T), strict=True))
        weights = None
        if self._weights:
            weights = np.ones(self._n_rows)
            weights[: len(self._weights)] = self._weights
        return Cells(self._numbers(), exact, codes, self.parsed, weights)

    def _weight(self, text: str) -> float:
        try:
            weight = _number(text[1:-1].strip(_BLANKS), math.inf)
        except ValueError:
            weight = math.nan
        if not weight >= 0:
            raise self.source.error(
                f"the row ends with {_short(text)}; expected a weight in braces that is not negative"
            )
        return weight

    def _code(self, group: _Group, position: int, cell: str) -> int:
        if cell not in group.code:
            listed = ", ".join(group.values[:10]) + ", ..." * (len(group.values) > 10)
            raise self._wrong(position, cell, f"one of {listed}, or {MISSING}")
        return group.code[cell]

    def _add_parsed(self, position: int, cell: str) -> None:
        if not cell:
            raise self._wrong(position, cell, f"a value or {MISSING}")
        try:
            value = self.parsers[position].parse(None if cell == MISSING else plain(cell))
        except ValueError as error:
            raise self.source.error(f"attribute {self.names[position]!r}: {error}", self._line) from error
        self.parsed[position].append(value)

    def _checked_numbers(
        self, positions: Sequence[int], cells: Sequence[str], exact: bool = False
    ) -> list[float]:
        numbers = []
        for position, cell in zip(positions, cells, strict=True):
            if position in self.bits and cell not in (*_BITS, MISSING):
                raise self._wrong(position, cell, f"one of {', '.join(_BITS)}, or {MISSING}")
            try:
                numbers.append(_number(cell, math.inf if exact else _TOO_LARGE))
            except ValueError:
                precision = "double precision (float64)" if exact else "single precision (float32)"
                expected = f"a number, not too large for {precision}, or {MISSING}"
                raise self._wrong(position, cell, expected) from None
        return numbers

    def _wrong(self, position: int, cell: str, expected: str) -> ValueError:
        name = self.names[position]
        return self.source.error(
            f"attribute {name!r} has the cell {_short(cell)}; expected {expected}", self._line
        )


class _DenseRows(_Rows):
    """Rows that list all values in order; many are turned into numbers at once, which is faster."""

    def __init__(self, source: Source, names: Sequence[str], columns: Sequence[Column]) -> None:
        super().__init__(source, names, columns)
        self._numeric_cells = _taker(self.numeric)
        self._exact_cells = _taker(self.exact)
        self._nominal_cells = [_taker(group.positions) for group in self.groups]
        self._number_rows = _Stack(len(self.numeric), np.float32)
        self._bit_cells = _taker(sorted(self.bits))
        self._at_once = max(1, _CELLS_AT_ONCE // max(1, len(names)))
        self._waiting: list[list[str]] = []
        self._lines: list[int] = []

    def _add_cells(self, line: str) -> str | None:
        cells = split(self.source, line)
        weight = None
        if len(cells) == len(self.names) + 1 and cells[-1].startswith("{") and cells[-1].endswith("}"):
            weight = cells.pop()
        if len(cells) != len(self.names):
            self._store()  # there may be something wrong before
            raise self.source.error(
                f"expected {len(self.names)} values, one per attribute, found {len(cells)}"
            )
        self._waiting.append(cells)
        self._lines.append(self.source.line)
        if len(self._waiting) == self._at_once:
            self._store()
        return weight

    def cells(self) -> Cells:
        self._store()
        return super().cells()

    def _store(self) -> None:
        rows = self._waiting
        try:
            if self.bits and not {*_BITS, MISSING}.issuperset(
                chain.from_iterable(map(self._bit_cells, rows))
            ):
                raise ValueError
            self._number_rows.extend(_as_numbers(rows, self._numeric_cells, len(self.numeric), np.float32))
            self._exact_rows.extend(_as_numbers(rows, self._exact_cells, len(self.exact), np.float64))
            for group, taken in zip(self.groups, self._nominal_cells, strict=True):
                codes = map(group.code.__getitem__, chain.from_iterable(map(taken, rows)))
                shape = len(rows), len(group.positions)
                group.rows.extend(np.fromiter(codes, group.dtype, shape[0] * shape[1]).reshape(shape))
        except (KeyError, ValueError):
            self._find_what_is_wrong()
            raise
        if self.parsers:
            for line, row in zip(self._lines, rows, strict=True):
                self._parse(line, row)
        self._waiting, self._lines, self._line = [], [], None

    def _find_what_is_wrong(self) -> None:
        for line, row in zip(self._lines, self._waiting, strict=True):
            self._line = line
            self._checked_numbers(self.numeric, self._numeric_cells(row))
            self._checked_numbers(self.exact, self._exact_cells(row), exact=True)
            for group, taken in zip(self.groups, self._nominal_cells, strict=True):
                for position, cell in zip(group.positions, taken(row), strict=True):
                    self._code(group, position, cell)
            self._parse(line, row)

    def _parse(self, line: int, row: Sequence[str]) -> None:
        self._line = line
        for position in self.parsers:
            self._add_parsed(position, row[position])

    def _numbers(self) -> np.ndarray:
        return self._number_rows.matrix()


def _as_numbers(rows: Sequence[list[str]], taken: _Taker, width: int, dtype: Any) -> np.ndarray:
    """Return the numbers of some rows; ValueError where a cell is none."""
    cells = list(chain.from_iterable(map(taken, rows)))
    n_missing = 0
    try:
        numbers = np.fromiter(map(float, cells), dtype, len(cells))
    except ValueError:
        n_missing = cells.count(MISSING)
        known = ["nan" if cell == MISSING else cell for cell in cells]
        numbers = np.fromiter(map(float, known), dtype, len(cells))
    # Python's float also takes nan, inf and 1_000.
    if np.count_nonzero(~np.isfinite(numbers)) != n_missing or "_" in "".join(cells):
        raise ValueError
    return numbers.reshape(len(rows), width)


class _SparseRows(_Rows):
    """Rows that list pairs of index and value; what is not listed is zero, or the first nominal value."""

    def __init__(self, source: Source, names: Sequence[str], columns: Sequence[Column]) -> None:
        super().__init__(source, names, columns)
        self._rank = {position: rank for rank, position in enumerate(self.numeric)}
        self._exact_rank = {position: rank for rank, position in enumerate(self.exact)}
        self._group_and_rank = {
            position: (i, rank)
            for i, group in enumerate(self.groups)
            for rank, position in enumerate(group.positions)
        }
        self._data = array("f")
        self._indices = array("i")
        self._starts = array("q", [0])

    def _add_cells(self, line: str) -> str | None:
        row, weight = self._quick_pairs(line) or self._pairs(line)
        if self._rank:
            self._add_numbers(row)
        if self.exact:
            self._add_exact(row)
        if self.groups:
            self._add_all_codes(row)
        for position, parser in self.parsers.items():
            cell = row.get(position, parser.absent)
            if cell is None:
                expected = f"{position} and a value, or {position} {MISSING}"
                raise self._not_listed(position, expected)
            self._add_parsed(position, cell)
        return weight

    def _add_numbers(self, row: dict[int, str]) -> None:
        rank = self._rank
        positions = sorted(position for position in row if position in rank)
        cells = [row[position] for position in positions]
        try:
            numbers = list(map(float, cells))
            # The sum is not below where one of them is not, or is no number.
            is_plain = sum(map(abs, numbers)) < _TOO_LARGE and "_" not in "".join(cells)
            is_plain = is_plain and all(
                cell in _BITS
                for position, cell in zip(positions, cells, strict=True)
                if position in self.bits
            )
        except ValueError:
            is_plain = False
        self._data.extend(numbers if is_plain else self._checked_numbers(positions, cells))
        self._indices.extend([rank[position] for position in positions])
        self._starts.append(len(self._data))

    def _add_exact(self, row: dict[int, str]) -> None:
        numbers = np.zeros(len(self.exact))
        positions = [position for position in row if position in self._exact_rank]
        cells = [row[position] for position in positions]
        numbers[[self._exact_rank[position] for position in positions]] = self._checked_numbers(
            positions, cells, exact=True
        )
        self._exact_rows.add(numbers)

    def _add_all_codes(self, row: dict[int, str]) -> None:
        codes = [np.zeros(len(group.positions), group.dtype) for group in self.groups]
        for position, cell in row.items():
            if place := self._group_and_rank.get(position):
                i, rank = place
                codes[i][rank] = self._code(self.groups[i], position, cell)
        for group, added in zip(self.groups, codes, strict=True):
            if not group.values:
                for position in group.positions:
                    if position not in row:
                        raise self._not_listed(position, f"{position} {MISSING}, as it has no values")
            group.rows.add(added)

    def _not_listed(self, position: int, expected: str) -> ValueError:
        return self.source.error(f"attribute {self.names[position]!r} is not listed; expected {expected}")

    def _quick_pairs(self, line: str) -> tuple[dict[int, str], None] | None:
        """Return the pairs of a row that has neither quotes nor anything unusual, or None."""
        # What is printable has no other blanks than spaces.
        if (
            not line.isprintable()
            or line.find("}") != len(line) - 1
            or "'" in line
            or '"' in line
            or "%" in line
        ):
            return None
        try:
            pairs = dict(map(str.split, line[1:-1].split(",")))
        except ValueError:  # not two parts
            return None
        digits = "".join(pairs)
        if len(pairs) != line.count(",") + 1 or not (digits.isascii() and digits.isdecimal()):
            return None
        if max(map(len, pairs)) > 18:
            return None
        row = dict(zip(map(int, pairs), pairs.values(), strict=True))
        return (row, None) if len(row) == len(pairs) and max(row) < len(self.names) else None

    def _pairs(self, line: str) -> tuple[dict[int, str], str | None]:
        row: dict[int, str] = {}
        empty = _NO_PAIRS.match(line)
        at, end = (empty.end(), "}") if empty else (1, ",")
        while end == ",":
            match = _PAIR.match(line, at)
            if not match:
                raise self.source.error(f"expected 'index value' and a comma or brace in {_short(line[at:])}")
            index = int(match[1])
            if index >= len(self.names):
                raise self.source.error(f"index {index} is too large; expected 0 to {len(self.names) - 1}")
            if index in row:
                raise self.source.error(f"index {index} occurs twice; expected each index once")
            row[index] = _cell(match[2])
            at, end = match.end(), match[3]
        after = _AFTER_PAIRS.fullmatch(line, at)
        if not after:
            raise self.source.error(
                "expected nothing after the closing brace but a weight, as ', {2}', found "
                f"{_short(line[at:])}"
            )
        return row, after[1]

    def _numbers(self) -> sp.csr_array:
        # Of one type, or SciPy widens both to int64.
        index = np.int32 if len(self._data) < 2**31 else np.int64
        starts = self._starts if self._rank else [0] * (self._n_rows + 1)
        parts = (np.array(self._data, np.float32), np.array(self._indices, index), np.array(starts, index))
        matrix = sp.csr_array(parts, shape=(self._n_rows, len(self.numeric)))
        matrix.eliminate_zeros()
        return matrix


def _taker(positions: Sequence[int]) -> _Taker:
    if not positions or positions[-1] - positions[0] == len(positions) - 1:
        start = positions[0] if positions else 0
        return itemgetter(slice(start, start + len(positions)))
    return itemgetter(*positions)
