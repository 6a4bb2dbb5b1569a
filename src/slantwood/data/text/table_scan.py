"""Columns of a table of text, block by block, by compiled code: numbers, and codes of texts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, compress
from pathlib import Path
from typing import TypeAlias

import numpy as np

from slantwood.data.limits import Limit
from slantwood.data.text.compiled import state
from slantwood.data.text.compiled.state import LEFTOVERS, LINE, POSITION, ROW, VALUES
from slantwood.data.text.compiled.table import NUMBER, SKIP, TARGET, TEXT, Texts, fill_table, scan_table
from slantwood.data.text.numbers import fits, parse_cell
from slantwood.data.text.scanning import GrowingArray, as_array, malformed, whole_lines

_MAX_LEFTOVERS = 512
_CELLS_AT_A_TIME = 1 << 18
_AFTER_QUOTE = "a quote closes within a cell; expected the separator after it, or two quotes for one"


@dataclass(frozen=True)
class TableFile:
    """A file whose first line is known: what it says, and where the rows begin."""

    path: Path
    limit: Limit
    separator: str
    names: Sequence[str]
    start: int  # of the rows in the first block
    line: int  # in which they begin

    def blocks(self) -> Iterator[bytes]:
        """Read the file again, from its start."""
        return whole_lines(self.path, self.limit.n_bytes)


class Layout:
    """What is read of each column, and where it is kept.

    Attributes
    ----------
    kinds, places
        For compiled code: what becomes of each column, and its place among those of its kind.
    numbers, targets, texts
        The columns that have a place among the inputs, the targets and the codes of texts. Those in doubt,
        which are read as text and may turn out to be numbers, have two places.
    """

    def __init__(self, kinds: np.ndarray, in_doubt: Collection[int] = ()) -> None:
        self.kinds = kinds.astype(np.int64)
        self.kinds[list(in_doubt)] = TEXT
        self.numbers = np.flatnonzero(kinds == NUMBER).tolist()
        self.targets = np.flatnonzero(kinds == TARGET).tolist()
        self.texts = np.flatnonzero(self.kinds == TEXT).tolist()
        self.places = np.zeros(len(kinds), np.int64)
        for columns in (self.numbers, self.targets, self.texts):
            self.places[columns] = np.arange(len(columns))


# Its position, codes and distinct texts, in order of appearance.
TextColumn: TypeAlias = tuple[int, np.ndarray, tuple[bytes, ...]]


@dataclass(frozen=True, eq=False)
class Columns:
    """What was read: numbers, and codes of texts, whose distinct texts are side by side in `letters`."""

    layout: Layout
    numbers: np.ndarray
    targets: np.ndarray
    codes: np.ndarray
    letters: bytes
    ends: np.ndarray  # of each text in `letters`
    owners: np.ndarray  # the column of each text, as a place in `codes`
    mistaken: frozenset[int]  # columns taken for numbers that are not

    def texts(self) -> Iterator[TextColumn]:
        """Yield the columns of texts.

        One at a time, as columns by the hundred thousand would take several times the memory of the file.
        """
        order = np.argsort(self.owners, kind="stable")
        begins = np.concatenate([[0], self.ends[:-1]])[order]
        ends, letters = self.ends[order], self.letters
        first = np.searchsorted(self.owners[order], np.arange(len(self.layout.texts) + 1))
        for j, column in enumerate(self.layout.texts):
            of_column = slice(first[j], first[j + 1])
            places = zip(begins[of_column].tolist(), ends[of_column].tolist(), strict=True)
            yield column, self.codes[:, j], tuple([letters[begin:end] for begin, end in places])

    def empty(self) -> set[int]:
        """Return the columns of numbers all of whose cells are missing."""
        columns = [*self.layout.numbers, *self.layout.targets]
        is_empty = [np.isnan(held).all(axis=0) for held in (self.numbers, self.targets)]
        return set(compress(columns, np.concatenate(is_empty))) - self.mistaken


def read_columns(file: TableFile, blocks: Iterable[bytes], layout: Layout) -> Columns:
    """Read columns of a whole file."""
    scan = _Scan(file, layout)
    if not scan.read(blocks):
        raise malformed(file.path, scan.line, "a quote opens in this row and never closes")
    return scan.columns()


def read_first_rows(file: TableFile, block: bytes, layout: Layout, n_rows: int) -> Columns:
    """Read columns of the first rows of a file, those in its first block at most."""
    scan = _Scan(file, layout, n_rows)
    scan.take(block, file.start)
    return scan.columns()


def line_of_row(file: TableFile, row: int) -> int:
    """Return the line in which a row begins, by reading up to it."""
    scan = _Scan(file, Layout(np.full(len(file.names), SKIP)), row)
    scan.read(file.blocks())
    return scan.line


def split_record(
    path: Path, block: bytes, start: int, line: int, separator: str
) -> tuple[list[str], int, int]:
    """Return the cells of one row, where the next begins and how many lines it takes."""
    mark, blanks = separator.encode(), b" *+" if separator == "\t" else b"[ \t]*+"
    quoted = re.compile(rb'%b"((?:[^"]++|"")*+)("?)%b' % (blanks, blanks))
    plain = re.compile(rb"[^%b\r\n]*+" % mark)
    end = re.compile(rb"%b|\r\n?|\n" % mark)
    cells, at, ended_by = [], start, mark
    while ended_by == mark:
        in_quotes = quoted.match(block, at)
        if in_quotes and not in_quotes[2]:
            raise malformed(path, line, "a quote opens in this line and never closes")
        match = in_quotes or plain.match(block, at)
        assert match is not None  # as nothing at all is a plain cell
        cell = in_quotes[1].replace(b'""', b'"') if in_quotes else match[0].strip(b" \t")
        try:
            cells.append(cell.decode())
        except UnicodeDecodeError as error:
            raise malformed(path, line, "these bytes are not text; expected UTF-8") from error
        ending = end.match(block, match.end())
        if ending is None:
            raise malformed(path, line, _AFTER_QUOTE)
        at, ended_by = ending.end(), ending[0]
    return cells, at, max(block.count(b"\n", start, at), 1)


class _Scan:
    """Reads columns of a file, up to some row."""

    def __init__(self, file: TableFile, layout: Layout, n_rows: int = 2**62) -> None:
        self._file = file
        self._layout = layout
        self._kinds = layout.kinds.copy()
        self._end_row = n_rows
        self._numbers = GrowingArray(np.float32, len(layout.numbers))
        self._targets = GrowingArray(np.float64, len(layout.targets))
        self._codes = GrowingArray(np.int32, len(layout.texts))
        self._letters = GrowingArray(np.uint8)
        self._texts = _no_texts(len(layout.texts))
        self._leftovers = np.empty((max(_MAX_LEFTOVERS, 2 * len(self._kinds)), 5), np.int64)
        self._progress = np.zeros(state.N_COUNTERS, np.int64)
        self._progress[LINE] = file.line
        self._mistaken: set[int] = set()

    @property
    def line(self) -> int:
        """The line at which the scan is."""
        return int(self._progress[LINE])

    @property
    def row(self) -> int:
        """The row at which the scan is."""
        return int(self._progress[ROW])

    def read(self, blocks: Iterable[bytes]) -> bool:
        """Read block by block; return whether all rows are read."""
        parts: list[bytes] = []
        n_waiting = needed = 0
        start = self._file.start
        for block in chain(blocks, [b""]):
            parts.append(block)
            n_waiting += len(block)
            self._check_memory(n_waiting - len(block))
            # A row goes on within quotes. Looking again only when there is twice as much keeps a quote that
            # never closes from taking time in proportion to the square of the file.
            if not n_waiting or (block and n_waiting < needed):
                continue
            waiting = b"".join(parts) if len(parts) > 1 else block
            rest = waiting[self.take(waiting, start) :]
            parts, n_waiting = [rest] if rest else [], len(rest)
            start = 0
            needed = 2 * n_waiting
            if n_waiting and self.row == self._end_row:
                break
        return not n_waiting

    def _check_memory(self, n_waiting: int) -> None:
        """Refuse rows that take too much, and one that goes on too long within quotes."""
        limit = self._file.limit
        per_row = sum(each.buffer[:1].nbytes for each in (self._numbers, self._targets, self._codes))
        limit.check(self.row * per_row, "what it holds")
        if n_waiting > limit.line:
            raise limit.error(f"a row of it has more than {limit.line:,} bytes")

    def take(self, block: bytes, start: int) -> int:
        """Read the rows of a block; return where the first begins that is not read."""
        file, held = self._file, (self._numbers, self._targets, self._codes)
        if self._layout.texts:
            n_texts = int(self._progress[VALUES])
            self._letters.reserve(len(block) + (int(self._texts.ends[n_texts - 1]) if n_texts else 0))
        self._progress[POSITION] = start
        scanned = (as_array(block), ord(file.separator), self._kinds, self._layout.places, self._end_row)
        why = state.FULL
        while why == state.FULL:
            texts = self._texts._replace(letters=self._letters.buffer)
            arrays = (each.buffer for each in held)
            why = scan_table(*scanned, self._progress, *arrays, texts, self._leftovers)
            self._parse_leftovers(block)
            if why == state.FULL:
                self._texts = _with_capacity(self._texts, self._progress[VALUES])
                for each in held:
                    if len(each.buffer) == self.row:
                        each.reserve(self.row + 1 + _CELLS_AT_A_TIME // len(self._kinds))
        position = int(self._progress[POSITION])
        if why == state.AFTER_QUOTE:
            raise malformed(file.path, self.line, _AFTER_QUOTE)
        if why == state.WRONG_COUNT:
            cells, _, _ = split_record(file.path, block, position, self.line, file.separator)
            expected = f"expected {len(file.names)}, as in the first line"
            raise malformed(file.path, self.line, f"has {len(cells)} cells; {expected}")
        # What follows the last row is at most blank.
        return len(block) if why == state.DONE and self.row < self._end_row else position

    def columns(self) -> Columns:
        """Return what was read."""
        n_texts = int(self._progress[VALUES])
        ends = self._texts.ends[:n_texts].copy()
        return Columns(
            self._layout,
            self._numbers.trim(self.row),
            self._targets.trim(self.row),
            self._codes.trim(self.row),
            self._letters.buffer[: ends[-1] if n_texts else 0].tobytes(),
            ends,
            self._texts.columns[:n_texts].copy(),
            frozenset(self._mistaken),
        )

    def _parse_leftovers(self, block: bytes) -> None:
        """Read the cells that compiled code has left over, and give up columns that are not numbers."""
        for row, column, begin, end in self._leftover_cells():
            value = parse_cell(block[begin:end].decode(errors="replace"))
            is_input = self._layout.kinds[column] == NUMBER
            if value is None or not fits(value, single=is_input):
                self._mistaken.add(column)
                self._kinds[column] = SKIP
            else:
                held = self._numbers.buffer if is_input else self._targets.buffer
                held[row, self._layout.places[column]] = value
        self._progress[LEFTOVERS] = 0

    def _leftover_cells(self) -> Iterator[tuple[int, int, int, int]]:
        """Yield row, column, begin and end of each; few at a time, as of wide rows there are many."""
        count = int(self._progress[LEFTOVERS])
        for start in range(0, count, _MAX_LEFTOVERS):
            yield from zip(
                *self._leftovers[start : min(start + _MAX_LEFTOVERS, count), :4].T.tolist(), strict=True
            )


def _no_texts(n_columns: int) -> Texts:
    none = np.empty(0, np.int32)
    counts = np.zeros(n_columns, np.int32)
    hashes, ends, letters = np.empty(0, np.uint64), np.empty(0, np.int64), np.empty(0, np.uint8)
    return _with_capacity(Texts(none, hashes, ends, none, none, counts, counts - 1, letters), 0)


def _with_capacity(texts: Texts, n_texts: int) -> Texts:
    """Double the capacity for texts where it is nearly used up."""
    before = len(texts.hashes)
    if before - n_texts >= max(len(texts.counts), 1):
        return texts
    capacity = max(1024, 2 * before, 2 * len(texts.counts))
    # Of a new table no more than half is used, which keeps the ways through it short.
    table = np.zeros(1 << (2 * capacity - 1).bit_length(), np.int32)
    fill_table(texts.hashes, n_texts, table)
    grown = ("hashes", "ends", "columns", "codes")
    longer = {name: np.pad(getattr(texts, name), (0, capacity - before)) for name in grown}
    return texts._replace(table=table, **longer)
