"""Claims about the gradient split: its objective, its slopes, what it learns."""

from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from slantwood.kernels.block import row_range
from slantwood.kernels.products import gram
from slantwood.splits.gradient import GradientSplit, evaluate
from slantwood.splits.protocol import learn

pytestmark = pytest.mark.sampled

EPS = float(np.finfo(np.float32).eps)
DENSE, SPARSE = 0, 1
FORMS = pytest.mark.parametrize(
    ("x_form", "z_form", "with_gram"),
    [(DENSE, DENSE, False), (DENSE, SPARSE, True), (SPARSE, DENSE, True), (SPARSE, SPARSE, False)],
    ids=["dense-dense", "dense-sparse-gram", "sparse-dense-gram", "sparse-sparse"],
)
SEEDS = st.integers(0, 2**32 - 1)
WEIGHTED = st.booleans()


def standardised_blocks(blocks_of, rng, n, d, r):
    """Both forms of a random matrix with empty rows, of weighted mean 0 and variance 1 by column."""
    while True:
        stored = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.4)
        mean = np.average(stored, axis=0, weights=r)
        deviation = np.sqrt(np.average((stored - mean) ** 2, axis=0, weights=r))
        if (deviation > 0).all():
            return blocks_of(stored / deviation, mean / deviation)


def made(blocks_of, seed, weighted):
    """Features and attributes of a node in both forms, row weights, a hyperplane."""
    rng = np.random.default_rng(seed)
    n, d, k = rng.integers(5, 40), rng.integers(1, 8), rng.integers(1, 6)
    r = (rng.uniform(0.2, 4, n) if weighted else np.ones(n)).astype(np.float32)
    X = standardised_blocks(blocks_of, rng, n, d, r)
    Z = standardised_blocks(blocks_of, rng, n, k, r)
    return X, Z, r, rng.normal(size=d).astype(np.float32), np.float32(rng.normal())


def evaluated(X, Z, r, w, b, with_gram):
    """Gain, slope over w and slope over b."""
    n = X.n_rows
    G = np.empty((n, n) if with_gram else (0, 0), np.float32)
    if with_gram:
        gram(Z, G)
    scratch = [np.empty(size, np.float32) for size in (n, n, Z.n_columns, n, X.n_columns)]
    gain, slope_b = evaluate(X, Z, G, r, w, np.float32(b), *scratch)
    return gain, scratch[-1], slope_b


def impurity(Z, weights):
    """Sum over attributes of the weighted variance."""
    mean = np.average(Z, axis=0, weights=weights)
    return np.average((Z - mean) ** 2, axis=0, weights=weights).sum()


def twin_gain(X, Z, r, w, b):
    """The published fitness, turned into a gain: N imp(all) - [S imp(s) + (N - S) imp(1 - s)]."""
    r = r.astype(np.float64)
    s = 1 / (1 + np.exp(-(X @ w + b)))
    N, S = r.sum(), (r * s).sum()
    return N * impurity(Z, r) - (S * impurity(Z, r * s) + (N - S) * impurity(Z, r * (1 - s)))


def central_differences(X, Z, r, w, b, step=1e-5):
    at = np.append(w, b).astype(np.float64)
    slopes = []
    for unit in np.eye(len(at)):
        above, below = at + step * unit, at - step * unit
        rise = twin_gain(X, Z, r, above[:-1], above[-1]) - twin_gain(X, Z, r, below[:-1], below[-1])
        slopes.append(rise / (2 * step))
    return np.array(slopes)


@pytest.mark.plain_python
@FORMS
@given(seed=SEEDS, weighted=WEIGHTED)
def test_gain_is_the_impurity_that_the_soft_split_removes(
    blocks_of, standardised_of, x_form, z_form, with_gram, seed, weighted
):
    X, Z, r, w, b = made(blocks_of, seed, weighted)
    gain, _, _ = evaluated(X[x_form], Z[z_form], r, w, b, with_gram)
    features, attributes = standardised_of(X[x_form]), standardised_of(Z[z_form])
    expected = twin_gain(features, attributes, r, w.astype(np.float64), float(b))
    # An error e of every s_i moves the gain by 2 e N sqrt(gain * whole / (S (N - S))) at the most.
    r = r.astype(np.float64)
    whole = r.sum() * impurity(attributes, r)
    s = 1 / (1 + np.exp(-(features @ w + b)))
    N, S = r.sum(), (r * s).sum()
    error_of_s = 5e-7 + 8 * EPS * (np.abs(features) @ np.abs(w) + abs(b)).max() / 4
    allowed = 2 * error_of_s * N * np.sqrt(expected * whole / (S * (N - S)))
    assert abs(gain - expected) <= allowed + 16 * EPS * expected + 1e-10 * whole


