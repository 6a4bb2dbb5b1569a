"""Claims about the two clusters of a node's rows: Lloyd's rounds, their start and their end."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from slantwood.kernels.two_means import two_means

pytestmark = [pytest.mark.sampled, pytest.mark.compiles]

EPS = float(np.finfo(np.float32).eps)
SEEDS = st.integers(0, 2**32 - 1)
WEIGHTED = st.booleans()
MANY = 1000  # rounds, far more than any of these nodes needs


def clustered(block, weights=None, max_iter=MANY, seed=5):
    """Whether there are two clusters, and the members of one."""
    weights = np.ones(block.n_rows, np.float32) if weights is None else np.asarray(weights, np.float32)
    member = np.empty(block.n_rows, np.bool_)
    found = two_means(block, weights, max_iter, np.array([seed], np.uint64), member)
    return found, member


def mixed(seed):
    """The start of a stream: xorshift wants a number that is not zero and whose bits are well mixed."""
    return int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0] | np.uint64(1))


def standardised(blocks_of, stored, r):
    """Both forms of the numbers, each column of weighted mean 0 and variance 1."""
    mean = np.average(stored, axis=0, weights=r)
    deviation = np.sqrt(np.average((stored - mean) ** 2, axis=0, weights=r))
    varies = deviation > 1e-6  # a block has no others
    return blocks_of(stored[:, varies] / deviation[varies], mean[varies] / deviation[varies])


def made(blocks_of, seed, weighted):
    """Attributes of a node in both forms, with empty rows, and row weights."""
    rng = np.random.default_rng(seed)
    n, d = rng.integers(4, 30), rng.integers(1, 6)
    r = (rng.uniform(0.2, 4, n) if weighted else np.ones(n)).astype(np.float32)
    while True:
        stored = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.5)
        if (np.ptp(stored, axis=0) > 0).all():
            return standardised(blocks_of, stored, r), r


def nearer(block, Z, r, member):
    """How much nearer each row is to the weighted centre of the members than to that of the others.

    Half the difference of the squared distances, and how much of it may be rounding.
    """
    r = r.astype(np.float64)
    mine, others = (np.average(Z[side], axis=0, weights=r[side]) for side in (member, ~member))
    lead = Z @ (mine - others) - (mine @ mine - others @ others) / 2
    # The kernel computes z.m with m = sum of r z: two sums of rounded float32 terms, the stored values
    # and the means of a sparse block. Centres are m / S and -m / (N - S), so its errors reach the lead by
    # this factor. That the block is centred is true up to the same rounding.
    size = np.abs(Z) + np.abs(block.mean) * 2.0
    S, N = r[member].sum(), r.sum()
    rounding = 16 * EPS * (size @ (size.T @ r)) * (1 / S + 1 / (N - S))
    return lead, rounding


@pytest.mark.plain_python
@given(seed=SEEDS, weighted=WEIGHTED)
def test_at_the_end_each_row_is_nearer_to_the_centre_of_its_own_cluster(
    blocks_of, standardised_of, seed, weighted
):
    blocks, r = made(blocks_of, seed, weighted)
    for block in blocks:
        found, member = clustered(block, r, seed=mixed(seed))
        assert found
        lead, rounding = nearer(block, standardised_of(block), r, member)
        assert (lead[member] > -rounding[member]).all()
        assert (lead[~member] < rounding[~member]).all()


@pytest.mark.plain_python
@given(seed=SEEDS, weighted=WEIGHTED, rounds=st.integers(0, 4))
def test_a_round_more_gives_each_row_to_the_nearer_centre(blocks_of, standardised_of, seed, weighted, rounds):
    blocks, r = made(blocks_of, seed, weighted)
    for block in blocks:
        found, member = clustered(block, r, max_iter=rounds, seed=mixed(seed))
        _, after = clustered(block, r, max_iter=rounds + 1, seed=mixed(seed))
        assert found
        lead, rounding = nearer(block, standardised_of(block), r, member)
        clear = np.abs(lead) > rounding
        assert_array_equal(after[clear], lead[clear] > 0)


@pytest.mark.plain_python
@given(seed=SEEDS, weighted=WEIGHTED)
def test_the_rounds_start_from_the_nearer_of_two_different_rows(blocks_of, standardised_of, seed, weighted):
    blocks, r = made(blocks_of, seed, weighted)
    for block in blocks:
        found, member = clustered(block, r, max_iter=0, seed=mixed(seed))
        assert found
        Z = standardised_of(block)
        distance = ((Z[:, None] - Z[None]) ** 2).sum(axis=2)
        # As in the kernel, distances are known to float32 rounding of what they are computed from.
        size = np.abs(Z) + np.abs(block.mean) * 2.0
        rounding = 32 * EPS * (size**2).sum(axis=1).max()

        def starts(a, b, distance=distance, rounding=rounding, member=member):
            lead = distance[:, a] - distance[:, b]
            clear = np.abs(lead) > rounding
            return distance[a, b] > 0 and (member[clear] == (lead[clear] > 0)).all()

        assert any(starts(a, b) for a, b in permutations(range(block.n_rows), 2))


@pytest.mark.plain_python
def test_first_rows_are_drawn_by_weight_and_second_rows_by_squared_distance(blocks_of):
    # Three places on a line, which one round cannot change: whether the middle one starts alone with the
    # left one tells which two rows were drawn.
    place, r = np.array([-3.0, 0.0, 1.0]), np.array([1.0, 2.0, 3.0])
    place -= np.average(place, weights=r)
    block, _ = blocks_of(place[:, None])
    draws = 2000
    seen = np.zeros(8)
    for seed in range(draws):
        _, member = clustered(block, r, max_iter=0, seed=mixed(seed))
        seen[member @ [1, 2, 4]] += 1
    squares = (place[:, None] - place) ** 2
    chance = np.zeros(8)
    for a, b in permutations(range(3), 2):
        share = r[a] / r.sum() * r[b] * squares[a, b] / (r @ squares[a])
        chance[(squares[:, b] < squares[:, a]) @ [1, 2, 4]] += share
    assert np.count_nonzero(chance) >= 4
    # Four standard deviations of a binomial count.
    assert (np.abs(seen - draws * chance) <= 4 * np.sqrt(draws * chance * (1 - chance))).all()


def planted(seed, n=120, d=40, noise=0.3):
    """Label-like attributes, mostly zero, of two kinds of rows that share none."""
    rng = np.random.default_rng(seed)
    kind = rng.random(n) < rng.uniform(0.2, 0.8)
    kind[:2] = False, True
    stored = np.zeros((n, d))
    stored[~kind, :3] = 1 + noise * rng.normal(size=((~kind).sum(), 3))
    stored[kind, 3:6] = 1 + noise * rng.normal(size=(kind.sum(), 3))
    stored[:, 6:] = rng.random((n, d - 6)) < 0.02
    return stored, kind


@pytest.mark.parametrize("seed", range(10))
def test_planted_clusters_are_found_exactly_in_both_forms(blocks_of, seed):
    stored, kind = planted(seed)
    r = np.random.default_rng(seed).uniform(0.5, 2, len(kind)).astype(np.float32)
    stored = stored * 4 / stored.std(axis=0).clip(0.1)  # all on one scale, the planted ones heavier
    stored[:, 6:] /= 16
    for block in blocks_of(stored, np.average(stored, axis=0, weights=r)):
        for state in range(5):
            found, member = clustered(block, r, max_iter=10, seed=mixed(state))
            assert found
            assert (member == kind).all() or (member == ~kind).all()


@pytest.mark.plain_python
@given(seed=SEEDS, n=st.integers(2, 60), weighted=WEIGHTED)
def test_an_attribute_with_two_values_gives_them_as_clusters_from_any_start(blocks_of, seed, n, weighted):
    rng = np.random.default_rng(seed)
    value = rng.permutation(np.arange(n) < rng.integers(1, n))
    low, high = rng.choice([0.0, 1.0, -2.5, 7.0], 2, replace=False)
    r = (rng.uniform(0.2, 4, n) if weighted else np.ones(n)).astype(np.float32)
    for block in standardised(blocks_of, np.where(value, high, low)[:, None], r):
        for state in range(3):
            found, member = clustered(block, r, max_iter=1, seed=mixed((seed, state)))
            assert found
            assert (member == value).all() or (member == ~value).all()


@pytest.mark.parametrize("n", [100, 5000, 100_000])
@pytest.mark.parametrize("alone", [0.0, 1.0])
def test_one_row_that_differs_from_all_others_is_a_cluster(blocks_of, n, alone):
    # The standardised value of the others is about 1/sqrt(n), the mean of the sparse form up to sqrt(n):
    # differences of rows are small beside what they are computed from.
    stored = np.full((n, 1), 1.0 - alone)
    stored[n // 2] = alone
    for block in standardised(blocks_of, stored, np.ones(n)):
        for state in range(5):
            found, member = clustered(block, max_iter=10, seed=mixed(state))
            assert found
            assert min(member.sum(), n - member.sum()) == 1
            assert member[n // 2] != member[0]


@pytest.mark.plain_python
@given(seed=SEEDS)
def test_weighting_a_row_is_repeating_it(blocks_of, seed):
    rng = np.random.default_rng(seed)
    n, d = rng.integers(4, 25), rng.integers(1, 5)
    counts = rng.integers(1, 5, n)
    stored = rng.normal(size=(n, d))
    again = np.repeat(np.arange(n), counts)
    weighted = standardised(blocks_of, stored, counts)
    repeated = standardised(blocks_of, stored[again], np.ones(len(again)))
    for one, other in zip(weighted, repeated, strict=True):
        found, member = clustered(one, counts, seed=mixed(seed))
        assert found
        assert_array_equal(clustered(other, seed=mixed(seed))[1], member[again])


@pytest.mark.plain_python
@given(seed=SEEDS)
def test_dense_and_sparse_blocks_have_the_same_clusters(blocks_of, seed):
    (dense, sparse), r = made(blocks_of, seed, True)
    found, member = clustered(dense, r, seed=mixed(seed))
    assert found
    assert_array_equal(clustered(sparse, r, seed=mixed(seed))[1], member)


@pytest.mark.plain_python
@pytest.mark.parametrize("n", [1, 2, 3, 50])
@pytest.mark.parametrize("value", [0.0, 1.0, 0.1, -3.7])
@pytest.mark.parametrize("d", [1, 3, 40])
def test_rows_that_are_all_equal_have_no_two_clusters(blocks_of, n, value, d):
    row = value * np.linspace(1, 2, d)
    for block in blocks_of(np.tile(row, (n, 1)), row):
        for state in range(5):
            found, _ = clustered(block, seed=mixed(state))
            assert not found


@pytest.mark.plain_python
@given(
    values=st.lists(st.lists(st.integers(-1, 1), min_size=2, max_size=2), min_size=2, max_size=8),
    seed=SEEDS,
    rounds=st.integers(1, 10),
)
def test_rows_that_differ_always_have_two_clusters_and_neither_is_empty(blocks_of, values, seed, rounds):
    # Few values, so that rows are often equal, or at the same distance from two others.
    stored = np.array(values, float)
    if (stored == stored[0]).all():
        return
    for block in standardised(blocks_of, stored, np.ones(len(stored))):
        found, member = clustered(block, max_iter=rounds, seed=mixed(seed))
        assert found
        assert 0 < member.sum() < len(stored)
        for i in range(len(stored)):  # equal rows are never parted
            assert (member[(stored == stored[i]).all(axis=1)] == member[i]).all()


@pytest.mark.plain_python
def test_the_same_stream_gives_the_same_clusters_and_another_one_may_give_others(blocks_of):
    # Corners of a square: two clusters along either axis are at rest.
    block, _ = blocks_of(np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]]))
    parts = []
    for seed in range(20):
        _, member = clustered(block, seed=mixed(seed))
        _, same = clustered(block, seed=mixed(seed))
        assert_array_equal(member, same)
        parts.append(tuple(member == member[0]))
    assert len(set(parts)) > 1


@pytest.mark.parametrize("kept", [(0, 1, 2, 3), (1, 2, 3, 4), (0, 1, 3), (1, 2, 4), (0, 1, 2, 3, 4)])
def test_form_and_order_of_the_columns_do_not_decide_where_rows_between_two_clusters_go(blocks_of, kept):
    # Label sets: many rows are exactly as far from one start as from the other, or would be but for rounding.
    sets = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]], float)
    labels = np.repeat(sets[list(kept)], 20, axis=0)
    ones = np.ones(len(labels))
    dense, sparse = standardised(blocks_of, labels, ones)
    turned, _ = standardised(blocks_of, labels[:, ::-1], ones)
    for state in range(20):
        found, member = clustered(dense, seed=mixed(state))
        assert found
        assert_array_equal(clustered(sparse, seed=mixed(state))[1], member)
        assert_array_equal(clustered(turned, seed=mixed(state))[1], member)


# ---- missing values


def missing_of(block):
    """Mask of the cells that a block lists as missing."""
    missing = np.zeros((block.n_rows, block.n_columns), bool)
    for i in range(block.n_rows):
        missing[i, block.missing_indices[block.missing_indptr[i] : block.missing_indptr[i + 1]]] = True
    return missing


def nearer_over_known(Z, missing, r, member):
    """Half the difference of squared distances to both centres, all over known values, and its scale.

    A centre of which no member knows anything lies at the mean, 0.
    """
    known = ~missing
    centres = []
    for side in (member, ~member):
        weight = r[side] @ known[side]
        centres.append((r[side] @ Z[side]) / np.where(weight > 0, weight, 1.0))
    mine, others = centres
    lead = (known * ((Z - others) ** 2 - (Z - mine) ** 2)).sum(axis=1) / 2
    size = (known * (Z**2 + others**2 + mine**2)).sum(axis=1)
    return lead, size, ((mine - others) ** 2).sum()


def problem_with_missing(in_both_forms, gathered, seed, span):
    """Attributes of a node, some of them missing, in both forms; row weights over so many powers of ten."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(4, 30)), int(rng.integers(1, 9))
    A = rng.normal(size=(n, d)) * (rng.random((n, d)) < rng.choice([0.15, 0.6]))
    A[rng.random((n, d)) < rng.choice([0.05, 0.3, 0.6])] = np.nan
    A[rng.random(n) < 0.1] = np.nan
    A[rng.integers(n), rng.integers(d)] = np.nan
    r = (10.0 ** rng.uniform(-span, span, n)).astype(np.float32)
    return [gathered(matrix, None, r)[0] for matrix in in_both_forms(A)], r


