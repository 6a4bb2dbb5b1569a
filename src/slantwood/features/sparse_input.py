"""Check that the parts of a sparse matrix fit together: SciPy checks few of them, its compiled code none.

An index outside the shape makes compiled code, SciPy's and ours, read and write outside its arrays. So every
sparse matrix that a user passes or a file holds is checked once, at the border, before anything converts it.
SciPy's own `check_format(full_check=True)` does not serve: it skips all indices where `indptr` ends with 0.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp

# SciPy numbers them in 64 bits.
_MOST_COLUMNS = np.iinfo(np.int64).max

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
    try:
        _check_matrix(matrix, f"{name} ({matrix.format})")
    except ValueError as error:
        raise ValueError(f"{error}; {_REMEDY}") from error


def csr_from_parts(
    data: np.ndarray, indices: np.ndarray, indptr: np.ndarray, shape: tuple[int, int], name: str
) -> sp.csr_array:
    """Make a CSR array of arrays that a file holds, which anybody may have written.

    Columns may come in any order within a row, and more than once; `has_canonical_format` and
    `sum_duplicates` of the result are safe to use.

    Parameters
    ----------
    data, indices, indptr : ndarray
        Arrays of any type and shape, as the file has them.
    shape : tuple of int
        Numbers of rows and of columns, as the file has them.
    name : str
        What errors call it.

    Raises
    ------
    ValueError
        Unless the arrays are a CSR array of this shape.

    Examples
    --------
    >>> csr_from_parts(np.array([5.0]), np.array([1]), np.array([0, 1]), (1, 2), "X").toarray()
    array([[0., 5.]])
    >>> csr_from_parts(np.array([5.0]), np.array([1]), np.array([0, 9, 0]), (2, 2), "X")
    Traceback (most recent call last):
        ...
    ValueError: X (csr): its indptr must be 3 numbers that begin with 0 and never fall
    """
    called = f"{name} (csr)"
    if data.ndim != 1 or data.dtype.kind not in "biuf":
        raise ValueError(f"{called}: its values must be numbers in one dimension")
    if shape[0] < 0 or not 0 <= shape[1] <= _MOST_COLUMNS:
        raise ValueError(
            f"{called} has the shape {shape}; expected 0 rows or more, and 0 to {_MOST_COLUMNS:,} columns"
        )
    _check_compressed(indptr, indices, len(data), shape, called)
    if not len(data) == len(indices) == int(indptr[-1]):
        found = f"{len(indices)} indices and {len(data)} values"
        raise ValueError(f"{called}: its indptr ends with {int(indptr[-1])}, and there are {found}")
    fits_32_bits = np.can_cast(np.result_type(indices.dtype, indptr.dtype), np.int32)
    index = np.int32 if fits_32_bits else np.int64
    native = data.astype(data.dtype.newbyteorder("="), copy=False)
    parts = (native, indices.astype(index, copy=False), indptr.astype(index, copy=False))
    return sp.csr_array(parts, shape=shape)


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


def _check_matrix(matrix: Any, called: str) -> None:
    if matrix.format in ("csr", "csc", "bsr"):
        shape = matrix.shape if matrix.ndim == 2 else (1, *matrix.shape)
        if matrix.format == "bsr":
            shape = tuple(length // size for length, size in zip(shape, matrix.blocksize, strict=True))
        is_csc = matrix.format == "csc"
        lengths, of = (shape[::-1], "rows") if is_csc else (shape, "columns")
        _check_compressed(matrix.indptr, matrix.indices, len(matrix.data), lengths, called, of)
        return
    if matrix.format != "coo":
        matrix = _as_coo(matrix, called)
    coords = matrix.coords if hasattr(matrix, "coords") else (matrix.row, matrix.col)  # before SciPy 1.13
    for axis, (indices, length) in enumerate(zip(coords, matrix.shape, strict=True)):
        if len(indices) != len(matrix.data):
            found = f"{len(matrix.data)} values and {len(indices)} indices of axis {axis}"
            raise ValueError(f"{called} has {found}")
        _check_indices(indices, length, called, f"axis {axis}")


def _as_coo(matrix: Any, called: str) -> Any:
    """Let SciPy convert the other formats, which checks what it finds in their lists and dictionaries."""
    is_lil = matrix.format == "lil"
    if is_lil and any(len(i) != len(values) for i, values in zip(matrix.rows, matrix.data, strict=True)):
        raise ValueError(f"{called} has a row with other numbers of indices and values")
    try:
        return matrix.tocoo()
    except ValueError as error:
        raise ValueError(f"{called}: {error}") from error


def _check_compressed(
    indptr: np.ndarray,
    indices: np.ndarray,
    n_values: int,
    lengths: tuple[int, ...],
    called: str,
    of: str = "columns",
) -> None:
    """Check compressed rows, or columns, of which there are `lengths[0]`, each of `lengths[1]` cells."""
    _check_integers(indptr, called, "indptr")
    _check_integers(indices, called, "indices")
    if indptr.shape != (lengths[0] + 1,) or indptr[0] != 0 or (indptr[1:] < indptr[:-1]).any():
        right = f"{lengths[0] + 1} numbers that begin with 0 and never fall"
        raise ValueError(f"{called}: its indptr must be {right}")
    stored = int(indptr[-1])
    if stored > min(len(indices), n_values):
        found = f"{len(indices)} indices and {n_values} values"
        raise ValueError(f"{called}: its indptr ends with {stored}, and there are {found}")
    _check_indices(indices[:stored], lengths[1], called, of)


def _check_indices(indices: np.ndarray, length: int, called: str, of: str) -> None:
    _check_integers(indices, called, "indices")
    if len(indices) == 0:
        return
    low, high = int(indices.min()), int(indices.max())
    if low < 0 or high >= length:
        wrong, allowed = (low if low < 0 else high), f"its shape allows 0 to {length - 1}"
        raise ValueError(f"{called} has the index {wrong} of {of}, and {allowed}")


def _check_integers(numbers: np.ndarray, called: str, what: str) -> None:
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
        raise ValueError(f"{called}: its {what} must be whole numbers in one dimension")