@pytest.mark.plain_python
@FORMS
@given(seed=SEEDS, weighted=WEIGHTED)
def test_slopes_are_the_central_differences_of_the_gain(
    blocks_of, standardised_of, x_form, z_form, with_gram, seed, weighted
):
    X, Z, r, w, b = made(blocks_of, seed, weighted)
    _, slope, slope_b = evaluated(X[x_form], Z[z_form], r, w, b, with_gram)
    expected = central_differences(standardised_of(X[x_form]), standardised_of(Z[z_form]), r, w, b)
    scale = np.abs(expected).max()
    assert_allclose(np.append(slope, slope_b), expected, rtol=1e-3, atol=1e-4 * scale + 1e-5)


@pytest.mark.plain_python
@given(seed=SEEDS, weighted=WEIGHTED)
def test_naming_the_sides_the_other_way_round_changes_nothing(blocks_of, seed, weighted):
    (X, _), (Z, _), r, w, b = made(blocks_of, seed, weighted)
    gain, slope, slope_b = evaluated(X, Z, r, w, b, False)
    mirrored, mirrored_slope, mirrored_slope_b = evaluated(X, Z, r, -w, -b, False)
    scale = max(np.abs(slope).max(), abs(slope_b))
    assert_allclose(mirrored, gain, rtol=1e-5, atol=1e-6 * r.sum())
    assert_allclose(
        np.append(mirrored_slope, mirrored_slope_b), -np.append(slope, slope_b), atol=1e-4 * scale + 1e-5
    )


@pytest.mark.plain_python
@given(seed=SEEDS)
def test_whole_weights_are_repeated_rows(blocks_of, seed):
    rng = np.random.default_rng(seed)
    n, d, k = 12, 4, 3
    counts = rng.integers(1, 5, n)
    stored = rng.normal(size=(n, d + k))
    stored -= np.average(stored, axis=0, weights=counts)
    w = rng.normal(size=d).astype(np.float32)
    copies = np.repeat(stored, counts, axis=0)
    ones = np.ones(len(copies), np.float32)
    counted = evaluated(
        blocks_of(stored[:, :d])[0], blocks_of(stored[:, d:])[0], counts.astype(np.float32), w, 0.3, False
    )
    copied = evaluated(blocks_of(copies[:, :d])[0], blocks_of(copies[:, d:])[0], ones, w, 0.3, False)
    scale = np.abs(copied[1]).max()
    assert_allclose(counted[0], copied[0], rtol=1e-5, atol=1e-6 * counts.sum())
    assert_allclose(counted[1], copied[1], rtol=1e-4, atol=1e-5 * scale + 1e-5)
    assert_allclose(counted[2], copied[2], rtol=1e-4, atol=1e-5 * scale + 1e-5)


@pytest.mark.plain_python
@pytest.mark.parametrize("b", [-200.0, -20.0, 20.0, 200.0])
def test_one_sided_splits_gain_nothing_and_stay_finite(blocks_of, b):
    X, Z, r, w, _ = made(blocks_of, 5, True)
    gain, slope, slope_b = evaluated(X[DENSE], Z[DENSE], r, w * np.float32(0.01), b, False)
    assert np.isfinite(slope).all()
    assert np.isfinite(slope_b)
    assert 0 <= gain <= 1e-3 * r.sum()


# ---- learning


