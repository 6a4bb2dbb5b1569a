"""Leaves to predictions: the mean of those that a row reaches. Compiled, without Python per row."""

import numpy as np

from slantwood.kernels.compiling import exact
from slantwood.kernels.selection import add_score, no_scores, store_largest
from slantwood.kernels.sorting import sorting_workspace


@exact
def add_leaves(nodes, tree_mask, trees, out):
    """Put into out, which holds zeros, the mean leaf of each row over the trees that count for it.

    `tree_mask` is empty (all trees count) or a boolean array like `nodes`; rows without any tree become NaN.
    """
    leaves = trees.leaves
    n, n_trees = nodes.shape
    for i in range(n):
        used = 0
        for t in range(n_trees):
            if tree_mask.shape[0] > 0 and not tree_mask[i, t]:
                continue
            used += 1
            leaf = trees.leaf[nodes[i, t]]
            if leaves.is_dense:
                for j in range(leaves.n_columns):
                    out[i, j] += leaves.values[leaf, j]
            else:
                for k in range(leaves.indptr[leaf], leaves.indptr[leaf + 1]):
                    out[i, leaves.indices[k]] += leaves.data[k]
        share = np.float32(1.0) / np.float32(max(used, 1))
        for j in range(leaves.n_columns):
            out[i, j] = out[i, j] * share if used > 0 else np.float32(np.nan)


@exact
def sparse_scores(nodes, tree_mask, trees, ranks, top_k):
    """Mean of the sparse leaves of each row as CSR, the `top_k` largest of a row only where positive.

    `tree_mask` is empty (all trees count) or a boolean array like `nodes`; rows without any tree are empty.
    Of equal scores, the one of lower rank counts as larger; `ranks` has a number for each label.
    """
    leaves = trees.leaves
    n, n_trees = nodes.shape
    total = np.zeros(leaves.n_columns, np.float32)
    seen = np.zeros(leaves.n_columns, np.bool_)
    labels = np.empty(leaves.n_columns, np.int32)
    scores = np.empty(leaves.n_columns, np.float32)
    indptr = np.zeros(n + 1, np.int64)
    workspace = sorting_workspace(leaves.n_columns)
    stored = no_scores()
    for i in range(n):
        n_seen = 0
        used = 0
        for t in range(n_trees):
            if tree_mask.shape[0] > 0 and not tree_mask[i, t]:
                continue
            used += 1
            leaf = trees.leaf[nodes[i, t]]
            if leaves.is_dense:
                for j in range(leaves.n_columns):
                    n_seen = add_score(j, leaves.values[leaf, j], total, seen, labels, n_seen)
            else:
                for k in range(leaves.indptr[leaf], leaves.indptr[leaf + 1]):
                    n_seen = add_score(leaves.indices[k], leaves.data[k], total, seen, labels, n_seen)
        share = np.float32(1.0) / np.float32(max(used, 1))
        for k in range(n_seen):
            scores[k] = total[labels[k]] * share
            total[labels[k]] = np.float32(0.0)
            seen[labels[k]] = False
        stored = store_largest(stored, scores, labels, n_seen, top_k, ranks, workspace)
        indptr[i + 1] = stored.size
    return indptr, stored.labels[: stored.size].copy(), stored.scores[: stored.size].copy()
