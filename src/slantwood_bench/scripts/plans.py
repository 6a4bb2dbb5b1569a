"""Whole plans beside whole fits, choice of settings included.

`python -m slantwood_bench.scripts.plans NAMES` gives `plan_from_data` a random eighth (`--part 8`) of the
rows of each data set (1000 at the least) and the number of all rows, and fits all rows with the default
forest, in a process of their own. `--part 1` gives the plan all rows, of which it takes 20,000, as users do
who have them. The plan is made before the fit and again after it, and the mean of both is compared with the
fit: how fast a processor is that others use too changes by the minute. Where a plan has a range, because
it is open which settings a fit chooses, the error beside it is what a fit takes beyond its nearer end.
`--way` is for plans of other ways than threads, with two workers. `generated:N` are rows of `cost_points`
with planted structure. `docs/planning.md` holds the output. No coefficient was fitted on any of these sets.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import NamedTuple

import numpy as np

from slantwood.planning import Plan, Way, plan_from_data
from slantwood.planning.coefficients import shipped
from slantwood.planning.sizes import feature_bytes
from slantwood.planning.ways import PROCESS_BYTES, WAYS
from slantwood.planning.workload import PLANNED_SPLITS
from slantwood_bench.problems import Problem
from slantwood_bench.scripts.apart import apart
from slantwood_bench.scripts.cost_points import Point
from slantwood_bench.scripts.cost_points import problem as drawn
from slantwood_bench.scripts.costs import Errors, errors_of_ratios, write_coefficients
from slantwood_bench.scripts.data import read
from slantwood_bench.scripts.report import print_environment, print_head, print_row
from slantwood_bench.scripts.ways_to_fit import WAYS_TO_FIT, Forest, Resources, forest_of
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
    "isolet",
    "gesture",
    "gas-drift-rescaled",
    "bibtex",
    "rcv1subset1",
    "delicious",
    "tmc2007-500",
    "eurlex-eurovoc",
    "imclef07a",
    "imclef07d",
)
GENERATED = (
    Point("gradient", "binary", 200_000, 30, 2),
    Point("gradient", "regression", 120_000, 20, 1),
    Point("gradient", "multi-class", 150_000, 60, 12),
    Point("gradient", "multi-label", 100_000, 40, 300, 0.0, 3.0),
    Point("gradient", "multi-label", 80_000, 20_000, 800, 40.0, 4.0),
)
_FEWEST_ROWS = 1000
_LONGEST = 3000.0
_BANDWIDTH = 1e9  # bytes a second between processes of one machine


class Asked(NamedTuple):
    """A data set, and how to fit it."""

    name: str
    split: str
    threads: int
    trees: int
    part: int = 8
    way: str = "threads"
    workers: int = 1
    memory: float = 1e12


class Compared(NamedTuple):
    """What was planned, and what was measured."""

    task: str
    rows: int
    features: int
    targets: int
    probe_rows: int
    planned_seconds: float
    planned_range: tuple[float, float]  # the same number twice, where the plan has no range
    seconds: float
    planned_bytes: float  # of the fit, X included
    n_bytes: float  # not known of other processes

    @property
    def ratio(self) -> float:
        """What was planned, as a part of what was measured."""
        return self.planned_seconds / self.seconds

    @property
    def ratio_of_range(self) -> float:
        """The same of the nearer end of the range; 1 within it."""
        least, most = self.planned_range
        return min(max(self.seconds, least), most) / self.seconds


def problem_of(name: str) -> Problem:
    """Return a data set, or rows that are drawn.

    Parameters
    ----------
    name : str
        Of a data set, or "generated:N".

    Returns
    -------
    Problem
        All rows.
    """
    kind, _, number = name.partition(":")
    if kind != "generated":
        return read(name)
    point = GENERATED[int(number)]
    return Problem(point.task, *drawn(point), name=name)


def compared(asked: Asked) -> Compared:
    """Plan by some of the rows, fit all of them, and plan again.

    Parameters
    ----------
    asked : Asked
        The data set.

    Returns
    -------
    Compared
        Seconds and bytes.
    """
    problem = problem_of(asked.name)
    forest = forest_of(problem, asked.split, asked.trees)
    before = planned(problem, forest, asked)
    given = Resources(asked.workers, asked.threads, asked.memory)
    seconds = []
    usage = usage_of(lambda: seconds.append(WAYS_TO_FIT[asked.way](problem, forest, given)))
    plans = (before, planned(problem, forest, asked))
    ways = [_way(plan, asked.way) for plan in plans]
    work = before.workload
    assert work.probe is not None
    return Compared(
        problem.task,
        work.rows,
        work.features,
        work.targets,
        work.probe.rows,
        float(np.mean([way.seconds for way in ways])),
        _mean_range(ways),
        seconds[0],
        float(np.mean([way.memory for way in ways])) - PROCESS_BYTES,
        feature_bytes(work) + usage.grown * 1e6 if asked.way == "threads" else float("nan"),
    )


def _way(plan: Plan, name: str) -> Way:
    return next(each for each in plan.ways if each.name == name)


def _mean_range(ways: Sequence[Way]) -> tuple[float, float]:
    ranges = [way.seconds_range or (way.seconds, way.seconds) for way in ways]
    least, most = np.mean(ranges, axis=0).tolist()
    return least, most


def planned(problem: Problem, forest: Forest, asked: Asked) -> Plan:
    """Plan a fit of all rows by a part of them.

    Parameters
    ----------
    problem : Problem
        All rows.
    forest : Forest
        What to fit.
    asked : Asked
        The part, and the machines.

    Returns
    -------
    Plan
        For these machines.
    """
    n_rows = problem.n_rows
    drawn = np.random.default_rng(0).permutation(n_rows)[: max(n_rows // asked.part, _FEWEST_ROWS)]
    few = problem.rows(np.sort(drawn))
    return plan_from_data(
        forest.local(),
        few.X,
        few.y,
        rows=n_rows,
        workers=asked.workers,
        threads=asked.threads,
        memory=asked.memory,
        bandwidth=_BANDWIDTH,
    )


def print_plans(asked: Sequence[Asked]) -> Errors:
    """Print what was planned and measured, a row for each data set.

    Parameters
    ----------
    asked : sequence of Asked
        The data sets.

    Returns
    -------
    Errors
        Of the seconds, beside ranges where there are some.
    """
    heads = [
        "data",
        "task",
        "rows",
        "features",
        "targets",
        "rows of the probe",
        "planned, s",
        "range",
        "fit, s",
    ]
    print_head([*heads, "error", "beside the range", "planned, MB", "fit, MB", "error"])
    seen = []
    for each, found in zip(asked, apart(compared, asked, _LONGEST), strict=True):
        if found is None:
            print(f"{each.name}: given up after {_LONGEST:g} s", flush=True)
            continue
        seen.append(found)
        counts = (found.rows, found.features, found.targets, found.probe_rows)
        least, most = found.planned_range
        shown = f"{least:.3g}-{most:.3g}" if least < most else "-"
        cells = [f"{found.planned_seconds:.3g}", shown, f"{found.seconds:.3g}"]
        cells += [f"{ratio - 1:+.0%}" for ratio in (found.ratio, found.ratio_of_range)]
        sizes = [found.planned_bytes, found.n_bytes]
        cells += [*(f"{n / 1e6:.3g}" for n in sizes), f"{sizes[0] / sizes[1] - 1:+.0%}"]
        print_row([each.name, found.task, *(f"{n:,}" for n in counts), *cells])
    said = {
        "seconds": [found.ratio for found in seen],
        "seconds, where there is a range beside it": [found.ratio_of_range for found in seen],
        "memory": [found.planned_bytes / found.n_bytes for found in seen],
    }
    for what, ratios in said.items():
        if np.isnan(ratios).any():
            continue
        errors = errors_of_ratios(ratios)
        print(
            f"\n{what}: {errors.within:.0%} of {errors.points} within 30 %, median error "
            f"{errors.median:.0%}, worst {errors.worst:.0%}",
            flush=True,
        )
    widths = [most / least for least, most in (found.planned_range for found in seen) if least < most]
    if widths:
        print(f"\nranges: {len(widths)}, from end to end {np.median(widths):.2g} times as long in the median")
    return errors_of_ratios(said["seconds, where there is a range beside it"])


def main() -> None:
    """Print a table for each split learner."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", default=SETS)
    parser.add_argument("--split", nargs="+", default=["gradient"], choices=PLANNED_SPLITS)
    parser.add_argument("--part", type=int, default=8, help="1 for all rows, of which 20,000 are used")
    parser.add_argument("--way", default="threads", choices=list(WAYS))
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--memory", type=float, default=1e12, help="bytes of a worker")
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--write", action="store_true", help="keep the errors, which plans then name")
    given = parser.parse_args()
    print_environment()
    found = {}
    for split in given.split:
        print(f"\nsplit={split}\n")
        machines = (given.part, given.way, given.workers, given.memory)
        asked = [Asked(name, split, given.threads, given.trees, *machines) for name in given.names]
        found[split] = asdict(print_plans(asked))
    if given.write:
        write_coefficients(replace(shipped(), plans=shipped().plans | found))


if __name__ == "__main__":
    main()
