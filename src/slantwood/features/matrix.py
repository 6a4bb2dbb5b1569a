"""Arrays and SciPy matrices to the `Matrix` that the compiled code reads.

Whether training data is held dense or sparse is decided by its share of zeros, never by the container
that it came in: the same numbers give the same model. NaN stands for a missing value; in what is said here of
rows and columns, missing values have no part.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.kernels.matrix import DENSE_SHARE, Matrix, any_missing, dense_matrix, sparse_matrix

# Of rows whose lengths are found together: few enough for the processor's cache.
_CELLS_AT_ONCE = 1 << 16


def nonzero_share(X: Any) -> float:
    """Share of the cells that are not zero."""
    cells = X.shape[0] * X.shape[1]
    nonzero = np.count_nonzero(canonical(X).data if sp.issparse(X) else X)
    return float(nonzero) / cells if cells else 0.0


def training_matrix(X: Any) -> Matrix:
    """Hold X in the form in which trees grow fastest on it; no copy where it has that form already."""
    if nonzero_share(X) >= DENSE_SHARE:
        return dense_matrix(_dense(X))
    csr = canonical(X)
    if np.count_nonzero(csr.data) < len(csr.data):
        csr = csr.copy()
        csr.eliminate_zeros()
    return sparse_matrix(csr)


def prediction_matrix(X: Any) -> Matrix:
    """Hold X as it came: routing gives the same leaves from either form."""
    if sp.issparse(X):
        return sparse_matrix(canonical(X))
    return dense_matrix(_dense(X))


def to_array(matrix: Matrix) -> Any:
    """Return the array or CSR array that a matrix holds, without a copy of what it stores."""
    if matrix.is_dense:
        return matrix.values
    # SciPy wants indices and indptr of one type, and makes a copy of the indices where they differ.
    indptr = matrix.indptr.astype(np.int32) if len(matrix.data) <= np.iinfo(np.int32).max else matrix.indptr
    triple = (matrix.data, matrix.indices.view(np.int32), indptr)
    return sp.csr_array(triple, shape=(len(matrix.indptr) - 1, matrix.n_columns))


def varying_columns(X: Any) -> np.ndarray:
    """Mask of the columns that are not constant."""
    if not sp.issparse(X):
        return np.fmin.reduce(X, axis=0) < np.fmax.reduce(X, axis=0)
    csr = canonical(X)
    n_stored = np.bincount(csr.indices, minlength=csr.shape[1])
    low = np.where(n_stored < csr.shape[0], 0.0, np.inf).astype(csr.dtype)
    high = np.where(n_stored < csr.shape[0], 0.0, -np.inf).astype(csr.dtype)
    np.fmin.at(low, csr.indices, csr.data)
    np.fmax.at(high, csr.indices, csr.data)
    return low < high


def scaled_columns(X: Any, factors: np.ndarray) -> Any:
    """Multiply each column by a factor, in single precision."""
    if not sp.issparse(X):
        return (X * factors).astype(np.float32)
    csr = canonical(X)
    return sp.csr_array(
        ((csr.data * factors[csr.indices]).astype(np.float32), csr.indices, csr.indptr), csr.shape
    )


def known_rows(X: Any) -> np.ndarray:
    """Mask of the rows of which any value is known."""
    if not sp.issparse(X):
        return ~np.isnan(X).all(axis=1)
    csr = canonical(X)
    if not any_missing(csr.data) and csr.shape[1]:
        return np.ones(csr.shape[0], np.bool_)
    n_missing = np.bincount(_row_of_each_stored(csr.indptr)[np.isnan(csr.data)], minlength=csr.shape[0])
    return n_missing < csr.shape[1]


def effective_rows(row_weights: np.ndarray) -> int:
    """Return how many rows of equal weight tell as much: (sum w)^2 / sum w^2 (Kish), rounded."""
    squares = float(row_weights @ row_weights)
    return round(float(row_weights.sum()) ** 2 / squares) if squares > 0 else 0


def column_means(X: Any, row_weights: np.ndarray) -> np.ndarray:
    """Weighted mean of each column; NaN where nothing is known of it."""
    if not sp.issparse(X):
        known = ~np.isnan(X)
        sums = row_weights @ np.where(known, X, 0.0)
        weights = row_weights @ known
    else:
        csr = sp.csr_array(X, dtype=np.float64, copy=True)
        csr.sum_duplicates()
        missing = csr.copy()
        missing.data = np.isnan(csr.data).astype(np.float64)
        csr.data[np.isnan(csr.data)] = 0.0
        sums = row_weights @ csr
        weights = row_weights.sum() - row_weights @ missing
    some = weights > 1e-12 * row_weights.sum()
    return np.where(some, sums / np.where(some, weights, 1.0), np.nan)


def _row_of_each_stored(indptr: np.ndarray) -> np.ndarray:
    return np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))


def _dense(X: Any) -> np.ndarray:
    values = X.toarray() if sp.issparse(X) else X
    return np.require(values, np.float32, ("C", "ALIGNED"))


def canonical(X: Any) -> sp.csr_array:
    """Return X, dense or sparse, as CSR with sorted columns, each once; the user's own is left as it is."""
    csr = sp.csr_array(X, dtype=np.float32)
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    return csr


