"""Claims about scores by few trees, as they would be by all trees of a model."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from slantwood.explain.conformal_quantile import conformal_quantile
from slantwood.explain.fewer_trees import Scored, factor_for_all, limit_for_all

M, T = 18, 50


def test_a_loss_that_falls_with_the_number_of_trees_is_told_exactly():
    def loss(m):
        return 2.0 + 3.0 / m

    assert_allclose(loss(M) * factor_for_all(loss(M), loss(M / 2), M / T), loss(T))


def test_few_noisy_trees_change_little():
    assert factor_for_all(1.0, 9.0, 0.3) == pytest.approx(0.9)
    assert factor_for_all(0.0, 0.0, 0.3) == 1.0


def votes(n_rows, seed):
    """Scores of rows by M trees, by each half of these, and by T others; many rows have no vote at all."""
    rng = np.random.default_rng(seed)
    chance = rng.beta(0.4, 2.0, size=n_rows)
    tie_break = rng.uniform(size=n_rows) / T
    halves = [rng.binomial(M // 2, chance) for _ in range(2)]
    counts = ((sum(halves), M), (halves[0], M // 2), (halves[1], M // 2), (rng.binomial(T, chance), T))
    return [1.0 - count / n_trees - tie_break for count, n_trees in counts]


def test_of_scores_without_votes_the_limit_of_all_trees_comes_nearer_to_the_coverage():
    ones = np.ones(2000)
    few, *halves, _ = (Scored(score, ones) for score in votes(2000, 0))
    of_all_trees = votes(20000, 1)[-1]
    plain = conformal_quantile(*few, 0.9)
    limit = limit_for_all(few, halves, M / T, 0.9)
    assert plain > 1 - 1 / T
    assert limit < plain
    assert np.mean(of_all_trees <= plain) > 0.92
    assert 0.885 < np.mean(of_all_trees <= limit) < np.mean(of_all_trees <= plain)


def test_limits_rise_with_the_coverage_and_are_infinite_where_rows_are_too_few():
    few, *halves, _ = (Scored(score, np.ones(300)) for score in votes(300, 0))
    limits = [limit_for_all(few, halves, M / T, coverage) for coverage in (0.5, 0.8, 0.9, 0.95)]
    assert limits == sorted(limits)
    same = Scored(np.zeros(8), np.ones(8))
    assert limit_for_all(same, [same, same], M / T, 0.9) == np.inf
