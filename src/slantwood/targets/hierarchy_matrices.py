"""What indicators and scores of labels become when they are brought in line with a hierarchy.

Matrices have a row for each example and a column for each label; their shape and dtype were checked. The
hierarchy is given as links, square CSR matrices with ones: `down` has the children of a label in its row, and
`ancestors` all that is above it; and as an `order` of the columns in which parents come before children.
"""

from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp


def linked(links: sp.csr_array, column: int) -> list[int]:
    """Return what one label is linked to."""
    return links.indices[links.indptr[column] : links.indptr[column + 1]].tolist()


# ---- indicators


def closure(Y: Any, ancestors: sp.csr_array, down: sp.csr_array, order: np.ndarray) -> Any:
    """Add the ancestors of the labels of each row; decide unknown cells above ones and below zeros."""
    given = _ones_and_unknowns(Y)
    is_unknown = np.isnan(given.data)
    if not is_unknown.any():
        return _like(Y, _with_ancestors(given, ancestors))
    closed = _with_ancestors(_with_data(given, 1.0 - is_unknown), ancestors)
    return _like(Y, _with_still_unknown(closed, _with_data(given, is_unknown), down, order))


def most_specific(Y: Any, ancestors: sp.csr_array) -> Any:
    """Keep the labels none of whose descendants the row has."""
    given = _ones_and_unknowns(Y)
    is_unknown = np.isnan(given.data)
    if is_unknown.any():
        row = _rows(given)[is_unknown][0]
        raise ValueError(f"most_specific: row {row} of Y holds NaN, where labels are not known; leave it out")
    covered = given @ ancestors
    covered.sort_indices()
    return _like(Y, given - given.multiply(_with_data(covered, np.ones(covered.nnz))))


def indicator_of_columns(
    columns: np.ndarray, stops: np.ndarray, unknown: list[int], n_labels: int
) -> sp.csr_array:
    """Put ones at the columns of each row, which may repeat, and NaN all over the rows that are not known."""
    shape = (len(stops) - 1, n_labels)
    known = sp.csr_array((np.ones(len(columns), np.int8), columns, stops), shape=shape)
    known.sum_duplicates()
    known.data[:] = 1
    if not unknown:
        return known
    is_unknown = np.zeros((shape[0], 1), np.float32)
    is_unknown[unknown] = np.nan
    unknown = sp.csr_array(is_unknown) @ sp.csr_array(np.ones((1, n_labels), np.float32))
    result = sp.csr_array(known + unknown)
    result.sort_indices()
    return result


def columns_of_indicator(Y: Any) -> list[list[int] | None]:
    """Return where each row has ones; None for a row of NaN."""
    given = _ones_and_unknowns(Y)
    unknown = _unknown_rows(_unknown_per_row(given), given.shape[1], "label_sets", "Y")
    flat = given.indices.tolist()
    columns: list[list[int] | None] = [flat[i:j] for i, j in pairwise(given.indptr.tolist())]
    for row in np.flatnonzero(unknown):
        columns[row] = None
    return columns


def _ones_and_unknowns(Y: Any) -> sp.csr_array:
    # As float32, and in an array of its own.
    if sp.issparse(Y):
        entries = _canonical(Y)
        _refuse_all_but_ones_and_unknowns(entries.data)
        return entries.astype(np.float32)
    places = Y.nonzero()
    values = Y[places]
    _refuse_all_but_ones_and_unknowns(values)
    return sp.csr_array((values.astype(np.float32), places), shape=Y.shape)


def _refuse_all_but_ones_and_unknowns(values: np.ndarray) -> None:
    wrong = (values != 1) & (values == values)
    if wrong.any():
        raise ValueError(
            f"Y holds the value {values[wrong][0]!s}; an indicator holds zeros and ones, and NaN where a "
            "label is not known. Of scores make one by comparing them, as in scores > 0.5"
        )


def _with_ancestors(ones: sp.csr_array, ancestors: sp.csr_array) -> sp.csr_array:
    closed = sp.csr_array(ones + ones @ ancestors)
    closed.sort_indices()
    closed.data[:] = 1
    return closed


