"""Claims about the two ways to cut a line of projected rows."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from slantwood.kernels.block import row_range
from slantwood.kernels.thresholds import best_threshold, weighted_median

pytestmark = pytest.mark.plain_python

EPS = float(np.finfo(np.float32).eps)
SEEDS = st.integers(0, 2**32 - 1)
# Few levels make ties, many make none.
LEVELS = st.sampled_from([2, 4, 1000])


def projections_of(rng, n, levels):
    return (rng.integers(-levels, levels + 1, n) / np.float32(8)).astype(np.float32)


@given(st.integers(1, 25), LEVELS, SEEDS)
def test_the_median_under_whole_weights_is_that_of_repeated_rows(n, levels, seed):
    rng = np.random.default_rng(seed)
    values, counts = projections_of(rng, n, levels), rng.integers(1, 6, n)
    found = weighted_median(values, counts.astype(np.float32))
    assert found == np.median(np.repeat(values.astype(np.float64), counts))


@given(st.integers(1, 25), LEVELS, SEEDS)
def test_no_side_of_the_median_holds_more_than_half_of_the_weight(n, levels, seed):
    rng = np.random.default_rng(seed)
    values, r = projections_of(rng, n, levels), rng.uniform(0.1, 5, n).astype(np.float32)
    middle = weighted_median(values, r)
    half = r.astype(np.float64).sum() / 2 * (1 + 1e-12)
    assert r[values < middle].astype(np.float64).sum() <= half
    assert r[values > middle].astype(np.float64).sum() <= half


@given(st.integers(1, 25), LEVELS, SEEDS)
def test_the_median_does_not_depend_on_the_order_of_rows(n, levels, seed):
    rng = np.random.default_rng(seed)
    values, r = projections_of(rng, n, levels), rng.integers(1, 6, n).astype(np.float32)
    order = rng.permutation(n)
    assert weighted_median(values, r) == weighted_median(values[order], r[order])


def impurity(Z, r):
    """Weighted sum of squared distances from the mean."""
    return (r[:, None] * (Z - np.average(Z, axis=0, weights=r)) ** 2).sum() if len(Z) else 0.0


def removed(projections, Z, r, cut):
    """Impurity that a cut removes, from its definition."""
    right = projections >= cut
    return impurity(Z, r) - impurity(Z[right], r[right]) - impurity(Z[~right], r[~right])


def cutting_problem(blocks_of, n, k, levels, seed):
    """Projections, both blocks of the same attributes (centred under the weights), and the weights."""
    rng = np.random.default_rng(seed)
    projections = projections_of(rng, n, levels)
    r = rng.uniform(0.2, 4, n).astype(np.float32) if seed % 2 else np.ones(n, np.float32)
    stored = rng.normal(size=(n, k)) * (rng.random((n, k)) < 0.5)
    stored[rng.random(n) < 0.2] = 0.0
    return projections, blocks_of(stored, np.average(stored, axis=0, weights=r)), r


PROBLEM = (st.integers(2, 25), st.integers(1, 6), LEVELS, SEEDS)


@given(*PROBLEM)
def test_no_other_cut_removes_more_impurity(blocks_of, standardised_of, n, k, levels, seed):
    projections, blocks, r = cutting_problem(blocks_of, n, k, levels, seed)
    distinct = np.unique(projections)
    for Z in blocks:
        cut, gain = best_threshold(projections, Z, r)
        assert (gain >= 0) == (len(distinct) > 1)
        if gain >= 0:
            attributes = standardised_of(Z)
            every = [removed(projections, attributes, r, c) for c in distinct[1:]]
            # Running float32 sums of n terms; the impurity of the whole is their scale.
            allowed = 4 * n * EPS * impurity(attributes, r)
            best = removed(projections, attributes, r, cut)
            assert best >= max(every) - allowed
            assert abs(gain * r.sum() - best) <= allowed + 1e-5 * best


@given(*PROBLEM)
def test_the_cut_is_halfway_between_two_neighbours(blocks_of, n, k, levels, seed):
    projections, blocks, r = cutting_problem(blocks_of, n, k, levels, seed)
    distinct = np.unique(projections)
    assume(len(distinct) > 1)
    for Z in blocks:
        cut, gain = best_threshold(projections, Z, r)
        assert gain >= 0
        place = np.searchsorted(distinct, cut)
        assert 0 < place < len(distinct)
        assert cut == (distinct[place - 1] + distinct[place]) / 2


@pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
@pytest.mark.parametrize("place", [1, 2, 9, 18, 19])
def test_a_planted_step_is_found_where_it_is(blocks_of, form, place):
    projections = np.random.default_rng(place).permutation(20).astype(np.float32)
    step = (projections >= place).astype(np.float32)[:, None]
    Z = blocks_of(step, step.mean(axis=0))[form]
    cut, gain = best_threshold(projections, Z, np.ones(20, np.float32))
    assert cut == place - 0.5
    assert gain > 0


def test_weights_move_the_cut_like_repeated_rows(blocks_of):
    rng = np.random.default_rng(4)
    for _ in range(20):
        n = 12
        projections, counts = rng.permutation(n).astype(np.float32), rng.integers(1, 5, n)
        stored = rng.normal(size=(n, 2))
        mean = np.average(stored, axis=0, weights=counts)
        for counted, copied in zip(
            blocks_of(stored, mean), blocks_of(np.repeat(stored, counts, axis=0), mean), strict=True
        ):
            one, _ = best_threshold(projections, counted, counts.astype(np.float32))
            other, _ = best_threshold(
                np.repeat(projections, counts), copied, np.ones(counts.sum(), np.float32)
            )
            assert one == other


@given(st.floats(-1024, 1024, width=32, allow_subnormal=False), st.integers(2, 9))
def test_neighbouring_float32_projections_are_told_apart(blocks_of, value, n):
    value = np.float32(value)
    above = np.nextafter(value, np.float32(np.inf))
    projections = np.array([value] * (n - 1) + [above], np.float32)
    step = (projections == above).astype(np.float32)[:, None]
    for Z in blocks_of(step, step.mean(axis=0)):
        cut, gain = best_threshold(projections, Z, np.ones(n, np.float32))
        assert gain > 0
        assert value < cut <= above


@given(st.floats(-1024, 1024, width=32), st.integers(1, 9))
def test_equal_projections_cannot_be_cut(blocks_of, value, n):
    stored = np.arange(n, dtype=np.float32)[:, None]
    for Z in blocks_of(stored, stored.mean(axis=0)):
        _, gain = best_threshold(np.full(n, value, np.float32), Z, np.ones(n, np.float32))
        assert gain < 0


def test_an_even_number_of_rows_has_its_median_halfway():
    assert_allclose(weighted_median(np.array([4, 1, 2, 8], np.float32), np.ones(4, np.float32)), 3.0, rtol=0)


# ---- missing values


def missing_of(block):
    """Mask of the cells that a block lists as missing."""
    missing = np.zeros((block.n_rows, block.n_columns), bool)
    for i in range(block.n_rows):
        missing[i, block.missing_indices[block.missing_indptr[i] : block.missing_indptr[i + 1]]] = True
    return missing


def gain_over_known(projections, Z, missing, r, cut):
    """Impurity that a cut removes from each attribute among the rows that know it, added up."""
    return sum(
        removed(projections[known], Z[known, j][:, None], r[known], cut)
        for j in range(Z.shape[1])
        for known in [~missing[:, j]]
    )


def problem_with_missing(in_both_forms, gathered, n, k, levels, seed):
    """Projections, blocks of attributes of which some values are missing, and weights."""
    rng = np.random.default_rng(seed)
    r = rng.uniform(0.2, 4, n).astype(np.float32) if seed % 2 else np.ones(n, np.float32)
    A = rng.normal(size=(n, k)) * (rng.random((n, k)) < rng.choice([0.15, 0.6]))
    A[rng.random((n, k)) < rng.choice([0.05, 0.3, 0.7])] = np.nan
    A[rng.random(n) < 0.1] = np.nan
    A[rng.integers(n)] = np.nan
    blocks = [gathered(matrix, None, r)[0] for matrix in in_both_forms(A)]
    return projections_of(rng, n, levels), blocks, r


@given(*PROBLEM)
def test_no_other_cut_removes_more_impurity_from_what_is_known(
    in_both_forms, gathered, standardised_of, n, k, levels, seed
):
    projections, blocks, r = problem_with_missing(in_both_forms, gathered, n, k, levels, seed)
    distinct = np.unique(projections)
    for Z in blocks:
        cut, gain = best_threshold(projections, Z, r)
        assert (gain >= 0) == (len(distinct) > 1)
        if gain >= 0:
            assert distinct[0] < cut <= distinct[-1]
            weights, values, missing = r.astype(np.float64), standardised_of(Z), missing_of(Z)
            every = [gain_over_known(projections, values, missing, weights, c) for c in distinct[1:]]
            whole = (weights[:, None] * values**2).sum()
            # Sums in float64 of values that are centred up to the rounding of float32.
            centre = np.abs(weights @ values).max(initial=0.0) / weights.min()
            allowed = 1e-12 * whole + 8 * centre * np.abs(values).max(initial=0.0) * Z.n_columns
            found_gain = gain_over_known(projections, values, missing, weights, cut)
            assert found_gain >= max(every) - allowed
            assert abs(gain - found_gain) <= allowed + 1e-5 * found_gain


@given(*PROBLEM)
def test_with_nothing_missing_both_ways_to_the_best_cut_agree(in_both_forms, gathered, n, k, levels, seed):
    # The last row, of no weight in any attribute, has missing values and lies beyond all others.
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, k)) * (rng.random((n, k)) < 0.5)
    A[0], A[1] = 1.0, -1.0
    projections = projections_of(rng, n, levels)
    if len(np.unique(projections)) == 1:
        return
    for whole, more in zip(in_both_forms(A), in_both_forms(np.vstack([A, np.full(k, np.nan)])), strict=True):
        Z, _, _ = gathered(whole)
        Z_more, _, _ = gathered(more)
        ones = np.ones(n + 1, np.float32)
        assert len(Z_more.missing_indices) == k
        cut, _ = best_threshold(projections, Z, ones[:n])
        beyond = np.append(projections, projections.max())
        same, _ = best_threshold(beyond, Z_more, ones)
        if cut != same:  # equally good but for rounding
            values = A.astype(np.float32).astype(np.float64)
            values = (values - values.mean(axis=0)) / values.std(axis=0)
            one, other = (removed(projections, values, ones[:n], c) for c in (cut, same))
            assert abs(one - other) <= 4 * n * EPS * impurity(values, ones[:n])
        # A range of rows none of which misses anything is cut as well.
        part, _ = best_threshold(projections, row_range(Z_more, 0, n), ones[:n])
        assert part == same


@pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
@pytest.mark.parametrize("place", [2, 9, 18])
def test_a_planted_step_is_found_from_the_rows_that_know_it(in_both_forms, gathered, form, place):
    rng = np.random.default_rng(place)
    projections = rng.permutation(20).astype(np.float32)
    step = (projections >= place).astype(np.float32)[:, None]
    step[~np.isin(projections, [0, place - 1, place, 19])] = np.nan
    rest = np.zeros((20, 12))  # so that the sparse block stays sparse
    Z, _, _ = gathered(in_both_forms(np.hstack([step, rest]))[form])
    cut, gain = best_threshold(projections, Z, np.ones(20, np.float32))
    assert cut == place - 0.5
    assert gain > 0
