"""What is above and below each label of a hierarchy, and how deep it is.

Links are square CSR matrices with ones: `up` has the parents of a label in its row, `down` the children.
Knows labels only as columns, except to name those on a cycle.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from numbers import Real

import numpy as np
import scipy.sparse as sp

from slantwood.hints import shown

_AGGREGATES: dict[str, Callable[[list[float]], float]] = {
    "average": lambda weights: sum(weights) / len(weights),
    "minimum": min,
    "maximum": max,
    "product": math.prod,
}


def links_to_parents(edges: np.ndarray, n_labels: int) -> sp.csr_array:
    """Return the links `up` of columns (parent, child); `down` is their transpose."""
    parents, children = edges.T
    ones = np.ones(len(parents), np.float32)
    return sp.csr_array((ones, (children, parents)), shape=(n_labels, n_labels))


def linked(links: sp.csr_array, column: int) -> list[int]:
    """Return what one label is linked to: its parents by `up`, its children by `down`."""
    return links.indices[links.indptr[column] : links.indptr[column + 1]].tolist()


def unlinked(links: sp.csr_array) -> list[int]:
    """Return the labels that are linked to none: roots by `up`, leaves by `down`."""
    return np.flatnonzero(np.diff(links.indptr) == 0).tolist()


def reachable(links: sp.csr_array, start: int) -> list[int]:
    """Return all labels that links lead to from one, directly or not."""
    seen: set[int] = set()
    waiting = [start]
    while waiting:
        fresh = set(linked(links, waiting.pop())) - seen
        seen |= fresh
        waiting += fresh
    return sorted(seen)


def depths(up: sp.csr_array, down: sp.csr_array, nodes: Sequence[object]) -> np.ndarray:
    """Return how many links the longest way from a root to each label has; refuse cycles."""
    n_open = np.diff(up.indptr).tolist()  # parents that were not reached yet
    ready = unlinked(up)
    depth = [0] * len(nodes)
    for column in ready:  # grows as it goes
        for child in linked(down, column):
            depth[child] = max(depth[child], depth[column] + 1)
            n_open[child] -= 1
            if n_open[child] == 0:
                ready.append(child)
    if len(ready) < len(nodes):
        names = [shown(nodes[column]) for column in _cycle(up, n_open)]
        if len(names) > 10:
            names[5:-4] = ["..."]
        raise ValueError(
            f"Hierarchy: the edges run in a cycle, {' -> '.join(names)}; leave out one of these edges"
        )
    return np.array(depth, np.int64)


def _cycle(up: sp.csr_array, n_open: list[int]) -> list[int]:
    # Labels with open parents are on cycles or below them: upwards the way must come back to itself.
    column = next(i for i, count in enumerate(n_open) if count)
    way: dict[int, int] = {}
    while column not in way:
        way[column] = len(way)
        column = next(parent for parent in linked(up, column) if n_open[parent])
    cycle = list(way)[way[column] :][::-1]
    first = cycle.index(min(cycle))
    return [*cycle[first:], *cycle[: first + 1]]


def links_to_ancestors(up: sp.csr_array, order: np.ndarray) -> sp.csr_array:
    """Return links from each label to all its ancestors; `order` has parents before children."""
    # One union per label costs no more than the result is long; powers of the matrix of parents would
    # multiply long rows again and again.
    above: list[np.ndarray] = [np.empty(0, np.int32)] * len(order)
    for column in order.tolist():
        parents = linked(up, column)
        if parents:
            union = np.concatenate([parents, *(above[parent] for parent in parents)], dtype=np.int32)
            above[column] = union if len(parents) == 1 else np.unique(union)
    stops = np.cumsum([0, *map(len, above)])
    indices = np.concatenate(above)
    links = sp.csr_array((np.ones(len(indices), np.float32), indices, stops), shape=up.shape)
    links.sort_indices()
    return links


def weights_by_depth(up: sp.csr_array, order: np.ndarray, kind: str, w0: float) -> np.ndarray:
    """Return 1 for roots, for others `w0` times what `kind` makes of the weights of their parents."""
    if kind not in _AGGREGATES:
        raise ValueError(f"weights: kind={kind!r} must be one of {', '.join(map(repr, _AGGREGATES))}")
    if isinstance(w0, (bool, np.bool_)) or not isinstance(w0, Real):
        raise TypeError(f"weights: w0={w0!r} must be a number")
    if not 0.0 < w0 <= 1.0:
        raise ValueError(f"weights: w0={w0!r} must be above 0 and at most 1")
    aggregate, factor = _AGGREGATES[kind], float(w0)
    weights = [1.0] * len(order)
    for column in order.tolist():
        parents = linked(up, column)
        if parents:
            weights[column] = factor * aggregate([weights[parent] for parent in parents])
    return np.array(weights)
