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

from slantwood import ObliqueForestClassifier, ObliqueForestRegressor
from slantwood_bench.measures import quality
from slantwood_bench.methods.oblique import estimator
from slantwood_bench.problems import load_problem
from slantwood_bench.scripts.report import print_environment, print_head, print_row

NAMES = ("credit-approval", "cpmp-2015", "speeddating", "diabetes130us")


def with_categories(X: pd.DataFrame) -> pd.DataFrame:
    """Turn text columns into pandas categories."""
    text = [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]
    return X.astype(dict.fromkeys(text, "category"))


def models(task: str, trees: int, jobs: int) -> dict[str, Any]:
    """Return the forest, and LightGBM with as many rounds and with its default number."""
    boosting = LGBMRegressor if task == "regression" else LGBMClassifier
    rounds = {
        f"LightGBM, {n} rounds": boosting(n_estimators=n, n_jobs=jobs, verbose=-1, random_state=0)
        for n in (trees, 100)
    }
    return {
        f"slantwood, {trees} trees": estimator(task)(n_estimators=trees, n_jobs=jobs, random_state=0),
        **rounds,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--all-rows", action="store_true", help="train on all rows")
    options = parser.parse_args(arguments)
    print_environment(["lightgbm"], trees=options.trees, jobs=options.jobs)
    # Compiling is not what is measured.
    for kind in (ObliqueForestClassifier, ObliqueForestRegressor):
        kind(n_estimators=1).fit(np.eye(20), np.arange(20) % 2).predict(np.eye(20))
    print_head(["data", "rows x columns", "text", "missing", "model", "quality", "seconds"])
    for name in options.names:
        problem = load_problem(name)
        X = pd.DataFrame(problem.X)
        is_text = [not pd.api.types.is_numeric_dtype(X[column]) for column in X]
        size = [f"{len(X)} x {X.shape[1]}", str(sum(is_text)), f"{X.isna().to_numpy().mean():.1%}"]
        test = np.zeros(len(X), bool) if options.all_rows else np.random.default_rng(0).random(len(X)) < 1 / 3
        for label, model in models(problem.task, options.trees, options.jobs).items():
            table = X if "slantwood" in label else with_categories(X)
            started = time.perf_counter()
            model.fit(table[~test], problem.y[~test])
            seconds = time.perf_counter() - started
            shown = "-"
            if test.any():
                shown = f"{quality(problem.task, problem.y[test], model.predict(table[test])):.3f}"
            print_row([name, *size, label, shown, f"{seconds:.2f}"])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"\nLargest memory of the process: {peak:.2f} GiB")


if __name__ == "__main__":
    main()
