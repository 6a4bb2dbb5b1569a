"""Rows of ARFF that list all values in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np

from slantwood.data.arff.header import Column
from slantwood.data.arff.row_store import RowStore, Stack
from slantwood.data.arff.source import Source
from slantwood.data.arff.syntax import BITS, MISSING, is_missing, split_between_blanks

_Getter = Callable[[list[str]], Sequence[str]]
# Few enough for the texts of cells to take little memory.
_CELLS_AT_ONCE = 1 << 15


class DenseRows(RowStore):
    """Rows that list all values in order; many are turned into numbers at once, which is faster."""

    def __init__(self, source: Source, names: Sequence[str], columns: Sequence[Column]) -> None:
        super().__init__(source, names, columns)
        self._numeric_cells = _getter(self.numeric)
        self._exact_cells = _getter(self.exact)
        self._nominal_cells = [_getter(group.positions) for group in self.groups]
        self._number_rows = Stack(len(self.numeric), np.float32)
        self._bit_cells = _getter(sorted(self.bits))
        self._at_once = max(1, _CELLS_AT_ONCE // max(1, len(names)))
        self._waiting: list[list[str]] = []
        self._lines: list[int] = []

    def _add_cells(self, line: str) -> str | None:
        weight = None
        try:
            cells = self.source.split(line)
        except ValueError:
            cells = split_between_blanks(line) or []
            if not cells or len(cells) not in (len(self.names), len(self.names) + 1):
                raise
        if len(cells) != len(self.names):
            cells, weight = self._unusual_cells(line, cells)
        self._waiting.append(cells)
        self._lines.append(self.source.line)
        if len(self._waiting) == self._at_once:
            self._finish()
        return weight

    def _unusual_cells(self, line: str, cells: list[str]) -> tuple[list[str], str | None]:
        """Return the cells and the weight of a row that has not just a cell for each attribute."""
        n_expected, weight = len(self.names), None
        if len(cells) < n_expected and (others := split_between_blanks(line)) is not None:
            cells = others if len(others) in (n_expected, n_expected + 1) else cells
        while len(cells) > n_expected and not cells[-1]:  # behind a last comma
            cells.pop()
        if len(cells) == n_expected + 1 and cells[-1].startswith("{") and cells[-1].endswith("}"):
            weight = cells.pop()
        if len(cells) != n_expected:
            self._finish()  # there may be something wrong before
            raise self.source.error(f"expected {n_expected} values, one per attribute, found {len(cells)}")
        return cells, weight

    def _finish(self) -> None:
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


def _as_numbers(rows: Sequence[list[str]], taken: _Getter, width: int, dtype: Any) -> np.ndarray:
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
    if (n_unknown != n_missing and n_unknown != sum(map(is_missing, cells))) or "_" in "".join(cells):
        raise ValueError
    return numbers.reshape(len(rows), width)


def _getter(positions: Sequence[int]) -> _Getter:
    if not positions or positions[-1] - positions[0] == len(positions) - 1:
        start = positions[0] if positions else 0
        return itemgetter(slice(start, start + len(positions)))
    return itemgetter(*positions)
