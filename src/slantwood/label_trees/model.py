"""Fitted label trees as flat arrays."""

from typing import NamedTuple

import numpy as np


class LabelTrees(NamedTuple):
    """All trees of a model, with the classifiers of their children.

    The children of node v are those from child_starts[v] to child_starts[v + 1]: a label where targets[c] is
    not negative, else the node -1 - targets[c]. A row that has few features meets few weights where these lie
    feature by feature: node v has features[feature_starts[v] : feature_starts[v + 1]], in ascending order,
    and the f-th of all features the weights from weight_starts[f] to weight_starts[f + 1], each with its
    child, counted within the node. The last column of X, of ones, is a feature as well.
    """

    roots: np.ndarray  # int32
    child_starts: np.ndarray  # int64
    targets: np.ndarray  # int32
    feature_starts: np.ndarray  # int64
    features: np.ndarray  # uint32
    weight_starts: np.ndarray  # int64
    children: np.ndarray  # uint16
    weights: np.ndarray  # float32


# Children of a node at the most, as `children` holds them.
MOST_CHILDREN = 1 << 16


def joined(trees: list[LabelTrees]) -> LabelTrees:
    """Put trees side by side."""
    offsets = np.cumsum([0, *(len(each.child_starts) - 1 for each in trees)])
    shifted = zip(trees, offsets[:-1], strict=True)
    targets = [np.where(tree.targets < 0, tree.targets - offset, tree.targets) for tree, offset in shifted]
    return LabelTrees(
        np.concatenate(
            [tree.roots + offset for tree, offset in zip(trees, offsets[:-1], strict=True)]
        ).astype(np.int32),
        starts_joined([tree.child_starts for tree in trees]),
        np.concatenate(targets).astype(np.int32),
        starts_joined([tree.feature_starts for tree in trees]),
        np.concatenate([tree.features for tree in trees]),
        starts_joined([tree.weight_starts for tree in trees]),
        np.concatenate([tree.children for tree in trees]),
        np.concatenate([tree.weights for tree in trees]),
    )


def starts_joined(parts: list[np.ndarray]) -> np.ndarray:
    """Return where ranges start that lie one after the other, given where they start within each part."""
    sizes = [np.diff(part) for part in parts]
    return np.concatenate([[0], np.cumsum(np.concatenate(sizes))]).astype(np.int64)
