"""The nodes of a tree while it grows: flat arrays, no object per node; and the tree as the grower leaves it.

Nodes are visited in the order of their numbers, so that the split weights of consecutive nodes lie one after
another. Children are numbered when their parent is expanded: breadth first or, where the number of leaves is
limited, best first. The tree that the grower leaves is numbered breadth first in any case.
"""

from typing import NamedTuple

import numpy as np

from slantwood.growth.sample import Sample
from slantwood.kernels.compiling import exact
from slantwood.kernels.scratch import grown
from slantwood.kernels.sorting import sort_rows, sorting_workspace


class Nodes(NamedTuple):
    """All nodes of a growing tree, with capacity for as many as there can be."""

    left: np.ndarray  # int32, -1 at leaves
    right: np.ndarray
    indptr: np.ndarray  # int64, split weights in CSR form
    bias: np.ndarray  # float64
    depth: np.ndarray  # int32
    weight: np.ndarray  # float64, of the node's rows
    start: np.ndarray  # int64, a node's range of the sample
    stop: np.ndarray
    middle: np.ndarray  # int64, where the rows of its right side begin
    removed: np.ndarray  # float64, impurity that its split removes
    n_failed: np.ndarray  # int32, how many splits in a row failed on the way to a node
    passed: np.ndarray  # bool, whether its split passed


class SplitWeights(NamedTuple):
    """The features of all splits, one node after another, with capacity for more."""

    columns: np.ndarray  # int32
    weights: np.ndarray  # float32
    means: np.ndarray  # float32, of the node's rows: what stands for a missing value
    shares: np.ndarray  # float64, of the impurity that splits remove


class GrownTree(NamedTuple):
    """A tree as the grower leaves it: flat arrays over nodes, and the rows in the order of the leaves."""

    left: np.ndarray  # int32, -1 at leaves
    right: np.ndarray
    indptr: np.ndarray  # int64, split weights in CSR form
    indices: np.ndarray  # int32
    weights: np.ndarray  # float32
    means: np.ndarray  # float32, of the node's rows: what stands for a missing value
    bias: np.ndarray  # float64
    depth: np.ndarray  # int32
    node_weight: np.ndarray  # float64
    start: np.ndarray  # int64, a node's range of `rows`
    stop: np.ndarray
    rows: np.ndarray  # uint32
    shares: np.ndarray  # float64, beside each weight, of the impurity that splits remove
    importance: np.ndarray  # float32 per feature: the sum of its shares


@exact
def make_nodes(n_rows):
    """Make the nodes of a tree of so many rows, of which the root has all."""
    capacity = 2 * n_rows
    nodes = Nodes(
        np.full(capacity, -1, np.int32),
        np.full(capacity, -1, np.int32),
        np.zeros(capacity + 1, np.int64),
        np.zeros(capacity, np.float64),
        np.zeros(capacity, np.int32),
        np.zeros(capacity, np.float64),
        np.zeros(capacity, np.int64),
        np.zeros(capacity, np.int64),
        np.zeros(capacity, np.int64),
        np.zeros(capacity, np.float64),
        np.zeros(capacity, np.int32),
        np.zeros(capacity, np.bool_),
    )
    nodes.stop[0] = n_rows
    return nodes


@exact
def rows_of(sample, nodes, node):
    """Return the part of the sample that a node has, as a view."""
    start = nodes.start[node]
    stop = nodes.stop[node]
    return Sample(sample.rows[start:stop], sample.counts[start:stop], sample.weights[start:stop])


@exact
def add_children(nodes, node, first):
    """Expand a node whose rows are divided: its children get the numbers first and first + 1."""
    nodes.left[node] = first
    nodes.right[node] = first + 1
    nodes.start[first] = nodes.start[node]
    nodes.stop[first] = nodes.middle[node]
    nodes.start[first + 1] = nodes.middle[node]
    nodes.stop[first + 1] = nodes.stop[node]
    for child in range(first, first + 2):
        nodes.depth[child] = nodes.depth[node] + 1
        nodes.n_failed[child] = 0 if nodes.passed[node] else nodes.n_failed[node] + 1


@exact
def make_split_weights():
    """Make the store of split weights, empty."""
    return SplitWeights(
        np.empty(1024, np.int32),
        np.empty(1024, np.float32),
        np.empty(1024, np.float32),
        np.empty(1024, np.float64),
    )


@exact
def with_capacity(splits, size):
    """Return the store of split weights, or a larger copy of it, with capacity for so many."""
    if size <= splits.columns.shape[0]:
        return splits
    return SplitWeights(
        grown(splits.columns, size),
        grown(splits.weights, size),
        grown(splits.means, size),
        grown(splits.shares, size),
    )


@exact
def _breadth_first(nodes, n_nodes):
    # The nodes that the root leads to, level by level, each level from left to right.
    order = np.empty(n_nodes, np.int64)
    order[0] = 0
    count = 1
    k = 0
    while k < count:
        node = order[k]
        if nodes.left[node] >= 0:
            order[count] = nodes.left[node]
            order[count + 1] = nodes.right[node]
            count += 2
        k += 1
    return order[:count]


@exact
def as_grown_tree(nodes, n_nodes, splits, rows, n_features):
    """Return what can be reached of the first nodes as a tree, with the importances of the features.

    A node without children is a leaf, also where there are weights of a split that was not expanded.
    """
    order = _breadth_first(nodes, n_nodes)
    count = order.shape[0]
    n_stored = 0
    for node in order:
        if nodes.left[node] >= 0:
            n_stored += nodes.indptr[node + 1] - nodes.indptr[node]
    tree = GrownTree(
        np.full(count, -1, np.int32),
        np.full(count, -1, np.int32),
        np.zeros(count + 1, np.int64),
        np.empty(n_stored, np.int32),
        np.empty(n_stored, np.float32),
        np.empty(n_stored, np.float32),
        np.zeros(count, np.float64),
        np.empty(count, np.int32),
        np.empty(count, np.float64),
        np.empty(count, np.int64),
        np.empty(count, np.int64),
        rows,
        np.empty(n_stored, np.float64),
        np.zeros(n_features, np.float32),
    )
    most = 0
    for node in order:
        most = max(most, nodes.indptr[node + 1] - nodes.indptr[node])
    workspace = sorting_workspace(most)
    stored = 0
    child = 1
    for k in range(count):
        node = order[k]
        tree.depth[k] = nodes.depth[node]
        tree.node_weight[k] = nodes.weight[node]
        tree.start[k] = nodes.start[node]
        tree.stop[k] = nodes.stop[node]
        if nodes.left[node] >= 0:
            tree.left[k] = child
            tree.right[k] = child + 1
            child += 2
            tree.bias[k] = nodes.bias[node]
            first = nodes.indptr[node]
            # In the order of columns, in which routing adds up and searches.
            for place in sort_rows(splits.columns[first : nodes.indptr[node + 1]], workspace):
                i = first + np.int64(place)
                tree.indices[stored] = splits.columns[i]
                tree.weights[stored] = splits.weights[i]
                tree.means[stored] = splits.means[i]
                tree.shares[stored] = splits.shares[i]
                tree.importance[splits.columns[i]] += splits.shares[i]
                stored += 1
        tree.indptr[k + 1] = stored
    return tree
