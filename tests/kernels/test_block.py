"""Claims about a node's block: which columns it holds, and how they are standardised."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from slantwood.kernels.block import copy_row, gather, row_range
from slantwood.kernels.products import project
from slantwood.kernels.workspace import make_workspace, measure, set_scales

pytestmark = [pytest.mark.plain_python, pytest.mark.sampled]

EPS = float(np.finfo(np.float32).eps)
NO_IMPORTANCE = np.empty(0, np.float32)


def twin_moments(A, r):
    """Weighted mean and variance of what is known of the columns that vary, by column number."""
    varies = np.flatnonzero(np.fmin.reduce(A) < np.fmax.reduce(A))
    mean, variance = np.empty((2, len(varies)))
    for place, j in enumerate(varies):
        known = ~np.isnan(A[:, j])
        mean[place] = np.average(A[known, j], weights=r[known])
        variance[place] = np.average((A[known, j] - mean[place]) ** 2, weights=r[known])
    return varies, mean, variance


def twin_block(A, r, power, importance):
    """The standardised columns that vary, by column number; NaN where a value is missing."""
    varies, mean, variance = twin_moments(A, r)
    p = importance[varies] if len(importance) else np.ones(len(varies))
    deviation = np.sqrt(variance)
    divided = (A[:, varies] - mean) / deviation**power
    # One factor for the node: the weighted mean variance becomes 1.
    factor = np.sqrt(p.sum() / (p * variance / deviation ** (2 * power)).sum()) if len(p) else 1.0
    return varies, divided * factor * np.sqrt(p)


def assert_is_twin(block, columns, standardised_of, A, r, power=1.0, importance=(), forgiving=True):
    varies, expected = twin_block(A, np.asarray(r, np.float64), power, np.asarray(importance, np.float64))
    order = np.argsort(columns)
    assert_array_equal(columns[order], varies)
    assert (block.n_rows, block.n_columns) == (len(A), len(varies))
    found = standardised_of(block)[:, order]
    for j, column in enumerate(varies):
        known = ~np.isnan(A[:, column])
        values, z = A[known, column], expected[known, j]
        # Rounding is relative to the numbers that are subtracted from one another, in the block's units.
        size = np.abs(z).max() + (np.abs(values).max() * np.ptp(z) / np.ptp(values) if forgiving else 0.0)
        assert_allclose(found[known, j], z, rtol=0, atol=8 * EPS * size)
        assert_array_equal(found[~known, j], 0.0)


def listed_missing(block):
    """Mask of the cells that a block lists as missing; each must be listed once, and row by row."""
    missing = np.zeros((block.n_rows, block.n_columns), bool)
    assert len(block.missing_indptr) == block.n_rows + 1
    for i in range(block.n_rows):
        columns = block.missing_indices[block.missing_indptr[i] : block.missing_indptr[i + 1]]
        assert len(np.unique(columns)) == len(columns)
        missing[i, columns] = True
    return missing


def with_missing(A, rng, share):
    """Make values missing: single cells, whole rows, whole columns, all but one, the first of a column."""
    n, d = A.shape
    A[rng.random((n, d)) < share] = np.nan
    A[rng.random(n) < share / 3] = np.nan
    for j in range(d):
        kind = rng.integers(0, 10)
        if kind == 0:
            A[:, j] = np.nan
        elif kind == 1:
            A[np.arange(n) != rng.integers(n), j] = np.nan
        elif kind <= 3:
            A[: rng.integers(0, n), j] = np.nan
    return A


@st.composite
def problems(draw, has_missing=True):
    """A float32 matrix with columns of all kinds, some rows of it, row weights, a power, column weights."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(2, 30)), draw(st.integers(1, 12))
    density = draw(st.sampled_from([0.05, 0.3, 0.8, 1.0]))
    A = rng.normal(size=(n, d)) * (rng.random((n, d)) < density)
    A *= 10.0 ** rng.integers(-3, 4, d)
    kind = rng.integers(0, 6, d)
    A[:, kind == 0] = 0.0
    A[:, kind == 1] = rng.normal()
    A[:, kind == 2] = A[:, kind == 2] != 0
    A[:, kind == 3] += 1e3 * np.abs(A[:, kind == 3]).max(initial=0.0)
    if has_missing and draw(st.booleans()):
        A = with_missing(A, rng, draw(st.sampled_from([0.02, 0.1, 0.5])))
    n_rows = draw(st.integers(1, n))
    rows = rng.permutation(n)[:n_rows]
    weights = draw(st.sampled_from(["ones", "counts", "reals"]))
    r = {"ones": np.ones(n_rows), "counts": rng.integers(1, 6, n_rows), "reals": rng.uniform(0.1, 9, n_rows)}
    power = draw(st.sampled_from([0.0, 0.5, 1.0]))
    importance = rng.uniform(0.1, 3, d) if draw(st.booleans()) else ()
    return (
        A.astype(np.float32),
        rows,
        r[weights].astype(np.float32),
        power,
        np.asarray(importance, np.float32),
    )


