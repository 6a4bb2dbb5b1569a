"""Where in a tree slopes are learned: in the smallest nodes that have rows enough, along the splits above.

The features of a slope are the scores of rows at the last splits on the way to a node: directions that were
found to matter, few of them, which prediction computes in any case. Leaves below a node share its slopes, and
keep their own means.
"""

from typing import NamedTuple

import numpy as np

from slantwood.kernels.compiling import exact
from slantwood.leaves.linear import RidgeMemory, find_slopes, ridge_memory
from slantwood.model.routing import clear_row, node_score, spread_row
from slantwood.model.slopes import Slopes

# Nodes of fewer rows do not tell a slope; along so many splits at most.
LEAST_ROWS = 40
MOST_SPLITS = 8

# How many standard errors what left-out rows gain must have.
CLEAR = 1.0

# Where a small leaf lies beside a large node, the slopes of both together are those of the node.
_MOST_ROWS_ABOVE = 4000

# Less than this share of a weight, or of a difference, is what rounding leaves of none.
_ROUNDED = 1e-9


class _Rows(NamedTuple):
    # All rows of a tree, in the order of its leaves.
    known: np.ndarray  # float64, their weights; 0 where a target is missing
    leaf_at: np.ndarray  # int32, their leaves
    parent: np.ndarray  # int32 over nodes, -1 of the root
    holder: np.ndarray  # int32 over leaves: the node whose slopes they have, -1 where there is none


class _Memory(NamedTuple):
    # What nodes use one after another, for the rows of the largest.
    row: np.ndarray  # float32 over columns of a sparse X, zeros
    path: np.ndarray  # int32, splits on the way to a node, the last one first
    scores: np.ndarray  # float64 (n, n_splits) of rows there
    targets: np.ndarray  # float64 (n, T)
    along: np.ndarray  # what the scores of a row are beside those of other rows nearby
    rest: np.ndarray  # and its targets
    used: np.ndarray  # float64 (n,), weights of the rows that have others nearby
    scores_before: np.ndarray  # float64 (n + 1, n_splits), weighted sums over the rows before each
    targets_before: np.ndarray
    weight_before: np.ndarray  # (n + 1,)
    slopes: np.ndarray  # (n_splits, T)
    ridge: RidgeMemory


@exact
def _make_rows(Y, tree, counts, weights, least_rows):
    n = tree.rows.shape[0]
    known = np.empty(n)
    drawn_before = np.zeros(n + 1)
    for i in range(n):
        known[i] = np.float64(weights[i])
        drawn = np.float64(counts[i])
        for t in range(Y.n_columns):
            if np.isnan(Y.values[tree.rows[i], t]):
                known[i] = 0.0
                drawn = np.float64(0.0)
        drawn_before[i + 1] = drawn_before[i] + drawn
    leaf_at = np.empty(n, np.int32)
    parent = np.full(tree.left.shape[0], -1, np.int32)
    holder = np.full(tree.left.shape[0], -1, np.int32)
    for node in range(tree.left.shape[0]):  # breadth first: those above come first
        if tree.left[node] >= 0:
            parent[tree.left[node]] = node
            parent[tree.right[node]] = node
            continue
        for i in range(tree.start[node], tree.stop[node]):
            leaf_at[i] = node
        above = np.int64(node)
        while above >= 0:
            first, end = tree.start[above], tree.stop[above]
            if drawn_before[end] - drawn_before[first] >= least_rows:
                break
            above = np.int64(parent[above])
        if above >= 0 and (above == node or tree.stop[above] - tree.start[above] <= _MOST_ROWS_ABOVE):
            holder[node] = above
    return _Rows(known, leaf_at, parent, holder)


@exact
def _make_memory(X, n, K, T):
    return _Memory(
        np.zeros(0 if X.is_dense else X.n_columns, np.float32),
        np.empty(K, np.int32),
        np.empty((n, K)),
        np.empty((n, T)),
        np.empty((n, K)),
        np.empty((n, T)),
        np.empty(n),
        np.empty((n + 1, K)),
        np.empty((n + 1, T)),
        np.empty(n + 1),
        np.empty((K, T)),
        ridge_memory(K, T),
    )


