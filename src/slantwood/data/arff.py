"""Tables in the text format ARFF, dense or sparse, plain or compressed, read row by row.

What an attribute is for is not known here: types of other programs are columns with a parser of their own.
Every error says the file, the line and what was expected there.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import math
import re
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np
import scipy.sparse as sp

MISSING = "?"

_BLANKS = " \t\r\n"
_OPENERS: dict[str, Callable[..., Any]] = {".bz2": bz2.open, ".gz": gzip.open, ".xz": lzma.open}

_QUOTED = r"""(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")"""
_COMMENT = re.compile(r"[ \t]+%.*")
_ATTRIBUTE = re.compile(rf"@attribute[ \t]+({_QUOTED}|[^ \t'\"][^ \t]*)[ \t]+(.+)", re.IGNORECASE)
_DATA = re.compile(r"@data[ \t]*(?:%.*)?", re.IGNORECASE)
_NUMERIC = re.compile(r"(?:numeric|real|integer)[ \t]*(?:%.*)?", re.IGNORECASE)
_NOMINAL = re.compile(rf"\{{((?:{_QUOTED}|[^}}])*+)\}}[ \t]*(?:%.*)?")
_CELL = re.compile(rf"[ \t]*({_QUOTED}|[^,'\"][^,]*?|)[ \t]*(,|(?<=[ \t])%.*|$)")
_PAIR = re.compile(rf"[ \t]*([0-9]+)[ \t]+({_QUOTED}|[^,}}'\" \t][^,}}]*?)[ \t]*([,}}])")
_NO_PAIRS = re.compile(r"\{[ \t]*\}")
_AFTER_PAIRS = re.compile(r"[ \t]*(?:%.*)?")

# Numbers below are rounded to one of single precision, those above to infinity.
_TOO_LARGE = 2.0**128 - 2.0**103
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}


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
        return ValueError(f"{self.path}, line {self.line if line is None else line}: {message}")

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
        except (EOFError, lzma.LZMAError, zlib.error) as error:
            raise self._broken(error) from error
        except OSError as error:
            # Decompression fails with no number, the operating system with one.
            if error.errno is not None:
                raise
            raise self._broken(error) from error

    def _broken(self, error: Exception) -> ValueError:
        return self.error(
            f"cannot decompress what follows ({error}); expected a whole {self.path.suffix} file"
        )


@contextmanager
def opened(path: str | PathLike[str]) -> Iterator[Source]:
    """Open a text file, decompressing .bz2, .gz and .xz."""
    path = Path(path)
    with _OPENERS.get(path.suffix.lower(), open)(path, "rb") as file:
        yield Source(path, file)


@dataclass(frozen=True)
class Attribute:
    """A line of the header: a name, and a type that nobody has looked at."""

    name: str
    type: str
    line: int


def read_header(source: Source) -> list[Attribute]:
    """Read the attributes, up to and with the line ``@data``."""
    attributes: list[Attribute] = []
    for line in source:
        if _DATA.fullmatch(line):
            return attributes
        if match := _ATTRIBUTE.fullmatch(line):
            attributes.append(Attribute(_unquoted(match[1]), match[2], source.line))
        elif not line.lower().startswith("@relation"):
            raise source.error(f"expected '@attribute <name> <type>' or @data, found {_short(line)}")
    raise source.error("the file ends here; expected @data and rows after the attributes")


@dataclass(frozen=True)
class Number:
    """A column of numbers."""


@dataclass(frozen=True)
class Nominal:
    """A column of some of these values."""

    values: tuple[str, ...]


@dataclass(frozen=True)
class Parsed:
    """A column with a parser of its own, which raises ValueError for a cell that is wrong."""

    parse: Callable[[str], Any]


Column = Number | Nominal | Parsed


def column(source: Source, attribute: Attribute) -> Column:
    """Return the column of an attribute of one of ARFF's own types; those for texts and dates are errors."""
    if _NUMERIC.fullmatch(attribute.type):
        return Number()
    match = _NOMINAL.fullmatch(attribute.type)
    if not match:
        raise source.error(
            f"attribute {attribute.name!r} has the type {_short(attribute.type)}; expected numeric, real, "
            "integer, or values in braces",
            attribute.line,
        )
    values = split(source, match[1], attribute.line)
    if len(set(values)) < len(values):
        twice = next(value for value in values if values.count(value) > 1)
        raise source.error(f"attribute {attribute.name!r} has the value {twice!r} twice", attribute.line)
    for value in values:
        if _unquoted(value) in ("", MISSING):
            raise source.error(
                f"attribute {attribute.name!r} has the value {value!r}; expected values that are neither "
                f"empty nor {MISSING!r}, which marks a missing cell",
                attribute.line,
            )
    return Nominal(tuple(values))


