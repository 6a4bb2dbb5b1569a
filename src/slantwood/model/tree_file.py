"""How fitted trees lie in a model file, and which arrays can be trees at all.

The grower numbers nodes breadth first, tree after tree. Which nodes are inner ones then says everything about
the shape of the trees: of inner node k of all, in tree t, the children are the nodes 1 + t + 2 k and
2 + t + 2 k. Whatever a file says, what is made of it has neither cycles nor loose ends.

The document has {"n_trees", "sparse_leaves"}; arrays, over I inner nodes, N = 2 I + n_trees nodes and
L = I + n_trees leaves in the order of their numbers, are

    trees/inner      uint8, ceil(N / 8): a bit for each node, the first in the highest bit of the first byte,
                     1 for an inner node; the bits after the last node are 0
    trees/bias       float64, I
    trees/counts     uint8, 16 or 32, I: how many split weights an inner node has
    trees/features   uint16 or 32, one for each split weight: its column; within a node they rise
    trees/weights    float32 or 16, the same
    trees/means      float32 or 16, the same, or one number that stands for all
    trees/sizes      uint8, 16, 32 or float64, N: weight of the training rows of a node; not in files that
                     serve prediction only
    leaves/values    float32 or 16: (L, n_targets); of sparse leaves their values one after another, or one
                     number that stands for all
    leaves/counts    uint8, 16 or 32, L: how many values a sparse leaf has
    leaves/targets   uint16 or 32, one for each value of a sparse leaf: its column

Whole numbers have the narrowest type that holds them. Reading gives back the very same arrays, unless weights
are float16: then the weights and the bias of a node come back multiplied by a power of two, which changes no
decision, so that the largest weight is near the upper end of what float16 can hold.
"""

from typing import Any, NamedTuple

import numpy as np

from slantwood.kernels.matrix import Matrix, dense_matrix, n_rows
from slantwood.model.container import take
from slantwood.model.packed_numbers import (
    COLUMNS,
    COUNTS,
    NUMBERS,
    Arrays,
    columns_of,
    finite,
    half,
    is_finite,
    narrow,
    single,
    sized,
    starts_of,
)
from slantwood.model.refusal import UNLIMITED, MemoryLimit, ModelFileError
from slantwood.model.trees import Trees

# Node numbers are int32.
_MOST_NODES = np.iinfo(np.int32).max

# What reading takes for each node at its height, a little rounded up.
_BYTES_PER_NODE = 80

# The largest weight of a node in float16 lies between half of this power of two and the power.
_FLOAT16_EXPONENT = 15


# ---- writing


def to_arrays(
    trees: Trees, *, float16: bool = False, predict_only: bool = False
) -> tuple[dict[str, Any], Arrays]:
    """Return the part of the document, and the arrays, from which `from_arrays` makes the same trees."""
    inner = trees.left >= 0
    _check_shape(trees, inner)
    # Before half precision, of which NumPy is slow to find the least and the largest.
    means = _once_if_equal(trees.means)
    weights, bias = trees.weights, trees.bias[inner]
    if float16 and len(weights):
        weights, bias = _half_weights(trees, inner)
        means = half(means)
    arrays = {
        "trees/inner": np.packbits(inner),
        "trees/bias": bias,
        "trees/counts": narrow(np.diff(trees.indptr)[inner], COUNTS),
        "trees/features": narrow(trees.indices, COLUMNS),
        "trees/weights": weights,
        "trees/means": means,
    }
    if not predict_only:
        arrays["trees/sizes"] = _narrow_sizes(trees.node_weight)
    leaves = trees.leaves
    if not leaves.is_dense:
        arrays["leaves/counts"] = narrow(np.diff(leaves.indptr), COUNTS)
        arrays["leaves/targets"] = narrow(leaves.indices, COLUMNS)
    values = leaves.values if leaves.is_dense else _once_if_equal(leaves.data)
    arrays["leaves/values"] = half(values) if float16 else values
    return {"n_trees": trees.n_trees, "sparse_leaves": not leaves.is_dense}, arrays


def _check_shape(trees: Trees, inner: np.ndarray) -> None:
    """Refuse trees that could not be read again."""
    derived = _shape(inner, trees.n_trees)
    given = (trees.roots, trees.left, trees.right, trees.leaf, trees.depth)
    if not all(map(np.array_equal, derived, given)) or n_rows(trees.leaves) != (~inner).sum():
        raise ValueError("the nodes of the trees are not numbered breadth first, as the grower numbers them")
    leaf_values = trees.leaves.values if trees.leaves.is_dense else trees.leaves.data
    if not all(map(is_finite, (trees.weights, trees.means, trees.bias, leaf_values))):
        raise ValueError("the trees hold numbers that are not finite")


def _narrow_sizes(sizes: np.ndarray) -> np.ndarray:
    # Sums of row weights, which are whole numbers where rows have no weights of their own.
    are_whole = sizes.min() >= 0 and (sizes == np.rint(sizes)).all()
    are_whole = are_whole and sizes.max() <= np.iinfo(np.uint32).max
    return narrow(sizes, COUNTS) if are_whole else sizes


