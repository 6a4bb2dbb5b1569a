"""Rows of ARFF that list pairs of index and value in braces.

They count attributes from 0, as Weka does, or from 1, as CLUS does. An index that only one way of counting
has proves that it is this one: 0, or the number of attributes.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.data.arff.header import Column, Nominal
from slantwood.data.arff.row_store import Block, RowStore
from slantwood.data.arff.source import Source
from slantwood.data.arff.syntax import BITS, MISSING, QUOTED, QUOTED_OR_OPEN, parse_cell, quote_cell
from slantwood.data.text.numbers import TOO_LARGE_FOR_SINGLE
from slantwood.hints import shown

_PAIR = re.compile(rf"[ \t]*+([0-9]{{1,18}}+)[ \t]++({QUOTED}|[^,}}'\" \t][^,}}]*+)[ \t]*+([,}}])")
_NO_PAIRS = re.compile(r"\{[ \t]*+\}")
_AFTER_COMMA = re.compile(r"[ \t]*+\}")
_AFTER_PAIRS = re.compile(r"[ \t]*+(?:,[ \t]*+(\{[^{}]*+\})[ \t]*+)?(?:,[ \t]*+)?(?:%.*)?")
_INDEX = re.compile(r"[{,][ \t]*+([0-9]{1,18}+)[ \t]")
_IN_QUOTES = re.compile(QUOTED_OR_OPEN)


@dataclass(frozen=True)
class IndexBase:
    """The number of the first attribute, and how it is known.

    Attributes
    ----------
    first : {0, 1}
        The number.
    may_be_other : bool
        Whether the rows may still prove that it is the other number.
    reason : str
        What has proven it, where it is not what was expected, or not Weka's.
    """

    first: int = 0
    may_be_other: bool = True
    reason: str = ""

    def proof(self, n_attributes: int) -> int:
        """Return the index that only this way of counting has."""
        return n_attributes if self.first else 0

    def proven(self, line: int, n_attributes: int) -> IndexBase:
        """Return the same, now that this line has the index that proves it."""
        reason = f"line {line} has the index {self.proof(n_attributes)}"
        return IndexBase(self.first, False, f"{reason}, and there are {n_attributes} attributes")

    @property
    def notice(self) -> str:
        """A warning for the user; empty where the rows are read as asked, or as Weka does."""
        if not self.reason and not (self.first == 1 and self.may_be_other):
            return ""
        kind = "from 1, as CLUS does" if self.first else "from 0, as Weka does"
        reason = self.reason or "nothing in them tells"
        return f"the rows count attributes {kind}: {reason}; give index_base=0 or 1 to say it yourself"


class OtherBase(Exception):
    """The rows count attributes from another number than the one that was taken: read them again."""

    def __init__(self, base: IndexBase) -> None:
        super().__init__(base.reason)
        self.base = base


class _Scattered:
    """The cells that sparse rows list, of columns that are handed on dense: these may be far more."""

    def __init__(self, block: Block) -> None:
        self._rows, self._ranks = array("q"), array("i")
        self._values: array[Any] = array(block.dtype.char)
        self._rank = {position: rank for rank, position in enumerate(block.positions)}
        self.block = block

    def add(self, row: int, position: int, value: float) -> None:
        self._rows.append(row)
        self._ranks.append(self._rank[position])
        self._values.append(value)

    def spell_out(self, n_rows: int) -> None:
        """Give all cells to the block, zero where none is listed."""
        # Column by column in memory, as they are handed on.
        cells = np.zeros((len(self._rank), n_rows), self.block.dtype)
        cells[np.array(self._ranks, np.int64), np.array(self._rows, np.int64)] = self._values
        self.block.parts.append(cells.T)


class SparseRows(RowStore):
    """Rows that list pairs of index and value; what is not listed is zero, or the first nominal value."""

    def __init__(
        self, source: Source, names: Sequence[str], columns: Sequence[Column], base: IndexBase
    ) -> None:
        super().__init__(source, names, columns)
        self._base = base
        self._proof = base.proof(len(names))
        self._rank = {position: rank for rank, position in enumerate(self.numbers.positions)}
        self._scattered = {i: each for each in map(_Scattered, self.blocks) for i in each.block.positions}
        self._data = array("f")
        self._indices = array("i")
        self._starts = array("q", [0])
        # Columns that have nothing to stand for what is not listed, and what a row has to say of them.
        self._needed = {
            i: f"{i + base.first} {MISSING}, as it has no values"
            for i, column in enumerate(columns)
            if isinstance(column, Nominal) and not column.values
        }
        for i, parser in self.parsers.items():
            if parser.absent is None:
                self._needed[i] = f"{i + base.first} and a value, or {i + base.first} {MISSING}"

    def other_base(self, line: str) -> IndexBase | None:
        """Return the other way of counting, where this row or one below proves it; the source is used up.

        The rows above have no index that proves the way that was taken.
        """
        if not self._base.may_be_other:
            return None
        n_attributes, other = len(self.names), IndexBase(1 - self._base.first)
        proven = None
        try:
            for row in chain([line], self.source):
                pairs = _IN_QUOTES.sub("", row).partition("}")[0]
                indices = set(map(int, _INDEX.findall(pairs)))
                if indices and not other.first <= min(indices) <= max(indices) < n_attributes + other.first:
                    return None
                if proven is None and other.proof(n_attributes) in indices:
                    proven = other.proven(self.source.line, n_attributes)
        except ValueError:  # the error before is the one to report
            return None
        return proven

    def _add_cells(self, line: str) -> str | None:
        row, weight = self._quick_pairs(line) or self._pairs(line)
        if self._base.may_be_other and self._proof in row:
            # That they count as Weka does is nothing to tell.
            proven = self._base.proven(self.source.line, len(self.names))
            self._base = proven if proven.first else replace(proven, reason="")
        if self._base.first:
            row = {index - 1: cell for index, cell in row.items()}
        if self._rank:
            self._add_numbers(row)
        for position in [position for position in row if position in self._scattered]:
            scattered = self._scattered[position]
            scattered.add(self._n_rows, position, self._value(scattered.block, position, row[position]))
        for position, expected in self._needed.items():
            if position not in row:
                name = shown(self.names[position])
                raise self.source.error(f"attribute {name} is not listed; expected {expected}")
        for position, parser in self.parsers.items():
            self._add_parsed(position, row.get(position, parser.absent or ""))
        return weight

    def _add_numbers(self, row: dict[int, str]) -> None:
        rank, bits = self._rank, self.numbers.bits
        positions = sorted([position for position in row if position in rank])
        cells = [row[position] for position in positions]
        try:
            numbers = list(map(float, cells))
            letters = "".join(cells)
            # The sum is not below where one of them is not, or is no number.
            is_plain = sum(map(abs, numbers)) < TOO_LARGE_FOR_SINGLE
            is_plain = is_plain and "_" not in letters and letters.isascii()
            is_plain = is_plain and all(row[position] in BITS for position in positions if position in bits)
        except ValueError:
            is_plain = False
        if not is_plain:
            numbers = [self._value(self.numbers, position, row[position]) for position in positions]
        self._data.extend(numbers)
        self._indices.extend([rank[position] for position in positions])
        self._starts.append(len(self._data))

    def _quick_pairs(self, line: str) -> tuple[dict[int, str], None] | None:
        """Return the pairs of a row that has neither quotes nor anything unusual, or None."""
        # What is printable has no other blanks than spaces.
        is_usual = line.isprintable() and line.find("}") == len(line) - 1
        if not is_usual or "'" in line or '"' in line or "%" in line:
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

    def _finish(self) -> sp.csr_array:
        if notice := self._base.notice:
            self.source.notices.append(f"{self.source.path}: {notice}")
        per_row = sum(block.dtype.itemsize * len(block.positions) for block in self.blocks)
        what = "its targets and nominal columns, with what rows leave out,"
        self.source.limit.check(self._n_rows * per_row, what)
        for each in dict.fromkeys(self._scattered.values()):
            each.spell_out(self._n_rows)
        # Of one type, or SciPy widens both to int64.
        index = np.int32 if len(self._data) < 2**31 else np.int64
        starts = self._starts if self._rank else [0] * (self._n_rows + 1)
        parts = (np.array(self._data, np.float32), np.array(self._indices, index), np.array(starts, index))
        matrix = sp.csr_array(parts, shape=(self._n_rows, len(self._rank)))
        matrix.eliminate_zeros()
        return matrix
