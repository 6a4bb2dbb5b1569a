"""How much classes weigh, and how much a row of labels does.

Classes weigh what the user gives, or so much that all have the same part. In a forest this weight is for
their probabilities (`ClassTargets.weights`), and in a single tree, which has nothing to average, for rows.

Of labels, a row weighs the mean of the weights of its labels. So the rows of an indicator matrix with one
label in each weigh what those of the same classes would. A product, which scikit-learn's forests make over
several outputs, would let a row with many rare labels outweigh all others.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import compute_sample_weight

from slantwood.hints import did_you_mean, listed
from slantwood.targets.classes import LEAST_WEIGHT, MOST_WEIGHT
from slantwood.validation import with_type

BALANCED = "balanced"


def for_classes_of(y: np.ndarray, class_weight: Any) -> Any:
    """Return weights that name just the classes of y: rows that are added to others may lack some.

    Parameters
    ----------
    y : array of shape (n_rows,)
        Classes, all of them known.
    class_weight : "balanced", dict or None
        Weights of more classes, or of fewer; those left out have weight 1.
    """
    if not isinstance(class_weight, dict):
        return class_weight
    return {each: class_weight.get(each, 1.0) for each in np.unique(y).tolist()}


def weights_of_classes(class_weight: Any, y: np.ndarray, row_weights: np.ndarray) -> np.ndarray:
    """Return the weight of the class of each row.

    Parameters
    ----------
    class_weight : "balanced" or dict
        "balanced" makes weights inverse to how often classes occur, where a row of weight 2 is as two.
    y : array of shape (n_rows,)
        Classes, all of them known.
    row_weights : array of shape (n_rows,)
        Weights of the rows.
    """
    if isinstance(class_weight, str) and class_weight == BALANCED:
        codes = np.unique(y, return_inverse=True)[1]
        totals = np.bincount(codes, weights=row_weights)
        some = totals > 0
        return (row_weights.sum() / (max(some.sum(), 1) * np.where(some, totals, 1.0)))[codes]
    check_class_weight(class_weight)
    weights = compute_sample_weight(class_weight, y)
    wrong = ~((weights == 0) | ((weights >= LEAST_WEIGHT) & (weights <= MOST_WEIGHT)))
    if wrong.any():
        raise ValueError(
            f"class_weight has the weight {weights[wrong][0]} for class {y[wrong][0]!r:.60}; give 0, or a "
            f"number between {LEAST_WEIGHT:g} and {MOST_WEIGHT:g}"
        )
    return weights


def check_class_weight(class_weight: Any, name: str = "class_weight") -> None:
    """Refuse what says no weights of the classes of one target, under the name of the parameter."""
    if isinstance(class_weight, dict) or (isinstance(class_weight, str) and class_weight == BALANCED):
        return
    remedy = "give 'balanced', a dict with the weight of each class, or None"
    if isinstance(class_weight, str):
        raise ValueError(f"{name}={class_weight!r:.60} is no weight of classes; {remedy}")
    raise TypeError(f"{name}={with_type(class_weight):.80} is no weight of classes; {remedy}")


def with_class_weights(row_weights: np.ndarray, of_classes: np.ndarray) -> np.ndarray:
    """Return row weights times those of classes, in single precision: a common factor leaves no trace."""
    weights = row_weights * of_classes
    total = weights.sum()
    if not total > 0:
        return weights
    scaled = weights * (row_weights[weights > 0].sum() / total)
    return scaled.astype(np.float32).astype(np.float64)


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
