"""Slopes of leaves as flat arrays, and predictions with them. Compiled, without Python per row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from slantwood.kernels.compiling import exact
from slantwood.model.routing import clear_row, node_score, spread_row
from slantwood.model.trees import Trees


class Slopes(NamedTuple):
    """How the predictions of leaves follow the scores of a row at splits above them.

    Of a row x in leaf l with model g, target t is predicted as its mean in the leaf, less `offset[l, t]`,
    plus the sum over the splits of g of their coefficient times the score of x there; cut off at `low[g, t]`
    and `high[g, t]`. The offset is what this sum is on average over the training rows of the leaf.
    """

    model: np.ndarray  # int32 (n_leaves,), -1 where a leaf predicts its mean
    offset: np.ndarray  # float32 (n_leaves, n_targets)
    indptr: np.ndarray  # int64, splits in CSR form over models
    nodes: np.ndarray  # int32, the splits, those nearest to the leaves first
    coefficients: np.ndarray  # float32 (n_splits, n_targets)
    low: np.ndarray  # float32 (n_models, n_targets), range of the training rows of a model
    high: np.ndarray

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays, by NumPy's name for it."""
        return sum(each.nbytes for each in self)


def no_slopes(trees: Trees) -> Slopes:
    """Return the slopes of trees all of whose leaves predict means."""
    n_leaves, n_targets = trees.leaves.values.shape
    return Slopes(
        np.full(n_leaves, -1, np.int32),
        np.zeros((n_leaves, n_targets), np.float32),
        np.zeros(1, np.int64),
        np.empty(0, np.int32),
        *(np.empty((0, n_targets), np.float32) for _ in range(3)),
    )


def join_slopes(parts: Sequence[Slopes], trees: Sequence[Trees]) -> Slopes:
    """Put the slopes of several parts of a forest into one, as `trees.join` does with their trees."""
    if len(parts) == 1:
        return parts[0]
    n_nodes = np.cumsum([0] + [len(each.left) for each in trees])
    n_models = np.cumsum([0] + [len(each.low) for each in parts])
    n_splits = np.cumsum([0] + [len(each.nodes) for each in parts])
    places = zip(parts, n_nodes, n_models, n_splits, strict=False)
    model, nodes, indptr = [], [], []
    for part, first_node, first_model, first_split in places:
        model.append(np.where(part.model < 0, -1, part.model + first_model).astype(np.int32))
        nodes.append((part.nodes + first_node).astype(np.int32))
        indptr.append(part.indptr[:-1] + first_split)
    return Slopes(
        np.concatenate(model),
        np.concatenate([each.offset for each in parts]),
        np.concatenate([*indptr, n_splits[-1:]]),
        np.concatenate(nodes),
        np.concatenate([each.coefficients for each in parts]),
        np.concatenate([each.low for each in parts]),
        np.concatenate([each.high for each in parts]),
    )


@exact
def sloped_value(mean, added, low, high):
    """Mean of a leaf and what slopes add to it, within the range of the rows of the model."""
    value = mean + added
    if value > high:
        return np.float64(high)
    if value < low:
        return np.float64(low)
    # Infinities of opposite sign, which only a file that was made up can lead to, leave the mean.
    return np.float64(mean) if np.isnan(value) else value


@exact
def _sloped_row(row, nodes, trees, slopes, added, out):
    # out[k] = what the k-th of some leaves says of a row; `added` has memory for a number of each target.
    T = added.shape[0]
    for k in range(nodes.shape[0]):
        leaf = np.int64(trees.leaf[nodes[k]])
        model = np.int64(slopes.model[leaf])
        if model < 0:
            for t in range(T):
                out[k, t] = trees.leaves.values[leaf, t]
            continue
        for t in range(T):
            added[t] = -np.float64(slopes.offset[leaf, t])
        for place in range(slopes.indptr[model], slopes.indptr[model + 1]):
            score = node_score(row, trees, np.int64(slopes.nodes[place]))
            for t in range(T):
                added[t] += score * np.float64(slopes.coefficients[place, t])
        for t in range(T):
            mean = np.float64(trees.leaves.values[leaf, t])
            out[k, t] = sloped_value(mean, added[t], slopes.low[model, t], slopes.high[model, t])


@exact
def sloped_leaves(X, rows, nodes, trees, slopes, out):
    """out[i, k] = what the k-th of the leaves nodes[i] says of row rows[i]; leaves are dense."""
    added = np.empty(trees.leaves.n_columns)
    spread = np.zeros(0 if X.is_dense else X.n_columns, np.float32)
    for i in range(rows.shape[0]):
        own = np.int64(rows[i])
        if X.is_dense:
            _sloped_row(X.values[own], nodes[i], trees, slopes, added, out[i])
        else:
            spread_row(X, own, spread)
            _sloped_row(spread, nodes[i], trees, slopes, added, out[i])
            clear_row(X, own, spread)


