"""What trees say of rows: the leaves that they reach, the mean or sum of these, and the way to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from slantwood.ensemble.forest import FittedForest
from slantwood.features.matrix import normalized_rows, prediction_matrix, to_array
from slantwood.kernels.matrix import Matrix, n_rows
from slantwood.model.contributions import add_contributions, node_values
from slantwood.model.leaf_means import add_leaves, sparse_scores
from slantwood.model.paths import decision_paths
from slantwood.model.routing import route
from slantwood.model.slopes import add_slope_contributions, add_sloped_leaves, sloped_leaves
from slantwood.threads import run_in_threads

# Rows that are routed in one go, times trees: keeps the table of leaves small, and an interrupt waits for
# one chunk at the most.
_LEAVES_PER_CHUNK = 1 << 17

# So few rows take less time than it takes to start a thread.
_FEW_ROWS = 8

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
            route(matrix, trees, np.arange(start, stop, dtype=np.uint32), nodes[start:stop])

        self._over_chunks(route_chunk, len(nodes))
        return nodes

    def paths(self, X: Any) -> sp.csr_array:
        """Return the indicator of the nodes that each row passes, those of all trees side by side."""
        return decision_paths(self.forest.trees, self.leaves(X))

    def mean(
        self, X: Any, tree_mask: np.ndarray | None = None, *, sparse: bool = False, top_k: int | None = None
    ) -> Any:
        """Return the mean of the leaves that each row reaches; of boosted trees what their sum stands for.

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
        if self.forest.slopes is not None:
            return self._sloped_mean(matrix, route_rows, mask)
        return self._dense_mean(route_rows, n_rows(matrix), mask)

    def scores(self, X: Any) -> np.ndarray:
        """Return what boosted trees add up to: float64 scores of rows, one for each column of the targets."""
        forest = self.forest
        assert forest.additive is not None
        means = replace(self, forest=replace(forest, additive=None)).mean(X)
        return forest.additive.scores(means, forest.trees.n_trees)

    def staged(self, X: Any) -> Iterator[np.ndarray]:
        """Yield what boosted trees say after each round."""
        forest, nodes = self.forest, self.leaves(X)
        additive, trees = forest.additive, forest.trees
        assert additive is not None
        sums = np.zeros((len(nodes), trees.leaves.n_columns), np.float32)
        ends = np.cumsum(additive.round_sizes)
        for first, end in zip(ends - additive.round_sizes, ends, strict=True):
            for tree in range(first, end):
                sums += trees.leaves.values[trees.leaf[nodes[:, tree]]]
            predicted = additive.predicted(sums, 1)
            hierarchy = forest.targets.hierarchy
            yield predicted if hierarchy is None else hierarchy.consistent(predicted)

    def contributions(self, X: Any, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return what a model predicts before it knows a row, and what each feature of rows adds to it.

        Parameters
        ----------
        X : array or CSR array of shape (n_rows, n_columns)
            Encoded features.
        columns : array of int
            Columns of the targets.

        Returns
        -------
        float64 arrays of shape (n_some_targets,) and (n_rows, n_columns, n_some_targets)
            In units of leaf means; of boosted trees, of scores.
        """
        matrix, trees, additive = self._matrix(X), self.forest.trees, self.forest.additive
        values = node_values(trees, columns)
        base = values[trees.roots].sum(axis=0)
        added = np.zeros((n_rows(matrix), matrix.n_columns, len(columns)))

        def add_chunk(start: int, stop: int) -> None:
            rows = np.arange(start, stop, dtype=np.uint32)
            add_contributions(matrix, trees, values, rows, added[start:stop])
            if self.forest.slopes is not None:
                nodes, wanted = self._route(matrix, start, stop), columns.astype(np.int64)
                slopes, out = self.forest.slopes, added[start:stop]
                add_slope_contributions(matrix, rows, nodes, trees, slopes, wanted, out)

        self._over_chunks(add_chunk, len(added))
        if additive is not None:
            return additive.start[columns] + base, added
        return base / trees.n_trees, added / trees.n_trees

    def tree_values(self, X: Any, nodes: np.ndarray) -> np.ndarray:
        """Return what the leaves that rows reach say of them, each tree by itself.

        Parameters
        ----------
        X : array or CSR array of shape (n_rows, n_columns)
            Encoded features.
        nodes : array of int32 of shape (n_rows, n_trees)
            Node numbers of these leaves.

        Returns
        -------
        float32 array of shape (n_rows, n_trees, n_columns)
            In units of leaf means.
        """
        trees, slopes = self.forest.trees, self.forest.slopes
        if slopes is None:
            found = to_array(trees.leaves)[trees.leaf[nodes].ravel()]
            dense = found.toarray() if sp.issparse(found) else found
            return dense.reshape(*nodes.shape, trees.leaves.n_columns)
        values = np.empty((*nodes.shape, trees.leaves.n_columns), np.float32)
        matrix = self._matrix(X)

        def fill_chunk(start: int, stop: int) -> None:
            rows = np.arange(start, stop, dtype=np.uint32)
            sloped_leaves(matrix, rows, nodes[start:stop], trees, slopes, values[start:stop])

        self._over_chunks(fill_chunk, len(nodes))
        return values

    def mean_of(self, nodes: np.ndarray, *, sparse: bool = False) -> Any:
        """Return the mean of leaves that are known, of all trees or of some, without slopes.

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
        means = np.zeros((n_rows, self.forest.trees.leaves.n_columns), np.float32)

        def add_chunk(start: int, stop: int) -> None:
            self._add_combined(nodes_of(start, stop), mask[start:stop], means[start:stop])

        self._over_chunks(add_chunk, n_rows)
        return means

    def _sloped_mean(self, matrix: Matrix, nodes_of: NodesOf, mask: np.ndarray) -> np.ndarray:
        trees, slopes = self.forest.trees, self.forest.slopes
        means = np.zeros((n_rows(matrix), trees.leaves.n_columns), np.float32)

        def add_chunk(start: int, stop: int) -> None:
            rows, nodes = np.arange(start, stop, dtype=np.uint32), nodes_of(start, stop)
            add_sloped_leaves(matrix, rows, nodes, mask[start:stop], trees, slopes, means[start:stop])

        self._over_chunks(add_chunk, len(means))
        return means

    def _add_combined(self, nodes: np.ndarray, mask: np.ndarray, out: np.ndarray) -> None:
        """Put what the leaves of all trees say together into an array of zeros."""
        forest = self.forest
        add_leaves(nodes, mask, forest.trees, out)
        if forest.additive is None:
            return
        out[:] = forest.additive.predicted(out, nodes.shape[1])
        if forest.targets.hierarchy is not None:
            out[:] = forest.targets.hierarchy.consistent(out)

    def _sparse_mean(
        self, nodes_of: NodesOf, n_rows: int, mask: np.ndarray, top_k: int | None
    ) -> sp.csr_array:
        trees, ranks = self.forest.trees, self.forest.targets.ranks
        most = -1 if top_k is None else top_k
        if self.forest.additive is not None:
            return self._sparse_sums(nodes_of, n_rows, mask, top_k)

        def chunk(start: int, stop: int) -> sp.csr_array:
            nodes = nodes_of(start, stop)
            indptr, indices, scores = sparse_scores(nodes, mask[start:stop], trees, ranks, most)
            return sp.csr_array((scores, indices, indptr), shape=(stop - start, trees.leaves.n_columns))

        return _stacked(self._over_chunks(chunk, n_rows))

    def _sparse_sums(
        self, nodes_of: NodesOf, n_rows: int, mask: np.ndarray, top_k: int | None
    ) -> sp.csr_array:
        """Return what boosted trees say, of which hardly anything is zero; dense for a few rows at a time."""
        n_columns = self.forest.trees.leaves.n_columns
        order = np.argsort(self.forest.targets.ranks, kind="stable")

        def chunk(start: int, stop: int) -> sp.csr_array:
            scores = np.zeros((stop - start, n_columns), np.float32)
            self._add_combined(nodes_of(start, stop), mask[start:stop], scores)
            if top_k is not None and top_k < n_columns:
                # Of equal scores the one of lower rank stays.
                others = order[np.argsort(-scores[:, order], axis=1, kind="stable")[:, top_k:]]
                np.put_along_axis(scores, others, 0.0, axis=1)
            return sp.csr_array(scores)

        return _stacked(self._over_chunks(chunk, n_rows))

    def _route(self, matrix: Matrix, start: int, stop: int) -> np.ndarray:
        nodes = np.empty((stop - start, self.forest.trees.n_trees), np.int32)
        route(matrix, self.forest.trees, np.arange(start, stop, dtype=np.uint32), nodes)
        return nodes

    def _matrix(self, X: Any) -> Matrix:
        matrix = prediction_matrix(X)
        return normalized_rows(matrix) if self.forest.settings.normalize_rows else matrix

    def _over_chunks(self, work: Callable[[int, int], Any], n_rows: int) -> list[Any]:
        """Run `work(start, stop)` over ranges of rows; results in order."""
        if n_rows <= _FEW_ROWS:
            return [work(0, n_rows)]
        step = max(1, min(_LEAVES_PER_CHUNK // self.forest.trees.n_trees, n_rows))
        starts = range(0, n_rows, step)
        return list(run_in_threads(lambda start: work(start, min(start + step, n_rows)), starts, self.n_jobs))


def _stacked(parts: list[sp.csr_array]) -> sp.csr_array:
    return parts[0] if len(parts) == 1 else sp.csr_array(sp.vstack(parts, format="csr"))
