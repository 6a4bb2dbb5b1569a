"""New rows that look like given ones: each has some features of one row and the others of another."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

# Multiplies places of cells to random-looking numbers; any odd number with mixed bits would do.
_FACTORS = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


def mixed_rows(X: Any, source: np.ndarray, n_rows: int, rng: np.random.Generator) -> Any:
    """Mix pairs of rows, feature by feature.

    Parameters
    ----------
    X : array or CSR array of shape (n, n_columns)
        Encoded rows.
    source : array of int of shape (n_columns,)
        The feature that each column is made of: its columns come from the same row.
    n_rows : int
        How many rows to make.
    rng : Generator
        Random numbers.

    Returns
    -------
    array or CSR array of shape (n_rows, n_columns)
        Each row has a part of its features, drawn between none and half of them, from a second row.
    """
    first, second = rng.integers(X.shape[0], size=(2, n_rows))
    part = rng.uniform(0.0, 0.5, size=n_rows)
    seed = rng.integers(2**63, dtype=np.uint64)
    if not sp.issparse(X):
        rows, features = np.arange(n_rows)[:, None], np.arange(source.max(initial=0) + 1)[None]
        from_second = _uniform(rows, features, seed) < part[:, None]
        return np.where(from_second[:, source], X[second], X[first])
    parts = []
    for chosen, is_second in ((first, False), (second, True)):
        coo = sp.coo_array(X[chosen])
        row, column = coo.coords
        kept = (_uniform(row, source[column], seed) < part[row]) == is_second
        parts.append(sp.coo_array((coo.data[kept], (row[kept], column[kept])), shape=coo.shape))
    return sp.csr_array(parts[0] + parts[1])


def _uniform(row: np.ndarray, feature: np.ndarray, seed: np.uint64) -> np.ndarray:
    """Return a number between 0 and 1 for each cell, the same for the same cell, without keeping them all."""
    with np.errstate(over="ignore"):
        mixed = (row.astype(np.uint64) + seed) * _FACTORS[0] ^ feature.astype(np.uint64) * _FACTORS[1]
        mixed = (mixed ^ (mixed >> np.uint64(31))) * _FACTORS[1]
        mixed = (mixed ^ (mixed >> np.uint64(29))) * _FACTORS[0]
    return (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53
