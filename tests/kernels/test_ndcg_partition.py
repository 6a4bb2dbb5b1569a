"""Claims about lists of labels, and about sides that rank them: neither step makes the ranking worse."""

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from slantwood.kernels.ndcg_partition import LabelLists, labels_of, ndcg_partition

SEEDS = st.integers(0, 2**32 - 1)
STREAM = 88172645463325252
pytestmark = [pytest.mark.plain_python, pytest.mark.compiles]


def spelt_out(lists):
    """Labels and gains of each row."""
    ends = zip(lists.indptr[:-1], lists.indptr[1:], strict=True)
    return [list(zip(lists.labels[a:b].tolist(), lists.gains[a:b].tolist(), strict=True)) for a, b in ends]


def listed(Y):
    """Labels and gains of each row of a matrix of gains, labels numbered as they come."""
    number = {}
    return [[(number.setdefault(j, len(number)), row[j]) for j in np.flatnonzero(row)] for row in Y]


def lists_of(Y):
    rows = listed(Y)
    flat = [pair for row in rows for pair in row]
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    labels, gains = (np.array([pair[k] for pair in flat]) for k in range(2))
    return LabelLists(indptr, labels.astype(np.int64), gains.astype(np.float64), len(set(labels)))


def random_labels(rng, n=None, k=None):
    """0/1 labels none of which all rows have, or none has."""
    n, k = n or rng.integers(3, 20), k or rng.integers(1, 8)
    while True:
        Y = (rng.random((n, k)) < rng.uniform(0.1, 0.9, k)).astype(np.float64)
        if ((Y.sum(axis=0) > 0) & (Y.sum(axis=0) < n)).all():
            return Y


# ---- lists


@given(SEEDS, st.booleans())
def test_lists_have_the_labels_of_each_row_in_either_form(in_both_forms, gathered, seed, weighted):
    rng = np.random.default_rng(seed)
    Y = random_labels(rng)
    r = rng.uniform(0.1, 3, len(Y)) if weighted else None
    for matrix in in_both_forms(Y):
        block, _, _ = gathered(matrix, weights=r, power=0.0)
        assert spelt_out(labels_of(block)) == listed(Y)


@given(SEEDS)
def test_gains_are_the_weights_of_the_columns_relative_to_the_largest(in_both_forms, gathered, seed):
    rng = np.random.default_rng(seed)
    Y = random_labels(rng)
    p = 10 ** rng.uniform(-2, 2, Y.shape[1])
    expected = listed(Y * p / p.max())
    for matrix in in_both_forms(Y):
        block, _, _ = gathered(matrix, power=0.0, importance=p)
        for row, wanted in zip(spelt_out(labels_of(block)), expected, strict=True):
            assert [label for label, _ in row] == [label for label, _ in wanted]
            assert_allclose([gain for _, gain in row], [gain for _, gain in wanted], rtol=3e-4)


@given(SEEDS)
def test_labels_that_are_not_known_are_not_listed(in_both_forms, gathered, seed):
    rng = np.random.default_rng(seed)
    Y = random_labels(rng, k=4)
    Y[rng.random(Y.shape) < 0.3] = np.nan
    varies = (Y == 1).any(axis=0) & (Y == 0).any(axis=0)
    assume(varies.any())
    expected = np.nan_to_num(Y[:, varies])
    for matrix in in_both_forms(Y):
        lists = labels_of(gathered(matrix, power=0.0)[0])
        found = np.zeros((len(Y), lists.n_labels))
        for i, row in enumerate(spelt_out(lists)):
            for label, gain in row:
                found[i, label] = gain
        # Among labels that begin in the same row, a missing value above may decide which comes first.
        assert_array_equal(found[:, np.lexsort(found)], expected[:, np.lexsort(expected)])


def test_a_label_in_part_has_part_of_its_gain_and_full_columns_are_read_from_their_lowest(
    in_both_forms, gathered
):
    Y = np.array([[1.0, 0.2], [0.25, 0.2], [0.0, 1.0], [0.0, 0.6]])
    heights = np.array([1.0, 0.8**2])  # of the second, weights are seen through its range
    expected = listed(np.array([[1.0, 0.0], [0.25, 0.0], [0.0, 1.0], [0.0, 0.5]]) * heights)
    for matrix in in_both_forms(Y):
        block, _, _ = gathered(matrix, power=0.0)
        for row, wanted in zip(spelt_out(labels_of(block)), expected, strict=True):
            assert_allclose(np.array(row), np.array(wanted), rtol=3e-4)


def test_labels_of_equal_weight_have_the_same_gain_to_the_last_bit(in_both_forms, gathered):
    rng = np.random.default_rng(0)
    Y = random_labels(rng, 200, 7)
    for matrix in in_both_forms(Y):
        block, _, _ = gathered(matrix, weights=rng.uniform(0.1, 3, 200), power=0.0)
        assert_array_equal(labels_of(block).gains, 1.0)


# ---- the slow twin


