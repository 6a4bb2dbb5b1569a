"""How rows find their labels: from the root down, along the few children that score highest (beam search).

A child whose classifier says s has the score exp(-max(0, 1 - s)^2), and a label the product of the scores on
its way from the root; the score of a label is the mean over trees. In each tree at most `beam` nodes of a
level are visited, and labels that no visited node has score zero.
"""

import math

import numpy as np

from slantwood.kernels.compiling import exact, indexed
from slantwood.kernels.scratch import scratch
from slantwood.kernels.selection import add_score, no_scores, store_largest
from slantwood.kernels.sorting import sorting_workspace

_1 = np.float32(1.0)


@exact
def beam_scores(X, factors, first, last, trees, beam, share, others, ranks, least, top_k):
    """Scores of the rows from `first` to before `last` as CSR, the `top_k` largest of a row only.

    Parameters
    ----------
    X : Matrix
        Sparse, without the column of ones.
    factors : array of float32
        Which scale each row of X to length 1.
    first, last : int
        A range of rows.
    trees : LabelTrees
        At least one.
    beam : int
        Nodes of a level that are visited.
    share : float
        Part of the trees in the score.
    others : Matrix
        Sparse, a row for each of the range: what is added to the scores of its labels.
    ranks : array of int64
        One for each label. Of equal scores, the one of lower rank counts as larger.
    least : float
        Scores that are no larger are left out.
    top_k : int
        -1 for all.
    """
    n_labels = ranks.shape[0]
    total = np.zeros(n_labels, np.float32)
    seen = np.zeros(n_labels, np.bool_)
    labels = np.empty(n_labels, np.int32)
    scores = np.empty(n_labels, np.float32)
    workspace = sorting_workspace(n_labels)
    n_most = 0
    for v in range(trees.child_starts.shape[0] - 1):
        n_most = max(n_most, trees.child_starts[v + 1] - trees.child_starts[v])
    sums = scratch(n_most, np.float32)
    here = np.empty(beam, np.int64)
    there = np.empty(beam, np.int64)
    logs_here = np.empty(beam, np.float64)
    logs_there = np.empty(beam, np.float64)
    indptr = np.zeros(last - first + 1, np.int64)
    factor = share / trees.roots.shape[0]
    stored = no_scores()
    for i in range(last - first):
        n_seen = 0
        for k in range(others.indptr[i], others.indptr[i + 1]):
            n_seen = add_score(others.indices[k], others.data[k], total, seen, labels, n_seen)
        for t in range(trees.roots.shape[0]):
            here[0] = trees.roots[t]
            logs_here[0] = 0.0
            n_here = 1
            while n_here > 0:
                n_there = 0
                for h in range(n_here):
                    node = here[h]
                    start = trees.child_starts[node]
                    n_children = trees.child_starts[node + 1] - start
                    _classify(X, first + i, factors[first + i], trees, node, sums[:n_children])
                    for c in range(n_children):
                        log = logs_here[h] - np.float64(max(_1 - sums[c], np.float32(0.0))) ** 2
                        target = trees.targets[start + c]
                        if target >= 0:
                            score = np.float32(factor * math.exp(log))
                            n_seen = add_score(target, score, total, seen, labels, n_seen)
                        else:
                            n_there = _into_beam(-1 - target, log, there, logs_there, n_there)
                here, there = there, here
                logs_here, logs_there = logs_there, logs_here
                n_here = n_there
        kept = 0
        for k in range(n_seen):
            label = labels[k]
            if total[label] > least:
                labels[kept] = label
                scores[kept] = total[label]
                kept += 1
            total[label] = np.float32(0.0)
            seen[label] = False
        stored = store_largest(stored, scores, labels, kept, top_k, ranks, workspace)
        indptr[i + 1] = stored.size
    return indptr, stored.labels[: stored.size].copy(), stored.scores[: stored.size].copy()


@exact
def _into_beam(node, log, nodes, logs, n):
    # Keeps the nodes of the largest scores, largest first, of equal ones the earlier; returns how many.
    if n == nodes.shape[0]:
        if log <= logs[n - 1]:
            return n
        n -= 1
    place = n
    while place > 0 and logs[place - 1] < log:
        nodes[place] = nodes[place - 1]
        logs[place] = logs[place - 1]
        place -= 1
    nodes[place] = node
    logs[place] = log
    return n + 1


@indexed
def _classify(X, row, factor, trees, node, sums):
    # What the classifiers of all children say of a row, their offsets first. Its features and those of the
    # node are in ascending order: the next common one is found by steps that double, then by halving.
    for c in range(sums.shape[0]):
        sums[c] = np.float32(0.0)
    low = trees.feature_starts[node]
    end = trees.feature_starts[node + 1]
    if low < end and trees.features[end - 1] == X.n_columns:
        end -= 1
        for m in range(trees.weight_starts[end], trees.weight_starts[end + 1]):
            sums[trees.children[m]] = trees.weights[m]
    for k in range(X.indptr[row], X.indptr[row + 1]):
        feature = X.indices[k]
        step = 1
        high = low
        while high < end and trees.features[high] < feature:
            low = high + 1
            high += step
            step *= 2
        high = min(high, end)
        while low < high:
            middle = (low + high) // 2
            if trees.features[middle] < feature:
                low = middle + 1
            else:
                high = middle
        if low == end:
            return
        if trees.features[low] == feature:
            value = factor * X.data[k]
            for m in range(trees.weight_starts[low], trees.weight_starts[low + 1]):
                sums[trees.children[m]] += value * trees.weights[m]
            low += 1
