"""Claims about average ranks and their tests: against slow twins, scipy, and the example of Demšar (2006)."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from slantwood_bench.ranks import average_ranks, compare, holm, signed_rank_p_value

NAN = float("nan")

# Demšar (2006), Table 6: AUC of C4.5 plain, with m, with cf and with both chosen by validation. The last two
# tie in the row before the last as printed, 0.975, but not as ranked: 2 and 3.
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)

# Few values, so that many tie; some methods do not finish.
qualities = st.integers(0, 5).map(lambda i: i / 8) | st.just(NAN)
tables = st.tuples(st.integers(1, 9), st.integers(1, 5)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=qualities)
)


def names_of(table):
    return [f"method {i}" for i in range(table.shape[1])]


# ---- slow twins


def slow_ranks(table):
    def better(one, other):
        return not np.isnan(one) and (np.isnan(other) or one > other)

    ranks = np.zeros(table.shape)
    for i, row in enumerate(table):
        for j, own in enumerate(row):
            ahead = sum(better(other, own) for other in row)
            behind = sum(better(own, other) for other in row)
            ranks[i, j] = np.mean(range(1 + ahead, len(row) - behind + 1))
    return ranks


def slow_p_value(first, second):
    """Put all signs to the differences, and count sums of ranks that are at least as far from the middle."""
    differences = []
    for one, other in zip(first, second, strict=True):
        if np.isnan(one) or np.isnan(other):
            differences.append(1e9 * (int(np.isnan(other)) - int(np.isnan(one))))
        else:
            differences.append(round(one - other, 9))
    differences = [value for value in differences if value != 0]
    sizes = [abs(value) for value in differences]
    ranks = [
        sum(other < size for other in sizes) + (1 + sum(other == size for other in sizes)) / 2
        for size in sizes
    ]
    seen = abs(sum(rank * np.sign(value) for rank, value in zip(ranks, differences, strict=True)))
    sums = [abs(np.dot(signs, ranks)) for signs in product((-1, 1), repeat=len(ranks))]
    return np.mean([value >= seen for value in sums])


def slow_holm(p_values):
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted, largest = [0.0] * len(p_values), 0.0
    for step, i in enumerate(order):
        largest = max(largest, (len(p_values) - step) * p_values[i])
        adjusted[i] = min(1.0, largest)
    return adjusted


def slow_cliques(comparison):
    significant = {(pair.better, pair.worse) for pair in comparison.pairs if pair.significant}
    names = comparison.names
    runs = [
        names[first:end]
        for first in range(len(names))
        for end in range(first + 2, len(names) + 1)
        if not significant & set(combinations(names[first:end], 2))
    ]
    return {run for run in runs if not any(set(run) < set(other) for other in runs)}


# ---- ranks


@given(tables)
def test_ranks_equal_their_slow_twin(table):
    np.testing.assert_array_equal(average_ranks(table), slow_ranks(table).mean(axis=0))


@given(tables)
def test_ranks_of_all_methods_have_the_same_mean_always(table):
    n_methods = table.shape[1]
    ranks = average_ranks(table)
    assert ranks.sum() == pytest.approx(n_methods * (n_methods + 1) / 2)
    assert ranks.min() >= 1
    assert ranks.max() <= n_methods


@given(tables)
def test_ranks_do_not_change_with_the_scale_of_quality(table):
    scale = np.arange(1, 1 + len(table))[:, np.newaxis]  # another one on each data set
    np.testing.assert_array_equal(average_ranks(table), average_ranks(np.exp(scale * table) - 7))


@given(tables)
def test_what_did_not_finish_is_worse_than_anything(table):
    np.testing.assert_array_equal(
        average_ranks(table), average_ranks(np.where(np.isnan(table), -1e300, table))
    )


def test_those_that_did_not_finish_share_the_worst_ranks():
    assert average_ranks([[NAN, 0.1, NAN, -5.0]]).tolist() == [3.5, 1.0, 3.5, 2.0]


# ---- tests


@given(st.lists(st.tuples(qualities, qualities), min_size=1, max_size=9))
def test_wilcoxon_equals_all_signs_tried(rows):
    first, second = np.array(rows).T
    assert signed_rank_p_value(first, second) == pytest.approx(slow_p_value(first, second))


@given(st.integers(1, 45), st.integers(0, 10**6))
def test_wilcoxon_agrees_with_scipy_where_nothing_ties(n_sets, seed):
    first, second = np.random.default_rng(seed).normal([[0.3], [0.0]], size=(2, n_sets))
    expected = stats.wilcoxon(first, second, method="exact").pvalue
    assert signed_rank_p_value(first, second) == pytest.approx(expected)


def test_wilcoxon_ties_differences_that_only_rounding_tells_apart():
    first, second = np.array([0.9, 0.8, 0.7, 0.9]), np.array([0.8, 0.7, 0.6, 1.0])
    assert len(set(np.abs(first - second))) > 1
    assert signed_rank_p_value(first, second) == slow_p_value([1, 1, 1, 0], [0, 0, 0, 1]) == 0.625
    # Differences of 0.005 either way. Without the two data sets that tie, the lesser sum of ranks is 6.5.
    whole = (1000 * DEMSAR[:, :2]).round()
    assert signed_rank_p_value(*DEMSAR[:, :2].T) == pytest.approx(slow_p_value(*whole.T))


def test_wilcoxon_is_exact_for_many_data_sets():
    first = np.arange(1.0, 301)
    assert signed_rank_p_value(first, np.zeros(300)) == pytest.approx(2.0**-299)
    middling = np.where(np.arange(300) % 2, first, -first)
    normal = stats.wilcoxon(middling, method="approx").pvalue
    assert signed_rank_p_value(middling, np.zeros(300)) == pytest.approx(normal, abs=0.01)


# No product of a p-value and a number of pairs is at this level.
@given(
    st.lists(st.integers(0, 1000).map(lambda i: i / 1000), max_size=12),
    st.sampled_from([0.0500017, 0.3000017]),
)
def test_holm_equals_its_slow_twin_and_the_step_down_procedure(p_values, alpha):
    adjusted = holm(p_values)
    assert adjusted.tolist() == pytest.approx(slow_holm(p_values))
    rejected = 0
    for step, p_value in enumerate(sorted(p_values)):
        if p_value > alpha / (len(p_values) - step):
            break
        rejected += 1
    assert (adjusted <= alpha).sum() == rejected


@given(tables.filter(lambda table: table.shape[0] >= 2 and table.shape[1] >= 3))
def test_friedman_agrees_with_scipy_and_is_never_undefined(table):
    found = compare(names_of(table), table)
    if (slow_ranks(table) == (table.shape[1] + 1) / 2).all():
        assert (found.friedman, found.friedman_p_value) == (0.0, 1.0)
    else:
        expected = stats.friedmanchisquare(*np.where(np.isnan(table), -1.0, table).T)
        assert found.friedman == pytest.approx(expected.statistic)
        assert found.friedman_p_value == pytest.approx(expected.pvalue)


@pytest.mark.parametrize("shape", [(1, 4), (5, 2), (3, 1), (1, 1)])
def test_friedman_is_nan_where_there_is_too_little(shape):
    table = np.random.default_rng(0).normal(size=shape)
    found = compare(names_of(table), table)
    assert np.isnan(found.friedman)
    assert np.isnan(found.friedman_p_value)


# ---- comparisons


@given(tables, st.sampled_from([0.05, 0.3, 0.9]))
def test_comparisons_put_ranks_pairs_and_cliques_together(table, alpha):
    names = names_of(table)
    found = compare(names, table, alpha)
    column = {name: i for i, name in enumerate(names)}
    ranks = average_ranks(table)
    assert sorted(found.names) == names
    assert list(found.ranks) == sorted(ranks) == [ranks[column[name]] for name in found.names]
    assert found.n_sets == len(table)
    assert [(pair.better, pair.worse) for pair in found.pairs] == list(combinations(found.names, 2))
    for pair in found.pairs:
        slow = slow_p_value(table[:, column[pair.better]], table[:, column[pair.worse]])
        assert pair.p_value == pytest.approx(slow)
        assert pair.significant == (pair.adjusted_p_value <= alpha)
        assert pair.p_value >= found.smallest_p_value
        assert pair.adjusted_p_value >= found.smallest_adjusted_p_value * (1 - 1e-12)
    assert [pair.adjusted_p_value for pair in found.pairs] == pytest.approx(
        slow_holm([pair.p_value for pair in found.pairs])
    )
    assert len(set(found.cliques)) == len(found.cliques)
    assert set(found.cliques) == slow_cliques(found)


@pytest.mark.parametrize("seed", range(8))
def test_cliques_of_planted_groups(seed):
    rng = np.random.default_rng(seed)
    table = rng.normal(scale=0.1, size=(25, 9)) + np.array([0, 5, 5.05, 5.1, 5.15, 5.2, 8, 8, 12])
    found = compare(names_of(table), table)
    assert set(found.cliques) == slow_cliques(found)
    assert any(pair.significant for pair in found.pairs)
    assert not any("method 0" in clique or "method 8" in clique for clique in found.cliques)
    # Runs overlap without one within another, in the order of the names.
    starts = [found.names.index(clique[0]) for clique in found.cliques]
    ends = [found.names.index(clique[-1]) for clique in found.cliques]
    assert starts == sorted(set(starts))
    assert ends == sorted(set(ends))


def test_no_clique_holds_a_pair_that_differs_even_if_its_ends_do_not():
    steady, a_bit_worse = np.full(12, 0.5), np.full(12, 0.4)
    often_best = np.where(np.arange(12) < 3, -9.0, 0.9)
    found = compare(["often best", "steady", "worse"], np.column_stack([often_best, steady, a_bit_worse]))
    assert found.names == ("often best", "steady", "worse")
    assert [pair.significant for pair in found.pairs] == [False, False, True]
    assert found.cliques == (("often best", "steady"),)


@given(tables, st.randoms(use_true_random=False))
def test_the_order_of_methods_and_data_sets_does_not_matter(table, random):
    rows, columns = list(range(table.shape[0])), list(range(table.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    names = names_of(table)
    found = compare(names, table, 0.3)
    again = compare([names[i] for i in columns], table[rows][:, columns], 0.3)
    assert (again.names, again.ranks, again.cliques) == (found.names, found.ranks, found.cliques)
    assert [pair.adjusted_p_value for pair in again.pairs] == pytest.approx(
        [pair.adjusted_p_value for pair in found.pairs]
    )
    assert again.friedman == pytest.approx(found.friedman, nan_ok=True)


def test_methods_that_are_the_same_do_not_differ():
    found = compare(["b", "a", "c"], np.tile(np.linspace(0, 1, 12)[:, np.newaxis], 3))
    assert found.names == ("a", "b", "c")
    assert found.ranks == (2.0, 2.0, 2.0)
    assert {pair.p_value for pair in found.pairs} == {1.0}
    assert found.cliques == (("a", "b", "c"),)


def test_one_data_set_tells_nothing_apart():
    found = compare(["a", "b", "c"], [[0.1, 0.3, NAN]])
    assert found.names == ("b", "a", "c")
    assert found.ranks == (1.0, 2.0, 3.0)
    assert found.cliques == (("b", "a", "c"),)
    assert found.smallest_p_value == found.smallest_adjusted_p_value == 1.0


def test_the_smallest_p_value_is_reached_by_who_always_wins():
    table = np.arange(8.0)[:, np.newaxis] * [1, 3, 9] + [0, 1, 2]
    found = compare(["a", "b", "c"], table)
    assert {pair.p_value for pair in found.pairs} == {found.smallest_p_value} == {2.0**-7}
    assert (
        min(pair.adjusted_p_value for pair in found.pairs) == found.smallest_adjusted_p_value == 3 * 2.0**-7
    )
    assert found.cliques == ()


def test_not_finishing_counts_as_a_loss_in_every_test():
    table = np.column_stack([np.linspace(0.5, 0.9, 10), np.full(10, NAN)])
    (pair,) = compare(["finished", "did not"], table).pairs
    assert pair.better == "finished"
    assert pair.p_value == pytest.approx(2.0**-9)
    assert pair.significant


# ---- published figures


def test_ranks_and_wilcoxon_of_demsar():
    names = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]
    found = compare(names, DEMSAR)
    assert average_ranks(DEMSAR).round(3).tolist() == [3.143, 2.000, 2.893, 1.964]
    assert found.names == ("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5")
    # Without the correction for ties, as printed there.
    ranks = np.array(found.ranks)
    assert 12 * 14 / (4 * 5) * (np.sum(ranks**2) - 4 * 5**2 / 4) == pytest.approx(9.28, abs=0.005)
    assert found.friedman > 9.28
    (pair,) = [pair for pair in found.pairs if {pair.better, pair.worse} == {"C4.5", "C4.5+m"}]
    assert pair.p_value < 0.05


# ---- what cannot be


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: average_ranks([0.1, 0.2]), r"quality is of shape \(2,\), must be of shape \(n_sets, n_m"),
        (lambda: average_ranks(np.empty((0, 3))), r"quality is of shape \(0, 3\)"),
        (lambda: average_ranks([[1.0, np.inf]]), r"quality\[0, 1\]=inf must be finite, or NaN"),
        (lambda: compare(["a"], [[1.0, 2.0]]), "names has 1 entries, quality 2 columns"),
        (lambda: compare(["a", "a"], [[1.0, 2.0]]), "names holds 'a' more than once"),
        (lambda: compare(["a", "b"], [[1.0, 2.0]], alpha=5), "alpha=5 must be between 0 and 1"),
    ],
)
def test_errors_name_the_argument_and_the_remedy(call, message):
    with pytest.raises(ValueError, match=message):
        call()
