"""What the features of a row do to its prediction: a row's way down the trees, step by step. Compiled."""

import numpy as np

from slantwood.kernels.compiling import exact
from slantwood.model.routing import clear_row, node_score, spread_row
from slantwood.model.trees import Trees


def node_values(trees: Trees, columns: np.ndarray) -> np.ndarray:
    """Return what every node would predict of some columns of the targets, were it a leaf.

    That is the mean of the leaves below it, by the weights of the training rows in them: float64 of shape
    (n_nodes, n_columns).
    """
    leaves, is_leaf = trees.leaves, trees.left < 0
    values = np.zeros((len(trees.left), len(columns)))
    values[is_leaf] = _of_leaves(leaves, columns)[trees.leaf[is_leaf]]
    for depth in range(int(trees.depth.max(initial=0)) - 1, -1, -1):
        inner = np.flatnonzero((trees.depth == depth) & ~is_leaf)
        left, right = trees.left[inner], trees.right[inner]
        of_left, of_right = trees.node_weight[left], trees.node_weight[right]
        share = (of_right / (of_left + of_right))[:, None]
        values[inner] = (1.0 - share) * values[left] + share * values[right]
    return values


def _of_leaves(leaves, columns):
    if leaves.is_dense:
        return leaves.values[:, columns].astype(np.float64)
    place = np.full(leaves.n_columns, -1)
    place[columns] = np.arange(len(columns))
    wanted = place[leaves.indices] >= 0
    row = np.repeat(np.arange(len(leaves.indptr) - 1), np.diff(leaves.indptr))[wanted]
    found = np.zeros((len(leaves.indptr) - 1, len(columns)))
    found[row, place[leaves.indices[wanted]]] = leaves.data[wanted]
    return found


@exact
def _push(row, trees, k):
    # By how much a feature moves the row to the right of the mean of the node's training rows.
    x = row[trees.indices[k]]
    mean = np.float64(trees.means[k])
    return 0.0 if np.isnan(x) else (np.float64(x) - mean) * np.float64(trees.weights[k])


@exact
def add_contributions(X, trees, values, rows, out):
    """Add to out[i, j] what feature j does to the values of row rows[i], over all trees.

    At every split on its way, a row's value changes from that of the node to that of the side to which it
    goes. Features share this by how far each of them pushes the row to this side, from the mean of the
    node's training rows; those that push the other way have no part. Where none pushes to this side, they
    share it by how far they push, and where all are at the mean, alike.
    """
    n_values = values.shape[1]
    spread = np.zeros(0 if X.is_dense else X.n_columns, np.float32)
    for i in range(rows.shape[0]):
        own = np.int64(rows[i])
        if X.is_dense:
            row = X.values[own]
        else:
            row = spread
            spread_row(X, own, spread)
        for t in range(trees.roots.shape[0]):
            node = trees.roots[t]
            while trees.left[node] >= 0:
                to_right = node_score(row, trees, node) >= 0.0
                side = trees.right[node] if to_right else trees.left[node]
                first, end = trees.indptr[node], trees.indptr[node + 1]
                along = 0.0
                in_all = 0.0
                for k in range(first, end):
                    push = _push(row, trees, k)
                    in_all += abs(push)
                    along += max(push if to_right else -push, 0.0)
                for k in range(first, end):
                    push = _push(row, trees, k)
                    if along > 0.0:
                        share = max(push if to_right else -push, 0.0) / along
                    elif in_all > 0.0:
                        share = abs(push) / in_all
                    else:
                        share = 1.0 / np.float64(end - first)
                    if share > 0.0:
                        j = trees.indices[k]
                        for c in range(n_values):
                            out[i, j, c] += share * (values[side, c] - values[node, c])
                node = side
        if not X.is_dense:
            clear_row(X, own, spread)
