"""Where the leaf of a row changes as one of its values moves, in any of the trees.

Along one column, the score of a split is linear in the value; where rows are scaled to length 1, it has the
sign of P + w v + B sqrt(n + v^2), where v is the value, n the squared length of the others, P their weighted
sum and B the bias. A range of values goes down a tree and is cut where the score of a split is zero; so only
splits that some value leads to have a part.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

# Ranges that go down the trees together.
_RANGES = 1 << 16


class Breakpoints(NamedTuple):
    """Values at which a leaf changes, sorted within each column."""

    column: np.ndarray
    value: np.ndarray


class _Row(NamedTuple):
    """What splits see of the row, apart from the column that moves."""

    values: np.ndarray  # float64 over columns, NaN where missing
    products: np.ndarray  # of each node, with the values of the row
    constant: np.ndarray  # of each node: its bias, and the means in place of missing values
    squares: float  # squared length of the row
    is_normalized: bool


def breakpoints(
    trees: Any,
    row: np.ndarray,
    columns: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    *,
    is_normalized: bool,
) -> Breakpoints:
    """Return the values of some columns at which a row comes to another leaf of some tree.

    Parameters
    ----------
    trees : Trees
        The trees.
    row : array of shape (n_columns,)
        The encoded row, not scaled; NaN where a value is missing.
    columns : array of int
        Columns whose values move, each by itself.
    low, high : array of shape (len(columns),)
        Ends of the ranges in which they move.
    is_normalized : bool
        Whether trees see rows scaled to length 1.
    """
    owner = np.repeat(np.arange(len(trees.left)), np.diff(trees.indptr))
    n_columns = len(row)
    keys = owner * np.int64(n_columns) + trees.indices  # sorted: columns rise within a node
    x = row.astype(np.float64)
    at = x[trees.indices]
    weighted = trees.weights.astype(np.float64) * np.where(np.isnan(at), 0.0, at)
    of_missing = np.where(np.isnan(at), trees.weights.astype(np.float64) * trees.means, 0.0)
    n_nodes = len(trees.left)
    seen = _Row(
        x,
        np.bincount(owner, weighted, n_nodes),
        trees.bias + np.bincount(owner, of_missing, n_nodes),
        float(np.nansum(x**2)),
        is_normalized,
    )
    step = max(1, _RANGES // trees.n_trees)
    parts = []
    for first in range(0, len(columns), step):
        some = slice(first, first + step)
        parts.append(_of_columns(trees, keys, seen, columns[some], low[some], high[some]))
    if not parts:
        return Breakpoints(np.empty(0, np.int64), np.empty(0))
    found = Breakpoints(*(np.concatenate(each) for each in zip(*parts, strict=True)))
    order = np.lexsort((found.value, found.column))
    column, value = found.column[order], found.value[order]
    first_of_its_kind = np.r_[True, (np.diff(column) != 0) | (np.diff(value) != 0)][: len(value)]
    return Breakpoints(column[first_of_its_kind], value[first_of_its_kind])


def _of_columns(
    trees: Any, keys: np.ndarray, row: _Row, columns: np.ndarray, low: np.ndarray, high: np.ndarray
) -> Breakpoints:
    n_trees = trees.n_trees
    column = np.repeat(columns.astype(np.int64), n_trees)
    node = np.tile(trees.roots.astype(np.int64), len(columns))
    start, stop = np.repeat(low.astype(np.float64), n_trees), np.repeat(high.astype(np.float64), n_trees)
    found_columns, found_values = [], []
    while len(node):
        inner = trees.left[node] >= 0
        column, node, start, stop = column[inner], node[inner], start[inner], stop[inner]
        score = _scores_along(trees, keys, row, column, node)
        cuts = np.clip(score.zeros(), start, stop)
        cuts = np.sort(np.where(np.isnan(cuts), start, cuts), axis=0)
        edges = np.vstack([start, cuts, stop])
        parts = []
        for a, b in pairwise(edges):
            some = np.flatnonzero(b > a)
            right = score.of(0.5 * (a + b))[some] >= 0.0
            child = np.where(right, trees.right[node[some]], trees.left[node[some]])
            parts.append((column[some], child.astype(np.int64), a[some], b[some]))
            inside = some[a[some] > start[some]]
            found_columns.append(column[inside])
            found_values.append(a[inside])
        column, node, start, stop = (np.concatenate(each) for each in zip(*parts, strict=True))
    none = [np.empty(0, np.int64)]
    return Breakpoints(np.concatenate([*none, *found_columns]), np.concatenate([np.empty(0), *found_values]))


class _Scores(NamedTuple):
    """What has the sign of the scores of some splits, each along a column."""

    P: np.ndarray
    w: np.ndarray
    B: np.ndarray
    n: np.ndarray | None  # None where rows are not scaled

    def of(self, v: np.ndarray) -> np.ndarray:
        length = 1.0 if self.n is None else np.sqrt(np.maximum(self.n + v**2, 0.0))
        return np.asarray(self.P + self.w * v + self.B * length)

    def zeros(self) -> np.ndarray:
        """Return where they may be zero, NaN where they are not: one or two candidates each."""
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.n is None:
                return np.where(self.w == 0.0, np.nan, -(self.P + self.B) / self.w)[None]
            # (P + w v)^2 = B^2 (n + v^2), without the cancellation of the textbook's formula.
            a, b, c = self.w**2 - self.B**2, self.P * self.w, self.P**2 - self.B**2 * self.n
            q = -(b + np.copysign(np.sqrt(b**2 - a * c), b))
            roots = np.stack([q / a, c / q])
        return np.where(np.isfinite(roots), roots, np.nan)


def _scores_along(trees: Any, keys: np.ndarray, row: _Row, column: np.ndarray, node: np.ndarray) -> _Scores:
    key = node * np.int64(len(row.values)) + column
    place = np.minimum(np.searchsorted(keys, key), max(len(keys) - 1, 0))
    has = keys[place] == key if len(keys) else np.zeros(len(key), np.bool_)
    w = np.where(has, trees.weights[place], 0.0).astype(np.float64) if len(keys) else np.zeros(len(key))
    x = row.values[column]
    missing = np.isnan(x)
    own = np.where(missing, 0.0, x)
    P = row.products[node] - w * own
    B = row.constant[node]
    if missing.any():
        B = B - np.where(missing & has, w * trees.means[place], 0.0)
    return _Scores(P, w, B, np.maximum(row.squares - own**2, 0.0) if row.is_normalized else None)