@dataclass(frozen=True)
class Table:
    """The rows of a file, column by column.

    Attributes
    ----------
    numbers : ndarray or csr_array of shape (n_rows, number columns)
        In float32, NaN where they are missing; CSR where the rows list pairs of index and value.
    codes : dict
        For the position of each nominal column, positions in its values, -1 where they are missing.
    parsed : dict
        For the position of each parsed column, what its parser returned.
    """

    numbers: np.ndarray | sp.csr_array
    codes: dict[int, np.ndarray]
    parsed: dict[int, list[Any]]


def read_rows(source: Source, names: Sequence[str], columns: Sequence[Column]) -> Table:
    """Read the rows below ``@data``; the first one tells whether all of them list pairs."""
    rows: _Rows | None = None
    # Numbers too large for single precision are looked for, and named.
    with np.errstate(over="ignore"):
        for line in source:
            in_pairs = line.startswith("{")
            if rows is None:
                rows = (_SparseRows if in_pairs else _DenseRows)(source, names, columns)
            if in_pairs != isinstance(rows, _SparseRows):
                form = "values without braces" if in_pairs else "{index value, ...}"
                raise source.error(f"expected {form}, as in the first row")
            rows.add(line)
    return (rows or _DenseRows(source, names, columns)).table()


def split(source: Source, line: str, number: int | None = None) -> list[str]:
    """Return the cells of a line, unquoted, without the comment after the last one."""
    if "'" in line or '"' in line:
        return list(_quoted_cells(source, line, number))
    if "%" in line:
        line = _COMMENT.sub("", line)
    cells = line.split(",")
    return [cell.strip(_BLANKS) for cell in cells] if " " in line or "\t" in line else cells


def _quoted_cells(source: Source, line: str, number: int | None) -> Iterator[str]:
    position, end = 0, ","
    while end == ",":
        match = _CELL.match(line, position)
        if not match:
            raise source.error(f"expected a closing quote and a comma in {_short(line[position:])}", number)
        yield _cell(match[1])
        position, end = match.end(), match[2]


def _cell(token: str) -> str:
    # A text that is '?', or empty, keeps its quotes: without them the cell would count as missing.
    text = _unquoted(token)
    return token if text in ("", MISSING) else text


def _unquoted(token: str) -> str:
    if token[:1] not in ("'", '"') or not re.fullmatch(_QUOTED, token):
        return token
    return re.sub(r"\\(.)", lambda match: _ESCAPED.get(match[1], match[1]), token[1:-1])


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")


def _number(cell: str) -> float:
    if cell == MISSING:
        return math.nan
    number = float(cell)
    # Python's float also takes nan, inf and 1_000.
    if "_" in cell or not abs(number) < _TOO_LARGE:
        raise ValueError(cell)
    return number


class _Group:
    """Nominal columns that have the same values; read at once, since there may be thousands."""

    def __init__(self, values: tuple[str, ...], positions: list[int]) -> None:
        self.values, self.positions = values, positions
        self.code = {value: code for code, value in enumerate(values)} | {MISSING: -1}
        self.dtype = np.min_scalar_type(-len(values))
        self.rows: list[np.ndarray] = []

    def columns(self) -> Iterator[tuple[int, np.ndarray]]:
        matrix = np.array(self.rows, self.dtype).reshape(len(self.rows), len(self.positions))
        return zip(self.positions, np.ascontiguousarray(matrix.T), strict=True)


