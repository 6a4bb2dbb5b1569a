"""The border of the metrics: checked arguments, and rows of sparse matrices.

Labels always leave this module as a canonical CSR array (sorted columns, no
duplicates, no stored zeros). Scores leave it as a floating dense array or as
such a CSR array, whichever they were. No metric is computed here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from slantwood.features.sparse_input import check_sparse
from slantwood.targets.label_sets import holds_label_sets

MatrixLike: TypeAlias = npt.ArrayLike | sp.sparray | sp.spmatrix
IntArray: TypeAlias = npt.NDArray[np.int64]
FloatArray: TypeAlias = npt.NDArray[np.floating[Any]]

# Working memory of one block of rows, in matrix entries: small enough to stay
# near the cache, large enough to hide the cost of a Python iteration.
ENTRIES_PER_BLOCK = 1 << 18


def numeric_array(value: npt.ArrayLike, name: str) -> npt.NDArray[Any]:
    """Return ``value`` as a dense array of booleans, integers or floats."""
    if sp.issparse(value):
        raise ValueError(f"{name} is sparse; pass a dense array, e.g. {name}.toarray().")
    try:
        array = np.asarray(value)
        if array.dtype.kind == "O":
            array = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{name} cannot be read as a numeric array ({error}); pass numbers in rows of equal length."
        ) from error
    _check_real(array, name)
    return array


def check_indicator(value: MatrixLike, name: str = "y_true") -> sp.csr_array:
    """Return a 0-1 label matrix of shape (n_rows, n_labels) as canonical CSR."""
    matrix = _check_labels(value, name)
    if sp.issparse(matrix):
        labels, stored = matrix, matrix.data
    else:
        present = matrix != 0
        labels, stored = sp.csr_array(present), matrix[present]
    wrong = stored != 1
    if wrong.any():
        raise ValueError(
            f"{name} holds the value {stored[wrong][0]!s}; it must be a label "
            "indicator of zeros and ones (or booleans)."
        )
    return labels


def check_partial_indicator(value: MatrixLike, name: str = "y_true") -> tuple[sp.csr_array, sp.csr_array]:
    """Return where a 0-1 label matrix holds ones and where it holds NaN, each as canonical CSR."""
    matrix = _check_labels(value, name)
    missing: Any = np.isnan(matrix.data if sp.issparse(matrix) else matrix)
    if not missing.any():
        return check_indicator(matrix, name), sp.csr_array(matrix.shape, dtype=np.bool_)
    if not sp.issparse(matrix):
        return check_indicator(np.where(missing, 0, matrix), name), sp.csr_array(missing)
    known, unknown = (
        sp.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
        for data in (np.where(missing, 0, matrix.data), missing)
    )
    return check_indicator(known, name), _canonical_csr(unknown, name)


def check_scores(
    value: MatrixLike, shape: tuple[int, int], name: str = "y_score"
) -> FloatArray | sp.csr_array:
    """Return scores of the given shape, dense or canonical CSR as they came."""
    scores = _check_matrix(value, name)
    check_same_shape(scores.shape, shape, name)
    if scores.dtype.kind != "f":
        scores = scores.astype(np.float64)
    # The minimum carries NaN through without a mask as large as the scores.
    if np.isnan((scores.data if sp.issparse(scores) else scores).min(initial=0)):
        raise ValueError(f"{name} contains NaN, which has no rank; replace it by a number.")
    return scores


def check_same_shape(
    shape: tuple[int, ...], expected: tuple[int, ...], name: str, other: str = "y_true"
) -> None:
    """Refuse an argument whose shape differs from that of its partner."""
    if tuple(shape) != tuple(expected):
        raise ValueError(
            f"{name} has shape {tuple(shape)} but {other} has shape {tuple(expected)}; "
            "pass the same rows and columns to both."
        )


def check_vector(value: npt.ArrayLike, length: int, name: str, each: str) -> npt.NDArray[np.float64]:
    """Return numbers, one for each row or label as `each` says."""
    vector = numeric_array(value, name).astype(np.float64)
    if vector.shape != (length,):
        raise ValueError(f"{name} has shape {vector.shape}; pass a 1-D array of length {length}, {each}.")
    return vector


def check_weights(value: npt.ArrayLike | None, length: int, name: str) -> npt.NDArray[np.float64]:
    """Return non-negative weights, scaled so that the largest is one; ones where there are none."""
    if value is None:
        return np.ones(length)
    weights = check_vector(
        value, length, name, f"one weight per {'label' if name.startswith('label') else 'row'}"
    )
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        raise ValueError(
            f"{name} holds the value {weights[wrong][0]!s}; weights must be finite and not negative."
        )
    if not weights.any():
        raise ValueError(f"{name} is zero everywhere; at least one weight must be positive.")
    return np.asarray(weights / weights.max())


def hits(true: sp.csr_array, predicted: sp.csr_array) -> sp.csr_array:
    """Return an indicator of the labels that are both true and predicted."""
    return true.astype(np.bool_).multiply(predicted.astype(np.bool_)).tocsr()


def row_blocks(n_rows: int, entries_per_row: float) -> Iterator[tuple[int, int]]:
    """Cut the rows into (start, stop) ranges of about `ENTRIES_PER_BLOCK` entries."""
    step = max(1, int(ENTRIES_PER_BLOCK / max(1.0, entries_per_row)))
    for start in range(0, n_rows, step):
        yield start, min(start + step, n_rows)


def values_at(matrix: npt.NDArray[Any] | sp.csr_array, rows: IntArray, columns: IntArray) -> npt.NDArray[Any]:
    """Return the values of some cells of a matrix, dense or sparse."""
    # Of no cells SciPy makes a sparse array.
    return matrix[rows, columns] if rows.size else np.zeros(0, matrix.dtype)


def without(matrix: sp.csr_array, cells: sp.csr_array) -> sp.csr_array:
    """Return a matrix of which some cells are no longer stored; these are given as an indicator."""
    rows, columns = matrix.tocoo().coords
    kept = ~values_at(cells, rows, columns).astype(np.bool_)
    return sp.csr_array((matrix.data[kept], (rows[kept], columns[kept])), shape=matrix.shape)


def sort_keys(groups: npt.NDArray[np.integer[Any]], scores: FloatArray) -> npt.NDArray[Any]:
    """Return numbers that are ordered by group first and by score within a group."""
    # NumPy orders complex numbers by real part, then by imaginary part.
    keys = np.empty(scores.shape, np.result_type(scores.dtype, np.complex128))
    keys.real = groups
    keys.imag = scores
    return keys


def _check_labels(value: Any, name: str) -> Any:
    """Return a matrix of labels; sets of labels are refused with the matrix to pass instead."""
    try:
        return _check_matrix(value, name)
    except ValueError:
        if not holds_label_sets(value):
            raise
        raise ValueError(
            f"{name} holds sets of labels, and this measure takes an indicator of zeros and ones; pass "
            f"hierarchy.closure(hierarchy.indicator({name})), or without a hierarchy that of scikit-learn's "
            "MultiLabelBinarizer."
        ) from None


def _check_matrix(value: Any, name: str) -> Any:
    """Return a matrix that is not empty, dense or canonical CSR as it came."""
    matrix = value if sp.issparse(value) else numeric_array(value, name)
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise ValueError(
            f"{name} has shape {tuple(matrix.shape)}; pass a 2-D array of shape "
            "(n_rows, n_labels) with at least one row and one label."
        )
    return _canonical_csr(matrix, name) if sp.issparse(matrix) else matrix


def _canonical_csr(matrix: Any, name: str) -> sp.csr_array:
    _check_real(matrix, name)
    check_sparse(matrix, name)
    csr = sp.csr_array(matrix)
    if not csr.has_canonical_format or not csr.data.all():
        # The conversion may share memory with the caller's matrix.
        csr = csr.copy()
        csr.sum_duplicates()
        csr.eliminate_zeros()
    return csr


def _check_real(matrix: Any, name: str) -> None:
    if matrix.dtype.kind not in "biuf":
        raise ValueError(f"{name} has dtype {matrix.dtype}; pass real numbers or booleans.")
