"""Leaves to predictions: the mean of those that a row reaches. Compiled, without Python per row."""

import numpy as np

from slantwood.kernels.compiling import exact
from slantwood.kernels.scratch import grown
from slantwood.kernels.selection import select_largest
from slantwood.kernels.sorting import sort_rows, sorting_workspace


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
def _count(label, value, total, seen, labels, n_seen):
    # Adds a leaf's value to its label; lists the label where it is new.
    if value != 0.0:
        if not seen[label]:
            seen[label] = True
            labels[n_seen] = label
            n_seen += 1
        total[label] += value
    return n_seen


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
    indices = np.empty(1024, np.int32)
    data = np.empty(1024, np.float32)
    workspace = sorting_workspace(leaves.n_columns)
    stored = 0
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
                    n_seen = _count(j, leaves.values[leaf, j], total, seen, labels, n_seen)
            else:
                for k in range(leaves.indptr[leaf], leaves.indptr[leaf + 1]):
                    n_seen = _count(leaves.indices[k], leaves.data[k], total, seen, labels, n_seen)
        share = np.float32(1.0) / np.float32(max(used, 1))
        for k in range(n_seen):
            scores[k] = total[labels[k]] * share
            total[labels[k]] = np.float32(0.0)
            seen[labels[k]] = False
        kept = n_seen
        if 0 < top_k < n_seen:
            select_largest(scores, labels, n_seen, top_k, ranks)
            kept = top_k
        if stored + kept > indices.shape[0]:
            indices = grown(indices, stored + kept)
            data = grown(data, stored + kept)
        order = sort_rows(labels[:kept], workspace)
        for k in range(kept):
            indices[stored + k] = labels[order[k]]
            data[stored + k] = scores[order[k]]
        stored += kept
        indptr[i + 1] = stored
    return indptr, indices[:stored].copy(), data[:stored].copy()
