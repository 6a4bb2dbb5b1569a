"""Claims about scores by few trees, as they would be by all trees of a model."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from slantwood.explain.conformal_quantile import conformal_quantile
from slantwood.explain.fewer_trees import ByTrees, Scored, factor_for_all, limit_for_all

M, T = 16, 50


def test_a_loss_that_falls_with_the_number_of_trees_is_told_exactly():
    def loss(m):
        return 2.0 + 3.0 / m

    assert_allclose(loss(M) * factor_for_all(loss(M), loss(M / 2), M / T), loss(T))


def test_few_noisy_trees_change_little():
    assert factor_for_all(1.0, 9.0, 0.3) == pytest.approx(0.9)
    assert factor_for_all(0.0, 0.0, 0.3) == 1.0


def votes(n_rows, seed):
    """Votes of rows by M trees in quarters, and by T others; many rows have no vote at all."""
    rng = np.random.default_rng(seed)
    chance = rng.beta(0.4, 2.0, size=n_rows)
    tie_break = rng.uniform(size=n_rows) / T
    quarters = [rng.binomial(M // 4, chance) for _ in range(4)]

    def scored(counts, n_trees):
        return Scored(1.0 - counts / n_trees - tie_break, np.ones(n_rows))

    halves = [scored(quarters[k] + quarters[k + 2], M // 2) for k in (0, 1)]
    parts = [scored(each, M // 4) for each in quarters]
    by_trees = ByTrees(scored(sum(quarters), M), halves, parts, M / T, T)
    return by_trees, scored(rng.binomial(T, chance), T).score


# One vote of all trees is worth 0.02, and some of the scores lie at each: nothing is nearer than these.
@pytest.mark.parametrize(("coverage", "nearest"), [(0.8, 0.03), (0.9, 0.015), (0.95, 0.015)])
def test_within_the_limit_all_trees_have_the_coverage(coverage, nearest):
    by_trees, _ = votes(4000, 0)
    _, of_all_trees = votes(40000, 1)
    limit = limit_for_all(by_trees, coverage)
    plain = conformal_quantile(*by_trees.every, coverage)
    off, plainly_off = (abs(np.mean(of_all_trees <= each) - coverage) for each in (limit, plain))
    assert off < nearest
    assert off <= plainly_off + 0.01


def test_where_most_rows_have_no_vote_few_trees_would_cover_too_much():
    by_trees, _ = votes(4000, 0)
    _, of_all_trees = votes(40000, 1)
    plain = conformal_quantile(*by_trees.every, 0.9)
    assert plain > 1 - 1 / T
    assert np.mean(of_all_trees <= plain) > 0.92


def test_where_all_trees_say_the_same_the_limit_is_the_quantile():
    score = np.random.default_rng(0).uniform(size=2000)
    same = Scored(score, np.ones(2000))
    limit = limit_for_all(ByTrees(same, [same] * 2, [same] * 4, M / T, T), 0.9)
    assert_allclose(limit, conformal_quantile(*same, 0.9), atol=0.01)


def test_limits_rise_with_the_coverage_and_are_infinite_where_rows_are_too_few():
    by_trees, _ = votes(300, 0)
    limits = [limit_for_all(by_trees, coverage) for coverage in (0.1, 0.5, 0.8, 0.9, 0.95, 0.99)]
    assert limits == sorted(limits)
    same = Scored(np.full(8, 0.5), np.ones(8))
    assert limit_for_all(ByTrees(same, [same] * 2, [same] * 4, M / T, T), 0.9) == np.inf
