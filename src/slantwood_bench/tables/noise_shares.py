"""Tables of the share of importance that noise features get, by one measure of importance and by all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from slantwood_bench.jobs import IMPORTANCE
from slantwood_bench.tables.rows import (
    FINISHED,
    Description,
    Marks,
    Row,
    of_experiment,
    pairs_of,
)
from slantwood_bench.tables.table import Table, Value


def importances(rows: Sequence[Row], known: Mapping[str, Description] | None = None) -> Table:
    """Make the table of shares of real and of noise features in the importance, by data set and method."""
    scored = of_experiment(rows, IMPORTANCE)
    marks = Marks(scored)
    return Table(
        "importances",
        "Importance of real features and of as many noise features",
        ("data set", "method", "task", "share of real", "share of noise", "noise / real", "below half"),
        tuple(
            (marks.on(pair.dataset), pair.method.title, pair.task, *_shares(pair.rows))
            for pair in pairs_of(scored, known)
        ),
        (
            "Shares of the sum of all importances. Below half: noise has less than half of what the real "
            "features have.",
            *marks.notes(row["dataset"] for row in scored),
        ),
        left=(0, 1, 2, 6),
        decimals=3,
    )


def noise_by_ranking(rows: Sequence[Row], known: Mapping[str, Description] | None = None) -> Table:
    """Make the table of the share of noise features in each feature ranking, by data set and method."""
    scored = [row for row in of_experiment(rows, IMPORTANCE) if row.get("noise_by_ranking")]
    marks = Marks(scored)
    names = tuple(dict.fromkeys(name for row in scored for name in row["noise_by_ranking"]))
    return Table(
        "noise-by-ranking",
        "Share of as many noise features as real ones in the scores of feature rankings",
        ("data set", "method", "task", *names),
        tuple(
            (
                marks.on(pair.dataset),
                pair.method.title,
                pair.task,
                *(_mean([row["noise_by_ranking"][name] for row in pair.rows]) for name in names),
            )
            for pair in pairs_of(scored, known)
        ),
        (
            "0.5 would be as much as the real features have; scores below 0 count 0. For "
            "permutation, forests are grown on bootstrap samples; it is left out where features are many.",
            *marks.notes(row["dataset"] for row in scored),
        ),
        left=(0, 1, 2),
        decimals=3,
    )


def _mean(shares: Sequence[float | None]) -> float | None:
    known = [share for share in shares if share is not None]
    return fmean(known) if known else None


def _shares(rows: Sequence[Row]) -> tuple[Value, ...]:
    """Return the shares of real and noise features, their ratio, and whether it is below half."""
    unfinished = [row["status"] for row in rows if row["status"] != FINISHED]
    if unfinished:
        return (unfinished[0],) * 3 + (None,)
    sums = [(sum(row["importances"]["real"]), sum(row["importances"]["noise"])) for row in rows]
    # A model without a split has no importances to share out.
    shares = [real / (real + noise) for real, noise in sums if real + noise > 0]
    if not shares:
        return ("no splits",) * 3 + (None,)
    real = fmean(shares)
    quotient = (1 - real) / real if real > 0 else None
    return real, 1 - real, quotient, "yes" if quotient is not None and quotient < 0.5 else "no"
