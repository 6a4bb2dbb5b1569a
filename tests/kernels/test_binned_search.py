"""Claims about the search for a feature by bins."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from slantwood.kernels.axis_search import best_allowed_feature
from slantwood.kernels.leaf_limits import LeafLimits
from slantwood.kernels.thresholds import best_allowed_threshold
from slantwood.splits.axis_parallel import AxisParallelSplit
from slantwood.splits.protocol import learn
from tests.sampling import examples

SEEDS = st.integers(0, 2**32 - 1)
BINNED = AxisParallelSplit(thresholds="binned").compiled()
ANY = LeafLimits(False, 0.0, 0.0, np.empty(0, np.int32), 0.0)


def stream(seed):
    return np.array([seed | 1], np.uint64)


def best_binned_feature(X, Z, weights, state, limits=ANY):
    """The feature, -1 where there is none, and the cut: by the learner, whose machine code is there."""
    w, b, found = learn(BINNED, X, Z, weights, state, limits)
    return (int(np.argmax(w)) if found else -1), -b


def gain_of(right, Z, r):
    """|sum_left r z|^2 / (left (N - left)) of centred attributes, from its definition."""
    r = r.astype(np.float64)
    left = r[~right].sum()
    return ((r[~right, None] * Z[~right]).sum(axis=0) ** 2).sum() / (left * (r.sum() - left))


def at_least(n_rows, n):
    return LeafLimits(True, float(n_rows), 0.0, np.ones(n, np.int32), float(n))


def block(gathered, dense, values, weights):
    return gathered(dense(values), weights=weights)[0]


def node(rng, n, d, k):
    X = rng.normal(size=(n, d))
    X[:, 0] = rng.integers(0, 2, n)  # of two values
    X[:, -1] **= 5  # with far tails
    Z = rng.normal(size=(n, k))
    return X, Z, rng.integers(1, 4, n).astype(np.float32)


@pytest.mark.plain_python
@given(n=st.integers(2, 90), d=st.integers(1, 4), k=st.integers(1, 3), least=st.integers(1, 12), seed=SEEDS)
def test_the_cut_is_the_best_of_its_feature_and_respects_limits(
    gathered, standardised_of, dense, n, d, k, least, seed
):
    X, Z, r = node(np.random.default_rng(seed), n, d, k)
    x, z = block(gathered, dense, X, r), block(gathered, dense, Z, r)
    assume(x.n_columns > 0)  # the grower gives up a node in which no feature varies
    limits = at_least(least, n) if least > 1 else ANY
    feature, cut = best_binned_feature(x, z, r, stream(seed), limits)
    exact, _, best = best_allowed_feature(x, z, r, False, stream(seed), limits)
    if feature < 0:
        assert exact < 0
        return
    right = x.values[:, feature] >= cut
    gain = gain_of(right, standardised_of(z), r)
    assert gain <= best * (1 + 1e-5)
    # Few rows are swept from both ends, which rounds otherwise.
    column = np.ascontiguousarray(x.values[:, feature])
    assert gain == pytest.approx(best_allowed_threshold(column, z, r, limits)[1], rel=1e-5)
    if least > 1:
        for side in (right, ~right):
            assert max(side.sum(), r[side].sum()) >= least


@examples(10)
@given(SEEDS)
def test_a_planted_feature_is_found_among_many(gathered, dense, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(500, 30))
    planted, place = int(rng.integers(30)), rng.normal() / 2
    Z = (X[:, [planted]] > place) + 0.3 * rng.normal(size=(500, 1))
    r = np.ones(500, np.float32)
    x, z = block(gathered, dense, X, r), block(gathered, dense, Z, r)
    found = best_binned_feature(x, z, r, stream(seed))
    assert found[0] == planted
    assert found == best_allowed_feature(x, z, r, False, stream(seed), ANY)[:2]


def test_sparse_blocks_and_missing_attributes_are_searched_exactly(gathered, sparse, dense):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 5)) * (rng.random((100, 5)) < 0.1)
    Z = rng.normal(size=(100, 2))
    Z[3, 1] = np.nan
    r = np.ones(100, np.float32)
    x, z = gathered(sparse(X), weights=r)[0], block(gathered, dense, Z, r)
    exact = best_allowed_feature(x, z, r, False, stream(3), ANY)
    assert best_binned_feature(x, z, r, stream(3)) == exact[:2]


def test_a_cut_within_a_bin_is_found_where_no_border_is_allowed(gathered, dense):
    # All rows but one share a bin, and a leaf needs ten.
    X = np.concatenate([np.linspace(0.0, 1.0, 99), [1e6]])[:, None]
    Z = np.concatenate([np.zeros(50), np.ones(50)])[:, None]
    r = np.ones(100, np.float32)
    x, z = block(gathered, dense, X, r), block(gathered, dense, Z, r)
    feature, cut = best_binned_feature(x, z, r, stream(0), at_least(10, 100))
    assert feature == 0
    assert (x.values[:, 0] >= cut).sum() == 50
