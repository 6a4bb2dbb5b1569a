"""Splits on trial: those that lower the impurity of no side by enough, but may lead to others that do.

Of two features that matter only together, as in y = (x1 > 0) xor (x2 > 0), no first cut is worth anything,
and both cuts after it are. So a node is not given up at once: a split that fails the rule is kept for the
time being, and so are those below it, a few levels down. Where one of them passes the rule, and by more than
chance, all on the way to it stay; the others are cut back when the tree is grown. Where the learner has no
split at all, as one that weighs purity against sparsity may not have here, a cut at the mean of any feature
is tried.
"""

import math

import numpy as np

from slantwood.kernels.compiling import exact

# So many splits in a row may fail.
LEVELS = 3

# What noise explains is taken so many times.
_BEYOND_CHANCE = 2.0


@exact
def is_beyond_chance(explained, n_features, n_attributes):
    """Whether a split explains more than noise would.

    `explained` is the share of the variance, along the direction in which the split separates the attributes,
    that lies between its sides, times the number of rows. For the best of all directions of d features and K
    attributes of pure noise, this is about (sqrt d + sqrt K)^2, the largest eigenvalue of their products.
    """
    chance = (math.sqrt(n_features) + math.sqrt(n_attributes)) ** 2
    return explained > _BEYOND_CHANCE * chance


@exact
def cut_back(nodes, n_nodes):
    """Make a leaf of every node of whose splits, its own and those below, none has passed."""
    pays = np.zeros(n_nodes, np.bool_)
    for node in range(n_nodes - 1, -1, -1):
        if nodes.left[node] >= 0:
            pays[node] = nodes.passed[node] or pays[nodes.left[node]] or pays[nodes.right[node]]
            if not pays[node]:
                nodes.left[node] = -1
                nodes.right[node] = -1
