"""Rows to leaves: compiled, without Python per row.

A sparse row has few values, and a split of thousands of features many weights. Rows that come together are
compared with a node that is spread over all columns, so that time goes with their values; single rows, or few
of them, with the weights of the node, or by search among these.
"""

import numpy as np

from slantwood.kernels.compiling import exact, indexed

# Where a node has so many times more weights than a row has values, these are searched among the weights.
_SEARCHED = 24

# What spreading a node's weights over all columns, and clearing them, takes for each weight.
_SPREADING = 2.0


@indexed
def node_score(row, trees, node):
    """Score of a row, all columns of it, at a node: where it is not negative, the row goes right.

    Sums of products in the order of columns, in float64: exact enough that training and prediction agree, and
    the same to the bit whatever way they are computed here.
    """
    total = trees.bias[node]
    for k in range(np.uint64(trees.indptr[node]), np.uint64(trees.indptr[node + 1])):
        x = row[trees.indices[k]]
        x = trees.means[k] if np.isnan(x) else x
        total += np.float64(x) * np.float64(trees.weights[k])
    return total


@indexed
def _searched_score(X, own, trees, node):
    # The same for a sparse row of few values, which are looked for among many weights.
    total = trees.bias[node]
    low = np.uint64(trees.indptr[node])
    end = np.uint64(trees.indptr[node + 1])
    for k in range(np.uint64(X.indptr[own]), np.uint64(X.indptr[own + 1])):
        column = X.indices[k]
        high = end
        while low < high:
            middle = (low + high) >> np.uint64(1)
            if np.uint32(trees.indices[middle]) < column:
                low = middle + np.uint64(1)
            else:
                high = middle
        if low == end:
            break
        if np.uint32(trees.indices[low]) == column:
            x = X.data[k]
            x = trees.means[low] if np.isnan(x) else x
            total += np.float64(x) * np.float64(trees.weights[low])
    return total


@indexed
def _spread_score(X, own, bias, weights, means):
    # The same where the weights of the node, and where values are missing its means, are spread over all
    # columns.
    total = bias
    for k in range(np.uint64(X.indptr[own]), np.uint64(X.indptr[own + 1])):
        j = X.indices[k]
        x = X.data[k]
        if X.has_missing and np.isnan(x):
            x = means[j]
        total += np.float64(x) * np.float64(weights[j])
    return total


@exact
def spread_row(X, own, row):
    """Put the values of a sparse row into an array of zeros over all columns."""
    for k in range(X.indptr[own], X.indptr[own + 1]):
        row[X.indices[k]] = X.data[k]


@exact
def clear_row(X, own, row):
    """Make these zeros again."""
    for k in range(X.indptr[own], X.indptr[own + 1]):
        row[X.indices[k]] = np.float32(0.0)


@exact
def _descend_together(X, trees, rows, out):
    # out[i, t] = how far rows[i] gets in tree t together with enough others: at a node with many weights and
    # many rows, time goes with the values of the rows, not with the weights of the node.
    n = rows.shape[0]
    order = np.empty(n, np.uint32)
    spare = np.empty(n, np.uint32)
    weights = np.zeros(X.n_columns, np.float32)
    means = np.zeros(X.n_columns if X.has_missing else 0, np.float32)
    # Nodes to which rows have come, and their parts of `order`.
    waiting = np.empty(max(n, 1), np.int32)
    first = np.empty(max(n, 1), np.int64)
    last = np.empty(max(n, 1), np.int64)
    n_values = 0
    for i in range(n):
        n_values += X.indptr[np.int64(rows[i]) + 1] - X.indptr[np.int64(rows[i])]
    values_per_row = n_values / max(n, 1)
    for t in range(trees.roots.shape[0]):
        for i in range(n):
            order[i] = i
        waiting[0] = trees.roots[t]
        first[0] = 0
        last[0] = n
        n_waiting = 1
        while n_waiting > 0:
            n_waiting -= 1
            node = waiting[n_waiting]
            start = first[n_waiting]
            stop = last[n_waiting]
            begin = trees.indptr[node]
            end = trees.indptr[node + 1]
            together = _SPREADING * (end - begin) + values_per_row * (stop - start)
            if trees.left[node] < 0 or together >= np.float64(end - begin) * (stop - start):
                for i in range(start, stop):
                    out[order[i], t] = node
                continue
            for k in range(begin, end):
                weights[trees.indices[k]] = trees.weights[k]
                if X.has_missing:
                    means[trees.indices[k]] = trees.means[k]
            n_left = 0
            n_right = 0
            for i in range(start, stop):
                own = np.int64(rows[order[i]])
                if _spread_score(X, own, trees.bias[node], weights, means) >= 0.0:
                    spare[n_right] = order[i]
                    n_right += 1
                else:
                    order[start + n_left] = order[i]
                    n_left += 1
            for i in range(n_right):
                order[start + n_left + i] = spare[i]
            for k in range(begin, end):
                weights[trees.indices[k]] = np.float32(0.0)
            if n_right > 0:
                waiting[n_waiting] = trees.right[node]
                first[n_waiting] = start + n_left
                last[n_waiting] = stop
                n_waiting += 1
            if n_left > 0:
                waiting[n_waiting] = trees.left[node]
                first[n_waiting] = start
                last[n_waiting] = start + n_left
                n_waiting += 1


@exact
def _leaf_of_dense(row, trees, node):
    while trees.left[node] >= 0:
        node = trees.right[node] if node_score(row, trees, node) >= 0.0 else trees.left[node]
    return node


@exact
def _leaf_of_sparse(X, own, row, trees, node):
    # `row` has the values of row `own` in their columns.
    most = _SEARCHED * (X.indptr[own + 1] - X.indptr[own])
    while trees.left[node] >= 0:
        if trees.indptr[node + 1] - trees.indptr[node] > most:
            score = _searched_score(X, own, trees, node)
        else:
            score = node_score(row, trees, node)
        node = trees.right[node] if score >= 0.0 else trees.left[node]
    return node


@exact
def route(X, trees, rows, out):
    """out[i, t] = the leaf (node number) of tree t that row rows[i] reaches."""
    if X.is_dense:
        for i in range(rows.shape[0]):
            for t in range(trees.roots.shape[0]):
                out[i, t] = _leaf_of_dense(X.values[np.int64(rows[i])], trees, trees.roots[t])
        return
    _descend_together(X, trees, rows, out)
    row = np.zeros(X.n_columns, np.float32)
    for i in range(rows.shape[0]):
        own = np.int64(rows[i])
        spread_row(X, own, row)
        for t in range(trees.roots.shape[0]):
            out[i, t] = _leaf_of_sparse(X, own, row, trees, out[i, t])
        clear_row(X, own, row)
