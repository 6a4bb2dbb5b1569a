"""Minimal cost-complexity pruning of a grown tree (Breiman, Friedman, Olshen & Stone 1984, Chapter 3).

The cost R(T) of a tree is the mean squared error of what its leaves predict, over the weights of its training
rows and added up over the targets, each with its weight: for classes this is Gini's impurity. A target that
is missing has no part. Of the subtree T_t below a node t, which would cost R(t) as a leaf, each leaf after
the first saves

    g(t) = (R(t) - R(T_t)) / (|T_t| - 1)

The weakest link, the node of the least g, becomes a leaf, then the next one, and so on; pruning at `alpha`
goes on while g is not above it, which leaves the smallest tree of the least R(T) + alpha |T|.
"""

from typing import NamedTuple

import numpy as np

from slantwood.growth.nodes import GrownTree
from slantwood.kernels.compiling import exact
from slantwood.kernels.heap import pop, push
from slantwood.kernels.matrix import Matrix


class WeakestLinks(NamedTuple):
    """In which order the nodes of a tree become leaves, the root at last."""

    nodes: np.ndarray  # int64
    alphas: np.ndarray  # float64, never falling: g of each of them
    costs: np.ndarray  # float64: R of the whole tree, and then after each step


class PruningPath(NamedTuple):
    """The trees that cost-complexity pruning leaves, from the whole one to its root.

    Attributes
    ----------
    ccp_alphas : array
        From which `ccp_alpha` on each of them is what is left; never falling.
    impurities : array
        Sum of the impurities of its leaves, each times the share of the weight that the leaf has.
    """

    ccp_alphas: np.ndarray
    impurities: np.ndarray


@exact
def _squared_error(Y, target_weights, rows, weights, sums, squares, missing):
    # Sum of r p_j (y_j - mean_j)^2 over rows and targets, where y_j is known: of each target
    # sum r y^2 - (sum r y)^2 / sum r. The three arrays hold zeros for each target, and do so afterwards.
    total = 0.0
    for i in range(rows.shape[0]):
        row = rows[i]
        r = np.float64(weights[i])
        total += r
        start = 0 if Y.is_dense else Y.indptr[row]
        stop = Y.n_columns if Y.is_dense else Y.indptr[row + 1]
        for k in range(start, stop):
            j = np.int64(k if Y.is_dense else Y.indices[k])
            y = np.float64(Y.values[row, k] if Y.is_dense else Y.data[k])
            if np.isnan(y):
                missing[j] += r
            else:
                sums[j] += r * y
                squares[j] += r * y * y
    error = 0.0
    for i in range(rows.shape[0] if not Y.is_dense else 1):
        start = 0 if Y.is_dense else Y.indptr[rows[i]]
        stop = Y.n_columns if Y.is_dense else Y.indptr[rows[i] + 1]
        for k in range(start, stop):
            j = np.int64(k if Y.is_dense else Y.indices[k])
            if squares[j] > 0.0:
                p = target_weights[j] if target_weights.shape[0] > 0 else 1.0
                error += p * max(squares[j] - sums[j] * sums[j] / (total - missing[j]), 0.0)
            sums[j] = 0.0
            squares[j] = 0.0
            missing[j] = 0.0
    return error


