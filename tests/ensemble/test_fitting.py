"""Fitting and predicting as functions: nothing they are given changes, and nothing else matters."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from slantwood import GradientSplit, ObliqueForestClassifier
from slantwood.ensemble.fitting import fit_forest
from slantwood.ensemble.prediction import Predictor
from slantwood.ensemble.spec import ForestSpec
from slantwood.ensemble.training_data import TrainingData
from slantwood.features.encoding import Encoding
from slantwood.features.matrix import to_array
from slantwood.targets.clustering import Clustering
from slantwood.targets.labels import LabelTargets

SPEC = ForestSpec(
    split=GradientSplit(),
    n_trees=3,
    seed=7,
    single_tree=False,
    max_depth=4,
    min_samples_split="auto",
    min_impurity_decrease="auto",
    max_features="auto",
    bootstrap=True,
    normalize_rows="auto",
    normalize_labels="auto",
    target_weights=np.empty(0),
)


@pytest.fixture
def data():
    X = np.random.default_rng(0).normal(size=(60, 4)).astype(np.float32)
    Y = (X[:, :3] + X[:, 1:] > 0).astype(np.float32)
    encoding, matrix = Encoding.learn(X)
    return TrainingData(X, matrix, encoding, Y, Y, LabelTargets.of(Y), np.ones(60), Clustering())


def same_trees(a, b):
    return all(np.array_equal(x, y) for x, y in zip(a.trees[:-1], b.trees[:-1], strict=True))


def test_a_fit_depends_on_its_arguments_alone_and_changes_none(data):
    before = data.X.copy(), data.Y.copy(), data.row_weights.copy()
    first = fit_forest(data, SPEC)
    assert same_trees(first, fit_forest(data, SPEC))
    assert same_trees(first, fit_forest(data, replace(SPEC, n_jobs=2)))
    assert not same_trees(first, fit_forest(data, replace(SPEC, seed=8)))
    for now, then in zip((data.X, data.Y, data.row_weights), before, strict=True):
        assert_array_equal(now, then)


def test_trees_that_are_added_are_those_of_a_larger_forest_and_the_smaller_one_stays(data):
    small = fit_forest(data, SPEC)
    importance = small.importance_sum.copy()
    larger = fit_forest(data, replace(SPEC, n_trees=5, tuned=small.tuned), small)
    assert same_trees(larger, fit_forest(data, replace(SPEC, n_trees=5)))
    assert small.trees.n_trees == 3
    assert_array_equal(small.importance_sum, importance)


def test_a_fit_stops_after_the_tree_at_which_it_is_asked_to(data):
    heard = []

    def on_tree(so_far):
        heard.append(so_far())
        return len(heard) == 2

    assert fit_forest(data, SPEC, on_tree=on_tree).trees.n_trees == 2
    assert [forest.trees.n_trees for forest in heard] == [1, 2]
    # What was heard of stays as it was.
    alone = fit_forest(data, replace(SPEC, n_trees=1))
    assert_array_equal(heard[0].importance_sum, alone.importance_sum)


def test_an_estimator_is_its_forest(data):
    model = ObliqueForestClassifier(n_estimators=3, max_depth=4, bootstrap=True, random_state=0)
    model.fit(data.X, data.Y)
    spec = replace(SPEC, seed=model.forest_.seed)
    forest = fit_forest(data, spec)
    assert same_trees(forest, model.forest_)
    assert_array_equal(Predictor(forest).mean(data.X), model.predict_proba(data.X))


def test_means_are_those_of_the_leaves_of_the_trees_that_count(data):
    forest = fit_forest(data, SPEC)
    predictor = Predictor(forest)
    leaves = to_array(forest.trees.leaves)
    reached = leaves[forest.trees.leaf[predictor.leaves(data.X)]]  # rows, trees, labels
    mask = np.random.default_rng(1).random((60, 3)) < 0.5
    mask[0] = False
    counted = mask[:, :, None]
    with np.errstate(invalid="ignore"):
        expected = (reached * counted).sum(axis=1) / counted.sum(axis=1)
    np.testing.assert_allclose(predictor.mean(data.X), reached.mean(axis=1), rtol=1e-6)
    np.testing.assert_allclose(predictor.mean(data.X, mask), expected, rtol=1e-6)
    assert np.isnan(predictor.mean(data.X, mask)[0]).all()
    assert predictor.mean(data.X, mask, sparse=True)[[0]].nnz == 0


def test_sparse_means_are_the_dense_ones_and_top_k_the_largest_of_them(data):
    predictor = Predictor(fit_forest(data, SPEC))
    dense, sparse = predictor.mean(data.X), predictor.mean(sp.csr_array(data.X), sparse=True)
    np.testing.assert_allclose(sparse.toarray(), dense, rtol=1e-6)
    best = predictor.mean(data.X, sparse=True, top_k=1)
    assert (np.diff(best.indptr) <= 1).all()
    np.testing.assert_allclose(best.max(axis=1).toarray().ravel(), dense.max(axis=1), rtol=1e-6)


def test_paths_lead_from_the_roots_to_the_leaves(data):
    forest = fit_forest(data, SPEC)
    predictor = Predictor(forest)
    paths, leaves = predictor.paths(data.X).toarray(), predictor.leaves(data.X)
    assert paths[:, forest.trees.roots].all()
    assert paths[np.arange(60)[:, None], leaves].all()
    assert_array_equal(paths.sum(axis=1), (forest.trees.depth[leaves] + 1).sum(axis=1))
