"""What dense and sparse rows of ARFF have in common: columns by their kind, and errors of cells."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from array import array
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import compress, cycle
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.data.arff import syntax
from slantwood.data.arff.header import Column, Nominal, Number, Parsed
from slantwood.data.arff.source import Source
from slantwood.data.text.numbers import TOO_LARGE_FOR_SINGLE
from slantwood.hints import shortened, shown


@dataclass(frozen=True)
class Cells:
    """The rows of a file, column by column.

    Attributes
    ----------
    numbers : ndarray or csr_array of shape (n_rows, number columns)
        In float32, NaN where they are missing; CSR where the rows list pairs of index and value.
    columns : dict
        For the position of each column of exact numbers, these in float64; for that of each nominal column,
        positions in its values, -1 where they are missing.
    parsed : dict
        For the position of each parsed column, what its parser returned.
    weights : ndarray of shape (n_rows,) or None
        What rows give as their weights, 1 where they give none; None where no row does.
    """

    numbers: np.ndarray | sp.csr_array
    columns: dict[int, np.ndarray]
    parsed: dict[int, list[Any]]
    weights: np.ndarray | None


class Block(ABC):
    """Columns of one kind; read at once, since there may be thousands.

    Rows are held in parts, as an array for every short row would take more than its cells.
    """

    def __init__(self, positions: Sequence[int], dtype: Any) -> None:
        self.positions, self.dtype = positions, np.dtype(dtype)
        self.parts = [np.empty((0, len(positions)), dtype)]

    @abstractmethod
    def values(self, cells: Sequence[str]) -> np.ndarray:
        """Return the values of the cells of whole rows; KeyError or ValueError where one is wrong."""

    @abstractmethod
    def value(self, position: int, cell: str) -> float:
        """Return the value of one cell; ValueError says what was expected."""

    def matrix(self) -> np.ndarray:
        """Return all rows."""
        return self.parts[1] if len(self.parts) == 2 else np.concatenate(self.parts)

    def columns(self) -> dict[int, np.ndarray]:
        """Return the columns by their positions."""
        return dict(zip(self.positions, np.ascontiguousarray(self.matrix().T), strict=True))


class Numbers(Block):
    """Columns of numbers, in single or double precision; some of the former may be bits."""

    def __init__(self, positions: Sequence[int], dtype: Any, bits: Collection[int] = ()) -> None:
        super().__init__(positions, dtype)
        self.bits = bits
        self._is_bit = [position in bits for position in positions]

    def values(self, cells: Sequence[str]) -> np.ndarray:
        """Return numbers, NaN where they are missing."""
        n_missing = 0
        try:
            numbers = np.fromiter(map(float, cells), self.dtype, len(cells))
        except ValueError:
            n_missing = cells.count(syntax.MISSING)
            known = ("nan" if cell == syntax.MISSING else cell for cell in cells)
            numbers = np.fromiter(map(float, known), self.dtype, len(cells))
        # Python's float also takes inf, 1_000 and digits of any script.
        n_unknown = np.count_nonzero(~np.isfinite(numbers))
        is_wrong = n_unknown != n_missing and n_unknown != sum(map(syntax.is_missing, cells))
        letters = "".join(cells)
        if is_wrong or "_" in letters:
            raise ValueError
        if not (letters.isascii() or all(cell.strip().isascii() for cell in cells)):
            raise ValueError
        if self.bits and not {*syntax.BITS, syntax.MISSING}.issuperset(compress(cells, cycle(self._is_bit))):
            raise ValueError
        return numbers

    def value(self, position: int, cell: str) -> float:
        """Return the number of one cell."""
        if position in self.bits and cell not in (*syntax.BITS, syntax.MISSING):
            raise ValueError(f"one of {', '.join(syntax.BITS)}, or {syntax.MISSING}")
        is_single = self.dtype == np.float32
        try:
            return syntax.cell_number(cell, TOO_LARGE_FOR_SINGLE if is_single else math.inf)
        except ValueError:
            precision = f"{'single' if is_single else 'double'} precision ({self.dtype})"
            raise ValueError(f"a number, not too large for {precision}, or {syntax.MISSING}") from None


class Codes(Block):
    """Nominal columns that have the same values."""

    def __init__(self, positions: Sequence[int], declared: tuple[str, ...]) -> None:
        super().__init__(positions, np.min_scalar_type(-len(declared) - 1))
        self.declared = declared
        self._code = {
            syntax.IN_QUOTES + value if value in ("", syntax.MISSING) else value: i
            for i, value in enumerate(declared)
        }
        self._code[syntax.MISSING] = -1

    def values(self, cells: Sequence[str]) -> np.ndarray:
        """Return positions in the declared values, -1 where they are missing."""
        return np.fromiter(map(self._code.__getitem__, cells), self.dtype, len(cells))

    def value(self, position: int, cell: str) -> int:
        """Return the position of one cell's value."""
        if cell not in self._code:
            first = ", ".join(shortened(value, 60) for value in self.declared[:10])
            more = ", ..." * (len(self.declared) > 10)
            raise ValueError(f"one of {first}{more}, or {syntax.MISSING}")
        return self._code[cell]


