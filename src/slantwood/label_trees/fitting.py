"""Fitting label trees: labels are divided, then each node learns to tell which of its children a row has."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from slantwood.kernels.l2_svm import LANES, Separators, one_against_rest
from slantwood.kernels.matrix import Matrix
from slantwood.label_trees.model import LabelTrees, joined, starts_joined
from slantwood.label_trees.partition import LabelPartition, divide_labels, label_directions, undivided
from slantwood.label_trees.rows import unit_rows, with_ones
from slantwood.threads import run_in_threads

# Rows times children that a thread trains in one go, so that a root is shared out among threads.
_CELLS_AT_ONCE = 1 << 18


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


class _Part(NamedTuple):
    """Some children of a node, and the rows that tell them apart."""

    rows: np.ndarray  # uint32, of X
    starts: np.ndarray  # int64: rows of each child in `members`
    members: np.ndarray  # uint32, places in `rows`
    seed: np.uint64
    is_last: bool  # of its node


def fit_label_trees(X: Any, Y: sp.csr_array, row_weights: np.ndarray, spec: LabelTreeSpec) -> LabelTrees:
    """Fit trees over the labels that any row has.

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
    rows, labels = unit_rows(X), np.unique(Y.indices).astype(np.int64)
    matrix, costs = with_ones(rows), (spec.C * row_weights).astype(np.float32)
    # Where all labels stand in one node there is nothing in which trees could differ.
    n_trees = spec.n_trees if len(labels) > spec.max_leaf_labels else 1
    seeds = [int(each) for each in np.random.SeedSequence(spec.seed).generate_state(n_trees)]
    if len(labels) > spec.max_leaf_labels:
        directions = label_directions(rows, Y, row_weights)
        divide = partial(divide_labels, directions, labels, spec.n_children, spec.max_leaf_labels)
        with closing(run_in_threads(divide, seeds, spec.n_jobs)) as found:
            partitions = list(found)
    else:
        partitions = [undivided(labels)]
    trained = zip(partitions, seeds, strict=True)
    return joined([_trained(each, matrix, Y, costs, spec, seed) for each, seed in trained])


def _trained(
    partition: LabelPartition, X: Matrix, Y: sp.csr_array, costs: np.ndarray, spec: LabelTreeSpec, seed: int
) -> LabelTrees:
    def train(part: _Part) -> Separators:
        limits = (spec.max_iter, spec.tol, spec.min_weight)
        return one_against_rest(X, part.rows, costs[part.rows], part.starts, part.members, *limits, part.seed)

    parts = list(_parts(partition, Y, seed))
    nodes, of_node = [], []
    with closing(run_in_threads(train, parts, spec.n_jobs)) as found:
        for part, separators in zip(parts, found, strict=True):
            of_node.append(separators)
            if part.is_last:
                nodes.append(_by_feature(of_node))
                of_node = []
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


def _parts(partition: LabelPartition, Y: sp.csr_array, seed: int) -> Iterator[_Part]:
    """Yield what there is to train, node by node; a node with much of it in several parts."""
    by_label = sp.csc_array(Y)[:, partition.order]
    for node in range(partition.n_nodes):
        children = range(partition.child_starts[node], partition.child_starts[node + 1])
        of_children = [
            _rows_of(by_label, partition.label_starts[c], partition.label_stops[c]) for c in children
        ]
        # Whatever row asks for its labels comes to the root, one without any among them.
        rows = np.arange(Y.shape[0]) if node == 0 else np.unique(np.concatenate(of_children))
        narrow = rows.astype(np.uint32)
        step = LANES * max(1, _CELLS_AT_ONCE // (LANES * len(rows)))
        seeds = np.random.SeedSequence([seed, node]).generate_state(len(children), np.uint64) | np.uint64(1)
        for first in range(0, len(children), step):
            some = of_children[first : first + step]
            starts = np.concatenate([[0], np.cumsum([len(each) for each in some])]).astype(np.int64)
            members = np.searchsorted(rows, np.concatenate(some)).astype(np.uint32)
            is_last = first + step >= len(children)
            yield _Part(narrow, starts, members, seeds[first], is_last)


def _rows_of(by_label: sp.csc_array, start: int, stop: int) -> np.ndarray:
    found = by_label.indices[by_label.indptr[start] : by_label.indptr[stop]]
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
