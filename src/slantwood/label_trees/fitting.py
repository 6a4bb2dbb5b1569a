"""Fitting label trees: labels are divided, then each node learns to tell which of its children a row has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from slantwood.kernels.l2_svm import LANES, Separators, one_against_rest
from slantwood.label_trees.model import LabelTrees, joined, starts_joined
from slantwood.label_trees.partition import LabelPartition, divide_labels, label_directions, undivided
from slantwood.label_trees.rows import UnitRows, unit_rows
from slantwood.threads import StopFlag, run_in_threads
from slantwood.workers.backends import done_by_workers, has_workers

# Rows times children that a thread trains in one go, so that a root is shared out among threads.
_CELLS_AT_ONCE = 1 << 18

# The flag of training that nobody stops.
_GO_ON = np.zeros(1, np.uint8)


@dataclass(frozen=True)
class LabelTreeSpec:
    """What a fit is asked for; `LabelTreeClassifier` says what the fields mean."""

    n_trees: int
    n_children: int
    max_leaf_labels: int
    C: float
    tol: float
    max_iter: int
    min_weight: float
    seed: int
    n_jobs: int | None


class _Place(NamedTuple):
    """Some children of a node, counted within it."""

    node: int
    first: int
    last: int
    is_last: bool  # of its node


class _Task(NamedTuple):
    """What a thread or a worker trains in one go."""

    tree: int
    place: _Place


class RowsOfLabels(NamedTuple):
    """The rows that have each label, in the order of the labels in a tree."""

    starts: np.ndarray  # of each label in `rows`
    rows: np.ndarray


class _Part(NamedTuple):
    """Some children of a node, and the rows that tell them apart."""

    rows: np.ndarray  # uint32, of X
    starts: np.ndarray  # int64: rows of each child in `members`
    members: np.ndarray  # uint32, places in `rows`
    seed: np.uint64


@dataclass(frozen=True, eq=False)
class LabelTreePlan:
    """What there is to train: the labels of each tree are divided, and classifiers follow, part by part."""

    X: UnitRows
    Y: sp.csr_array
    costs: np.ndarray
    spec: LabelTreeSpec
    partitions: list[LabelPartition]
    seeds: list[int]
    rows_of_labels: list[RowsOfLabels]  # of each tree: sent to workers, which would make it for each task

    @cached_property
    def places(self) -> list[list[_Place]]:
        """The parts of each tree."""
        n_rows, n_labels = self.Y.shape
        counts = np.bincount(self.Y.indices, minlength=n_labels)
        return [list(_places(each, counts, n_rows)) for each in self.partitions]

    @property
    def n_parts(self) -> int:
        """Number of parts of all trees."""
        return sum(map(len, self.places))

    def train(self, told: Callable[[], bool] | None = None) -> LabelTrees:
        """Train the classifiers.

        Parameters
        ----------
        told : callable, optional
            Is called after each part, in the order of parts, and says whether to stop: at the end of the
            first tree, or at once where there is one already. A tree that is not whole is left out.
        """
        trees: list[LabelTrees] = []
        tasks = [_Task(tree, place) for tree, places in enumerate(self.places) for place in places]
        stop, n_jobs = StopFlag(), self.spec.n_jobs
        results = (
            done_by_workers(LabelTreePlan.trained, self, tasks, n_jobs)
            if has_workers()
            else run_in_threads(partial(self.trained, stop_flag=stop.array), tasks, n_jobs, stop)
        )
        with closing(results) as found:
            for partition, places in zip(self.partitions, self.places, strict=True):
                nodes, stops = _nodes(places, found, told, must_end=not trees)
                if nodes:
                    trees.append(_tree(partition, nodes))
                if stops:
                    break
        return joined(trees)

    def trained(self, task: _Task, stop_flag: np.ndarray = _GO_ON) -> Separators:
        """Train the classifiers of one part; they are of no use once another thread sets `stop_flag[0]`."""
        spec, partition, seed = self.spec, self.partitions[task.tree], self.seeds[task.tree]
        part = _part(task.place, partition, self.rows_of_labels[task.tree], self.Y.shape[0], seed)
        limits = (spec.max_iter, spec.tol, spec.min_weight)
        costs, sets = self.costs[part.rows], (part.starts, part.members)
        return one_against_rest(*self.X, part.rows, costs, *sets, *limits, part.seed, stop_flag)


def plan_label_trees(X: Any, Y: sp.csr_array, row_weights: np.ndarray, spec: LabelTreeSpec) -> LabelTreePlan:
    """Divide the labels that any row has, once for each tree.

    Parameters
    ----------
    X : array or CSR array of shape (n_rows, n_features)
        Features, none missing.
    Y : CSR array of shape (n_rows, n_labels)
        Ones, no zeros stored.
    row_weights : array of shape (n_rows,)
        All positive.
    spec : LabelTreeSpec
        The settings.
    """
    rows, labels = unit_rows(X), np.flatnonzero(np.bincount(Y.indices))
    costs = (spec.C * row_weights).astype(np.float32)
    # Where all labels stand in one node there is nothing in which trees could differ.
    n_trees = spec.n_trees if len(labels) > spec.max_leaf_labels else 1
    seeds = [int(each) for each in np.random.SeedSequence(spec.seed).generate_state(n_trees)]
    if len(labels) > spec.max_leaf_labels:
        stop, limits = StopFlag(), (spec.n_children, spec.max_leaf_labels)
        directions = label_directions(rows, Y, row_weights)
        divide = partial(divide_labels, directions, labels, *limits, stop_flag=stop.array)
        with closing(run_in_threads(divide, seeds, spec.n_jobs, stop)) as found:
            partitions = list(found)
    else:
        partitions = [undivided(labels)]
    rows_of_labels = [_rows_of_labels(Y, partition.order) for partition in partitions]
    return LabelTreePlan(rows, Y, costs, spec, partitions, seeds, rows_of_labels)


def fit_label_trees(X: Any, Y: sp.csr_array, row_weights: np.ndarray, spec: LabelTreeSpec) -> LabelTrees:
    """Fit trees over the labels that any row has; `plan_label_trees` says from what."""
    return plan_label_trees(X, Y, row_weights, spec).train()


def _nodes(
    places: list[_Place], found: Iterator[Separators], told: Callable[[], bool] | None, *, must_end: bool
) -> tuple[list[_NodeWeights], bool]:
    """Return the weights of all nodes of a tree, and whether to stop, maybe before they are all there."""
    nodes: list[_NodeWeights] = []
    of_node: list[Separators] = []
    stops = False
    for place in places:
        of_node.append(next(found))
        if place.is_last:
            nodes.append(_by_feature(of_node))
            of_node = []
        stops |= told is not None and told()
        if stops and not must_end:
            return [], True
    return nodes, stops


def _tree(partition: LabelPartition, nodes: list[_NodeWeights]) -> LabelTrees:
    targets = np.where(partition.nodes < 0, partition.order[partition.label_starts], -1 - partition.nodes)
    return LabelTrees(
        np.zeros(1, np.int32),
        partition.child_starts,
        targets.astype(np.int32),
        np.concatenate([[0], np.cumsum([len(each.features) for each in nodes])]).astype(np.int64),
        np.concatenate([each.features for each in nodes]),
        starts_joined([each.starts for each in nodes]),
        np.concatenate([each.children for each in nodes]),
        np.concatenate([each.weights for each in nodes]),
    )


def _places(partition: LabelPartition, counts: np.ndarray, n_rows: int) -> Iterator[_Place]:
    """Yield what there is to train, node by node; a node with much of it in several parts.

    `counts` has the number of rows of each label.
    """
    below = np.concatenate([[0], np.cumsum(counts[partition.order])])
    for node in range(partition.n_nodes):
        start, stop = partition.child_starts[node], partition.child_starts[node + 1]
        n_stored = below[partition.label_stops[stop - 1]] - below[partition.label_starts[start]]
        most = n_rows if node == 0 else min(n_rows, n_stored)
        step = LANES * max(1, _CELLS_AT_ONCE // (LANES * int(most)))
        for first in range(0, stop - start, step):
            last = min(first + step, stop - start)
            yield _Place(node, first, last, last == stop - start)


def _part(place: _Place, partition: LabelPartition, having: RowsOfLabels, n_rows: int, seed: int) -> _Part:
    """Find the rows of a part."""
    start, stop = partition.child_starts[place.node], partition.child_starts[place.node + 1]
    of_children = [
        _rows_of(having, partition.label_starts[c], partition.label_stops[c])
        for c in range(start + place.first, start + place.last)
    ]
    starts = np.concatenate([[0], np.cumsum([len(each) for each in of_children])]).astype(np.int64)
    members = np.concatenate(of_children)
    seeds = np.random.SeedSequence([seed, place.node]).generate_state(stop - start, np.uint64) | np.uint64(1)
    if place.node == 0:
        # Whatever row asks for its labels comes to the root, one without any among them.
        rows = np.arange(n_rows, dtype=np.uint32)
    else:
        first, last = partition.label_starts[start], partition.label_stops[stop - 1]
        rows = np.unique(having.rows[having.starts[first] : having.starts[last]]).astype(np.uint32)
        members = np.searchsorted(rows, members.astype(np.uint32))
    return _Part(rows, starts, members.astype(np.uint32), seeds[place.first])


def _rows_of_labels(Y: sp.csr_array, order: np.ndarray) -> RowsOfLabels:
    """Return where the labels are, those in `order` in this order; the values do not matter."""
    place = np.zeros(Y.shape[1], np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    shape = (Y.shape[0], len(order))
    columns = sp.csc_array(sp.csr_array((np.ones(Y.nnz, np.int8), place[Y.indices], Y.indptr), shape=shape))
    return RowsOfLabels(columns.indptr, columns.indices)


def _rows_of(having: RowsOfLabels, start: int, stop: int) -> np.ndarray:
    found = having.rows[having.starts[start] : having.starts[stop]]
    return found if stop == start + 1 else np.unique(found)


class _NodeWeights(NamedTuple):
    """The weights of a node, feature by feature."""

    features: np.ndarray
    starts: np.ndarray
    children: np.ndarray
    weights: np.ndarray


def _by_feature(parts: list[Separators]) -> _NodeWeights:
    features = np.concatenate([part.features for part in parts])
    per_child = np.concatenate([np.diff(part.starts) for part in parts])
    child = np.repeat(np.arange(len(per_child)), per_child)
    order = np.argsort(features, kind="stable")
    used, counts = np.unique(features, return_counts=True)
    weights = np.concatenate([part.weights for part in parts])[order]
    starts = np.concatenate([[0], np.cumsum(counts)])
    return _NodeWeights(used, starts, child[order].astype(np.uint16), weights)
