"""How much there is to do for one tree: counts of cells, rows, weights and nodes, by the form of growth.

A tree of n rows with leaves of m rows has log2(n / m) levels. On each, all rows are looked at again, in twice
as many nodes as on the level above; what a node does with its rows is what its split learner does. Seconds
are these counts times fitted coefficients; this file knows no seconds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from slantwood.planning.workload import Growth, Workload

__all__ = [
    "WORK_NAMES",
    "Shape",
    "balanced_depth",
    "prediction_work",
    "setup_work",
    "tree_work",
    "used_features",
]

# Up to so many rows, products of the targets of pairs of rows stand for the targets.
_FEW_ROWS = 64

# From so many rows on, a histogram says where to look for the best cut, and hardly any row is sorted.
_SORTED_ROWS = 4096
_LOG_OF_SORTED = 4.0

# Rows beyond so many bytes are not in a fast cache, and beyond the second in none.
_CACHE_BYTES, _NO_CACHE_BYTES = 2e6, 64e6

# Splits on the way to a leaf along which it may have a slope.
_SLOPE_SPLITS = 8

WORK_NAMES = {
    "gradient": ("steps", "step targets", "step rows", "scan", "cold", "slopes", "step weights", "nodes"),
    "axis": ("sort", "targets of cuts", "scan", "cold", "slopes", "sums", "drawing", "nodes"),
    "svm": ("passes", "clusters", "scan", "cold", "slopes", "weights", "nodes"),
}

# Counts of a node that do not depend on its rows: a tree out of balance has as many nodes as another one, but
# its rows are looked at more often.
_OF_NODES = {"step weights", "sums", "drawing", "weights", "nodes"}


class _Level(NamedTuple):
    nodes: float
    rows: float  # of a node


class Shape(NamedTuple):
    """How a tree grows on its rows, which depends on what they hold."""

    rows_per_leaf: float  # distinct ones
    stretch: float  # depth of a row's leaf, in times of that of a tree in balance


def balanced_depth(work: Workload, rows_per_leaf: float) -> float:
    """Return the levels of a tree whose splits halve their rows.

    Parameters
    ----------
    work : Workload
        The forest.
    rows_per_leaf : float
        Distinct rows of a leaf.

    Returns
    -------
    float
        Levels, 1 at the least.

    Examples
    --------
    >>> from slantwood.planning import Workload
    >>> from slantwood.planning.work import balanced_depth
    >>> balanced_depth(Workload(1024, 10, 3), 2.0)
    9.0
    """
    return max(math.log2(max(work.growth().tree_rows / rows_per_leaf, 2.0)), 1.0)


def tree_work(work: Workload, shape: Shape) -> dict[str, float]:
    """Return how often one tree does each of the things that take time.

    Parameters
    ----------
    work : Workload
        The forest.
    shape : Shape
        Leaves and balance of its trees.

    Returns
    -------
    dict of str to float
        Counts by name; the names depend on the split learner.

    Examples
    --------
    >>> from slantwood.planning import Workload
    >>> from slantwood.planning.work import Shape, tree_work
    >>> tree_work(Workload(1024, 10, 3, split="axis"), Shape(1.0, 1.0))["nodes"] > 500
    True
    """
    growth = work.growth()
    of_node = {"gradient": _gradient, "axis": _axis, "svm": _svm}[work.split]
    total = dict.fromkeys(WORK_NAMES[work.split], 0.0)
    for level in _levels(growth.tree_rows, balanced_depth(work, shape.rows_per_leaf)):
        for name, count in of_node(work, growth, level.rows).items():
            total[name] += level.nodes * count * (1.0 if name in _OF_NODES else shape.stretch)
    total["cold"] = total["scan"] * _coldness(work)
    if work.leaves == "linear":
        total["slopes"] = growth.tree_rows * _SLOPE_SPLITS * (_SLOPE_SPLITS + work.target_columns)
    return total


def _coldness(work: Workload) -> float:
    """Return 0 where all rows are in the fastest cache, and more the farther away they are."""
    return _cold(stored_features(work, work.rows) * (8.0 if work.is_sparse else 4.0))


def _cold(size: float) -> float:
    return math.log2(1.0 + min(size, _NO_CACHE_BYTES) / _CACHE_BYTES)


def _levels(rows: float, depth: float) -> Iterator[_Level]:
    """Nodes level by level, from the root to the parents of leaves; the last level may be there in part."""
    for level in range(math.ceil(depth)):
        yield _Level(min(1.0, depth - level) * 2.0**level, rows / 2.0**level)


def stored_features(work: Workload, rows: float) -> float:
    """Cells of X that are stored of some rows."""
    return rows * (work.filled if work.is_sparse else work.features)


def active_features(work: Workload, rows: float) -> float:
    """Features that are not zero in some rows, and of sparse ones not in a single row only."""
    if not work.is_sparse:
        return float(work.features)
    return work.features * -math.expm1(-rows * work.filled / (2.0 * work.features))


class Used(NamedTuple):
    """What of X a split looks at."""

    width: float  # features
    cells: float  # stored cells of these


def used_features(work: Workload, growth: Growth, rows: float) -> Used:
    """Features that a split of a node looks at, and their cells."""
    active = active_features(work, rows)
    width = min(growth.width, active)
    # Sparse features are drawn in proportion to the rows that have them: few features have most cells.
    share = width / max(active, 1e-9)
    return Used(width, stored_features(work, rows) * (math.sqrt(share) if work.is_sparse else share))


def _stored_targets(work: Workload, rows: float) -> float:
    return rows * (work.filled_targets if work.has_sparse_targets else work.target_columns)


def active_targets(work: Workload, rows: float) -> float:
    """Columns of y that are not zero in some rows."""
    if not work.has_sparse_targets:
        return float(work.target_columns)
    return work.target_columns * -math.expm1(-rows * work.filled_targets / work.target_columns)


def _scan(work: Workload, growth: Growth, rows: float) -> float:
    # All features are measured, unless few of many are wanted; those of the split are copied, and so are
    # targets.
    measured = growth.width * rows if not work.is_sparse and 4 * growth.width <= work.features else None
    cells = stored_features(work, rows) if measured is None else measured
    return cells + _stored_targets(work, rows)


def _gradient(work: Workload, growth: Growth, rows: float) -> dict[str, float]:
    width, cells = used_features(work, growth, rows)
    batches = max(rows // growth.batch_size, 1.0) if growth.batch_size else 1.0
    seen = rows / batches
    targets = 2.0 * (_stored_targets(work, seen) + active_targets(work, seen))
    if rows <= _FEW_ROWS and rows * rows <= targets:
        targets = rows * rows
    return {
        "steps": growth.max_iter * 2.0 * cells / batches,
        "step targets": growth.max_iter * targets,
        "step weights": growth.max_iter * width,
        "step rows": growth.max_iter * seen,
        "scan": _scan(work, growth, rows),
        "nodes": 1.0,
    }


def _axis(work: Workload, growth: Growth, rows: float) -> dict[str, float]:
    width, cells = used_features(work, growth, rows)
    active = active_features(work, rows)
    per_cell = math.log2(rows + 1.0) if rows < _SORTED_ROWS else _LOG_OF_SORTED
    return {
        "sort": cells * per_cell,
        "targets of cuts": cells * _stored_targets(work, 1.0),
        "scan": _scan(work, growth, rows),
        "sums": width * (1.0 + active_targets(work, rows)),
        # Sparse features are drawn by the rows that have them, which takes an order of all.
        "drawing": active * math.log2(active + 1.0) if work.is_sparse and width < active else width,
        "nodes": 1.0,
    }


def _svm(work: Workload, growth: Growth, rows: float) -> dict[str, float]:
    width, cells = used_features(work, growth, rows)
    return {
        "passes": cells,
        "clusters": _stored_targets(work, rows) + active_targets(work, rows),
        "weights": width,
        "scan": _scan(work, growth, rows),
        "nodes": 1.0,
    }


def setup_work(work: Workload) -> dict[str, float]:
    """Return what a fit does before its trees, choosing settings aside: all cells are checked and encoded.

    Parameters
    ----------
    work : Workload
        The forest.

    Returns
    -------
    dict of str to float
        Counts by name.

    Examples
    --------
    >>> from slantwood.planning import Workload
    >>> from slantwood.planning.work import setup_work
    >>> setup_work(Workload(1000, 10))["features"]
    10000
    """
    return {
        "once": 1.0,
        "features": stored_features(work, work.rows),
        "targets": _stored_targets(work, work.rows),
    }


def prediction_work(
    work: Workload, shape: Shape, split_weights: float, forest_bytes: float, rows: float
) -> dict[str, float]:
    """Return what one tree does to predict one of several rows.

    Parameters
    ----------
    work : Workload
        The forest.
    shape : Shape
        Leaves and balance of its trees.
    split_weights : float
        Features of a split on average.
    forest_bytes : float
        Size of the whole forest, which may be too large for a cache.
    rows : float
        Rows that are predicted together.

    Returns
    -------
    dict of str to float
        Counts by name.

    Examples
    --------
    >>> from slantwood.planning import Workload
    >>> from slantwood.planning.work import Shape, prediction_work
    >>> prediction_work(Workload(1024, 10, 3, n_trees=2), Shape(1.0, 1.0), 5.0, 1e5, 100)["levels"]
    10.0
    """
    levels = balanced_depth(work, shape.rows_per_leaf) * shape.stretch
    return {
        "call": 1.0 / (rows * work.n_trees),
        "row": 1.0 / work.n_trees,
        "features": (work.filled if work.is_sparse else work.features) / work.n_trees,
        "scores": work.target_columns / work.n_trees,
        "levels": levels,
        "cold levels": levels * _cold(forest_bytes),
        "split weights": levels * split_weights,
        "leaf": active_targets(work, shape.rows_per_leaf),
    }