@exact
def _path_scores(X, rows, tree, path, n_path, row, scores):
    # Scores of rows at the splits of a path.
    for i in range(rows.shape[0]):
        own = np.int64(rows[i])
        if X.is_dense:
            for k in range(n_path):
                scores[i, k] = node_score(X.values[own], tree, path[k])
        else:
            spread_row(X, own, row)
            for k in range(n_path):
                scores[i, k] = node_score(row, tree, path[k])
            clear_row(X, own, row)


@exact
def _add_up(values, weights, n, k, before):
    # before[i] = weighted sum over the rows before row i.
    for j in range(k):
        before[0, j] = 0.0
        for i in range(n):
            added = weights[i] * values[i, j] if weights[i] > 0.0 else 0.0
            before[i + 1, j] = before[i, j] + added


@exact
def _measure(X, Y, tree, known, node, k, memory):
    # Scores at the splits of the path and targets of the rows of a node, and sums of them.
    begin, end = tree.start[node], tree.stop[node]
    rows = tree.rows[begin:end]
    n = end - begin
    own = known[begin:end]
    _path_scores(X, rows, tree, memory.path, k, memory.row, memory.scores)
    targets, weight_before = memory.targets, memory.weight_before
    weight_before[0] = 0.0
    for i in range(n):
        weight_before[i + 1] = weight_before[i] + own[i]
        for t in range(Y.n_columns):
            targets[i, t] = Y.values[rows[i], t]
    _add_up(memory.scores, own, n, k, memory.scores_before)
    _add_up(targets, own, n, Y.n_columns, memory.targets_before)


@exact
def _put_deviations(values, before, i, first, end, own, weight, k, out):
    # out[i] = what row i is beside the mean of the others of a range, of some weight without it.
    for j in range(k):
        others = (before[end, j] - before[first, j] - own * values[i, j]) / weight
        deviation = values[i, j] - others
        is_rounding = abs(deviation) <= _ROUNDED * (abs(values[i, j]) + abs(others))
        out[i, j] = 0.0 if is_rounding else deviation


@exact
def _compare_nearby(tree, rows, node, k, T, memory):
    # Every row of a node beside the others of its leaf or, where it is alone there, of the node above.
    begin = tree.start[node]
    weight_before, used = memory.weight_before, memory.used
    for i in range(tree.stop[node] - begin):
        own = rows.known[begin + i]
        near = np.int64(rows.leaf_at[begin + i])
        first, end = tree.start[near] - begin, tree.stop[near] - begin
        weight = weight_before[end] - weight_before[first] - own
        if weight <= _ROUNDED * own and near != node:
            near = np.int64(rows.parent[near])
            first, end = tree.start[near] - begin, tree.stop[near] - begin
            weight = weight_before[end] - weight_before[first] - own
        used[i] = own if weight > _ROUNDED * own else 0.0
        if used[i] > 0.0:
            scores, targets = memory.scores, memory.targets
            _put_deviations(scores, memory.scores_before, i, first, end, own, weight, k, memory.along)
            _put_deviations(targets, memory.targets_before, i, first, end, own, weight, T, memory.rest)
        else:
            for j in range(k):
                memory.along[i, j] = 0.0
            for t in range(T):
                memory.rest[i, t] = 0.0


@exact
def _put_offsets(tree, rows, node, number, k, model, memory, found):
    # The leaves that have the slopes of a node, and what these add there on average.
    begin = tree.start[node]
    slopes, before = memory.slopes, memory.scores_before
    i = 0
    while i < tree.stop[node] - begin:
        leaf = np.int64(rows.leaf_at[begin + i])
        first, end = i, tree.stop[leaf] - begin
        total = memory.weight_before[end] - memory.weight_before[first]
        i = end
        if rows.holder[leaf] != node or total <= 0.0:
            continue
        found.model[number[leaf]] = model
        for t in range(slopes.shape[1]):
            value = 0.0
            for j in range(k):
                value += slopes[j, t] * (before[end, j] - before[first, j]) / total
            found.offset[number[leaf], t] = value


