"""How label trees lie in a model file, and which arrays can be label trees at all.

The document has {"n_trees"}; arrays, over N nodes with C children, F features and W weights, all in the order
of `LabelTrees`, are

    label_trees/roots            int32, n_trees
    label_trees/child_counts     uint8, 16 or 32, N
    label_trees/targets          int32, C: a label, or -1 less the node
    label_trees/feature_counts   uint8, 16 or 32, N
    label_trees/features         uint16 or 32, F
    label_trees/weight_counts    uint8, 16 or 32, F
    label_trees/children         uint8 or 16, W: counted within the node
    label_trees/weights          float32 or 16, W

Nodes are numbered so that every child has a higher number than its parent. Whatever a file says, what is made
of it has neither cycles nor loose ends.
"""

from typing import Any

import numpy as np

from slantwood.label_trees.model import LabelTrees
from slantwood.model.container import take
from slantwood.model.packed_numbers import (
    COLUMNS,
    COUNTS,
    NUMBERS,
    Arrays,
    columns_of,
    half,
    is_finite,
    narrow,
    single,
    sized,
    starts_of,
)
from slantwood.model.refusal import UNLIMITED, MemoryLimit, ModelFileError

_CHILDREN = ("uint8", "uint16")

# What reading takes at its height for each feature and weight, a little rounded up.
_BYTES_PER_FEATURE = 40
_BYTES_PER_WEIGHT = 24

_PREFIX = "label_trees/"


def to_arrays(trees: LabelTrees, *, float16: bool = False) -> tuple[dict[str, Any], Arrays]:
    """Return the part of the document, and the arrays, from which `from_arrays` makes the same trees."""
    if not is_finite(trees.weights):
        raise ValueError("the label trees hold weights that are not finite")
    arrays = {
        "roots": trees.roots,
        "child_counts": narrow(np.diff(trees.child_starts), COUNTS),
        "targets": trees.targets,
        "feature_counts": narrow(np.diff(trees.feature_starts), COUNTS),
        "features": narrow(trees.features, COLUMNS),
        "weight_counts": narrow(np.diff(trees.weight_starts), COUNTS),
        "children": narrow(trees.children, _CHILDREN),
        "weights": half(trees.weights) if float16 else trees.weights,
    }
    return {"n_trees": len(trees.roots)}, {_PREFIX + name: array for name, array in arrays.items()}


def from_arrays(
    described: Any, arrays: Arrays, *, n_columns: int, n_labels: int, memory: MemoryLimit = UNLIMITED
) -> LabelTrees:
    """Make label trees of the arrays of a file, and take these out of it.

    Parameters
    ----------
    described : object
        The part of the document.
    arrays : dict
        All arrays of the file.
    n_columns : int
        Columns of X, that of ones among them.
    n_labels : int
        Labels of the model.
    memory : MemoryLimit
        What the trees may take.

    Raises
    ------
    ModelFileError
        Unless the arrays are label trees for so many columns and labels.
    """
    if (
        not isinstance(described, dict)
        or described.keys() != {"n_trees"}
        or type(described["n_trees"]) is not int
    ):
        raise ModelFileError("label_trees must have just n_trees, a whole number")
    child_counts = take(arrays, _PREFIX + "child_counts", COUNTS)
    targets = take(arrays, _PREFIX + "targets", ("int32",))
    child_starts = starts_of(child_counts, len(targets), _PREFIX + "child_counts")
    roots = sized(arrays, _PREFIX + "roots", ("int32",), described["n_trees"])
    _check_shape(roots, child_counts, targets, n_labels)
    features = columns_of(arrays, _PREFIX + "features", n_columns)
    stored = take(arrays, _PREFIX + "weights", NUMBERS)
    n_bytes = _BYTES_PER_FEATURE * len(features) + _BYTES_PER_WEIGHT * len(stored)
    memory.check(n_bytes, f"{len(stored)} weights of label trees")
    feature_counts = sized(arrays, _PREFIX + "feature_counts", COUNTS, len(child_counts))
    feature_starts = starts_of(feature_counts, len(features), _PREFIX + "feature_counts")
    weight_counts = sized(arrays, _PREFIX + "weight_counts", COUNTS, len(features))
    weight_starts = starts_of(weight_counts, len(stored), _PREFIX + "weight_counts")
    children = sized(arrays, _PREFIX + "children", _CHILDREN, len(stored))
    rises = features[1:] > features[:-1]
    begins = feature_starts[1:-1]
    rises[begins[(begins > 0) & (begins < len(features))] - 1] = True  # where another node begins
    if not rises.all():
        raise ModelFileError(f"array '{_PREFIX}features' does not rise within a node")
    most = np.repeat(np.repeat(child_counts, feature_counts), weight_counts)
    if (children >= most).any():
        raise ModelFileError(f"array '{_PREFIX}children' has a child that its node has not")
    return LabelTrees(
        roots,
        child_starts,
        targets,
        feature_starts,
        features.astype(np.uint32, copy=False),
        weight_starts,
        children.astype(np.uint16, copy=False),
        single(stored, _PREFIX + "weights"),
    )


def _check_shape(roots: np.ndarray, child_counts: np.ndarray, targets: np.ndarray, n_labels: int) -> None:
    """Refuse nodes that are not trees: each is a root or the child of one node of a lower number."""
    n_nodes = len(child_counts)
    if not len(roots) or not n_nodes or child_counts.min() < 1:
        raise ModelFileError("there is no label tree, or a node without children")
    if targets.max() >= n_labels:
        raise ModelFileError(f"array '{_PREFIX}targets' has the label {targets.max()} of {n_labels}")
    is_node = targets < 0
    if np.bincount(targets[~is_node], minlength=1).max() > len(roots):
        raise ModelFileError(f"array '{_PREFIX}targets' has a label more often than there are trees")
    nodes = -1 - targets[is_node].astype(np.int64)
    each_once = np.array_equal(np.sort(np.concatenate([roots, nodes])), np.arange(n_nodes))
    if not each_once or (nodes <= np.repeat(np.arange(n_nodes), child_counts)[is_node]).any():
        raise ModelFileError("the nodes of the label trees are no trees")
