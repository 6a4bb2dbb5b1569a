"""Columns of a table of text, block by block, by compiled code: numbers, and codes of texts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from slantwood.data.limits import Limit
from slantwood.data.text.compiled import state
from slantwood.data.text.compiled.state import LEFTOVERS, LINE, POSITION, ROW, VALUES
from slantwood.data.text.compiled.table import NUMBER, SKIP, TARGET, TEXT, Texts, fill_table, scan_table
from slantwood.data.text.numbers import fits, parse_number
from slantwood.data.text.scanning import GrowingArray, as_array, decode_text, malformed, whole_lines

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

    def error(self, line: int, message: str) -> ValueError:
        """Make an error that names the file and a line."""
        return malformed(self.path, line, message)


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


@dataclass(frozen=True, eq=False)
class Columns:
    """What was read: numbers, and texts by the position of the column."""

    layout: Layout
    numbers: np.ndarray
    targets: np.ndarray
    codes: dict[int, np.ndarray]
    values: dict[int, list[bytes]]
    mistaken: frozenset[int]  # columns taken for numbers that are not

    def empty(self) -> set[int]:
        """Return the columns of numbers all of whose cells are missing."""
        found = set()
        for columns, held in ((self.layout.numbers, self.numbers), (self.layout.targets, self.targets)):
            found |= {columns[j] for j in np.flatnonzero(np.isnan(held).all(axis=0))}
        return found - self.mistaken


def read_columns(file: TableFile, blocks: Iterable[bytes], layout: Layout) -> Columns:
    """Read columns of a whole file."""
    scan = _Scan(file, layout)
    if not scan.read(blocks):
        raise file.error(scan.line, "a quote opens in this row and never closes")
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
    blanks = b" " if separator == "\t" else b" \t"
    mark = separator.encode()
    ends = {mark, b"\n", b"\r"}
    find_end = re.compile(b"[%b\r\n]" % mark).search
    cells = []
    i = start
    while True:
        while block[i : i + 1] in (blanks[:1], blanks[-1:]):
            i += 1
        if block[i : i + 1] == b'"':
            begin = i + 1
            i = block.find(b'"', begin)
            while i >= 0 and block[i + 1 : i + 2] == b'"':
                i = block.find(b'"', i + 2)
            if i < 0:
                raise malformed(path, line, "a quote opens in this line and never closes")
            cell = block[begin:i].replace(b'""', b'"')
            i += 1
            while block[i : i + 1] in (blanks[:1], blanks[-1:]):
                i += 1
            if block[i : i + 1] not in ends:
                raise malformed(path, line, _AFTER_QUOTE)
        else:
            begin = i
            end = find_end(block, begin)
            assert end is not None  # as a line end is the last of every block
            i = end.start()
            cell = block[begin:i].strip(b" \t")
        cells.append(decode_text(path, line, cell))
        if block[i : i + 1] != mark:
            break
        i += 1
    i += 2 if block[i : i + 2] == b"\r\n" else 1
    return cells, i, max(block.count(b"\n", start, i), 1)


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
        per_row = sum(each.buffer[:1].nbytes for each in (self._numbers, self._targets, self._codes))
        self._file.limit.check(self.row * per_row, "what it holds")
        if n_waiting > self._file.limit.line:
            raise self._file.limit.error(f"a row of it has more than {self._file.limit.line:,} bytes")

    def take(self, block: bytes, start: int) -> int:
        """Read the rows of a block; return where the first begins that is not read."""
        self._texts = _with_letters(self._texts, self._progress[VALUES], len(block))
        self._progress[POSITION] = start
        letters = as_array(block)
        while True:
            why = scan_table(
                letters,
                ord(self._file.separator),
                self._kinds,
                self._layout.places,
                self._end_row,
                self._progress,
                self._numbers.buffer,
                self._targets.buffer,
                self._codes.buffer,
                self._texts,
                self._leftovers,
            )
            self._parse_leftovers(block)
            if why != state.FULL:
                break
            self._make_room()
        self._refuse(why, block)
        # What follows the last row is at most blank.
        return len(block) if why == state.DONE and self.row < self._end_row else int(self._progress[POSITION])

    def columns(self) -> Columns:
        """Return what was read."""
        codes = self._codes.trim(self.row)
        values = _values(self._texts, self._progress[VALUES])
        return Columns(
            self._layout,
            self._numbers.trim(self.row),
            self._targets.trim(self.row),
            {column: np.ascontiguousarray(codes[:, j]) for j, column in enumerate(self._layout.texts)},
            dict(zip(self._layout.texts, values, strict=True)),
            frozenset(self._mistaken),
        )

    def _make_room(self) -> None:
        self._texts = _with_capacity(self._texts, self._progress[VALUES])
        n_more = 1 + _CELLS_AT_A_TIME // len(self._kinds)
        for each in (self._numbers, self._targets, self._codes):
            if len(each.buffer) == self.row:
                each.reserve(self.row + n_more)

    def _parse_leftovers(self, block: bytes) -> None:
        """Read the cells that compiled code has left over, and give up columns that are not numbers."""
        for row, column, begin, end, _ in self._leftovers[: self._progress[LEFTOVERS]].tolist():
            value = parse_number(block[begin:end].decode(errors="replace"))
            is_input = self._layout.kinds[column] == NUMBER
            if value is None or not fits(value, single=is_input):
                self._mistaken.add(column)
                self._kinds[column] = SKIP
            else:
                held = self._numbers.buffer if is_input else self._targets.buffer
                held[row, self._layout.places[column]] = value
        self._progress[LEFTOVERS] = 0

    def _refuse(self, why: int, block: bytes) -> None:
        file = self._file
        if why == state.AFTER_QUOTE:
            raise file.error(self.line, _AFTER_QUOTE)
        if why == state.WRONG_COUNT:
            cells, _, _ = split_record(
                file.path, block, int(self._progress[POSITION]), self.line, file.separator
            )
            expected = f"expected {len(file.names)}, as in the first line"
            raise file.error(self.line, f"has {len(cells)} cells; {expected}")


def _no_texts(n_columns: int) -> Texts:
    none = np.empty(0, np.int32)
    counts = np.zeros(n_columns, np.int32)
    hashes, ends, letters = np.empty(0, np.uint64), np.empty(0, np.int64), np.empty(0, np.uint8)
    return _with_capacity(Texts(none, hashes, ends, none, none, counts, counts - 1, letters), 0)


def _with_capacity(texts: Texts, n_values: int) -> Texts:
    """Double the capacity for texts where it is nearly used up."""
    capacity = len(texts.hashes)
    if capacity - n_values >= max(len(texts.counts), 1):
        return texts
    capacity = max(1024, 2 * capacity, 2 * len(texts.counts))
    # Of a new table no more than half is used, which keeps the ways through it short.
    table = np.zeros(1 << (2 * capacity - 1).bit_length(), np.int32)
    fill_table(texts.hashes, n_values, table)
    return texts._replace(
        table=table,
        hashes=_longer(texts.hashes, capacity),
        ends=_longer(texts.ends, capacity),
        columns=_longer(texts.columns, capacity),
        codes=_longer(texts.codes, capacity),
    )


def _longer(part: np.ndarray, length: int) -> np.ndarray:
    longer = np.zeros(length, part.dtype)
    longer[: len(part)] = part
    return longer


def _with_letters(texts: Texts, n_values: int, n_more: int) -> Texts:
    used = int(texts.ends[n_values - 1]) if n_values else 0
    if not len(texts.counts) or len(texts.letters) - used >= n_more:
        return texts
    letters = np.empty(max(used + n_more, 2 * used), np.uint8)
    letters[:used] = texts.letters[:used]
    return texts._replace(letters=letters)


def _values(texts: Texts, n_values: int) -> list[list[bytes]]:
    """Return the distinct texts of each column by their codes."""
    values: list[list[bytes]] = [[] for _ in texts.counts]
    begin = 0
    for end, column in zip(texts.ends[:n_values].tolist(), texts.columns[:n_values].tolist(), strict=True):
        values[column].append(texts.letters[begin:end].tobytes())
        begin = end
    return values
