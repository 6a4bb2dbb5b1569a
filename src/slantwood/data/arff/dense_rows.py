"""Rows of ARFF that list all values in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from operator import itemgetter

import numpy as np

from slantwood.data.arff.header import Column
from slantwood.data.arff.row_store import Block, RowStore
from slantwood.data.arff.source import Source
from slantwood.data.arff.syntax import split_between_blanks

_Getter = Callable[[list[str]], Sequence[str]]
# Few enough for the texts of cells to take little memory.
_CELLS_AT_ONCE = 1 << 15


class DenseRows(RowStore):
    """Rows that list all values in order; many are turned into numbers at once, which is faster."""

    def __init__(self, source: Source, names: Sequence[str], columns: Sequence[Column]) -> None:
        super().__init__(source, names, columns)
        self._getters = [(block, _getter(block.positions)) for block in (self.numbers, *self.blocks)]
        self._at_once = max(1, _CELLS_AT_ONCE // max(1, len(names)))
        self._waiting: list[tuple[int, list[str]]] = []  # rows and their lines

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
        self._waiting.append((self.source.line, cells))
        if len(self._waiting) == self._at_once:
            self._take_waiting()
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
            self._take_waiting()  # there may be something wrong before
            raise self.source.error(f"expected {n_expected} values, one per attribute, found {len(cells)}")
        return cells, weight

    def _take_waiting(self) -> None:
        rows = [cells for _, cells in self._waiting]
        try:
            for block, get in self._getters:
                values = block.values(list(chain.from_iterable(map(get, rows))))
                block.parts.append(values.reshape(len(rows), len(block.positions)))
        except (KeyError, ValueError):
            self._parse_waiting(self._getters)  # names the first cell that is wrong
            raise
        if self.parsers:
            self._parse_waiting()
        self._waiting, self._line = [], None

    def _parse_waiting(self, checked: Sequence[tuple[Block, _Getter]] = ()) -> None:
        for line, row in self._waiting:
            self._line = line
            for block, get in checked:
                for position, cell in zip(block.positions, get(row), strict=True):
                    self._value(block, position, cell)
            for position in self.parsers:
                self._add_parsed(position, row[position])

    def _finish(self) -> np.ndarray:
        self._take_waiting()
        return self.numbers.matrix()


def _getter(positions: Sequence[int]) -> _Getter:
    if not positions or positions[-1] - positions[0] == len(positions) - 1:
        start = positions[0] if positions else 0
        return itemgetter(slice(start, start + len(positions)))
    return itemgetter(*positions)
