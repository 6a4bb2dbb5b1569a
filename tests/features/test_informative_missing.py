"""Columns that are missing for a reason are told from those that are missing at random."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from scipy.stats import chi2_contingency, fisher_exact, mannwhitneyu, ttest_ind

from slantwood.features.informative_missing import informative_columns

LEVEL = 0.001


def found(marks, Y, weights=None, numbers=()):
    are_indicators = np.ones(Y.shape[1], np.bool_)
    are_indicators[list(numbers)] = False
    weights = np.ones(marks.shape[0]) if weights is None else weights
    return informative_columns(marks, Y, weights, are_indicators)


def planted(seed, n=400, n_columns=6, strength=0.3, kind="classes"):
    """Missing cells in which the first column depends on the first of three targets."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=(n, 3))
    Y = (hidden > [0.0, 0.5, 1.0]).astype(float) if kind == "classes" else np.exp(hidden)
    marks = (rng.random((n, n_columns)) < 0.3).astype(float)
    marks[:, 0] = rng.random(n) < 0.3 + strength * np.sign(hidden[:, 0])
    return marks, Y


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_the_column_that_depends_on_a_target_is_found_and_no_other(kind):
    for seed in range(20):
        marks, Y = planted(seed, kind=kind)
        numbers = () if kind == "classes" else range(3)
        assert_array_equal(found(marks, Y, numbers=numbers), np.arange(6) == 0)


@pytest.mark.parametrize(("share", "rare"), [(0.3, 0.5), (0.02, 0.5), (0.02, 0.01)])
def test_cells_missing_at_random_are_not_found(share, rare):
    rng = np.random.default_rng(0)
    for _ in range(25):
        marks = (rng.random((500, 10)) < share).astype(float)
        Y = np.column_stack([rng.random((500, 10)) < rare, np.exp(2.0 * rng.normal(size=(500, 3)))])
        assert not found(marks, Y, numbers=range(10, 13)).any()


def test_decisions_are_those_of_the_usual_tests():
    decided = []
    for seed in range(60):
        marks, Y = planted(seed, n=300, n_columns=1, strength=0.25 * seed / 60)
        y = Y[:, :1]
        table = [[np.sum((marks[:, 0] == m) & (y[:, 0] == c)) for c in (0, 1)] for m in (0, 1)]
        chance = chi2_contingency(table, correction=False).pvalue
        if abs(np.log(chance / LEVEL)) > 0.1:  # rows drawn without replacement vary a little less
            assert found(marks, y)[0] == (chance < LEVEL)
            decided.append(chance < LEVEL)
    assert 10 < sum(decided) < len(decided) - 10


def test_numbers_differ_in_ranks_and_in_units():
    decided = []
    for seed in range(60):
        marks, Y = planted(seed, n=300, n_columns=1, strength=0.25 * seed / 60, kind="numbers")
        y, missing = np.sqrt(Y[:, 0]), marks[:, 0] == 1
        by_rank = mannwhitneyu(y[missing], y[~missing], use_continuity=False)
        chances = by_rank.pvalue, ttest_ind(y[missing], y[~missing]).pvalue
        if min(abs(np.log(np.array(chances) / LEVEL))) > 0.5:
            assert found(marks, y[:, None], numbers=[0])[0] == (max(chances) < LEVEL)
            decided.append(max(chances) < LEVEL)
    assert 10 < sum(decided) < len(decided) - 10


def test_few_rows_are_counted_exactly():
    n, positives, missing = 4000, 12, 12
    marks, y = np.zeros((n, 1)), np.zeros((n, 1))
    marks[:missing] = 1
    for both in range(4):
        y[:] = 0
        y[missing - both : missing - both + positives] = 1
        table = [[both, missing - both], [positives - both, n - missing - positives + both]]
        chance = fisher_exact(table, alternative="greater").pvalue
        assert found(marks, y)[0] == (2 * chance < LEVEL)
    assert found(marks, y)[0]


def test_a_single_row_far_away_does_not_decide():
    rng = np.random.default_rng(0)
    y = rng.normal(size=(500, 1))
    y[0] = 1e6
    marks = (rng.random((500, 3)) < 0.1).astype(float)
    marks[0] = 1
    assert not found(marks, y, numbers=[0]).any()
    # Nor what only ranks show: the variance is that of one row.
    marks[:, 0] = y[:, 0] > 0.5
    assert not found(marks, y, numbers=[0]).any()
    assert found(marks[1:], y[1:], numbers=[0]).any()


def test_a_trifle_is_not_enough_however_many_rows_show_it():
    y = (np.arange(200_000) % 2)[:, None].astype(float)
    rng = np.random.default_rng(0)
    for shift, expected in ((0.02, False), (0.1, True)):
        marks = (rng.random(y.shape) < 0.3 + shift * (y - 0.5)).astype(float)
        assert found(marks, y)[0] == expected


def test_the_first_of_columns_that_are_missing_together_stands_for_all():
    marks, Y = planted(0)
    twice = np.column_stack([marks[:, 1], marks[:, 0], marks[:, 0], marks[:, 2], marks[:, 0]])
    assert_array_equal(found(twice, Y), [False, True, False, False, False])


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_a_row_of_weight_zero_is_not_there_and_a_common_factor_of_weights_changes_nothing(kind):
    numbers = () if kind == "classes" else range(3)
    decided = []
    for seed in range(20):
        marks, Y = planted(seed, n=300, strength=0.1 if kind == "classes" else 0.2, kind=kind)
        weights = np.random.default_rng(seed).integers(0, 3, 300).astype(float)
        by_weight = found(marks, Y, weights, numbers)
        some = weights > 0
        assert_array_equal(by_weight, found(marks[some], Y[some], weights[some], numbers=numbers))
        assert_array_equal(by_weight, found(marks, Y, 1024.0 * weights, numbers))
        decided.append(by_weight[0])
    assert 0 < sum(decided) < 20


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_neither_the_order_of_rows_nor_the_container_matters(kind):
    numbers = () if kind == "classes" else range(3)
    order = np.random.default_rng(0).permutation(150)
    for seed in range(10):
        marks, Y = planted(seed, n=150, strength=0.2, kind=kind)
        expected = found(marks, Y, numbers=numbers)
        assert_array_equal(found(marks[order], Y[order], numbers=numbers), expected)
        assert_array_equal(found(sp.csr_array(marks), sp.csr_array(Y), numbers=numbers), expected)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_rows_that_do_not_know_a_target_have_no_part_in_its_test(container):
    marks, Y = planted(0)
    unknown = np.random.default_rng(1).random(400) < 0.5
    lost = Y[:, :1].copy()
    lost[unknown] = np.nan
    # Were they taken as zeros, the second column would tell where they are.
    marks[:, 1] = unknown
    expected = found(marks[~unknown], Y[~unknown, :1])
    assert_array_equal(found(marks, container(lost)), expected)
    assert_array_equal(expected, np.arange(6) == 0)


@pytest.mark.parametrize("n_missing", [0, 9, 391, 400])
def test_a_few_rows_with_or_without_a_value_say_nothing(n_missing):
    y = (np.arange(400) < n_missing).astype(float)[:, None]
    assert not found(y.copy(), y).any()
    assert not found(y.copy(), np.full((400, 1), np.nan)).any()
