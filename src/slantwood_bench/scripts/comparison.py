"""Fits several methods on one problem in turn, again and again, and sums it up as the rows of a table.

Every repetition goes through the entrants in the opposite order of the one before, and ratios are taken
within a repetition: so speed that drifts on the way, for whatever reason, does not favour anyone.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from slantwood.task_names import LABEL_TASKS
from slantwood_bench.jobs import Job
from slantwood_bench.methods import method_class
from slantwood_bench.problems import Problem
from slantwood_bench.usage import Usage, median_seconds
from slantwood_bench.worker import Folders, Worker

_FITS = "slantwood_bench.scripts.timed_fit"
_PRODUCT_REPEATS = 20


@dataclass(frozen=True)
class Entrant:
    """One of the `METHODS`, with so many threads."""

    method: str
    n_jobs: int


@dataclass(frozen=True)
class Outcome:
    """Usage and quality of a fit; where something is missing, `remark` says why."""

    usage: Usage = field(default_factory=Usage)
    quality: dict[str, float] = field(default_factory=dict)
    remark: str = ""


@dataclass(frozen=True)
class Comparison:
    """Outcomes by entrant, one for each repetition, and the seconds of a pair of products before each."""

    outcomes: dict[Entrant, list[Outcome]]
    products: list[float]

    def seconds(self, entrant: Entrant) -> np.ndarray:
        """Seconds of each repetition."""
        return np.array([outcome.usage.seconds for outcome in self.outcomes[entrant]])

    def ratio(self, entrant: Entrant, reference: Entrant) -> float:
        """Median over the repetitions of an entrant's time divided by that of the reference."""
        return float(np.median(self.seconds(entrant) / self.seconds(reference)))


def compare(
    train: Problem, entrants: Sequence[Entrant], n_trees: int, repeats: int, timeout: float
) -> Comparison:
    """Fit all entrants `repeats` times; one that gave no result once is not tried again.

    Parameters
    ----------
    train : Problem
        The training part of a data set, which the worker reads by its name.
    entrants : sequence of Entrant
        Who takes part.
    n_trees, repeats : int
        Trees of each forest, and fits of each entrant.
    timeout : float
        Seconds that a fit and its predictions may take.
    """
    outcomes: dict[Entrant, list[Outcome]] = {entrant: [] for entrant in entrants}
    products = []
    with Worker(_FITS) as worker:
        for repeat in range(repeats):
            products.append(_seconds_of_products(train.X))
            for entrant in entrants if repeat % 2 == 0 else reversed(entrants):
                before = outcomes[entrant]
                if before and before[-1].remark:
                    before.append(before[-1])
                elif remark := refusal(entrant.method, train):
                    before.append(Outcome(remark=remark))
                else:
                    _tell(
                        f"{train.name}, {repeat + 1} of {repeats}: {entrant.method}, {entrant.n_jobs} threads"
                    )
                    before.append(fit_apart(worker, train.name, entrant, n_trees, timeout))
    return Comparison(outcomes, products)


def refusal(name: str, problem: Problem) -> str:
    """Say why a method has no part in a comparison; empty where it has."""
    method = method_class(name)
    if not method.version():
        return "not installed"
    if problem.task not in (*method.tasks, *method.more_tasks):
        return f"not for {problem.task}"
    if problem.task in LABEL_TASKS and problem.n_targets > method.most_labels:
        return f"left out: a model for each of {problem.n_targets} labels"
    return ""


def fit_apart(worker: Worker, dataset: str, entrant: Entrant, n_trees: int, timeout: float) -> Outcome:
    """Fit in a process of its own; whatever goes wrong is an outcome with a remark, never an exception."""
    job = Job("speed", entrant.method, dataset, n_trees=n_trees, threads=entrant.n_jobs, timeout=timeout)
    row = worker.result(job, Folders(None, Path()))
    if row["status"] != "ok":
        return Outcome(remark=f"{row['status']}: {row['error']}")
    return Outcome(Usage(**row["usage"]), row["qualities"])


def _seconds_of_products(X: Any) -> float:
    """Time of ``X @ v + X.T @ g``, the pair of products without which no gradient is known; sparse X only."""
    if not sparse.issparse(X):
        return float("nan")
    rng = np.random.default_rng(0)
    v, g = (rng.random(size, dtype=np.float32) for size in reversed(X.shape))
    transposed = X.T
    return median_seconds(lambda: (X @ v, transposed @ g), _PRODUCT_REPEATS)


def _tell(progress: str) -> None:
    print(progress, file=sys.stderr, flush=True)


def rows_of(comparison: Comparison, reference: Entrant | None) -> list[dict[str, Any]]:
    """Sum up each entrant in a row; quality and memory are medians, too."""
    rows = []
    for entrant, outcomes in comparison.outcomes.items():
        seconds = comparison.seconds(entrant)
        row: dict[str, Any] = {"method": entrant.method, "n_jobs": entrant.n_jobs}
        row["seconds"] = float(np.median(seconds))
        if reference is not None:
            row[f"to {reference.method}"] = comparison.ratio(entrant, reference)
        if np.isfinite(comparison.products).all():
            row["in products"] = float(np.median(seconds / comparison.products))
        row["MB grown"] = float(np.median([outcome.usage.grown for outcome in outcomes]))
        row["MB peak"] = float(np.median([outcome.usage.peak for outcome in outcomes]))
        for name in outcomes[0].quality:
            values = [outcome.quality.get(name, np.nan) for outcome in outcomes]
            row[name] = float(np.median(values))
        row["remark"] = outcomes[-1].remark
        row["all seconds"] = seconds.tolist()
        row["seconds of products"] = comparison.products
        rows.append(row)
    return rows
