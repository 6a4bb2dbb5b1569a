"""How much of the truth conformal intervals and sets hold, at 90 %, in rows that no model saw.

`python -m slantwood_bench.scripts.coverage [NAMES]`. A forest is fitted on two thirds of the rows, drawn at
random, calibrated on the same rows out of bag, and asked about the others. The aim is a coverage within 1.5
points of 90 % on average over the draws; ± is the standard error of this mean. `--mapie` adds the intervals
of one number that MAPIE makes of the same forest, which it fits five times more.
"""

import argparse
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from slantwood import ObliqueForestClassifier, ObliqueForestRegressor
from slantwood.data import datasets
from slantwood.explain import conformal
from slantwood.task_names import HIERARCHICAL, LABEL_TASKS, NUMBER_TASKS
from slantwood_bench.problems import Problem
from slantwood_bench.scripts.data import read
from slantwood_bench.scripts.report import print_environment, print_head, print_row

COVERAGE, AIM = 0.9, 0.015
FEWEST_ROWS = 500


class Beside(NamedTuple):
    """Coverage and size of the intervals of MAPIE."""

    share: float
    size: float


class Found(NamedTuple):
    """Coverage and size of one draw of the rows."""

    share: float  # of several numbers the mean over the targets
    joint: float
    size: float  # width in deviations of the target, or number of members
    joint_size: float


def names_of_sets() -> list[str]:
    """Return the sets that are there, of all tasks without a hierarchy, with enough rows."""
    there = [each for each in datasets() if each.copy is not None and each.copy.size.N >= FEWEST_ROWS]
    return [each.name for each in there if each.dataset.task != HIERARCHICAL]


def drawn(problem: Problem, seed: int, most_rows: int) -> tuple[Problem, Problem]:
    """Return two thirds of at most so many rows, drawn at random, and the others."""
    rows = np.random.default_rng(seed).permutation(problem.n_rows)[:most_rows]
    return problem.rows(rows[len(rows) // 3 :]), problem.rows(rows[: len(rows) // 3])


def measured(problem: Problem, n_trees: int, seed: int, most_rows: int, jobs: int) -> Found:
    """Return what a forest and its calibration do on one draw of the rows."""
    train, test = drawn(problem, seed, most_rows)
    parameters: dict[str, Any] = {
        "n_estimators": n_trees,
        "bootstrap": True,
        "random_state": seed,
        "n_jobs": jobs,
    }
    is_number = problem.task in NUMBER_TASKS
    if is_number:
        model = ObliqueForestRegressor(**parameters)
    else:
        model = ObliqueForestClassifier(**parameters, hierarchy=problem.hierarchy)
    sure = conformal(model.fit(train.X, train.y), train.X, train.y)
    found = sure.measure(test.X, test.y, COVERAGE)
    joint = sure.measure(test.X, test.y, COVERAGE, joint=True)
    unit = np.std(train.y, axis=0) if is_number else 1.0
    sizes = (float(np.mean(each.size / unit)) for each in (found, joint))
    return Found(float(found.share.mean()), float(joint.share.mean()), *sizes)


def of_mapie(problem: Problem, n_trees: int, seed: int, most_rows: int, jobs: int) -> Beside:
    """Return what MAPIE's cross-conformal intervals of the same forest do, for one number."""
    regression = import_module("mapie.regression")  # which only this option needs
    train, test = drawn(problem, seed, most_rows)
    forest = ObliqueForestRegressor(n_estimators=n_trees, bootstrap=True, random_state=seed, n_jobs=jobs)
    model = regression.CrossConformalRegressor(forest, confidence_level=COVERAGE, cv=5)
    _, found = model.fit_conformalize(train.X, train.y).predict_interval(test.X)
    lower, upper = found[:, 0].ravel(), found[:, 1].ravel()
    share = np.mean((lower <= test.y) & (test.y <= upper))
    return Beside(float(share), float(np.mean(upper - lower) / np.std(train.y)))


def row_of(problem: Problem, found: Sequence[Found]) -> list[str]:
    """Return the cells of a table's row: means over the draws, those of coverage with standard errors."""
    mean = Found(*np.mean(found, axis=0).tolist())
    deviation = np.std(found, axis=0, ddof=1) if len(found) > 1 else np.full(len(mean), np.nan)
    error = Found(*(deviation / np.sqrt(len(found))).tolist())
    is_joint = problem.task in LABEL_TASKS or (problem.n_targets > 1 and problem.task in NUMBER_TASKS)
    joint = [_share(mean.joint, error.joint), f"{mean.joint_size:.3g}"] if is_joint else ["", ""]
    off = [mean.share] + ([mean.joint] if is_joint else [])
    is_wrong = any(abs(each - COVERAGE) > AIM for each in off)
    return [_share(mean.share, error.share), f"{mean.size:.3g}", *joint, "off" if is_wrong else ""]


def _share(mean: float, error: float) -> str:
    return f"{mean:.1%} ± {100 * error:.1f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="data sets; by default all with 500 rows or more")
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--splits", type=int, default=10, help="draws of the rows")
    parser.add_argument("--rows", type=int, default=3000, help="at most so many rows of each draw")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--mapie", action="store_true", help="MAPIE beside it, for one number")
    options = parser.parse_args(arguments)
    print_environment(trees=options.trees, splits=options.splits, rows=options.rows)
    mapie = ["MAPIE covered", "MAPIE size"] if options.mapie else []
    print_head(["data", "task", "rows", "covered", "size", "jointly", "joint size", "remark", *mapie])
    for name in options.names or names_of_sets():
        problem = read(name)
        cells = [name, problem.task, min(problem.n_rows, options.rows)]
        settings = [(options.trees, seed, options.rows, options.jobs) for seed in range(options.splits)]
        cells += row_of(problem, [measured(problem, *each) for each in settings])
        if mapie and problem.task == "regression":
            beside = Beside(*np.mean([of_mapie(problem, *each) for each in settings], axis=0).tolist())
            cells += [f"{beside.share:.1%}", f"{beside.size:.3g}"]
        print_row(cells + [""] * (8 + len(mapie) - len(cells)))


if __name__ == "__main__":
    main()