def _once_if_equal(numbers: np.ndarray) -> np.ndarray:
    bits = numbers.view(np.uint32)  # tells -0.0 from 0.0
    return numbers[:1] if len(numbers) > 1 and bits.min() == bits.max() else numbers


def float16_shifts(trees: Trees) -> np.ndarray:
    """Return the powers of two by which float16 multiplies the scores of rows at each node: 0 at leaves."""
    split = np.diff(trees.indptr) > 0
    shifts = np.zeros(len(trees.left), np.int32)
    if split.any():
        largest = np.maximum.reduceat(np.abs(trees.weights), trees.indptr[:-1][split])
        shifts[split] = _FLOAT16_EXPONENT - np.frexp(largest)[1]
    return shifts


def _half_weights(trees: Trees, inner: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Round weights to float16; return them and the bias of each inner node.

    With weights v of a node, rounded to v', the bias becomes c + sum_j (v_j - v'_j) m_j: the hyperplane turns
    about the means m of the node's rows, so columns far from zero cost no precision.
    """
    split = np.diff(trees.indptr) > 0
    counts = np.diff(trees.indptr)[split]
    starts = trees.indptr[:-1][split]
    shift = float16_shifts(trees)[split]
    scaled = np.ldexp(trees.weights, np.repeat(shift, counts))
    rounded = scaled.astype(np.float16)
    scaled -= rounded.astype(np.float32)
    scaled *= trees.means
    bias = trees.bias.copy()
    bias[split] = np.ldexp(bias[split], shift) + np.add.reduceat(scaled, starts, dtype=np.float64)
    return rounded, bias[inner]


# ---- reading


def from_arrays(
    document: Any, arrays: Arrays, *, n_features: int, n_targets: int, memory: MemoryLimit = UNLIMITED
) -> Trees:
    """Make trees from what a file holds, and take its arrays out of `arrays`.

    Arrays whose type is that of the fitted trees are used as they are. Nothing is believed: kernels
    do not look whether an index is within its array. All lengths are compared, and the memory that nodes take
    with its limit, before an array is made.

    Raises
    ------
    ModelFileError
        Unless the arrays are trees that split `n_features` columns and predict `n_targets`.
    """
    if not isinstance(document, dict) or document.keys() != {"n_trees", "sparse_leaves"}:
        raise ModelFileError("'trees' must have n_trees and sparse_leaves")
    n_trees, sparse_leaves = document["n_trees"], document["sparse_leaves"]
    if type(n_trees) is not int or not 1 <= n_trees <= _MOST_NODES or type(sparse_leaves) is not bool:
        raise ModelFileError(f"{n_trees=!r:.40} must be a count, and {sparse_leaves=!r:.40} a truth value")
    bias = take(arrays, "trees/bias", ("float64",))
    n_inner, n_nodes, n_leaves = len(bias), 2 * len(bias) + n_trees, len(bias) + n_trees
    packed = take(arrays, "trees/inner", ("uint8",))
    if n_nodes > _MOST_NODES or len(packed) != -(-n_nodes // 8):
        raise ModelFileError(f"{len(packed)} bytes of array 'trees/inner' are not bits of {n_nodes} nodes")
    per_node = sized(arrays, "trees/counts", COUNTS, n_inner)
    features = columns_of(arrays, "trees/features", n_features)
    n_weights = len(features)
    weights = sized(arrays, "trees/weights", NUMBERS, n_weights)
    means = sized(arrays, "trees/means", NUMBERS, n_weights, one_for_all=True)
    sizes = sized(arrays, "trees/sizes", (*COUNTS, "float64"), n_nodes) if "trees/sizes" in arrays else None
    if sizes is not None and finite(sizes, "trees/sizes").min() < 0:
        raise ModelFileError("array 'trees/sizes' holds weights below 0")
    stored_leaves = _stored_leaves(arrays, n_leaves, n_targets, sparse_leaves)
    memory.check(_BYTES_PER_NODE * n_nodes, f"{n_trees} trees of {n_nodes} nodes")

    bits = np.unpackbits(packed)
    inner = bits[:n_nodes].view(np.bool_)
    if np.count_nonzero(bits) != n_inner or np.count_nonzero(inner) != n_inner:
        raise ModelFileError(f"array 'trees/inner' does not mark {n_inner} inner nodes, as there should be")
    roots, left, right, leaf, depth = _shape(inner, n_trees)

    counts = np.zeros(n_nodes, np.int64)
    counts[inner] = per_node
    indptr = starts_of(counts, n_weights, "trees/counts")
    features, weights, means = _in_order(features, weights, _repeated(means, n_weights), indptr)
    node_bias = np.zeros(n_nodes, np.float64)
    node_bias[inner] = finite(bias, "trees/bias")
    return Trees(
        roots,
        left,
        right,
        leaf,
        indptr,
        features.astype(np.int32, copy=False),
        single(weights, "trees/weights"),
        single(means, "trees/means"),
        node_bias,
        depth,
        np.full(n_nodes, np.nan) if sizes is None else sizes.astype(np.float64, copy=False),
        _leaves(stored_leaves, n_targets),
    )


def _shape(
    inner: np.ndarray, n_trees: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return roots, left, right, leaf and depth of trees whose nodes are numbered breadth first.

    Passing the nodes in order, an inner node adds two children to those that are waited for, and each node is
    one of them: a tree ends where none is left. Counted over all trees, less one at each end.
    """
    n_nodes = len(inner)
    waiting = np.cumsum(np.where(inner, np.int32(1), np.int32(-1)), dtype=np.int32)
    least = np.minimum.accumulate(np.append(np.int32(0), waiting))
    ends = np.flatnonzero(least[1:] < least[:-1])
    if len(ends) != n_trees or ends[-1] != n_nodes - 1:
        raise ModelFileError(f"the {n_nodes} nodes are not {n_trees} trees, numbered breadth first")
    roots = np.append(0, ends[:-1] + 1).astype(np.int32)
    tree = np.repeat(np.arange(n_trees, dtype=np.int32), np.diff(np.append(roots, n_nodes)))
    left = np.full(n_nodes, -1, np.int32)
    right = left.copy()
    first = 1 + tree[inner] + 2 * np.arange(np.count_nonzero(inner), dtype=np.int32)
    left[inner] = first
    right[inner] = first + 1
    leaf = np.where(inner, -1, np.cumsum(~inner) - 1).astype(np.int32)
    return roots, left, right, leaf, _depths(roots, inner, first)


