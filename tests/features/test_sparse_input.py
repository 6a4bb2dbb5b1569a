"""Sparse matrices whose indices do not fit their shape are refused at the border, in every format."""

import numpy as np
import pytest
import scipy.sparse as sp

from slantwood.features.sparse_input import check_sparse, csr_from_parts, is_encoded

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


# ---- CSR arrays of a file

DATA, INDICES, INDPTR = np.array([1.0, 2.0, 3.0]), np.array([4, 1, 1]), np.array([0, 2, 2, 3])


def made(data=DATA, indices=INDICES, indptr=INDPTR, shape=(3, 5)):
    return csr_from_parts(np.array(data), np.array(indices), np.array(indptr), shape, "X")


@pytest.mark.parametrize("of_values", ["?", "u1", "<f2", ">f4", ">i8", "f8"])
@pytest.mark.parametrize("of_indices", ["i1", ">i2", "u4", "i4", "i8", ">u8"])
def test_parts_of_any_types_that_fit_become_a_csr_array(of_values, of_indices):
    csr = made(DATA.astype(of_values), INDICES.astype(of_indices), INDPTR.astype(of_indices))
    assert csr.indices.dtype == csr.indptr.dtype
    assert csr.dtype == np.dtype(of_values).newbyteorder("=")
    dense = np.zeros((3, 5))
    dense[[0, 0, 2], [4, 1, 1]] = DATA.astype(of_values)
    np.testing.assert_array_equal(csr.astype(np.float64).toarray(), dense)


def test_columns_of_a_row_may_fall_and_repeat_and_are_sorted_and_added_up_without_harm():
    csr = made(indices=[4, 4, 1])
    assert not csr.has_canonical_format
    csr.sum_duplicates()
    assert (csr.indices.tolist(), csr.data.tolist()) == ([4, 1], [3.0, 3.0])


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"indptr": [0, 2000000, 0, 0]}, "indptr must be 4 numbers"),  # SciPy checks no index here
        ({"indptr": [0, 2, 1, 3]}, "never fall"),
        ({"indptr": [1, 2, 2, 3]}, "begin with 0"),
        ({"indptr": [0, -5, -7, -9]}, "never fall"),
        ({"indptr": [0, 2, 3]}, "indptr must be 4 numbers"),
        ({"indptr": [[0, 2, 2, 3]]}, "indptr must be whole numbers"),
        ({"indptr": [0.0, 2.0, 2.0, 3.0]}, "indptr must be whole numbers"),
        ({"indptr": np.array([False, True, True, True])}, "indptr must be whole numbers"),
        ({"indptr": np.array([0, 2, 2, 3], object)}, "indptr must be whole numbers"),
        ({"indptr": [0, 2, 2, 2**32 + 3]}, "indptr ends with 4294967299"),  # 3 in 32 bits
        ({"indptr": [0, 2**32, 2**32, 3]}, "never fall"),
        ({"indptr": np.array([0, 2, 2, 2**64 - 1], np.uint64)}, "indptr ends with 18446744073709551615"),
        ({"indptr": [0, 1, 2, 2]}, "indptr ends with 2, and there are 3 indices and 3 values"),
        ({"indptr": [], "shape": (-1, 5)}, "has the shape"),
        ({"indptr": [], "shape": (2**64 - 1, 5)}, "indptr must be"),
        ({"shape": (2, 5)}, "indptr must be 3 numbers"),
        ({"indices": [4, 1, 5]}, "has the index 5 of columns"),
        ({"indices": [4, 1, -1]}, "has the index -1 of columns"),
        ({"indices": [4, 1, 2**32 + 1]}, "has the index 4294967297 of columns"),  # 1 in 32 bits
        ({"indices": np.array([4, 1, 2**64 - 1], np.uint64)}, "has the index 18446744073709551615"),
        ({"indices": [4.0, 1.0, 1.0]}, "indices must be whole numbers"),
        ({"indices": [[4, 1, 1]]}, "indices must be whole numbers"),
        ({"indices": [4, 1]}, "indptr ends with 3, and there are 2 indices"),
        ({"indices": [4, 1, 1, 0]}, "indptr ends with 3, and there are 4 indices"),
        ({"data": [1.0, 2.0]}, "and 2 values"),
        ({"data": [1.0, 2.0, 3.0, 4.0]}, "and 4 values"),
        ({"data": [[1.0, 2.0, 3.0]]}, "values must be numbers in one dimension"),
        ({"data": 1.0}, "values must be numbers in one dimension"),
        ({"data": np.array([1, "a", None], object)}, "values must be numbers"),
        ({"data": ["a", "b", "c"]}, "values must be numbers"),
        ({"data": [1j, 2j, 3j]}, "values must be numbers"),
        ({"shape": (3, -5)}, "has the shape"),
        ({"shape": (3, 2**63)}, "0 to 9,223,372,036,854,775,807 columns"),
        ({"shape": (3, 2**64)}, "has the shape"),
        ({"shape": (3, 0)}, "has the index 4 of columns"),
    ],
)
def test_parts_that_do_not_fit_are_refused_before_scipy_sees_them(monkeypatch, parts, message):
    monkeypatch.setattr(sp, "csr_array", None)
    with pytest.raises(ValueError, match=rf"X \(csr\).*{message}"):
        made(**parts)


def test_columns_may_be_more_than_32_bits_can_count():
    csr = made(indices=np.array([2**40, 1, 2**62 - 1]), shape=(3, 2**62))
    assert csr.indices.tolist() == [2**40, 1, 2**62 - 1]
    assert made(shape=(3, 2**40)).has_canonical_format is False


def test_parts_without_rows_columns_or_cells_are_fine():
    for shape in ((0, 5), (3, 0), (0, 0)):
        assert made([], np.zeros(0, int), np.zeros(shape[0] + 1, int), shape).shape == shape
