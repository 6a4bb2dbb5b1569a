"""Whether another value of a parameter suits a split learner better than its default.

`python -m slantwood_bench.scripts.learner_defaults ridge` changes one parameter at a time, in forests and in
single trees, on the sets that the paper set aside for choosing parameters. Folds and seeds are the same for
all values. Prints a table in Markdown: what the defaults reach, and what each change gains over them on the
sets on which it changes anything. `docs/defaults.md` holds its output.
"""

import argparse
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import product
from statistics import fmean
from typing import Any

import numpy as np

from slantwood import CARTLCSplit, NDCGSplit, OC1Split, RidgeSplit, WODTSplit
from slantwood_bench.methods.oblique import estimator
from slantwood_bench.problems import Problem
from slantwood_bench.scripts.data import read, three_folds
from slantwood_bench.scripts.quality import judged
from slantwood_bench.scripts.report import print_environment, print_head, print_row

SETS = (
    *("arrhythmia", "transfusion", "energy_efficiency", "gesture", "birds", "mediamill", "delicious"),
    *("andro", "atp7d", "wq", "cholesterol", "pol", "andro:2", "atp7d:0", "wq:0"),
)
FORMS = ("forest", "tree")
LEARNERS: Mapping[str, Any] = {
    "ridge": RidgeSplit,
    "oc1": OC1Split,
    "cart-lc": CARTLCSplit,
    "wodt": WODTSplit,
    "ndcg": NDCGSplit,
}

# Of forests only: a single tree takes all rows and features.
DRAWN: Mapping[str, Sequence[Any]] = {"bootstrap": (True, False), "max_features": ("sqrt", 0.3, 0.5, None)}
LIMITS: Mapping[str, Sequence[Any]] = {
    "min_samples_split": (2, 5, 10, 20),
    "min_impurity_decrease": (0.0, 0.05),
}
# Values of each learner's own parameters. The default may be among them.
OWN: Mapping[str, Mapping[str, Sequence[Any]]] = {
    "ridge": {
        "strength": ("newton", 0.01, 0.1, 1.0),
        "max_iter": (10, 50),
        "tol": (0.01, 0.0001),
        "target_iter": (1, 3, 20),
        "feature_power": (0.5, 1.0),
        "target_power": (0.0, 0.5, 1.0),
    },
    "oc1": {
        "n_restarts": (0, 5),
        "order": ("sequential", "random"),
        "n_jumps": (0, 20),
        "n_perturbations": (20, 100),
        "stagnation": (0.0,),
        "target_power": (1.0,),
    },
    "cart-lc": {
        "max_iter": (3, 30),
        "epsilon": (0.001, 0.05),
        "beta": (0.0, 0.05, 0.5),
        "target_power": (1.0,),
    },
    "wodt": {
        "alpha": (0.0003, 0.001, 0.01, 0.03),
        "max_iter": (30, 300),
        "tol": (0.001, 0.00001),
        "start": ("noise",),
        "feature_power": (0.5,),
    },
    "ndcg": {
        "C": (0.3, 1.0, 3.0, 10.0, 30.0),
        "max_iter": (5, 20),
        "cluster_iter": (10,),
        "tol": (0.3, 0.01),
        "class_weight": (None,),
        "feature_power": (0.0, 0.5, 1.0),
    },
}


@dataclass(frozen=True)
class Found:
    """Qualities of all seeds and folds of a set, and the CPU seconds of all fits."""

    qualities: np.ndarray
    seconds: float


@dataclass(frozen=True)
class Gains:
    """What a change gains over the defaults, by the name of each set on which it changes anything."""

    by_set: Mapping[str, float]
    time_ratio: float  # geometric mean over these sets

    def cells(self) -> list[Any]:
        """Return the number of sets, the mean with its standard error, the worst, the best and the time."""
        gains = np.array(list(self.by_set.values()))
        if not gains.size:
            return [0, "", "", "", ""]
        error = f" ± {gains.std(ddof=1) / np.sqrt(gains.size):.4f}" if gains.size > 1 else ""
        ends = [select(self.by_set, key=self.by_set.__getitem__) for select in (min, max)]
        shown = [f"{name} {self.by_set[name]:+.3f}" for name in ends]
        return [gains.size, f"{gains.mean():+.4f}{error}", *shown, f"{self.time_ratio:.2f}"]


