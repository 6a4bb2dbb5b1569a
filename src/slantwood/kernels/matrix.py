"""All rows of the data: a float32 matrix that compiled code reads, dense or CSR.

A missing value is NaN, which in CSR form is stored.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

# A matrix, or a node's block of it, is held dense when at least this share of its cells is non-zero:
# then contiguous arithmetic beats the skipping of zeros.
DENSE_SHARE = 0.2


class Matrix(NamedTuple):
    """A whole float32 matrix: `values` when `is_dense`, else the CSR triple."""

    is_dense: bool
    values: np.ndarray  # (n, d) float32, C order; (0, 0) when sparse
    indptr: np.ndarray  # int64
    indices: np.ndarray  # uint32
    data: np.ndarray  # float32
    n_columns: int
    has_missing: bool


def dense_matrix(values: np.ndarray) -> Matrix:
    """Wrap a float32 array in C order."""
    return Matrix(
        True,
        values,
        np.empty(0, np.int64),
        np.empty(0, np.uint32),
        np.empty(0, np.float32),
        values.shape[1],
        any_missing(values),
    )


def sparse_matrix(csr: sp.csr_array) -> Matrix:
    """Wrap a float32 CSR array; its arrays are shared where their types allow it."""
    return Matrix(
        False,
        np.empty((0, 0), np.float32),
        csr.indptr.astype(np.int64, copy=False),
        csr.indices.astype(np.int32, copy=False).view(np.uint32),
        csr.data,
        csr.shape[1],
        any_missing(csr.data),
    )


def any_missing(values: np.ndarray) -> bool:
    """Whether any of the values is NaN."""
    # The smallest value is NaN where any is; this takes no memory.
    return bool(np.isnan(values.min(initial=np.inf)))


def n_rows(matrix: Matrix) -> int:
    """Return the number of rows of a dense or sparse matrix."""
    return len(matrix.values) if matrix.is_dense else len(matrix.indptr) - 1
