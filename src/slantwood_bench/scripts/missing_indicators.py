"""Columns that say where values are missing: never, always, and where they tell something.

`python -m slantwood_bench.scripts.missing_indicators [NAME ...]`. First generated problems in which the cells
of some columns are missing at random, depending on another feature, on the value itself or on the class, next
to scikit-learn's random forest; then real sets with missing cells of their own. All get the same folds and
seeds.
"""

import argparse
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import average_precision_score, f1_score
from sklearn.model_selection import KFold

from slantwood import ObliqueForestClassifier, ObliqueForestRegressor
from slantwood.metrics import mean_r2
from slantwood.task_names import LABEL_TASKS, NUMBER_TASKS
from slantwood_bench.methods.base import dense
from slantwood_bench.problems import Problem, load_problem
from slantwood_bench.scripts.report import print_environment, print_head, print_row

NAMES = (
    "arrhythmia",
    "cholesterol",
    "credit-approval",
    "speeddating",
    "diabetes130us",
    "rf1",
    "scpf",
    "yeast_expr_FUN",
    "yeast_church_FUN",
)
FOLDS = 3
WAYS: tuple[bool | str, ...] = (False, True, "auto")

# Rows of a generated problem, and columns whose cells may be missing.
ROWS, COLUMNS = 1000, 5


# Which cells of X are missing in half of the cases, and not in a tenth; None for all in three tenths.
PATTERNS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray] | None] = {
    "at random": None,
    "where another feature is high": lambda X, y: np.roll(X, 1, axis=1) > 0,
    "where the value is high": lambda X, y: X > 0,
    "where the class is 1": lambda X, y: np.tile(y[:, None] == 1, X.shape[1]),
}


def generated(pattern: str, seed: int) -> Problem:
    """Make two classes that a slanted plane divides, with noise, and take out cells by a pattern."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROWS, COLUMNS))
    y = (X[:, 0] + X[:, 1] + rng.normal(size=ROWS) > 0).astype(int)
    often = PATTERNS[pattern]
    chance = np.full(X.shape, 0.3) if often is None else np.where(often(X, y), 0.5, 0.1)
    return Problem("binary", np.where(rng.random(X.shape) < chance, np.nan, X), y)


def read(name: str, rows: int) -> Problem:
    """Read at most so many rows of a set; labels of a hierarchy as labels that occur."""
    problem = load_problem(name)
    problem = problem.rows(np.random.default_rng(0).permutation(problem.n_rows)[:rows])
    if problem.hierarchy is None:
        return problem
    y = dense(problem.y)
    return problem._replace(y=y[:, y.any(axis=0)], hierarchy=None)


class Result(NamedTuple):
    """The quality of each way for each seed, and how many columns had missing cells, and an indicator."""

    scores: np.ndarray
    n_missing: float
    n_chosen: float


def judged(task: str, forest: Any, part: Problem) -> float:
    """R2 of numbers, macro F1 of classes, of labels the area under the pooled precision-recall curve."""
    if task in NUMBER_TASKS:
        return float(mean_r2(part.y, forest.predict(part.X)))
    if task in LABEL_TASKS:
        return float(average_precision_score(dense(part.y).ravel(), forest.predict_proba(part.X).ravel()))
    return float(f1_score(part.y, forest.predict(part.X), average="macro"))


def compared(problem: Problem, seeds: Sequence[int], trees: int) -> Result:
    """Fit forests with indicators in all ways."""
    kind = ObliqueForestRegressor if problem.task in NUMBER_TASKS else ObliqueForestClassifier
    scores = np.zeros((len(WAYS), len(seeds)))
    counts = np.zeros(len(WAYS))
    for k, seed in enumerate(seeds):
        for train, test in KFold(FOLDS, shuffle=True, random_state=seed).split(np.arange(problem.n_rows)):
            rows, fresh = problem.rows(train), problem.rows(test)
            for j, way in enumerate(WAYS):
                how: dict[str, Any] = {"n_estimators": trees, "random_state": seed, "n_jobs": 2}
                forest = kind(missing_indicators=way, **how).fit(rows.X, rows.y)
                scores[j, k] += judged(problem.task, forest, fresh) / FOLDS
                counts[j] += len(forest.encoding_.indicated) / FOLDS / len(seeds)
    return Result(scores, counts[WAYS.index(True)], counts[WAYS.index("auto")])


def random_forest(problem: Problem, seeds: Sequence[int], trees: int) -> float:
    """Return the mean quality of scikit-learn's forest, which sends missing values to a side of their own."""
    scores = [
        judged(problem.task, RandomForestClassifier(trees, random_state=seed).fit(*rows[1:3]), fresh)
        for seed in seeds
        for train, test in KFold(FOLDS, shuffle=True, random_state=seed).split(problem.y)
        for rows, fresh in [(problem.rows(train), problem.rows(test))]
    ]
    return float(np.mean(scores))


def cells(found: Result) -> list[str]:
    """Return the cells of a table row: counts, means, and what "auto" gains, with its standard error."""
    gain = found.scores[WAYS.index("auto")] - found.scores[WAYS.index(False)]
    error = gain.std(ddof=1) / len(gain) ** 0.5 if len(gain) > 1 else np.nan
    means = [f"{score:.3f}" for score in found.scores.mean(axis=1)]
    return [f"{found.n_chosen:.1f} of {found.n_missing:.1f}", *means, f"{gain.mean():+.3f} ({error:.3f})"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--trees", type=int, default=30)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=1500, help="rows of a set at the most")
    options = parser.parse_args(arguments)
    seeds = range(options.seeds)
    print_environment(trees=options.trees, folds=FOLDS, seeds=options.seeds)
    shared = ["chosen", "no indicators", "all", "auto", "auto gains (standard error)"]
    print_head(["missing", *shared, "random forest"])
    for pattern in PATTERNS:
        problem = generated(pattern, 0)
        peer = random_forest(problem, seeds, options.trees)
        print_row([pattern, *cells(compared(problem, seeds, options.trees)), f"{peer:.3f}"])
    print()
    print_head(["data", *shared])
    for name in options.names:
        print_row([name, *cells(compared(read(name, options.rows), seeds, options.trees))])


if __name__ == "__main__":
    main()
