"""Boundaries are found though features or attributes are unknown in part, and missing values do no harm."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

pytestmark = pytest.mark.sampled

FORMS = pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
SEEDS = pytest.mark.parametrize("seed", [0, 1])


@pytest.mark.plain_python
@FORMS
def test_the_mean_beside_a_weight_is_that_of_the_nodes_known_values(
    plan, grown, clustered, in_both_forms, learner, form
):
    X, Y = clustered(learner, 0, thin=form == 1, missing=0.1)
    X, Y = X[:24], Y[:24]
    r = np.random.default_rng(0).uniform(0.5, 2, 24)
    tree = grown(replace(plan(X, Y, row_weights=r, learner=learner.quick()), X=in_both_forms(X)[form]))
    assert len(tree.left) > 3
    for node in np.flatnonzero(tree.left >= 0):
        rows = tree.rows[tree.start[node] : tree.stop[node]]
        for k in range(tree.indptr[node], tree.indptr[node + 1]):
            x = X[rows, tree.indices[k]]
            known = ~np.isnan(x)
            expected = np.average(x[known], weights=r.astype(np.float32)[rows][known])
            assert_allclose(tree.means[k], expected, rtol=1e-6, atol=1e-6 * np.abs(x[known]).max())


@SEEDS
def test_a_boundary_is_found_though_a_fifth_of_the_features_is_missing(
    plan, predicted, careful_learner, seed
):
    learner = careful_learner
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(600, 6))
    side = X[:, :2] @ learner.boundary >= 0
    partly_known = np.where(rng.random(X.shape) < 0.2, np.nan, X)
    data = plan(partly_known, learner.two_sides(side), learner=learner.settled, max_depth=1)
    tree, importance = data.grow_tree(0)
    relevant = np.flatnonzero(learner.boundary)
    assert set(np.argsort(importance)[-len(relevant) :]) == set(relevant)
    unknown = np.isnan(partly_known[:, relevant]).sum(axis=1)
    agrees = (predicted(tree, partly_known)[:, 0] > 0.5) == side
    assert agrees[unknown == 0].mean() > 0.93
    if len(relevant) == 2:
        assert agrees[unknown == 1].mean() > 0.65


@SEEDS
@FORMS
def test_a_boundary_is_found_though_half_of_the_attributes_is_missing(
    plan, predicted, in_both_forms, careful_learner, seed, form
):
    learner = careful_learner
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(600, 6))
    side = X[:, [0, 2]] @ learner.boundary >= 0
    truth = learner.two_sides(side)
    truth = truth if learner.takes_classes_only else np.tile(truth, 3)
    Y = learner.with_missing(truth, 0.5, rng)
    Y[:60] = np.nan  # of these nothing is known
    matrix = in_both_forms(Y)[form]
    data = plan(X, Y, learner=learner.settled, max_depth=1)
    tree, _ = replace(data, Y=matrix, Z=matrix).grow_tree(0)
    means = predicted(tree, X)
    assert ((means > 0.5) == truth).mean() > 0.95
    assert_allclose(means[side & (means[:, 0] > 0.5), 0], 1.0, atol=0.1)


@SEEDS
def test_features_missing_at_prediction_only_go_with_the_means(
    plan, predicted, clustered, numbers_of, learner, seed
):
    X, Y = clustered(learner, seed)
    tree, _ = plan(X, Y, learner=learner.settled).grow_tree(0)
    before = predicted(tree, X)
    partly_known = X.copy()
    partly_known[:, np.setdiff1d(np.arange(12), tree.indices)] = np.nan
    assert_array_equal(predicted(tree, partly_known), before)
    # With nothing known, every node sends a row where its mean goes: to one leaf for all.
    nothing = predicted(tree, np.full_like(X, np.nan))
    assert np.isfinite(nothing).all()
    assert len(np.unique(nothing, axis=0)) == 1
    node = 0
    while tree.left[node] >= 0:
        part = slice(tree.indptr[node], tree.indptr[node + 1])
        score = tree.bias[node] + tree.means[part].astype(np.float64) @ tree.weights[part].astype(np.float64)
        node = tree.right[node] if score >= 0 else tree.left[node]
    assert_array_equal(nothing[0], numbers_of(tree.leaves)[tree.leaf[node]])


@SEEDS
def test_an_attribute_that_five_of_500_rows_know_hardly_changes_the_others(
    plan, predicted, free_learner, seed
):
    learner = free_learner
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(500, 5))
    Y = np.column_stack([X[:, 0] > 0, X[:, 1] + X[:, 0] > 0.5]) * 1.0
    rare = np.full((500, 1), np.nan)
    rare[rng.permutation(500)[:5], 0] = [0.0, 1.0, 0.0, 1.0, 1.0]
    without, _ = plan(X, Y, learner=learner.settled).grow_tree(0)
    tree, _ = plan(X, np.hstack([Y, rare]), learner=learner.settled).grow_tree(0)
    fresh = rng.normal(size=(2000, 5))
    truth = np.column_stack([fresh[:, 0] > 0, fresh[:, 1] + fresh[:, 0] > 0.5])
    alone = ((predicted(without, fresh) > 0.5) == truth).mean()
    beside = ((predicted(tree, fresh)[:, :2] > 0.5) == truth).mean()
    assert alone > 0.9
    assert beside > alone - 0.02
    assert 0.5 < len(tree.left) / len(without.left) < 2
    assert np.isfinite(predicted(tree, fresh)).all()
