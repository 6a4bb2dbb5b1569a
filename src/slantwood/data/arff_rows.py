"""The rows of an ARFF file, dense or in pairs of index and value, column by column."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.data.arff import (
    BITS,
    BLANKS,
    IN_QUOTES,
    MISSING,
    QUOTED,
    Column,
    Nominal,
    Number,
    Parsed,
    Source,
    cell_of,
    number_of,
    plain,
    says_missing,
    short,
    split,
    split_between_blanks,
)
from slantwood.data.index_base import IndexBase, OtherBase, other_base
from slantwood.hints import shortened, shown

_Taker = Callable[[list[str]], Sequence[str]]
_PAIR = re.compile(rf"[ \t]*+([0-9]{{1,18}}+)[ \t]++({QUOTED}|[^,}}'\" \t][^,}}]*+)[ \t]*+([,}}])")
_NO_PAIRS = re.compile(r"\{[ \t]*+\}")
_AFTER_COMMA = re.compile(r"[ \t]*+\}")
_AFTER_PAIRS = re.compile(r"[ \t]*+(?:,[ \t]*+(\{[^{}]*+\})[ \t]*+)?(?:,[ \t]*+)?(?:%.*)?")

# Numbers below are rounded to one of single precision, those above to infinity.
_TOO_LARGE = 2.0**128 - 2.0**103
# Few enough for the texts of cells to take little room.
_CELLS_AT_ONCE = 1 << 15


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


def read_rows(
    source: Source, names: Sequence[str], columns: Sequence[Column], base: IndexBase | None = None
) -> Cells:
    """Read the rows below ``@data``; the first one tells whether all of them list pairs."""
    rows: _Rows | None = None
    all_in_pairs = False
    # Numbers too large for single precision are looked for, and named.
    with np.errstate(over="ignore"):
        for line in source:
            in_pairs = line.startswith("{")
            if rows is None:
                rows = (
                    _SparseRows(source, names, columns, base or IndexBase())
                    if in_pairs
                    else _DenseRows(source, names, columns)
                )
                all_in_pairs = in_pairs
            if in_pairs != all_in_pairs:
                form = "values without braces" if in_pairs else "{index value, ...}"
                raise source.error(f"expected {form}, as in the first row")
            try:
                rows.add(line)
            except ValueError as error:
                if other := rows.other_base(line):
                    raise OtherBase(other) from error
                raise
        return (rows or _DenseRows(source, names, columns)).cells()


class _Stack:
    """Rows of a matrix, held in blocks, as an array for every short row would take more than its cells."""

    def __init__(self, width: int, dtype: Any) -> None:
        self._empty = np.empty((0, width), dtype)
        self._blocks: list[np.ndarray] = []

    def extend(self, block: np.ndarray) -> None:
        self._blocks.append(block)

    def matrix(self) -> np.ndarray:
        return self._blocks[0] if len(self._blocks) == 1 else np.concatenate([self._empty, *self._blocks])


class _Scattered:
    """The cells that sparse rows list, of columns that are handed on dense: these may be far more."""

    def __init__(self, typecode: str) -> None:
        self._rows, self._ranks = array("q"), array("i")
        self._values: array[Any] = array(typecode)

    def add(self, row: int, rank: int, value: float) -> None:
        self._rows.append(row)
        self._ranks.append(rank)
        self._values.append(value)

    def matrix(self, n_rows: int, width: int, dtype: Any) -> np.ndarray:
        """Return all cells, zero where none is listed."""
        # Column by column in memory, as they are handed on.
        cells = np.zeros((width, n_rows), dtype)
        cells[np.array(self._ranks, np.int64), np.array(self._rows, np.int64)] = self._values
        return cells.T


class _Group:
    """Nominal columns that have the same values; read at once, since there may be thousands."""

    def __init__(self, values: tuple[str, ...], positions: list[int]) -> None:
        self.values, self.positions = values, positions
        self.code = {
            IN_QUOTES + value if value in ("", MISSING) else value: i for i, value in enumerate(values)
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

    def other_base(self, line: str) -> IndexBase | None:
        """Return how else attributes are counted, where rows that are not yet read prove it."""
        return None

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
            weight = number_of(text[1:-1].strip(BLANKS), math.inf)
        except ValueError:
            weight = math.nan
        if not weight >= 0:
            raise self.source.error(
                f"the row ends with {short(text)}; expected a weight in braces that is not negative"
            )
        return weight

    def _code(self, group: _Group, position: int, cell: str) -> int:
        if cell not in group.code:
            first = ", ".join(shortened(value, 60) for value in group.values[:10])
            more = ", ..." * (len(group.values) > 10)
            raise self._wrong(position, cell, f"one of {first}{more}, or {MISSING}")
        return group.code[cell]

    def _add_parsed(self, position: int, cell: str) -> None:
        if not cell:
            raise self._wrong(position, cell, f"a value or {MISSING}")
        try:
            value = self.parsers[position].parse(None if cell == MISSING else plain(cell))
        except ValueError as error:
            raise self.source.error(
                f"attribute {shown(self.names[position])}: {error}", self._line
            ) from error
        self.parsed[position].append(value)

    def _checked_numbers(
        self, positions: Sequence[int], cells: Sequence[str], exact: bool = False
    ) -> list[float]:
        numbers = []
        for position, cell in zip(positions, cells, strict=True):
            if position in self.bits and cell not in (*BITS, MISSING):
                raise self._wrong(position, cell, f"one of {', '.join(BITS)}, or {MISSING}")
            try:
                numbers.append(number_of(cell, math.inf if exact else _TOO_LARGE))
            except ValueError:
                precision = "double precision (float64)" if exact else "single precision (float32)"
                expected = f"a number, not too large for {precision}, or {MISSING}"
                raise self._wrong(position, cell, expected) from None
        return numbers

    def _wrong(self, position: int, cell: str, expected: str) -> ValueError:
        name = shown(self.names[position])
        return self.source.error(
            f"attribute {name} has the cell {short(cell)}; expected {expected}", self._line
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
        weight = None
        try:
            cells = split(self.source, line)
        except ValueError:
            cells = split_between_blanks(line) or []
            if not cells or len(cells) not in (len(self.names), len(self.names) + 1):
                raise
        if len(cells) != len(self.names):
            cells, weight = self._unusual_cells(line, cells)
        self._waiting.append(cells)
        self._lines.append(self.source.line)
        if len(self._waiting) == self._at_once:
            self._store()
        return weight

    def _unusual_cells(self, line: str, cells: list[str]) -> tuple[list[str], str | None]:
        """Return the cells and the weight of a row that has not just a cell for each attribute."""
        wanted, weight = len(self.names), None
        if len(cells) < wanted and (others := split_between_blanks(line)) is not None:
            cells = others if len(others) in (wanted, wanted + 1) else cells
        while len(cells) > wanted and not cells[-1]:  # behind a last comma
            cells.pop()
        if len(cells) == wanted + 1 and cells[-1].startswith("{") and cells[-1].endswith("}"):
            weight = cells.pop()
        if len(cells) != wanted:
            self._store()  # there may be something wrong before
            raise self.source.error(f"expected {wanted} values, one per attribute, found {len(cells)}")
        return cells, weight

    def cells(self) -> Cells:
        self._store()
        return super().cells()

    def _store(self) -> None:
        rows = self._waiting
        try:
            if self.bits and not {*BITS, MISSING}.issuperset(chain.from_iterable(map(self._bit_cells, rows))):
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
    # Python's float also takes inf and 1_000.
    n_unknown = np.count_nonzero(~np.isfinite(numbers))
    if (n_unknown != n_missing and n_unknown != sum(map(says_missing, cells))) or "_" in "".join(cells):
        raise ValueError
    return numbers.reshape(len(rows), width)


class _SparseRows(_Rows):
    """Rows that list pairs of index and value; what is not listed is zero, or the first nominal value."""

    def __init__(
        self, source: Source, names: Sequence[str], columns: Sequence[Column], base: IndexBase
    ) -> None:
        super().__init__(source, names, columns)
        self._base = base
        self._proof = base.proof(len(names))
        self._rank = {position: rank for rank, position in enumerate(self.numeric)}
        self._exact_rank = {position: rank for rank, position in enumerate(self.exact)}
        self._group_and_rank = {
            position: (i, rank)
            for i, group in enumerate(self.groups)
            for rank, position in enumerate(group.positions)
        }
        self._without_values = [
            position for group in self.groups if not group.values for position in group.positions
        ]
        self._codes = [_Scattered("i") for _ in self.groups]
        self._exact_cells = _Scattered("d")
        self._data = array("f")
        self._indices = array("i")
        self._starts = array("q", [0])

    def other_base(self, line: str) -> IndexBase | None:
        if not self._base.may_be_other:
            return None
        return other_base(self._base, self.source, line, len(self.names))

    def cells(self) -> Cells:
        if notice := self._base.notice:
            self.source.notices.append(f"{self.source.path}: {notice}")
        per_row = 8 * len(self.exact) + sum(each.dtype.itemsize * len(each.positions) for each in self.groups)
        what = "its targets and nominal columns, with what rows leave out,"
        self.source.limit.check(self._n_rows * per_row, what)
        self._exact_rows.extend(self._exact_cells.matrix(self._n_rows, len(self.exact), np.float64))
        for group, listed in zip(self.groups, self._codes, strict=True):
            group.rows.extend(listed.matrix(self._n_rows, len(group.positions), group.dtype))
        return super().cells()

    def _add_cells(self, line: str) -> str | None:
        row, weight = self._quick_pairs(line) or self._pairs(line)
        if self._base.may_be_other and self._proof in row:
            self._base = self._base.proven(self.source.line, len(self.names))
        if self._base.first:
            row = {index - 1: cell for index, cell in row.items()}
        if self._rank:
            self._add_numbers(row)
        if self.exact:
            self._add_exact(row)
        if self.groups:
            self._add_all_codes(row)
        for position, parser in self.parsers.items():
            cell = row.get(position, parser.absent)
            if cell is None:
                index = position + self._base.first
                expected = f"{index} and a value, or {index} {MISSING}"
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
                cell in BITS for position, cell in zip(positions, cells, strict=True) if position in self.bits
            )
        except ValueError:
            is_plain = False
        self._data.extend(numbers if is_plain else self._checked_numbers(positions, cells))
        self._indices.extend([rank[position] for position in positions])
        self._starts.append(len(self._data))

    def _add_exact(self, row: dict[int, str]) -> None:
        positions = [position for position in row if position in self._exact_rank]
        cells = [row[position] for position in positions]
        for position, number in zip(
            positions, self._checked_numbers(positions, cells, exact=True), strict=True
        ):
            self._exact_cells.add(self._n_rows, self._exact_rank[position], number)

    def _add_all_codes(self, row: dict[int, str]) -> None:
        for position, cell in row.items():
            if place := self._group_and_rank.get(position):
                i, rank = place
                self._codes[i].add(self._n_rows, rank, self._code(self.groups[i], position, cell))
        for position in self._without_values:
            if position not in row:
                index = position + self._base.first
                raise self._not_listed(position, f"{index} {MISSING}, as it has no values")

    def _not_listed(self, position: int, expected: str) -> ValueError:
        return self.source.error(
            f"attribute {shown(self.names[position])} is not listed; expected {expected}"
        )

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
        first = self._base.first
        in_range = max(row) < len(self.names) + first and (first == 0 or 0 not in row)
        return (row, None) if len(row) == len(pairs) and in_range else None

    def _pairs(self, line: str) -> tuple[dict[int, str], str | None]:
        row: dict[int, str] = {}
        empty = _NO_PAIRS.match(line)
        at, end = (empty.end(), "}") if empty else (1, ",")
        while end == ",":
            match = _PAIR.match(line, at)
            if not match and row and (last := _AFTER_COMMA.match(line, at)):
                at = last.end()
                break
            if not match:
                raise self.source.error(f"expected 'index value' and a comma or brace in {short(line[at:])}")
            index = int(match[1])
            first, stop = self._base.first, len(self.names) + self._base.first
            if not first <= index < stop:
                size = "large" if index >= stop else "small"
                known = f", since {self._base.reason}" * bool(self._base.reason)
                raise self.source.error(f"index {index} is too {size}; expected {first} to {stop - 1}{known}")
            if index in row:
                raise self.source.error(f"index {index} occurs twice; expected each index once")
            row[index] = cell_of(match[2])
            at, end = match.end(), match[3]
        after = _AFTER_PAIRS.fullmatch(line, at)
        if not after:
            raise self.source.error(
                "expected nothing after the closing brace but a weight, as ', {2}', found "
                f"{short(line[at:])}"
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
