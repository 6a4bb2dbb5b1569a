"""Rows of ARFF that list pairs of index and value in braces."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.data.arff.header import Column
from slantwood.data.arff.index_base import IndexBase, other_base
from slantwood.data.arff.row_store import RowStore
from slantwood.data.arff.source import Source
from slantwood.data.arff.syntax import BITS, MISSING, QUOTED, parse_cell, quote_cell
from slantwood.data.text.numbers import TOO_LARGE_FOR_SINGLE
from slantwood.hints import shown

_PAIR = re.compile(rf"[ \t]*+([0-9]{{1,18}}+)[ \t]++({QUOTED}|[^,}}'\" \t][^,}}]*+)[ \t]*+([,}}])")
_NO_PAIRS = re.compile(r"\{[ \t]*+\}")
_AFTER_COMMA = re.compile(r"[ \t]*+\}")
_AFTER_PAIRS = re.compile(r"[ \t]*+(?:,[ \t]*+(\{[^{}]*+\})[ \t]*+)?(?:,[ \t]*+)?(?:%.*)?")


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


class SparseRows(RowStore):
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
        """Look for an index that only the other way of counting has."""
        if not self._base.may_be_other:
            return None
        return other_base(self._base, self.source, line, len(self.names))

    def _finish(self) -> None:
        if notice := self._base.notice:
            self.source.notices.append(f"{self.source.path}: {notice}")
        per_row = 8 * len(self.exact) + sum(each.dtype.itemsize * len(each.positions) for each in self.groups)
        what = "its targets and nominal columns, with what rows leave out,"
        self.source.limit.check(self._n_rows * per_row, what)
        self._exact_rows.extend(self._exact_cells.matrix(self._n_rows, len(self.exact), np.float64))
        for group, listed in zip(self.groups, self._codes, strict=True):
            group.rows.extend(listed.matrix(self._n_rows, len(group.positions), group.dtype))

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
            is_plain = sum(map(abs, numbers)) < TOO_LARGE_FOR_SINGLE and "_" not in "".join(cells)
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
                raise self.source.error(
                    f"expected 'index value' and a comma or brace in {quote_cell(line[at:])}"
                )
            index = int(match[1])
            first, stop = self._base.first, len(self.names) + self._base.first
            if not first <= index < stop:
                size = "large" if index >= stop else "small"
                known = f", since {self._base.reason}" * bool(self._base.reason)
                raise self.source.error(f"index {index} is too {size}; expected {first} to {stop - 1}{known}")
            if index in row:
                raise self.source.error(f"index {index} occurs twice; expected each index once")
            row[index] = parse_cell(match[2])
            at, end = match.end(), match[3]
        after = _AFTER_PAIRS.fullmatch(line, at)
        if not after:
            raise self.source.error(
                "expected nothing after the closing brace but a weight such as ', {2}', found "
                f"{quote_cell(line[at:])}"
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
