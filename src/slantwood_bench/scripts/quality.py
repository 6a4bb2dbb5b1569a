"""Which choices are good: forests under other settings, over data sets, by cross-validation.

`python -m slantwood_bench.scripts.quality` compares slantwood's defaults with the published form and with
scikit-learn's random forest; `--study` compares alternatives to each default on the parameter-study sets of
the paper. Prints tables in Markdown; `docs/` holds their output.
"""

import argparse
from collections.abc import Callable, Sequence
from itertools import islice
from statistics import fmean
from typing import Any

from slantwood import GradientSplit
from slantwood.task_names import LABEL_TASKS, NUMBER_TASKS
from slantwood_bench.measures import quality
from slantwood_bench.methods import method_class
from slantwood_bench.methods.oblique import estimator
from slantwood_bench.problems import Problem
from slantwood_bench.scripts.data import read, three_folds
from slantwood_bench.scripts.report import print_environment, print_head, print_row

PUBLISHED = {
    "split": GradientSplit.published(),
    "bootstrap": True,
    "max_features": None,
    "min_samples_split": 2,
    "normalize_rows": False,
}
COMPARED = (
    *("breast_cancer", "spambase", "diabetes", "arrhythmia", "transfusion"),
    *("digits", "mfeat-pixel", "gesture", "wine-white", "balance-scale"),
    *("emotions", "scene", "birds", "enron-flat", "corel5k", "bibtex"),
    *("sk_diabetes", "cpu_small", "puma8NH", "triazines"),
    *("enb", "jura", "wq", "atp1d", "oes10"),
)
# Alternatives to the default of each kind of task, on sets that are not used for comparisons with others.
# A `split` that is a dictionary changes single values of the automatic one.
STUDY: dict[str, tuple[Sequence[str], dict[str, dict[str, Any]]]] = {
    "classes, and few labels": (
        ("arrhythmia", "transfusion", "energy_efficiency", "gesture", "birds"),
        {
            "default": {},
            "bootstrap": {"bootstrap": True},
            "all features": {"max_features": None},
            "30 % of the features": {"max_features": 0.3},
            "informed start, 40 steps": {"split": {"start": "informed", "max_iter": 40}},
            "noise, 100 steps": {"split": {"start": "noise", "max_iter": 100}},
            "exact threshold": {"split": {"threshold": "exact"}},
            "C=1": {"split": {"C": 1.0}},
            "C=100": {"split": {"C": 100.0}},
            "no competitor": {"split": {"competitor": None}},
            "axis-parallel competitor": {"split": {"competitor": "axis"}},
            "strongest feature as competitor": {"split": {"competitor": "strongest"}},
            "published": PUBLISHED,
        },
    ),
    "several numbers": (
        ("andro", "atp7d", "wq"),
        {
            "default": {},
            "no competitor": {"split": {"competitor": None}},
            "bootstrap": {"bootstrap": True},
            "all features": {"max_features": None},
            "30 % of the features": {"max_features": 0.3},
            "informed start, 40 steps": {"split": {"start": "informed", "max_iter": 40}},
            "learned threshold": {"split": {"threshold": "learned"}},
            "C=1": {"split": {"C": 1.0}},
            "C=100": {"split": {"C": 100.0}},
            "published": PUBLISHED,
        },
    ),
    "one number": (
        # Two sets are few: single targets of the sets with several numbers beside them.
        (
            "cholesterol",
            "pol",
            *(f"{name}:{target}" for name in ("andro", "atp7d", "wq") for target in (0, 2, 4)),
        ),
        {
            "default": {},
            "no competitor": {"split": {"competitor": None}},
            "no competitor, 30 % of the features": {"split": {"competitor": None}, "max_features": 0.3},
            "bootstrap": {"bootstrap": True},
            "bootstrap, no competitor": {"bootstrap": True, "split": {"competitor": None}},
            "50 % of the features": {"max_features": 0.5},
            "informed start, 40 steps": {"split": {"start": "informed", "max_iter": 40}},
            "exact threshold": {"split": {"threshold": "exact"}},
            "C=1": {"split": {"C": 1.0}},
            "C=100": {"split": {"C": 100.0}},
        },
    ),
    "many labels, or mostly zeros": (
        ("delicious", "mediamill"),
        {
            "default": {},
            "bootstrap": {"bootstrap": True},
            "noise, 100 steps": {"split": {"start": "noise", "max_iter": 100, "learning_rate": 0.1}},
            "exact threshold": {"split": {"threshold": "exact"}},
            "standardised features": {"split": {"feature_power": 1.0}},
            "standardised targets": {"split": {"target_power": 1.0}},
            "rows as they are": {"normalize_rows": False},
            "labels as they are": {"normalize_labels": False},
            "every step all rows": {"split": {"batch_size": None}},
            "features of single rows too": {"split": {"min_support": 1}},
            "features of small parts too": {"split": {"min_part": 0.0}},
            "nodes of 5": {"min_samples_split": 5},
            "nodes of 20": {"min_samples_split": 20},
        },
    ),
}


