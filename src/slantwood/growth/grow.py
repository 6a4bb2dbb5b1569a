"""Top-down induction of one tree: the paper's Algorithm 1, node by node instead of recursively.

The grower knows features X, clustering attributes Z and row weights; it asks the split learner for a
hyperplane, tests whether to accept it, and never sees the targets that the leaves will predict.
"""

from typing import NamedTuple

import numpy as np

from slantwood.growth.hyperplane import leave_out_small, mark_sides, share_out, store_in_raw_units
from slantwood.growth.nodes import (
    add_children,
    as_grown_tree,
    make_nodes,
    make_split_weights,
    rows_of,
    with_capacity,
)
from slantwood.growth.sample import Sample, partition, shuffle, size_of
from slantwood.growth.separation import (
    largest_decrease,
    removed_impurity,
    separation_of,
    sum_right,
    total_impurity,
)
from slantwood.growth.significance import is_significant
from slantwood.growth.subspaces import Stream, Subspace, choose_of_all, count_varying, make_stream, widen
from slantwood.growth.trials import LEVELS, cut_back, is_beyond_chance
from slantwood.kernels.block import gather
from slantwood.kernels.compiling import exact
from slantwood.kernels.heap import pop, push
from slantwood.kernels.leaf_limits import LeafLimits, allows_sides
from slantwood.kernels.matrix import Matrix
from slantwood.kernels.products import project
from slantwood.kernels.random import below
from slantwood.kernels.scratch import scratch
from slantwood.kernels.thresholds import best_allowed_threshold
from slantwood.kernels.workspace import Workspace, make_workspace, measure, set_scales
from slantwood.splits.protocol import RESULT_SIZE, Scaling, ask, read_result

# Sums of weights that are equal may differ by rounding, and a leaf of just the least weight is allowed.
_ROUNDED = 1.0 - 1e-9


class Limits(NamedTuple):
    """When to stop growing."""

    max_depth: int
    min_samples_split: int
    min_samples_leaf: int  # rows, whatever their weights; one that is drawn twice is as two
    min_weight_fraction_leaf: float  # share of the weight of all rows of the tree
    max_leaf_nodes: int  # 0 for any number
    min_impurity_decrease: float
    critical_f: np.ndarray  # see `significance`; empty where splits need not be significant
    max_features: int
    features_per_row: int  # of a sparse matrix: so many of the chosen features a row has on average
    min_support: int  # of a sparse feature: rows of a node in which it is not zero
    is_plain: bool  # whether features are drawn once, from all, and no split is on trial
    by_impurity: bool  # whether `min_impurity_decrease` is of the impurity of all attributes
    min_part: float  # of a feature in the variance of the weighted sum of a split, in times of the mean part
    shuffle_above: int  # with more rows than this, they are put in random order first


class _Problem(NamedTuple):
    # What all nodes of a tree share: the data, and the rules by which they are split.
    X: Matrix
    Z: Matrix
    attribute_weights: np.ndarray
    scaling: Scaling
    importance_power: float
    limits: Limits
    total_weight: float
    min_leaf_weight: float


class _Memory(NamedTuple):
    # What nodes use one after another, made once.
    x: Workspace
    z: Workspace
    w: np.ndarray  # float32 over features: the hyperplane in standardised units
    result: np.ndarray  # float64: the rest of what the split learner returns
    is_right: np.ndarray  # bool over rows
    members: np.ndarray  # float32 over rows
    direction: np.ndarray  # float32 over attributes
    root_scale: np.ndarray  # float64 over attributes: what makes impurities of nodes comparable
    spread: np.ndarray  # float32 over columns of a sparse X
    spread_means: np.ndarray  # and where it has missing values
    spare: Sample


class _Split(NamedTuple):
    # What became of a node.
    found: bool
    passed: bool  # or else it is on trial
    end: int  # of its weights among those of all splits
    offset: float
    removed: float  # impurity


@exact
def _make_memory(X, Z, rows):
    n = rows.shape[0]
    x = make_workspace(X, rows, False)
    z = make_workspace(Z, rows, True)
    return _Memory(
        x,
        z,
        scratch(x.columns.shape[0], np.float32),
        np.zeros(RESULT_SIZE),
        np.empty(n, np.bool_),
        scratch(n, np.float32),
        scratch(z.columns.shape[0], np.float32),
        np.zeros(Z.n_columns),
        np.zeros(0 if X.is_dense else X.n_columns, np.float32),
        np.zeros(X.n_columns if X.has_missing and not X.is_dense else 0, np.float32),
        Sample(np.empty(n, np.uint32), np.empty(n, np.int32), np.empty(n, np.float32)),
    )


