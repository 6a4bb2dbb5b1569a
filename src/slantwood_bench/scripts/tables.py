"""Real tables straight from data frames, with text and missing cells, beside LightGBM.

`python -m slantwood_bench.scripts.tables [NAME ...]`. Two thirds of the rows train, one third tests; times
are of `fit`, in one run, on the same threads. LightGBM gets text columns as pandas categories. `--all-rows`
trains on all rows and shows times only.
"""

import argparse
import resource
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn.metrics import f1_score, r2_score

from slantwood import ObliqueForestClassifier, ObliqueForestRegressor
from slantwood_bench.scripts.datasets import load_frame
from slantwood_bench.scripts.quality import print_row
from slantwood_bench.scripts.report import circumstances, print_circumstances

NAMES = ("credit-approval", "cpmp-2015", "speeddating", "diabetes130us")


def with_categories(X: pd.DataFrame) -> pd.DataFrame:
    """Turn text columns into pandas categories."""
    text = [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]
    return X.astype(dict.fromkeys(text, "category"))


def models(task: str, trees: int, jobs: int) -> dict[str, Any]:
    """Return the forest, and LightGBM with as many rounds and with its default number."""
    forest, boosting = (
        (ObliqueForestRegressor, LGBMRegressor)
        if task == "str"
        else (ObliqueForestClassifier, LGBMClassifier)
    )
    rounds = {
        f"LightGBM, {n} rounds": boosting(n_estimators=n, n_jobs=jobs, verbose=-1, random_state=0)
        for n in (trees, 100)
    }
    return {f"slantwood, {trees} trees": forest(n_estimators=trees, n_jobs=jobs, random_state=0), **rounds}


def judged(task: str, y: np.ndarray, predicted: np.ndarray) -> float:
    """R2 of numbers, F1 of the second class, macro F1 of more classes."""
    if task == "str":
        return float(r2_score(y, predicted))
    if task == "bin":
        return float(f1_score(y, predicted, pos_label=np.unique(y)[1]))
    return float(f1_score(y, predicted, average="macro"))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--all-rows", action="store_true", help="train on all rows")
    options = parser.parse_args(arguments)
    print_circumstances(circumstances(["lightgbm"], trees=options.trees, jobs=options.jobs))
    print()
    # Compiling is not what is measured.
    for kind in (ObliqueForestClassifier, ObliqueForestRegressor):
        kind(n_estimators=1).fit(np.eye(20), np.arange(20) % 2).predict(np.eye(20))
    print_row(["data", "rows x columns", "text", "missing", "model", "quality", "seconds"])
    print_row(["---"] * 7)
    for name in options.names:
        task, X, y = load_frame(name)
        is_text = [not pd.api.types.is_numeric_dtype(X[column]) for column in X]
        facts = [f"{len(X)} x {X.shape[1]}", str(sum(is_text)), f"{X.isna().to_numpy().mean():.1%}"]
        test = np.zeros(len(X), bool) if options.all_rows else np.random.default_rng(0).random(len(X)) < 1 / 3
        for label, model in models(task, options.trees, options.jobs).items():
            table = X if "slantwood" in label else with_categories(X)
            started = time.perf_counter()
            model.fit(table[~test], y[~test])
            seconds = time.perf_counter() - started
            quality = judged(task, y[test], model.predict(table[test])) if test.any() else np.nan
            shown = "-" if options.all_rows else f"{quality:.3f}"
            print_row([name, *facts, label, shown, f"{seconds:.2f}"])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"\nLargest memory of the process: {peak:.2f} GiB")


if __name__ == "__main__":
    main()
