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
def _what_pays(passed, left, right):
    # Makes a leaf of every node of whose splits, its own and those below, none has passed. Returns the number
    # of each node among those that remain, in the same order, or -1.
    pays = passed.copy()
    for node in range(passed.shape[0] - 1, -1, -1):
        if left[node] >= 0:
            pays[node] |= pays[left[node]] | pays[right[node]]
            if not pays[node]:
                left[node] = -1
                right[node] = -1
    number = np.full(passed.shape[0], -1, np.int32)
    number[0] = 0
    count = 1
    for node in range(passed.shape[0]):
        if number[node] >= 0 and left[node] >= 0:
            number[left[node]] = count
            number[right[node]] = count + 1
            count += 2
    return number


@exact
def cut_back(nodes, n_nodes, splits):
    """Take away splits below which, and themselves included, none has passed; return how many nodes remain.

    What stays moves to the front.
    """
    number = _what_pays(nodes.passed[:n_nodes], nodes.left, nodes.right)
    count = 0
    stored = 0
    last = np.int64(0)
    for node in range(n_nodes):
        # A node never moves up, so that only places are written of which all has been read.
        first = last
        last = nodes.indptr[node + 1]
        if number[node] < 0:
            continue
        is_split = nodes.left[node] >= 0
        if is_split:
            for i in range(first, last):
                splits.columns[stored] = splits.columns[i]
                splits.weights[stored] = splits.weights[i]
                splits.means[stored] = splits.means[i]
                splits.shares[stored] = splits.shares[i]
                stored += 1
        nodes.left[count] = number[nodes.left[node]] if is_split else -1
        nodes.right[count] = number[nodes.right[node]] if is_split else -1
        nodes.bias[count] = nodes.bias[node] if is_split else 0.0
        nodes.start[count] = nodes.start[node]
        nodes.stop[count] = nodes.stop[node]
        nodes.depth[count] = nodes.depth[node]
        nodes.weight[count] = nodes.weight[node]
        count += 1
        nodes.indptr[count] = stored
    return count
