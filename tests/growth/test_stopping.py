"""Claims about when a node is left alone."""

import numpy as np
import pytest
import scipy.sparse as sp

from slantwood import ObliqueForestClassifier, ObliqueTreeClassifier
from slantwood.splits.own import OwnSplit


def noisy(n=300, d=6, t=2, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.integers(0, 2, (n, t)) * 1.0


def is_leaf(tree):
    return len(tree.left) == 1


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_no_leaf_is_deeper_than_allowed_and_some_reach_the_limit(plan, grown, depth):
    tree = grown(plan(*noisy(), max_depth=depth, min_impurity_decrease=0.0))
    assert tree.depth.max() == depth


@pytest.mark.parametrize("size", [2, 10, 60])
def test_nodes_of_fewer_rows_than_asked_for_are_leaves(plan, grown, size):
    tree = grown(plan(*noisy(), min_samples_split=size, min_impurity_decrease=0.0))
    rows = tree.stop - tree.start
    assert (rows[tree.left >= 0] >= size).all()
    assert (rows[tree.left < 0] < size).any()


@pytest.mark.plain_python
def test_drawn_copies_count_as_rows(plan, grown):
    X, Y = np.array([[0.0], [1.0]]), np.array([0.0, 1.0])
    assert not is_leaf(grown(plan(X, Y, min_samples_split=10), counts=[5, 5]))
    assert is_leaf(grown(plan(X, Y, min_samples_split=11), counts=[5, 5]))


@pytest.mark.plain_python
def test_a_heavy_row_is_one_row(plan, grown):
    X, Y = np.array([[0.0], [1.0]]), np.array([0.0, 1.0])
    assert not is_leaf(grown(plan(X, Y, min_samples_split=2, row_weights=[7.0, 3.0])))
    assert is_leaf(grown(plan(X, Y, min_samples_split=3, row_weights=[7.0, 3.0])))


@pytest.mark.plain_python
def test_light_rows_are_rows_too(plan, grown, split):
    X, Y = np.array([[0.0], [1.0]]), np.array([0.0, 1.0])
    given = {"learner": split(C=1e6), "row_weights": [0.1, 0.4]}
    assert not is_leaf(grown(plan(X, Y, min_samples_split=2, **given)))
    assert is_leaf(grown(plan(X, Y, min_samples_split=3, **given)))
    assert not is_leaf(grown(plan(X, Y, min_samples_split=8, **given), counts=[4, 4]))


@pytest.mark.plain_python
def test_many_copies_of_one_row_are_a_leaf(plan, grown):
    assert is_leaf(grown(plan(np.array([[1.0]]), np.array([1.0])), counts=[100]))


@pytest.mark.plain_python
@pytest.mark.parametrize("value", [0.0, 1.0, 0.1, -7.3])
def test_constant_targets_are_a_leaf_at_once(plan, grown, value):
    X, _ = noisy(60)
    assert is_leaf(grown(plan(X, np.full((60, 3), value), min_impurity_decrease=0.0)))


@pytest.mark.plain_python
@pytest.mark.parametrize("value", [0.0, 1.0, 0.1, -7.3])
def test_constant_features_are_a_leaf_at_once(plan, grown, value):
    _, Y = noisy(60)
    assert is_leaf(grown(plan(np.full((60, 4), value), Y, min_impurity_decrease=0.0)))


@pytest.mark.parametrize("seed", range(5))
def test_a_constant_feature_of_sparse_data_has_no_weight_in_any_split(plan, grown, split, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(1000, 30)) * (rng.random((1000, 30)) < 0.1)
    X[:, 3] = np.float32(rng.normal())
    Y = (X[:, :3].sum(axis=1) >= 0) * 1.0
    data = plan(sp.csr_array(X), Y, learner=split(start="informed"), max_depth=4)
    assert not data.X.is_dense
    tree = grown(data)
    assert not is_leaf(tree)
    assert 3 not in tree.indices


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_features_of_single_rows_divide_a_node_that_has_no_others(form):
    X = form(np.eye(15))
    forest = ObliqueForestClassifier(random_state=0).fit(X, range(15))
    assert forest.settings_.split.min_support == 2
    assert (forest.trees_.left >= 0).any()
    assert forest.score(X, range(15)) > 0.9


def test_they_are_left_out_where_there_are_others(plan, grown, split):
    # Two features are those of half of the rows each; every row also has one of its own.
    rng = np.random.default_rng(0)
    half = np.arange(60) % 2
    X = sp.csr_array(np.column_stack([half, 1 - half, np.eye(60)]))
    Y = (half == 1) ^ (rng.random(60) < 0.05)
    tree = grown(plan(X, Y * 1.0, learner=split(min_support=2), max_depth=1))
    assert set(tree.indices) <= {0, 1}
    assert not is_leaf(tree)


@pytest.mark.parametrize(("n", "share"), [(4, 0.5), (33, 0.1), (100, 0.3), (1000, 0.77)])
def test_asking_for_a_pure_side_accepts_a_split_that_has_one(n, share):
    rng = np.random.default_rng(n)
    y = np.arange(n) < share * n
    X = (10 * y + rng.normal(size=n))[:, None]
    tree = ObliqueTreeClassifier(min_impurity_decrease=1.0, min_samples_split=2, random_state=0).fit(X, y)
    assert tree.get_n_leaves() == 2
    assert tree.score(X, y) == 1.0


@pytest.mark.plain_python
def test_one_pure_side_is_enough(plan, grown):
    # The side of the first 20 rows is pure, the other as mixed as can be.
    X = np.repeat([[-1.0], [1.0]], 20, axis=0)
    Y = np.concatenate([np.zeros(20), np.tile([0.0, 1.0], 10)])
    tree = grown(plan(X, Y, min_impurity_decrease=1.0))
    assert len(tree.left) == 3
    assert sorted(tree.stop[1:] - tree.start[1:]) == [20, 20]


def test_asking_for_a_pure_side_refuses_splits_without_one():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 1))
    y = rng.random(500) < np.where(X[:, 0] > 0, 0.8, 0.2)
    assert ObliqueTreeClassifier(max_depth=1, random_state=0).fit(X, y).get_n_leaves() == 2
    assert ObliqueTreeClassifier(min_impurity_decrease=1.0, random_state=0).fit(X, y).get_n_leaves() == 1


