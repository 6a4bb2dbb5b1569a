"""Missing inputs: the library's own treatment beside means put in before fitting.

`python -m slantwood_bench.scripts.missing [NAME ...]`. Sets with missing cells of their own, as they are and
with a fifth of all cells taken out at random, in training and test rows alike. Both ways get the same folds
and seeds, and no columns that say what is missing; `scripts.missing_indicators` is about these.
"""

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.impute import SimpleImputer
from sklearn.metrics import average_precision_score
from sklearn.model_selection import KFold

from slantwood import ObliqueForestClassifier, ObliqueForestRegressor
from slantwood.metrics import mean_r2
from slantwood_bench.methods.base import dense
from slantwood_bench.problems import load_problem
from slantwood_bench.scripts.report import print_environment, print_head, print_row

NAMES = ("rf1", "scpf", "yeast_expr_FUN", "yeast_church_FUN", "yeast_gasch1_FUN")
FOLDS = 3
TAKEN_OUT = 0.2


def numbers(X: pd.DataFrame | np.ndarray) -> np.ndarray:
    """Keep the columns of numbers, since means are put in for these only."""
    X = X.select_dtypes("number").to_numpy() if isinstance(X, pd.DataFrame) else X
    return X.astype(np.float64)


def read(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers among the inputs, and numbers or the labels that occur."""
    problem = load_problem(name)
    y = dense(problem.y)
    return numbers(problem.X), y[:, y.any(axis=0)] if problem.hierarchy else y


def judged(forest: Any, X: np.ndarray, y: np.ndarray) -> float:
    """R2 of numbers; of labels the area under the pooled precision-recall curve."""
    if isinstance(forest, ObliqueForestRegressor):
        return float(mean_r2(y, forest.predict(X)))
    return float(average_precision_score(y.ravel(), forest.predict_proba(X).ravel()))


def compared(
    is_labels: bool, X: np.ndarray, y: np.ndarray, seeds: Sequence[int], **how: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Quality of both ways, for each seed: values left missing, and means in their place."""
    kind = ObliqueForestClassifier if is_labels else ObliqueForestRegressor
    scores = np.zeros((2, len(seeds)))
    for k, seed in enumerate(seeds):
        for train, test in KFold(FOLDS, shuffle=True, random_state=seed).split(X):
            means = SimpleImputer(keep_empty_features=True).fit(X[train])
            for way, table in enumerate([X, means.transform(X)]):
                forest = kind(random_state=seed, missing_indicators=False, **how)
                forest.fit(table[train], y[train])
                scores[way, k] += judged(forest, table[test], y[test]) / FOLDS
    return scores[0], scores[1]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--trees", type=int, default=30)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=3000, help="rows of a set at the most")
    options = parser.parse_args(arguments)
    print_environment(trees=options.trees, folds=FOLDS, seeds=options.seeds)
    print_head(["data", "missing", "split", "left missing", "means put in", "difference (standard error)"])
    for name in options.names:
        is_labels = name.endswith("_FUN")
        table, y = read(name)
        chosen = np.random.default_rng(0).permutation(len(y))[: options.rows]
        given, y = table[chosen], y[chosen]
        for taken_out in (0.0, TAKEN_OUT):
            X = np.where(np.random.default_rng(1).random(given.shape) < taken_out, np.nan, given)
            for split in ("gradient", "svm"):
                how = {"n_estimators": options.trees, "split": split, "n_jobs": 2}
                left, put_in = compared(is_labels, X, y, range(options.seeds), **how)
                error = (left - put_in).std(ddof=1) / len(left) ** 0.5 if len(left) > 1 else np.nan
                difference = f"{(left - put_in).mean():+.3f} ({error:.3f})"
                shown = [f"{np.isnan(X).mean():.1%}", split, f"{left.mean():.3f}", f"{put_in.mean():.3f}"]
                print_row([name, *shown, difference])


if __name__ == "__main__":
    main()
