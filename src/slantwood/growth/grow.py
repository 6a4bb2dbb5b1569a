"""Top-down induction of one tree.

Rows live in one index array that is partitioned in place; a node is a range of it. The grower knows
features X, clustering attributes Z and row weights; it asks the split learner for a hyperplane,
tests whether to accept it, and never sees the targets that the leaves will predict.
"""

from typing import NamedTuple

import numpy as np

from slantwood.growth.subspaces import choose_features, draw_features
from slantwood.growth.trials import LEVELS, cut_back, is_beyond_chance
from slantwood.kernels.block import gather
from slantwood.kernels.compiling import exact, indexed
from slantwood.kernels.products import add_over_known, back_project, has_missing, known_weights, project
from slantwood.kernels.random import below
from slantwood.kernels.scratch import grown, scratch
from slantwood.kernels.workspace import make_workspace, measure, set_scales
from slantwood.splits.protocol import ANSWER_PARTS, read

# Where a random subset of the features gives no split, another one is drawn, so many times as large, and so
# on up to all features, before the node becomes a leaf.
_WIDER = 4

# Shares of a direction below this are rounding.
_UNKNOWN = 1e-9
_TINY = 1e-300


class Limits(NamedTuple):
    """When to stop growing."""

    max_depth: int
    min_samples_split: int
    min_impurity_decrease: float
    max_features: int
    features_per_row: int  # of a sparse matrix: so many of the chosen features a row has on average
    min_support: int  # of a sparse feature: rows of a node in which it is not zero
    shuffle_above: int  # with more rows than this, they are put in random order first


class Separation(NamedTuple):
    """How well a split separates the clustering attributes, along the direction that joins its sides."""

    decrease: float  # share of the impurity that is gone on the side where it falls more
    explained: float  # share of the variance that lies between the sides


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
def _shuffle(rows, counts, weights, state):
    for i in range(rows.shape[0] - 1, 0, -1):
        k = below(state, i + 1)
        rows[i], rows[k] = rows[k], rows[i]
        counts[i], counts[k] = counts[k], counts[i]
        weights[i], weights[k] = weights[k], weights[i]


@indexed
def _hyperplane_in_raw_units(w, b, workspace, d, columns, weights, means):
    # x.v + c = (x - mean).v + b with v = w * scale; c is computed from the rounded v in float64, so
    # that columns far from zero cost no precision. Returns the number of weights and c.
    count = 0
    offset = np.float64(b)
    for j in range(d):
        v = w[j] * workspace.scale[j]
        if v != np.float32(0.0):
            columns[count] = workspace.columns[j]
            weights[count] = v
            means[count] = workspace.mean[j]
            offset -= np.float64(v) * workspace.mean[j]
            count += 1
    return count, offset


@indexed
def _mark_sides(X, rows, columns, weights, means, bias, spread, spread_means, side):
    # side_i = x_i.v + c >= 0, computed in float64 as routing does. `spread` is zeros over all columns, and
    # `spread_means` has numbers for all of them where values are missing.
    if not X.is_dense:
        for k in range(columns.shape[0]):
            spread[columns[k]] = weights[k]
            if X.has_missing:
                spread_means[columns[k]] = means[k]
    n_right = 0
    for i in range(rows.shape[0]):
        total = bias
        if X.is_dense:
            row = X.values[rows[i]]
            for k in range(columns.shape[0]):
                x = row[columns[k]]
                x = means[k] if np.isnan(x) else x
                total += np.float64(x) * np.float64(weights[k])
        else:
            for k in range(np.uint64(X.indptr[rows[i]]), np.uint64(X.indptr[rows[i] + 1])):
                x = X.data[k]
                if np.isnan(x):
                    x = spread_means[X.indices[k]]
                total += np.float64(x) * np.float64(spread[X.indices[k]])
        side[i] = total >= 0.0
        n_right += side[i]
    if not X.is_dense:
        for k in range(columns.shape[0]):
            spread[columns[k]] = np.float32(0.0)
    return n_right


@exact
def _sum_right(Z, weights, side, members, direction):
    # Weights of the rows on the right (zero for others) to `members`, and their sum of r z to `direction`. As
    # that of all rows is zero, it points from the centre of one side to that of the other.
    for i in range(Z.n_rows):
        members[i] = weights[i] if side[i] else np.float32(0.0)
    back_project(Z, members, direction)


