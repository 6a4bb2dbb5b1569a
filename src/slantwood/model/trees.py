"""Fitted trees, side by side in one set of flat arrays. No Python object per node."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from slantwood.hints import pluralize
from slantwood.kernels.matrix import Matrix, dense_matrix, n_rows, sparse_matrix


class Trees(NamedTuple):
    """Any number of trees; node numbers run through all of them.

    A row goes right at a node when its product with the node's split weights plus the bias is not
    negative; a missing value counts as the mean of the training rows that reached the node. `leaf` is the
    row of `leaves` that holds a leaf's prediction, -1 at inner nodes.
    """

    roots: np.ndarray  # int32, first node of each tree
    left: np.ndarray  # int32, -1 at leaves
    right: np.ndarray
    leaf: np.ndarray  # int32
    indptr: np.ndarray  # int64, split weights in CSR form over nodes
    indices: np.ndarray  # int32, within a node they rise
    weights: np.ndarray  # float32
    means: np.ndarray  # float32, beside each weight
    bias: np.ndarray  # float64
    depth: np.ndarray  # int32
    node_weight: np.ndarray  # float64, weight of the training rows that reached the node
    leaves: Matrix

    def __repr__(self) -> str:
        n_leaves, width = n_rows(self.leaves), self.leaves.n_columns
        return (
            f"<Trees: {pluralize(self.n_trees, 'tree')}, {pluralize(len(self.left), 'node')}, "
            f"{pluralize(len(self.weights), 'split weight')}, "
            f"{pluralize(n_leaves, 'leaf', 'leaves')} of {pluralize(width, 'value')}, "
            f"{self.nbytes:,} bytes>"
        )

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays, by NumPy's name for it."""
        arrays = (*self, *self.leaves)
        return sum(each.nbytes for each in arrays if isinstance(each, np.ndarray))

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.roots)

    @property
    def node_offsets(self) -> np.ndarray:
        """First node of each tree, and after the last one the number of all nodes."""
        return np.append(self.roots, len(self.left))


def single_tree(trees: Trees, index: int) -> Trees:
    """Return one of several trees, its nodes counted from 0; `leaves` stays that of all."""
    first, stop = trees.node_offsets[index : index + 2]
    splits = slice(trees.indptr[first], trees.indptr[stop])

    def counted(nodes: np.ndarray) -> np.ndarray:
        return np.where(nodes < 0, nodes, nodes - first).astype(np.int32)

    return trees._replace(
        roots=np.zeros(1, np.int32),
        left=counted(trees.left[first:stop]),
        right=counted(trees.right[first:stop]),
        leaf=trees.leaf[first:stop],
        indptr=trees.indptr[first : stop + 1] - splits.start,
        indices=trees.indices[splits],
        weights=trees.weights[splits],
        means=trees.means[splits],
        bias=trees.bias[first:stop],
        depth=trees.depth[first:stop],
        node_weight=trees.node_weight[first:stop],
    )


def join(parts: Sequence[Trees]) -> Trees:
    """Put the trees of all parts into one, in order."""
    if len(parts) == 1:
        return parts[0]
    nodes = np.cumsum([0] + [len(part.left) for part in parts])
    leaves = np.cumsum([0] + [n_rows(part.leaves) for part in parts])
    splits = np.cumsum([0] + [len(part.indices) for part in parts])

    def joined(field: str, offsets: np.ndarray | None = None) -> np.ndarray:
        arrays = [getattr(part, field) for part in parts]
        if offsets is None:
            return np.concatenate(arrays)
        # -1 stands for "none" and is not shifted.
        shifted = [np.where(a < 0, a, a + o) for a, o in zip(arrays, offsets, strict=False)]
        return np.concatenate(shifted).astype(arrays[0].dtype)

    return Trees(
        roots=joined("roots", nodes),
        left=joined("left", nodes),
        right=joined("right", nodes),
        leaf=joined("leaf", leaves),
        indptr=np.concatenate(
            [part.indptr[:-1] + o for part, o in zip(parts, splits, strict=False)] + [splits[-1:]]
        ),
        indices=joined("indices"),
        weights=joined("weights"),
        means=joined("means"),
        bias=joined("bias"),
        depth=joined("depth"),
        node_weight=joined("node_weight"),
        leaves=_stack([part.leaves for part in parts]),
    )


def _stack(parts: Sequence[Matrix]) -> Matrix:
    if all(part.is_dense for part in parts):
        return dense_matrix(np.concatenate([part.values for part in parts]))
    parts = [sparse_matrix(sp.csr_array(part.values)) if part.is_dense else part for part in parts]
    stored = np.cumsum([0] + [len(part.data) for part in parts])
    return Matrix(
        False,
        np.empty((0, 0), np.float32),
        np.concatenate(
            [part.indptr[:-1] + o for part, o in zip(parts, stored, strict=False)] + [stored[-1:]]
        ),
        np.concatenate([part.indices for part in parts]),
        np.concatenate([part.data for part in parts]),
        parts[0].n_columns,
        False,
    )
