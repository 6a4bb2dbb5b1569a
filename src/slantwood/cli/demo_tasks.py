"""The five tasks of `slantwood demo`: their data, the two forests, and one timed run.

Prints nothing. The data sets come with scikit-learn or are drawn by it from a fixed seed.
"""

import time
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    make_multilabel_classification,
    make_regression,
)
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split

from slantwood import ObliqueForestClassifier, ObliqueForestRegressor
from slantwood.metrics import label_ranking_average_precision, macro_f1, mean_r2

_DATA_SEED = 0


def _label_probabilities(forest: Any, X: np.ndarray) -> np.ndarray:
    """Return one column for each label; scikit-learn's forest has a pair of columns for each."""
    probabilities = forest.predict_proba(X)
    if isinstance(probabilities, list):
        return np.column_stack([pair[:, 1] for pair in probabilities])
    return probabilities


@dataclass(frozen=True)
class Task:
    """One row of the demo's table, with the data behind it."""

    name: str
    data: str
    measure: str
    score: Callable[[Any, Any], float]
    X: np.ndarray
    y: np.ndarray
    _: KW_ONLY
    has_classes: bool = True
    predicts: Callable[[Any, np.ndarray], np.ndarray] = lambda forest, X: forest.predict(X)


class Result(NamedTuple):
    """Score on the test rows, and the seconds that fit and predict took."""

    score: float
    seconds: float


def make_tasks() -> list[Task]:
    """Return the tasks, in the order of the table."""
    lrap = label_ranking_average_precision
    return [
        Task("binary", "breast cancer", "F1", f1_score, *load_breast_cancer(return_X_y=True)),
        Task("multi-class", "digits", "macro F1", macro_f1, *load_digits(return_X_y=True)),
        Task("multi-label", "made, 12 labels", "LRAP", lrap, *labelled_rows(), predicts=_label_probabilities),
        Task("regression", "diabetes", "R2", mean_r2, *load_diabetes(return_X_y=True), has_classes=False),
        Task("multi-target", "made, 6 targets", "mean R2", mean_r2, *bent_planes(), has_classes=False),
    ]


def oblique_forest(task: Task, trees: int, n_jobs: int, seed: int) -> Any:
    """Make slantwood's forest for a task, with its defaults."""
    forest = ObliqueForestClassifier if task.has_classes else ObliqueForestRegressor
    return forest(n_estimators=trees, n_jobs=n_jobs, random_state=seed)


def random_forest(task: Task, trees: int, n_jobs: int, seed: int) -> Any:
    """Make scikit-learn's forest for a task, with its defaults ("sqrt" features for classes)."""
    forest = RandomForestClassifier if task.has_classes else RandomForestRegressor
    return forest(n_estimators=trees, n_jobs=n_jobs, random_state=seed)


def run(task: Task, forest: Any, seed: int) -> Result:
    """Fit on two thirds of the rows, predict the rest, and score that."""
    X, X_test, y, y_test = train_test_split(task.X, task.y, test_size=1 / 3, random_state=seed)
    started = time.perf_counter()
    predicted = task.predicts(forest.fit(X, y), X_test)
    seconds = time.perf_counter() - started
    return Result(float(task.score(y_test, predicted)), seconds)


def warm_up(tasks: list[Task], n_jobs: int) -> None:
    """Fit both forests with two trees to each task, so that no run pays for compiling or loading code."""
    for task in tasks:
        for make_forest in (oblique_forest, random_forest):
            run(task, make_forest(task, 2, n_jobs, 0), 0)


def labelled_rows() -> tuple[np.ndarray, np.ndarray]:
    """Draw rows with 12 labels."""
    return make_multilabel_classification(
        n_samples=2000, n_features=60, n_classes=12, n_labels=3, random_state=_DATA_SEED
    )


def bent_planes() -> tuple[np.ndarray, np.ndarray]:
    """Targets that are waves over linear combinations of the features, so that no plane fits them."""
    X, Y = make_regression(
        n_samples=1500, n_features=20, n_informative=10, n_targets=6, random_state=_DATA_SEED
    )
    Y = Y / Y.std(axis=0)
    noise = np.random.default_rng(_DATA_SEED).normal(scale=0.3, size=Y.shape)
    return X, Y + np.sin(2 * Y) + noise
