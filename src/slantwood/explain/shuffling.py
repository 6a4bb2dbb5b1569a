"""Rows with the values of a feature shuffled among them: which rows change, and the leaves that they reach.

Of dense rows nearly all change; of sparse ones the few that have the feature, or get it. Those of many
features are then put into one matrix, since each matrix costs more than its few rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from slantwood.features.matrix import prediction_matrix
from slantwood.kernels.matrix import n_rows
from slantwood.model.routing import route
from slantwood.model.trees import Trees

# Sparse rows of one matrix.
_ROWS = 4096


class Shuffled(NamedTuple):
    """What became of the rows of which a feature was shuffled."""

    feature: int
    rows: np.ndarray  # those that changed
    nodes: np.ndarray  # the leaf that each of them reaches


def shuffled_leaves(
    X: Any, source: np.ndarray, tree: Trees, order_of: Callable[[int], np.ndarray]
) -> Iterator[Shuffled]:
    """Shuffle one feature after the other.

    `source` has the feature of each column of X: columns of one feature move together. `order_of` gives the
    rows whose values the rows get.
    """
    by_feature = np.argsort(source, kind="stable")
    features, starts = np.unique(source[by_feature], return_index=True)
    columns = zip(features.tolist(), np.split(by_feature, starts[1:]), strict=True)
    if sp.issparse(X):
        yield from _of_sparse(X, source, columns, tree, order_of)
        return
    for feature, own in columns:
        old = X[:, own]
        new = old[order_of(feature)]
        changed = np.flatnonzero(((old != new) & ~(np.isnan(old) & np.isnan(new))).any(axis=1))
        rows = X[changed]
        rows[:, own] = new[changed]
        yield Shuffled(feature, changed, _leaves(rows, tree))


class _Moved(NamedTuple):
    feature: int
    changed: np.ndarray  # rows
    row: np.ndarray  # of each cell of the feature, its new row, counted among those that changed
    column: np.ndarray
    value: np.ndarray


def _of_sparse(
    X: sp.csr_array,
    source: np.ndarray,
    columns: Iterable[tuple[int, np.ndarray]],
    tree: Trees,
    order_of: Callable[[int], np.ndarray],
) -> Iterator[Shuffled]:
    by_column = sp.csc_array(X)
    batch: list[_Moved] = []
    n_batched = 0
    for feature, own in columns:
        cells = [np.arange(by_column.indptr[c], by_column.indptr[c + 1]) for c in own]
        stored = np.concatenate(cells)
        # Row i gets what row order[i] had, so what row r had goes where order holds r.
        old, goes_to = by_column.indices[stored], np.argsort(order_of(feature))
        new = goes_to[old]
        changed = np.unique(np.concatenate([old, new]))
        column = np.repeat(own, [len(each) for each in cells])
        place = np.searchsorted(changed, new)
        batch.append(_Moved(feature, changed, place, column, by_column.data[stored]))
        n_batched += len(changed)
        if n_batched >= _ROWS:
            yield from _of_batch(X, source, batch, tree)
            batch, n_batched = [], 0
    if batch:
        yield from _of_batch(X, source, batch, tree)


def _of_batch(X: sp.csr_array, source: np.ndarray, batch: list[_Moved], tree: Trees) -> Iterator[Shuffled]:
    sizes = [len(each.changed) for each in batch]
    first = np.cumsum([0, *sizes])
    rows = X[np.concatenate([each.changed for each in batch])].tocoo()
    feature_of_row = np.repeat([each.feature for each in batch], sizes)
    kept = source[rows.col] != feature_of_row[rows.row]
    put_row = [each.row + start for each, start in zip(batch, first[:-1], strict=True)]
    cells = (
        np.concatenate([rows.data[kept], *(each.value for each in batch)]),
        (
            np.concatenate([rows.row[kept], *put_row]),
            np.concatenate([rows.col[kept], *(each.column for each in batch)]),
        ),
    )
    nodes = _leaves(sp.csr_array(cells, shape=(first[-1], X.shape[1])), tree)
    for each, own in zip(batch, np.split(nodes, first[1:-1]), strict=True):
        yield Shuffled(each.feature, each.changed, own)


def _leaves(X: Any, tree: Trees) -> np.ndarray:
    matrix = prediction_matrix(X)
    nodes = np.empty((n_rows(matrix), 1), np.int32)
    route(matrix, tree, np.arange(len(nodes), dtype=np.uint32), nodes)
    return nodes[:, 0]
