"""The nodes that a row passes on its way to a leaf."""

import numpy as np
import scipy.sparse as sp

from slantwood.model.trees import Trees


def parents(trees: Trees) -> np.ndarray:
    """Parent of each node, -1 for roots."""
    parent = np.full(len(trees.left), -1, np.int32)
    inner = np.flatnonzero(trees.left >= 0)
    parent[trees.left[inner]] = inner
    parent[trees.right[inner]] = inner
    return parent


def decision_paths(trees: Trees, leaf_nodes: np.ndarray) -> sp.csr_array:
    """Return the indicator matrix of rows against nodes of all trees, from the leaves that the rows reach."""
    parent = parents(trees)
    rows, nodes = [], []
    row = np.repeat(np.arange(len(leaf_nodes)), leaf_nodes.shape[1])
    node = leaf_nodes.ravel()
    while len(node):  # one step towards the root for all paths at once
        rows.append(row)
        nodes.append(node)
        above = parent[node]
        row, node = row[above >= 0], above[above >= 0]
    row, node = np.concatenate(rows), np.concatenate(nodes)
    ones = np.ones(len(row), np.int8)
    return sp.csr_array((ones, (row, node)), shape=(len(leaf_nodes), len(trees.left)))
