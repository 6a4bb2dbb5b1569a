"""Axis-parallel forests beside scikit-learn's, with the same parameters: quality, size and time.

`python -m slantwood_bench.scripts.axis_parallel`. Random forests beside `RandomForestRegressor` and extremely
randomised trees beside `ExtraTreesRegressor`, which are given classes and labels as 0/1 columns, and numbers
of variance 1, as predictive clustering trees see them. One thread each; both are fitted in turns, and the
least times count. Quality and nodes are averages over three folds. `docs/splits.md` holds the table.
"""

import argparse
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor

from slantwood import AxisParallelSplit
from slantwood.task_names import NUMBER_TASKS
from slantwood_bench.methods.base import dense
from slantwood_bench.methods.oblique import estimator
from slantwood_bench.scripts.data import read, three_folds
from slantwood_bench.scripts.quality import judged
from slantwood_bench.scripts.report import print_environment, print_head, print_row

NAMES = (
    *("spambase", "mfeat-pixel", "gesture", "scene"),
    *("cpu_small", "pol", "jura", "wq"),
)
PEERS = {"best": RandomForestRegressor, "random": ExtraTreesRegressor}


class OnColumns:
    """A regressor of scikit-learn on targets as columns, which predicts what y has."""

    def __init__(self, task: str, regressor: Any) -> None:
        self.task, self.regressor = task, regressor

    def fit(self, X: Any, y: Any) -> "OnColumns":
        """Fit on 0/1 columns, or on numbers of variance 1."""
        y = dense(y)
        self.mean, self.scale = 0.0, 1.0
        if self.task in NUMBER_TASKS:
            self.mean, self.scale = y.mean(axis=0), y.std(axis=0)
            y = (y - self.mean) / self.scale
        elif y.ndim == 1:
            self.classes = np.unique(y)
            columns = self.classes[-1:] if len(self.classes) == 2 else self.classes
            y = (y[:, None] == columns) * 1.0
        self.regressor.fit(X, y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the means of the columns."""
        return np.asarray(self.regressor.predict(X))

    def predict(self, X: Any) -> np.ndarray:
        """Return numbers, or the likeliest class."""
        found = self.predict_proba(X)
        if self.task in NUMBER_TASKS:
            return found * self.scale + self.mean
        return self.classes[(found > 0.5).astype(int) if found.ndim == 1 else found.argmax(axis=1)]


def ours(task: str, thresholds: Any, n_trees: int, max_features: Any) -> Any:
    """Make a forest of axis-parallel trees with the parameters of scikit-learn's."""
    return estimator(task)(
        n_estimators=n_trees,
        split=AxisParallelSplit(thresholds=thresholds),
        max_features=max_features,
        bootstrap=thresholds == "best",
        min_samples_split=2,
        min_impurity_decrease=0.0,
        normalize_rows=False,
        random_state=0,
    )


def theirs(task: str, thresholds: Any, n_trees: int, max_features: Any) -> Any:
    """Make scikit-learn's forest."""
    return OnColumns(task, PEERS[thresholds](n_trees, max_features=max_features, random_state=0))


def compared(name: str, thresholds: Any, n_trees: int, max_features: Any) -> list[Any]:
    """One row: quality, nodes per tree and seconds of both, and the ratio of the times."""
    problem = read(name)
    if max_features == "sqrt":
        max_features = int(np.sqrt(problem.X.shape[1]))  # which scikit-learn rounds down, and slantwood up
    found = []
    for train, test in three_folds(problem):
        models = [make(problem.task, thresholds, n_trees, max_features) for make in (ours, theirs)]
        times: list[list[float]] = [[], []]
        for _ in range(2):
            for model, taken in zip(models, times, strict=True):
                started = time.perf_counter()
                model.fit(train.X, train.y)
                taken.append(time.perf_counter() - started)
        nodes = len(models[0].trees_.left) / n_trees
        their_nodes = np.mean([tree.tree_.node_count for tree in models[1].regressor.estimators_])
        qualities = [judged(model, test) for model in models]
        found.append([*qualities, nodes, their_nodes, *map(min, times)])
    mean = np.mean(found, axis=0)
    return [
        *(f"{quality:.3f}" for quality in mean[:2]),
        *(f"{size:.0f}" for size in mean[2:4]),
        *(f"{seconds:.2f}" for seconds in mean[4:]),
        f"{mean[4] / mean[5]:.2f}",
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--trees", type=int, default=20)
    options = parser.parse_args(arguments)
    print_environment(trees=options.trees, jobs=1)
    X = np.random.default_rng(0).normal(size=(40, 3))
    ours("regression", "best", 1, None).fit(X, X[:, 0])  # compiling is not what is measured
    columns = ["quality", "scikit-learn's", "nodes", "scikit-learn's", "seconds", "scikit-learn's", "ratio"]
    print_head(["data", "thresholds", "max_features", *columns])
    for name in options.names:
        for thresholds in PEERS:
            for max_features in ("sqrt", None):
                row = compared(name, thresholds, options.trees, max_features)
                print_row([name, thresholds, max_features, *row])


if __name__ == "__main__":
    main()
