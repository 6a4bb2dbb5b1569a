"""Measures as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slantwood.cli.console import print_table, say

if TYPE_CHECKING:
    from slantwood.cli.scores import Scores

_NAMES = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "f1": "F1",
    "micro_f1": "micro F1",
    "macro_f1": "macro F1",
    "auc": "AUC",
    "log_loss": "log loss",
    "lrap": "LRAP",
    "hamming_loss": "Hamming loss",
    "subset_accuracy": "subset accuracy",
    "coverage": "coverage",
    "pooled_auprc": "pooled AUPRC",
    "average_auprc": "average AUPRC",
    "weighted_average_auprc": "weighted average AUPRC",
    "weighted_lrap": "weighted LRAP",
    "hierarchical_precision": "hierarchical precision",
    "hierarchical_recall": "hierarchical recall",
    "hierarchical_f1": "hierarchical F1",
    "r2": "R2",
    "mean_r2": "mean R2",
    "rmse": "RMSE",
    "mae": "MAE",
    "rrmse": "RRMSE",
    "arrmse": "aRRMSE",
    "precision_at_1": "precision at 1",
    "precision_at_3": "precision at 3",
    "precision_at_5": "precision at 5",
    "auprc": "AUPRC",
}


def measure_name(measure: str) -> str:
    """Return a measure's name as it is printed."""
    return _NAMES.get(measure, measure)


def print_scores(scores: Scores, *, per_target: bool = False) -> None:
    """Print the measures of all targets together and, if asked for, those of each."""
    if scores.positive is not None:
        say(f"F1 and AUC are of class {scores.positive!r}.")
    print_table(["measure", "value"], [[measure_name(name), v] for name, v in scores.together.items()])
    if not per_target:
        return
    if not scores.each:
        say("This task has no measures by target.")
        return
    measures = list(next(iter(scores.each.values())))
    print_table(
        ["target", *map(measure_name, measures)],
        [[name, *(one[m] for m in measures)] for name, one in scores.each.items()],
    )


def mean_and_deviation(values: list[float]) -> tuple[float, float]:
    """Return the mean over folds, and the standard deviation between them."""
    import numpy as np

    array = np.array(values, np.float64)
    return float(array.mean()), float(array.std(ddof=1)) if len(array) > 1 else float("nan")
