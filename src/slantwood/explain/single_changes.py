"""Rows that differ from a given one in a single feature, as many as may reach other leaves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from slantwood.explain.breakpoints import breakpoints
from slantwood.explain.column_spread import ColumnSpread

# Values go beyond a threshold by this part of a feature's spread, or to the middle of the range that has the
# same leaves: near enough, and not lost to rounding.
_BEYOND = 1e-3


class Change(NamedTuple):
    """Another value of a feature, and what the encoded row has then."""

    position: int
    distance: float
    value: Any
    columns: np.ndarray
    cells: np.ndarray


def single_changes(model: Any, base: Any, rows: Any, allowed: np.ndarray) -> Iterator[Change]:
    """Yield the changes of one feature that may lead to other leaves: of each range of values the nearest.

    Parameters
    ----------
    model : estimator
        A fitted model.
    base : array or CSR array of shape (1, n_columns)
        The encoded row.
    rows : array or CSR array of shape (n_rows, n_columns)
        Encoded rows that tell spread and range of numbers.
    allowed : array of int
        Columns of X that may change.
    """
    encoding = model.encoding_
    x = (base.toarray() if sp.issparse(base) else np.asarray(base))[0].astype(np.float64)
    is_allowed = np.zeros(encoding.n_inputs, np.bool_)
    is_allowed[allowed] = True
    first_indicator = len(encoding.source) - len(encoding.indicated)
    indicator = {source: first_indicator + place for place, source in enumerate(encoding.indicated)}
    yield from _numbers(model, x, rows, is_allowed, indicator)
    yield from _categories(encoding, is_allowed, indicator)


def _numbers(
    model: Any, x: np.ndarray, rows: Any, is_allowed: np.ndarray, indicator: dict[int, int]
) -> Iterator[Change]:
    numbers, trees = np.array(model.encoding_.numbers, np.intp), model.trees_
    is_used = np.zeros(len(x), np.bool_)
    is_used[trees.indices] = True
    # Where a value is missing, it may matter only that it is; this mark goes when there is a value.
    mark = np.array([indicator.get(source, -1) for source in numbers.tolist()], np.intp)
    mark[~np.isnan(x[: len(numbers)])] = -1
    columns = np.flatnonzero(is_allowed[numbers] & (is_used[: len(numbers)] | ((mark >= 0) & is_used[mark])))
    spread = ColumnSpread.of(rows, columns)
    moves = spread.deviation > 0
    columns, spread = columns[moves], spread.of_columns(moves)
    anchor = np.where(np.isnan(x[columns]), spread.mean, x[columns])
    low, high = np.minimum(spread.low, anchor), np.maximum(spread.high, anchor)
    for group in _with_same_marks(mark[columns]):
        seen = x.copy()
        marked = mark[columns[group[:1]]]
        marked = marked[marked >= 0]
        seen[marked] = 0.0
        is_normalized = bool(model.settings_.normalize_rows)
        cuts = breakpoints(trees, seen, columns[group], low[group], high[group], is_normalized=is_normalized)
        for place in group:
            column, unit = columns[place], spread.deviation[place]
            ends = np.searchsorted(cuts.column, [column, column + 1])
            values = _between(
                cuts.value[slice(*ends)], low[place], high[place], anchor[place], _BEYOND * unit
            )
            if np.isnan(x[column]):
                values = np.append(values, np.float32(anchor[place]))
            cells = np.append(column, marked)
            for value in values:
                distance = abs(float(value) - anchor[place]) / unit
                new = np.append(value, np.zeros(len(marked))).astype(np.float32)
                yield Change(int(numbers[column]), float(distance), float(value), cells, new)


def _with_same_marks(marks: np.ndarray) -> list[np.ndarray]:
    """Return the positions of columns that change no mark together, and each of the others by itself."""
    together = np.flatnonzero(marks < 0)
    alone = [np.array([place]) for place in np.flatnonzero(marks >= 0)]
    return [together, *alone] if len(together) else alone


def _between(cuts: np.ndarray, low: float, high: float, anchor: float, beyond: float) -> np.ndarray:
    """Return a value of each range between cuts, near to the anchor, except of the range of the anchor."""
    edges = np.concatenate([[low], cuts, [high]])
    a, b = edges[:-1], edges[1:]
    step = np.minimum(0.5 * (b - a), beyond)
    values = np.where(a > anchor, a + step, b - step)
    return values[(a > anchor) | (b < anchor)].astype(np.float32)


def _categories(encoding: Any, is_allowed: np.ndarray, indicator: dict[int, int]) -> Iterator[Change]:
    first = len(encoding.numbers)
    for source, categories, usual in zip(encoding.nominal, encoding.categories, encoding.usual, strict=True):
        n_marked = len(categories) - (usual >= 0)
        block = np.arange(first, first + n_marked)
        first += n_marked
        if not is_allowed[source]:
            continue
        columns = np.append(block, indicator[source]) if source in indicator else block
        for code, category in enumerate(categories):
            cells = np.zeros(len(columns), np.float32)
            if code != usual:
                cells[code - (usual >= 0 and code > usual)] = 1.0
            yield Change(source, 1.0, category, columns, cells)


def changed_rows(base: Any, changes: list[Change]) -> Any:
    """Return the encoded row once for each change."""
    if not sp.issparse(base):
        rows = np.repeat(np.asarray(base), len(changes), axis=0)
        for row, change in zip(rows, changes, strict=True):
            row[change.columns] = change.cells
        return rows
    base = sp.csr_array(base)
    parts = []
    for number, change in enumerate(changes):
        kept = ~np.isin(base.indices, change.columns)
        columns = np.concatenate([base.indices[kept], change.columns])
        cells = np.concatenate([base.data[kept], change.cells])
        parts.append((cells, np.full(len(columns), number), columns))
    cells, rows, columns = (np.concatenate(each) for each in zip(*parts, strict=True))
    made = sp.csr_array((cells, (rows, columns)), shape=(len(changes), base.shape[1]), dtype=np.float32)
    made.eliminate_zeros()
    return made


def value_of(model: Any, base: Any, position: int) -> Any:
    """Return what the row has in a column of X: a number or a category, None where it is not known."""
    encoding = model.encoding_
    x = (base.toarray() if sp.issparse(base) else np.asarray(base))[0]
    if position in encoding.numbers:
        value = float(x[encoding.numbers.index(position)])
        return None if np.isnan(value) else value
    for change in _categories(encoding, np.arange(encoding.n_inputs) == position, {}):
        if np.array_equal(x[change.columns], change.cells):
            return change.value
    return None