def normalized_rows(matrix: Matrix) -> Matrix:
    """Scale every row to length 1 (rows of zeros stay), to the same values dense and sparse."""
    if matrix.is_dense:
        return dense_matrix((matrix.values / _dense_lengths(matrix)[:, None]).astype(np.float32))
    lengths, data = row_lengths(matrix), np.empty(len(matrix.data), np.float32)
    for rows, stored in _blocks(matrix.indptr):
        per_row = np.diff(matrix.indptr[rows.start : rows.stop + 1])
        data[stored] = matrix.data[stored] / np.repeat(lengths[rows], per_row)
    return matrix._replace(data=data)


def row_lengths(matrix: Matrix) -> np.ndarray:
    """Return the length of each row of a sparse matrix, 1 for rows of zeros; takes memory for rows only."""
    sums = np.empty(len(matrix.indptr) - 1)
    for rows, stored in _blocks(matrix.indptr):
        squares = _squares(matrix.data[stored], matrix.has_missing)
        row_of_each = _row_of_each_stored(matrix.indptr[rows.start : rows.stop + 1])
        sums[rows] = np.bincount(row_of_each, squares, minlength=rows.stop - rows.start)
    return _or_one(sums)


def _blocks(indptr: np.ndarray) -> Iterator[tuple[slice, slice]]:
    """Yield ranges of rows, and of what is stored of them, in about equal parts."""
    start, n_rows = 0, len(indptr) - 1
    while start < n_rows:
        stop = int(np.searchsorted(indptr, indptr[start] + _CELLS_AT_ONCE, side="right")) - 1
        stop = min(max(stop, start + 1), n_rows)
        yield slice(start, stop), slice(int(indptr[start]), int(indptr[stop]))
        start = stop


def _dense_lengths(matrix: Matrix) -> np.ndarray:
    n_rows, n_columns = matrix.values.shape
    sums = np.empty(n_rows)
    step = max(1, _CELLS_AT_ONCE // n_columns)
    for start in range(0, n_rows, step):
        rows = slice(start, start + step)
        # One after the other, as those of sparse rows: in another order the last digit may be another.
        sums[rows] = np.cumsum(_squares(matrix.values[rows], matrix.has_missing), axis=1)[:, -1]
    return _or_one(sums)


def _squares(values: np.ndarray, has_missing: bool) -> np.ndarray:
    squares = values.astype(np.float64) ** 2
    return np.nan_to_num(squares, copy=False) if has_missing else squares


def _or_one(sums: np.ndarray) -> np.ndarray:
    return np.sqrt(np.where(sums > 0, sums, 1.0))
