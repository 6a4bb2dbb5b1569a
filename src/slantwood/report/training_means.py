"""What a model learned before its first split: the mean of the targets over its training rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.features.matrix import to_array
from slantwood.task_names import SEVERAL_TASKS


def training_means(model: Any) -> np.ndarray | None:
    """Return the share of each class or label in the training rows, as the leaves of all trees have it.

    None for several targets with classes of their own. The model must know the weights of its nodes.
    """
    targets, trees = model.targets_, model.trees_
    if targets.task in SEVERAL_TASKS:
        return None
    leaves = to_array(trees.leaves)
    is_leaf = trees.left < 0
    weight = np.bincount(trees.leaf[is_leaf], trees.node_weight[is_leaf], leaves.shape[0])
    mean = np.asarray(weight @ leaves if sp.issparse(leaves) else weight @ leaves.astype(np.float64)).ravel()
    mean = mean / max(weight.sum(), 1e-300)
    if targets.task == "binary":
        return np.array([1.0 - mean[0], mean[0]])[: len(targets.classes)]
    return mean
