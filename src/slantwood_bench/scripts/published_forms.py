"""Whether the defaults of every split learner are as good as its published form.

`python -m slantwood_bench.scripts.published_forms`. Trees and forests of each learner that has `published()`,
with nothing set and as published, by cross-validation on small sets of every task that the learner is for.
Differences are of the same folds and seeds; every seed has folds of its own, so that their spread says what
is noise. Prints a table in Markdown; `docs/splits.md` holds its output.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from slantwood import GradientSplit, NDCGSplit, OC1Split, RidgeSplit, SVMSplit, WODTSplit
from slantwood.task_names import LABEL_TASKS
from slantwood_bench.methods import BAGGING, RANDOM_FOREST, SINGLE_TREE
from slantwood_bench.methods.oblique import estimator
from slantwood_bench.problems import Problem
from slantwood_bench.scripts.data import read
from slantwood_bench.scripts.quality import cross_validated
from slantwood_bench.scripts.report import print_environment, print_head, print_row

# Small sets, so that all learners can be tried; those of one number include single targets of several.
SETS = {
    "binary": ("diabetes", "credit-approval", "transfusion", "arrhythmia"),
    "multi-class": ("balance-scale", "energy_efficiency", "mfeat-pixel"),
    "multi-label": ("emotions", "flags", "birds", "CAL500"),
    "regression": ("triazines", "cholesterol", "jura:0", "andro:2"),
    "multi-target regression": ("slump", "jura", "edm", "andro"),
}
# Learners that have a published form, by the names that estimators know them by.
LEARNERS: Mapping[str, Any] = {
    "gradient": GradientSplit,
    "svm": SVMSplit,
    "ridge": RidgeSplit,
    "oc1": OC1Split,
    "wodt": WODTSplit,
    "ndcg": NDCGSplit,
}
FORMS = ("tree", "forest")

# Ensembles as published, where these were not bagged trees.
FORESTS: Mapping[str, Mapping[str, Any]] = {"ridge": RANDOM_FOREST, "ndcg": {}}
TREES: Mapping[str, Mapping[str, Any]] = {"ndcg": {}}


@dataclass(frozen=True)
class Compared:
    """Quality on one set, averaged over folds, for each seed."""

    name: str
    default: np.ndarray
    published: np.ndarray

    @property
    def gain(self) -> float:
        """What the defaults gain over the published form."""
        return float(np.mean(self.default - self.published))

    @property
    def noise(self) -> float:
        """Standard error of the gain."""
        gains = self.default - self.published
        return float(np.std(gains, ddof=1) / np.sqrt(gains.size)) if gains.size > 1 else float("nan")

    @property
    def loss(self) -> float:
        """By how many standard errors the defaults are below the published form."""
        return -self.gain / max(self.noise, 1e-9)

    def text(self) -> str:
        """Name of the set, gain and noise."""
        return f"{self.name} {self.gain:+.3f} ± {self.noise:.3f}"


def maker(learner: str, form: str, trees: int, seed: int, *, published: bool) -> Callable[[str], Any]:
    """Return a maker of trees or forests for a task, with nothing set or as published."""
    given: dict[str, Any] = {"split": learner, "random_state": seed}
    if published:
        own = FORESTS.get(learner, BAGGING) if form == "forest" else TREES.get(learner, SINGLE_TREE)
        given |= {**own, "split": LEARNERS[learner].published()}
    if form == "forest":
        given |= {"n_estimators": trees}

    def make(task: str) -> Any:
        own = {k: v for k, v in given.items() if k != "normalize_labels" or task in LABEL_TASKS}
        return estimator(task, "Tree" if form == "tree" else "Forest")(**own)

    return make


def compared(learner: str, form: str, name: str, problem: Problem, trees: int, seeds: int) -> Compared:
    """Compare the defaults of a learner with its published form on one set."""
    default, published = (
        np.array(
            [
                cross_validated(
                    maker(learner, form, trees, seed, published=is_published), problem, fold_seed=seed
                )
                for seed in range(seeds)
            ]
        )
        for is_published in (False, True)
    )
    return Compared(name, default, published)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("learners", nargs="*", help="all that have a published form, unless given")
    parser.add_argument("--trees", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--tasks", nargs="+", choices=tuple(SETS), default=tuple(SETS))
    parser.add_argument("--forms", nargs="+", choices=FORMS, default=FORMS)
    parser.add_argument("--each", action="store_true", help="a row for each set")
    options = parser.parse_args(arguments)
    print_environment(trees=options.trees, seeds=options.seeds)
    print_head(["split", "", "task", "sets", "defaults", "published", "gain", "worst set"])
    problems = {name: read(name) for task in options.tasks for name in SETS[task]}
    for learner in options.learners or LEARNERS:
        for form in options.forms:
            for task in options.tasks:
                if task not in LEARNERS[learner].tasks:
                    continue
                found = [
                    compared(learner, form, name, problems[name], options.trees, options.seeds)
                    for name in SETS[task]
                ]
                for group in [[one] for one in found] if options.each else [found]:
                    worst = max(group, key=lambda one: one.loss)
                    means = [float(np.mean([one.default for one in group]))]
                    means.append(float(np.mean([one.published for one in group])))
                    cells = [f"{value:.3f}" for value in means] + [f"{means[0] - means[1]:+.3f}"]
                    print_row([learner, form, task, len(group), *cells, worst.text()])


if __name__ == "__main__":
    main()