def changes(learner: str, form: str) -> Iterator[dict[str, Any]]:
    """Yield changes of the defaults, each of a single parameter."""
    tried = {**(DRAWN if form == "forest" else {}), **LIMITS, **OWN[learner]}
    for name, values in tried.items():
        for value in values:
            yield {name: value}


def fitted(learner: str, form: str, change: Mapping[str, Any], train: Problem, trees: int, seed: int) -> Any:
    """Fit a forest or a tree, with a change of its own parameters or of its learner's."""
    make = LEARNERS[learner]
    own = {field.name for field in fields(make)}
    given: dict[str, Any] = {"random_state": seed, **{k: v for k, v in change.items() if k not in own}}
    given["split"] = make(**{k: v for k, v in change.items() if k in own})
    if form == "forest":
        given |= {"n_estimators": trees, "n_jobs": 1}
    return estimator(train.task, "Tree" if form == "tree" else "Forest")(**given).fit(train.X, train.y)


def found(
    learner: str, form: str, change: Mapping[str, Any], problem: Problem, trees: int, seeds: int
) -> Found:
    """Fit on three folds with each seed, which has folds of its own."""
    qualities, seconds = [], 0.0
    for seed in range(seeds):
        for train, test in three_folds(problem, seed):
            begun = time.process_time()
            model = fitted(learner, form, change, train, trees, seed)
            seconds += time.process_time() - begun
            qualities.append(judged(model, test))
    return Found(np.array(qualities), seconds)


def gains_over(before: Mapping[str, Found], after: Mapping[str, Found]) -> Gains:
    """Compare a change with the defaults; a set on which every quality is the same is not counted."""
    moved = [name for name in after if (after[name].qualities != before[name].qualities).any()]
    ratios = [after[name].seconds / before[name].seconds for name in moved]
    return Gains(
        {name: float(np.mean(after[name].qualities - before[name].qualities)) for name in moved},
        float(np.exp(np.mean(np.log(ratios)))) if moved else 1.0,
    )


def read_some(name: str, rows: int) -> Problem:
    """Read a set, of which so many rows at the most are drawn at random."""
    problem = read(name)
    if problem.n_rows <= rows:
        return problem
    return problem.rows(np.sort(np.random.default_rng(0).permutation(problem.n_rows)[:rows]))


def _print_comparison(
    learner: str,
    form: str,
    problems: Mapping[str, Problem],
    tried: Sequence[Mapping[str, Any]],
    options: argparse.Namespace,
) -> None:
    def on_all(change: Mapping[str, Any]) -> dict[str, Found]:
        return {
            name: found(learner, form, change, problem, options.trees, options.seeds)
            for name, problem in problems.items()
        }

    default = on_all({})
    mean = fmean(float(each.qualities.mean()) for each in default.values())
    seconds = sum(each.seconds for each in default.values())
    cells = [learner, form, f"none, mean {mean:.4f}", len(default), "", "", "", f"{seconds:.1f} s"]
    print_row([*cells, ""] if options.each else cells)
    for change in tried:
        ((name, value),) = change.items()
        gains = gains_over(default, on_all(change))
        each = [", ".join(f"{name} {gain:+.3f}" for name, gain in gains.by_set.items())]
        print_row([learner, form, f"{name}={value!r}", *gains.cells(), *(each if options.each else [])])


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("learners", nargs="*", help="all, unless given")
    parser.add_argument(
        "--sets", nargs="+", default=SETS, help="those that a learner is not for are left out"
    )
    parser.add_argument("--forms", nargs="+", choices=FORMS, default=FORMS)
    parser.add_argument("--parameters", nargs="+", help="change these only")
    parser.add_argument("--rows", type=int, default=2000, help="rows of a set at the most, drawn at random")
    parser.add_argument("--trees", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--each", action="store_true", help="tell the gain on each set")
    options = parser.parse_args(arguments)
    print_environment(rows=options.rows, trees=options.trees, seeds=options.seeds)
    headings = ["split", "", "change", "sets", "mean gain", "worst set", "best set", "time"]
    print_head([*headings, "each set"] if options.each else headings)
    everything = {name: read_some(name, options.rows) for name in options.sets}
    for learner, form in product(options.learners or LEARNERS, options.forms):
        problems = {name: each for name, each in everything.items() if each.task in LEARNERS[learner].tasks}
        tried = [
            change
            for change in changes(learner, form)
            if not options.parameters or set(options.parameters) & set(change)
        ]
        _print_comparison(learner, form, problems, tried, options)


if __name__ == "__main__":
    main()