class RowStore(ABC):
    """What dense and sparse rows have in common: columns sorted by kind, and the errors of their cells."""

    def __init__(self, source: Source, names: Sequence[str], columns: Sequence[Column]) -> None:
        self.source, self.names = source, names
        numbers = {i: each for i, each in enumerate(columns) if isinstance(each, Number)}
        bits = frozenset(i for i, each in numbers.items() if each.of_bits)
        self.numbers = Numbers([i for i, each in numbers.items() if not each.exact], np.float32, bits)
        self.parsers = {i: each for i, each in enumerate(columns) if isinstance(each, Parsed)}
        self.parsed: dict[int, list[Any]] = {i: [] for i in self.parsers}
        by_values: dict[tuple[str, ...], list[int]] = {}
        for i, column in enumerate(columns):
            if isinstance(column, Nominal):
                by_values.setdefault(column.values, []).append(i)
        exact = Numbers([i for i, each in numbers.items() if each.exact], np.float64)
        # The columns that are handed on one by one.
        self.blocks = [exact, *(Codes(positions, values) for values, positions in by_values.items())]
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
    def _finish(self) -> np.ndarray | sp.csr_array:
        """Store what is still waiting, and return the numbers of all rows."""

    def cells(self) -> Cells:
        """Return all that was read."""
        numbers = self._finish()
        columns = {i: column for block in self.blocks for i, column in block.columns().items()}
        weights = None
        if self._weights:
            weights = np.ones(self._n_rows)
            weights[: len(self._weights)] = self._weights
        return Cells(numbers, columns, self.parsed, weights)

    def _weight(self, text: str) -> float:
        try:
            weight = syntax.cell_number(text[1:-1].strip(syntax.BLANKS))
        except ValueError:
            weight = math.nan
        if not weight >= 0:
            expected = "expected a weight in braces that is not negative"
            raise self.source.error(f"the row ends with {syntax.quote_cell(text)}; {expected}")
        return weight

    def _value(self, block: Block, position: int, cell: str) -> float:
        try:
            return block.value(position, cell)
        except ValueError as error:
            raise self._wrong(position, cell, str(error)) from None

    def _add_parsed(self, position: int, cell: str) -> None:
        if not cell:
            raise self._wrong(position, cell, f"a value or {syntax.MISSING}")
        try:
            value = self.parsers[position].parse(None if cell == syntax.MISSING else syntax.unmark(cell))
        except ValueError as error:
            raise self.source.error(
                f"attribute {shown(self.names[position])}: {error}", self._line
            ) from error
        self.parsed[position].append(value)

    def _wrong(self, position: int, cell: str, expected: str) -> ValueError:
        name = shown(self.names[position])
        return self.source.error(
            f"attribute {name} has the cell {syntax.quote_cell(cell)}; expected {expected}", self._line
        )
