"""Where to put the nodes of a directed graph without cycles: columns by depth, and rows with few crossings.

Nodes are numbers from 0 on. Knows neither labels nor how nodes are drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression

_SWEEPS = 24

Layers = list[list[int]]
Links = list[list[int]]


class Layout(NamedTuple):
    """Rows of nodes, and the way of each edge.

    Attributes
    ----------
    rows : list of float
        The row of each node. Nodes and edges that share a column are at least one row apart.
    ways : list of tuples of float
        For each edge the rows at which it is in the columns of its parent, of its child, and between them.
    """

    rows: list[float]
    ways: list[tuple[float, ...]]


def layered_layout(depth: Sequence[int], edges: Iterable[tuple[int, int]]) -> Layout:
    """Find rows for nodes whose columns are their depths.

    Trees have no crossings, a row for each leaf, and parents in the middle of their children.

    Parameters
    ----------
    depth : sequence of int
        Length of the longest way to each node from a node without parents.
    edges : iterable of pairs (parent, child)
        The links. Children without other wishes stand in their order.

    Returns
    -------
    Layout
        The rows of nodes and edges.
    """
    # An edge over several columns is cut into links from column to column by points in between. They are
    # nodes to the layout, so no edge runs through a node. Leaves are led on to the last column in the same
    # way, which keeps their rows free.
    at = list(depth)
    chains = [_chain(at, parent, at[child], [child]) for parent, child in edges]
    has_child = {chain[0] for chain in chains}
    leaves = [node for node in range(len(depth)) if node not in has_child]
    tails = [_chain(at, leaf, max(depth) + 1, []) for leaf in leaves]
    above: Links = [[] for _ in at]
    below: Links = [[] for _ in at]
    for chain in chains + tails:
        for parent, child in pairwise(chain):
            above[child].append(parent)
            below[parent].append(child)
    rows = _rows(_ordered(at, above, below), below)
    return Layout(
        [rows[node] for node in range(len(depth))],
        [tuple(rows[point] for point in chain) for chain in chains],
    )


def _chain(at: list[int], start: int, stop: int, end: list[int]) -> list[int]:
    first = len(at)
    at += range(at[start] + 1, stop)
    return [start, *range(first, len(at)), *end]


def _ordered(at: list[int], above: Links, below: Links) -> Layers:
    # Depth first is perfect for trees. Else nodes are drawn to the mean place of their neighbours, rightwards
    # and leftwards in turn, which need not get better with every turn.
    layers = best = _depth_first(at, above, below)
    fewest = _crossings(best, below)
    for sweep in range(_SWEEPS):
        if fewest == 0:
            break
        layers = _swept(layers, above) if sweep % 2 == 0 else _swept(layers[::-1], below)[::-1]
        count = _crossings(layers, below)
        if count < fewest:
            best, fewest = layers, count
    return best


def _depth_first(at: list[int], above: Links, below: Links) -> Layers:
    layers: Layers = [[] for _ in range(max(at) + 1)]
    placed = set()
    waiting = [node for node in reversed(range(len(at))) if not above[node]]
    while waiting:
        node = waiting.pop()
        if node not in placed:
            placed.add(node)
            layers[at[node]].append(node)
            waiting += reversed(below[node])
    return layers


def _swept(layers: Layers, neighbours: Links) -> Layers:
    result = layers[:1]
    for layer in layers[1:]:
        place = {node: i for i, node in enumerate(result[-1])}
        wish = {node: fmean(place[neighbour] for neighbour in neighbours[node]) for node in layer}
        result.append(sorted(layer, key=wish.__getitem__))
    return result


def _crossings(layers: Layers, below: Links) -> int:
    count = 0
    for left, right in pairwise(layers):
        place = {node: i for i, node in enumerate(right)}
        ends = [np.array(sorted(place[child] for child in below[node])) for node in left]
        # Links that start further down and end further up. Those of one node do not cross.
        passed = np.empty(0, np.int64)
        for own in ends:
            count += int((len(passed) - np.searchsorted(passed, own, side="right")).sum())
            passed = np.sort(np.concatenate([passed, own]))
    return count


def _rows(layers: Layers, below: Links) -> dict[int, float]:
    rows = {node: float(row) for row, node in enumerate(layers[-1])}
    for layer in layers[-2::-1]:
        wish = [fmean(rows[child] for child in below[node]) for node in layer]
        # The rows closest to the wishes, by least squares, that keep the order and are one apart.
        steps = np.arange(len(layer))
        rows |= zip(layer, (isotonic_regression(wish - steps).x + steps).tolist(), strict=True)
    return rows
