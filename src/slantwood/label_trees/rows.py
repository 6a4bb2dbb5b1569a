"""Rows as linear classifiers see them: sparse, of length 1, with a last column of ones."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.features.matrix import normalized_rows, to_array
from slantwood.kernels.matrix import Matrix, sparse_matrix


def unit_rows(X: Any) -> sp.csr_array:
    """Return X, dense or sparse, as CSR with rows scaled to length 1; rows of zeros stay."""
    csr = sp.csr_array(X, dtype=np.float32)
    if not csr.has_canonical_format or (csr.data == 0).any():
        csr = csr.copy()  # the user's own stays as it is
        csr.sum_duplicates()
        csr.eliminate_zeros()
    return to_array(normalized_rows(sparse_matrix(csr)))


def with_ones(rows: sp.csr_array) -> Matrix:
    """Return rows with a further column of ones, whose weight is the offset of a classifier."""
    n, width = rows.shape
    indptr = rows.indptr.astype(np.int64) + np.arange(n + 1)
    indices, data = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.float32)
    is_one = np.zeros(indptr[-1], np.bool_)
    is_one[indptr[1:] - 1] = True
    indices[is_one], data[is_one] = width, 1.0
    indices[~is_one], data[~is_one] = rows.indices, rows.data
    return sparse_matrix(sp.csr_array((data, indices, indptr), shape=(n, width + 1)))
