"""Several targets with classes of their own, and numbers beside them, next to scikit-learn's random forest.

`python -m slantwood_bench.scripts.nominal_targets [NAME ...]`. Columns of real tables are taken as targets,
the others are the features: nominal ones as indicators, missing numbers at their medians, the same for both.
Our forest learns all targets of a set at once, with its defaults; scikit-learn's learns all classes at once
(one multi-output forest), and each number by a forest of its own. Rows of which a target is missing are left
out, and of large sets all but a sample.
"""

import argparse
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.model_selection import KFold

from slantwood import ObliqueForestClassifier
from slantwood.data import Data, datasets, load
from slantwood.data import read as read_file
from slantwood.metrics import mean_accuracy, mean_macro_f1, mean_r2
from slantwood_bench.scripts.report import print_environment, print_head, print_row

FOLDS = 3

# Its batch, which is left out where the class is the target, is a column of the file.
_WITH_BATCH = "gas-drift-rescaled"


class Targets(NamedTuple):
    """Which columns are targets: classes, or all that the set has, and numbers; inputs are the others."""

    classes: tuple[str, ...]
    numbers: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()


SETS = {
    "wq": Targets(classes=()),  # all: how often each of 14 species was seen, 0, 1, 3 or 5
    "edm": Targets(classes=()),  # all: two actions of an operator, -1, 0 or 1
    "gas-drift-rescaled": Targets(("batch", "class")),  # in which campaign, and which of six gases
    "sf1": Targets(("mod_zurich_class", "largest_spot_size", "spot_distribution", "evolution")),
    "flags": Targets(("landmass", "zone", "language", "religion")),
    "credit-approval": Targets(("A6", "A7", "A9", "A10", "class")),
    "cholesterol": Targets(("cp", "thal", "slope", "exang"), ("thalach", "oldpeak")),
    "jura": Targets(("Landuse", "Rock"), ("Cd", "Co", "Cu"), ("Xloc", "Yloc", "Cr", "Ni", "Pb", "Zn")),
}


class Problem(NamedTuple):
    """Features as numbers, and a frame of targets: columns of floating point are numbers."""

    X: np.ndarray
    y: pd.DataFrame


def table(name: str) -> pd.DataFrame:
    """Return all columns of a data set; of indicators of one nominal column, that column."""
    data = load(name) if name != _WITH_BATCH else _all_columns(name)
    inputs = (
        data.X if isinstance(data.X, pd.DataFrame) else pd.DataFrame(data.X, columns=list(data.feature_names))
    )
    targets = pd.DataFrame(np.asarray(data.y).reshape(len(inputs), -1), columns=list(data.target_names))
    whole = pd.concat([inputs.reset_index(drop=True), targets], axis=1)
    for column in {each.split("=")[0] for each in whole if "=" in each}:
        indicators = whole.filter(regex=f"^{column}=")
        whole = whole.drop(columns=indicators.columns)
        whole[column] = indicators.idxmax(axis=1)
    return whole


def _all_columns(name: str) -> Data:
    path = next(each.paths[0] for each in datasets() if each.name == name and each.paths)
    return read_file(path, targets="class", task="classification")


def read(name: str, rows: int = 2000) -> Problem:
    """Read at most so many rows of a data set, with the columns of `SETS` as its targets."""
    chosen, whole = SETS[name], table(name)
    whole = whole.sample(min(rows, len(whole)), random_state=0).reset_index(drop=True)
    classes = list(chosen.classes) or list(load(name).target_names)
    y = whole[classes].astype(str).where(whole[classes].notna())
    y = pd.concat([y, whole[list(chosen.numbers)].astype(np.float64)], axis=1)
    inputs = whole[list(chosen.inputs)] if chosen.inputs else whole.drop(columns=y.columns)
    inputs = pd.get_dummies(inputs)
    known = y.notna().all(axis=1).to_numpy()
    return Problem(
        inputs.fillna(inputs.median()).to_numpy(np.float32)[known], y[known].reset_index(drop=True)
    )


def ours(X: np.ndarray, y: pd.DataFrame, fresh: np.ndarray, trees: int, seed: int) -> pd.DataFrame:
    """Learn all targets at once."""
    forest = ObliqueForestClassifier(n_estimators=trees, n_jobs=2, random_state=seed).fit(X, y)
    return pd.DataFrame(forest.predict(fresh), columns=y.columns)


def theirs(X: np.ndarray, y: pd.DataFrame, fresh: np.ndarray, trees: int, seed: int) -> pd.DataFrame:
    """Learn all classes at once, and each number alone."""
    how = {"n_estimators": trees, "n_jobs": 2, "random_state": seed}
    numbers = list(y.select_dtypes("float"))
    classes = [name for name in y if name not in numbers]
    forest = RandomForestClassifier(**how).fit(X, y[classes].to_numpy(str))
    said = pd.DataFrame(forest.predict(fresh), columns=classes)
    for name in numbers:
        said[name] = RandomForestRegressor(**how).fit(X, y[name]).predict(fresh)
    return said[list(y)]


def judged(y: pd.DataFrame, said: pd.DataFrame) -> tuple[float, float, float]:
    """Mean accuracy and macro F1 over the targets of classes, and R2 over those of numbers."""
    numbers = list(y.select_dtypes("float"))
    true, predicted = y.drop(columns=numbers), said.drop(columns=numbers)
    r2 = mean_r2(y[numbers].to_numpy(), said[numbers].to_numpy(np.float64)) if numbers else np.nan
    return mean_accuracy(true, predicted), mean_macro_f1(true, predicted), r2


METHODS: dict[str, Callable[..., pd.DataFrame]] = {"slantwood": ours, "random forest": theirs}


def compared(problem: Problem, seeds: Sequence[int], trees: int) -> dict[str, np.ndarray]:
    """Return accuracy, macro F1 and R2 of each method in each fold of each seed."""
    scores: dict[str, list[tuple[float, float, float]]] = {name: [] for name in METHODS}
    for seed in seeds:
        for train, test in KFold(FOLDS, shuffle=True, random_state=seed).split(problem.X):
            for name, learn in METHODS.items():
                said = learn(problem.X[train], problem.y.iloc[train], problem.X[test], trees, seed)
                scores[name].append(judged(problem.y.iloc[test].reset_index(drop=True), said))
    return {name: np.array(each) for name, each in scores.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(SETS))
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args(arguments)
    print_environment(trees=options.trees, folds=FOLDS, seeds=options.seeds)
    print_head(["data", "targets: classes, numbers", "measure", *METHODS, "difference (standard error)"])
    for name in options.names:
        problem = read(name)
        counts = problem.y.dtypes.eq(np.float64).value_counts()
        size = f"{counts.get(False, 0)}, {counts.get(True, 0)}"
        first, second = compared(problem, range(options.seeds), options.trees).values()
        for j, measure in enumerate(("accuracy", "macro F1", "R2")):
            a, b = first[:, j], second[:, j]
            if np.isnan(a).all():
                continue
            by_seed = (a - b).reshape(options.seeds, FOLDS).mean(axis=1)
            error = by_seed.std(ddof=1) / len(by_seed) ** 0.5 if len(by_seed) > 1 else np.nan
            shown = [f"{a.mean():.3f}", f"{b.mean():.3f}", f"{(a - b).mean():+.3f} ({error:.3f})"]
            print_row([name, size, measure, *shown])


if __name__ == "__main__":
    main()
