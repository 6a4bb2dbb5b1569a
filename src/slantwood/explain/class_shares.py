"""How frequent classes and labels are, as far as the leaves of a model know.

Probabilities are shares of a few trees and often tie: of thousands of labels most have none at all. Of those
that tie, the more frequent one is the more probable, as if one more tree spoke, which has no split.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from slantwood.features.matrix import to_array
from slantwood.task_names import CLASS_TASKS

# What the tree without splits counts at most: a single tree is hardly changed by it.
_MOST = 0.02


def tie_breaks(model: Any) -> np.ndarray:
    """Return what to add to the probability of each class or label.

    Nothing for boosted models, whose leaves hold steps, and whose probabilities hardly ever tie.
    """
    trees = model.trees_
    if model.forest_.additive is not None:
        return np.zeros(len(model.classes_))
    leaves = to_array(trees.leaves)
    weight = np.ones(leaves.shape[0])
    is_leaf = trees.leaf >= 0
    if not np.isnan(trees.node_weight).any():
        weight[trees.leaf[is_leaf]] = trees.node_weight[is_leaf]
    shares = np.asarray(leaves.T @ weight, np.float64) / weight.sum()
    if model.targets_.task in CLASS_TASKS:
        shares = model.targets_.probabilities(shares[None])[0]
    return shares * min(1.0 / trees.n_trees, _MOST)