@given(problems())
def test_moments_are_those_of_numpy_from_dense_and_sparse_rows(in_both_forms, problem):
    A, rows, r, _, _ = problem
    varies, mean, variance = twin_moments(A[rows].astype(np.float64), r.astype(np.float64))
    for matrix in in_both_forms(A):
        workspace = make_workspace(matrix, rows.astype(np.uint32), True)
        n_active = measure(matrix, rows.astype(np.uint32), r, 1, workspace)
        order = np.argsort(workspace.columns[:n_active])
        assert_array_equal(workspace.columns[:n_active][order], varies)
        spread = np.sqrt(variance)
        assert (np.abs(workspace.mean[:n_active][order] - mean) <= 1e-12 * (np.abs(mean) + spread)).all()
        assert_allclose(workspace.variance[:n_active][order], variance, rtol=1e-10)


@given(problems())
def test_blocks_are_the_standardised_columns_that_vary(in_both_forms, gathered, standardised_of, problem):
    A, rows, r, power, importance = problem
    for matrix in in_both_forms(A):
        block, columns, _ = gathered(matrix, rows, r, power, importance)
        assert_is_twin(block, columns, standardised_of, A[rows].astype(np.float64), r, power, importance)


@given(problems())
def test_dense_and_sparse_sources_of_the_same_numbers_give_the_same_block(
    in_both_forms, gathered, standardised_of, problem
):
    (one, its_columns, _), (other, other_columns, _) = (
        gathered(m, *problem[1:]) for m in in_both_forms(problem[0])
    )
    assert_array_equal(np.sort(its_columns), np.sort(other_columns))
    one, other = (
        standardised_of(block)[:, np.argsort(columns)]
        for block, columns in [(one, its_columns), (other, other_columns)]
    )
    size = size_of(problem[0][problem[1]][:, np.sort(its_columns)], one)
    assert (np.abs(one - other) <= 16 * EPS * size).all()


def size_of(A, standardised):
    """Largest known number of each column, in the units of the block."""
    A = A.astype(np.float64)
    spread = np.fmax.reduce(A) - np.fmin.reduce(A)
    return np.fmax.reduce(np.abs(A)) * np.ptp(standardised, axis=0) / spread


@given(problems())
def test_whole_counts_as_weights_are_repeated_rows(in_both_forms, gathered, standardised_of, problem):
    A, rows, _, power, importance = problem
    counts = np.random.default_rng(len(rows)).integers(1, 5, len(rows))
    for matrix in in_both_forms(A):
        counted, columns, _ = gathered(matrix, rows, counts, power, importance)
        copied, copied_columns, _ = gathered(matrix, np.repeat(rows, counts), None, power, importance)
        assert_array_equal(columns, copied_columns)
        counted, copied = np.repeat(standardised_of(counted), counts, axis=0), standardised_of(copied)
        size = size_of(A[rows][:, columns], copied)
        assert (np.abs(counted - copied) <= 16 * EPS * size).all()


@given(problems())
def test_a_workspace_is_clean_after_use_and_serves_the_next_node(in_both_forms, standardised_of, problem):
    A, rows, r, power, importance = problem
    half = len(rows) // 2
    for matrix in in_both_forms(A):
        workspace = make_workspace(matrix, np.arange(len(A), dtype=np.uint32), True)
        for part in (slice(None), slice(half + 1), slice(half, None), slice(None)):
            some, weights = rows[part].astype(np.uint32), r[part]
            n_active = measure(matrix, some, weights, 1, workspace)
            assert (workspace.slot == -1).all()
            set_scales(workspace, n_active, power, importance)
            block = gather(matrix, some, workspace, n_active)
            assert (workspace.slot == -1).all()
            columns = workspace.columns[:n_active].astype(np.int64)
            numbers = A[some].astype(np.float64)
            assert_is_twin(block, columns, standardised_of, numbers, weights, power, importance)
            if matrix.has_missing:
                assert_array_equal(listed_missing(block), np.isnan(numbers[:, columns]))


