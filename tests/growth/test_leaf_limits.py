"""Claims about how small leaves may be, how many there may be, and splits that must be significant."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from scipy.stats import f as f_distribution
from scipy.stats import f_oneway

from slantwood import AxisParallelSplit, ObliqueTreeRegressor
from slantwood.growth.significance import critical_values, is_significant

pytestmark = pytest.mark.sampled


def problem(seed=0, n=80, sparse=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)).astype(np.float32)
    X[rng.random(X.shape) < 0.3] = 0.0
    Y = np.column_stack([X[:, 0] * X[:, 1] > 0, X[:, 2] > 1.0]) + 0.3 * rng.normal(size=(n, 2))
    return sp.csr_array(X) if sparse else X, Y


def leaves_of(tree):
    return np.flatnonzero(tree.left < 0)


LEARNERS = {"axis": AxisParallelSplit(), "at random": AxisParallelSplit("random"), "gradient": None}


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize(("least", "share"), [(7, 0.0), (1, 0.12), (5, 0.1)])
def test_every_leaf_has_the_rows_and_the_weight_that_it_needs(plan, grown, learner, sparse, least, share):
    rng = np.random.default_rng(least)
    counts = rng.integers(1, 4, 80)
    row_weights = rng.choice([0.5, 1.0, 3.0], 80)
    limits = {"min_samples_leaf": least, "min_weight_fraction_leaf": share, "min_impurity_decrease": 0.0}
    X, Y = problem(sparse=sparse)
    tree = grown(plan(X, Y, learner=LEARNERS[learner], row_weights=row_weights, **limits), counts, seed=7)
    weights = row_weights * counts
    assert len(leaves_of(tree)) > 1
    for leaf in leaves_of(tree):
        rows = tree.rows[tree.start[leaf] : tree.stop[leaf]]
        assert max(weights[rows].sum(), counts[rows].sum()) >= least
        assert weights[rows].sum() >= share * weights.sum() * (1 - 1e-6)


@pytest.mark.parametrize("split", ["axis", "ridge", "cart-lc", "oc1", "gradient"])
def test_a_threshold_that_leaves_too_few_rows_moves_along_the_direction(split):
    # The best cut of this line leaves one row; of those that leave five, the nearest to it is the best.
    X = np.arange(20.0)[:, None]
    y = np.where(X[:, 0] < 1, 10.0, 0.0)
    settings = {"split": split, "max_depth": 1, "min_samples_split": 2, "random_state": 0}
    sizes = [
        sorted(ObliqueTreeRegressor(**settings, min_samples_leaf=least).fit(X, y).trees_.node_weight[1:])
        for least in (1, 5)
    ]
    assert sizes[0][0] < 5.0
    assert sizes[1] == [5.0, 15.0]


# ---- how many leaves


@pytest.mark.parametrize("learner", ["axis", "gradient"])
def test_there_are_no_more_leaves_than_allowed_and_just_so_many_where_there_can_be(plan, grown, learner):
    settings = {"learner": LEARNERS[learner], "min_impurity_decrease": 0.0}
    most = len(leaves_of(grown(plan(*problem(), **settings))))
    for wanted in (2, 3, 10, most, most + 5):
        count = len(leaves_of(grown(plan(*problem(), **settings, max_leaf_nodes=wanted))))
        # In another order of nodes a learner that draws random numbers finds other splits, or none.
        assert count == min(wanted, most) or (learner == "gradient" and 10 < count < wanted)


def removed(tree):
    """What each split removes of the impurity, and the range of rows that it divides."""
    starts = tree.indptr[:-1]
    inner = tree.left >= 0
    shares = np.add.reduceat(tree.shares, starts[inner])
    return dict(zip(zip(tree.start[inner], tree.stop[inner], strict=True), shares, strict=True))


def test_the_splits_that_remove_the_most_come_first(plan, grown):
    """With a learner that uses no chance, splits are those of the whole tree, taken greedily."""
    settings = {"learner": AxisParallelSplit(), "min_impurity_decrease": 0.0}
    whole = grown(plan(*problem(), **settings))
    gains = removed(whole)
    frontier, chosen = [0], set()
    while len(chosen) < 9:
        node = max(frontier, key=lambda k: gains.get((whole.start[k], whole.stop[k]), -1.0))
        frontier.remove(node)
        chosen.add((whole.start[node], whole.stop[node]))
        frontier += [child for child in (whole.left[node], whole.right[node]) if whole.left[child] >= 0]
    assert set(removed(grown(plan(*problem(), **settings, max_leaf_nodes=10)))) == chosen


def test_trees_that_grew_best_first_are_numbered_breadth_first(plan, grown):
    tree = grown(plan(*problem(), min_impurity_decrease=0.0, max_leaf_nodes=12))
    inner = np.flatnonzero(tree.left >= 0)
    assert_array_equal(tree.left[inner], 1 + 2 * np.arange(len(inner)))
    assert_array_equal(tree.right[inner], tree.left[inner] + 1)
    assert (np.diff(tree.depth) >= 0).all()
    assert_array_equal(np.diff(tree.indptr) > 0, tree.left >= 0)
    assert np.isclose(tree.importance.sum(), tree.shares.sum())


# ---- significance


@pytest.mark.plain_python
@pytest.mark.parametrize("level", [0.001, 0.05, 0.3])
def test_a_split_is_significant_where_an_analysis_of_variance_says_so(level):
    rng = np.random.default_rng(0)
    seen = set()
    for n in [*range(3, 40), 400, 3000]:
        y = rng.normal(size=n)
        half = n // 2
        y[:half] += rng.choice([0.0, 0.2, 1.0])
        within = sum(((side - side.mean()) ** 2).sum() for side in (y[:half], y[half:]))
        total = ((y - y.mean()) ** 2).sum()
        expected = f_oneway(y[:half], y[half:]).pvalue < level
        assert is_significant(critical_values(level), float(n), total, total - within) == expected
        seen.add(bool(expected))
    assert seen == {True, False}


def test_critical_values_beyond_the_table_are_those_of_the_distribution():
    values = critical_values(0.01)
    for degrees in (1001, 1500, 20_000, 10**7):
        exact = f_distribution.isf(0.01, 1, degrees)
        for factor, expected in [(1 - 1e-5, False), (1 + 1e-5, True)]:
            explained = factor * exact / degrees
            assert is_significant(values, degrees + 2.0, 1.0 + explained, explained) == expected


def test_no_test_takes_place_without_a_level_or_where_all_pass():
    assert len(critical_values(None)) == len(critical_values(1.0)) == 0


@pytest.mark.parametrize("learner", ["axis", "gradient"])
def test_every_split_of_a_tested_tree_is_significant_over_all_targets(plan, grown, learner):
    X, Y = problem(n=150)
    settings = {"learner": LEARNERS[learner], "min_impurity_decrease": 0.0}
    trees = [grown(plan(X, Y, **settings, ftest=level)) for level in (None, 0.1, 0.001)]
    assert len(trees[0].left) > len(trees[1].left) > len(trees[2].left) > 1
    scaled = Y / Y.std(axis=0)
    for tree, level in zip(trees[1:], (0.1, 0.001), strict=True):
        for node in np.flatnonzero(tree.left >= 0):
            total, left, right = (
                ((rows - rows.mean(axis=0)) ** 2).sum()
                for rows in (
                    scaled[tree.rows[tree.start[k] : tree.stop[k]]]
                    for k in (node, tree.left[node], tree.right[node])
                )
            )
            degrees = tree.node_weight[node] - 2
            F = degrees * (total - left - right) / (left + right)
            assert f_distribution.isf(level, 1, degrees) * (1 - 1e-4) < F