@pytest.mark.plain_python
@given(seed=SEEDS, span=st.sampled_from([0.0, 0.5, 2.0]), rounds=st.integers(0, 3))
def test_a_round_more_gives_each_row_to_the_centre_that_is_nearer_by_what_is_known(
    in_both_forms, gathered, standardised_of, seed, span, rounds
):
    blocks, r = problem_with_missing(in_both_forms, gathered, seed, span)
    for block in blocks:
        missing, Z, weights = missing_of(block), standardised_of(block), r.astype(np.float64)
        if not missing.any():
            continue
        found, member = clustered(block, r, max_iter=rounds, seed=mixed(seed))
        again, after = clustered(block, r, max_iter=rounds + 1, seed=mixed(seed))
        assert found
        assert again
        lead, size, apart = nearer_over_known(Z, missing, weights, member)
        # Float32 sums; and what is nearer by less than this share of the distance goes to the second.
        tolerance = 1e-4 * (size + np.abs(block.mean).max() ** 2) + 2e-4 * apart
        clear = np.abs(lead) > tolerance
        assert_array_equal(after[clear], lead[clear] > 0)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
def test_planted_clusters_are_found_with_a_third_of_the_cells_missing(
    in_both_forms, gathered, form, weighted, seed
):
    rng = np.random.default_rng(seed)
    n, d = 150, 30
    kind = rng.permutation(np.arange(n) < rng.integers(30, 120))
    A = np.where(kind[:, None], 1.0, 0.0) * np.ones(d)
    A[:, d // 2 :] = 1.0 - A[:, d // 2 :]
    A = (A + 0.3 * rng.normal(size=A.shape)) * (A != 0)
    A[rng.random(A.shape) < 0.3] = np.nan
    A = np.hstack([A, (rng.random((n, 200)) < 0.01) / 16])
    r = rng.uniform(0.5, 2, n) if weighted else np.ones(n)
    block, _, _ = gathered(in_both_forms(A)[form], None, r, power=0.0)
    assert block.is_dense == (form == 0)
    for state in range(4):
        found, member = clustered(block, r, max_iter=10, seed=mixed(state))
        assert found
        assert (member == kind).all() or (member == ~kind).all()


@pytest.mark.plain_python
@given(seed=SEEDS, span=st.sampled_from([0.0, 0.5]))
def test_a_row_of_which_nothing_is_known_changes_no_cluster(in_both_forms, gathered, seed, span):
    rng = np.random.default_rng(seed)
    n, d = 12, 3
    A = rng.integers(0, 3, (n, d)) * 1.0
    A[rng.random((n, d)) < 0.2] = np.nan
    A[0], A[1], A[2, 0] = 0.0, 2.0, np.nan
    r = (10.0 ** rng.uniform(-span, span, n)).astype(np.float32)
    more = np.vstack([A, np.full((4, d), np.nan)])
    more_r = np.append(r, np.full(4, 1e-6, np.float32))  # so light that the draws of first rows are the same
    for matrix, longer in zip(in_both_forms(A), in_both_forms(more), strict=True):
        block, _, _ = gathered(matrix, None, r)
        longer_block, _, _ = gathered(longer, None, more_r)
        found, member = clustered(block, r, seed=mixed(seed))
        same, with_more = clustered(longer_block, more_r, seed=mixed(seed))
        assert found == same
        assert_array_equal(with_more[:n], member)


@pytest.mark.plain_python
@pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
@pytest.mark.parametrize("span", [0, 2, 4, 6])
def test_an_attribute_that_one_cluster_alone_knows_has_the_other_centre_at_its_mean(
    in_both_forms, gathered, standardised_of, form, span
):
    # What is left of the weights of the other cluster, and of the sum of its values, is rounding.
    rng = np.random.default_rng(span)
    n = 30
    kind = np.arange(n) % 2 == 0
    A = np.zeros((n, 30))
    A[:, :3] = kind[:, None]
    A[:, 3] = np.where(kind, np.arange(n) % 3 == 0, np.nan)
    for seed in range(20):
        r = (10.0 ** rng.uniform(-span, span, n)).astype(np.float32)
        block, _, _ = gathered(in_both_forms(A)[form], None, r)
        Z, missing = standardised_of(block), missing_of(block)
        for rounds in range(3):
            _, member = clustered(block, r, max_iter=rounds, seed=mixed(seed))
            found, after = clustered(block, r, max_iter=rounds + 1, seed=mixed(seed))
            lead, size, apart = nearer_over_known(Z, missing, r.astype(np.float64), member)
            clear = np.abs(lead) > 1e-4 * (size + np.abs(block.mean).max() ** 2) + 2e-4 * apart
            assert found
            assert_array_equal(after[clear], lead[clear] > 0)


@pytest.mark.plain_python
@pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
@pytest.mark.parametrize("scale", [1.0, 10.0, 1000.0])
def test_rows_go_by_what_is_known_of_them_however_far_apart_the_centres_are_elsewhere(
    in_both_forms, gathered, form, scale
):
    # A third of the rows knows both attributes, a third each one of them.
    n = 36
    kind = np.arange(n) % 2 == 0
    A = np.zeros((n, 20))
    A[:, :2] = np.where(kind, 1.0, 2.0)[:, None] * [scale, 1.0]
    A[:12, 0] = np.nan
    A[12:24, 1] = np.nan
    block, _, _ = gathered(in_both_forms(A)[form], power=0.0)
    for state in range(5):
        found, member = clustered(block, seed=mixed(state))
        assert found
        assert (member == kind).all() or (member == ~kind).all()