def test_without_unit_variance_features_keep_their_units(in_both_forms, gathered, standardised_of):
    rng = np.random.default_rng(0)
    A = (rng.random((30, 4)) < 0.2) * rng.normal(size=(30, 4)) * [1e-3, 1.0, 5.0, 1e4]
    for matrix in in_both_forms(A):
        block, columns, _ = gathered(matrix, power=0.0, unit_variance=False)
        assert_array_equal(np.sort(columns), np.arange(4))
        assert_allclose(standardised_of(block), (A - A.mean(axis=0))[:, columns], rtol=1e-4, atol=1e-9)
        # A power of 1 gives every column a variance of 1 by itself.
        one, other = (gathered(matrix, power=1.0, unit_variance=unit)[0] for unit in (True, False))
        assert_allclose(standardised_of(one), standardised_of(other), rtol=1e-5, atol=1e-7)


@given(problems(), st.integers(0, 5))
def test_gathering_the_first_columns_leaves_the_others_out(in_both_forms, standardised_of, problem, wanted):
    A, rows, r, power, importance = problem
    for matrix in in_both_forms(A):
        workspace = make_workspace(matrix, rows.astype(np.uint32), True)
        d = min(wanted, measure(matrix, rows.astype(np.uint32), r, 1, workspace))
        set_scales(workspace, d, power, importance)
        block = gather(matrix, rows.astype(np.uint32), workspace, d)
        columns = workspace.columns[:d].astype(np.int64)
        part = A[rows][:, columns].astype(np.float64)
        weights = importance[columns] if len(importance) else ()
        assert_is_twin(block, np.arange(d), standardised_of, part, r, power, weights)


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0])
def test_the_mean_variance_of_a_block_is_one_at_every_power(in_both_forms, gathered, standardised_of, power):
    rng = np.random.default_rng(1)
    A = rng.normal(3, 10.0 ** rng.integers(-2, 3, 7), (40, 7)) * (rng.random((40, 7)) < 0.5)
    r = rng.uniform(0.5, 2, 40)
    for matrix in in_both_forms(A):
        Z = standardised_of(gathered(matrix, None, r, power)[0])
        assert_allclose(np.average(Z, axis=0, weights=r), 0, atol=8 * EPS * np.abs(Z).max())
        assert_allclose(np.average(Z**2, axis=0, weights=r).mean(), 1, rtol=8 * EPS)