def planted(blocks_of, n, d, relevant, seed, n_targets=1):
    """A boundary x.v >= 0 over the first features; blocks of one node and the true sides."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    direction = np.zeros(d)
    direction[:relevant] = rng.choice([-1, 1], relevant)
    side = X @ direction >= 0
    Z = np.repeat(side[:, None], n_targets, axis=1).astype(np.float64)
    X, Z = ((A - A.mean(axis=0)) / A.std(axis=0) for A in (X, Z))
    return blocks_of(X)[0], blocks_of(Z)[0], side


def settled(**given):
    """The compiled form of the published split, with the given parameters in place of its own."""
    return replace(GradientSplit.published(), **given).compiled()


def learned(parameters, X, Z, seed):
    ones = np.ones(X.n_rows, np.float32)
    return learn(parameters, X, Z, ones, np.array([seed], np.uint64))


@pytest.mark.parametrize(
    ("start", "agrees"),
    # Noise begins about half of the weights with the wrong sign, and those end at zero: a split from
    # noise finds a part of the boundary, which part differs from split to split.
    [("noise", 0.7), ("informed", 0.97)],
)
@pytest.mark.parametrize("threshold", ["learned", "exact"])
@pytest.mark.parametrize("seed", [88172645463325252, 3, 9007199254740993])
def test_a_planted_boundary_is_learned_from_every_start(blocks_of, start, agrees, threshold, seed):
    X, Z, side = planted(blocks_of, 400, 10, 3, seed % 1000)
    w, b, found = learned(settled(start=start, threshold=threshold), X, Z, seed)
    assert found
    agreement = ((X.values @ w + b >= 0) == side).mean()
    assert max(agreement, 1 - agreement) >= agrees


@pytest.mark.plain_python
def test_many_equal_targets_teach_the_same_hyperplane_as_one_that_is_weighted_for_all(blocks_of):
    # A node of fewer rows than targets takes the Gram form, the single column the plain one.
    X, Z, _ = planted(blocks_of, 30, 4, 2, 1)
    many, _ = blocks_of(np.repeat(Z.values, 40, axis=1))
    heavy, _ = blocks_of(Z.values * np.sqrt(40))
    (w, b, _), (other_w, other_b, _) = (
        learned(settled(max_iter=10), X, block, 12345) for block in (many, heavy)
    )
    assert_allclose(np.append(w, b), np.append(other_w, other_b), rtol=1e-4, atol=1e-4)
    assert (w != 0).any()


def test_irrelevant_features_get_no_weight_where_sparsity_counts(blocks_of):
    X, Z, _ = planted(blocks_of, 300, 40, 2, 0)
    w, _, _ = learned(settled(C=0.1, start="informed"), X, Z, 88172645463325252)
    assert (w[:2] != 0).all()
    assert (w[2:] == 0).mean() >= 0.8


def test_more_weight_on_purity_means_less_sparse_splits(blocks_of):
    X, Z, _ = planted(blocks_of, 300, 40, 2, 0)
    zeros = []
    for C in (0.1, 10, 1000):
        w, _, _ = learned(settled(C=C, start="informed"), X, Z, 88172645463325252)
        zeros.append((w == 0).sum())
    assert zeros[0] > zeros[1] >= zeros[2]
    assert zeros[0] > zeros[2] + 5


@pytest.mark.plain_python
def test_the_exact_threshold_is_the_best_cut_along_the_learned_direction(blocks_of, standardised_of):
    X, Z, _ = planted(blocks_of, 41, 3, 1, 2)
    w, b, found = learned(settled(max_iter=5, threshold="exact"), X, Z, 777)
    assert found
    projections = standardised_of(X) @ w.astype(np.float64)
    attributes = standardised_of(Z)

    def removed(cut):
        right = projections >= cut
        sides = [attributes[right], attributes[~right]]
        return -sum(len(side) * side.var(axis=0).sum() for side in sides if len(side))

    best = max(removed(cut) for cut in np.sort(projections)[1:])
    assert_allclose(removed(-float(b)), best, rtol=1e-6)


@pytest.mark.plain_python
@pytest.mark.parametrize("start", ["noise", "informed"])
def test_the_same_stream_gives_the_same_hyperplane_and_another_one_another(blocks_of, start):
    X, Z, _ = planted(blocks_of, 30, 4, 2, 3, n_targets=2)
    Z.values[:, 1] = np.roll(Z.values[:, 1], 7)
    one, same, other = (
        learned(settled(max_iter=3, start=start), X, Z, seed)[0] for seed in (11, 11, 12345678901)
    )
    assert (one == same).all()
    assert (one != other).any()


@pytest.mark.plain_python
def test_an_informed_start_without_support_finds_nothing(blocks_of):
    # Attributes that are uncorrelated with the only feature: X^T Z u is zero for every u.
    X, _ = blocks_of(np.array([[1.0], [1.0], [-1.0], [-1.0]]))
    Z, _ = blocks_of(np.array([[1.0], [-1.0], [1.0], [-1.0]]))
    _, _, found = learned(settled(start="informed"), X, Z, 5)
    assert not found


@pytest.mark.plain_python
def test_learning_stops_early_where_nothing_moves(blocks_of):
    X, Z, _ = planted(blocks_of, 20, 2, 1, 0)
    short = learned(settled(max_iter=1, tol=1e9), X, Z, 5)
    long = learned(settled(max_iter=10**6, tol=1e9), X, Z, 5)
    assert (short[0] == long[0]).all()
    assert short[1] == long[1]


def test_a_planted_boundary_is_learned_from_batches_of_rows(blocks_of):
    X, Z, side = planted(blocks_of, 1003, 6, 2, 0)
    w, b, found = learned(settled(start="informed", batch_size=100), X, Z, 88172645463325252)
    assert found
    agreement = ((X.values @ w + b >= 0) == side).mean()
    assert max(agreement, 1 - agreement) >= 0.97


@pytest.mark.plain_python
@pytest.mark.parametrize("form", [DENSE, SPARSE])
@pytest.mark.parametrize("batch_size", [16, 30, 31, 1000])
def test_nodes_of_fewer_than_two_batches_are_learned_from_all_rows(blocks_of, form, batch_size):
    X, Z, r, _, _ = made(blocks_of, 21, True)
    X, Z = X[form], Z[form]
    assert X.n_rows < 2 * 16
    one, other = (
        learn(settled(max_iter=5, batch_size=size), X, Z, r, np.array([5], np.uint64))
        for size in (None, batch_size)
    )
    assert (one[0] == other[0]).all()
    assert one[1:] == other[1:]


@pytest.mark.plain_python
def test_dense_and_sparse_blocks_teach_the_same_hyperplane_in_batches(blocks_of):
    X, Z, r, _, _ = made(blocks_of, 3, True)
    one, other = (
        learn(settled(max_iter=8, batch_size=4), X[form], Z[form], r, np.array([5], np.uint64))
        for form in (DENSE, SPARSE)
    )
    assert X[DENSE].n_rows >= 8
    assert_allclose(np.append(one[0], one[1]), np.append(other[0], other[1]), rtol=1e-4, atol=1e-4)


# ---- missing values


def missing_of(block):
    """Mask of the cells that a block lists as missing."""
    missing = np.zeros((block.n_rows, block.n_columns), bool)
    for i in range(block.n_rows):
        missing[i, block.missing_indices[block.missing_indptr[i] : block.missing_indptr[i + 1]]] = True
    return missing


def made_with_missing(blocks_of, in_both_forms, gathered, seed, weighted, batch):
    """As above, but of some rows attributes are not known; a batch is a range of a node's rows."""
    rng = np.random.default_rng(seed)
    n, d, k = int(rng.integers(6, 40)), int(rng.integers(1, 8)), int(rng.integers(1, 9))
    r = (rng.uniform(0.2, 4, n) if weighted else np.ones(n)).astype(np.float32)
    X = standardised_blocks(blocks_of, rng, n, d, r)
    A = rng.normal(size=(n, k)) * (rng.random((n, k)) < rng.choice([0.15, 0.7]))
    A[rng.random((n, k)) < rng.choice([0.05, 0.3, 0.6])] = np.nan
    A[rng.random(n) < 0.1] = np.nan
    A[0, 0], A[1, 0], A[rng.integers(2, n), 0] = 1.0, 2.0, np.nan
    Z = [gathered(matrix, None, r)[0] for matrix in in_both_forms(A)]
    start, stop = (rng.integers(0, 3), n - rng.integers(0, n // 2)) if batch else (0, n)
    X, Z = ([row_range(block, start, stop) for block in blocks] for blocks in (X, Z))
    return X, Z, r[start:stop], rng.normal(size=d).astype(np.float32), np.float32(rng.normal())


def gains_over_known(X, Z, missing, r, w, b):
    """The gain of each attribute among the rows that know it, and what there is to be gained."""
    gains, wholes = np.zeros((2, Z.shape[1]))
    for j in range(Z.shape[1]):
        known = ~missing[:, j]
        if known.any():
            gains[j] = twin_gain(X[known], Z[known, j][:, None], r[known], w, b)
            wholes[j] = r[known].sum() * impurity(Z[known, j][:, None], r[known])
    return gains, wholes


def rows_of(block):
    """Spell out a range of rows of a block, in float64."""
    A = np.zeros((block.n_rows, block.n_columns))
    if block.is_dense:
        return A + block.values
    for i in range(block.n_rows):
        stored = slice(block.indptr[i], block.indptr[i + 1])
        A[i, block.indices[stored]] = block.data[stored]
    return A - block.mean


MISSING = pytest.mark.parametrize(("x_form", "z_form"), [(DENSE, DENSE), (DENSE, SPARSE), (SPARSE, SPARSE)])


@pytest.mark.plain_python
@MISSING
@given(seed=SEEDS, weighted=WEIGHTED, batch=st.booleans())
def test_gain_is_the_impurity_that_the_soft_split_removes_from_what_is_known(
    blocks_of, in_both_forms, gathered, x_form, z_form, seed, weighted, batch
):
    X, Z, r, w, b = made_with_missing(blocks_of, in_both_forms, gathered, seed, weighted, batch)
    gain, _, _ = evaluated(X[x_form], Z[z_form], r, w, b, False)
    features, attributes = rows_of(X[x_form]), rows_of(Z[z_form])
    missing, r = missing_of(Z[z_form]), r.astype(np.float64)
    gains, wholes = gains_over_known(features, attributes, missing, r, w.astype(np.float64), float(b))
    # As where nothing is missing, attribute by attribute. Of a batch, means are subtracted from float32 sums.
    s = 1 / (1 + np.exp(-(features @ w + b)))
    N, S = r @ ~missing, (r * s) @ ~missing
    error_of_s = 5e-7 + 8 * EPS * (np.abs(features) @ np.abs(w) + abs(b)).max() / 4
    spread = np.where(N > 0, S * (N - S), 1.0)
    allowed = 2 * error_of_s * N * np.sqrt(np.maximum(gains, 0) * wholes / spread)
    size = (r[:, None] * (np.abs(attributes) + 2 * np.abs(Z[z_form].mean))).sum(axis=0)
    sums = np.sqrt(np.maximum(gains, 0) * N / spread) * 8 * EPS * size + N / spread * (8 * EPS * size) ** 2
    assert abs(gain - gains.sum()) <= (allowed + sums).sum() + 16 * EPS * gains.sum() + 1e-10 * wholes.sum()


@pytest.mark.plain_python
@MISSING
@given(seed=SEEDS, weighted=WEIGHTED, batch=st.booleans())
def test_slopes_are_the_central_differences_of_the_gain_over_what_is_known(
    blocks_of, in_both_forms, gathered, x_form, z_form, seed, weighted, batch
):
    X, Z, r, w, b = made_with_missing(blocks_of, in_both_forms, gathered, seed, weighted, batch)
    _, slope, slope_b = evaluated(X[x_form], Z[z_form], r, w, b, False)
    features, attributes = rows_of(X[x_form]), rows_of(Z[z_form])
    missing, at, step = missing_of(Z[z_form]), np.append(w, b).astype(np.float64), 1e-5

    def gain(point):
        return gains_over_known(features, attributes, missing, r, point[:-1], point[-1])[0].sum()

    expected = [(gain(at + step * unit) - gain(at - step * unit)) / (2 * step) for unit in np.eye(len(at))]
    scale = np.abs(expected).max()
    assert_allclose(np.append(slope, slope_b), expected, rtol=1e-3, atol=1e-4 * scale + 1e-5)


@pytest.mark.plain_python
@pytest.mark.parametrize("form", [DENSE, SPARSE])
@given(seed=SEEDS, weighted=WEIGHTED)
def test_with_nothing_missing_both_ways_to_the_gain_agree(
    blocks_of, in_both_forms, gathered, form, seed, weighted
):
    # A row of which nothing is known gives the block missing values; the range of all other rows has none.
    rng = np.random.default_rng(seed)
    n, d, k = 20, 4, 5
    r = (rng.uniform(0.2, 4, n) if weighted else np.ones(n)).astype(np.float32)
    X = standardised_blocks(blocks_of, rng, n, d, r)[form]
    A = rng.normal(size=(n, k)) * (rng.random((n, k)) < 0.5)
    A[:2] = [[1.0], [-1.0]]
    whole, _, _ = gathered(in_both_forms(A)[form], None, r)
    more, _, _ = gathered(in_both_forms(np.vstack([A, np.full(k, np.nan)]))[form], None, np.append(r, 1.0))
    part = row_range(more, 0, n)
    assert len(whole.missing_indices) == 0 < len(part.missing_indices)
    w, b = rng.normal(size=d).astype(np.float32), rng.normal()
    one, other = (evaluated(X, Z, r, w, b, False) for Z in (whole, part))
    scale = np.abs(one[1]).max()
    assert_allclose(other[0], one[0], rtol=1e-5, atol=1e-6 * r.sum())
    assert_allclose(other[1], one[1], rtol=1e-4, atol=1e-5 * scale + 1e-5)
    assert_allclose(other[2], one[2], rtol=1e-4, atol=1e-5 * scale + 1e-5)


@pytest.mark.plain_python
@pytest.mark.parametrize("form", [DENSE, SPARSE])
@pytest.mark.parametrize("span", [0.0, 6.0, 12.0])
@given(seed=SEEDS)
def test_an_attribute_that_a_batch_does_not_know_has_no_part_in_it(
    blocks_of, in_both_forms, gathered, form, span, seed
):
    # Row weights over so many powers of ten: sums of them are rounded.
    rng = np.random.default_rng(seed)
    n, d = 16, 3
    r = (10.0 ** rng.uniform(-span / 2, span / 2, n)).astype(np.float32)
    X = row_range(blocks_of(rng.normal(size=(n, d)))[form], 0, 8)
    A = np.zeros((n, 24))
    A[:, 0] = rng.random(n) < 0.5
    A[[0, 1, 8, 9], 0] = [0, 1, 0, 1]
    A[:, 1] = rng.normal(size=n) * (rng.random(n) < 0.5)
    A[8:10, 1] = 1.0, 2.0
    A[:8, 1] = np.nan
    both, _, _ = gathered(in_both_forms(A)[form], None, r)
    one, _, _ = gathered(in_both_forms(A[:, [0]])[form], None, r)
    w, b = rng.normal(size=d).astype(np.float32), rng.normal()
    found, expected = (evaluated(X, row_range(Z, 0, 8), r[:8], w, b, False) for Z in (both, one))
    scale = np.abs(expected[1]).max()
    assert_allclose(found[0], expected[0], rtol=1e-4, atol=1e-6 * r[:8].sum())
    assert_allclose(found[1], expected[1], rtol=1e-3, atol=1e-4 * scale + 1e-5 * r[:8].sum())


@pytest.mark.plain_python
@pytest.mark.parametrize("b", [-200.0, -20.0, 20.0, 200.0])
@pytest.mark.parametrize("form", [DENSE, SPARSE])
def test_one_sided_splits_of_what_is_known_gain_nothing_and_stay_finite(
    blocks_of, in_both_forms, gathered, form, b
):
    X, Z, r, w, _ = made_with_missing(blocks_of, in_both_forms, gathered, 4, True, False)
    gain, slope, slope_b = evaluated(X[form], Z[form], r, w * np.float32(0.01), b, False)
    assert len(Z[form].missing_indices) > 0
    assert np.isfinite(slope).all()
    assert np.isfinite(slope_b)
    assert 0 <= gain <= 1e-3 * r.sum()


@pytest.mark.parametrize("form", [DENSE, SPARSE])
@pytest.mark.parametrize("batch_size", [None, 100])
@pytest.mark.parametrize("threshold", ["learned", "exact"])
def test_a_planted_boundary_is_learned_from_the_targets_that_are_known(
    blocks_of, in_both_forms, gathered, form, batch_size, threshold
):
    X, _, side = planted(blocks_of, 1003, 6, 2, 0)
    rng = np.random.default_rng(0)
    A = np.repeat(side[:, None], 4, axis=1) * 1.0
    A[rng.random(A.shape) < 0.5] = np.nan
    Z, _, _ = gathered(in_both_forms(np.hstack([A, np.zeros((1003, 30))]))[form])
    parameters = settled(start="informed", batch_size=batch_size, threshold=threshold)
    w, b, found = learned(parameters, X, Z, 88172645463325252)
    assert found
    agreement = ((X.values @ w + b >= 0) == side).mean()
    assert max(agreement, 1 - agreement) >= 0.97


# ---- parameters


@pytest.mark.plain_python
def test_the_published_split_has_the_values_of_the_publication():
    assert asdict(GradientSplit.published()) == {
        "C": 10.0,
        "learning_rate": 0.1,
        "max_iter": 100,
        "tol": 0.01,
        "start": "noise",
        "threshold": "learned",
        "feature_power": 1.0,
        "target_power": 1.0,
        "batch_size": None,
        "min_support": 1,
        "min_part": 0.0,
        "competitor": None,
        "scale_penalty": True,
    }
    assert not GradientSplit.published(scale_penalty=False).scale_penalty


@pytest.mark.plain_python
def test_the_compiled_form_of_what_is_off_is_zero():
    published = GradientSplit.published().compiled()
    assert (published.informed_start, published.exact_threshold) == (False, False)
    assert (published.batch_size, published.competitor) == (0, 0)
    assert replace(GradientSplit.published(), competitor="axis").compiled().competitor == 1
