"""The measures of a task that are printed only if asked for: all that Mulan, CLUS or scikit-learn have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood import metrics

_OF_DECIDED = (
    "hamming_loss",
    "subset_accuracy",
    "example_precision",
    "example_recall",
    "example_f1",
    "example_accuracy",
    "micro_precision",
    "micro_recall",
    "micro_f1",
    "macro_precision",
    "macro_recall",
    "macro_f1",
)
_OF_SCORES = (
    "one_error",
    "coverage",
    "ranking_loss",
    "average_auroc",
    "pooled_auroc",
    "average_auprc",
    "pooled_auprc",
)


def of_labels(true: sp.csr_array, decided: Any, scores: Any) -> dict[str, float]:
    """Return all measures of label sets and of rankings of labels."""
    found = {name: getattr(metrics, name)(true, decided) for name in _OF_DECIDED}
    found["lrap"] = metrics.label_ranking_average_precision(true, scores)
    found |= {name: _or_nan(getattr(metrics, name), true, scores) for name in _OF_SCORES}
    for k in (1, 3, 5):
        if k <= true.shape[1]:
            found[f"precision_at_{k}"] = metrics.precision_at_k(true, scores, k)
            found[f"ndcg_at_{k}"] = metrics.ndcg_at_k(true, scores, k)
    return found


def of_each_label(true: sp.csr_array, scores: Any) -> dict[str, np.ndarray]:
    """Return the areas under the curves of each label."""
    return {"auroc": metrics.label_auroc(true, scores), "auprc": metrics.label_auprc(true, scores)}


def of_classes(
    y: np.ndarray, predicted: np.ndarray, probabilities: np.ndarray, classes: np.ndarray
) -> dict[str, float]:
    """Return the measures of classes beside the usual ones; of two, those of the second."""
    from sklearn.metrics import matthews_corrcoef

    true = class_indicator(y, classes)
    decided = class_indicator(predicted, classes)
    found = {"matthews_correlation": float(matthews_corrcoef(y, predicted))}
    # As many as the model knows: half the squared distance of two classes is the usual Brier score.
    distance = (probabilities - true.toarray()) ** 2
    found["brier_score"] = float(distance.sum(axis=1).mean()) / (2.0 if len(classes) == 2 else 1.0)
    if len(classes) != 2:
        for name in ("macro_precision", "macro_recall"):
            # Classes that occur in neither have no part, as in the usual macro F1.
            found[name] = getattr(metrics, name)(true, decided, absent=np.nan)
        for name in ("average_auroc", "average_auprc"):
            found[name] = _or_nan(getattr(metrics, name), true, probabilities)
        return found
    second, said, score = true[:, [1]], decided[:, [1]], probabilities[:, [1]]
    found["precision"] = metrics.micro_precision(second, said)
    found["recall"] = metrics.micro_recall(second, said)
    # Over the classes that occur, as for more than two.
    found["balanced_accuracy"] = metrics.macro_recall(true[:, _columns(true)], decided[:, _columns(true)])
    found["auprc"] = _or_nan(metrics.pooled_auprc, second, score)
    return found


def class_indicator(y: np.ndarray, classes: np.ndarray) -> sp.csr_array:
    """Return a column for each class that the model knows; others leave a row empty."""
    return sp.csr_array(y[:, None] == classes, dtype=np.float64)


def _columns(true: sp.csr_array) -> np.ndarray:
    return np.unique(true.indices)


def _or_nan(measure: Callable[[Any, Any], float], true: sp.csr_array, scores: Any) -> float:
    """Return the measure, NaN where no row has a label: areas under precision-recall are then undefined."""
    return float(measure(true, scores)) if true.nnz else float("nan")