@exact
def _removed(workspace, direction, members, root_scale, total):
    # The impurity that the split removes, N / (S (N - S)) |m|^2 with m = `direction`, in scales that are the
    # same for all nodes, so that these can be compared.
    S = 0.0
    for i in range(members.shape[0]):
        S += np.float64(members[i])
    squared = 0.0
    for j in range(direction.shape[0]):
        if workspace.scale[j] > 0.0:  # not so for attributes of weight 0
            m = np.float64(direction[j]) * root_scale[workspace.columns[j]] / workspace.scale[j]
            squared += m * m
    both = S * (total - S)
    return squared * total / both if both > 0.0 else 0.0  # a side may weigh no more than rounding


@exact
def _separation(Z, weights, side, members, direction):
    # Relative decrease of impurity on the side where it falls more, along the direction in which
    # the split separates the clustering attributes: a split between two sides can act on one
    # direction only, so what varies across it must not count against the split. With a single
    # attribute this is the relative decrease of its variance. Overwrites the last two arguments.
    n = Z.n_rows
    known = scratch(n, np.float64)
    known[:] = 1.0
    if has_missing(Z):
        _between_known_centres(Z, weights, members, direction)
        # A row of which only a part (in squares) of the direction is known counts with this part.
        levels = direction.astype(np.float64) ** 2
        levels /= max(levels.sum(), _TINY)
        known[:] = 0.0
        add_over_known(Z, levels, known)
    along = members
    project(Z, direction, along)
    total = np.zeros(2)
    sums = np.zeros(2)
    squares = np.zeros(2)
    for i in range(n):
        if known[i] > _UNKNOWN:
            c = 1 if side[i] else 0
            r = weights[i] * known[i]
            a = np.float64(along[i]) / known[i]
            total[c] += r
            sums[c] += r * a
            squares[c] += r * a * a
    if not (total[0] > 0.0 and total[1] > 0.0):
        return Separation(0.0, 0.0)
    mean = (sums[0] + sums[1]) / (total[0] + total[1])
    variance = (squares[0] + squares[1]) / (total[0] + total[1]) - mean * mean
    if not variance > 0.0:
        return Separation(0.0, 0.0)
    left = squares[0] / total[0] - (sums[0] / total[0]) ** 2
    right = squares[1] / total[1] - (sums[1] / total[1]) ** 2
    within = (total[0] * left + total[1] * right) / (total[0] + total[1])
    return Separation(1.0 - min(left, right) / variance, 1.0 - within / variance)


@exact
def _between_known_centres(Z, weights, members, direction):
    # From the sums over one side to the difference of the centres of what is known on the two sides, which
    # without missing values is the same direction.
    total = scratch(Z.n_columns, np.float64)
    inside = scratch(Z.n_columns, np.float64)
    known_weights(Z, weights, total)
    known_weights(Z, members, inside)
    for j in range(Z.n_columns):
        both = inside[j] * (total[j] - inside[j])
        is_on_both = both > _UNKNOWN * total[j] * total[j]
        direction[j] = direction[j] * total[j] / both if is_on_both else np.float32(0.0)


@exact
def _partition(rows, counts, weights, side, spare_rows, spare_counts, spare_weights):
    # Left rows to the front, order kept on both sides; returns the number of left rows.
    n_left = 0
    n_right = 0
    for i in range(rows.shape[0]):
        if side[i]:
            spare_rows[n_right] = rows[i]
            spare_counts[n_right] = counts[i]
            spare_weights[n_right] = weights[i]
            n_right += 1
        else:
            rows[n_left] = rows[i]
            counts[n_left] = counts[i]
            weights[n_left] = weights[i]
            n_left += 1
    rows[n_left:] = spare_rows[:n_right]
    counts[n_left:] = spare_counts[:n_right]
    weights[n_left:] = spare_weights[:n_right]
    return n_left


@exact
def _share_out(w, workspace, d, removed, shares):
    # Shares out what the split removes by the parts of the features in the variance of x.w, where that of
    # feature j is w_j^2 times its own variance. There is a share for every weight that is stored.
    total = 0.0
    for j in range(d):
        total += _part(w, workspace, j)
    share = removed / total if total > 0.0 else 0.0
    count = 0
    for j in range(d):
        if w[j] * workspace.scale[j] != np.float32(0.0):
            shares[count] = share * _part(w, workspace, j)
            count += 1


@exact
def _part(w, workspace, j):
    spread = np.float64(w[j]) * workspace.scale[j]
    return spread * spread * workspace.variance[j]