def far_from_zero(n, n_missing, offset=1e6):
    """One column far from zero, first of all missing, among columns that are mostly zero."""
    rng = np.random.default_rng(n)
    A = rng.normal(size=(n, 10)) * (rng.random((n, 10)) < 0.1)
    A[:, 3] = offset + rng.normal(size=n)
    A[:n_missing, 3] = np.nan
    A[n - n_missing // 2 :, 3] = np.nan
    return A.astype(np.float32)


FAR = pytest.mark.parametrize(("n", "n_missing"), [(10, 0), (300, 0), (10, 3), (300, 1), (300, 100)])


@FAR
@pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
def test_variances_of_columns_far_from_zero_are_exact(in_both_forms, gathered, form, n, n_missing):
    A = far_from_zero(n, n_missing)
    _, columns, workspace = gathered(in_both_forms(A)[form])
    place = list(columns).index(3)
    column = A[~np.isnan(A[:, 3]), 3].astype(np.float64)
    assert_allclose(workspace.variance[place], column.var(), rtol=EPS)
    assert_allclose(workspace.mean[place], column.mean(), rtol=0, atol=EPS * column.std())


@FAR
@pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
def test_columns_far_from_zero_are_standardised_to_float32_precision(
    in_both_forms, gathered, standardised_of, form, n, n_missing
):
    A = far_from_zero(n, n_missing)
    block, columns, _ = gathered(in_both_forms(A)[form])
    assert_is_twin(block, columns, standardised_of, A.astype(np.float64), np.ones(n), forgiving=False)


@pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
@given(st.floats(-100, 100, width=32, allow_subnormal=False), st.integers(1, 400), st.integers(0, 99))
@example(29.81083106994629, 344, 0)
@example(0.10000000149011612, 399, 7)
def test_a_constant_column_is_dropped_whatever_its_value_and_the_weights(in_both_forms, form, value, n, seed):
    rng = np.random.default_rng(seed)
    r = rng.uniform(0.1, 3, n) if seed % 2 else np.ones(n)
    # What is known of it, where values are missing.
    missing = rng.random((n, 1)) < (0.0 if seed % 4 < 2 else 0.5)
    matrix = in_both_forms(np.where(missing, np.nan, value))[form]
    rows = np.arange(n, dtype=np.uint32)
    workspace = make_workspace(matrix, rows, True)
    assert measure(matrix, rows, r.astype(np.float32), 1, workspace) == 0


@pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
@given(st.floats(0.0625, 64, width=32), st.integers(2, 200), st.integers(0, 199))
def test_a_column_in_which_one_row_differs_in_the_last_bit_varies(
    in_both_forms, gathered, form, value, n, odd
):
    A = np.full((n, 1), value, np.float32)
    A[odd % n] = np.nextafter(np.float32(value), np.float32(np.inf))
    block, _, _ = gathered(in_both_forms(A)[form])
    assert block.n_columns == 1


def test_a_node_without_varying_columns_has_an_empty_block(in_both_forms, gathered):
    for matrix in in_both_forms(np.tile([0.0, 2.0, -1.0], (5, 1))):
        block, columns, _ = gathered(matrix)
        assert (block.n_rows, block.n_columns, len(columns)) == (5, 0, 0)


def test_a_mostly_zero_node_stays_sparse_and_a_mostly_full_one_becomes_dense(sparse, gathered):
    rng = np.random.default_rng(0)
    A = rng.normal(size=(50, 40))
    assert gathered(sparse(A))[0].is_dense
    thin, _, _ = gathered(sparse(A * (rng.random(A.shape) < 0.05)))
    assert not thin.is_dense
    assert len(thin.data) < 0.1 * 50 * 40


@given(problems(has_missing=False), st.integers(0, 30), st.integers(0, 30))
def test_a_range_of_rows_is_a_view_of_its_block(blocks_of, problem, one, other):
    A = problem[0]
    start, stop = sorted((min(one, len(A)), min(other, len(A))))
    for block in blocks_of(A, A.mean(axis=0)):
        part = row_range(block, start, stop)
        assert (part.n_rows, part.n_columns) == (stop - start, A.shape[1])
        out, whole = np.empty(stop - start, np.float32), np.empty(len(A), np.float32)
        ones = np.ones(A.shape[1], np.float32)
        project(part, ones, out)
        project(block, ones, whole)
        size = (np.abs(A) + np.abs(A.mean(axis=0))).sum(axis=1)[start:stop]
        assert (np.abs(out - whole[start:stop]) <= 8 * EPS * size).all()
        if stop > start and block.is_dense:
            assert np.shares_memory(part.values, block.values)
        assert part.data.shape == block.data.shape


@given(problems(), st.integers(1, 8))
def test_sparse_columns_of_little_support_are_passed_over(
    sparse, gathered, standardised_of, problem, support
):
    A, rows, r, _, _ = problem
    block, columns, workspace = gathered(sparse(A), rows, r, min_support=support)
    part = A[rows].astype(np.float64)
    supported = ((part != 0) & ~np.isnan(part)).sum(axis=0) >= support
    assert_is_twin(block, columns, standardised_of, np.where(supported, part, 0.0), r)
    assert (workspace.slot == -1).all()


# ---- missing values


@given(problems())
def test_missing_values_are_listed_where_asked_for_and_there_are_any(in_both_forms, problem):
    A, rows, r, power, importance = problem
    rows = rows.astype(np.uint32)
    for matrix in in_both_forms(A):
        assert matrix.has_missing == np.isnan(A).any()
        for lists_missing in (False, True):
            workspace = make_workspace(matrix, rows, lists_missing)
            d = measure(matrix, rows, r, 1, workspace)
            set_scales(workspace, d, power, importance)
            block = gather(matrix, rows, workspace, d)
            if lists_missing and matrix.has_missing:
                expected = np.isnan(A[rows][:, workspace.columns[:d].astype(np.int64)])
                assert_array_equal(listed_missing(block), expected)
                assert len(block.missing_indices) == expected.sum()
            else:
                assert len(block.missing_indices) == 0
                assert len(block.missing_indptr) == 0


@given(problems(), st.integers(0, 30), st.integers(0, 30))
def test_a_range_of_rows_keeps_its_missing_values_and_its_numbers(
    in_both_forms, gathered, standardised_of, problem, one, other
):
    A, rows, r, power, importance = problem
    start, stop = sorted((min(one, len(rows)), min(other, len(rows))))
    for matrix in in_both_forms(A):
        if not matrix.has_missing:
            continue
        block, _, _ = gathered(matrix, rows, r, power, importance)
        part = row_range(block, start, stop)
        assert_array_equal(listed_missing(part), listed_missing(block)[start:stop])
        row = np.empty(block.n_columns, np.float32)
        for i in range(stop - start):
            copy_row(part, i, row)
            # Sparse blocks give the difference of two rounded numbers.
            expected = standardised_of(block)[start + i].astype(np.float32)
            assert_array_equal(row, expected)


@pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
@pytest.mark.parametrize("known", [[], [3.0], [0.0], [2.5, 2.5, 2.5], [0.0, 0.0], [-1e6, -1e6]])
@pytest.mark.parametrize("others", [0, 30])
def test_columns_whose_known_values_do_not_differ_are_left_out(in_both_forms, gathered, form, known, others):
    n = 6
    A = np.zeros((n, 2 + others))
    A[:, 0] = np.arange(n)
    A[:, 1] = [np.nan] * (n - len(known)) + known
    for order in (np.arange(n), np.arange(n)[::-1]):
        _, columns, _ = gathered(in_both_forms(A[order])[form])
        assert_array_equal(columns, [0])


@pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
@pytest.mark.parametrize("known", [[0.0, 3.0], [1.0, 2.0, 0.0], [1e6, 1e6 + 1]])
def test_two_known_values_that_differ_make_a_column_vary(in_both_forms, gathered, form, known):
    A = np.full((9, 1), np.nan)
    A[4 : 4 + len(known), 0] = known
    block, columns, workspace = gathered(in_both_forms(A)[form])
    assert_array_equal(columns, [0])
    assert_allclose(workspace.mean[0], np.mean(known), rtol=1e-15)
    assert_allclose(workspace.variance[0], np.var(known), rtol=1e-12)
    assert len(block.missing_indices) == 9 - len(known)


@pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
@pytest.mark.parametrize("heavy", [1e4, 1e8])
def test_the_weight_of_rows_in_which_a_column_is_missing_does_not_reach_its_moments(
    in_both_forms, gathered, form, heavy
):
    # Weights in the range that `fit` accepts; the rows that know the column are the light ones.
    A = np.zeros((8, 3))
    A[:, 0] = np.arange(8)
    A[:4, 1] = np.nan
    A[4:, 1] = [1.0, 0.0, 3.0, 0.0]
    r = np.array([heavy] * 4 + [1.0, 2.0, 3.0, 1e-3])
    _, columns, workspace = gathered(in_both_forms(A)[form], None, r)
    place = list(columns).index(1)
    light = r[4:].astype(np.float32).astype(np.float64)
    mean = np.average(A[4:, 1], weights=light)
    assert_allclose(workspace.mean[place], mean, rtol=1e-6)
    assert_allclose(workspace.variance[place], np.average((A[4:, 1] - mean) ** 2, weights=light), rtol=1e-6)


@given(problems(), st.integers(0, 2**32 - 1))
def test_moments_stay_sound_under_any_weights_that_fit_accepts(in_both_forms, gathered, problem, seed):
    A, rows, _, power, importance = problem
    r = 10.0 ** np.random.default_rng(seed).uniform(-12, 12, len(rows))
    for matrix in in_both_forms(A):
        block, columns, workspace = gathered(matrix, rows, r, power, importance)
        part = A[rows][:, columns].astype(np.float64)
        lowest, highest = np.fmin.reduce(part), np.fmax.reduce(part)
        spread = highest - lowest
        assert (spread > 0).all()
        mean, variance = workspace.mean[: len(columns)], workspace.variance[: len(columns)]
        assert (mean >= lowest - 1e-6 * spread).all()
        assert (mean <= highest + 1e-6 * spread).all()
        assert (variance > 0).all()
        assert (variance <= spread**2).all()
        assert np.isfinite(block.values if block.is_dense else block.data).all()
