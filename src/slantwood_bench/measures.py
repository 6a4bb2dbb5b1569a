"""The measure by which the paper judges each task."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import f1_score

from slantwood.metrics import label_ranking_average_precision, macro_f1, mean_r2
from slantwood.task_names import HIERARCHICAL

MEASURES = {
    "regression": "R2",
    "multi-target regression": "R2",
    "binary": "F1",
    "multi-class": "macro F1",
    "multi-label": "LRAP",
    HIERARCHICAL: "weighted LRAP",
}


def quality(task: str, y_true: Any, predicted: Any, hierarchy: Any = None) -> float:
    """Return the measure of a task: 1 at best, and larger is better.

    Parameters
    ----------
    task : str
        One of the six.
    y_true : ndarray or csr_array
        Classes, numbers or labels; of two classes F1 is that of the second.
    predicted : ndarray or csr_array
        Classes or numbers of the same shape, or scores of all labels.
    hierarchy : Hierarchy or None
        That of the labels; one of depth d weighs 0.75^d.
    """
    if task == "binary":
        return float(f1_score(y_true, predicted, pos_label=1, zero_division=0.0))
    if task == "multi-class":
        return macro_f1(y_true, predicted)
    if task == "multi-label":
        return label_ranking_average_precision(y_true, predicted)
    if task == HIERARCHICAL:
        return label_ranking_average_precision(y_true, predicted, label_weights=hierarchy.weights())
    return float(mean_r2(y_true, np.asarray(predicted, np.float64)))
