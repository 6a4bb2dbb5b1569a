"""Whole plans beside whole fits: real data sets, of which a plan sees an eighth of the rows.

`python -m slantwood_bench.scripts.plans` gives `plan_from_data` a random eighth of the rows of each data set
(1000 at the least) and the number of all rows, and then fits all rows, in a process of their own, with the
default forest, choice of settings included. It prints planned and measured seconds and memory.
`docs/planning.md` holds the output. No coefficient was fitted on any of these sets.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, NamedTuple

import numpy as np

from slantwood import ObliqueForestClassifier, ObliqueForestRegressor
from slantwood.planning import Plan, plan_from_data
from slantwood.planning.coefficients import shipped
from slantwood.planning.sizes import feature_bytes
from slantwood.planning.ways import PROCESS_BYTES
from slantwood.planning.workload import PLANNED_SPLITS
from slantwood.task_names import NUMBER_TASKS
from slantwood_bench.problems import Problem
from slantwood_bench.scripts.apart import apart
from slantwood_bench.scripts.costs import Errors, errors_of_ratios, write_coefficients
from slantwood_bench.scripts.data import read
from slantwood_bench.scripts.report import print_environment, print_head, print_row
from slantwood_bench.usage import usage_of

SETS = (
    "ailerons",
    "cpu_small",
    "elevators",
    "house_8L",
    "pol",
    "puma8NH",
    "satellite_image",
    "rf1",
    "scm20d",
    "musk",
    "speeddating",
    "diabetes130us",
    "isolet",
    "gesture",
    "gas-drift-rescaled",
    "bibtex",
    "rcv1subset1",
    "delicious",
    "mediamill",
    "tmc2007-500",
    "eurlex-eurovoc",
    "imclef07a",
    "imclef07d",
)
_PART, _FEWEST_ROWS = 8, 1000
_LONGEST = 900.0


class Asked(NamedTuple):
    """A data set, and how to fit it."""

    name: str
    split: str
    threads: int
    trees: int


class Compared(NamedTuple):
    """What was planned, and what was measured."""

    task: str
    rows: int
    features: int
    targets: int
    probe_rows: int
    planned_seconds: float
    seconds: float
    planned_bytes: float  # of the fit, X included
    n_bytes: float


def compared(asked: Asked) -> Compared:
    """Plan by some of the rows, and fit all of them.

    Parameters
    ----------
    asked : Asked
        The data set.

    Returns
    -------
    Compared
        Seconds and bytes.
    """
    problem = read(asked.name)
    plan = planned(problem, asked)
    model = _forest(problem, asked)
    usage = usage_of(lambda: model.fit(problem.X, problem.y))
    way = next(each for each in plan.ways if each.name == "threads")
    work = plan.workload
    assert work.probe is not None
    return Compared(
        problem.task,
        work.rows,
        work.features,
        work.targets,
        work.probe.rows,
        way.seconds,
        usage.seconds,
        way.memory - PROCESS_BYTES,
        feature_bytes(work) + usage.grown * 1e6,
    )


def planned(problem: Problem, asked: Asked) -> Plan:
    """Plan a fit of all rows by an eighth of them.

    Parameters
    ----------
    problem : Problem
        All rows.
    asked : Asked
        Threads and trees.

    Returns
    -------
    Plan
        For a machine with so many threads.
    """
    n_rows = problem.n_rows
    drawn = np.random.default_rng(0).permutation(n_rows)[: max(n_rows // _PART, _FEWEST_ROWS)]
    few = problem.rows(np.sort(drawn))
    return plan_from_data(
        _forest(problem, asked),
        few.X,
        few.y,
        rows=n_rows,
        threads=asked.threads,
        memory=1e12,
    )


def _forest(problem: Problem, asked: Asked) -> Any:
    given: dict[str, Any] = {"split": asked.split, "n_jobs": asked.threads, "random_state": 0}
    if problem.task in NUMBER_TASKS:
        return ObliqueForestRegressor(asked.trees, **given)
    return ObliqueForestClassifier(asked.trees, hierarchy=problem.hierarchy, **given)


def print_plans(asked: Sequence[Asked]) -> Errors:
    """Print what was planned and measured, a row for each data set.

    Parameters
    ----------
    asked : sequence of Asked
        The data sets.

    Returns
    -------
    Errors
        Of the seconds.
    """
    heads = ["data", "task", "rows", "features", "targets", "rows of the probe"]
    print_head([*heads, "planned, s", "fit, s", "error", "planned, MB", "fit, MB", "error"])
    times, memory = [], []
    for each, found in zip(asked, apart(compared, asked, _LONGEST), strict=True):
        if found is None:
            print(f"{each.name}: given up after {_LONGEST:g} s", flush=True)
            continue
        times.append(found.planned_seconds / found.seconds)
        memory.append(found.planned_bytes / found.n_bytes)
        counts = (found.rows, found.features, found.targets, found.probe_rows)
        cells = (found.planned_seconds, found.seconds, times[-1] - 1)
        bytes_cells = (found.planned_bytes / 1e6, found.n_bytes / 1e6, memory[-1] - 1)
        shown = [f"{a:.3g}|{b:.3g}|{error:+.0%}" for a, b, error in (cells, bytes_cells)]
        print_row([each.name, found.task, *(f"{n:,}" for n in counts), *"|".join(shown).split("|")])
    for what, ratios in (("seconds", times), ("memory", memory)):
        errors = errors_of_ratios(ratios)
        print(
            f"\n{what}: {errors.within:.0%} of {errors.points} within 30 %, median error "
            f"{errors.median:.0%}, worst {errors.worst:.0%}",
            flush=True,
        )
    return errors_of_ratios(times)


def main() -> None:
    """Print a table for each split learner."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", default=SETS)
    parser.add_argument("--split", nargs="+", default=["gradient"], choices=PLANNED_SPLITS)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--write", action="store_true", help="keep the errors, which plans then name")
    given = parser.parse_args()
    print_environment()
    found = {}
    for split in given.split:
        print(f"\nsplit={split}\n")
        asked = [Asked(name, split, given.threads, given.trees) for name in given.names]
        found[split] = asdict(print_plans(asked))
    if given.write:
        write_coefficients(replace(shipped(), plans=shipped().plans | found))


if __name__ == "__main__":
    main()