class _Rows(ABC):
    """What dense and sparse rows have in common: columns sorted by kind, and the errors of their cells."""

    def __init__(self, source: Source, names: Sequence[str], columns: Sequence[Column]) -> None:
        self.source, self.names = source, names
        self.numeric = [i for i, column in enumerate(columns) if isinstance(column, Number)]
        self.parsers = {i: column.parse for i, column in enumerate(columns) if isinstance(column, Parsed)}
        self.parsed: dict[int, list[Any]] = {i: [] for i in self.parsers}
        by_values: dict[tuple[str, ...], list[int]] = {}
        for i, column in enumerate(columns):
            if isinstance(column, Nominal):
                by_values.setdefault(column.values, []).append(i)
        self.groups = [_Group(values, positions) for values, positions in by_values.items()]

    @abstractmethod
    def add(self, line: str) -> None:
        """Read one row."""

    @abstractmethod
    def numbers(self) -> np.ndarray | sp.csr_array:
        """Return the numbers of all rows."""

    def table(self) -> Table:
        codes = dict(chain.from_iterable(group.columns() for group in self.groups))
        return Table(self.numbers(), codes, self.parsed)

    def _add_codes(self, group: _Group, cells: Sequence[str]) -> None:
        try:
            row = np.fromiter(map(group.code.__getitem__, cells), group.dtype, len(cells))
        except KeyError:
            cell, position = next(
                pair for pair in zip(cells, group.positions, strict=True) if pair[0] not in group.code
            )
            listed = ", ".join(group.values[:10]) + ", ..." * (len(group.values) > 10)
            raise self._wrong(position, cell, f"one of {listed}, or {MISSING}") from None
        group.rows.append(row)

    def _add_parsed(self, position: int, cell: str) -> None:
        if not cell:
            raise self._wrong(position, cell, f"a value or {MISSING}")
        try:
            value = self.parsers[position](cell)
        except ValueError as error:
            raise self.source.error(f"attribute {self.names[position]!r}: {error}") from error
        self.parsed[position].append(value)

    def _checked_numbers(self, positions: Sequence[int], cells: Sequence[str]) -> list[float]:
        numbers = []
        for position, cell in zip(positions, cells, strict=True):
            try:
                numbers.append(_number(cell))
            except ValueError:
                expected = f"a number, not too large for single precision (float32), or {MISSING}"
                raise self._wrong(position, cell, expected) from None
        return numbers

    def _wrong(self, position: int, cell: str, expected: str) -> ValueError:
        name = self.names[position]
        return self.source.error(f"attribute {name!r} has the cell {_short(cell)}; expected {expected}")


class _DenseRows(_Rows):
    """Rows that list all values in order."""

    def __init__(self, source: Source, names: Sequence[str], columns: Sequence[Column]) -> None:
        super().__init__(source, names, columns)
        self._numeric_cells = _taker(self.numeric)
        self._nominal_cells = [_taker(group.positions) for group in self.groups]
        self._numbers: list[np.ndarray] = []

    def add(self, line: str) -> None:
        cells = split(self.source, line)
        if len(cells) != len(self.names):
            raise self.source.error(
                f"expected {len(self.names)} values, one per attribute, found {len(cells)}"
            )
        self._add_numbers(self._numeric_cells(cells))
        for group, taken in zip(self.groups, self._nominal_cells, strict=True):
            self._add_codes(group, taken(cells))
        for position in self.parsers:
            self._add_parsed(position, cells[position])

    def _add_numbers(self, cells: Sequence[str]) -> None:
        try:
            row = np.fromiter(map(float, cells), np.float32, len(cells))
            plain = bool(np.isfinite(row).all()) and "_" not in "".join(cells)
        except ValueError:
            plain = False
        if not plain:
            row = np.array(self._checked_numbers(self.numeric, cells), np.float32)
        self._numbers.append(row)

    def numbers(self) -> np.ndarray:
        return np.array(self._numbers, np.float32).reshape(len(self._numbers), len(self.numeric))


class _SparseRows(_Rows):
    """Rows that list pairs of index and value; what is not listed is zero, or the first nominal value."""

    def __init__(self, source: Source, names: Sequence[str], columns: Sequence[Column]) -> None:
        super().__init__(source, names, columns)
        self._rank = {position: rank for rank, position in enumerate(self.numeric)}
        self._data: list[float] = []
        self._indices: list[int] = []
        self._starts = [0]

    def add(self, line: str) -> None:
        row = self._pairs(line)
        positions = sorted(self._rank.keys() & row.keys())
        self._data += self._checked_numbers(positions, [row[position] for position in positions])
        self._indices += [self._rank[position] for position in positions]
        self._starts.append(len(self._data))
        for group in self.groups:
            self._add_codes(group, [row.get(position, group.values[0]) for position in group.positions])
        for position in self.parsers:
            if position not in row:
                expected = f"{position} and a value, or {position} {MISSING}"
                raise self.source.error(
                    f"attribute {self.names[position]!r} is not listed; expected {expected}"
                )
            self._add_parsed(position, row[position])

    def _pairs(self, line: str) -> dict[int, str]:
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
        if not _AFTER_PAIRS.fullmatch(line, at):
            raise self.source.error(f"expected nothing after the closing brace, found {_short(line[at:])}")
        return row

    def numbers(self) -> sp.csr_array:
        # Of one type, or SciPy widens both to int64.
        index = np.int32 if len(self._data) < 2**31 else np.int64
        parts = (
            np.array(self._data, np.float32),
            np.array(self._indices, index),
            np.array(self._starts, index),
        )
        matrix = sp.csr_array(parts, shape=(len(self._starts) - 1, len(self.numeric)))
        matrix.eliminate_zeros()
        return matrix


def _taker(positions: Sequence[int]) -> Callable[[list[str]], Sequence[str]]:
    if not positions or positions[-1] - positions[0] == len(positions) - 1:
        start = positions[0] if positions else 0
        return itemgetter(slice(start, start + len(positions)))
    return itemgetter(*positions)
