"""Tables of average ranks over data sets, by task and over all tasks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from slantwood_bench.jobs import COMPARISON
from slantwood_bench.ranks import Comparison, compare
from slantwood_bench.tables.qualities import qualities
from slantwood_bench.tables.rows import Description, Row, describe, of_experiment, tasks_of
from slantwood_bench.tables.table import Table, Value, is_number

ALL_TASKS = "all tasks"
# What is ranked, by whether it is trees.
KINDS = {False: "ensembles and others", True: "single trees"}


@dataclass(frozen=True)
class Ranking:
    """Methods in order of their average ranks, and what could not take part.

    Attributes
    ----------
    comparison : Comparison or None
        The ranks; None where fewer than two methods share a data set.
    n_sets : int
        Data sets that count.
    methods_left_out : tuple of str
        Methods that finished on no data set.
    sets_left_out : tuple of str
        Data sets on which not every method was tried on every fold, or none finished.
    """

    comparison: Comparison | None
    n_sets: int = 0
    methods_left_out: tuple[str, ...] = ()
    sets_left_out: tuple[str, ...] = ()

    @property
    def ranks(self) -> dict[str, float]:
        """Average rank of each method, best first."""
        if self.comparison is None:
            return {}
        return {
            name: float(rank) for name, rank in zip(self.comparison.names, self.comparison.ranks, strict=True)
        }

    @property
    def places(self) -> dict[str, int]:
        """Place of each method: one more than the methods with a smaller average rank."""
        # Sums of ranks in another order differ in the last digits.
        ranks = {name: round(rank, 9) for name, rank in self.ranks.items()}
        return {name: 1 + sum(other < rank for other in ranks.values()) for name, rank in ranks.items()}


def ranking(
    rows: Sequence[Row],
    task: str | None = None,
    trees: bool = False,
    known: Mapping[str, Description] | None = None,
) -> Ranking:
    """Rank the methods of a task.

    A method that did not finish on a data set has the worst rank there, as in the paper. One that finished on
    none is left out: it is not installed here, or not for this task.

    Parameters
    ----------
    task : str or None
        None for all data sets; then methods that take part in every task are ranked.
    trees : bool
        Whether single trees are ranked, or else ensembles and others.
    """
    if task is not None:
        tables = [qualities(rows, task, known, trees)]
    else:
        every = tasks_of(of_experiment(rows, COMPARISON))
        tables = [qualities(rows, each, known, trees) for each in every]
    # The grid of each task without methods that finished nowhere.
    grids = []
    left_out: dict[str, None] = {}
    for methods, cells in tables:
        idle = [name for name in methods if not any(is_number(cells[each][name]) for each in cells)]
        left_out |= dict.fromkeys(idle)
        grids.append(({name for name in methods if name not in idle}, cells))
    shared = set.intersection(*(names for names, _ in grids)) if grids else set()
    return _ranked(
        list(describe(shared, known)),
        {name: line for _, cells in grids for name, line in cells.items()},
        tuple(left_out),
    )


def _ranked(
    names: Sequence[str], cells: Mapping[str, Mapping[str, Value]], left_out: tuple[str, ...]
) -> Ranking:
    lines, skipped = [], []
    for name, line in cells.items():
        values = [line.get(method) for method in names]
        if all(map(_was_tried, values)) and any(map(is_number, values)):
            lines.append([value if isinstance(value, float) else math.nan for value in values])
        else:
            skipped.append(name)
    if len(names) < 2 or not lines:
        return Ranking(None, len(lines), left_out, tuple(skipped))
    return Ranking(compare(names, np.array(lines)), len(lines), left_out, tuple(skipped))


def _was_tried(value: Value) -> bool:
    return value is not None and not (isinstance(value, str) and value.endswith("folds"))


def average_ranks(
    rows: Sequence[Row], trees: bool = False, known: Mapping[str, Description] | None = None
) -> Table:
    """Make the table of average ranks: methods by tasks, and over all tasks.

    Parameters
    ----------
    trees : bool
        Whether of single trees, or else of ensembles and others.
    """
    columns = rankings_by_task(rows, trees, known)
    methods = describe((name for each in columns.values() for name in each.ranks), known)
    body = [
        (description.title, *(each.ranks.get(name) for each in columns.values()))
        for name, description in methods.items()
    ]
    best = {
        (line, column)
        for column, each in enumerate(columns.values(), start=1)
        for line, name in enumerate(methods)
        if each.places.get(name) == 1
    }
    return Table(
        "average-ranks-trees" if trees else "average-ranks",
        f"Average ranks of {KINDS[trees]}: 1 is best",
        ("method", *columns),
        tuple(body),
        (
            "A method that did not finish on a data set has the worst rank there. Over all tasks only "
            "methods that take part in every task are ranked, among each other.",
            *(_note(task, each, known) for task, each in columns.items() if each.n_sets),
        ),
        best=frozenset(best),
        decimals=2,
    )


def rankings_by_task(
    rows: Sequence[Row], trees: bool, known: Mapping[str, Description] | None
) -> dict[str, Ranking]:
    """Rank the methods of each task, and over all tasks where there are several."""
    tasks = tasks_of(of_experiment(rows, COMPARISON))
    columns = {task: ranking(rows, task, trees, known) for task in tasks}
    if len(tasks) > 1:
        columns[ALL_TASKS] = ranking(rows, None, trees, known)
    return columns


def titles(names: Sequence[str], known: Mapping[str, Description] | None) -> str:
    """Return the titles of some methods in their order, in one text."""
    described = describe(names, known)
    return "; ".join(described[name].title for name in names)


def _note(task: str, of: Ranking, known: Mapping[str, Description] | None) -> str:
    note = f"{task.capitalize()}: {len(of.ranks)} methods on {of.n_sets} data set{'s' * (of.n_sets != 1)}"
    if of.comparison is not None and not math.isnan(of.comparison.friedman_p_value):
        note += f"; p = {of.comparison.friedman_p_value:.2g} in Friedman's test that all are alike"
    if of.methods_left_out and task != ALL_TASKS:
        note += f". Left out, for they finished nowhere: {titles(of.methods_left_out, known)}"
    if of.sets_left_out and task != ALL_TASKS:
        note += (
            ". Left out, for not every method was tried on every fold or none finished: "
            f"{', '.join(of.sets_left_out)}"
        )
    return f"{note}."
