"""A table of the study, and how it is written as CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TypeGuard

from slantwood_bench.files import write_whole

Value = str | int | float | None


@dataclass(frozen=True)
class Table:
    """Plain values under headings.

    Attributes
    ----------
    name : str
        Name of its file, without an ending.
    title : str
        What it shows.
    headings : tuple of str
        One for each column.
    rows : tuple of tuples of str, int, float or None
        None where there is nothing to say. A text in a column of numbers says why there is no number.
    notes : tuple of str
        What a reader must know, to stand below.
    left : tuple of int
        The columns of text; all others hold numbers.
    best : frozenset of pairs (row, column)
        The cells to point out.
    decimals : int or None, or a tuple of them
        Digits after the point where it is shown to humans, in all columns or in each; None for three digits
        that count.
    """

    name: str
    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    notes: tuple[str, ...] = ()
    left: tuple[int, ...] = (0,)
    best: frozenset[tuple[int, int]] = frozenset()
    decimals: int | tuple[int | None, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse rows that do not fit under the headings."""
        for number, row in enumerate(self.rows):
            if len(row) != len(self.headings):
                raise ValueError(
                    f"row {number} of the table {self.name!r} has {len(row)} cells; "
                    f"expected {len(self.headings)}, one for each heading"
                )


def write_csv(table: Table, folder: str | PathLike[str]) -> Path:
    """Write a table as CSV (UTF-8), whole or not at all, and return where.

    Numbers have all their digits. Notes are not in it; what has no value is empty.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(table.headings)
    writer.writerows([_plain(value) for value in row] for row in table.rows)
    path = Path(folder) / f"{table.name}.csv"
    write_whole(path, text.getvalue().encode())
    return path


def largest(cells: Sequence[Value], among: Collection[int]) -> set[int]:
    """Return which of some cells of a row hold its largest number."""
    numbers = {i: value for i in among if is_number(value := cells[i])}
    return {i for i, value in numbers.items() if value == max(numbers.values())}


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether a cell holds a number, and not a word or nothing."""
    return isinstance(value, (int, float)) and not math.isnan(value)


def _plain(value: Value) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return value if isinstance(value, str) else repr(value)