@exact
def _set_root_scale(columns, variance, weights, power, root_scale):
    for j in range(columns.shape[0]):
        p = weights[columns[j]] if weights.shape[0] > 0 else np.float32(1.0)
        root_scale[columns[j]] = np.sqrt(p) * variance[j] ** (-0.5 * power)


@exact
def _best_allowed_offset(x_block, z_block, w, weights, limits):
    # A direction may be good where its threshold leaves too few rows on a side: this one moves to the best of
    # the places that are allowed. Also returns whether there is any.
    along = scratch(x_block.n_rows, np.float32)
    project(x_block, w, along)
    cut, gain = best_allowed_threshold(along, z_block, weights, limits)
    return -cut, gain >= 0.0


@exact
def _split_node(
    problem, here, size, node, n_failed, learner, numbers, stream, trial_stream, memory, splits, first
):
    # `best_test` and `acceptable` of the algorithm: asks the learner for a hyperplane, over ever more of the
    # features, until one is acceptable. Its weights are stored from place `first` on.
    # Parts of tuples are taken out once: each time takes a count of references to every array in them.
    X, Z = problem.X, problem.Z
    limits, scaling = problem.limits, problem.scaling
    attribute_weights = problem.attribute_weights
    x_workspace, z_workspace = memory.x, memory.z
    rows, weights = here.rows, here.weights
    n_rows = rows.shape[0]
    none = _Split(False, False, first, 0.0, 0.0)
    n_attributes = measure(Z, rows, weights, 1, z_workspace)
    if n_attributes == 0:
        return splits, none
    n_active = count_varying(X, here, limits.min_support, x_workspace, stream)
    if limits.is_plain:
        n_active = choose_of_all(X, x_workspace, n_active, limits.max_features, stream.state)
    if n_active == 0:
        return splits, none
    set_scales(z_workspace, n_attributes, scaling.targets, attribute_weights, True)
    if node == 0:
        columns = z_workspace.columns[:n_attributes]
        power = problem.importance_power
        _set_root_scale(columns, z_workspace.variance, attribute_weights, power, memory.root_scale)
    z_block = gather(Z, rows, z_workspace, n_attributes)
    least, min_weight = np.float64(limits.min_samples_leaf), problem.min_leaf_weight
    is_limited = limits.min_samples_leaf > 1 or min_weight > 0.0
    leaf_limits = LeafLimits(is_limited, least, min_weight, here.counts, size.drawn)
    draws = trial_stream if n_failed > 0 else stream
    spread, spread_means = memory.spread, memory.spread_means
    is_right = memory.is_right[:n_rows]
    members = memory.members[:n_rows]
    direction = memory.direction[:n_attributes]
    subspace = Subspace(0, n_active, 0, limits.max_features)
    no_weights = memory.w[:0]  # all features count alike
    w = memory.w[:0]
    b = np.float32(0.0)
    may_fail = False
    at_mean = False
    while subspace.size < subspace.n_active or (may_fail and not at_mean):
        at_mean = subspace.size > 0 and subspace.size == subspace.n_active
        if at_mean:
            # The learner has nothing that divides the rows; any cut may lead on.
            w[:] = np.float32(0.0)
            w[below(trial_stream.state, subspace.size)] = np.float32(1.0)
            b = np.float32(0.0)
        else:
            subspace = widen(X, here, x_workspace, subspace, limits.features_per_row, draws)
            if subspace.size == 0:
                continue
            w = memory.w[: subspace.size]
            set_scales(x_workspace, subspace.size, scaling.features, no_weights, scaling.unit_variance)
            x_block = gather(X, rows, x_workspace, subspace.size)
            ask(learner, numbers, x_block, z_block, weights, leaf_limits, draws.state, w, memory.result)
            b, found = read_result(memory.result)
            # A later split has half of these rows: fewer than it needs to be beyond chance are not tried.
            may_fail = (
                subspace.size == subspace.n_active
                and not limits.by_impurity
                and n_failed < LEVELS
                and is_beyond_chance(size.effective / 2.0, subspace.size, n_attributes)
            )
            if not found:
                continue
            if limits.min_part > 0.0:
                leave_out_small(w, x_workspace, limits.min_part)
        splits = with_capacity(splits, first + subspace.size)
        is_moved = False
        while True:
            end, offset = store_in_raw_units(w, b, x_workspace, splits, first)
            n_right = mark_sides(X, rows, splits, first, end, offset, spread, spread_means, is_right)
            found = n_right > 0 and n_right < n_rows
            if not found or not leaf_limits.is_limited:
                break
            found = allows_sides(leaf_limits, weights, is_right, size.weight)
            # Rows so near to the threshold that single precision cannot tell may be on the other side: what
            # was moved is looked at again.
            if found or is_moved:
                break
            b, is_moved = _best_allowed_offset(x_block, z_block, w, weights, leaf_limits)
            if not is_moved:
                break
        if not found:
            continue
        sum_right(z_block, weights, is_right, members, direction)
        removed = removed_impurity(z_workspace, direction, members, memory.root_scale, size.weight)
        if limits.critical_f.shape[0] > 0:
            before = total_impurity(z_workspace, n_attributes, memory.root_scale, size.weight)
            if not is_significant(limits.critical_f, size.effective_draws, before, removed):
                continue
        passed = True
        on_trial = n_failed > 0 or at_mean
        if limits.by_impurity:
            passed = largest_decrease(z_block, weights, is_right, members) >= limits.min_impurity_decrease
        elif limits.min_impurity_decrease > 0.0 or on_trial:
            separation = separation_of(z_block, weights, is_right, members, direction)
            passed = separation.decrease >= limits.min_impurity_decrease and (
                not on_trial
                or is_beyond_chance(separation.explained * size.effective, subspace.size, n_attributes)
            )
        if passed or may_fail:
            share_out(w, x_workspace, removed / problem.total_weight, splits.shares[first:])
            return splits, _Split(True, passed, end, offset, removed)
    return splits, none


