"""Claims about minimal cost-complexity pruning."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from slantwood import AxisParallelSplit
from slantwood.features.matrix import training_matrix
from slantwood.growth.pruning import pruned, pruning_path, weakest_links, with_leaves


def cost_of(Y, p, rows, weights):
    """Weighted squared error of the means of what is known, from its definition."""
    total = 0.0
    for j in range(Y.shape[1]):
        known = ~np.isnan(Y[rows, j])
        if known.any():
            y, r = Y[rows, j][known], weights[known]
            total += p[j] * (r * (y - np.average(y, weights=r)) ** 2).sum()
    return total


def below(tree, node):
    children = [] if tree.left[node] < 0 else [tree.left[node], tree.right[node]]
    return [node, *(each for child in children for each in below(tree, child))]


def path_of_twin(tree, costs):
    """Collapse the weakest link again and again, each time looking at every node."""
    leaves = {node for node in below(tree, 0) if tree.left[node] < 0}
    alphas, totals = [0.0], [sum(costs[leaf] for leaf in leaves)]
    while leaves != {0}:
        inside = {node: [leaf for leaf in below(tree, node) if leaf in leaves] for node in range(len(costs))}
        links = {
            node: (costs[node] - sum(costs[leaf] for leaf in under)) / (len(under) - 1)
            for node, under in inside.items()
            if len(under) > 1
        }
        weakest = min(links, key=links.get)
        leaves = (leaves - set(inside[weakest])) | {weakest}
        alphas.append(links[weakest])
        totals.append(sum(costs[leaf] for leaf in leaves))
    return alphas, totals


def grown_problem(plan, grown, seed, missing=False, n=40):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).astype(np.float32)
    Y = rng.normal(size=(n, 3)).round(3) * (rng.random((n, 3)) < 0.6)
    tree = grown(plan(X, Y, learner=AxisParallelSplit(), min_impurity_decrease=0.0, min_samples_split=4))
    if missing:
        Y[rng.random(Y.shape) < 0.3] = np.nan
    weights = rng.choice([0.5, 1.0, 2.0], n).astype(np.float32)
    p = rng.choice([0.5, 1.0, 3.0], 3)
    tree.node_weight[0] = weights.sum()
    return Y, p, tree, weights


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1), missing=st.booleans(), sparse=st.booleans())
def test_the_path_is_that_of_collapsing_the_weakest_link_again_and_again(plan, grown, seed, missing, sparse):
    Y, p, tree, weights = grown_problem(plan, grown, seed, missing)
    ranges = zip(tree.start, tree.stop, strict=True)
    costs = [cost_of(Y, p, tree.rows[a:b], weights[a:b]) / weights.sum() for a, b in ranges]
    alphas, totals = path_of_twin(tree, costs)
    path = pruning_path(training_matrix(sp.csr_array(Y) if sparse else Y), p, tree, weights)
    assert_allclose(path.ccp_alphas, alphas, atol=1e-6)
    assert_allclose(path.impurities, totals, atol=1e-5)


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_larger_alpha_leaves_a_part_of_what_a_smaller_one_leaves(plan, grown, seed):
    Y, p, tree, weights = grown_problem(plan, grown, seed)
    matrix = training_matrix(Y)
    path = pruning_path(matrix, p, tree, weights)
    assert (np.diff(path.ccp_alphas) >= 0).all()
    assert pruned(matrix, p, tree, weights, 0.0) is tree
    sizes, before = [], None
    for alpha in np.unique(path.ccp_alphas):
        left = pruned(matrix, p, tree, weights, alpha) if alpha > 0 else tree
        ranges = set(zip(left.start[left.left >= 0], left.stop[left.left >= 0], strict=True))
        assert before is None or ranges < before
        before = ranges
        sizes.append((left.left < 0).sum())
    assert sizes[-1] == 1


def test_what_stays_is_as_it_was_and_numbered_breadth_first(plan, grown):
    Y, p, tree, weights = grown_problem(plan, grown, 0)
    leaves = weakest_links(training_matrix(Y), p, tree, weights).nodes[:4]
    left = with_leaves(tree, leaves)
    gone = {each for leaf in leaves for each in below(tree, leaf)[1:]}
    stays = np.array([node for node in range(len(tree.left)) if node not in gone])
    for field in ("depth", "node_weight", "start", "stop"):
        assert_array_equal(getattr(left, field), getattr(tree, field)[stays])
    inner = left.left >= 0
    assert_array_equal(left.left[inner], 1 + 2 * np.arange(inner.sum()))
    assert_array_equal(left.right[inner], left.left[inner] + 1)
    assert_array_equal(left.bias, np.where(inner, tree.bias[stays], 0.0))
    kept = stays[inner]
    places = np.concatenate([np.arange(tree.indptr[node], tree.indptr[node + 1]) for node in kept])
    for field in ("indices", "weights", "means", "shares"):
        assert_array_equal(getattr(left, field), getattr(tree, field)[places])
    assert_array_equal(np.diff(left.indptr) > 0, inner)
    # Importances are those of the splits that remain.
    assert_allclose(left.importance, np.bincount(left.indices, left.shares, 3), rtol=1e-6)
    assert left.importance.sum() < tree.importance.sum()


@pytest.mark.plain_python
def test_a_tree_of_one_leaf_has_a_path_of_one_step(plan, grown):
    tree = grown(plan(np.ones((5, 1), np.float32), np.arange(5.0)))
    path = pruning_path(training_matrix(np.arange(5.0)[:, None]), np.empty(0), tree, np.ones(5, np.float32))
    assert path.ccp_alphas.tolist() == [0.0]
    assert_allclose(path.impurities, [2.0])
