"""Arrow tables, which Parquet and Arrow files hold, from and to columns with roles."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from slantwood.data.limits import Limit
from slantwood.data.read_options import ReadOptions, Roles
from slantwood.data.table import Categories, Data, Table, sorted_categories
from slantwood.hints import shortened, shown

# Rows that are made dense in one go where they are written.
_CHUNK_CELLS = 1 << 22


def pyarrow(part: str = "") -> Any:
    """Import pyarrow, or a part of it."""
    try:
        return importlib.import_module(f"pyarrow{part}")
    except ImportError as error:
        raise ImportError(
            "Parquet and Arrow files need pyarrow; install it with: pip install 'slantwood[data]'"
        ) from error


def table_from(
    path: Path, schema: Any, n_rows: int, batches: Callable[[list[str]], Iterable[Any]], options: ReadOptions
) -> Table:
    """Make a table of record batches; `batches` gives them with these columns only, in the file's order."""
    names, roles = column_roles(path, schema, options)
    kept = sorted({*roles.inputs, *roles.targets})
    readers = {i: _text_reader(path, schema.field(names[i]), i in roles.nominal) for i in kept}
    texts = {i: reader for i, reader in readers.items() if reader is not None}
    numeric = [i for i in roles.inputs if i not in texts]
    # What a file says of its rows need not be true.
    Limit.of(path, options.max_memory).check(
        n_rows * (1 + 4 * len(kept) + 4 * len(roles.targets)), f"its {n_rows:,} rows"
    )
    numbers = np.empty((n_rows, len(numeric)), np.float32)
    place: dict[int, np.ndarray] = {i: numbers[:, rank] for rank, i in enumerate(numeric)}
    place |= {i: np.empty(n_rows) for i in roles.targets if i not in texts}
    place |= {i: np.empty(n_rows, np.int32) for i in texts}
    start = stop = 0
    # Numbers too large for float32 are looked for, and named; a NaN of any kind is one.
    with np.errstate(over="ignore", invalid="ignore"):
        for batch in batches([names[i] for i in kept]) if kept else ():
            # Offsets and positions of categories are used as they are, wherever they point to.
            batch.validate(full=True)
            stop = start + batch.num_rows
            if stop > n_rows:
                break
            for column, i in zip(batch.columns, kept, strict=True):
                place[i][start:stop] = texts[i].cells(column) if i in texts else _numbers_of(column)
            start = stop
    if kept and stop != n_rows:
        raise ValueError(f"{path}: it does not have the {n_rows} rows that it declares; copy it again")
    for i in kept:
        if i not in texts:
            _refuse_infinite(path, names[i], place[i])
    found = {i: texts[i].categories(place[i]) if i in texts else place[i] for i in kept}
    return Table.of(names, roles, numbers, found)


def column_roles(path: Path, schema: Any, options: ReadOptions) -> tuple[tuple[str, ...], Roles]:
    """Return the names of the columns of a file, and what they are for."""
    index = _index_columns(schema)
    names = tuple(name for name in schema.names if name not in index)
    if (twice := _first_duplicate(names)) is not None:
        raise ValueError(f"{path}: column {shown(twice)} occurs twice; expected different names")
    return names, options.roles(names, path)


def _index_columns(schema: Any) -> set[str]:
    """Return the columns that pandas takes for names of the rows, and shows to nobody as columns."""
    try:
        return {name for name in schema.pandas_metadata["index_columns"] if isinstance(name, str)}
    except (KeyError, TypeError, ValueError):  # other programs say nothing of the kind
        return set()


def write_batches(data: Data, open_writer: Callable[[Any], Any]) -> None:
    """Write all columns, targets last, in batches of rows; the writer is opened for their schema."""
    pa = pyarrow()
    names = data.column_names
    if (twice := _first_duplicate(names)) is not None:
        raise ValueError(f"an input and a target are both called {shown(twice)}; expected different names")
    step = max(1, _CHUNK_CELLS // max(1, len(names)))

    def batch(start: int) -> Any:
        columns = data.columns(start, start + step)
        return pa.record_batch([pa.array(column, from_pandas=True) for column in columns], names=names)

    first = batch(0)
    with open_writer(first.schema) as writer:
        writer.write_batch(first)
        for start in range(step, data.X.shape[0], step):
            writer.write_batch(batch(start))


def _first_duplicate(names: Sequence[str]) -> str | None:
    counts = Counter(names)
    return next((name for name in names if counts[name] > 1), None)


class _Texts:
    """Reads columns of text or of categories; every batch may have categories of its own.

    Categories keep their order; texts are sorted, as in tables of text.
    """

    def __init__(self, is_sorted: bool) -> None:
        self._codes: dict[str, int] = {}
        self._is_sorted = is_sorted

    def cells(self, column: Any) -> np.ndarray:
        pa = pyarrow()
        if not pa.types.is_dictionary(column.type):
            column = column.cast(pa.string()).dictionary_encode()
        texts = column.dictionary.cast(pa.string()).to_pylist()
        code = [-1 if text is None else self._codes.setdefault(text, len(self._codes)) for text in texts]
        positions = column.indices.fill_null(len(code)).to_numpy(zero_copy_only=False)
        return np.array([*code, -1], np.int32)[positions]

    def categories(self, codes: np.ndarray) -> Categories:
        found = Categories(codes, tuple(self._codes))
        return sorted_categories(found) if self._is_sorted else found


def _numbers_of(column: Any) -> np.ndarray:
    if pyarrow().types.is_float32(column.type):  # which need no copy, unless some are missing
        return column.to_numpy(zero_copy_only=False)
    return column.cast(pyarrow().float64(), safe=False).to_numpy(zero_copy_only=False)


def _refuse_infinite(path: Path, name: str, numbers: np.ndarray) -> None:
    if np.isinf(numbers).any():
        row = int(np.argmax(np.isinf(numbers)))
        raise ValueError(
            f"{path}: column {shown(name)} holds an infinite number, or one too large for {numbers.dtype}, "
            f"in row {row}; expected finite numbers, or nulls where they are missing"
        )


def is_text(kind: Any) -> bool:
    """Tell whether columns of a type hold text, not categories."""
    types = pyarrow().types
    return any(is_such(kind) for is_such in (types.is_string, types.is_large_string, types.is_string_view))


def _text_reader(path: Path, field: Any, nominal: bool) -> _Texts | None:
    """Return what reads a column as categories; None where it is one of numbers."""
    types, kind = pyarrow().types, field.type
    are_numbers = (types.is_integer, types.is_floating, types.is_decimal, types.is_boolean, types.is_null)
    is_number = any(is_such(kind) for is_such in are_numbers)
    if is_number and not nominal:
        return None
    if is_number or is_text(kind) or types.is_dictionary(kind):
        return _Texts(is_sorted=not types.is_dictionary(kind))
    raise ValueError(
        f"{path}: column {shown(field.name)} is of type {shortened(str(kind))}; expected numbers, booleans, "
        "text or categories; leave it out with drop"
    )
