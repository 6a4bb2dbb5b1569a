"""The nodes of a tree while it grows: flat arrays, no object per node; and the tree as the grower leaves it.

Children are numbered when their parent is split, and nodes are visited in the order of their numbers: breadth
first, so that the split weights of consecutive nodes lie one after another.
"""

from typing import NamedTuple

import numpy as np

from slantwood.growth.sample import Sample
from slantwood.kernels.compiling import exact
from slantwood.kernels.scratch import grown


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
    importance: np.ndarray  # float32 per feature


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
def add_children(nodes, node, first, n_left, passed):
    """Divide a node after its first rows between two children, which get the numbers first and first + 1."""
    middle = nodes.start[node] + n_left
    nodes.left[node] = first
    nodes.right[node] = first + 1
    nodes.start[first] = nodes.start[node]
    nodes.stop[first] = middle
    nodes.start[first + 1] = middle
    nodes.stop[first + 1] = nodes.stop[node]
    nodes.passed[node] = passed
    for child in range(first, first + 2):
        nodes.depth[child] = nodes.depth[node] + 1
        nodes.n_failed[child] = 0 if passed else nodes.n_failed[node] + 1


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
def as_grown_tree(nodes, n_nodes, splits, rows, n_features):
    """Return the first nodes as a tree, with the importances of the features."""
    n_stored = nodes.indptr[n_nodes]
    importance = np.zeros(n_features, np.float32)
    for i in range(n_stored):
        importance[splits.columns[i]] += splits.shares[i]
    return GrownTree(
        nodes.left[:n_nodes].copy(),
        nodes.right[:n_nodes].copy(),
        nodes.indptr[: n_nodes + 1].copy(),
        splits.columns[:n_stored].copy(),
        splits.weights[:n_stored].copy(),
        splits.means[:n_stored].copy(),
        nodes.bias[:n_nodes].copy(),
        nodes.depth[:n_nodes].copy(),
        nodes.weight[:n_nodes].copy(),
        nodes.start[:n_nodes].copy(),
        nodes.stop[:n_nodes].copy(),
        rows,
        importance,
    )
