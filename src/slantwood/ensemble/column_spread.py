"""How far the columns of X are spread over the training rows: what makes weights of splits comparable."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.features.matrix import normalized_rows, prediction_matrix, to_array

# Of more rows of a dense matrix, evenly spaced ones: these tell a deviation to half a percent.
_MOST_ROWS = 1 << 15

# Numbers that are looked at in one go: little memory, and in the cache.
_CELLS = 1 << 17


def column_spread(X: Any, *, normalize_rows: bool) -> np.ndarray:
    """Return the standard deviation of each column, missing values left out; 0 where nothing is known.

    Parameters
    ----------
    X : float32 array or CSR array of shape (n_rows, n_columns)
        The rows of training. Each counts as one, whatever its weight.
    normalize_rows : bool
        Whether splits see rows of length 1.

    Returns
    -------
    float32 array of shape (n_columns,)
    """
    n_rows, n_columns = X.shape
    is_sparse = sp.issparse(X)
    if not is_sparse and n_rows > _MOST_ROWS:
        X = X[:: -(-n_rows // _MOST_ROWS)]
    width = X.nnz / max(n_rows, 1) if is_sparse else n_columns
    step = max(1, int(_CELLS / max(width, 1)))
    known, sums, squares = np.zeros(n_columns), np.zeros(n_columns), np.zeros(n_columns)
    shift: np.ndarray | None = None  # near the mean, so that squares of large numbers do not drown the rest
    for start in range(0, X.shape[0], step):
        matrix = prediction_matrix(X[start : start + step])
        block = to_array(normalized_rows(matrix) if normalize_rows else matrix)
        if is_sparse:
            values = block.data.astype(np.float64)
            missing = np.isnan(values)
            values[missing] = 0.0
            known += block.shape[0] - np.bincount(block.indices[missing], minlength=n_columns)
            sums += np.bincount(block.indices, values, n_columns)
            squares += np.bincount(block.indices, values**2, n_columns)
            continue
        dense = block.astype(np.float64)
        if shift is None:
            shift = np.nan_to_num(dense[0])
        dense -= shift
        known += (~np.isnan(dense)).sum(axis=0)
        dense = np.nan_to_num(dense)
        sums += dense.sum(axis=0)
        squares += (dense**2).sum(axis=0)
    n = np.maximum(known, 1.0)
    variance = squares / n - (sums / n) ** 2
    # What is left of rounding is no spread.
    is_some = variance > 1e-12 * squares / n
    return np.sqrt(np.where(is_some, variance, 0.0)).astype(np.float32)