def judged(model: Any, test: Problem) -> float:
    """Quality of a fitted model on test rows, by the measure of the task."""
    predict = model.predict_proba if test.task in LABEL_TASKS else model.predict
    return quality(test.task, test.y, predict(test.X))


def cross_validated(
    make: Callable[[str], Any], problem: Problem, n_folds: int = 3, fold_seed: int = 1
) -> float:
    """Mean quality over the first so many of three folds of a model that `make` builds for the task."""
    return fmean(
        judged(make(problem.task).fit(train.X, train.y), test)
        for train, test in islice(three_folds(problem, fold_seed), n_folds)
    )


def slantwood_forest(n_trees: int, n_jobs: int, seed: int = 0, **changes: Any) -> Callable[[str], Any]:
    """Return a maker of default forests with some parameters changed."""
    split = changes.pop("split", None)
    learner = GradientSplit(**split) if isinstance(split, dict) else split or "gradient"

    def make(task: str) -> Any:
        own = {k: v for k, v in changes.items() if k != "normalize_labels" or task in LABEL_TASKS}
        given = {"n_estimators": n_trees, "n_jobs": n_jobs, "random_state": seed, "split": learner}
        return estimator(task)(**given, **own)

    return make


class _ScikitForest:
    """The study's random forest of scikit-learn, here with the defaults for numbers too."""

    def __init__(self, task: str, n_trees: int, n_jobs: int) -> None:
        self._task = task
        changes = {"max_features": 1.0 if task in NUMBER_TASKS else "sqrt"}
        self._method = method_class("scikit-rf")(n_trees, 0, n_jobs, changes)
        self.predict = self.predict_proba = self._method.predict

    def fit(self, X: Any, y: Any) -> "_ScikitForest":
        self._method.fit(Problem(self._task, X, y))
        return self


def _over_seeds(problem: Problem, seeds: int, n_trees: int, n_jobs: int, **options: Any) -> float:
    """Mean quality of forests of several seeds; `changes` and `n_folds` may be among the options."""
    changes = options.pop("changes", {})
    return fmean(
        cross_validated(slantwood_forest(n_trees, n_jobs, seed, **changes), problem, **options)
        for seed in range(seeds)
    )


def _compare(names: Sequence[str], n_trees: int, n_jobs: int, seeds: int) -> None:
    print_head(["data", "task", "default", "published form", "random forest"])
    for name in names:
        problem = read(name)
        ours = [_over_seeds(problem, seeds, n_trees, n_jobs, changes=each) for each in ({}, PUBLISHED)]
        theirs = cross_validated(lambda task: _ScikitForest(task, n_trees, n_jobs), problem)
        print_row([name, problem.task, *ours, theirs])


def _study(n_trees: int, n_jobs: int, seeds: int) -> None:
    for title, (names, alternatives) in STUDY.items():
        print(f"\n### {title}\n")
        problems = [read(name) for name in names]
        print_head(["setting", *names, "mean"])
        for label, changes in alternatives.items():
            # A large set is stable enough on one fold and one seed.
            found = [
                _over_seeds(
                    problem,
                    1 if problem.n_rows > 5_000 else seeds,
                    n_trees,
                    n_jobs,
                    changes=changes,
                    n_folds=1 if problem.n_rows > 10_000 else 3,
                )
                for problem in problems
            ]
            print_row([label, *found, fmean(found)])


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="data sets to compare on")
    parser.add_argument("--study", action="store_true", help="alternatives to the defaults")
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=3, help="runs that are averaged")
    options = parser.parse_args(arguments)
    print_environment(trees=options.trees, jobs=options.jobs, seeds=options.seeds)
    if options.study:
        _study(options.trees, options.jobs, options.seeds)
    else:
        _compare(options.names or COMPARED, options.trees, options.jobs, options.seeds)


if __name__ == "__main__":
    main()
