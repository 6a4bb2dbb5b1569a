"""Claims about a node's block: which columns it holds, and how they are standardised."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from slantwood.kernels.block import gather, make_workspace, measure, row_range, set_scales
from slantwood.kernels.products import project

pytestmark = pytest.mark.plain_python

EPS = float(np.finfo(np.float32).eps)
NO_IMPORTANCE = np.empty(0, np.float32)


def twin_moments(A, r):
    """Weighted mean and variance of the columns that vary, by column number."""
    varies = np.flatnonzero(A.min(axis=0) < A.max(axis=0))
    mean = np.average(A[:, varies], axis=0, weights=r)
    variance = np.average((A[:, varies] - mean) ** 2, axis=0, weights=r)
    return varies, mean, variance


def twin_block(A, r, power, importance):
    """The standardised columns that vary, by column number."""
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
        # Rounding is relative to the numbers that are subtracted from one another, in the block's units.
        values, z = A[:, column], expected[:, j]
        size = np.abs(z).max() + (np.abs(values).max() * np.ptp(z) / np.ptp(values) if forgiving else 0.0)
        assert_allclose(found[:, j], z, rtol=0, atol=8 * EPS * size)


@st.composite
def problems(draw):
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
        room = make_workspace(matrix, rows.astype(np.uint32))
        n_active = measure(matrix, rows.astype(np.uint32), r, 1, room)
        order = np.argsort(room.columns[:n_active])
        assert_array_equal(room.columns[:n_active][order], varies)
        spread = np.sqrt(variance)
        assert (np.abs(room.mean[:n_active][order] - mean) <= 1e-12 * (np.abs(mean) + spread)).all()
        assert_allclose(room.variance[:n_active][order], variance, rtol=1e-10)


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
    A = problem[0][problem[1]][:, np.sort(its_columns)].astype(np.float64)
    size = np.abs(A).max(axis=0) * np.ptp(one, axis=0) / np.ptp(A, axis=0)
    assert (np.abs(one - other) <= 16 * EPS * size).all()


@given(problems())
def test_whole_counts_as_weights_are_repeated_rows(in_both_forms, gathered, standardised_of, problem):
    A, rows, _, power, importance = problem
    counts = np.random.default_rng(len(rows)).integers(1, 5, len(rows))
    for matrix in in_both_forms(A):
        counted, columns, _ = gathered(matrix, rows, counts, power, importance)
        copied, copied_columns, _ = gathered(matrix, np.repeat(rows, counts), None, power, importance)
        assert_array_equal(columns, copied_columns)
        counted, copied = np.repeat(standardised_of(counted), counts, axis=0), standardised_of(copied)
        part = A[rows][:, columns].astype(np.float64)
        size = np.abs(part).max(axis=0) * np.ptp(copied, axis=0) / np.ptp(part, axis=0)
        assert (np.abs(counted - copied) <= 16 * EPS * size).all()


@given(problems())
def test_a_workspace_is_clean_after_use_and_serves_the_next_node(sparse, standardised_of, problem):
    A, rows, r, power, importance = problem
    matrix = sparse(A)
    room = make_workspace(matrix, np.arange(len(A), dtype=np.uint32))
    half = rows[: (len(rows) + 1) // 2]
    for some, weights in [(rows, r), (half, r[: len(half)])]:
        some = some.astype(np.uint32)
        n_active = measure(matrix, some, weights, 1, room)
        assert (room.slot == -1).all()
        set_scales(room, n_active, power, importance)
        block = gather(matrix, some, room, n_active)
        assert (room.slot == -1).all()
        columns = room.columns[:n_active].astype(np.int64)
        part = A[some].astype(np.float64)
        assert_is_twin(block, columns, standardised_of, part, weights, power, importance)


@given(problems(), st.integers(0, 5))
def test_gathering_the_first_columns_leaves_the_others_out(in_both_forms, standardised_of, problem, wanted):
    A, rows, r, power, importance = problem
    for matrix in in_both_forms(A):
        room = make_workspace(matrix, rows.astype(np.uint32))
        d = min(wanted, measure(matrix, rows.astype(np.uint32), r, 1, room))
        set_scales(room, d, power, importance)
        block = gather(matrix, rows.astype(np.uint32), room, d)
        columns = room.columns[:d].astype(np.int64)
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


def far_from_zero(n, offset=1e6):
    """One column far from zero among columns that are mostly zero."""
    rng = np.random.default_rng(n)
    A = rng.normal(size=(n, 10)) * (rng.random((n, 10)) < 0.1)
    A[:, 3] = offset + rng.normal(size=n)
    return A.astype(np.float32)


@pytest.mark.parametrize("n", [10, 300])
@pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
def test_variances_of_columns_far_from_zero_are_exact(in_both_forms, gathered, form, n):
    A = far_from_zero(n)
    _, columns, room = gathered(in_both_forms(A)[form])
    place = list(columns).index(3)
    column = A[:, 3].astype(np.float64)
    assert_allclose(room.variance[place], column.var(), rtol=EPS)
    assert_allclose(room.mean[place], column.mean(), rtol=0, atol=EPS * column.std())


@pytest.mark.parametrize("n", [10, 300])
@pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
def test_columns_far_from_zero_are_standardised_to_float32_precision(
    in_both_forms, gathered, standardised_of, form, n
):
    A = far_from_zero(n)
    block, columns, _ = gathered(in_both_forms(A)[form])
    assert_is_twin(block, columns, standardised_of, A.astype(np.float64), np.ones(n), forgiving=False)


@pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
@given(st.floats(-100, 100, width=32, allow_subnormal=False), st.integers(1, 400), st.integers(0, 99))
@example(29.81083106994629, 344, 0)
@example(0.10000000149011612, 399, 7)
def test_a_constant_column_is_dropped_whatever_its_value_and_the_weights(in_both_forms, form, value, n, seed):
    matrix = in_both_forms(np.full((n, 1), value))[form]
    rows = np.arange(n, dtype=np.uint32)
    r = np.random.default_rng(seed).uniform(0.1, 3, n) if seed % 2 else np.ones(n)
    room = make_workspace(matrix, rows)
    assert measure(matrix, rows, r.astype(np.float32), 1, room) == 0


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


@given(problems(), st.integers(0, 30), st.integers(0, 30))
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
    block, columns, room = gathered(sparse(A), rows, r, min_support=support)
    part = A[rows].astype(np.float64)
    supported = np.count_nonzero(part, axis=0) >= support
    assert_is_twin(block, columns, standardised_of, np.where(supported, part, 0.0), r)
    assert (room.slot == -1).all()
