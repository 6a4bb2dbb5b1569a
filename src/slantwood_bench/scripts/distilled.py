"""A single tree that imitates a forest, beside a tree of the same size that is grown on the data.

`python -m slantwood_bench.scripts.distilled [NAMES]`. Both are measured on the third of the rows that neither
they nor the forest saw, averaged over three folds: their score (accuracy, R2, share of label sets that are
right, or for hierarchies the area under the pooled precision-recall curve), and their fidelity, the part of
the variance of the forest's predictions that they have.
"""

import argparse
from collections.abc import Sequence
from typing import Any

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
SPLITS = ("gradient", "axis")


def measured(train: Problem, test: Problem, n_trees: int, n_leaves: int, jobs: int) -> list[float]:
    """Return the score of a forest, and of each split learner score and fidelity of both kinds of trees."""
    is_number = train.task in NUMBER_TASKS
    hierarchy: dict[str, Any] = {} if is_number else {"hierarchy": train.hierarchy}
    forest_class: Any = ObliqueForestRegressor if is_number else ObliqueForestClassifier
    tree_class: Any = ObliqueTreeRegressor if is_number else ObliqueTreeClassifier
    forest = forest_class(n_estimators=n_trees, random_state=0, n_jobs=jobs, **hierarchy)
    forest.fit(train.X, train.y)
    found = [forest.score(test.X, test.y)]
    for split in SPLITS:
        grown = tree_class(split=split, max_leaf_nodes=n_leaves, random_state=0, **hierarchy)
        grown.fit(train.X, train.y)
        options: dict[str, Any] = {"split": split, "max_leaf_nodes": n_leaves, "random_state": 0}
        distilled = distilled_tree(forest, train.X, X_unseen=test.X, **options)
        found += [grown.score(test.X, test.y), distilled.tree.score(test.X, test.y)]
        found += [fidelity(grown, forest, test.X).r2, distilled.fidelity.r2]
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=SETS, help="data sets; by default ten")
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--leaves", type=int, default=16)
    parser.add_argument("--rows", type=int, default=3000, help="at most so many rows of each set")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    print_environment(trees=options.trees, leaves=options.leaves, rows=options.rows)
    kinds = [f"{split}: {what}" for split in SPLITS for what in ("score", "fidelity")]
    print_head(["data", "task", "forest", *kinds])
    total: list[list[float]] = []
    for name in options.names:
        problem = read(name)
        rows = np.random.default_rng(0).permutation(problem.n_rows)[: options.rows]
        folds = three_folds(problem.rows(rows))
        mean = np.mean(
            [measured(*fold, options.trees, options.leaves, options.jobs) for fold in folds], axis=0
        )
        total.append(mean.tolist())
        print_row([name, problem.task, f"{mean[0]:.3f}", *_pairs(mean[1:])])
    print_row(["mean", "", f"{np.mean(total, axis=0)[0]:.3f}", *_pairs(np.mean(total, axis=0)[1:])])


def _pairs(values: np.ndarray) -> list[str]:
    """Write pairs, of the tree grown on the data and of the distilled one."""
    return [f"{grown:.3f}, {distilled:.3f}" for grown, distilled in values.reshape(-1, 2).tolist()]


if __name__ == "__main__":
    main()
