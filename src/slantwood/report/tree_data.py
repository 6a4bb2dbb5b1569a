"""Trees as compact data for the browser of the page: the largest nodes, weights and outputs, within a limit.

A tree is a set of lists with an entry for each node that is shown. Children lie side by side, the one that
follows "no" first; `l` is the position of the first, 0 where there are none.

`estimators.reading` reads trees for people, and is not used here: it makes words and objects of all nodes to
a depth, while a page has the few hundred nodes that most rows reach, at any depth. Of five trees of 6,500
nodes each it took 34 times as long as this (3.2 s, and 0.1 s).
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.features.matrix import to_array
from slantwood.report.facts import knows_rows
from slantwood.report.markup import short
from slantwood.report.outputs import outputs_of

# Weights of a split, and outputs of a node.
MOST_WEIGHTS, MOST_OUTPUTS = 6, 5


@dataclass
class Names:
    """Names that are used so far; data refers to them by number."""

    texts: list[str]
    number: dict[int, int]

    def of(self, position: int, name: str) -> int:
        """Return the number of a name, by its position among all of them."""
        if position not in self.number:
            self.number[position] = len(self.texts)
            self.texts.append(short(name))
        return self.number[position]


class TreeWriter:
    """Makes data of the trees of a model.

    Parameters
    ----------
    model : estimator
        A fitted tree, forest or boosted model.
    scale : array of shape (n_columns,)
        Spread of each column that splits combine, by which weights are compared.
    most_nodes : int
        Nodes of a tree that are shown.
    """

    def __init__(self, model: Any, scale: np.ndarray, most_nodes: int) -> None:
        self.trees = model.trees_
        self.scale = scale
        self.most_nodes = most_nodes
        self.column_names = model.split_feature_names_
        self.outputs = outputs_of(model)
        self.leaves = to_array(self.trees.leaves)
        self.has_rows = knows_rows(model)
        # Steps of boosting add up over trees: those of inner nodes say nothing.
        self.has_means = self.has_rows and model.forest_.additive is None
        self.features, self.used_outputs = Names([], {}), Names([], {})
        self.n_shown = 0

    def tree(self, index: int) -> dict[str, Any]:
        """Return the data of one tree."""
        nodes, first_child = self._shown(index)
        self.n_shown += len(nodes)
        contents = self._contents(index, nodes)
        document: dict[str, Any] = {"l": first_child, "b": [], "w": [], "k": [], "v": contents}
        if self.has_rows:
            document["n"] = [_rounded(self.trees.node_weight[node], 6) for node in nodes]
        below = self._below(index)
        document["x"] = {
            place: int(below[node - nodes[0]])
            for place, node in enumerate(nodes)
            if first_child[place] == 0 and self.trees.left[node] >= 0
        }
        for node in nodes:
            is_split = self.trees.left[node] >= 0
            document["b"].append(_rounded(self._threshold(node), 4) if is_split else 0)
            document["w"].append(self._weights(node) if is_split else 0)
            document["k"].append(int(self.trees.indptr[node + 1] - self.trees.indptr[node]))
        return document

    def _shown(self, index: int) -> tuple[list[int], list[int]]:
        """Return the nodes that are shown, and where the first child of each is; those of most rows first."""
        left, right = self.trees.left, self.trees.right
        root = int(self.trees.roots[index])
        nodes, first_child = [root], [0]
        waiting = [(0.0, 0, root)]
        while waiting and len(nodes) + 2 <= self.most_nodes:
            _, place, node = heapq.heappop(waiting)
            if left[node] < 0:
                continue
            first_child[place] = len(nodes)
            for child in (int(left[node]), int(right[node])):
                order = -self.trees.node_weight[child] if self.has_rows else float(self.trees.depth[child])
                heapq.heappush(waiting, (float(order), len(nodes), child))
                nodes.append(child)
                first_child.append(0)
        return nodes, first_child

    def _threshold(self, node: int) -> float:
        """Return what the weighted sum must reach; of a single feature what the feature itself must."""
        first, end = self.trees.indptr[node : node + 2]
        weight = float(self.trees.weights[first]) if end - first == 1 else 1.0
        return -float(self.trees.bias[node]) / (weight or 1.0)

    def _weights(self, node: int) -> list[list[Any]]:
        """Return the largest weights: number of the feature, weight, and share in all of them, per cent."""
        part = slice(self.trees.indptr[node], self.trees.indptr[node + 1])
        columns, weights = self.trees.indices[part], self.trees.weights[part].astype(np.float64)
        size = np.abs(weights) * self.scale[columns]
        total = size.sum()
        if not total > 0:
            size, total = np.abs(weights), max(np.abs(weights).sum(), 1e-300)
        if len(weights) == 1:  # the threshold is in the unit of the feature
            weights = np.sign(weights)
        order = np.argsort(-size, kind="stable")[:MOST_WEIGHTS]
        return [
            [
                self.features.of(int(columns[k]), str(self.column_names[columns[k]])),
                _rounded(weights[k], 3),
                _rounded(100 * size[k] / total, 2),
            ]
            for k in order
        ]

    def _contents(self, index: int, nodes: list[int]) -> list[Any]:
        """Return what each node predicts, were it a leaf: numbers of outputs and their values."""
        means = self._means(index, nodes)
        found: list[Any] = []
        for place, node in enumerate(nodes):
            if self.trees.left[node] >= 0 and not self.has_means:
                found.append([])
                continue
            row = means[[place]] if sp.issparse(means) else means[place]
            best = self.outputs.largest(row, MOST_OUTPUTS)
            names = self.outputs.names
            found.append([[self.used_outputs.of(j, names[j]), _rounded(value, 3)] for j, value in best])
        return found

    def _means(self, index: int, nodes: list[int]) -> Any:
        """Return the mean of the leaves below each node, by their weights."""
        trees, offsets = self.trees, self.trees.node_offsets
        first, end = int(offsets[index]), int(offsets[index + 1])
        own = np.arange(first, end)
        leaf = own[trees.left[first:end] < 0]
        place = np.full(end - first, -1)
        place[np.array(nodes) - first] = np.arange(len(nodes))
        parent = np.full(end - first, -1)
        inner = own[trees.left[first:end] >= 0]
        parent[trees.left[inner] - first] = inner - first
        parent[trees.right[inner] - first] = inner - first
        rows, columns, weights = [], [], []
        current, origin = leaf - first, leaf
        while len(current):
            shown = place[current] >= 0
            rows.append(place[current][shown])
            columns.append(trees.leaf[origin][shown])
            weight = trees.node_weight[origin] if self.has_means else np.ones(len(origin))
            weights.append(weight[shown])
            if not self.has_means:  # leaves alone
                break
            current = parent[current]
            origin, current = origin[current >= 0], current[current >= 0]
        triple = np.concatenate(weights), (np.concatenate(rows), np.concatenate(columns))
        members = sp.csr_array(triple, shape=(len(nodes), self.leaves.shape[0]))
        total = np.asarray(members.sum(axis=1)).ravel()
        members = sp.diags_array(1.0 / np.where(total > 0, total, 1.0)) @ members
        return sp.csr_array(members @ self.leaves) if sp.issparse(self.leaves) else members @ self.leaves

    def _below(self, index: int) -> np.ndarray:
        """Return how many nodes lie below each node of a tree."""
        trees, offsets = self.trees, self.trees.node_offsets
        first, end = int(offsets[index]), int(offsets[index + 1])
        below = np.zeros(end - first, np.int64)
        for depth in range(int(trees.depth[first:end].max()) - 1, -1, -1):
            inner = np.flatnonzero((trees.depth[first:end] == depth) & (trees.left[first:end] >= 0))
            left, right = trees.left[first + inner] - first, trees.right[first + inner] - first
            below[inner] = below[left] + below[right] + 2
        return below


def _rounded(value: Any, digits: int) -> Any:
    """Return a number with so many digits, whole ones without a point."""
    number = float(f"{float(value):.{digits}g}")
    return int(number) if number.is_integer() and abs(number) < 1e15 else number
