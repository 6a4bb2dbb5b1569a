"""What dense and sparse rows of ARFF have in common: columns by their kind, and errors of cells."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.data.arff.header import Column, Nominal, Number, Parsed
from slantwood.data.arff.index_base import IndexBase
from slantwood.data.arff.source import Source
from slantwood.data.arff.syntax import BITS, BLANKS, IN_QUOTES, MISSING, cell_number, quote_cell, unmark
from slantwood.data.text.numbers import TOO_LARGE_FOR_SINGLE
from slantwood.hints import shortened, shown


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


class Stack:
    """Rows of a matrix, held in blocks, as an array for every short row would take more than its cells."""

    def __init__(self, width: int, dtype: Any) -> None:
        self._empty = np.empty((0, width), dtype)
        self._blocks: list[np.ndarray] = []

    def extend(self, block: np.ndarray) -> None:
        """Add rows."""
        self._blocks.append(block)

    def matrix(self) -> np.ndarray:
        """Return all rows."""
        return self._blocks[0] if len(self._blocks) == 1 else np.concatenate([self._empty, *self._blocks])


class _Group:
    """Nominal columns that have the same values; read at once, since there may be thousands."""

    def __init__(self, values: tuple[str, ...], positions: list[int]) -> None:
        self.values, self.positions = values, positions
        self.code = {
            IN_QUOTES + value if value in ("", MISSING) else value: i for i, value in enumerate(values)
        }
        self.code[MISSING] = -1
        self.dtype = np.min_scalar_type(-len(values) - 1)
        self.rows = Stack(len(positions), self.dtype)

    def columns(self) -> Iterator[tuple[int, np.ndarray]]:
        return zip(self.positions, np.ascontiguousarray(self.rows.matrix().T), strict=True)


class RowStore(ABC):
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
        self._exact_rows = Stack(len(self.exact), np.float64)
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
    def _finish(self) -> None:
        """Store what is still waiting."""

    @abstractmethod
    def _numbers(self) -> np.ndarray | sp.csr_array:
        """Return the numbers of all rows."""

    def cells(self) -> Cells:
        """Return all that was read."""
        self._finish()
        codes = dict(chain.from_iterable(group.columns() for group in self.groups))
        exact = dict(zip(self.exact, np.ascontiguousarray(self._exact_rows.matrix().T), strict=True))
        weights = None
        if self._weights:
            weights = np.ones(self._n_rows)
            weights[: len(self._weights)] = self._weights
        return Cells(self._numbers(), exact, codes, self.parsed, weights)

    def _weight(self, text: str) -> float:
        try:
            weight = cell_number(text[1:-1].strip(BLANKS))
        except ValueError:
            weight = math.nan
        if not weight >= 0:
            raise self.source.error(
                f"the row ends with {quote_cell(text)}; expected a weight in braces that is not negative"
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
            value = self.parsers[position].parse(None if cell == MISSING else unmark(cell))
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
                numbers.append(cell_number(cell, math.inf if exact else TOO_LARGE_FOR_SINGLE))
            except ValueError:
                precision = "double precision (float64)" if exact else "single precision (float32)"
                expected = f"a number, not too large for {precision}, or {MISSING}"
                raise self._wrong(position, cell, expected) from None
        return numbers

    def _wrong(self, position: int, cell: str, expected: str) -> ValueError:
        name = shown(self.names[position])
        return self.source.error(
            f"attribute {name} has the cell {quote_cell(cell)}; expected {expected}", self._line
        )