@exact
def _row_weight(used, counts):
    # Weight of the rows over their effective number, where a row that was drawn twice is two.
    total = 0.0
    squares = 0.0
    for i in range(counts.shape[0]):
        if used[i] > 0.0:
            total += used[i]
            squares += used[i] * used[i] / np.float64(counts[i])
    return squares / total if total > 0.0 else 1.0


@exact
def _put_range(targets, weights, low, high):
    # The least and the largest of each target, over rows that have weight.
    for t in range(targets.shape[1]):
        low[t] = np.float32(np.inf)
        high[t] = np.float32(-np.inf)
        for i in range(weights.shape[0]):
            if weights[i] > 0.0:
                low[t] = min(low[t], np.float32(targets[i, t]))
                high[t] = max(high[t], np.float32(targets[i, t]))


@exact
def leaf_slopes(X, Y, tree, counts, weights, least_rows, most_splits, n_errors):
    """Slopes of the leaves of a grown tree, of which there may be none.

    Y is dense; rows that do not know all targets have no part. `counts` and `weights` are those of
    `tree.rows`; a row is left out with all its draws.
    """
    n_nodes, T, K = tree.left.shape[0], Y.n_columns, most_splits
    rows = _make_rows(Y, tree, counts, weights, least_rows)
    number = np.empty(n_nodes, np.int64)  # of a leaf among all
    is_holder = np.zeros(n_nodes, np.bool_)
    n_leaves = 0
    n_models = 0
    most_rows = 0
    for node in range(n_nodes):
        number[node] = n_leaves
        n_leaves += tree.left[node] < 0
        above = np.int64(rows.holder[node])
        if above >= 0 and not is_holder[above]:
            is_holder[above] = True
            n_models += 1
            most_rows = max(most_rows, tree.stop[above] - tree.start[above])
    found = Slopes(
        np.full(n_leaves, -1, np.int32),
        np.zeros((n_leaves, T), np.float32),
        np.zeros(n_models + 1, np.int64),
        np.empty(n_models * K, np.int32),
        np.empty((n_models * K, T), np.float32),
        np.empty((n_models, T), np.float32),
        np.empty((n_models, T), np.float32),
    )
    memory = _make_memory(X, most_rows, K, T)
    model = 0
    place = 0
    for node in range(n_nodes):
        if not is_holder[node]:
            continue
        k = 0
        above = np.int64(node if tree.left[node] >= 0 else rows.parent[node])
        while above >= 0 and k < K:
            memory.path[k] = above
            above = np.int64(rows.parent[above])
            k += 1
        begin, end = tree.start[node], tree.stop[node]
        _measure(X, Y, tree, rows.known, node, k, memory)
        _compare_nearby(tree, rows, node, k, T, memory)
        along, rest, used, slopes = memory.along, memory.rest, memory.used, memory.slopes
        row_weight = _row_weight(used, counts[begin:end])
        if not find_slopes(along, rest, used, row_weight, end - begin, k, n_errors, memory.ridge, slopes):
            continue
        for j in range(k):
            found.nodes[place + j] = memory.path[j]
            for t in range(T):
                found.coefficients[place + j, t] = slopes[j, t]
        _put_range(memory.targets, rows.known[begin:end], found.low[model], found.high[model])
        _put_offsets(tree, rows, node, number, k, model, memory, found)
        place += k
        model += 1
        found.indptr[model] = place
    return Slopes(
        found.model,
        found.offset,
        found.indptr[: model + 1].copy(),
        found.nodes[:place].copy(),
        found.coefficients[:place].copy(),
        found.low[:model].copy(),
        found.high[:model].copy(),
    )