@exact
def grow(
    X,
    Z,
    attribute_weights,
    rows,
    counts,
    weights,
    entrance,
    numbers,
    scaling,
    importance_power,
    limits,
    seed,
    stop_flag,
):
    """Grow a tree on the given rows (distinct, with counts and positive weights, which it reorders).

    `entrance` and its `numbers` come from `slantwood.splits.protocol.entrance_of`. Importances add up the
    impurities of clustering attributes, each divided by its deviation in the root to `importance_power`. Once
    `stop_flag[0]` is not 0, which another thread may see to at any time, all nodes become leaves.
    """
    n = rows.shape[0]
    state = np.array([seed], np.uint64)
    no_weights = np.empty(0, np.float32)
    x_workspace = make_workspace(X, rows, False)
    z_workspace = make_workspace(Z, rows, True)
    spread = np.zeros(0 if X.is_dense else X.n_columns, np.float32)
    spread_means = np.zeros(X.n_columns if X.has_missing and not X.is_dense else 0, np.float32)
    side = np.empty(n, np.bool_)
    split_workspace = scratch(x_workspace.columns.shape[0], np.float32)
    answer = np.zeros(ANSWER_PARTS)
    members_workspace = scratch(n, np.float32)
    direction_workspace = scratch(z_workspace.columns.shape[0], np.float32)
    root_scale = np.zeros(Z.n_columns)
    # Where few of a dense matrix' columns are wanted, it is quicker to measure those only that are drawn.
    draws_first = X.is_dense and _WIDER * limits.max_features <= X.n_columns
    columns = np.arange(X.n_columns if draws_first else 0).astype(np.uint32)
    # Splits on trial draw for themselves, so that where they are cut back all others are what they were.
    trial_state = state.copy()
    trial_columns = columns.copy()
    spare_rows = np.empty(n, np.uint32)
    spare_counts = np.empty(n, np.int32)
    spare_weights = np.empty(n, np.float32)

    capacity = 2 * n
    left = np.full(capacity, -1, np.int32)
    right = np.full(capacity, -1, np.int32)
    indptr = np.zeros(capacity + 1, np.int64)
    bias = np.zeros(capacity, np.float64)
    start = np.zeros(capacity, np.int64)
    stop = np.zeros(capacity, np.int64)
    depth = np.zeros(capacity, np.int32)
    node_weight = np.zeros(capacity, np.float64)
    n_failed = np.zeros(capacity, np.int32)  # how many splits in a row failed on the way to a node
    passed = np.zeros(capacity, np.bool_)
    on_trial = False  # whether there are any
    split_columns = np.empty(1024, np.int32)
    split_weights = np.empty(1024, np.float32)
    split_means = np.empty(1024, np.float32)
    shares = np.empty(1024, np.float64)
    importance = np.zeros(X.n_columns, np.float32)
    total_weight = 0.0
    for i in range(n):
        total_weight += weights[i]

    if n > limits.shuffle_above:
        _shuffle(rows, counts, weights, state)
    n_nodes = 1
    stop[0] = n
    n_stored = 0
    # Children are numbered when their parent is split, and nodes are visited in that order: breadth
    # first, so that the split weights of consecutive nodes lie one after another.
    node = 0
    while node < n_nodes:
        indptr[node + 1] = n_stored
        node_rows = rows[start[node] : stop[node]]
        node_counts = counts[start[node] : stop[node]]
        r = weights[start[node] : stop[node]]
        n_counted = 0
        squares = 0.0
        this = node
        for i in range(r.shape[0]):
            n_counted += node_counts[i]
            node_weight[this] += r[i]
            squares += np.float64(r[i]) * np.float64(r[i])
        # Rows of weight 2 are as two rows each; but light ones are rows too.
        size = max(node_weight[this], np.float64(n_counted))
        # So many rows of equal weight are as good as these.
        effective_size = node_weight[this] * node_weight[this] / squares
        node += 1
        if stop_flag[0] != 0:
            continue
        if r.shape[0] < 2 or size < limits.min_samples_split or depth[this] >= limits.max_depth:
            continue
        k = measure(Z, node_rows, r, 1, z_workspace)
        if k == 0:
            continue
        n_active = X.n_columns if draws_first else 0
        support = limits.min_support
        while n_active == 0 and support > 0:
            n_active = measure(X, node_rows, r, support, x_workspace)
            # Before a node is given up, features of single rows will do.
            support = 1 if support > 1 else 0
        if n_active == 0:
            continue
        set_scales(z_workspace, k, scaling.targets, attribute_weights, True)
        if this == 0:
            for j in range(k):
                column = z_workspace.columns[j]
                p = attribute_weights[column] if attribute_weights.shape[0] > 0 else np.float32(1.0)
                root_scale[column] = np.sqrt(p) * z_workspace.variance[j] ** (-0.5 * importance_power)
        z_block = gather(Z, node_rows, z_workspace, k)
        node_side = side[: r.shape[0]]
        width = limits.max_features
        d = 0
        n_drawn = 0
        stream = state if n_failed[this] == 0 else trial_state
        line = columns if n_failed[this] == 0 else trial_columns
        w = split_workspace[:0]
        b = np.float32(0.0)
        may_fail = False
        at_mean = False
        while left[this] < 0 and (d < n_active or (may_fail and not at_mean)):
            at_mean = d > 0 and d == n_active
            if at_mean:
                # The learner has nothing that divides the rows; any cut may lead on.
                w[:] = np.float32(0.0)
                w[below(trial_state, d)] = np.float32(1.0)
                b = np.float32(0.0)
            else:
                if draws_first:
                    n_drawn, d = draw_features(X, node_rows, r, x_workspace, line, n_drawn, d, width, stream)
                    if n_drawn == X.n_columns:
                        n_active = d
                    if d == 0:
                        continue
                else:
                    d = choose_features(
                        X, x_workspace, r.shape[0], n_active, width, limits.features_per_row, stream
                    )
                width *= _WIDER
                set_scales(x_workspace, d, scaling.features, no_weights, scaling.unit_variance)
                x_block = gather(X, node_rows, x_workspace, d)
                w = split_workspace[:d]
                entrance(numbers, x_block, z_block, r, stream, w, answer)
                b, found = read(answer)
                # A later split has half of these rows: fewer than it needs to be beyond chance are not tried.
                may_fail = (
                    limits.min_impurity_decrease > 0.0
                    and d == n_active
                    and n_failed[this] < LEVELS
                    and is_beyond_chance(effective_size / 2.0, d, k)
                )
                if not found:
                    continue
            if n_stored + d > split_columns.shape[0]:
                split_columns = grown(split_columns, n_stored + d)
                split_weights = grown(split_weights, n_stored + d)
                split_means = grown(split_means, n_stored + d)
                shares = grown(shares, n_stored + d)
            count, offset = _hyperplane_in_raw_units(
                w,
                b,
                x_workspace,
                d,
                split_columns[n_stored:],
                split_weights[n_stored:],
                split_means[n_stored:],
            )
            end = n_stored + count
            n_right = _mark_sides(
                X,
                node_rows,
                split_columns[n_stored:end],
                split_weights[n_stored:end],
                split_means[n_stored:end],
                offset,
                spread,
                spread_means,
                node_side,
            )
            if n_right == 0 or n_right == r.shape[0]:
                continue
            members = members_workspace[: r.shape[0]]
            direction = direction_workspace[:k]
            _sum_right(z_block, r, node_side, members, direction)
            removed = _removed(z_workspace, direction, members, root_scale, node_weight[this])
            passed[this] = True
            if limits.min_impurity_decrease > 0.0:
                separation = _separation(z_block, r, node_side, members, direction)
                passed[this] = separation.decrease >= limits.min_impurity_decrease and (
                    (n_failed[this] == 0 and not at_mean)
                    or is_beyond_chance(separation.explained * effective_size, d, k)
                )
                if not (passed[this] or may_fail):
                    continue
                on_trial = on_trial or not passed[this]
            _share_out(w, x_workspace, d, removed / total_weight, shares[n_stored:])
            n_left = _partition(node_rows, node_counts, r, node_side, spare_rows, spare_counts, spare_weights)
            middle = start[this] + n_left
            left[this] = n_nodes
            right[this] = n_nodes + 1
            start[n_nodes] = start[this]
            stop[n_nodes] = middle
            start[n_nodes + 1] = middle
            stop[n_nodes + 1] = stop[this]
            depth[n_nodes] = depth[this] + 1
            depth[n_nodes + 1] = depth[this] + 1
            if not passed[this]:
                n_failed[n_nodes] = n_failed[this] + 1
                n_failed[n_nodes + 1] = n_failed[this] + 1
            n_nodes += 2
            bias[this] = offset
            n_stored = end
            indptr[this + 1] = n_stored
    if on_trial:
        n_nodes = cut_back(
            passed[:n_nodes],
            left,
            right,
            indptr,
            split_columns,
            split_weights,
            split_means,
            shares,
            bias,
            start,
            stop,
            depth,
            node_weight,
        )
        n_stored = indptr[n_nodes]
    for i in range(n_stored):
        importance[split_columns[i]] += shares[i]
    return GrownTree(
        left[:n_nodes].copy(),
        right[:n_nodes].copy(),
        indptr[: n_nodes + 1].copy(),
        split_columns[:n_stored].copy(),
        split_weights[:n_stored].copy(),
        split_means[:n_stored].copy(),
        bias[:n_nodes].copy(),
        depth[:n_nodes].copy(),
        node_weight[:n_nodes].copy(),
        start[:n_nodes].copy(),
        stop[:n_nodes].copy(),
        rows,
        importance,
    )
