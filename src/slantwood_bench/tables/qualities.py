"""Tables of the quality of each method on each data set of a task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from slantwood_bench.jobs import COMPARISON
from slantwood_bench.methods.base import TREE
from slantwood_bench.tables.rows import (
    Description,
    Marks,
    Row,
    by_name,
    describe,
    grouped,
    n_folds_of,
    of_experiment,
    over_folds,
    task_of,
)
from slantwood_bench.tables.table import Table, Value, largest

ABSENT = "absent"


class Qualities(NamedTuple):
    """Mean quality, or why there is none, of methods on data sets.

    Attributes
    ----------
    methods : dict of str to Description
        Those that were tried, in the order of the study.
    cells : dict of str to dict of str to Value
        For each data set and method.
    """

    methods: dict[str, Description]
    cells: dict[str, dict[str, Value]]


def qualities(
    rows: Sequence[Row],
    task: str,
    known: Mapping[str, Description] | None = None,
    trees: bool | None = None,
) -> Qualities:
    """Return the mean over folds for each data set and method of a task in the comparison."""
    of_task = [row for row in of_experiment(rows, COMPARISON) if task_of(row) == task]
    methods = {
        name: description
        for name, description in describe((row["method"] for row in of_task), known).items()
        if task in description.tasks and trees in (None, description.group == TREE)
    }
    of_pair = grouped(of_task, "dataset", "method")
    n_folds = {name: n_folds_of(group) for (name,), group in grouped(of_task, "dataset").items()}
    cells = {
        name: {method: over_folds(of_pair.get((name, method), []), n_folds[name]) for method in methods}
        for name in by_name(n_folds)
    }
    return Qualities(methods, cells)


def quality(
    rows: Sequence[Row],
    task: str,
    absent: Mapping[str, Sequence[str]] | None = None,
    known: Mapping[str, Description] | None = None,
    trees: bool | None = None,
) -> Table:
    """Make the table of data sets and methods of a task, with the means over folds.

    Parameters
    ----------
    task : str
        One of the six.
    absent : mapping of str to sequence of str, optional
        For each task the data sets that could not be had.
    known : mapping of str to Description, optional
        What to believe of methods instead of what their classes say.
    trees : bool or None
        Whether of single trees only, or of ensembles and others only; None for all methods.
    """
    methods, cells = qualities(rows, task, known, trees)
    comparison = [row for row in of_experiment(rows, COMPARISON) if task_of(row) == task]
    marks = Marks(comparison)
    missing = [name for name in (absent or {}).get(task, ()) if name not in cells]
    body: list[tuple[Value, ...]] = []
    best = set()
    for name in by_name([*cells, *missing]):
        if name in cells:
            body.append((marks.on(name), *cells[name].values()))
            best |= {(len(body) - 1, i) for i in largest(body[-1], range(1, len(body[-1])))}
        else:
            body.append((name, *(ABSENT for _ in methods)))
    measure = ", ".join(by_name(row["measure"] for row in comparison if row.get("measure"))) or "quality"
    folds = sorted({n_folds_of(group) for group in grouped(comparison, "dataset").values()})
    return Table(
        f"{'quality-trees' if trees else 'quality'}-{task.replace(' ', '-')}",
        f"{task.capitalize()}{', single trees' if trees else ''}: {measure}, means over folds",
        ("data set", *(description.title for description in methods.values())),
        tuple(body),
        (*_note_on_folds(folds), *marks.notes(cells)),
        best=frozenset(best),
        decimals=3,
    )


def _note_on_folds(folds: Sequence[int]) -> tuple[str, ...]:
    if not folds:
        return ()
    number = " or ".join(map(str, folds))
    return (
        f"Means over {number} fold{'s' * (folds[-1] > 1)}; larger is better, 1 is best. A method that did "
        "not finish a fold has a word in place of the number.",
    )
