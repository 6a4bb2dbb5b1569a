"""Both split learners as a tree, as bagged trees and as random forests: quality, size and time.

`python -m slantwood_bench.scripts.splits` fits one data set per task; `--subspaces` compares random forests
with bagging on data sets of many labels, of few non-zeros and of many 0/1 columns. Prints tables in Markdown,
averaged over three folds; `docs/splits.md` holds their output.
"""

import argparse
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from slantwood_bench.methods.oblique import estimator
from slantwood_bench.problems import Problem
from slantwood_bench.scripts.data import read, three_folds
from slantwood_bench.scripts.quality import judged
from slantwood_bench.scripts.report import print_environment, print_head, print_row

ONE_PER_TASK = ("spambase", "mfeat-pixel", "scene", "cpu_small", "jura")
# Labels, then mostly zeros, then nominal inputs as 0/1 columns.
SUBSPACES = {
    "labels": ("emotions", "scene", "birds"),
    "sparse": ("enron-flat", "corel5k", "bibtex", "micro-mass"),
    "0/1 columns": ("credit-approval", "flags", "sf1", "cholesterol"),
}
FORESTS: dict[str, dict[str, Any]] = {
    "bagging": {"bootstrap": True, "max_features": None},
    "random forest, half": {"bootstrap": True, "max_features": 0.5},
    "random forest, sqrt": {"bootstrap": True, "max_features": "sqrt"},
}


def fitted_and_judged(make: Any, problem: Problem) -> tuple[float, float, float]:
    """Quality, nodes per tree and seconds of fitting, averaged over three folds."""
    found = []
    for train, test in three_folds(problem):
        model = make(problem.task)
        started = time.perf_counter()
        model.fit(train.X, train.y)
        seconds = time.perf_counter() - started
        n_nodes = len(model.trees_.left) / model.trees_.n_trees
        found.append((judged(model, test), n_nodes, seconds))
    quality, nodes, seconds = np.mean(found, axis=0)
    return float(quality), float(nodes), float(seconds)


def tree(split: str) -> Any:
    """Return a maker of single trees."""

    def make(task: str) -> Any:
        return estimator(task, "Tree")(split=split, random_state=0)

    return make


def forest(split: str, n_trees: int, n_jobs: int, **changes: Any) -> Any:
    """Return a maker of forests with the given parameters, the others at their defaults."""

    def make(task: str) -> Any:
        given = {"n_estimators": n_trees, "n_jobs": n_jobs, "random_state": 0, "split": split}
        return estimator(task)(**given, **changes)

    return make


def _warm_up(n_jobs: int) -> None:
    # Compiling is not what is measured.
    X = np.random.default_rng(0).normal(size=(40, 3))
    for split in ("gradient", "svm"):
        forest(split, 2, n_jobs)("regression").fit(X, X[:, 0]).predict(X)


def _one_per_task(names: Sequence[str], n_trees: int, n_jobs: int) -> None:
    print_head(["data", "task", "split", "ensemble", "quality", "nodes per tree", "seconds"])
    for name in names:
        problem = read(name)
        for split in ("gradient", "svm"):
            makers = {"tree": tree(split), "default forest": forest(split, n_trees, n_jobs)}
            makers |= {kind: forest(split, n_trees, n_jobs, **how) for kind, how in FORESTS.items()}
            for kind, make in makers.items():
                quality, nodes, seconds = fitted_and_judged(make, problem)
                print_row([name, problem.task, split, kind, quality, round(nodes), f"{seconds:.2f}"])


def _subspaces(n_trees: int, n_jobs: int) -> None:
    print_head(["kind", "data", "split", *(f"{kind}: quality, seconds" for kind in FORESTS)])
    for split in ("gradient", "svm"):
        all_found = []
        for kind, names in SUBSPACES.items():
            for name in names:
                problem = read(name)
                found = [
                    fitted_and_judged(forest(split, n_trees, n_jobs, **how), problem)
                    for how in FORESTS.values()
                ]
                all_found.append([(quality, seconds) for quality, _, seconds in found])
                print_row([kind, name, split, *(f"{q:.4f}, {seconds:.2f} s" for q, _, seconds in found)])
        means = np.array(all_found)
        ratios = np.exp(np.log(means[:, :, 1] / means[:, :1, 1]).mean(axis=0))
        shown = (
            f"{quality:.4f}, {ratio:.2f} of bagging's time"
            for quality, ratio in zip(means[:, :, 0].mean(axis=0), ratios, strict=True)
        )
        print_row(["mean", "", split, *shown])


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="data sets of the first table")
    parser.add_argument("--subspaces", action="store_true", help="random forests against bagging")
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args(arguments)
    print_environment(trees=options.trees, jobs=options.jobs)
    _warm_up(options.jobs)
    if options.subspaces:
        _subspaces(options.trees, options.jobs)
    else:
        _one_per_task(options.names or ONE_PER_TASK, options.trees, options.jobs)


if __name__ == "__main__":
    main()
