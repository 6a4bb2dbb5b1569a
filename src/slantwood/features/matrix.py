"""Arrays and SciPy matrices to the `Matrix` that the compiled code reads.

Whether training data is held dense or sparse is decided by its share of zeros, never by the container
that it came in: the same numbers give the same model.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.kernels.matrix import DENSE_SHARE, Matrix, dense_matrix, sparse_matrix


def nonzero_share(X: Any) -> float:
    """Share of the cells that are not zero."""
    cells = X.shape[0] * X.shape[1]
    nonzero = np.count_nonzero(_canonical(X).data if sp.issparse(X) else X)
    return float(nonzero) / cells if cells else 0.0


def training_matrix(X: Any) -> Matrix:
    """Hold X in the form in which trees grow fastest on it; no copy where it has that form already."""
    if nonzero_share(X) >= DENSE_SHARE:
        return dense_matrix(_dense(X))
    csr = _canonical(X)
    if (csr.data == 0).any():
        csr = csr.copy()
        csr.eliminate_zeros()
    return sparse_matrix(csr)


def prediction_matrix(X: Any) -> Matrix:
    """Hold X as it came: routing gives the same leaves from either form."""
    if sp.issparse(X):
        return sparse_matrix(_canonical(X))
    return dense_matrix(_dense(X))


def array_of(matrix: Matrix) -> Any:
    """Return the array or CSR array that a matrix holds, without a copy."""
    if matrix.is_dense:
        return matrix.values
    triple = (matrix.data, matrix.indices.view(np.int32), matrix.indptr)
    return sp.csr_array(triple, shape=(len(matrix.indptr) - 1, matrix.n_columns))


def varying_columns(X: Any) -> np.ndarray:
    """Mask of the columns that are not constant."""
    if not sp.issparse(X):
        return X.max(axis=0) != X.min(axis=0)
    csc = sp.csc_array(X)
    return csc.max(axis=0).toarray().ravel() != csc.min(axis=0).toarray().ravel()


def _dense(X: Any) -> np.ndarray:
    values = X.toarray() if sp.issparse(X) else X
    return np.ascontiguousarray(values, dtype=np.float32)


def _canonical(X: Any) -> sp.csr_array:
    """Return X as CSR with sorted columns, each once; the user's own matrix is left as it is."""
    csr = sp.csr_array(X, dtype=np.float32)
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    return csr


def with_unit_rows(matrix: Matrix) -> Matrix:
    """Scale every row to length 1 (rows of zeros stay); only the values are copied."""
    if matrix.is_dense:
        length = np.sqrt(np.einsum("ij,ij->i", matrix.values, matrix.values, dtype=np.float64))
        return dense_matrix((matrix.values / np.where(length > 0, length, 1.0)[:, None]).astype(np.float32))
    per_row = np.diff(matrix.indptr)
    squares = np.add.reduceat(np.append(matrix.data.astype(np.float64) ** 2, 0.0), matrix.indptr[:-1])
    squares[(per_row == 0) | (squares == 0)] = 1.0
    factor = (1.0 / np.sqrt(squares)).astype(np.float32)
    return matrix._replace(data=matrix.data * np.repeat(factor, per_row))