def test_a_separable_problem_stops_when_its_leaves_are_pure():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2)) + 8 * np.repeat([[0, 0], [1, 0], [0, 1], [1, 1]], 50, axis=0)
    y = np.repeat(["a", "b", "c", "d"], 50)
    tree = ObliqueTreeClassifier(random_state=0).fit(X, y)
    assert tree.get_n_leaves() == 4
    assert tree.score(X, y) == 1.0


def test_a_target_that_is_constant_in_a_node_does_not_hold_its_splits_back(plan, grown):
    # Nine constant attributes beside one that is split perfectly would dilute an average.
    X = np.linspace(-1, 1, 80)[:, None]
    Y = np.hstack([(X >= 0) * 1.0, np.ones((80, 9))])
    assert not is_leaf(grown(plan(X, Y, min_impurity_decrease=0.9)))


def test_a_raised_flag_ends_growth_at_the_next_node(plan, grown):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    data = plan(X, X[:, :1])
    assert len(grown(data).left) > 1
    assert grown(data, stopped=True).left.tolist() == [-1]


def test_a_flag_that_is_raised_while_a_tree_grows_ends_growth_at_the_next_node(plan):
    flag = np.zeros(1, np.uint8)

    class RaisesFlag:
        """Splits along the first feature, and raises the flag in its third node."""

        n_calls = 0

        def learn(self, X, Z, p, weights, rng):
            self.n_calls += 1
            flag[0] = self.n_calls == 3
            return np.eye(X.shape[1])[0], 0.0

    learner = RaisesFlag()
    X = np.random.default_rng(0).normal(size=(500, 2))
    data = plan(X, X[:, :1], learner=OwnSplit(learner), min_impurity_decrease=0.0)
    stopped, _ = data.grow_tree(0, flag)
    assert learner.n_calls == 3
    assert (stopped.left >= 0).sum() == 3
    flag[0] = 0
    whole, _ = data.grow_tree(0, flag)
    assert (whole.left >= 0).sum() > 50
