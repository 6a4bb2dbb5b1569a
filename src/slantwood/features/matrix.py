"""Arrays and SciPy matrices to the `Matrix` that the compiled code reads.

Whether training data is held dense or sparse is decided by its share of zeros, never by the container
that it came in: the same numbers give the same model.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.kernels.matrix import DENSE_SHARE, Matrix
from slantwood.model.trees import dense_matrix, sparse_matrix


def nonzero_share(X: Any) -> float:
    """Share of the cells that are not zero."""
    cells = X.shape[0] * X.shape[1]
    nonzero = X.count_nonzero() if sp.issparse(X) else np.count_nonzero(X)
    return float(nonzero) / cells if cells else 0.0


def training_matrix(X: Any) -> Matrix:
    """Hold X in the form in which trees grow fastest on it; no copy where it has that form already."""
    if nonzero_share(X) >= DENSE_SHARE:
        return dense_matrix(_dense(X))
    csr = _csr(X)
    if not csr.has_canonical_format or (csr.data == 0).any():
        csr = csr.copy()
        csr.sum_duplicates()
        csr.eliminate_zeros()
    return sparse_matrix(csr)


def prediction_matrix(X: Any) -> Matrix:
    """Hold X as it came: routing gives the same leaves from either form."""
    if sp.issparse(X):
        csr = _csr(X)
        if not csr.has_canonical_format:
            csr = csr.copy()
            csr.sum_duplicates()
        return sparse_matrix(csr)
    return dense_matrix(_dense(X))


def varying_columns(X: Any) -> np.ndarray:
    """Mask of the columns that are not constant."""
    if not sp.issparse(X):
        return X.max(axis=0) != X.min(axis=0)
    csc = sp.csc_array(X)
    return csc.max(axis=0).toarray().ravel() != csc.min(axis=0).toarray().ravel()


def _dense(X: Any) -> np.ndarray:
    values = X.toarray() if sp.issparse(X) else X
    return np.ascontiguousarray(values, dtype=np.float32)


def _csr(X: Any) -> sp.csr_array:
    return sp.csr_array(X, dtype=np.float32)


def with_unit_rows(matrix: Matrix) -> Matrix:
    """Scale every row to length 1 (rows of zeros stay); only the values are copied."""
    if matrix.is_dense:
        length = np.sqrt(np.einsum("ij,ij->i", matrix.values, matrix.values, dtype=np.float64))
        return dense_matrix((matrix.values / np.where(length > 0, length, 1.0)[:, None]).astype(np.float32))
    per_row = np.diff(matrix.indptr)
    squares = np.add.reduceat(np.append(matrix.data.astype(np.float64) ** 2, 0.0), matrix.indptr[:-1])
    squares[per_row == 0] = 1.0
    factor = (1.0 / np.sqrt(squares)).astype(np.float32)
    return matrix._replace(data=matrix.data * np.repeat(factor, per_row))
