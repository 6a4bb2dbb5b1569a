"""Claims about the way from the user's X to the matrix that compiled code reads."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from slantwood.features.matrix import (
    column_means,
    known_rows,
    nonzero_share,
    normalized_rows,
    prediction_matrix,
    to_array,
    training_matrix,
    varying_columns,
)

pytestmark = [pytest.mark.plain_python, pytest.mark.sampled]

EPS = float(np.finfo(np.float32).eps)
SEEDS = st.integers(0, 2**32 - 1)
DENSITIES = st.sampled_from([0.0, 0.05, 0.19, 0.21, 0.6, 1.0])


def with_stored_zeros(X):
    """CSR that stores some of its zeros, and its columns in falling order."""
    csr = sp.coo_array(X).tocsr()
    rows, columns = np.nonzero(X == 0)
    zeros = slice(None, None, 3)
    all_rows = np.concatenate([csr.tocoo().row, rows[zeros]])
    all_columns = np.concatenate([csr.tocoo().col, columns[zeros]])
    data = np.concatenate([csr.tocoo().data, np.zeros(len(rows[zeros]), X.dtype)])
    order = np.lexsort((-all_columns, all_rows))
    indptr = np.searchsorted(all_rows[order], np.arange(X.shape[0] + 1))
    return sp.csr_array((data[order], all_columns[order], indptr), shape=X.shape)


def with_duplicates(X):
    """CSR in which every number is stored in two halves."""
    csr = sp.csr_array(X)
    twice = np.repeat(csr.data, 2) / 2
    return sp.csr_array((twice, np.repeat(csr.indices, 2), 2 * csr.indptr), shape=X.shape)


CONTAINERS = {
    "float64": np.asarray,
    "float32": np.float32,
    "fortran": np.asfortranarray,
    "every second row of more": lambda X: np.repeat(X, 2, axis=0)[::2],
    "int64": lambda X: X.astype(np.int64),
    "int8": lambda X: X.astype(np.int8),
    "csr": sp.csr_array,
    "csr_matrix": sp.csr_matrix,
    "csc": sp.csc_array,
    "coo": sp.coo_array,
    "csr with 64-bit indices": lambda X: _with_long_indices(sp.csr_array(X)),
    "csr with stored zeros": with_stored_zeros,
    "csr with duplicates": with_duplicates,
    "integer csr": lambda X: sp.csr_array(X.astype(np.int32)),
}
EVERY_CONTAINER = pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS.keys())


def _with_long_indices(csr):
    csr.indptr, csr.indices = csr.indptr.astype(np.int64), csr.indices.astype(np.int64)
    return csr


def whole_numbers(seed, density, n=15, d=9):
    """Numbers that every container can hold; empty rows included."""
    rng = np.random.default_rng(seed)
    X = rng.integers(1, 100, (n, d)) * (rng.random((n, d)) < density) * rng.choice([-1, 1], (n, d))
    if density < 1:
        X[rng.random(n) < 0.2] = 0
    return X.astype(np.float64)


@EVERY_CONTAINER
@given(seed=SEEDS, density=DENSITIES)
def test_every_container_of_the_same_numbers_gives_the_same_training_matrix(container, seed, density):
    X = whole_numbers(seed, density)
    expected, found = training_matrix(X), training_matrix(container(X))
    for field, a, b in zip(expected._fields, expected, found, strict=True):
        assert_array_equal(a, b, err_msg=field)
        assert getattr(a, "dtype", None) == getattr(b, "dtype", None)


@EVERY_CONTAINER
@given(seed=SEEDS, density=DENSITIES)
def test_a_prediction_matrix_holds_the_numbers_as_they_came(container, numbers_of, seed, density):
    X = container(whole_numbers(seed, density))
    matrix = prediction_matrix(X)
    assert_array_equal(numbers_of(matrix), X.toarray() if sp.issparse(X) else X)
    assert matrix.is_dense == (not sp.issparse(X))
    assert matrix.n_columns == X.shape[1]


@given(seed=SEEDS, density=DENSITIES)
def test_the_share_of_zeros_alone_decides_the_form_of_training_data(numbers_of, seed, density):
    X = whole_numbers(seed, density)
    matrix = training_matrix(X)
    assert matrix.is_dense == (np.count_nonzero(X) >= 0.2 * X.size)
    assert_array_equal(numbers_of(matrix), X)


@EVERY_CONTAINER
@given(seed=SEEDS, density=DENSITIES)
def test_the_share_of_non_zeros_is_a_matter_of_numbers(container, seed, density):
    X = whole_numbers(seed, density)
    assert nonzero_share(container(X)) == np.count_nonzero(X) / X.size


def test_an_empty_matrix_has_no_non_zeros():
    assert nonzero_share(np.empty((0, 4))) == 0.0
    assert nonzero_share(sp.csr_array((3, 0))) == 0.0


@pytest.mark.parametrize("form", [training_matrix, prediction_matrix])
@given(seed=SEEDS, density=DENSITIES)
def test_arrays_have_the_types_that_compiled_code_expects(form, seed, density):
    for X in (whole_numbers(seed, density), sp.csr_array(whole_numbers(seed, density))):
        matrix = form(X)
        types = [matrix.values.dtype, matrix.indptr.dtype, matrix.indices.dtype, matrix.data.dtype]
        assert types == [np.float32, np.int64, np.uint32, np.float32]
        assert matrix.values.flags.c_contiguous


@pytest.mark.parametrize("form", [training_matrix, prediction_matrix])
@pytest.mark.parametrize("container", [with_stored_zeros, with_duplicates, np.asarray, sp.csc_array])
@pytest.mark.parametrize("density", [0.1, 0.8])
def test_the_users_matrix_is_left_as_it_is(form, container, density):
    X = container(whole_numbers(3, density).astype(np.float32))
    arrays = [X.data, X.indices, X.indptr] if sp.issparse(X) else [X]
    before = [array.copy() for array in arrays]
    form(X)
    after = [X.data, X.indices, X.indptr] if sp.issparse(X) else [X]
    for a, b in zip(before, after, strict=True):
        assert_array_equal(a, b)


def test_numbers_that_have_their_form_already_are_not_copied():
    X = np.ones((5, 3), np.float32)
    assert np.shares_memory(training_matrix(X).values, X)
    assert np.shares_memory(prediction_matrix(X).values, X)
    thin = sp.csr_array(np.eye(9, dtype=np.float32))
    assert np.shares_memory(training_matrix(thin).data, thin.data)
    assert np.shares_memory(prediction_matrix(thin).data, thin.data)


@given(seed=SEEDS, density=DENSITIES)
def test_unit_rows_have_length_one_and_their_direction(in_both_forms, numbers_of, seed, density):
    rng = np.random.default_rng(seed)
    X = (whole_numbers(seed, density) * 10.0 ** rng.integers(-12, 13, (15, 1))).astype(np.float32)
    length = np.sqrt((X.astype(np.float64) ** 2).sum(axis=1, keepdims=True))
    expected = X / np.where(length > 0, length, 1)
    for matrix in in_both_forms(X):
        unit = normalized_rows(matrix)
        assert unit.is_dense == matrix.is_dense
        assert_allclose(numbers_of(unit), expected, rtol=2 * EPS)


@pytest.mark.parametrize("shape", [(300, 7), (20, 5000), (200, 700)])
@pytest.mark.parametrize("gaps", [0.0, 0.1])
def test_unit_rows_are_the_same_numbers_dense_and_sparse(in_both_forms, numbers_of, shape, gaps):
    rng = np.random.default_rng(0)
    X = (rng.normal(size=shape) * 10.0 ** rng.uniform(-9, 9, shape[1])).astype(np.float32)
    X[rng.random(shape) < 0.6] = 0.0
    X[rng.random(shape) < gaps] = np.nan
    dense, sparse = (numbers_of(normalized_rows(matrix)) for matrix in in_both_forms(X))
    assert_array_equal(dense, sparse)


@pytest.mark.parametrize("empty", [[0], [14], [0, 1, 13, 14], [7], list(range(15))])
def test_rows_of_zeros_stay_rows_of_zeros(in_both_forms, numbers_of, empty):
    X = whole_numbers(0, 1.0)
    X[empty] = 0
    for matrix in in_both_forms(X):
        unit = numbers_of(normalized_rows(matrix))
        assert_array_equal(np.flatnonzero(~unit.any(axis=1)), empty)
        assert np.isfinite(unit).all()


def test_rows_whose_zeros_are_stored_stay_rows_of_zeros(numbers_of):
    X = sp.csr_array((np.array([0.0, 0.0, 3.0, 4.0], np.float32), [0, 2, 0, 1], [0, 2, 4]), shape=(2, 3))
    assert_array_equal(
        numbers_of(normalized_rows(prediction_matrix(X))), np.float32([[0, 0, 0], [0.6, 0.8, 0]])
    )


@given(seed=SEEDS)
def test_making_unit_rows_again_changes_nothing(in_both_forms, numbers_of, seed):
    for matrix in in_both_forms(whole_numbers(seed, 0.3)):
        once = normalized_rows(matrix)
        assert_allclose(numbers_of(normalized_rows(once)), numbers_of(once), rtol=4 * EPS)


def test_unit_rows_leave_the_matrix_they_are_made_of_alone(in_both_forms, numbers_of):
    X = whole_numbers(0, 0.5)
    for matrix in in_both_forms(X):
        normalized_rows(matrix)
        assert_array_equal(numbers_of(matrix), X)


# ---- missing values


def with_gaps(seed, density, share=0.3):
    """Numbers of which cells, whole rows and whole columns are missing."""
    rng = np.random.default_rng(seed)
    X = whole_numbers(seed, density)
    X[rng.random(X.shape) < share] = np.nan
    X[rng.random(len(X)) < 0.15] = np.nan
    X[:, rng.random(X.shape[1]) < 0.15] = np.nan
    if rng.random() < 0.5:
        X[~np.isnan(X[:, 0]), 0] = rng.choice([0.0, 3.0])
    return X


FLOATS = {name: make for name, make in CONTAINERS.items() if "int" not in name}
EVERY_FLOAT = pytest.mark.parametrize("container", FLOATS.values(), ids=FLOATS.keys())


@EVERY_FLOAT
@given(seed=SEEDS, density=DENSITIES)
def test_every_container_of_the_same_gaps_gives_the_same_training_matrix(container, seed, density):
    X = with_gaps(seed, density)
    expected, found = training_matrix(X), training_matrix(container(X))
    for field, a, b in zip(expected._fields, expected, found, strict=True):
        assert_array_equal(a, b, err_msg=field)
    assert found.has_missing == np.isnan(X).any()
    assert found.is_dense == (np.count_nonzero(X) >= 0.2 * X.size)  # gaps are stored


@EVERY_FLOAT
@given(seed=SEEDS, density=DENSITIES)
def test_a_prediction_matrix_holds_the_gaps_as_they_came(container, numbers_of, seed, density):
    X = with_gaps(seed, density)
    matrix = prediction_matrix(container(X))
    assert_array_equal(numbers_of(matrix), X)
    assert matrix.has_missing == np.isnan(X).any()
    held = to_array(matrix)
    assert_array_equal(held.toarray() if sp.issparse(held) else held, X)


@EVERY_FLOAT
@given(seed=SEEDS, density=DENSITIES, share=st.sampled_from([0.0, 0.3]))
def test_columns_vary_where_two_known_values_differ(container, seed, density, share):
    X = with_gaps(seed, density, share) if share else whole_numbers(seed, density)
    expected = [len(np.unique(column[~np.isnan(column)])) > 1 for column in X.T]
    assert_array_equal(varying_columns(container(X)), expected)


@EVERY_FLOAT
@given(seed=SEEDS, density=DENSITIES)
def test_rows_are_known_where_any_of_their_values_is(container, seed, density):
    X = with_gaps(seed, density)
    assert_array_equal(known_rows(container(X)), [not np.isnan(row).all() for row in X])


@EVERY_FLOAT
@given(seed=SEEDS, density=DENSITIES, weightless=st.booleans())
def test_column_means_are_weighted_means_of_known_values(container, seed, density, weightless):
    X = with_gaps(seed, density)
    rng = np.random.default_rng(seed)
    r = rng.uniform(0.1, 3, len(X)) * (rng.random(len(X)) < 0.5 if weightless else 1)
    r[0] = 1.0
    expected = np.full(X.shape[1], np.nan)
    for j, column in enumerate(X.T):
        known = ~np.isnan(column) & (r > 0)
        if known.any():
            expected[j] = np.average(column[known], weights=r[known])
    before = container(X)
    found = column_means(before, r)
    assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * 100)
    assert_array_equal(before.toarray() if sp.issparse(before) else before, X)


@given(seed=SEEDS, density=DENSITIES)
def test_unit_rows_are_of_length_one_in_what_is_known_and_keep_their_gaps(
    in_both_forms, numbers_of, seed, density
):
    rng = np.random.default_rng(seed)
    X = (with_gaps(seed, density) * 10.0 ** rng.integers(-12, 13, (15, 1))).astype(np.float32)
    length = np.sqrt(np.nansum(X.astype(np.float64) ** 2, axis=1, keepdims=True))
    expected = X / np.where(length > 0, length, 1)
    for matrix in in_both_forms(X):
        unit = normalized_rows(matrix)
        assert unit.has_missing == matrix.has_missing
        assert_allclose(numbers_of(unit), expected, rtol=2 * EPS)
        assert_array_equal(numbers_of(matrix), X)