def _depths(roots: np.ndarray, inner: np.ndarray, first_child: np.ndarray) -> np.ndarray:
    """Count the steps to the root: of all nodes at once, of which each round looks twice as far up."""
    above = np.arange(len(inner), dtype=np.int32)
    above[first_child] = above[first_child + 1] = np.flatnonzero(inner)
    depth = np.ones(len(inner), np.int32)
    depth[roots] = 0
    while depth[above].any():
        depth += depth[above]
        above = above[above]
    return depth


class _StoredLeaves(NamedTuple):
    """The arrays of leaves as they lie in the file, of the right lengths; dense ones have only values."""

    values: np.ndarray
    counts: np.ndarray | None = None
    targets: np.ndarray | None = None


def _stored_leaves(arrays: Arrays, n_leaves: int, n_targets: int, is_sparse: bool) -> _StoredLeaves:
    name = "leaves/values"
    if is_sparse:
        counts = sized(arrays, "leaves/counts", COUNTS, n_leaves)
        targets = columns_of(arrays, "leaves/targets", n_targets)
        values = sized(arrays, name, NUMBERS, len(targets), one_for_all=True)
        return _StoredLeaves(values, counts, targets)
    values = take(arrays, name, NUMBERS, n_dimensions=2)
    if values.shape != (n_leaves, n_targets):
        raise ModelFileError(f"array {name!r} has shape {values.shape}; expected {(n_leaves, n_targets)}")
    return _StoredLeaves(values)


def _leaves(stored: _StoredLeaves, n_targets: int) -> Matrix:
    name = "leaves/values"
    if stored.counts is None or stored.targets is None:
        return dense_matrix(single(stored.values, name))
    indptr = starts_of(stored.counts, len(stored.targets), "leaves/counts")
    _check_each_once(stored.targets, indptr, n_targets)
    targets = stored.targets.astype(np.uint32, copy=False)
    data = single(_repeated(stored.values, len(targets)), name)
    return Matrix(False, np.empty((0, 0), np.float32), indptr, targets, data, n_targets, False)


def _check_each_once(targets: np.ndarray, indptr: np.ndarray, n_targets: int) -> None:
    """Refuse a leaf that has a target twice: its values would be added up."""
    falls = _falls_within(targets, indptr)
    # Targets of most leaves rise, and cannot repeat then; only those of the others are sorted.
    leaves = np.unique(np.searchsorted(indptr, falls, side="right") - 1)
    counts = indptr[leaves + 1] - indptr[leaves]
    place = np.repeat(indptr[leaves] - (np.cumsum(counts) - counts), counts)
    place += np.arange(len(place))
    keys = np.repeat(np.arange(len(leaves)) * n_targets, counts)
    keys += targets[place]
    keys.sort()
    if (keys[1:] == keys[:-1]).any():
        raise ModelFileError("array 'leaves/targets' has a target twice in one leaf")


def _in_order(
    features: np.ndarray, weights: np.ndarray, means: np.ndarray, indptr: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Put the features of each node in order, as they are in all but the earliest files."""
    if not len(_falls_within(features, indptr)):
        return features, weights, means
    order = np.lexsort((features, np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))))
    return features[order], weights[order], means[order]


def _falls_within(columns: np.ndarray, indptr: np.ndarray) -> np.ndarray:
    """Return the places of columns that are not above the one before, unless a node or leaf begins there."""
    falls = np.flatnonzero(columns[1:] <= columns[:-1]) + 1
    return falls[indptr[np.searchsorted(indptr, falls)] != falls]


def _repeated(array: np.ndarray, length: int) -> np.ndarray:
    """Return as many numbers as there should be, of which one may stand for all."""
    return array if len(array) == length else np.full(length, array[0])
