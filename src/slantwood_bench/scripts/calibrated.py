"""Whether calibrated probabilities are met in rows that no model saw, beside those of the model itself.

`python -m slantwood_bench.scripts.calibrated [NAMES]`. A forest is fitted on two thirds of the rows, drawn at
random, calibrated on the same rows out of bag, and asked about the others. Where there is one class per row,
and each class has five rows, scikit-learn's `CalibratedClassifierCV` stands beside it, which fits five more
forests. `--study` takes the sets of the parameter study, on which the form of the maps was chosen.
"""

import argparse
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.calibration import CalibratedClassifierCV

from slantwood import ObliqueForestClassifier
from slantwood.explain import Calibration, calibrated
from slantwood.task_names import CLASS_TASKS
from slantwood_bench.problems import Problem
from slantwood_bench.scripts.coverage import drawn
from slantwood_bench.scripts.data import read
from slantwood_bench.scripts.report import print_environment, print_head, print_row

SETS = (
    "banknote",
    "credit-approval",
    "diabetes",
    "spambase",
    "balance",
    "isolet",
    "mfeat-pixel",
    "wine-white",
    "emotions",
    "enron-flat",
    "scene",
    "bibtex",
    "enron",
    "imclef07d",
)
STUDY = (
    "transfusion",
    "arrhythmia",
    "energy_efficiency",
    "gesture",
    "birds",
    "mediamill",
    "delicious",
    "imclef07a",
    "yeast_seq_FUN",
)
# A probability of 0 that comes true would make the log loss infinite.
LEAST = 1e-3
FOLDS = 5  # of scikit-learn


class Loss(NamedTuple):
    """How probabilities compare with what came true; means over rows and classes or labels."""

    brier: float
    log_loss: float
    error: float  # expected calibration error


def loss_of(probabilities: np.ndarray, truth: np.ndarray) -> Loss:
    """Return the losses of probabilities of classes or labels, given an indicator of these."""
    p = np.clip(probabilities.astype(np.float64), 0.0, 1.0)
    found = Calibration.from_probabilities(p, truth)
    q = np.clip(np.where(truth == 1, p, 1.0 - p), LEAST, 1.0)
    return Loss(found.brier, float(-np.log(q).mean()), found.expected_error)


def indicator_of(problem: Problem, classes: Any) -> np.ndarray:
    """Return the classes or labels of rows as zeros and ones."""
    if problem.task in CLASS_TASKS:
        return np.asarray(np.asarray(problem.y)[:, None] == classes, np.float64)
    return np.asarray(problem.y.toarray() if sp.issparse(problem.y) else problem.y, np.float64)


def measured(problem: Problem, n_trees: int, seed: int, most_rows: int) -> list[Loss]:
    """Return the losses of a forest, of its calibrated form and, where it applies, of scikit-learn's."""
    train, test = drawn(problem, seed, most_rows)
    options: dict[str, Any] = {"n_estimators": n_trees, "bootstrap": True, "random_state": seed}
    model = ObliqueForestClassifier(**options, hierarchy=problem.hierarchy).fit(train.X, train.y)
    sure = calibrated(model, train.X, train.y)
    truth = indicator_of(test, model.classes_)
    found = [loss_of(each.predict_proba(test.X), truth) for each in (model, sure)]
    if problem.task in CLASS_TASKS and min(np.unique(train.y, return_counts=True)[1]) >= FOLDS:
        other = CalibratedClassifierCV(ObliqueForestClassifier(**options), cv=FOLDS, ensemble=False)
        found.append(loss_of(other.fit(train.X, train.y).predict_proba(test.X), truth))
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="data sets of classes or labels; by default fourteen")
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--splits", type=int, default=5, help="draws of the rows")
    parser.add_argument("--rows", type=int, default=2000, help="at most so many rows of each draw")
    parser.add_argument("--study", action="store_true", help="the sets of the parameter study")
    options = parser.parse_args(arguments)
    print_environment(trees=options.trees, splits=options.splits, rows=options.rows)
    print_head(["data", "task", "rows", "Brier score", "log loss", "calibration error"])
    for name in options.names or (STUDY if options.study else SETS):
        problem = read(name)
        draws = [measured(problem, options.trees, seed, options.rows) for seed in range(options.splits)]
        width = min(len(draw) for draw in draws)
        means = np.mean([draw[:width] for draw in draws], axis=0)
        cells = [", ".join(f"{value:.3g}" for value in column) for column in means.T]
        print_row([name, problem.task, min(problem.n_rows, options.rows), *cells])


if __name__ == "__main__":
    main()
