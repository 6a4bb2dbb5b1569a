"""Claims about splits that must leave enough rows on both sides: the best of them are found."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from slantwood.kernels import axis_search
from slantwood.kernels.axis_search import best_allowed_feature
from slantwood.kernels.leaf_limits import LeafLimits, allows, allows_sides
from slantwood.kernels.thresholds import best_allowed_threshold

SEEDS = st.integers(0, 2**32 - 1)


def is_allowed(right, r, counts, min_samples, min_weight):
    sides = (right, ~right)
    return all(counts[s].sum() >= min_samples and r[s].sum() >= min_weight for s in sides)


def gain_of(right, Z, r):
    """|sum_left r z|^2 / (left (N - left)) of centred attributes, from its definition."""
    left = r[~right].sum()
    return ((r[~right, None] * Z[~right]).sum(axis=0) ** 2).sum() / (left * (r.sum() - left))


def best_gain(X, Z, r, allowed):
    """Over every feature and every pair of neighbouring values whose cut is allowed; -1 without any."""
    cuts = [column >= value for column in X.T for value in np.unique(column)[1:]]
    return max([gain_of(right, Z, r) for right in cuts if allowed(right)], default=-1.0)


def limited(rng, n):
    """Weights, counts and limits of a node, and whether a division of it is allowed."""
    counts = rng.integers(1, 4, n).astype(np.int32)
    r = counts * rng.choice([0.5, 1.0, 2.0], n)
    least = int(rng.integers(1, max(2, n // 2)))
    min_weight = float(rng.choice([0.0, 0.1, 0.3])) * r.sum()
    limits = LeafLimits(True, float(least), min_weight, counts, float(counts.sum()))
    return r, limits, lambda right: is_allowed(right, r, counts, least, min_weight)


@pytest.mark.plain_python
@given(st.integers(2, 12), SEEDS)
def test_both_sides_need_enough_rows_and_enough_weight(n, seed):
    rng = np.random.default_rng(seed)
    r, limits, allowed = limited(rng, n)
    right = rng.random(n) < 0.5
    assert allows_sides(limits, r.astype(np.float32), right, r.sum()) == allowed(right)
    assert allows(limits, r[right].sum(), limits.counts[right].sum(), r.sum()) == allowed(right)


@pytest.mark.plain_python
@pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
@given(n=st.integers(2, 25), k=st.integers(1, 3), levels=st.sampled_from([2, 5, 1000]), seed=SEEDS)
def test_no_other_allowed_cut_of_a_line_removes_more_impurity(blocks_of, form, n, k, levels, seed):
    rng = np.random.default_rng(seed)
    r, limits, allowed = limited(rng, n)
    Z = rng.integers(0, 3, (n, k)) * 1.0
    mean = np.average(Z, axis=0, weights=r)
    line = (rng.integers(-levels, levels + 1, n) / 8.0).astype(np.float32)
    cut, gain = best_allowed_threshold(line, blocks_of(Z, mean)[form], r.astype(np.float32), limits)
    best = best_gain(line[:, None], Z - mean, r, allowed)
    assert (gain >= 0) == (best >= 0)
    if gain >= 0:
        assert allowed(line >= cut)
        assert_allclose([gain_of(line >= cut, Z - mean, r), gain], best, rtol=1e-5, atol=1e-6)


@pytest.mark.plain_python
@pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
@pytest.mark.parametrize("at_random", [False, True])
@given(n=st.integers(2, 25), d=st.integers(1, 3), levels=st.sampled_from([2, 5, 1000]), seed=SEEDS)
@pytest.mark.compiles
def test_of_all_features_the_best_allowed_cut_is_taken(
    blocks_of, standardised_of, form, at_random, n, d, levels, seed
):
    rng = np.random.default_rng(seed)
    r, limits, allowed = limited(rng, n)
    X = (rng.integers(-levels, levels + 1, (n, d)) / 8.0 * (rng.random((n, d)) < 0.7)).astype(np.float32)
    Z = rng.integers(0, 3, (n, 2)) * 1.0
    mean = np.average(Z, axis=0, weights=r)
    x, z = blocks_of(X, X.mean(axis=0))[form], blocks_of(Z, mean)[0]
    state = np.array([seed | 1], np.uint64)
    feature, cut, gain = best_allowed_feature(x, z, r.astype(np.float32), at_random, state, limits)
    best = best_gain(X, Z - mean, r, allowed)
    if feature < 0:
        assert at_random or best < 0
        return
    right = standardised_of(x)[:, feature] >= cut
    assert allowed(right)
    if not at_random:
        assert_allclose([gain_of(right, Z - mean, r), gain], best, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("least", [1, 2000, 2500])
def test_histograms_of_many_rows_lead_to_the_best_allowed_cut(blocks_of, least):
    rng = np.random.default_rng(least)
    n = axis_search._MANY_ROWS + 904
    X = rng.normal(size=(n, 2)).astype(np.float32)
    Z = ((X[:, :1] > 1.5) + 0.1 * rng.normal(size=(n, 1))).astype(np.float32)
    Z -= Z.mean()
    counts = np.ones(n, np.int32)
    limits = LeafLimits(True, float(least), 0.0, counts, float(n))
    arguments = (blocks_of(X)[0], blocks_of(Z)[0], counts.astype(np.float32), False)
    feature, cut, _ = best_allowed_feature(*arguments, np.array([1], np.uint64), limits)
    assert feature == 0
    # The step lies at 1.5; where that leaves too few rows above it, as near to it as is allowed.
    n_above = (X[:, 0] >= cut).sum()
    assert n_above == max((X[:, 0] > 1.5).sum(), least)
