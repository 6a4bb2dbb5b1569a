"""Claims about quantiles by the weights of a forest, and about the parts of a prediction's spread."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes, load_iris

from slantwood import (
    ObliqueBoostingRegressor,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeRegressor,
)
from slantwood.explain import predict_quantiles, spread

FEW = {"n_estimators": 10, "random_state": 0}


def diabetes(n_rows):
    X, y = load_diabetes(return_X_y=True)
    return X[:n_rows], np.stack([y, 1e3 - y**2], axis=1)[:n_rows]


# ---- quantiles


def test_quantiles_are_those_of_the_training_rows_in_the_same_leaves():
    X, Y = diabetes(120)
    forest = ObliqueForestRegressor(**FEW).fit(X, Y)
    levels = [0.0, 0.1, 0.5, 0.9, 1.0]
    found = predict_quantiles(forest, X[:15], levels, X, Y)
    assert found.shape == (15, 2, 5)
    leaves = forest.apply(X)
    for row in range(15):
        same = leaves == leaves[row]
        weight = (same / same.sum(axis=0)).mean(axis=1)
        for target in range(2):
            order = np.argsort(Y[:, target])
            held = order[weight[order] > 0]
            below = np.cumsum(weight[held])
            expected = [Y[held[np.argmax(below >= level - 1e-9)], target] for level in levels]
            assert_array_equal(found[row, target], expected)


def test_quantiles_follow_planted_noise():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(1500, 1))
    y = (1 + 4 * X[:, 0]) * rng.normal(size=1500)
    forest = ObliqueForestRegressor(**FEW, min_samples_leaf=100).fit(X, y)
    low, median, high = predict_quantiles(forest, [[0.15], [0.85]], [0.1, 0.5, 0.9], X, y).T
    truth = 1.2816 * (1 + 4 * np.array([0.15, 0.85]))
    assert_allclose(low, -truth, rtol=0.3)
    assert_allclose(high, truth, rtol=0.3)
    assert (np.abs(median) < 0.3 * truth).all()


def test_numbers_that_are_not_known_have_no_part_in_their_own_target_only():
    X, Y = diabetes(120)
    forest = ObliqueForestRegressor(**FEW).fit(X, Y)
    missing = Y.copy()
    missing[::3, 0] = np.nan
    found = predict_quantiles(forest, X, 0.5, X, missing)
    assert_array_equal(found[:, 1], predict_quantiles(forest, X, 0.5, X, Y)[:, 1])
    known = ~np.isnan(missing[:, 0])
    assert_array_equal(found[:, 0], predict_quantiles(forest, X, 0.5, X[known], Y[known])[:, 0])


def test_dense_and_sparse_rows_have_the_same_quantiles_and_weights_count():
    X, Y = diabetes(120)
    forest = ObliqueForestRegressor(**FEW).fit(X, Y[:, 0])
    found = predict_quantiles(forest, X, [0.2, 0.8], X, Y[:, 0])
    assert found.shape == (120, 2)
    sparse = sp.csr_array(X)
    assert_array_equal(predict_quantiles(forest, sparse, [0.2, 0.8], sparse, Y[:, 0]), found)
    weights = np.where(np.arange(120) < 80, 1.0, 0.0)
    some = predict_quantiles(forest, X, 0.5, X, Y[:, 0], sample_weight=weights)
    assert_array_equal(some, predict_quantiles(forest, X, 0.5, X[:80], Y[:80, 0]))


def test_quantiles_of_what_has_none_are_refused():
    X, Y = diabetes(60)
    forest = ObliqueForestRegressor(**FEW).fit(X, Y)
    with pytest.raises(ValueError, match=r"levels=0.5, 90.0 must be numbers from 0 to 1"):
        predict_quantiles(forest, X, [0.5, 90], X, Y)
    boosted = ObliqueBoostingRegressor(n_estimators=2, early_stopping=False).fit(X, Y)
    with pytest.raises(ValueError, match="quantile loss"):
        predict_quantiles(boosted, X, 0.5, X, Y)
    with pytest.raises(ValueError, match="use predict_proba"):
        predict_quantiles(ObliqueForestClassifier(**FEW).fit(X, Y[:, 0] > 100), X, 0.5, X, Y)


# ---- spread


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_parts_of_a_probability_add_up_to_that_of_a_coin(n_classes):
    X, y = load_iris(return_X_y=True)
    X, y = X[:, :2], np.minimum(y, n_classes - 1)
    forest = ObliqueForestClassifier(**FEW, bootstrap=True, min_samples_leaf=10).fit(X, y)
    found, p = spread(forest, X), forest.predict_proba(X)
    assert_allclose(found.total, p * (1 - p), atol=1e-6)
    assert found.between_trees.max() > 0
    assert found.within_leaves.max() > 0
    assert_allclose(
        found.between_trees, np.var([each.predict_proba(X) for each in forest], axis=0), atol=1e-6
    )


def test_of_numbers_the_data_part_is_the_variance_within_leaves():
    X, Y = diabetes(150)
    tree = ObliqueTreeRegressor(min_samples_leaf=10, random_state=0).fit(X, Y)
    found = spread(tree, X, X, Y)
    assert_allclose(found.between_trees, 0, atol=1e-9)
    leaf = tree.apply(X)
    expected = np.array([Y[leaf == each].var(axis=0) for each in leaf])
    assert_allclose(found.within_leaves, expected, rtol=1e-3)


def test_of_bootstrap_samples_rows_count_as_often_as_they_were_drawn():
    X, Y = diabetes(150)
    forest = ObliqueForestRegressor(**FEW, bootstrap=True, min_samples_leaf=5).fit(X, Y[:, 0])
    found = spread(forest, X, X, Y[:, 0])
    assert found.names == ("y0",)
    assert (found.within_leaves > 0).all()
    # Variance of a row drawn at random is within the range of what was drawn.
    assert (found.total < np.ptp(Y[:, 0]) ** 2 / 4).all()
    with pytest.raises(ValueError, match="not those that the model was fitted on"):
        spread(forest, X, X[::-1], Y[:, 0])


def test_more_rows_lower_the_part_of_the_trees_and_leave_that_of_the_data():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(2000, 2))
    y = X[:, 0] + rng.normal(size=2000)
    parts = []
    for n_rows in (200, 2000):
        forest = ObliqueForestRegressor(
            **FEW, bootstrap=True, min_samples_leaf=n_rows // 10, max_features=1.0
        )
        forest.fit(X[:n_rows], y[:n_rows])
        found = spread(forest, X[:100], X[:n_rows], y[:n_rows])
        parts.append((found.between_trees.mean(), found.within_leaves.mean()))
    assert parts[1][0] < 0.5 * parts[0][0]
    assert_allclose(parts[1][1], 1.0, rtol=0.15)


def test_a_spread_that_is_not_known_is_refused_with_a_remedy():
    X, Y = diabetes(60)
    with pytest.raises(ValueError, match="give X_train and y_train, the rows of fit"):
        spread(ObliqueForestRegressor(**FEW).fit(X, Y), X)
    with pytest.raises(ValueError, match="do not predict alone"):
        spread(ObliqueBoostingRegressor(n_estimators=2, early_stopping=False).fit(X, Y), X, X, Y)
