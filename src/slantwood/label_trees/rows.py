"""Rows as linear classifiers see them: sparse, and scaled to length 1 as they are read, without a copy."""

from typing import Any, NamedTuple

import numpy as np

from slantwood.features.matrix import canonical, row_lengths
from slantwood.kernels.matrix import Matrix, sparse_matrix


class UnitRows(NamedTuple):
    """Rows, and by what each is multiplied to have length 1; rows of zeros stay."""

    matrix: Matrix
    factors: np.ndarray  # float32


def unit_rows(X: Any) -> UnitRows:
    """Hold X, dense or sparse; a CSR array of float32 numbers in order is shared."""
    matrix = sparse_matrix(canonical(X))
    return UnitRows(matrix, (1.0 / row_lengths(matrix)).astype(np.float32))
