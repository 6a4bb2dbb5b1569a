"""Claims about the two ways to cut a line of projected rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

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
        cut, found = best_threshold(projections, Z, r)
        assert found == (len(distinct) > 1)
        if found:
            attributes = standardised_of(Z)
            every = [removed(projections, attributes, r, c) for c in distinct[1:]]
            # Running float32 sums of n terms; the impurity of the whole is their scale.
            allowed = 4 * n * EPS * impurity(attributes, r)
            assert removed(projections, attributes, r, cut) >= max(every) - allowed


@given(*PROBLEM)
def test_the_cut_is_halfway_between_two_neighbours(blocks_of, n, k, levels, seed):
    projections, blocks, r = cutting_problem(blocks_of, n, k, levels, seed)
    distinct = np.unique(projections)
    for Z in blocks:
        cut, found = best_threshold(projections, Z, r)
        if found:
            place = np.searchsorted(distinct, cut)
            assert cut == (distinct[place - 1] + distinct[place]) / 2


@pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
@pytest.mark.parametrize("place", [1, 2, 9, 18, 19])
def test_a_planted_step_is_found_where_it_is(blocks_of, form, place):
    projections = np.random.default_rng(place).permutation(20).astype(np.float32)
    step = (projections >= place).astype(np.float32)[:, None]
    Z = blocks_of(step, step.mean(axis=0))[form]
    assert best_threshold(projections, Z, np.ones(20, np.float32)) == (place - 0.5, True)


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
        cut, found = best_threshold(projections, Z, np.ones(n, np.float32))
        assert found
        assert value < cut <= above


@given(st.floats(-1024, 1024, width=32), st.integers(1, 9))
def test_equal_projections_cannot_be_cut(blocks_of, value, n):
    stored = np.arange(n, dtype=np.float32)[:, None]
    for Z in blocks_of(stored, stored.mean(axis=0)):
        _, found = best_threshold(np.full(n, value, np.float32), Z, np.ones(n, np.float32))
        assert not found


def test_an_even_number_of_rows_has_its_median_halfway():
    assert_allclose(weighted_median(np.array([4, 1, 2, 8], np.float32), np.ones(4, np.float32)), 3.0, rtol=0)
