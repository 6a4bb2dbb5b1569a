"""Which columns of a table of text are numbers, which are categories, and which are mistakes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from slantwood.data.read_options import Roles
from slantwood.data.table import Categories, Table, sorted_categories
from slantwood.data.text.numbers import fits, parse_number
from slantwood.data.text.table_scan import Columns, TableFile, line_of_row
from slantwood.hints import shown

MISSING = frozenset({"", "?", "NA", "N/A", "NaN", "nan", "null"})

# Texts that are no more of a column of numbers than this are taken for mistakes.
_RARE = 0.01


def as_table(file: TableFile, roles: Roles, columns: Columns) -> Table:
    """Return inputs and targets, each column as what it turned out to be."""
    nominal = {}
    inputs = _Kept(columns.layout.numbers, columns.numbers)
    targets = _Kept(columns.layout.targets, columns.targets)
    are_inputs = frozenset(roles.inputs)
    for column in columns.codes:
        is_input = column in are_inputs
        found = _column(file, columns, column, is_nominal=column in roles.nominal, is_input=is_input)
        if isinstance(found, Categories):
            nominal[column] = found
        else:
            (inputs if is_input else targets).fill(column, found)
    return Table(
        tuple(file.names[i] for i in roles.inputs),
        inputs.without(nominal),
        {place: nominal[i] for place, i in enumerate(roles.inputs) if i in nominal},
        tuple(file.names[i] for i in roles.targets),
        [nominal[i] if i in nominal else targets.column(i) for i in roles.targets],
    )


class _Kept:
    """A matrix, and the columns of the file that have a place in it."""

    def __init__(self, columns: Sequence[int], matrix: np.ndarray) -> None:
        self._columns, self._matrix = columns, matrix
        self._places = {column: place for place, column in enumerate(columns)}

    def fill(self, column: int, values: np.ndarray) -> None:
        self._matrix[:, self._places[column]] = values

    def column(self, column: int) -> np.ndarray:
        return np.ascontiguousarray(self._matrix[:, self._places[column]])

    def without(self, left_out: dict[int, Categories]) -> np.ndarray:
        kept = [place for place, column in enumerate(self._columns) if column not in left_out]
        return self._matrix if len(kept) == len(self._columns) else self._matrix[:, kept]


def _column(
    file: TableFile, columns: Columns, column: int, *, is_nominal: bool, is_input: bool
) -> Categories | np.ndarray:
    codes = columns.codes[column]
    values = _decoded(file, codes, columns.values[column])
    if not is_nominal:
        numbers = [parse_number(value) for value in values]
        _refuse_mistakes(file, file.names[column], codes, values, numbers, is_input)
        if None not in numbers:
            return np.array([*numbers, np.nan], np.float64)[codes]  # -1, which is missing, takes the last
    return sorted_categories(Categories(codes, tuple(values)))


def _decoded(file: TableFile, codes: np.ndarray, values: Sequence[bytes]) -> list[str]:
    texts = []
    for code, letters in enumerate(values):
        try:
            texts.append(letters.decode())
        except UnicodeDecodeError as error:
            line = line_of_row(file, int(np.argmax(codes == code)))
            raise file.error(line, f"{shown(letters)} is not text; expected UTF-8") from error
    return texts


def _refuse_mistakes(
    file: TableFile,
    name: str,
    codes: np.ndarray,
    values: Sequence[str],
    numbers: Sequence[float | None],
    is_input: bool,
) -> None:
    """Refuse a column that should be one of numbers, and is not."""
    texts = [code for code, value in enumerate(numbers) if value is None]
    if not texts:
        wrong = [code for code, value in enumerate(map(float, values)) if not fits(value, single=is_input)]
        expected = f"a finite number of {'single' if is_input else 'double'} precision"
    elif len(texts) < len(values) and _are_rare(codes, texts):
        wrong = texts
        expected = "a number, as in the rest of this column"
    elif all(parse_number(value.replace(",", ".", 1)) is not None for value in values):
        wrong = texts
        expected = "a number with a decimal point, not a comma"
    else:
        return
    if wrong:
        row = int(np.argmax(np.isin(codes, wrong)))
        found = values[codes[row]]
        remedy = f"give nominal=[{shown(name)}] if its values are categories"
        message = f"column {shown(name)} has {shown(found)}; expected {expected}; {remedy}"
        raise file.error(line_of_row(file, row), message)


def _are_rare(codes: np.ndarray, texts: Sequence[int]) -> bool:
    counts = np.bincount(codes + 1)[1:]  # what is missing has the code -1
    n_texts = int(counts[texts].sum())
    return n_texts == 1 or n_texts <= _RARE * int(counts.sum())
