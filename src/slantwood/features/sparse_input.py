"""Do the parts of a SciPy matrix fit together: SciPy looks at few of them, and its compiled code at none.

An index outside the shape makes compiled code, SciPy's and ours, read and write outside its arrays. So every
sparse matrix that a user gives is looked at once, at the border, before anything converts it.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp

_REMEDY = "make it anew of values, rows and columns: scipy.sparse.coo_array((values, (rows, columns)))"


def check_sparse(matrix: Any, name: str) -> None:
    """Refuse a sparse matrix or array, of any format, whose indices do not fit its shape.

    Parameters
    ----------
    matrix : sparse matrix or array, or anything else
        It is not changed. What is not sparse passes.
    name : str
        What errors call it.

    Raises
    ------
    ValueError
        If an index lies outside the shape, or the parts are of lengths that do not fit together.
    """
    if not sp.issparse(matrix):
        return
    if matrix.format in ("csr", "csc", "bsr"):
        _check_compressed(matrix, name)
        return
    called = f"{name} ({matrix.format})"
    if matrix.format != "coo":
        matrix = _as_coo(matrix, called)
    coords = matrix.coords if hasattr(matrix, "coords") else (matrix.row, matrix.col)  # before SciPy 1.13
    for axis, (indices, length) in enumerate(zip(coords, matrix.shape, strict=True)):
        if len(indices) != len(matrix.data):
            found = f"{len(matrix.data)} values and {len(indices)} indices of axis {axis}"
            raise ValueError(f"{called} has {found}; {_REMEDY}")
        _check_indices(indices, length, called, f"axis {axis}")


def check_matrix(matrix: Any, name: str) -> None:
    """Refuse complex numbers, and a sparse matrix whose indices do not fit its shape.

    Parameters
    ----------
    matrix : array, sparse matrix or array, or list
        It is not changed.
    name : str
        What errors call it.
    """
    check_sparse(matrix, name)
    array = np.asarray(matrix) if isinstance(matrix, (list, tuple)) else matrix
    if getattr(getattr(array, "dtype", None), "kind", "") == "c":
        raise ValueError(f"Complex data not supported: {name} holds complex numbers; give real ones")


def is_encoded(X: Any, n_columns: int, min_rows: int) -> bool:
    """Tell whether X is what trees read, so that scikit-learn need not look at it: CSR, float32, and finite.

    Its check takes longer than to predict a row. Missing values (NaN) are allowed.
    """
    if not sp.issparse(X) or X.format != "csr" or X.dtype != np.float32 or X.ndim != 2:
        return False
    if X.shape[0] < min_rows or X.shape[1] != n_columns:
        return False
    return X.nnz == 0 or not np.isinf([np.fmin.reduce(X.data), np.fmax.reduce(X.data)]).any()


def _as_coo(matrix: Any, called: str) -> Any:
    """Let SciPy convert the other formats, which checks what it finds in their lists and dictionaries."""
    is_lil = matrix.format == "lil"
    if is_lil and any(len(i) != len(values) for i, values in zip(matrix.rows, matrix.data, strict=True)):
        raise ValueError(f"{called} has a row with other numbers of indices and values; {_REMEDY}")
    try:
        return matrix.tocoo()
    except ValueError as error:
        raise ValueError(f"{called}: {error}; {_REMEDY}") from error


def _check_compressed(matrix: Any, name: str) -> None:
    called = f"{name} ({matrix.format})"
    shape = matrix.shape if matrix.ndim == 2 else (1, *matrix.shape)
    if matrix.format == "bsr":
        shape = tuple(length // size for length, size in zip(shape, matrix.blocksize, strict=True))
    along, across = (1, 0) if matrix.format == "csc" else (0, 1)
    indptr, indices = matrix.indptr, matrix.indices
    _check_integers(indptr, called, "indptr")
    if indptr.shape != (shape[along] + 1,) or indptr[0] != 0 or (indptr[1:] < indptr[:-1]).any():
        right = f"{shape[along] + 1} numbers that begin with 0 and never fall"
        raise ValueError(f"{called}: its indptr must be {right}; {_REMEDY}")
    stored = int(indptr[-1])
    if stored > min(len(indices), len(matrix.data)):
        found = f"{len(indices)} indices and {len(matrix.data)} values"
        raise ValueError(f"{called}: its indptr ends with {stored}, and there are {found}; {_REMEDY}")
    _check_indices(indices[:stored], shape[across], called, "columns" if across == 1 else "rows")


def _check_indices(indices: np.ndarray, length: int, called: str, of: str) -> None:
    _check_integers(indices, called, "indices")
    if len(indices) == 0:
        return
    low, high = int(indices.min()), int(indices.max())
    if low < 0 or high >= length:
        wrong, allowed = (low if low < 0 else high), f"its shape allows 0 to {length - 1}"
        raise ValueError(f"{called} has the index {wrong} of {of}, and {allowed}; {_REMEDY}")


def _check_integers(numbers: np.ndarray, called: str, what: str) -> None:
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
        raise ValueError(f"{called}: its {what} must be whole numbers in one dimension; {_REMEDY}")
