"""What the speed comparison fits and how it judges the result: a data set, cut in two, and its measure.

Nothing here knows a model or a clock.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import f1_score
from sklearn.model_selection import KFold

from slantwood.metrics import label_ranking_average_precision, macro_f1, mean_r2, precision_at_k
from slantwood_bench.scripts import datasets

DEFAULT_NAMES = ("emotions", "scene", "bibtex", "corel5k", "delicious", "eurlex-eurovoc", "enb", "digits")

# With more labels than this only the head of a ranking matters to anyone, and P@k is what others report.
MANY_LABELS = 1000


@dataclass(frozen=True)
class Problem:
    """Training and test part of a data set; `task` is one of `slantwood_bench.scripts.datasets.TASKS`."""

    name: str
    task: str
    X: Any
    y: Any
    X_test: Any
    y_test: Any

    @property
    def n_columns(self) -> int:
        """Number of labels or numbers to predict; 1 for classes."""
        return 1 if self.y.ndim == 1 else self.y.shape[1]


def names() -> list[str]:
    """Names that `load` knows."""
    return [*datasets.names(), "digits"]


def load(name: str) -> Problem:
    """Read one of the `names()` and cut it: as officially where that is usual, else a third for testing."""
    if name == "digits":
        X, y = load_digits(return_X_y=True)
        return cut(name, "mcc", X.astype(np.float32), y)
    data = datasets.load(name)
    if data.X_test is not None:
        return Problem(name, data.task, data.X, data.y, data.X_test, data.y_test)
    return cut(name, data.task, data.X, data.y)


def cut(name: str, task: str, X: Any, y: Any) -> Problem:
    """Make a problem of the first of three shuffled folds."""
    train, test = next(KFold(3, shuffle=True, random_state=1).split(X))
    return Problem(name, task, X[train], y[train], X[test], y[test])


def quality(problem: Problem, scores: Any) -> dict[str, float]:
    """Judge what a model says of the test rows.

    Parameters
    ----------
    problem : Problem
        Its test targets are the truth.
    scores : array or sparse matrix
        A score for each label (mlc), classes (bin, mcc), or numbers (str, mtr).

    Returns
    -------
    dict of str to float
        For labels LRAP, or P@1, P@3 and P@5 where they are many; for classes macro F1, or with two of them
        the F1 of the one that is rarer in training; for numbers R2, averaged over the targets.
    """
    match problem.task:
        case "mlc" if problem.n_columns > MANY_LABELS:
            at = (1, 3, 5)
            values = precision_at_k(problem.y_test, scores, k=at)
            return {f"P@{k}": float(value) for k, value in zip(at, values, strict=True)}
        case "mlc":
            return {"LRAP": label_ranking_average_precision(problem.y_test, scores)}
        case "mcc":
            return {"macro F1": macro_f1(problem.y_test, scores)}
        case "bin":
            classes, counts = np.unique(problem.y, return_counts=True)
            return {"F1": float(f1_score(problem.y_test, scores, pos_label=classes[np.argmin(counts)]))}
        case _:
            return {"R2": mean_r2(problem.y_test, scores)}
