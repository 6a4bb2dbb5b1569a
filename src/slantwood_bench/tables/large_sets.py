"""Table of learning times of bagging on large data sets, in the paper and here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from slantwood.data import dataset
from slantwood_bench.jobs import COMPARISON, TIMES
from slantwood_bench.tables.costs import shared_values
from slantwood_bench.tables.rows import (
    FINISHED,
    Description,
    Marks,
    Row,
    all_of,
    describe,
    of_experiment,
    over_folds,
)
from slantwood_bench.tables.table import Table, Value

DNF, NA = "DNF", "NA"
_MINUTES_ALLOWED = 4320.0

_METHODS = ("bag-svm", "bag-gradient", "bag-pct", "fastxml", "lightgbm")
_PUBLISHED_TITLES = ("BAG-spyct-svm", "BAG-spyct-grad", "BAG-PCT", "FastXML", "LightGBM")
_GRADIENT, _PCT = 1, 2

# Minutes, in the order of the methods above: Table 7 of the paper.
PUBLISHED: dict[str, tuple[float | str, ...]] = {
    "diabetes130us": (95.7, 65.4, 749.0, NA, 11.2),
    "hepatitisC": (5.4, 1.8, 12.4, NA, 55.4),
    "bookmarks": (28.4, 44.4, 1747.7, 16.8, NA),
    "eurlex-eurovoc": (200.8, 8.0, DNF, 8.1, NA),
    "rcv1subset1": (6.0, 18.2, 987.2, 0.4, NA),
    "tmc2007": (22.5, 129.2, DNF, 4.8, NA),
    "reuters": (4.0, 11.8, 883.2, 0.4, NA),
    "yeast_expr_FUN": (17.2, 1.2, 517.1, 3.0, NA),
}


def learning_times(rows: Sequence[Row], known: Mapping[str, Description] | None = None) -> Table:
    """Make the table of learning times on the paper's large data sets, published and measured here.

    What was measured for times counts, and where a data set has none of these what the comparison took.
    """
    methods = describe(_METHODS, known)
    marks = Marks(rows)
    body, used = [], []
    for name, minutes in PUBLISHED.items():
        here = _measured(rows, name)
        ran = here[0]["dataset"] if here else name
        used.append(ran)
        body.append(
            (
                marks.on(ran) if ran == name else f"{name}, here {marks.on(ran)}",
                dataset(name).task,
                *minutes,
                *(_seconds(here, method) for method in _METHODS),
                _published_ratio(minutes),
                _ratio(here),
                all_of(here, "n_trees"),
                all_of(here, "threads"),
            )
        )
    return Table(
        "learning-times",
        "Learning times on large data sets: minutes in the paper, seconds here",
        (
            "data set",
            "task",
            *(f"paper, minutes: {title}" for title in _PUBLISHED_TITLES),
            *(f"here, seconds: {methods[name].title}" for name in _METHODS),
            "paper: BAG-PCT / BAG-spyct-grad",
            f"here: {methods['bag-pct'].title} / {methods['bag-gradient'].title}",
            "trees here",
            "threads here",
        ),
        tuple(body),
        (
            "The paper: 50 trees, up to 10 cores of another computer, other implementations. "
            "DNF: not within 3 days (4320 minutes); NA: not for this task.",
            "Here: means over the folds that finished; ratios over the folds that both methods finished, or "
            "at least so much (>) where axis-parallel bagging was stopped.",
            *marks.notes(used),
        ),
        left=(0, 1),
        # One digit in the published minutes, as published.
        decimals=(None, None, *(1 for _ in _PUBLISHED_TITLES), *(None for _ in _METHODS), *(None,) * 4),
    )


def _measured(rows: Sequence[Row], name: str) -> list[Row]:
    """Return the rows on a data set or on the first of those that stand in for it."""
    for candidate in (name, *dataset(name).stand_ins):
        for experiment in (TIMES, COMPARISON):
            found = [
                row
                for row in of_experiment(rows, experiment)
                if row["dataset"] == candidate and row["method"] in _METHODS
            ]
            if found:
                return found
    return []


def _seconds(rows: Sequence[Row], method: str) -> Value:
    own = [row for row in rows if row["method"] == method]
    done = [row for row in own if row["status"] == FINISHED]
    return over_folds(done or own, len(done or own), "learn_seconds")


def _published_ratio(minutes: Sequence[float | str]) -> Value:
    gradient, pct = minutes[_GRADIENT], minutes[_PCT]
    assert isinstance(gradient, float)
    if isinstance(pct, str):
        return f"> {_MINUTES_ALLOWED / gradient:.3g}"
    return pct / gradient


def _ratio(rows: Sequence[Row]) -> Value:
    gradient = [row for row in rows if row["method"] == "bag-gradient"]
    pct = [row for row in rows if row["method"] == "bag-pct"]
    for slow, fast in shared_values(pct, gradient, "learn_seconds").values():
        return slow / fast if fast > 0 else None
    # What was stopped would have taken longer than until then.
    stopped = [
        {**row, "status": FINISHED, "learn_seconds": row.get("seconds")}
        for row in pct
        if row["status"] == "timed out"
    ]
    for slow, fast in shared_values(stopped, gradient, "learn_seconds").values():
        return f"> {slow / fast:.3g}" if fast > 0 else None
    return None
