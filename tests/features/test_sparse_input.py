"""Sparse matrices whose indices do not fit their shape are refused at the border, in every format."""

import numpy as np
import pytest
import scipy.sparse as sp

from slantwood.features.sparse_input import check_sparse, is_encoded

pytestmark = [pytest.mark.plain_python, pytest.mark.sampled]

FORMATS = ["csr", "csc", "coo", "bsr", "lil", "dok", "dia"]
COMPRESSED = ["csr", "csc", "bsr"]
CELLS = np.arange(24.0).reshape(4, 6) % 5


def of_format(name, kind="array"):
    made = getattr(sp, f"{name}_{kind}")
    return made(CELLS, blocksize=(2, 3)) if name == "bsr" else made(CELLS)


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("name", FORMATS)
def test_what_scipy_makes_passes_and_stays_as_it_is(name, kind):
    matrix = of_format(name, kind)
    check_sparse(matrix, "X")
    np.testing.assert_array_equal(matrix.toarray(), CELLS)


@pytest.mark.parametrize(
    "matrix", [sp.coo_array(CELLS[0]), sp.csr_array(CELLS[0]), sp.csr_array((0, 3)), sp.csc_array((3, 0))]
)
def test_one_dimension_and_no_cells_pass(matrix):
    check_sparse(matrix, "X")


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("index", [-1, 6, 2**31 - 1])
@pytest.mark.parametrize("name", COMPRESSED)
def test_indices_outside_the_shape_are_refused(name, index, kind):
    matrix = of_format(name, kind)
    matrix.indices[1] = index
    with pytest.raises(
        ValueError, match=rf"X \({name}\) has the index {index} of (rows|columns).*make it anew"
    ):
        check_sparse(matrix, "X")


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("index", [-1, 6])
def test_coordinates_outside_the_shape_are_refused(axis, index):
    matrix = of_format("coo")
    matrix.coords[axis][0] = index
    with pytest.raises(ValueError, match=rf"X \(coo\) has the index {index} of axis {axis}"):
        check_sparse(matrix, "X")


def test_coordinates_and_values_of_different_number_are_refused():
    matrix = of_format("coo")
    matrix.data = matrix.data[:-1]
    with pytest.raises(ValueError, match=r"values and .* indices of axis 0"):
        check_sparse(matrix, "X")


@pytest.mark.parametrize("name", COMPRESSED)
@pytest.mark.parametrize(
    "change",
    [
        lambda indptr: np.concatenate([indptr[:1], indptr[:0:-1]]),
        lambda indptr: indptr + 1,
        lambda indptr: indptr[:-1],
        lambda indptr: np.append(indptr[:-1], 1000),
        lambda indptr: indptr.astype(float),
    ],
    ids=["falls", "begins with 1", "is too short", "ends behind the indices", "holds floats"],
)
def test_an_indptr_that_does_not_fit_is_refused(name, change):
    matrix = of_format(name)
    matrix.indptr = change(matrix.indptr)
    with pytest.raises(ValueError, match=rf"X \({name}\).*indptr"):
        check_sparse(matrix, "X")


@pytest.mark.parametrize("name", COMPRESSED)
def test_values_that_are_too_few_are_refused(name):
    matrix = of_format(name)
    matrix.data = matrix.data[:-1]
    with pytest.raises(ValueError, match=rf"X \({name}\).*indptr ends with"):
        check_sparse(matrix, "X")


def test_lists_and_dictionaries_that_do_not_fit_are_refused():
    lists = of_format("lil")
    lists.rows[1] = [99, *lists.rows[1][1:]]
    with pytest.raises(ValueError, match=r"X \(lil\).*99"):
        check_sparse(lists, "X")
    lists = of_format("lil")
    lists.data[1] = [*lists.data[1], 1.0]
    with pytest.raises(ValueError, match=r"X \(lil\) has a row"):
        check_sparse(lists, "X")


def test_space_behind_the_last_cell_may_hold_anything():
    matrix = of_format("csr")
    stored = matrix.nnz
    matrix.indices = np.append(matrix.indices, 1000).astype(np.int32)
    matrix.data = np.append(matrix.data, 1.0)
    check_sparse(matrix, "X")
    assert matrix.nnz == stored
    assert len(matrix.indices) == stored + 1


def test_what_is_encoded_is_told_from_what_must_be_looked_at():
    X = sp.csr_array(CELLS.astype(np.float32))
    assert is_encoded(X, 6, 4)
    missing = X.copy()
    missing.data[0] = np.nan
    assert is_encoded(missing, 6, 1)
    infinite = X.copy()
    infinite.data[3] = -np.inf
    others = [
        infinite,
        sp.csr_array(CELLS),
        sp.csc_array(X),
        X.toarray(),
        X[:, :5],
        X[:1],
        X.toarray().tolist(),
    ]
    assert not any(is_encoded(other, 6, 2) for other in others)
