"""A single tree that imitates a forest, beside a tree of the same size that is grown on the data.

`python -m slantwood_bench.scripts.distilled [NAMES]`. Both are measured on the third of the rows that neither
they nor the forest saw, averaged over three folds: their score (accuracy, R2, share of label sets that are
right, or for hierarchies the area under the pooled precision-recall curve), and their fidelity, the part of
the variance of the forest's predictions that they have. `--study` compares instead, on sets of the parameter
study, trees that learn from the rows as they are, from mixed ones, and from those that suit better.
"""

import argparse
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from slantwood import (
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
)
from slantwood.explain import distilled_tree, fidelity
from slantwood.task_names import NUMBER_TASKS
from slantwood_bench.problems import Problem
from slantwood_bench.scripts.data import read, three_folds
from slantwood_bench.scripts.report import print_environment, print_head, print_row

SETS = (
    "cpu_small",
    "puma8NH",
    "enb",
    "rf1",
    "diabetes",
    "spambase",
    "mfeat-pixel",
    "wine-white",
    "emotions",
    "yeast_gasch1_FUN",
)
STUDY = (
    "cholesterol",
    "pol",
    "atp7d",
    "wq",
    "arrhythmia",
    "transfusion",
    "energy_efficiency",
    "gesture",
    "birds",
    "yeast_seq_FUN",
)
SPLITS = ("gradient", "axis")
MIXED: tuple[float | str, ...] = (0.0, 5.0, "auto")


class Size(NamedTuple):
    """How large forests and trees are."""

    n_trees: int
    n_leaves: int


def fitted_forest(train: Problem, n_trees: int) -> Any:
    """Return a forest of the data."""
    if train.task in NUMBER_TASKS:
        forest: Any = ObliqueForestRegressor(n_estimators=n_trees, random_state=0)
    else:
        forest = ObliqueForestClassifier(n_estimators=n_trees, random_state=0, hierarchy=train.hierarchy)
    return forest.fit(train.X, train.y)


def fitted_tree(train: Problem, split: str, n_leaves: int) -> Any:
    """Return a tree of the data."""
    options: dict[str, Any] = {"split": split, "max_leaf_nodes": n_leaves, "random_state": 0}
    if train.task in NUMBER_TASKS:
        return ObliqueTreeRegressor(**options).fit(train.X, train.y)
    return ObliqueTreeClassifier(**options, hierarchy=train.hierarchy).fit(train.X, train.y)


def compared(train: Problem, test: Problem, size: Size, *, study: bool) -> list[float]:
    """Return the score of a forest, and of each split learner scores, then fidelities, of kinds of trees."""
    forest = fitted_forest(train, size.n_trees)
    found = [forest.score(test.X, test.y)]
    for split in SPLITS:
        options: dict[str, Any] = {"split": split, "max_leaf_nodes": size.n_leaves, "random_state": 0}
        ways = MIXED if study else MIXED[-1:]
        trees = [distilled_tree(forest, train.X, mixed=each, **options).tree for each in ways]
        if not study:
            trees.insert(0, fitted_tree(train, split, size.n_leaves))
        found += [tree.score(test.X, test.y) for tree in trees]
        found += [fidelity(tree, forest, test.X).r2 for tree in trees]
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="data sets; by default ten")
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--leaves", type=int, default=16)
    parser.add_argument("--rows", type=int, default=3000, help="at most so many rows of each set")
    parser.add_argument("--study", action="store_true", help="ways to choose rows, on the parameter study")
    options = parser.parse_args(arguments)
    print_environment(trees=options.trees, leaves=options.leaves, rows=options.rows)
    print_head(
        ["data", "task", "forest", *(f"{s}: {what}" for s in SPLITS for what in ("score", "fidelity"))]
    )
    size = Size(options.trees, options.leaves)
    means = []
    for name in options.names or (STUDY if options.study else SETS):
        problem = read(name)
        rows = np.random.default_rng(0).permutation(problem.n_rows)[: options.rows]
        folds = three_folds(problem.rows(rows))
        means.append(np.mean([compared(*fold, size, study=options.study) for fold in folds], axis=0))
        print_row([name, problem.task, *_cells(means[-1])])
    print_row(["mean", "", *_cells(np.mean(means, axis=0))])


def _cells(values: np.ndarray) -> list[str]:
    """Write the forest's score, and then those of trees that are compared side by side."""
    parts = values[1:].reshape(2 * len(SPLITS), -1).tolist()
    return [f"{values[0]:.3f}", *(", ".join(f"{value:.3f}" for value in part) for part in parts)]


if __name__ == "__main__":
    main()
