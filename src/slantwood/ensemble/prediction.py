"""What a forest says of rows: the leaves that they reach, the mean of these, and the way to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from slantwood.ensemble.forest import FittedForest
from slantwood.features.matrix import normalized_rows, prediction_matrix
from slantwood.kernels.matrix import Matrix, n_rows
from slantwood.model.paths import decision_paths
from slantwood.model.routing import add_leaves, route, sparse_scores
from slantwood.threads import run_in_threads

# Rows that are routed in one go, times trees: keeps the table of leaves small, and an interrupt waits for
# one chunk at the most.
_LEAVES_PER_CHUNK = 1 << 17

_ALL_TREES = np.empty((0, 0), np.bool_)

# Leaves of a range of rows, in each tree.
NodesOf: TypeAlias = Callable[[int, int], np.ndarray]


@dataclass(frozen=True, eq=False)
class Predictor:
    """Predicts with a forest, on threads. X is encoded: one column for each that splits combine."""

    forest: FittedForest
    n_jobs: int | None = None

    def leaves(self, X: Any) -> np.ndarray:
        """Return the node, counted through all trees, of the leaf that each row reaches in each tree."""
        matrix, trees = self._matrix(X), self.forest.trees
        nodes = np.empty((n_rows(matrix), trees.n_trees), np.int32)

        def route_chunk(start: int, stop: int) -> None:
            route(matrix, trees, start, stop, nodes[start:stop])

        self._over_chunks(route_chunk, len(nodes))
        return nodes

    def paths(self, X: Any) -> sp.csr_array:
        """Return the indicator of the nodes that each row passes, those of all trees side by side."""
        return decision_paths(self.forest.trees, self.leaves(X))

    def mean(
        self, X: Any, tree_mask: np.ndarray | None = None, *, sparse: bool = False, top_k: int | None = None
    ) -> Any:
        """Return the mean of the leaves that each row reaches.

        Parameters
        ----------
        X : array or CSR array of shape (n_rows, n_columns)
            Encoded features.
        tree_mask : array of bool of shape (n_rows, n_trees), optional
            Which trees count for which row; by default all. NaN where none does, in a CSR array nothing.
        sparse : bool
            Return a CSR array of the means above zero.
        top_k : int, optional
            Of a CSR array, keep the largest so many of each row.
        """
        matrix = self._matrix(X)
        mask = _ALL_TREES if tree_mask is None else tree_mask
        route_rows = partial(self._route, matrix)
        if sparse:
            return self._sparse_mean(route_rows, n_rows(matrix), mask, top_k)
        return self._dense_mean(route_rows, n_rows(matrix), mask)

    def mean_of(self, nodes: np.ndarray, *, sparse: bool = False) -> Any:
        """Return the mean of leaves that are known, of all trees or of some.

        Parameters
        ----------
        nodes : array of int32 of shape (n_rows, n_some_trees)
            Node numbers of leaves.
        sparse : bool
            Return a CSR array of the means above zero.
        """

        def known(start: int, stop: int) -> np.ndarray:
            return nodes[start:stop]

        if sparse:
            return self._sparse_mean(known, len(nodes), _ALL_TREES, None)
        return self._dense_mean(known, len(nodes), _ALL_TREES)

    def _dense_mean(self, nodes_of: NodesOf, n_rows: int, mask: np.ndarray) -> np.ndarray:
        trees = self.forest.trees
        means = np.zeros((n_rows, trees.leaves.n_columns), np.float32)

        def add_chunk(start: int, stop: int) -> None:
            add_leaves(nodes_of(start, stop), mask[start:stop], trees, means[start:stop])

        self._over_chunks(add_chunk, n_rows)
        return means

    def _sparse_mean(
        self, nodes_of: NodesOf, n_rows: int, mask: np.ndarray, top_k: int | None
    ) -> sp.csr_array:
        trees, ranks = self.forest.trees, self.forest.targets.ranks
        most = -1 if top_k is None else top_k

        def chunk(start: int, stop: int) -> sp.csr_array:
            nodes = nodes_of(start, stop)
            indptr, indices, scores = sparse_scores(nodes, mask[start:stop], trees, ranks, most)
            return sp.csr_array((scores, indices, indptr), shape=(stop - start, trees.leaves.n_columns))

        return sp.csr_array(sp.vstack(self._over_chunks(chunk, n_rows), format="csr"))

    def _route(self, matrix: Matrix, start: int, stop: int) -> np.ndarray:
        nodes = np.empty((stop - start, self.forest.trees.n_trees), np.int32)
        route(matrix, self.forest.trees, start, stop, nodes)
        return nodes

    def _matrix(self, X: Any) -> Matrix:
        matrix = prediction_matrix(X)
        return normalized_rows(matrix) if self.forest.settings.normalize_rows else matrix

    def _over_chunks(self, work: Callable[[int, int], Any], n_rows: int) -> list[Any]:
        """Run `work(start, stop)` over ranges of rows; results in order."""
        step = max(1, min(_LEAVES_PER_CHUNK // self.forest.trees.n_trees, n_rows))
        starts = range(0, n_rows, step)
        return list(run_in_threads(lambda start: work(start, min(start + step, n_rows)), starts, self.n_jobs))