def _with_still_unknown(
    closed: sp.csr_array, unknown: sp.csr_array, down: sp.csr_array, order: np.ndarray
) -> sp.csr_array:
    # An unknown cell below a zero is zero. Looking at parents is enough, if they are decided first: what is
    # between a zero and the cell cannot be one, so it is zero as well.
    columns = (closed + 2.0 * unknown).tocsc()  # 2 where it is unknown still
    rows, data = columns.indices, columns.data
    is_open = np.zeros(columns.shape[0], np.bool_)
    for parent in order.tolist():
        children = linked(down, parent)
        if children:
            above = _slice(columns, parent)
            is_open[rows[above]] = data[above] != 0
            for child in children:
                below = _slice(columns, child)
                data[below] *= is_open[rows[below]]  # parents of ones are ones
            is_open[rows[above]] = False
    data[:] = np.where(data == 2, np.nan, data > 0)
    result = sp.csr_array(columns)
    result.eliminate_zeros()
    return result


# ---- scores


def consistent_dense(scores: np.ndarray, down: sp.csr_array, order: np.ndarray) -> np.ndarray:
    """Raise each score to the largest among the descendants."""
    _unknown_rows((scores != scores).sum(axis=1), scores.shape[1], "consistent", "scores")
    raised = np.array(scores.T, order="C")  # the scores of a label lie side by side
    for parent in order[::-1].tolist():
        for child in linked(down, parent):
            np.maximum(raised[parent], raised[child], out=raised[parent])
    return np.ascontiguousarray(raised.T)


def consistent_sparse(
    scores: Any, ancestors: sp.csr_array, down: sp.csr_array, order: np.ndarray
) -> sp.csr_array:
    """Raise each score to the largest among the descendants; none may be negative."""
    given = _canonical(scores)
    if (given.data < 0).any():
        raise ValueError(
            f"consistent: scores are sparse and hold the value {given.data[given.data < 0][0]!s}; sparse "
            "scores must not be negative, as those that are not stored are zero. Give scores.toarray()"
        )
    _unknown_rows(_unknown_per_row(given), given.shape[1], "consistent", "scores")
    # Column by column, children before parents, with one column of scores spelt out at a time.
    own = given.tocsc()
    columns = _with_ancestors(_with_data(given, np.ones(given.nnz)), ancestors).tocsc()
    rows, values = columns.indices, np.zeros(columns.nnz, given.dtype)
    column = np.zeros(columns.shape[0], given.dtype)
    for parent in order[::-1].tolist():
        place, at = _slice(columns, parent), _slice(own, parent)
        column[own.indices[at]] = own.data[at]
        for child in linked(down, parent):
            below = _slice(columns, child)
            column[rows[below]] = np.maximum(column[rows[below]], values[below])
        values[place] = column[rows[place]]
        column[rows[place]] = 0
    return sp.csr_array(sp.csc_array((values, rows, columns.indptr), shape=columns.shape))


# ---- rows, columns and entries of sparse matrices


def _canonical(matrix: Any) -> sp.csr_array:
    result = sp.csr_array(matrix.tocoo())  # from COO: a copy, with duplicates added up
    result.eliminate_zeros()
    return result


def _with_data(matrix: sp.csr_array, data: np.ndarray) -> sp.csr_array:
    # With its own arrays, as zeros may be taken out of the result.
    triple = (data.astype(np.float32), matrix.indices.copy(), matrix.indptr.copy())
    result = sp.csr_array(triple, shape=matrix.shape)
    result.eliminate_zeros()
    return result


def _like(Y: Any, result: sp.csr_array) -> Any:
    return result.astype(Y.dtype) if sp.issparse(Y) else result.toarray().astype(Y.dtype, copy=False)


def _slice(columns: sp.csc_array, column: int) -> slice:
    return slice(columns.indptr[column], columns.indptr[column + 1])


def _rows(matrix: sp.csr_array) -> np.ndarray:
    return np.repeat(np.arange(matrix.shape[0], dtype=np.int64), np.diff(matrix.indptr))


def _unknown_per_row(matrix: sp.csr_array) -> np.ndarray:
    return np.bincount(_rows(matrix)[matrix.data != matrix.data], minlength=matrix.shape[0])


def _unknown_rows(n_unknown: np.ndarray, n_labels: int, where: str, name: str) -> np.ndarray:
    partly = (n_unknown > 0) & (n_unknown < n_labels)
    if partly.any():
        row = int(np.argmax(partly))
        raise ValueError(f"{where}: row {row} of {name} is NaN for some labels only; give all or none as NaN")
    return n_unknown > 0
