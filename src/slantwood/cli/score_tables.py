"""Measures as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slantwood.cli.console import print_table, say
from slantwood.evaluation.measure_names import measure_name

if TYPE_CHECKING:
    from slantwood.evaluation.scores import Scores


def print_scores(scores: Scores, *, per_target: bool = False) -> None:
    """Print the measures of all targets together and, if asked for, those of each."""
    if scores.positive is not None:
        of_one = "Precision, recall, F1, AUC and AUPRC" if "precision" in scores.together else "F1 and AUC"
        say(f"{of_one} are of class {scores.positive!r}.")
    print_table(["measure", "value"], [[measure_name(name), v] for name, v in scores.together.items()])
    if not per_target:
        return
    if not scores.each:
        say("This task has no measures by target.")
        return
    measures = list(dict.fromkeys(measure for one in scores.each.values() for measure in one))
    print_table(
        ["target", *map(measure_name, measures)],
        # Of classes beside numbers, each has measures that the other has not.
        [[name, *(one.get(m, "") for m in measures)] for name, one in scores.each.items()],
    )


def mean_and_deviation(values: list[float]) -> tuple[float, float]:
    """Return the mean over folds, and the standard deviation between them."""
    import numpy as np

    array = np.array(values, np.float64)
    return float(array.mean()), float(array.std(ddof=1)) if len(array) > 1 else float("nan")