@exact
def add_sloped_leaves(X, rows, nodes, tree_mask, trees, slopes, out):
    """Put into out, which holds zeros, the mean of what the leaves of each row say, as `add_leaves` does.

    `tree_mask` is empty (all trees count) or a boolean array like `nodes`; rows without any tree become NaN.
    """
    T = trees.leaves.n_columns
    added = np.empty(T)
    each = np.empty((nodes.shape[1], T), np.float32)
    spread = np.zeros(0 if X.is_dense else X.n_columns, np.float32)
    for i in range(nodes.shape[0]):
        own = np.int64(rows[i])
        if X.is_dense:
            _sloped_row(X.values[own], nodes[i], trees, slopes, added, each)
        else:
            spread_row(X, own, spread)
            _sloped_row(spread, nodes[i], trees, slopes, added, each)
            clear_row(X, own, spread)
        used = 0
        for k in range(nodes.shape[1]):
            if tree_mask.shape[0] > 0 and not tree_mask[i, k]:
                continue
            used += 1
            for t in range(T):
                out[i, t] += each[k, t]
        share = np.float32(1.0) / np.float32(max(used, 1))
        for t in range(T):
            out[i, t] = out[i, t] * share if used > 0 else np.float32(np.nan)


@exact
def _parts_of_features(row, trees, slopes, model, columns, is_part, features, parts):
    # What each feature adds to what slopes add, from the means of the splits; returns how many features have
    # a part. `is_part` holds False and `parts` zeros before, of all columns of X.
    n_features = 0
    for place in range(slopes.indptr[model], slopes.indptr[model + 1]):
        node = np.int64(slopes.nodes[place])
        for k in range(trees.indptr[node], trees.indptr[node + 1]):
            j = np.int64(trees.indices[k])
            x = row[j]
            if np.isnan(x):
                continue
            if not is_part[j]:
                is_part[j] = True
                features[n_features] = j
                n_features += 1
            push = (np.float64(x) - np.float64(trees.means[k])) * np.float64(trees.weights[k])
            for c in range(columns.shape[0]):
                parts[j, c] += push * np.float64(slopes.coefficients[place, columns[c]])
    return n_features


@exact
def _share_out(change, features, n_features, parts, c, out):
    # Features share a change by their parts in its direction, or else by the size of their parts.
    along = 0.0
    in_all = 0.0
    for f in range(n_features):
        part = parts[features[f], c]
        in_all += abs(part)
        along += max(part if change > 0.0 else -part, 0.0)
    for f in range(n_features):
        part = parts[features[f], c]
        if along > 0.0:
            share = max(part if change > 0.0 else -part, 0.0) / along
        elif in_all > 0.0:
            share = abs(part) / in_all
        else:
            share = 1.0 / np.float64(n_features)
        out[features[f], c] += share * change


@exact
def add_slope_contributions(X, rows, nodes, trees, slopes, columns, out):
    """Add to out[i, j] what feature j adds by slopes to some columns of the targets, over leaves nodes[i].

    The features of the splits share what slopes change, after it was cut off, by how far each of them drives
    it that way, from the means of the splits. Where all values of these features are missing, which leaves
    the means, the first of them has it.
    """
    T = trees.leaves.n_columns
    value = np.empty((1, T))
    added = np.empty(T)
    is_part = np.zeros(X.n_columns, np.bool_)
    features = np.empty(X.n_columns, np.int64)
    parts = np.zeros((X.n_columns, columns.shape[0]))
    spread = np.zeros(X.n_columns, np.float32)
    for i in range(rows.shape[0]):
        own = np.int64(rows[i])
        if X.is_dense:
            for j in range(X.n_columns):
                spread[j] = X.values[own, j]
        else:
            spread_row(X, own, spread)
        for k in range(nodes.shape[1]):
            leaf = np.int64(trees.leaf[nodes[i, k]])
            model = np.int64(slopes.model[leaf])
            if model < 0:
                continue
            _sloped_row(spread, nodes[i, k : k + 1], trees, slopes, added, value)
            n_features = _parts_of_features(spread, trees, slopes, model, columns, is_part, features, parts)
            if n_features == 0:
                features[0] = trees.indices[trees.indptr[slopes.nodes[slopes.indptr[model]]]]
                n_features = 1
            for c in range(columns.shape[0]):
                change = value[0, columns[c]] - np.float64(trees.leaves.values[leaf, columns[c]])
                _share_out(change, features, n_features, parts, c, out[i])
            for f in range(n_features):
                is_part[features[f]] = False
                for c in range(columns.shape[0]):
                    parts[features[f], c] = 0.0
        if not X.is_dense:
            clear_row(X, own, spread)
