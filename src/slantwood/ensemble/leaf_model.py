"""Whether slopes beside the means of leaves predict better, by rows that trees did not see.

Every slope was told by left-out rows of its node. That the nodes themselves were made to fit these rows, they
cannot tell: small forests, each grown without a part of the rows, do so for the forest as a whole.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from slantwood.ensemble.leaf_size import n_parts
from slantwood.ensemble.losses import RowLosses
from slantwood.ensemble.spec import AUTO, ForestSpec
from slantwood.ensemble.training_data import TrainingData
from slantwood.ensemble.unseen import grown_without, loss_of_many_trees
from slantwood.messages import say

_TREES = 4  # of a part


def leaf_model(data: TrainingData, spec: ForestSpec, rows: np.ndarray) -> dict[str, Any]:
    """Return that leaves are means, where that was left open and slopes are no better.

    Parameters
    ----------
    data : TrainingData
        All rows.
    spec : ForestSpec
        What is asked for.
    rows : array of int
        Rows to find out with, in random order.
    """
    if spec.leaves != AUTO:
        return {}
    losses = RowLosses(data.targets, data.Y[rows], data.row_weights[rows], spec.target_weights)
    errors = np.zeros(2)  # of means, and with slopes
    for part in range(n_parts(len(rows))):
        held_out = np.sort(rows[part :: n_parts(len(rows))])
        inner = spec.for_inner_fit(_TREES, spec.seed + part, spec.tuned or {})
        unseen = grown_without(data, replace(inner, leaves="linear"), rows, held_out)
        predictor, weights = unseen.predictor, data.row_weights[held_out]
        means = replace(predictor, forest=replace(predictor.forest, slopes=None))
        for place, each in enumerate((means, predictor)):
            said = each.tree_values(data.X[held_out], unseen.leaves)
            found = [said.mean(axis=1), said[:, ::2].mean(axis=1), said[:, 1::2].mean(axis=1)]
            errors[place] += weights @ loss_of_many_trees(losses.squared, unseen.Y, found, said.shape[1])
    chosen = "linear" if errors[1] < errors[0] else "mean"
    if spec.verbose > 0:
        mean, linear = errors / data.row_weights[rows].sum()
        shown = f"mean: {mean:.4g}, linear: {linear:.4g}"
        say(f"squared error of unseen rows by leaves: {shown}; chosen: {chosen}")
    return {} if chosen == "linear" else {"leaves": "mean"}
