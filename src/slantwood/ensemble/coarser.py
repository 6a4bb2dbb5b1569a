"""What a forest would say if its leaves were larger.

A tree that is grown to the end contains all coarser ones: where nodes of fewer rows than some size are not
divided, the first such node on the way down is a leaf, and predicts the mean of the leaves below it. So one
growth tells what trees of all sizes predict.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from slantwood.features.matrix import prediction_matrix, to_array
from slantwood.kernels.matrix import n_rows
from slantwood.model.trees import Trees


class Coarser(NamedTuple):
    """Trees with larger leaves, by node number of those that they are part of."""

    trees: Trees  # what was below a larger leaf is still there, out of reach
    leaf_node: np.ndarray  # where the way of a row to each node ends


def coarser(trees: Trees, sizes: np.ndarray, min_samples_split: int) -> Coarser:
    """Return what is left where nodes of fewer rows are not divided.

    Parameters
    ----------
    trees : Trees
        The trees.
    sizes : array of shape (n_nodes,)
        Rows of each node.
    min_samples_split : int
        Nodes of fewer rows are leaves.
    """
    leaf_node = np.arange(len(trees.left))
    is_divided = (trees.left >= 0) & (sizes >= min_samples_split)
    for depth in range(int(trees.depth.max()) + 1):
        inner = np.flatnonzero((trees.depth == depth) & (trees.left >= 0))
        stays = is_divided[inner] & (leaf_node[inner] == inner)
        for children in (trees.left[inner], trees.right[inner]):
            leaf_node[children] = np.where(stays, children, leaf_node[inner])
    # Of each larger leaf, the mean of the small ones in it.
    small = np.flatnonzero(trees.left < 0)
    larger, place = np.unique(leaf_node[small], return_inverse=True)
    weight = trees.node_weight[small]
    share = weight / np.bincount(place, weight)[place]
    mixing = sp.csr_array(
        (share.astype(np.float32), (place, trees.leaf[small])), (len(larger), n_rows(trees.leaves))
    )
    leaf = np.full(len(leaf_node), -1, np.int32)
    leaf[larger] = np.arange(len(larger))
    leaves = prediction_matrix(mixing @ to_array(trees.leaves))
    left, right = (np.where(leaf < 0, side, -1).astype(np.int32) for side in (trees.left, trees.right))
    return Coarser(trees._replace(left=left, right=right, leaf=leaf, leaves=leaves), leaf_node)
