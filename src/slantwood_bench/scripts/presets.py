"""What presets cost and gain, and what it is worth that the size of leaves follows the data.

`python -m slantwood_bench.scripts.presets` compares them over data sets, by three folds: the quality of each,
and its CPU time in times of that of the first. *Leaves by rule* is the default with the size of leaves that
the rules have, whatever the noise. By default the sets are those that the paper set aside for choosing
parameters; name others to see them. Prints a table in Markdown; `docs/defaults.md` holds its output.
"""

import argparse
import time
from collections.abc import Sequence
from statistics import fmean
from typing import Any

import numpy as np

from slantwood_bench.methods.oblique import estimator
from slantwood_bench.problems import Problem
from slantwood_bench.scripts.data import read, three_folds
from slantwood_bench.scripts.quality import judged
from slantwood_bench.scripts.report import print_environment, print_head, print_row

STUDY = (
    *("arrhythmia", "transfusion", "energy_efficiency", "gesture", "birds"),
    *("andro", "atp7d", "wq", "cholesterol", "pol"),
    *(f"{name}:{target}" for name in ("andro", "atp7d", "wq") for target in (0, 2, 4)),
    "mediamill",
)
BY_RULE = "leaves by rule"
COMPARED = (BY_RULE, "default", "fast", "best", "paper")


def fitted(name: str, train: Problem, seed: int, n_jobs: int) -> Any:
    """Fit a forest by preset, or with leaves of the size that the rules have."""
    given: dict[str, Any] = {"random_state": seed, "n_jobs": n_jobs}
    if name == BY_RULE:
        # This preset has the size that the rules have, also where its tree does not grow.
        stump = estimator(train.task)(n_estimators=1, preset="fast", max_depth=1, **given)
        rules = stump.fit(train.X, train.y).settings_
        given["min_samples_split"] = rules.min_samples_split
    else:
        given["preset"] = name
    return estimator(train.task)(**given).fit(train.X, train.y)


def _compare(problem: Problem, names: Sequence[str], seeds: int, n_jobs: int) -> list[Any]:
    cells: list[Any] = []
    first = 0.0
    for name in names:
        found, begun, seconds = [], 0.0, 0.0
        for seed in range(seeds):
            for train, test in three_folds(problem):
                begun = time.process_time()
                model = fitted(name, train, seed, n_jobs)
                seconds += time.process_time() - begun
                found.append(judged(model, test))
        first = first or seconds
        cells += [fmean(found), f"{seconds / first:.1f}"]
    return cells


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(STUDY), help="data sets to compare on")
    parser.add_argument("--presets", nargs="*", default=list(COMPARED), help="which to compare")
    parser.add_argument("--rows", type=int, default=5000, help="rows of a set at the most, drawn at random")
    parser.add_argument("--seeds", type=int, default=1, help="runs that are averaged")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args(arguments)
    print_environment(rows=options.rows, seeds=options.seeds, jobs=options.jobs)
    print_head(["data", *(part for name in options.presets for part in (name, "time"))])
    rows = []
    for name in options.names:
        problem = read(name)
        if problem.n_rows > options.rows:
            drawn = np.random.default_rng(0).permutation(problem.n_rows)[: options.rows]
            problem = problem.rows(np.sort(drawn))
        rows.append(_compare(problem, options.presets, options.seeds, options.jobs))
        print_row([name, *rows[-1]])
    means = [
        fmean(row[2 * k] for row in rows)
        if part == 0
        else f"{fmean(float(row[2 * k + 1]) for row in rows):.1f}"
        for k in range(len(options.presets))
        for part in (0, 1)
    ]
    print_row(["mean", *means])


if __name__ == "__main__":
    main()
