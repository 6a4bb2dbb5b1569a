"""What slopes in the leaves of regression trees gain over means, in forests and in single trees.

`python -m slantwood_bench.scripts.linear_leaves [NAME ...]` fits both to the same folds with the same seeds.
The settings of slopes were chosen on the sets of the parameter study (`--study`) and on the generated
functions of Friedman; by default the other sets of one and of several numbers are measured. Prints R2 of
means, what "linear" and, with `--auto`, "auto" gain over it, and the CPU time of fits beside that of means.
"""

import argparse
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from slantwood import ObliqueForestRegressor, ObliqueTreeRegressor
from slantwood_bench.measures import quality
from slantwood_bench.problems import Problem
from slantwood_bench.scripts.data import read, three_folds
from slantwood_bench.scripts.report import print_environment, print_head, print_row

STUDY = ("cholesterol", "pol", "andro", "atp7d", "wq", "andro:2", "atp7d:0", "wq:0")
OTHERS = (
    *(
        "triazines",
        "cpmp-2015",
        "cpu_small",
        "house_8L",
        "puma8NH",
        "satellite_image",
        "elevators",
        "ailerons",
    ),
    *("slump", "edm", "sf1", "jura", "enb", "atp1d", "oes97", "oes10", "scpf", "rf1", "scm20d"),
)


class Found(NamedTuple):
    """Mean quality over folds, and the CPU seconds of all fits."""

    quality: float
    seconds: float


def measured(problem: Problem, model: Any) -> Found:
    """Return what a model reaches in three folds."""
    qualities, seconds = [], 0.0
    for train, test in three_folds(problem):
        started = time.process_time()
        model.fit(train.X, train.y)
        seconds += time.process_time() - started
        qualities.append(quality(problem.task, test.y, model.predict(test.X)))
    return Found(float(np.mean(qualities)), seconds)


def some_rows(problem: Problem, most: int) -> Problem:
    """Return a problem of at most so many rows, drawn at random."""
    order = np.random.default_rng(0).permutation(problem.n_rows)
    return problem.rows(np.sort(order[:most]))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--study", action="store_true", help="the sets on which settings were chosen")
    parser.add_argument("--auto", action="store_true", help='measure leaves="auto" of forests too')
    parser.add_argument("--trees", type=int, default=20)
    parser.add_argument("--rows", type=int, default=1000, help="rows of a set at the most")
    options = parser.parse_args(arguments)
    names = options.names or (STUDY if options.study else OTHERS)
    print_environment(trees=options.trees, rows=options.rows)
    forests = ("linear", "auto") if options.auto else ("linear",)
    gains = [f"forest, {leaves}" for leaves in forests]
    described = ("set", "rows", "features", "targets")
    print_head([*described, "forest, mean", *gains, "time", "tree, mean", "tree, linear", "time"])
    table = []
    for name in names:
        problem = some_rows(read(name), options.rows)
        forest = {"n_estimators": options.trees, "random_state": 0}
        of_forest = measured(problem, ObliqueForestRegressor(**forest, leaves="mean"))
        sloped = [measured(problem, ObliqueForestRegressor(**forest, leaves=leaves)) for leaves in forests]
        trees = [ObliqueTreeRegressor(random_state=0, leaves=leaves) for leaves in ("mean", "linear")]
        of_tree, sloped_tree = (measured(problem, tree) for tree in trees)
        row = [of_forest.quality, *(each.quality - of_forest.quality for each in sloped)]
        row += [sloped[0].seconds / of_forest.seconds]
        row += [of_tree.quality, sloped_tree.quality - of_tree.quality, sloped_tree.seconds / of_tree.seconds]
        table.append(row)
        print_row([name, problem.n_rows, problem.X.shape[1], problem.n_targets, *row])
    print_row(["mean", "", "", "", *np.mean(table, axis=0).tolist()])
    print_row(["least", "", "", "", *np.min(table, axis=0).tolist()])


if __name__ == "__main__":
    main()
