"""How the nDCG split, and rerankers of rare labels, compare with published figures of FastXML and PfastreXML.

`python -m slantwood_bench.scripts.fastxml`. P@k and propensity-scored P@k (PSP@k) in percent, and the seconds
of fitting, of the systems as published and of the split with slantwood's defaults; and of label trees, with
their labels in the order of `TailReranker`. The figures of the publications are those of the Extreme
Classification Repository; bibtex and delicious are cut at random into parts of the sizes that the
repository's have, since the files here do not say which rows were its test rows.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from slantwood import LabelTreeClassifier, NDCGSplit, ObliqueForestClassifier, TailReranker
from slantwood.metrics import precision_at_k, propensities, propensity_scored_precision_at_k
from slantwood_bench.problems import Problem
from slantwood_bench.scripts.data import read, read_parts
from slantwood_bench.scripts.report import print_environment, print_head, print_row

# Training rows where the files are not in two parts.
TRAINING_ROWS = {"bibtex": 4880, "delicious": 12920}
NAMES = ("eurlex-eurovoc", *TRAINING_ROWS)
AT = (1, 3, 5)

# Of the reranker of label trees, chosen on training rows of Eurlex-4K that were held out.
LABEL_TREES: dict[str, Any] = {"gamma": 5.0, "n_candidates": 300}

# P@1, 3, 5 and, where known here, PSP@1, 3, 5.
PUBLISHED: dict[tuple[str, str], Sequence[float]] = {
    ("eurlex-eurovoc", "FastXML as published"): (71.4, 59.9, 50.4),
    ("eurlex-eurovoc", "PfastreXML"): (73.1, 60.2, 50.5, 43.9, 45.7, 47.0),
    ("bibtex", "FastXML as published"): (63.4, 39.2, 28.9),
    ("delicious", "FastXML as published"): (69.6, 64.1, 59.3),
}


def load(name: str, *, first_rows: bool) -> tuple[Problem, Problem]:
    """Read a set, cut as officially, or else at random or by place into parts of the official sizes."""
    if name not in TRAINING_ROWS:
        return read_parts(name)
    problem = read(name)
    order = np.arange(problem.n_rows)
    if not first_rows:
        order = np.random.default_rng(0).permutation(problem.n_rows)
    train, test = np.split(order, [TRAINING_ROWS[name]])
    return problem.rows(train), problem.rows(test)


def forest(trees: int, jobs: int, **parameters: Any) -> ObliqueForestClassifier:
    """Make a forest of nDCG splits with defaults."""
    given: dict[str, Any] = {"split": NDCGSplit(), **parameters}
    return ObliqueForestClassifier(n_estimators=trees, n_jobs=jobs, random_state=0, **given)


def label_trees(jobs: int) -> LabelTreeClassifier:
    """Make label trees with defaults, which have a forest of their own size."""
    return LabelTreeClassifier(n_jobs=jobs, random_state=0)


WAYS: dict[str, Callable[[int, int], Any]] = {
    "FastXML as published": lambda trees, jobs: forest(trees, jobs, split=NDCGSplit.published()),
    "nDCG split, defaults": forest,
    "PfastreXML": lambda trees, jobs: TailReranker(forest(trees, jobs)),
    "label trees": lambda trees, jobs: label_trees(jobs),
    "label trees, reranked": lambda trees, jobs: TailReranker(label_trees(jobs), **LABEL_TREES),
}


def judged(model: Any, train: Problem, test: Problem) -> tuple[np.ndarray, float]:
    """Fit a model; return P@k and PSP@k in percent, and the seconds of fitting."""
    started = time.perf_counter()
    model.fit(train.X, train.y)
    seconds = time.perf_counter() - started
    scores = model.predict_proba(test.X, top_k=AT[-1])
    scored = propensity_scored_precision_at_k(test.y, scores, propensities(train.y), AT)
    return 100 * np.concatenate([precision_at_k(test.y, scores, AT), scored]), seconds


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--models", nargs="*", choices=[*WAYS], default=[*WAYS])
    parser.add_argument("--first-rows", action="store_true", help="train on these, where the cut is free")
    options = parser.parse_args(arguments)
    print_environment(trees=options.trees, jobs=options.jobs)
    print_head(["data", "model", *(f"P@{k}" for k in AT), *(f"PSP@{k}" for k in AT), "seconds"])
    for name in options.names:
        train, test = load(name, first_rows=options.first_rows)
        for way in options.models:
            make = WAYS[way]
            # Compiling is not what is measured.
            make(1, 1).fit(train.X[:100], train.y[:100])
            found, seconds = judged(make(options.trees, options.jobs), train, test)
            print_row([name, way, *(f"{value:.1f}" for value in found), f"{seconds:.1f}"])
            if (name, way) in PUBLISHED:
                figures = [f"{value:.1f}" for value in PUBLISHED[name, way]]
                print_row([name, f"{way}: figures of others", *figures, *[""] * (7 - len(figures))])


if __name__ == "__main__":
    main()
