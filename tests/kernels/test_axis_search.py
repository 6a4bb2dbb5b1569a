"""Claims about the search for the best threshold of a single feature."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from slantwood.kernels import axis_search

# Its only line runs in Python, so that the kernel which it calls is compiled once for these tests and those
# of limits.
best_feature = getattr(axis_search.best_feature, "py_func", axis_search.best_feature)

SEEDS = st.integers(0, 2**32 - 1)
FORMS = pytest.mark.parametrize(
    ("x_form", "z_form"), [(0, 0), (0, 1), (1, 0), (1, 1)], ids=["dense", "sparse Z", "sparse X", "sparse"]
)

pytestmark = pytest.mark.compiles


def gain_of(right, Z, r):
    """|sum_left r z|^2 / (left (N - left)) of centred attributes, from its definition."""
    left = r[~right].sum()
    if not 0 < left < r.sum():
        return -1.0
    return ((r[~right, None] * Z[~right]).sum(axis=0) ** 2).sum() / (left * (r.sum() - left))


def best_gain(X, Z, r):
    """Over every feature and every pair of neighbouring values."""
    gains = [-1.0]
    for column in X.T:
        values = np.unique(column)
        gains += [gain_of(column >= value, Z, r) for value in values[1:]]
    return max(gains)


def stream(seed):
    return np.array([seed | 1], np.uint64)


def node(rng, n, d, k, levels):
    """Features of few or many values, half of them zeros, attributes and weights."""
    X = rng.integers(-levels, levels + 1, (n, d)) / 8.0 * (rng.random((n, d)) < 0.5)
    r = rng.integers(1, 4, n).astype(np.float64)
    Z = rng.integers(0, 3, (n, k)) * 1.0
    return X.astype(np.float32), Z, r


@pytest.mark.plain_python
@FORMS
@given(
    n=st.integers(2, 30),
    d=st.integers(1, 4),
    k=st.integers(1, 3),
    levels=st.sampled_from([1, 3, 1000]),
    seed=SEEDS,
)
def test_the_best_cut_of_any_small_node_is_found(
    blocks_of, standardised_of, x_form, z_form, n, d, k, levels, seed
):
    X, Z, r = node(np.random.default_rng(seed), n, d, k, levels)
    mean = np.average(Z, axis=0, weights=r)
    x, z = blocks_of(X, X.mean(axis=0))[x_form], blocks_of(Z, mean)[z_form]
    feature, cut, gain = best_feature(x, z, r.astype(np.float32), False, stream(seed))
    best = best_gain(X, Z - mean, r)
    if best < 0:
        assert feature == -1
        return
    right = standardised_of(x)[:, feature] >= cut
    # Means of Z are rounded to float32.
    assert_allclose([gain_of(right, Z - mean, r), gain], best, rtol=1e-5, atol=1e-6)


@pytest.mark.plain_python
@pytest.mark.parametrize("x_form", [0, 1], ids=["dense", "sparse"])
@given(n=st.integers(2, 30), d=st.integers(1, 4), levels=st.sampled_from([1, 3, 1000]), seed=SEEDS)
def test_random_cuts_lie_within_the_values_and_the_best_of_them_is_taken(
    blocks_of, standardised_of, x_form, n, d, levels, seed
):
    X, Z, r = node(np.random.default_rng(seed), n, d, 2, levels)
    mean = np.average(Z, axis=0, weights=r)
    x, z = blocks_of(X)[x_form], blocks_of(Z, mean)[0]
    feature, cut, gain = best_feature(x, z, r.astype(np.float32), True, stream(seed))
    if np.ptp(X, axis=0).max() == 0:
        assert feature == -1
        return
    values = standardised_of(x)[:, feature]
    assert values.min() < cut <= values.max()
    assert_allclose(gain, gain_of(values >= cut, Z - mean, r), rtol=1e-4, atol=1e-6)


def test_random_cuts_are_spread_evenly_over_the_range(blocks_of):
    x = blocks_of(np.array([[0.0], [4.0], [1.0]]))[0]
    z = blocks_of(np.array([[1.0], [-1.0], [0.0]]))[0]
    state = stream(88172645463325252)
    cuts = np.array([best_feature(x, z, np.ones(3, np.float32), True, state)[1] for _ in range(4000)])
    counts = np.histogram(cuts, bins=8, range=(0, 4))[0]
    assert (abs(counts - 500) < 5 * np.sqrt(500)).all()


@settings(max_examples=10)
@given(k=st.sampled_from([1, 3]), skew=st.sampled_from([1.0, 3.0]), seed=SEEDS)
def test_a_histogram_finds_the_cut_that_sorting_finds(blocks_of, k, skew, seed):
    # A planted step in one of three features: with very many rows, all cuts near it are about as good.
    rng = np.random.default_rng(seed)
    n = 3 * axis_search._MANY_ROWS
    X = rng.normal(size=(n, 3)) ** 3 if skew > 1 else rng.normal(size=(n, 3))
    Z = (X[:, [1]] > rng.uniform(-1, 1)) + rng.normal(scale=0.5, size=(n, k))
    r = rng.integers(1, 3, n).astype(np.float32)
    Z -= np.average(Z, axis=0, weights=r)
    x, z = blocks_of(X)[0], blocks_of(Z)
    found = [best_feature(x, form, r, False, stream(seed)) for form in z]  # a sparse Z is never binned
    assert found[0][0] == found[1][0] == 1
    gains = [gain_of(X[:, 1].astype(np.float32) >= cut, Z, r.astype(np.float64)) for _, cut, _ in found]
    assert_allclose(gains[0], gains[1], rtol=1e-3)


def test_weights_decide_the_cut_of_very_many_rows(blocks_of):
    # Most rows have their step at -0.5, but those that weigh more, at 0.5.
    rng = np.random.default_rng(0)
    n = 3 * axis_search._MANY_ROWS
    X = rng.normal(size=(n, 1))
    heavy = rng.random(n) < 0.2
    r = np.where(heavy, 50.0, 1.0).astype(np.float32)
    Z = (np.where(heavy, 0.5, -0.5)[:, None] < X) * 1.0
    Z -= np.average(Z, axis=0, weights=r)
    _, cut, _ = best_feature(blocks_of(X)[0], blocks_of(Z)[0], r, False, stream(1))
    assert abs(cut - 0.5) < 0.01
    _, cut, _ = best_feature(blocks_of(X)[0], blocks_of(Z - Z.mean())[0], np.ones_like(r), False, stream(1))
    assert abs(cut + 0.5) < 0.01


def test_equal_features_are_chosen_equally_often(blocks_of):
    x = blocks_of(np.repeat(np.arange(6.0)[:, None], 3, axis=1))[0]
    z = blocks_of(np.array([[-1.0]] * 3 + [[1.0]] * 3))[0]
    state = stream(88172645463325252)
    chosen = [best_feature(x, z, np.ones(6, np.float32), False, state)[0] for _ in range(3000)]
    assert (abs(np.bincount(chosen) - 1000) < 5 * np.sqrt(1000)).all()


@FORMS
def test_attributes_with_missing_values_count_by_what_is_known(
    gathered, standardised_of, dense, sparse, x_form, z_form
):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)) * (rng.random((60, 3)) < 0.6)
    Y = np.where(X[:, [2]] > 0.1, 1.0, 0.0) + np.zeros((1, 2))
    Y[rng.random(Y.shape) < 0.4] = np.nan
    x, columns, _ = gathered((dense, sparse)[x_form](X))
    z = gathered((dense, sparse)[z_form](Y))[0]
    feature, cut, _ = best_feature(x, z, np.ones(60, np.float32), False, stream(1))
    assert columns[feature] == 2
    known = ~np.isnan(Y[:, 0])
    assert ((standardised_of(x)[:, feature] >= cut)[known] == (Y[known, 0] == 1)).all()
