"""Sums over the rows of a node: the variances of its features, and what its split does to the targets.

Everything is a product of the nodes-by-rows matrix with columns of the data, a few nodes at a time, so that
no more than a block of nodes by columns is ever dense.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.explain.training_rows import GrownTree

# Numbers of a block.
_CELLS = 1 << 18


def split_variances(tree: GrownTree, X: Any) -> np.ndarray:
    """Variance of each feature of each split over the node's rows, in the order of the split's weights."""
    indptr, indices = tree.trees.indptr, tree.trees.indices
    used, place = np.unique(indices, return_inverse=True)
    variances = np.zeros(len(indices))
    if not len(used):
        return variances
    columns = Columns(X[:, used], centred=True)
    for start, stop in _blocks(len(indptr) - 1, len(used)):
        stored = slice(indptr[start], indptr[stop])
        node = np.repeat(np.arange(stop - start), np.diff(indptr[start : stop + 1]))
        total, sums, squares = (
            part[node, place[stored]] for part in columns.sums(tree.members[start:stop], squares=True)
        )
        total = np.where(total > 0, total, 1.0)
        variances[stored] = np.maximum(squares / total - (sums / total) ** 2, 0.0)
    return variances


def removed_variances(
    tree: GrownTree, targets: Columns, splits: np.ndarray
) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield for blocks of splits what each removes of the variance of each target, times the weight of rows.

    It is the variance between the two sides, W_l W_r / (W_l + W_r) (mean_l - mean_r)^2.
    """
    left, right = tree.trees.left[splits], tree.trees.right[splits]
    for start, stop in _blocks(len(splits), targets.n_columns):
        (W_l, sums_l, _), (W_r, sums_r, _) = (
            targets.sums(tree.members[side[start:stop]]) for side in (left, right)
        )
        both = W_l * W_r / np.maximum(W_l + W_r, np.finfo(float).tiny)
        means = (
            np.divide(sums, W, out=np.zeros_like(sums), where=W > 0)
            for sums, W in ((sums_l, W_l), (sums_r, W_r))
        )
        yield slice(start, stop), both * (next(means) - next(means)) ** 2


def root_variances(tree: GrownTree, Y: Any) -> np.ndarray:
    """Variance of each target over the rows of the root."""
    total, sums, squares = (part[0] for part in Columns(Y, centred=True).sums(tree.members[:1], squares=True))
    total = np.where(total > 0, total, 1.0)
    return np.maximum(squares / total - (sums / total) ** 2, 0.0)


class Columns:
    """Columns of which sums are taken; missing values have no part in them."""

    def __init__(self, columns: Any, *, centred: bool = False) -> None:
        self.n_columns = columns.shape[1]
        self._is_sparse = sp.issparse(columns)
        values = (
            sp.csr_array(columns, dtype=np.float64, copy=True) if self._is_sparse else columns.astype(float)
        )
        stored = values.data if self._is_sparse else values
        missing = np.isnan(stored)
        stored[missing] = 0.0
        self._missing = None
        if missing.any():
            self._missing = missing.astype(float)
            if self._is_sparse:
                self._missing = sp.csr_array(
                    (missing.astype(float), values.indices, values.indptr), values.shape
                )
        if centred and not self._is_sparse:
            # Squares of numbers far from zero would leave nothing of a small variance.
            values -= np.where(missing, 0.0, values).sum(axis=0) / np.maximum((~missing).sum(axis=0), 1)
            values[missing] = 0.0
        self._values = values

    def sums(self, members: sp.csr_array, *, squares: bool = False) -> tuple[np.ndarray, np.ndarray, Any]:
        """Return the weight of known values, their sums and, if asked for, the sums of their squares."""
        sums = _dense(members @ self._values)
        total = np.broadcast_to(np.asarray(members.sum(axis=1)).reshape(-1, 1), sums.shape)
        if self._missing is not None:
            total = total - _dense(members @ self._missing)
        return total, sums, _dense(members @ self._squares) if squares else None

    @cached_property
    def _squares(self) -> Any:
        return self._values.multiply(self._values).tocsr() if self._is_sparse else self._values**2


def _dense(product: Any) -> np.ndarray:
    return product.toarray() if sp.issparse(product) else product


def _blocks(n: int, width: int) -> Iterator[tuple[int, int]]:
    step = max(1, _CELLS // width)
    return ((start, min(start + step, n)) for start in range(0, n, step))
