"""Claims about splits that fail the rule and stay because of what they lead to."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from slantwood import ObliqueForestClassifier, ObliqueTreeClassifier, ObliqueTreeRegressor, SVMSplit
from slantwood.growth.nodes import SplitWeights, as_grown_tree, make_nodes
from slantwood.growth.trials import cut_back, is_beyond_chance

pytestmark = pytest.mark.sampled


def either_or(n, d, seed):
    """Two features that say nothing alone and all together, among others that say nothing."""
    X = np.random.default_rng(seed).uniform(-1, 1, (n, d))
    return X, (X[:, 0] > 0) ^ (X[:, 1] > 0)


# ---- what they find


@pytest.mark.parametrize("split", ["gradient", "svm", "ridge"])
@pytest.mark.parametrize(("d", "floor"), [(2, 0.95), (6, 0.8)])
def test_trees_learn_what_no_first_cut_shows(split, d, floor):
    scores = [
        ObliqueTreeClassifier(split=split, min_samples_split=2, random_state=seed)
        .fit(*either_or(1000, d, seed))
        .score(*either_or(2000, d, seed + 100))
        for seed in range(8)
    ]
    assert min(scores) > 0.55  # none is a single leaf
    assert np.mean(scores) > floor


@pytest.mark.parametrize("split", ["gradient", "svm"])
@pytest.mark.parametrize("seed", range(6))
def test_forests_do_too_also_where_the_learner_has_no_first_cut(split, seed):
    # With the fourth seed, the gradient split and that of the SVM find none.
    forest = ObliqueForestClassifier(n_estimators=10, split=split, random_state=seed)
    assert forest.fit(*either_or(500, 2, seed)).score(*either_or(2000, 2, seed + 100)) > 0.92


def test_trees_of_numbers_do_too():
    X, y = either_or(1000, 2, 0)
    X_test, y_test = either_or(1000, 2, 1)
    noise = np.random.default_rng(2).normal(size=1000)
    tree = ObliqueTreeRegressor(split="svm", random_state=0).fit(X, y + 0.1 * noise)
    assert tree.score(X_test, y_test.astype(float)) > 0.8


@pytest.mark.parametrize("seed", range(4))
def test_a_rule_that_accepts_every_split_leads_as_far_as_one_that_accepts_nearly_all(seed):
    # With the fourth seed the learner has no split of the root.
    X, y = either_or(300, 2, seed)
    split = SVMSplit.published()
    every, nearly = (
        ObliqueTreeClassifier(split=split, min_samples_split=2, min_impurity_decrease=least, random_state=0)
        for least in (0, 1e-9)
    )
    assert every.fit(X, y).get_n_leaves() >= nearly.fit(X, y).get_n_leaves() > 5
    assert every.score(X, y) > 0.95


# ---- what they leave alone


@pytest.mark.parametrize("split", ["gradient", "svm"])
@pytest.mark.parametrize("seed", range(5))
def test_noise_stays_a_leaf(split, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(3000, 10)), rng.integers(0, 2, 3000)
    assert ObliqueTreeClassifier(split=split, random_state=seed).fit(X, y).get_n_leaves() == 1


@pytest.mark.parametrize("seed", range(5))
def test_heavy_rows_do_not_make_noise_look_like_more(seed):
    # Of so few rows, the weights of which differ, nothing can be said, whatever they add up to.
    rng = np.random.default_rng(seed)
    X, y, weights = rng.normal(size=(500, 3)), rng.integers(0, 2, 500), 1000 * rng.exponential(size=500)
    tree = ObliqueTreeClassifier(split="svm", random_state=seed, min_impurity_decrease=0.2)
    assert tree.fit(X, y, sample_weight=weights).get_n_leaves() == 1


def test_depth_is_limited_on_trial_too():
    X, y = either_or(400, 2, 0)
    assert ObliqueTreeClassifier(split="svm", max_depth=1, random_state=0).fit(X, y).get_n_leaves() == 1
    assert ObliqueTreeClassifier(split="svm", max_depth=2, random_state=0).fit(X, y).get_depth() == 2


@pytest.mark.parametrize(("n", "d", "k"), [(60, 2, 1), (300, 2, 1), (300, 20, 1), (300, 6, 8), (1000, 10, 3)])
def test_the_best_direction_of_noise_is_within_chance(n, d, k):
    rng = np.random.default_rng(0)
    for _ in range(40):
        X, Z = rng.normal(size=(n, d)), rng.normal(size=(n, k))
        Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
        # The features' direction, and the attributes', that agree best.
        left = np.linalg.svd(np.linalg.lstsq(X, Z, rcond=None)[0])[0]
        side = X @ left[:, 0] > 0
        along = Z @ (Z[side].mean(axis=0) - Z[~side].mean(axis=0))
        between = side.mean() * (1 - side.mean()) * (along[side].mean() - along[~side].mean()) ** 2
        assert not is_beyond_chance(n * between / along.var(), d, k)


def test_what_is_there_is_beyond_chance():
    # A split that halves the variance of 60 rows by one of two features; and one of 20 features, of 600 rows.
    assert is_beyond_chance(30.0, 2, 1)
    assert not is_beyond_chance(30.0, 20, 1)
    assert is_beyond_chance(300.0, 20, 1)


# ---- how they are cut back


def _random_tree(rng):
    """Make nodes and split weights as the grower has them, breadth first, with spare places behind."""
    nodes = make_nodes(32)
    n_nodes, node = 1, 0
    while node < n_nodes:
        is_split = n_nodes + 2 <= 40 and rng.random() < 0.7
        if is_split:
            nodes.left[node], nodes.right[node] = n_nodes, n_nodes + 1
            nodes.bias[node] = rng.normal()
            nodes.passed[node] = rng.random() < 0.3
            n_nodes += 2
        nodes.indptr[node + 1] = nodes.indptr[node] + (int(rng.integers(1, 4)) if is_split else 0)
        node += 1
    for array in (nodes.start, nodes.stop, nodes.depth, nodes.weight):
        array[:] = rng.permutation(len(array))
    n_stored = nodes.indptr[n_nodes]
    types = (np.int32, np.float32, np.float32, np.float64)
    return nodes, n_nodes, SplitWeights(*(rng.permutation(n_stored + 5).astype(t) for t in types))


def _nested(node, tree, keep):
    """Nest what is known of a node and of those below it, as far as splits are kept."""
    own = [array[node] for array in (tree.start, tree.stop, tree.depth, tree.node_weight)]
    if not (tree.left[node] >= 0 and keep(node)):
        return own
    here = slice(tree.indptr[node], tree.indptr[node + 1])
    stored = [array[here].tolist() for array in (tree.indices, tree.weights, tree.means, tree.shares)]
    return [own, tree.bias[node], stored, *(_nested(child, tree, keep) for child in _children(tree, node))]


def _children(tree, node):
    return tree.left[node], tree.right[node]


@pytest.mark.plain_python
@given(st.integers(0, 2**32 - 1))
def test_what_pays_remains_as_it_was_and_nothing_else(seed):
    nodes, n_nodes, splits = _random_tree(np.random.default_rng(seed))
    n_features = len(splits.columns)
    before = as_grown_tree(nodes, n_nodes, splits, np.empty(0, np.uint32), n_features)
    passed = nodes.passed.copy()  # in a tree that is numbered breadth first, nodes keep their numbers

    def pays(node):
        return before.left[node] >= 0 and (passed[node] or any(map(pays, _children(before, node))))

    cut_back(nodes, n_nodes)
    after = as_grown_tree(nodes, n_nodes, splits, np.empty(0, np.uint32), n_features)
    assert len(after.left) == 2 * sum(map(pays, range(n_nodes))) + 1
    assert _nested(0, after, lambda node: True) == _nested(0, before, pays)
    # Children come in pairs, in the order of their parents.
    inner = after.left >= 0
    assert_array_equal(after.left[inner], 1 + 2 * np.arange(inner.sum()))
    assert_array_equal(after.right[inner], after.left[inner] + 1)
    assert_array_equal(np.diff(after.indptr) > 0, inner)
    assert not after.bias[~inner].any()
    assert_array_equal(after.importance, np.bincount(after.indices, after.shares, n_features))
