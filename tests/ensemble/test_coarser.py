"""Larger leaves of grown trees: they are those of trees that were never grown further."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from slantwood import ObliqueForestClassifier, ObliqueForestRegressor
from slantwood.ensemble.coarser import coarser
from slantwood.ensemble.prediction import Predictor
from slantwood.features.matrix import to_array


@pytest.fixture(scope="module")
def forest():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 4))
    return ObliqueForestRegressor(
        3, min_samples_split=2, min_impurity_decrease=0, bootstrap=True, random_state=0
    ).fit(X, X[:, :2] + rng.normal(size=(150, 2))), X


def means(fitted, trees, X):
    return Predictor(replace(fitted, trees=trees)).mean(X.astype(np.float32))


def test_trees_with_the_smallest_leaves_stay_as_they_are(forest):
    model, X = forest
    trees, leaf_node = coarser(model.trees_, model.trees_.node_weight, 2)
    assert_array_equal(leaf_node, np.arange(len(leaf_node)))
    assert_allclose(means(model.forest_, trees, X), means(model.forest_, model.trees_, X), rtol=1e-6)


def test_leaves_as_large_as_the_data_predict_the_mean_of_each_sample(forest):
    model, X = forest
    trees, leaf_node = coarser(model.trees_, model.trees_.node_weight, 1000)
    assert set(leaf_node) == set(model.trees_.roots)
    assert len(np.unique(means(model.forest_, trees, X), axis=0)) == 1


def climbed(trees, node, size):
    """Where a row that reaches a leaf ends if nodes below a size are leaves: found by walking."""
    parent = {c: p for p in range(len(trees.left)) for c in (trees.left[p], trees.right[p]) if c >= 0}
    way = [node]
    while way[-1] in parent:
        way.append(parent[way[-1]])
    return next((each for each in reversed(way) if trees.node_weight[each] < size), node)


@pytest.mark.parametrize("size", [5, 20, 60])
def test_a_row_ends_in_the_first_node_on_its_way_that_is_too_small_to_divide(forest, size):
    model, X = forest
    old = model.trees_
    trees, leaf_node = coarser(old, old.node_weight, size)
    predictor = Predictor(model.forest_)
    leaves = predictor.leaves(X.astype(np.float32))
    expected = np.vectorize(lambda node: climbed(old, node, size))(leaves)
    assert_array_equal(leaf_node[leaves], expected)
    # The way is the same whether old leaves are looked up or rows are routed anew.
    assert_array_equal(Predictor(replace(model.forest_, trees=trees)).leaves(X.astype(np.float32)), expected)


def test_a_larger_leaf_predicts_the_mean_of_its_rows(forest):
    model, _ = forest
    old = model.trees_
    trees, leaf_node = coarser(old, old.node_weight, 20)
    values, small = to_array(trees.leaves), to_array(old.leaves)
    leaves = np.flatnonzero(old.left < 0)
    for node in np.unique(leaf_node[leaves])[::7]:
        below = leaves[leaf_node[leaves] == node]
        expected = np.average(small[old.leaf[below]], axis=0, weights=old.node_weight[below])
        assert_allclose(values[trees.leaf[node]], expected, rtol=1e-5)


def test_sparse_leaves_stay_sparse_and_say_the_same():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 3))
    Y = (X @ rng.normal(size=(3, 12)) + rng.normal(size=(80, 12)) > 1.5).astype(float)
    models = [
        ObliqueForestClassifier(2, min_samples_split=2, random_state=0).fit(X, y)
        for y in (Y, sp.csr_array(Y))
    ]
    dense, sparse = (coarser(model.trees_, model.trees_.node_weight, 15).trees for model in models)
    assert not sparse.leaves.is_dense
    values = [sp.csr_array(to_array(trees.leaves)).toarray() for trees in (sparse, dense)]
    assert_allclose(*values, atol=1e-6)