def ranking(G, r, rows):
    """Discount of each label on a side, by the sum of its gains over the rows."""
    ideal = np.array([(1 / np.log2(2 + np.arange(np.count_nonzero(g)))).sum() for g in G])
    score = np.array([sum(r[i] * G[i, j] / ideal[i] for i in rows if G[i, j] > 0) for j in range(G.shape[1])])
    order = sorted(range(G.shape[1]), key=lambda j: (-score[j], j))
    discount = np.zeros(G.shape[1])
    discount[order] = 1 / np.log2(2 + np.arange(len(order)))
    return discount


def mean_gain(G, r, side):
    """Weighted sum over the rows of the normalised gain in the ranking of their sides."""
    ideal = [(1 / np.log2(2 + np.arange(np.count_nonzero(g)))).sum() for g in G]
    left, right = (ranking(G, r, np.flatnonzero(side == value)) for value in (False, True))
    return sum(r[i] * (G[i] @ (right if side[i] else left)) / max(ideal[i], 1) for i in range(len(G)))


def next_sides(G, r, side):
    left, right = (ranking(G, r, np.flatnonzero(side == value)) for value in (False, True))
    difference = G @ (right - left)
    return np.where(np.abs(difference) < 1e-12, side, difference > 0)


def partition(G, r=None, rounds=50, seed=STREAM):
    r = np.ones(len(G), np.float32) if r is None else np.asarray(r, np.float32)
    side = np.empty(len(G), np.bool_)
    found = ndcg_partition(lists_of(G), r, rounds, np.array([seed], np.uint64), side)
    return side, found


def as_they_come(G):
    """Columns in the order in which rows have them, which is that of equal labels."""
    first = [np.flatnonzero(G[:, j])[0] for j in range(G.shape[1])]
    return G[:, np.lexsort((np.arange(G.shape[1]), first))]


@example(31, 1)  # the labels of a row have the same ranks on both sides, in another order
@given(SEEDS, st.integers(1, 4))
def test_sides_are_those_of_the_slow_twin(seed, rounds):
    rng = np.random.default_rng(seed)
    G = as_they_come(random_labels(rng) * 1.0)
    r = rng.integers(1, 5, len(G)).astype(np.float64)
    expected, _ = partition(G, r, 0, seed=seed + 1)
    for _ in range(rounds):
        before, expected = expected, next_sides(G, r, expected)
        if r[before != expected].sum() <= 1e-3 * r.sum():
            break
    side, found = partition(G, r, rounds, seed=seed + 1)
    has_labels = G.any(axis=1)
    assert_array_equal(side, expected)
    assert found == (side[has_labels].any() and not side[has_labels].all())


@given(SEEDS)
def test_no_round_lowers_the_mean_gain(seed):
    rng = np.random.default_rng(seed)
    G = random_labels(rng, 15, 6) * rng.uniform(0.2, 1, 6)
    r = rng.uniform(0.5, 2, 15).astype(np.float32)
    values = [mean_gain(G, r, partition(G, r, rounds)[0]) for rounds in range(8)]
    assert (np.diff(values) >= -1e-6).all()


@given(SEEDS, st.integers(2, 40))
def test_half_of_the_rows_begin_on_the_right(seed, n):
    side, _ = partition(np.eye(n), rounds=0, seed=seed + 1)
    assert side.sum() == n // 2


def test_every_row_begins_on_either_side_equally_often():
    seeds = np.random.default_rng(0).integers(1, 2**63, 400)
    shares = np.mean([partition(np.eye(9), rounds=0, seed=seed)[0] for seed in seeds], axis=0)
    assert (np.abs(shares - 4 / 9) < 0.12).all()  # about five standard deviations


@pytest.mark.parametrize("seed", range(1, 6))
def test_rows_of_groups_with_labels_of_their_own_stay_together(seed):
    rng = np.random.default_rng(seed)
    group = rng.permutation(np.arange(90) % 3)
    own = np.arange(12) // 4 == group[:, None]
    G = (own & (rng.random((90, 12)) < 0.8) | (np.arange(12) == 4 * group[:, None])) * 1.0
    side, found = partition(G, seed=STREAM + seed)
    assert found
    assert [len(set(side[group == g])) for g in range(3)] == [1, 1, 1]


def test_rows_without_labels_keep_the_side_of_the_start():
    G = np.eye(5)[np.arange(30) % 5]
    G[::3] = 0.0
    start, _ = partition(G, rounds=0)
    side, _ = partition(G)
    assert_array_equal(side[::3], start[::3])
    assert (side != start).any()


def test_sides_without_a_labelled_row_are_no_partition():
    G = np.array([[1.0], [0.0], [0.0], [0.0]])
    assert not partition(G)[1]


def test_weights_of_labels_decide_which_of_them_makes_the_sides():
    # Each row has one of two common and one of two other labels; sides go with the heavier pair.
    rows = np.arange(80)
    Y = np.zeros((80, 4))
    Y[rows, rows % 2] = 1.0
    Y[rows, 2 + rows // 40] = 1.0
    for heavy, expected in ((0, rows % 2), (2, rows // 40)):
        weights = np.full(4, 0.05)
        weights[heavy : heavy + 2] = 1.0
        agreements = []
        for seed in range(1, 11):
            side, _ = partition(Y * weights, seed=STREAM + seed)
            agreements.append(abs((side == expected).mean() - 0.5) * 2)
        assert np.median(agreements) == 1.0
