"""Fits several entrants on one problem in turn, again and again, and sums it up as the rows of a table.

Every repetition goes through the entrants in the opposite order of the one before, and ratios are taken
within a repetition: so speed that drifts on the way, for whatever reason, does not favour anyone.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from slantwood_bench.scripts.measure import Limits, Outcome, fit_apart, median_seconds
from slantwood_bench.scripts.peers import PEERS
from slantwood_bench.scripts.problems import Problem

_PRODUCT_REPEATS = 20


@dataclass(frozen=True)
class Entrant:
    """One of the `PEERS`, with so many threads."""

    peer: str
    n_jobs: int


@dataclass(frozen=True)
class Comparison:
    """Outcomes by entrant, one for each repetition, and the seconds of a pair of products before each."""

    outcomes: dict[Entrant, list[Outcome]]
    products: list[float]

    def seconds(self, entrant: Entrant) -> np.ndarray:
        """Seconds of each repetition."""
        return np.array([outcome.usage.seconds for outcome in self.outcomes[entrant]])

    def ratio(self, entrant: Entrant, reference: Entrant | None) -> float:
        """Median over the repetitions of an entrant's time divided by that of the reference."""
        if reference not in self.outcomes:
            return float("nan")
        return float(np.median(self.seconds(entrant) / self.seconds(reference)))


def compare(
    problem: Problem, entrants: Sequence[Entrant], n_trees: int, repeats: int, limits: Limits
) -> Comparison:
    """Fit all entrants `repeats` times; one that gave no result once is not tried again."""
    outcomes: dict[Entrant, list[Outcome]] = {entrant: [] for entrant in entrants}
    products = []
    for repeat in range(repeats):
        products.append(_seconds_of_products(problem.X))
        for entrant in entrants if repeat % 2 == 0 else reversed(entrants):
            before = outcomes[entrant]
            if before and before[-1].remark:
                before.append(before[-1])
                continue
            remark = PEERS[entrant.peer].refusal(problem.task, problem.n_columns)
            if not remark:
                _tell(f"{problem.name}, {repeat + 1} of {repeats}: {entrant.peer}, n_jobs={entrant.n_jobs}")
            before.append(
                Outcome(remark=remark)
                if remark
                else fit_apart(entrant.peer, problem, n_trees, entrant.n_jobs, limits)
            )
    return Comparison(outcomes, products)


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
        row: dict[str, Any] = {"peer": entrant.peer, "n_jobs": entrant.n_jobs}
        row["seconds"] = float(np.median(seconds))
        if reference is not None:
            row[f"to {reference.peer}"] = comparison.ratio(entrant, reference)
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