@exact
def grow(
    X,
    Z,
    attribute_weights,
    rows,
    counts,
    weights,
    learner,
    numbers,
    scaling,
    importance_power,
    limits,
    seed,
    stop_flag,
):
    """Grow a tree on the given rows (distinct, with counts and positive weights, which it reorders).

    `learner` and `numbers`, an entry point and its parameters, come from `splits.protocol.LearnerAddress`.
    Importances add up the impurities of clustering attributes, each divided by its deviation in the root to
    `importance_power`. Once `stop_flag[0]` is not 0, which another thread may see to at any time, all nodes
    become leaves.
    """
    sample = Sample(rows, counts, weights)
    stream = make_stream(X, limits.max_features, limits.is_plain, seed)
    # Splits on trial draw for themselves, so that where they are cut back all others are what they were.
    trial_stream = Stream(stream.state.copy(), stream.columns.copy())
    total_weight = size_of(sample).weight
    min_leaf_weight = limits.min_weight_fraction_leaf * total_weight * _ROUNDED
    problem = _Problem(
        X, Z, attribute_weights, scaling, importance_power, limits, total_weight, min_leaf_weight
    )
    memory = _make_memory(X, Z, rows)
    nodes = make_nodes(rows.shape[0])
    splits = make_split_weights()
    if rows.shape[0] > limits.shuffle_above:
        shuffle(sample, stream.state)
    any_on_trial = False
    best_first = limits.max_leaf_nodes > 0
    waiting = np.empty(rows.shape[0] if best_first else 0, np.int32)  # nodes that are divided, not expanded
    n_waiting = 0
    n_leaves = 1
    n_nodes = 1
    node = 0
    while node < n_nodes:
        here = rows_of(sample, nodes, node)
        size = size_of(here)
        nodes.weight[node] = size.weight
        first = nodes.indptr[node]
        nodes.indptr[node + 1] = first
        if (
            stop_flag[0] == 0
            and here.rows.shape[0] >= 2
            and size.drawn >= max(limits.min_samples_split, 2 * limits.min_samples_leaf)
            and nodes.depth[node] < limits.max_depth
            and not (best_first and n_leaves == limits.max_leaf_nodes)
        ):
            n_failed = nodes.n_failed[node]
            splits, split = _split_node(
                problem,
                here,
                size,
                node,
                n_failed,
                learner,
                numbers,
                stream,
                trial_stream,
                memory,
                splits,
                first,
            )
            if split.found:
                nodes.middle[node] = nodes.start[node] + partition(here, memory.is_right, memory.spare)
                nodes.bias[node] = split.offset
                nodes.indptr[node + 1] = split.end
                nodes.removed[node] = split.removed
                nodes.passed[node] = split.passed
                any_on_trial = any_on_trial or not split.passed
                if best_first:
                    n_waiting = push(waiting, n_waiting, nodes.removed, node)
                else:
                    add_children(nodes, node, n_nodes)
                    n_nodes += 2
        node += 1
        if node == n_nodes and n_waiting > 0 and n_leaves < limits.max_leaf_nodes:
            # All nodes are divided that can be: the split that removes the most impurity comes next.
            add_children(nodes, pop(waiting, n_waiting, nodes.removed), n_nodes)
            n_waiting -= 1
            n_leaves += 1
            n_nodes += 2
    if any_on_trial:
        cut_back(nodes, n_nodes)
    return as_grown_tree(nodes, n_nodes, splits, rows, X.n_columns)
