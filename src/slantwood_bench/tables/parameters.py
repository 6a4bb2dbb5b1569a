"""Tables of how quality changes with a parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from slantwood_bench.jobs import SENSITIVITY
from slantwood_bench.tables.rows import (
    Description,
    Marks,
    Row,
    grouped,
    n_folds_of,
    of_experiment,
    over_folds,
    pairs_of,
)
from slantwood_bench.tables.table import Table, Value, largest


def parameters_of(rows: Sequence[Row]) -> list[str]:
    """Return the parameters whose influence was studied, by name."""
    return sorted({name for row in of_experiment(rows, SENSITIVITY) for name in row["changes"]})


def sensitivity(rows: Sequence[Row], parameter: str, known: Mapping[str, Description] | None = None) -> Table:
    """Make the table of quality by data set, method and value of a parameter.

    Parameters
    ----------
    parameter : str
        Name of the parameter. Rows in which others were changed do not count.
    """
    studied = [row for row in of_experiment(rows, SENSITIVITY) if set(row["changes"]) == {parameter}]
    values = sorted({row["changes"][parameter] for row in studied}, key=_order)
    n_folds = {name: n_folds_of(group) for (name,), group in grouped(studied, "dataset").items()}
    marks = Marks(studied)
    body: list[tuple[Value, ...]] = []
    best = set()
    for pair in pairs_of(studied, known):
        cells = [
            over_folds(
                [row for row in pair.rows if row["changes"][parameter] == value], n_folds[pair.dataset]
            )
            for value in values
        ]
        body.append((marks.on(pair.dataset), pair.method.title, pair.task, *cells))
        best |= {(len(body) - 1, i) for i in largest(body[-1], range(3, 3 + len(values)))}
    return Table(
        f"sensitivity-{parameter}",
        f"Quality by {parameter}: means over folds",
        ("data set", "method", "task", *(f"{parameter} = {value}" for value in values)),
        tuple(body),
        marks.notes(row["dataset"] for row in studied),
        left=(0, 1, 2),
        best=frozenset(best),
        decimals=3,
    )


def _order(value: Any) -> tuple[bool, float, str]:
    """Put numbers in order, and words after them."""
    return (True, 0.0, str(value)) if isinstance(value, str) or value is None else (False, value, "")
