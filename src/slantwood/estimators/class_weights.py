"""How much a row of labels weighs, where its labels have weights.

A row weighs the mean of the weights of its labels. So an indicator matrix with one label in each row is
weighted just as the same labels given as classes are. A product, which scikit-learn's forests make over
several outputs, would let a row with many rare labels outweigh all others.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.hints import did_you_mean, listed
from slantwood.validation import with_type

BALANCED = "balanced"


def check_label_weights(class_weight: Any, labels: np.ndarray) -> np.ndarray | None:
    """Return one weight for each label; None where they are "balanced", and depend on the rows."""
    if isinstance(class_weight, str):
        if class_weight != BALANCED:
            raise ValueError(f"class_weight={class_weight!r} must be 'balanced', or a weight for each label")
        return None
    if isinstance(class_weight, dict):
        known = set(labels.tolist())
        unknown = next((label for label in class_weight if label not in known), None)
        if unknown is not None:
            label = f"{unknown!r:.60}, which is none of the {len(labels)} labels in classes_"
            hint = did_you_mean(unknown, known, f"these are {listed(labels.tolist())}")
            raise ValueError(f"class_weight has a weight for {label}; {hint}")
        class_weight = [class_weight.get(label, 1.0) for label in labels.tolist()]
    try:
        weights = np.asarray(class_weight, np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"class_weight={with_type(class_weight):.80} must be 'balanced', or one weight for each label"
        ) from error
    if weights.shape != (len(labels),):
        shapes = f"has shape {weights.shape}; expected 'balanced', or ({len(labels)},), one for each label"
        raise ValueError(f"class_weight {shapes}")
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        raise ValueError(f"class_weight holds {weights[wrong][0]}; weights must be finite and not negative")
    return weights


def row_weights_by_label(class_weight: Any, labels: np.ndarray, Y: Any) -> np.ndarray:
    """Return the mean weight of the labels of each row of an indicator; 1 for a row without any.

    Parameters
    ----------
    class_weight : "balanced", dict or sequence
        "balanced" makes weights inverse to how often labels occur: their sum over all labels of all rows is
        as large as without weights, and every label has the same part in it.
    labels : array
        Names of the labels.
    Y : array or CSR array of shape (n_rows, n_labels)
        Zeros and ones, NaN where a label is not known.
    """
    has = sp.csr_array(Y == 1, dtype=np.float64)
    weights = check_label_weights(class_weight, labels)
    if weights is None:
        counts = np.asarray(has.sum(axis=0)).ravel()
        weights = counts.sum() / (np.maximum(counts, 1.0) * max(int((counts > 0).sum()), 1))
    n_labels = np.asarray(has.sum(axis=1)).ravel()
    return np.where(n_labels > 0, has @ weights / np.maximum(n_labels, 1.0), 1.0)