@exact
def weakest_links(Y, target_weights, tree, weights):
    """Find the order in which the nodes of a grown tree become leaves.

    `target_weights` is empty, or holds a weight for each column of Y; `weights` are those of `tree.rows`.
    """
    left, right = tree.left, tree.right
    n_nodes = left.shape[0]
    n_inner = n_nodes // 2
    cost = np.empty(n_nodes)
    sums = np.zeros(Y.n_columns)
    squares = np.zeros(Y.n_columns)
    missing = np.zeros(Y.n_columns)
    for node in range(n_nodes):
        start, stop = tree.start[node], tree.stop[node]
        rows = tree.rows[start:stop]
        error = _squared_error(Y, target_weights, rows, weights[start:stop], sums, squares, missing)
        cost[node] = error / tree.node_weight[0]
    branch_cost = cost.copy()  # R(T_t)
    n_leaves = np.ones(n_nodes, np.int64)  # |T_t|
    parent = np.full(n_nodes, -1, np.int64)
    strength = np.zeros(n_nodes)  # - g, so that the weakest comes first
    heap = np.empty(n_inner, np.int64)
    n_waiting = 0
    for node in range(n_nodes - 1, -1, -1):
        if left[node] >= 0:
            parent[left[node]] = node
            parent[right[node]] = node
            branch_cost[node] = branch_cost[left[node]] + branch_cost[right[node]]
            n_leaves[node] = n_leaves[left[node]] + n_leaves[right[node]]
            strength[node] = (branch_cost[node] - cost[node]) / (n_leaves[node] - 1)
            n_waiting = push(heap, n_waiting, strength, node)
    links = WeakestLinks(np.empty(n_inner, np.int64), np.empty(n_inner), np.empty(n_inner + 1))
    links.costs[0] = branch_cost[0]
    count = 0
    alpha = 0.0
    while n_waiting > 0:
        node = pop(heap, n_waiting, strength)
        n_waiting -= 1
        # A node below one that became a leaf is gone. Pruning below a node never lowers its g: it can wait in
        # its old place until it comes first.
        if _is_gone(parent, n_leaves, node):
            continue
        now = (branch_cost[node] - cost[node]) / (n_leaves[node] - 1)
        if now < strength[node]:
            strength[node] = now
            n_waiting = push(heap, n_waiting, strength, node)
            continue
        alpha = max(alpha, -now)
        saved = cost[node] - branch_cost[node]
        n_fewer = n_leaves[node] - 1
        above = node
        while above >= 0:
            branch_cost[above] += saved
            n_leaves[above] -= n_fewer
            above = parent[above]
        links.nodes[count] = node
        links.alphas[count] = alpha
        count += 1
        links.costs[count] = branch_cost[0]
    nodes, alphas, costs = links
    return WeakestLinks(nodes[:count].copy(), alphas[:count].copy(), costs[: count + 1].copy())


@exact
def _is_gone(parent, n_leaves, node):
    above = parent[node]
    while above >= 0:
        if n_leaves[above] == 1:
            return True
        above = parent[above]
    return False


def pruning_path(Y: Matrix, target_weights: np.ndarray, tree: GrownTree, weights: np.ndarray) -> PruningPath:
    """Return the path on which a tree is pruned to its root."""
    links = weakest_links(Y, target_weights, tree, weights)
    return PruningPath(np.append(0.0, links.alphas), links.costs)


def pruned(
    Y: Matrix, target_weights: np.ndarray, tree: GrownTree, weights: np.ndarray, alpha: float
) -> GrownTree:
    """Return what cost-complexity pruning leaves of a tree; all of it at an `alpha` of 0."""
    if alpha == 0.0:
        return tree
    links = weakest_links(Y, target_weights, tree, weights)
    return with_leaves(tree, links.nodes[links.alphas <= alpha])


def with_leaves(tree: GrownTree, leaves: np.ndarray) -> GrownTree:
    """Return a tree in which some inner nodes are leaves, and what was below them is gone."""
    is_inner = tree.left >= 0
    is_inner[leaves] = False
    stays = np.zeros(len(is_inner), bool)
    stays[0] = True
    for depth in range(tree.depth.max()):
        # Nodes are numbered breadth first: those of one depth all know whether they stay before the next.
        parents = np.flatnonzero(stays & is_inner & (tree.depth == depth))
        stays[tree.left[parents]] = True
        stays[tree.right[parents]] = True
    is_inner &= stays
    number = np.cumsum(stays) - 1
    has_weight = np.repeat(is_inner, np.diff(tree.indptr))
    indices, shares = tree.indices[has_weight], tree.shares[has_weight]

    def children(of: np.ndarray) -> np.ndarray:
        return np.where(is_inner, number[of], -1)[stays].astype(np.int32)

    return GrownTree(
        left=children(tree.left),
        right=children(tree.right),
        indptr=np.append(0, np.cumsum(np.where(is_inner, np.diff(tree.indptr), 0)[stays])),
        indices=indices,
        weights=tree.weights[has_weight],
        means=tree.means[has_weight],
        bias=np.where(is_inner, tree.bias, 0.0)[stays],
        depth=tree.depth[stays],
        node_weight=tree.node_weight[stays],
        start=tree.start[stays],
        stop=tree.stop[stays],
        rows=tree.rows,
        shares=shares,
        importance=np.bincount(indices, shares, len(tree.importance)).astype(np.float32),
    )
