"""How do the leaves of boosted trees become expected targets, in the nodes of a graph.

As `ensemble.additive` and `Predictor` do it: scores are added up in double precision, the loss says what they
mean, and labels of a hierarchy are made consistent.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.ensemble.additive import Additive
from slantwood.export.nodes import Nodes
from slantwood.losses import Loss
from slantwood.losses.logarithmic import FURTHEST_SCORE
from slantwood.targets.hierarchy import Hierarchy


def add_expected(graph: Nodes, means: str, additive: Additive, n_trees: int, targets: Any) -> str:
    """Add the nodes from mean leaves of boosted trees to what the mean leaves of a forest are."""
    sums = graph.add("Mul", graph.cast(means, np.float64), graph.constant(np.float64(n_trees)))
    scores = graph.add("Add", sums, graph.constant(additive.start, "start"))
    expected = graph.cast(_add_link(graph, scores, additive.loss), np.float32)
    if targets.hierarchy is not None:
        return _add_consistency(graph, expected, targets.hierarchy)
    return expected


def _add_link(graph: Nodes, scores: str, loss: Loss) -> str:
    if loss.link == "log":
        scores = graph.add("Max", scores, graph.constant(-FURTHEST_SCORE))
        return graph.add("Exp", graph.add("Min", scores, graph.constant(FURTHEST_SCORE)))
    if loss.link == "logit":
        # 1 / (1 + exp(-score)): not every runtime has Sigmoid in double precision.
        one = graph.constant(1.0)
        return graph.add("Div", one, graph.add("Add", one, graph.add("Exp", graph.add("Neg", scores))))
    if loss.link == "softmax":
        return graph.add("Softmax", scores, axis=1)
    return scores


def _add_consistency(graph: Nodes, expected: str, hierarchy: Hierarchy) -> str:
    """Raise each label to the largest of those below it.

    For each label there is a list of those below it, itself included, one list after the other. The larger of
    each pair of neighbours in a list goes on, until every list is down to one.
    """
    below = sp.csr_array(hierarchy._ancestors.T) + sp.eye_array(len(hierarchy), format="csr")
    by_label = graph.add("Transpose", expected, perm=[1, 0])
    values = graph.add("Gather", by_label, graph.constant(below.indices.astype(np.int64)))
    lengths = np.diff(below.indptr).astype(np.int64)
    while lengths.max(initial=1) > 1:
        stops = np.cumsum(lengths)
        n_pairs = -(-lengths // 2)
        place = np.arange(n_pairs.sum()) - np.repeat(np.cumsum(n_pairs) - n_pairs, n_pairs)
        first = np.repeat(stops - lengths, n_pairs) + 2 * place
        second = np.minimum(first + 1, np.repeat(stops - 1, n_pairs))  # itself where it has no neighbour
        pair = (graph.add("Gather", values, graph.constant(each)) for each in (first, second))
        values, lengths = graph.add("Max", *pair), n_pairs
    return graph.add("Transpose", values, perm=[1, 0])
