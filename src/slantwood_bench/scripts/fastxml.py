"""How the nDCG split compares with the published figures of FastXML and PfastreXML.

`python -m slantwood_bench.scripts.fastxml`. P@k and propensity-scored P@k (PSP@k) in percent, and the seconds
of fitting, of the systems as published and of the split with slantwood's defaults. The figures of the
publications are those of the Extreme Classification Repository; bibtex and delicious are cut at random into
parts of the sizes that the repository's have, since the files here do not say which rows were its test rows.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from slantwood import NDCGSplit, ObliqueForestClassifier, TailReranker
from slantwood.metrics import precision_at_k, propensities, propensity_scored_precision_at_k
from slantwood_bench.scripts import datasets
from slantwood_bench.scripts.problems import Problem
from slantwood_bench.scripts.quality import print_row
from slantwood_bench.scripts.report import circumstances, print_circumstances

# Training rows where the files are not in two parts.
TRAINING_ROWS = {"bibtex": 4880, "delicious": 12920}
NAMES = ("eurlex-eurovoc", *TRAINING_ROWS)
AT = (1, 3, 5)

# P@1, 3, 5 and, where known here, PSP@1, 3, 5.
PUBLISHED: dict[tuple[str, str], Sequence[float]] = {
    ("eurlex-eurovoc", "FastXML as published"): (71.4, 59.9, 50.4),
    ("eurlex-eurovoc", "PfastreXML"): (73.1, 60.2, 50.5, 43.9, 45.7, 47.0),
    ("bibtex", "FastXML as published"): (63.4, 39.2, 28.9),
    ("delicious", "FastXML as published"): (69.6, 64.1, 59.3),
}


def load(name: str, *, first_rows: bool) -> Problem:
    """Read a set, cut as officially, or else at random or by place into parts of the official sizes."""
    data = datasets.load(name)
    if data.X_test is not None:
        return Problem(name, data.task, data.X, data.y, data.X_test, data.y_test)
    n = data.X.shape[0]
    order = np.arange(n) if first_rows else np.random.default_rng(0).permutation(n)
    train, test = order[: TRAINING_ROWS[name]], order[TRAINING_ROWS[name] :]
    return Problem(name, data.task, data.X[train], data.y[train], data.X[test], data.y[test])


def forest(trees: int, jobs: int, **parameters: Any) -> ObliqueForestClassifier:
    """Make a forest of nDCG splits with defaults."""
    given: dict[str, Any] = {"split": NDCGSplit(), **parameters}
    return ObliqueForestClassifier(n_estimators=trees, n_jobs=jobs, random_state=0, **given)


WAYS: dict[str, Callable[[int, int], Any]] = {
    "FastXML as published": lambda trees, jobs: forest(trees, jobs, split=NDCGSplit.published()),
    "nDCG split, defaults": forest,
    "PfastreXML": lambda trees, jobs: TailReranker(forest(trees, jobs)),
}


def judged(model: Any, problem: Problem) -> tuple[np.ndarray, float]:
    """Fit a model; return P@k and PSP@k in percent, and the seconds of fitting."""
    started = time.perf_counter()
    model.fit(problem.X, problem.y)
    seconds = time.perf_counter() - started
    options = {} if isinstance(model, TailReranker) else {"sparse": True}
    scores = model.predict_proba(problem.X_test, **options)
    scored = propensity_scored_precision_at_k(problem.y_test, scores, propensities(problem.y), AT)
    return 100 * np.concatenate([precision_at_k(problem.y_test, scores, AT), scored]), seconds


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--first-rows", action="store_true", help="train on these, where the cut is free")
    options = parser.parse_args(arguments)
    print_circumstances(circumstances((), trees=options.trees, jobs=options.jobs))
    print()
    print_row(["data", "model", *(f"P@{k}" for k in AT), *(f"PSP@{k}" for k in AT), "seconds"])
    print_row(["---"] * 9)
    for name in options.names:
        problem = load(name, first_rows=options.first_rows)
        for way, make in WAYS.items():
            # Compiling is not what is measured.
            make(1, 1).fit(problem.X[:100], problem.y[:100])
            found, seconds = judged(make(options.trees, options.jobs), problem)
            print_row([name, way, *(f"{value:.1f}" for value in found), f"{seconds:.1f}"])
            if (name, way) in PUBLISHED:
                figures = [f"{value:.1f}" for value in PUBLISHED[name, way]]
                print_row([name, f"{way}: figures of others", *figures, *[""] * (7 - len(figures))])


if __name__ == "__main__":
    main()
