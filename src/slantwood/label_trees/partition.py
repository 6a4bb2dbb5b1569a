"""How labels are divided: a shallow, wide tree whose nodes hold labels of rows that are alike.

A label lies where the rows that have it lie: in the direction of their sum. Nodes with more labels than a
leaf may hold are divided by spherical k-means of these directions (S. Khandagale, H. Xiao and R. Babbar:
Bonsai, diverse and shallow trees for extreme multi-label classification, Machine Learning 2020).
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from slantwood.features.matrix import normalized_rows, to_array
from slantwood.kernels.matrix import Matrix, sparse_matrix
from slantwood.kernels.spherical_means import spherical_means
from slantwood.label_trees.rows import UnitRows
from slantwood.threads import StopFlag

# Rounds of k-means, and the gain of the mean inner product that is worth another one.
_MAX_ITER = 30
_TOL = 1e-4

# Features of the direction of a label, the largest. On held-out training rows of Eurlex-4K (three seeds, one
# tree) P@1 / 3 / 5 were 0.764 / 0.627 / 0.518 with all, 0.773 / 0.626 / 0.516 with 1000 and 0.765 / 0.631 /
# 0.520 with 200: as far apart as those of different seeds.
MOST_FEATURES = 1000
# Values that are added up for some labels at a time.
_ADDED_AT_ONCE = 1 << 24


class LabelPartition(NamedTuple):
    """A tree over labels. Those under a node, and under each of its children, are a range of `order`.

    Nodes are numbered level by level from the root, 0. The children of node v are those from child_starts[v]
    to child_starts[v + 1]; child c has the labels from label_starts[c] to label_stops[c], and is the node
    nodes[c] or, where that is -1, one label.
    """

    order: np.ndarray  # int64, labels
    child_starts: np.ndarray  # int64
    label_starts: np.ndarray  # int64
    label_stops: np.ndarray  # int64
    nodes: np.ndarray  # int32

    @property
    def n_nodes(self) -> int:
        """Number of nodes, labels not counted."""
        return len(self.child_starts) - 1


def label_directions(
    rows: UnitRows, Y: sp.csr_array, row_weights: np.ndarray, most_features: int = MOST_FEATURES
) -> Matrix:
    """Return for each label the sum of its rows, which have length 1, scaled to length 1 itself.

    Of a sum of more than `most_features` features the largest stay: the labels of a row with many of them
    would otherwise repeat its features that often. No more than some labels are added up at a time.
    """
    X = to_array(rows.matrix)
    scale = np.repeat((row_weights * rows.factors).astype(np.float32), np.diff(Y.indptr))
    weighted = sp.csr_array((scale, Y.indices, Y.indptr), shape=Y.shape).T.tocsr()
    # Features that the sum of each label has at the most, one after the other.
    added = np.concatenate([[0], np.cumsum(_added_up(weighted.indices, weighted.indptr, X.indptr))])
    parts, start = [], 0
    while start < Y.shape[1]:
        stop = int(np.searchsorted(added, added[start] + _ADDED_AT_ONCE, side="right")) - 1
        stop = max(stop, start + 1)
        parts.append(_largest(sp.csr_array(weighted[start:stop] @ X), most_features))
        start = stop
    sums = sp.csr_array(sp.vstack(parts, format="csr"))
    return normalized_rows(sparse_matrix(sums))


def _added_up(indices: np.ndarray, indptr: np.ndarray, of_rows: np.ndarray) -> np.ndarray:
    """Return how many stored values of rows are added for each label."""
    below = np.concatenate([[0], np.cumsum(np.diff(of_rows)[indices])])
    return below[indptr[1:]] - below[indptr[:-1]]


def _largest(sums: sp.csr_array, most: int) -> sp.csr_array:
    """Keep the values of each row that are largest without their sign, of equal ones all."""
    size = np.abs(sums.data)
    is_kept = np.ones(len(size), np.bool_)
    for i in np.flatnonzero(np.diff(sums.indptr) > most).tolist():
        own = slice(sums.indptr[i], sums.indptr[i + 1])
        is_kept[own] = size[own] >= np.partition(size[own], -most)[-most]
    sums.data[~is_kept] = 0.0
    sums.eliminate_zeros()
    sums.sort_indices()
    return sums


def divide_labels(
    directions: Matrix,
    labels: np.ndarray,
    n_children: int,
    max_leaf_labels: int,
    seed: int,
    stop_flag: np.ndarray | None = None,
) -> LabelPartition:
    """Divide labels until no leaf has more than `max_leaf_labels`.

    Parameters
    ----------
    directions : Matrix
        One row for each label.
    labels : array of int
        Those to divide.
    n_children : int
        Children of a node at the most.
    max_leaf_labels : int
        Labels of a leaf at the most.
    seed : int
        Of the first centres.
    stop_flag : array of uint8 of shape (1,), optional
        Once it is not 0, the result does not matter any more, and comes soon.
    """
    stop_flag = StopFlag().array if stop_flag is None else stop_flag
    order = np.array(labels, np.int64)
    ranges, child_starts = [(0, len(order))], [0]
    starts: list[int] = []
    stops: list[int] = []
    nodes: list[int] = []
    for start, stop in ranges:  # which grows: level by level
        if stop_flag[0] != 0:
            break
        if stop - start <= max_leaf_labels:
            starts += range(start, stop)
            stops += range(start + 1, stop + 1)
            nodes += [-1] * (stop - start)
        else:
            draws = np.random.SeedSequence([seed, len(child_starts)])
            draw = draws.generate_state(1, np.uint64)[0] | np.uint64(1)
            limits = (n_children, max_leaf_labels)
            clusters = _clusters(directions, order[start:stop], *limits, draw, stop_flag)
            order[start:stop] = np.concatenate(clusters)
            for size in map(len, clusters):
                # A cluster of one label is that label: a node with a single child would say nothing.
                nodes.append(len(ranges) if size > 1 else -1)
                starts.append(start)
                stops.append(start + size)
                if size > 1:
                    ranges.append((start, start + size))
                start += size
        child_starts.append(len(nodes))
    return LabelPartition(
        order,
        np.array(child_starts, np.int64),
        np.array(starts, np.int64),
        np.array(stops, np.int64),
        np.array(nodes, np.int32),
    )


def undivided(labels: np.ndarray) -> LabelPartition:
    """Return a root whose children are the labels."""
    n, places = len(labels), np.arange(len(labels), dtype=np.int64)
    starts = np.array([0, n], np.int64)
    return LabelPartition(labels.astype(np.int64), starts, places, places + 1, np.full(n, -1, np.int32))


def _clusters(
    directions: Matrix,
    labels: np.ndarray,
    n_children: int,
    max_leaf_labels: int,
    seed: np.uint64,
    stop_flag: np.ndarray,
) -> list[np.ndarray]:
    # Enough clusters that leaves are about half full: more would be small ones, and these rank worse.
    k = min(n_children, len(labels), -(-2 * len(labels) // max_leaf_labels))
    cluster = np.empty(len(labels), np.int32)
    spherical_means(directions, labels.astype(np.uint32), k, _MAX_ITER, _TOL, seed, stop_flag, cluster)
    found = [labels[cluster == c] for c in range(k)]
    found = [each for each in found if len(each)]
    if len(found) == 1:  # labels of the very same rows
        return np.array_split(labels, min(n_children, -(-len(labels) // max_leaf_labels)))
    return found
