"""Claims about the way from rows to leaves, and from leaves to predictions."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from slantwood.kernels.matrix import dense_matrix, sparse_matrix
from slantwood.model.leaf_means import add_leaves, sparse_scores
from slantwood.model.routing import route

pytestmark = pytest.mark.plain_python

EPS = float(np.finfo(np.float32).eps)
SEEDS = st.integers(0, 2**32 - 1)
EVERY_TREE = np.empty((0, 0), np.bool_)


def rows_of_few_levels(rng, n_features=4, n=25, missing=0.0):
    rows = rng.integers(-2, 3, (n, n_features)) * (rng.random((n, n_features)) < 0.6)
    return np.where(rng.random(rows.shape) < missing, np.nan, rows).astype(np.float32)


def twin_leaf(row, trees, node):
    """Walk down by hand."""
    while trees.left[node] >= 0:
        part = slice(trees.indptr[node], trees.indptr[node + 1])
        score = trees.bias[node] + sum(
            float(mean if np.isnan(row[j]) else row[j]) * float(w)
            for j, w, mean in zip(trees.indices[part], trees.weights[part], trees.means[part], strict=True)
        )
        node = trees.right[node] if score >= 0 else trees.left[node]
    return node


def twin_mean(nodes, trees, leaves, counted=None):
    """Average the leaves of the trees that count, in float64."""
    means = np.full((len(nodes), leaves.shape[1]), np.nan)
    for i, reached in enumerate(nodes):
        used = [
            leaves[trees.leaf[node]] for t, node in enumerate(reached) if counted is None or counted[i, t]
        ]
        if used:
            means[i] = np.mean(used, axis=0)
    return means


@given(SEEDS, st.integers(1, 4), st.sampled_from([0.0, 0.3, 1.0]))
def test_rows_reach_the_leaves_that_walking_down_by_hand_reaches(
    random_trees, in_both_forms, routed, seed, n_trees, missing
):
    rng = np.random.default_rng(seed)
    trees, rows = random_trees(rng, n_trees), rows_of_few_levels(rng, missing=missing)
    expected = [[twin_leaf(row, trees, root) for root in trees.roots] for row in rows]
    for X in in_both_forms(rows):
        assert_array_equal(routed(X, trees), expected)


@given(SEEDS, st.integers(0, 30))
def test_some_rows_in_any_order_are_routed_like_the_whole(random_trees, in_both_forms, routed, seed, n):
    rng = np.random.default_rng(seed)
    trees, rows = random_trees(rng, 3), rows_of_few_levels(rng, missing=0.2)
    some = rng.integers(0, len(rows), n).astype(np.uint32)
    for X in in_both_forms(rows):
        part = np.empty((n, 3), np.int32)
        route(X, trees, some, part)
        assert_array_equal(part, routed(X, trees)[some])


@given(SEEDS, st.sampled_from([1, 3, 40]), st.sampled_from([0.0, 0.1]))
def test_few_values_and_many_weights_lead_to_the_same_leaves(
    random_trees, in_both_forms, routed, seed, n, missing
):
    # Rows that come together are compared with a node that is spread out, values of a single row searched.
    rng = np.random.default_rng(seed)
    trees = random_trees(rng, 3, n_features=300)
    rows = rng.integers(-2, 3, (n, 300)) * (rng.random((n, 300)) < rng.choice([0.01, 0.05], (n, 1)))
    rows = np.where((rows != 0) & (rng.random(rows.shape) < missing), np.nan, rows).astype(np.float32)
    expected = [[twin_leaf(row, trees, root) for root in trees.roots] for row in rows]
    for X in in_both_forms(rows):
        assert_array_equal(routed(X, trees), expected)


def test_a_row_on_the_boundary_goes_right(random_trees, in_both_forms, routed):
    rng = np.random.default_rng(0)
    trees = random_trees(rng, 1)
    while trees.left[0] < 0 or trees.bias[0] != 0:
        trees = random_trees(rng, 1)
    for X in in_both_forms(np.zeros((1, 4))):
        assert routed(X, trees)[0, 0] == twin_leaf(np.zeros(4), trees, trees.right[0])


@given(SEEDS, st.integers(1, 4), st.booleans())
def test_predictions_are_means_over_trees(
    random_trees, numbers_of, dense, routed, seed, n_trees, sparse_leaves
):
    rng = np.random.default_rng(seed)
    trees = random_trees(rng, n_trees, sparse_leaves=sparse_leaves)
    nodes = routed(dense(rows_of_few_levels(rng)), trees)
    means = np.zeros((len(nodes), 3), np.float32)
    add_leaves(nodes, EVERY_TREE, trees, means)
    assert_allclose(means, twin_mean(nodes, trees, numbers_of(trees.leaves)), rtol=4 * EPS)


@given(SEEDS, st.booleans())
def test_only_counted_trees_have_a_say(random_trees, numbers_of, dense, routed, seed, sparse_leaves):
    rng = np.random.default_rng(seed)
    trees = random_trees(rng, 4, sparse_leaves=sparse_leaves)
    nodes = routed(dense(rows_of_few_levels(rng)), trees)
    counted = rng.random(nodes.shape) < 0.5
    counted[:, 0] |= ~counted.any(axis=1)
    means = np.zeros((len(nodes), 3), np.float32)
    add_leaves(nodes, counted, trees, means)
    assert_allclose(means, twin_mean(nodes, trees, numbers_of(trees.leaves), counted), rtol=4 * EPS)


@given(SEEDS, st.sampled_from([1, 2, -1]), st.booleans())
def test_sparse_scores_are_means_over_the_counted_trees(
    random_trees, numbers_of, dense, routed, seed, top_k, sparse_leaves
):
    rng = np.random.default_rng(seed)
    trees = random_trees(rng, 4, n_outputs=6, sparse_leaves=sparse_leaves)
    nodes = routed(dense(rows_of_few_levels(rng, missing=0.2)), trees)
    counted = rng.random(nodes.shape) < 0.4
    counted[0], counted[1] = False, True
    # Rows that no tree counts have no score.
    expected = np.nan_to_num(twin_mean(nodes, trees, numbers_of(trees.leaves), counted))
    if top_k > 0:
        for row in expected:
            row[np.argsort(-row, kind="stable")[top_k:]] = 0.0
    found = spelt_out(sparse_scores(nodes, counted, trees, np.arange(6), top_k), 6)
    # Leaves are eighths: their sums are exact, and only a mean of three rounds.
    assert_allclose(found, expected, rtol=4 * EPS)
    dense_means = np.zeros((len(nodes), 6), np.float32)
    add_leaves(nodes, counted, trees, dense_means)
    if top_k < 0:
        assert_array_equal(found, np.nan_to_num(dense_means))


@given(SEEDS)
def test_a_missing_value_goes_where_the_mean_of_each_node_goes(random_trees, in_both_forms, routed, seed):
    rng = np.random.default_rng(seed)
    trees = random_trees(rng, 2)
    # The same mean for a feature at all nodes: then it can be written into the rows.
    means = rng.integers(-2, 3, 4).astype(np.float32)
    trees = trees._replace(means=means[trees.indices])
    rows = rows_of_few_levels(rng, missing=0.4)
    filled = np.where(np.isnan(rows), means, rows)
    for X, known in zip(in_both_forms(rows), in_both_forms(filled), strict=True):
        assert_array_equal(routed(X, trees), routed(known, trees))


def test_a_missing_value_in_one_row_does_not_reach_the_next(random_trees, sparse, routed):
    rng = np.random.default_rng(3)
    trees = random_trees(rng, 4)
    rows = np.zeros((2, 4), np.float32)
    expected = routed(sparse(rows), trees)[1]
    rows[0] = np.nan
    assert_array_equal(routed(sparse(rows), trees)[1], expected)


def test_a_row_that_no_tree_counts_for_is_missing(random_trees, dense, routed):
    rng = np.random.default_rng(0)
    trees = random_trees(rng, 2)
    nodes = routed(dense(rows_of_few_levels(rng, n=3)), trees)
    counted = np.array([[True, True], [False, False], [False, True]])
    means = np.zeros((3, 3), np.float32)
    add_leaves(nodes, counted, trees, means)
    assert_array_equal(np.isnan(means).all(axis=1), [False, True, False])
    assert np.isfinite(means[[0, 2]]).all()


def spelt_out(scores, n_columns):
    """CSR triple to an array; each label at most once, in rising order."""
    indptr, indices, data = scores
    out = np.zeros((len(indptr) - 1, n_columns))
    for i in range(len(out)):
        labels = indices[indptr[i] : indptr[i + 1]]
        assert (np.diff(labels) > 0).all()
        out[i, labels] = data[indptr[i] : indptr[i + 1]]
    return out


@given(SEEDS, st.integers(1, 5), st.booleans())
def test_sparse_scores_are_the_dense_means(random_trees, dense, routed, seed, n_trees, sparse_leaves):
    rng = np.random.default_rng(seed)
    trees = random_trees(rng, n_trees, n_outputs=6, sparse_leaves=sparse_leaves)
    nodes = routed(dense(rows_of_few_levels(rng)), trees)
    means = np.zeros((len(nodes), 6), np.float32)
    add_leaves(nodes, EVERY_TREE, trees, means)
    scores = sparse_scores(nodes, EVERY_TREE, trees, np.arange(6), -1)
    assert_array_equal(spelt_out(scores, 6), means)
    assert (scores[2] > 0).all()


@given(SEEDS, st.integers(1, 3), st.booleans(), st.integers(1, 12))
def test_top_k_keeps_the_largest_and_among_equals_the_lower_label(
    random_trees, dense, routed, seed, n_trees, sparse_leaves, k
):
    rng = np.random.default_rng(seed)
    trees = random_trees(rng, n_trees, n_outputs=12, sparse_leaves=sparse_leaves)
    nodes = routed(dense(rows_of_few_levels(rng)), trees)
    everything = spelt_out(sparse_scores(nodes, EVERY_TREE, trees, np.arange(12), -1), 12)
    expected = np.zeros_like(everything)
    for i, row in enumerate(everything):
        best = np.argsort(-row, kind="stable")[:k]
        expected[i, best] = row[best]
    assert_array_equal(spelt_out(sparse_scores(nodes, EVERY_TREE, trees, np.arange(12), k), 12), expected)


@pytest.mark.parametrize("n_labels", [50, 700])
def test_top_k_of_many_labels_and_rows(random_trees, dense, routed, n_labels):
    # More scores than there is memory for at first.
    rng = np.random.default_rng(n_labels)
    trees = random_trees(rng, 3, n_outputs=n_labels, sparse_leaves=True)
    nodes = routed(dense(rows_of_few_levels(rng)), trees)
    everything = spelt_out(sparse_scores(nodes, EVERY_TREE, trees, np.arange(n_labels), -1), n_labels)
    assert (everything > 0).sum() > (1024 if n_labels == 700 else 0)
    for k in (1, 5, 17, n_labels):
        found = spelt_out(sparse_scores(nodes, EVERY_TREE, trees, np.arange(n_labels), k), n_labels)
        best = np.argsort(-everything, axis=1, kind="stable")[:, :k]
        expected = np.zeros_like(everything)
        np.put_along_axis(expected, best, np.take_along_axis(everything, best, axis=1), axis=1)
        assert_array_equal(found, expected)


def test_stored_zeros_of_a_leaf_are_no_scores(random_trees, dense, routed):
    # A mean can be too small for float32 and so be stored as zero. (Few columns are filled, so that a
    # kernel that takes a label twice does not write past its memory.)
    rng = np.random.default_rng(1)
    trees = random_trees(rng, 5, n_outputs=40)
    values = trees.leaves.values.copy()
    values[:, 4:] = 0
    every_cell = np.indices((len(values), 4)).reshape(2, -1)
    with_zeros = sp.coo_array((values[tuple(every_cell)], tuple(every_cell)), shape=values.shape).tocsr()
    assert with_zeros.nnz > (values != 0).sum()
    nodes = routed(dense(rows_of_few_levels(rng)), trees)
    expected, found = (
        spelt_out(sparse_scores(nodes, EVERY_TREE, trees._replace(leaves=leaves), np.arange(40), -1), 40)
        for leaves in (dense_matrix(values), sparse_matrix(with_zeros))
    )
    assert_array_equal(found, expected)


def test_a_tree_of_one_leaf_sends_all_rows_to_it(dense, sparse, routed, random_trees):
    rng = np.random.default_rng(0)
    trees = random_trees(rng, 1)
    while len(trees.left) > 1:
        trees = random_trees(rng, 1)
    trees = trees._replace(leaves=dense_matrix(np.array([[0.25, 0.5, 1.0]], np.float32)))
    for form in (dense, sparse):
        nodes = routed(form(rows_of_few_levels(rng)), trees)
        assert (nodes == 0).all()
        means = np.zeros((25, 3), np.float32)
        add_leaves(nodes, EVERY_TREE, trees, means)
        assert_array_equal(means, np.tile([0.25, 0.5, 1.0], (25, 1)))
