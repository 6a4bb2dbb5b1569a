"""How much memory rows take while trees grow on them, and how many shares of them it suffices for.

Rows are divided at random into shares, whatever block they lie in; one share is in memory at a time, and some
of the trees grow on it. Passes over all blocks are limited: where the shares of so many passes do not hold
all rows, they are a sample of them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.ensemble.settings import count_draws
from slantwood.estimators.parts.agreement import MOST_OF_A_THREAD, Agreement
from slantwood.estimators.parts.division import Division
from slantwood.estimators.parts.part_of_rows import PartOfRows
from slantwood.hints import format_bytes

# Beside encoded rows, and what threads hold: what checks, scaled rows and bootstrap samples take, as a part
# of their bytes.
_ONCE = 0.5
# And of each row by itself: its number, weight, draws and places.
_ROW_BYTES = 64

# Part of a worker's memory for its rows and growth on them, where nothing else is said.
MEMORY_FOR_ROWS = 0.6

MOST_PASSES = 10
LEAST_ROWS = 50  # of a share; fewer are a slip in max_memory


def n_bytes(table: Any) -> int:
    """Return the bytes that X or y take as they were given.

    Examples
    --------
    >>> import numpy as np
    >>> n_bytes(np.zeros((10, 3), np.float32)), n_bytes([1, 2])
    (120, 128)
    """
    if sp.issparse(table):
        return int(table.data.nbytes + table.indices.nbytes + table.indptr.nbytes)
    if hasattr(table, "memory_usage"):
        return int(np.sum(table.memory_usage(index=True, deep=False)))
    if hasattr(table, "nbytes"):
        return int(table.nbytes)
    if hasattr(table, "estimated_size"):
        return int(table.estimated_size())
    return 64 * len(table)


def growth_bytes(encoded: float, n_rows: int, n_threads: int, of_thread: float = MOST_OF_A_THREAD) -> float:
    """Return the bytes of rows and of growth on them.

    Parameters
    ----------
    encoded : float
        Bytes of the encoded cells of all rows.
    n_rows : int
        Rows.
    n_threads : int
        Threads that grow trees.
    of_thread : float, default=2.0
        What each of them holds, as a part of these bytes; by default the most.

    Returns
    -------
    float
        Bytes.
    """
    return encoded * (1 + _ONCE + of_thread * n_threads) + n_rows * _ROW_BYTES * (1 + n_threads)


def bytes_of_a_row(agreement: Agreement, sample: PartOfRows, n_threads: int) -> float:
    """Return what a row takes in a share: as it is read, encoded, and in growth.

    Parameters
    ----------
    agreement : Agreement
        How rows are encoded.
    sample : PartOfRows
        Some rows as they are read.
    n_threads : int
        Threads that grow trees.

    Returns
    -------
    float
        Bytes.
    """
    of_X, of_y = (n_bytes(each) / max(sample.n_rows, 1) for each in (sample.X, sample.y))
    # Arrays are filled as they are read; of others, and of y, parts are held beside the whole for a while.
    is_filled = isinstance(sample.X, np.ndarray) and sample.X.dtype == np.float32
    raw = 2 * of_y + (0 if is_filled else 2 * of_X)
    return raw + growth_bytes(agreement.bytes_per_row, 1, n_threads, agreement.of_thread)


def divided(
    n_rows: int, row_bytes: float, max_memory: int, most_shares: int, rows_wanted: int, seed: int
) -> Division:
    """Divide rows into shares that fit.

    Parameters
    ----------
    n_rows : int
        All rows.
    row_bytes : float
        What a row takes in a share.
    max_memory : int
        Bytes for a share.
    most_shares : int
        Shares that there is work for; there are no more passes than `MOST_PASSES` either.
    rows_wanted : int
        Rows that all trees together look at.
    seed : int
        Of the division.

    Returns
    -------
    Division
        One share of all rows, where these fit.
    """
    most = int(max_memory / row_bytes)
    if most < min(n_rows, LEAST_ROWS):
        raise ValueError(
            f"max_memory={format_bytes(max_memory)} is enough for {most} rows of {format_bytes(row_bytes)} "
            "each (with what growing trees on them takes), too few to learn from; give at least "
            f"{format_bytes(LEAST_ROWS * row_bytes)}, or fewer threads (n_jobs)"
        )
    if n_rows <= most and rows_wanted >= n_rows:
        return Division(1, 1.0, seed)
    n_shares = max(1, min(math.ceil(rows_wanted / most), most_shares, MOST_PASSES))
    rows = min(most, math.ceil(rows_wanted / n_shares), n_rows)
    return Division(n_shares, min(n_shares * rows / n_rows, 1.0), seed)


def rows_wanted(max_samples: int | float | None, n_rows: int, n_trees: int) -> int:
    """Return how many rows all trees together look at: no more than each draws."""
    return n_rows if max_samples is None else min(n_rows, count_draws(max_samples, n_rows) * n_trees)


def bytes_of_a_row_in_a_worker(encoded: float, n_threads: int, of_thread: float) -> float:
    """Return what a row takes in a worker: the pieces that come in, about as large as encoded, and growth.

    Parameters
    ----------
    encoded : float
        Bytes of its encoded cells.
    n_threads : int
        Threads of the worker.
    of_thread : float
        What each of them holds, as a part of these bytes.

    Returns
    -------
    float
        Bytes.
    """
    return encoded + growth_bytes(encoded, 1, n_threads, of_thread)


def times_held(all_bytes: float, limit: float, n_workers: int) -> int:
    """Return how many workers may hold each row; 0 where they cannot even hold it once.

    Parameters
    ----------
    all_bytes : float
        What all rows would take in one worker.
    limit : float
        What rows may take in a worker.
    n_workers : int
        Number of workers.

    Returns
    -------
    int
        The number, at most that of the workers.
    """
    return min(int(limit * n_workers / all_bytes), n_workers)
