"""Helpers for rows of results: their task, data set and method, and means over folds."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from slantwood.data import dataset
from slantwood.task_names import TASKS
from slantwood_bench.methods import METHODS, method_class
from slantwood_bench.methods.base import OTHER
from slantwood_bench.tables.table import Value

Row = Mapping[str, Any]

DAGGER = "†"
FINISHED = "ok"
NO_VALUE = "no value"


class Description(NamedTuple):
    """What tables want to know of a method, as its class says it."""

    title: str
    group: str
    tasks: tuple[str, ...] = TASKS


def describe(names: Iterable[str], known: Mapping[str, Description] | None = None) -> dict[str, Description]:
    """Look methods up, in the order of the study; those that it does not know go by their names.

    Parameters
    ----------
    names : iterable of str
        Names of methods, in any order and number.
    known : mapping, optional
        What to believe instead of the classes of the methods.
    """
    places = {name: place for place, name in enumerate(dict.fromkeys([*(known or {}), *METHODS]))}
    in_order = sorted(set(names), key=lambda name: (places.get(name, len(places)), name))
    return {name: (known or {}).get(name) or _as_the_class_says(name) for name in in_order}


def _as_the_class_says(name: str) -> Description:
    if name not in METHODS:
        return Description(name, OTHER)
    cls = method_class(name)
    return Description(cls.title, cls.group, cls.tasks)


def task_of(row: Row) -> str:
    """Return the task of a row; one that ended before its data set was read may not say it."""
    return row.get("task") or dataset(row["dataset"]).task


def of_experiment(rows: Iterable[Row], *experiments: str) -> list[Row]:
    """Return the rows of some experiments."""
    return [row for row in rows if row["experiment"] in experiments]


def tasks_of(rows: Iterable[Row]) -> list[str]:
    """Return the tasks of some rows, in the order of the paper."""
    found = {task_of(row) for row in rows}
    return [task for task in TASKS if task in found]


def grouped(rows: Iterable[Row], *names: str) -> dict[tuple[Any, ...], list[Row]]:
    """Put rows together that agree in some fields."""
    groups: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        groups[tuple(row[name] for name in names)].append(row)
    return dict(groups)


class Pair(NamedTuple):
    """A data set and a method that was tried on it, with the rows about both."""

    task: str
    dataset: str
    method: Description
    rows: list[Row]


def pairs_of(rows: Iterable[Row], known: Mapping[str, Description] | None = None) -> Iterator[Pair]:
    """Go through data sets by task and name, and on each through its methods in the order of the study."""
    rows = list(rows)
    for task in tasks_of(rows):
        of_pair = grouped((row for row in rows if task_of(row) == task), "dataset", "method")
        methods = describe((method for _, method in of_pair), known)
        for name in by_name(name for name, _ in of_pair):
            for method, description in methods.items():
                if (name, method) in of_pair:
                    yield Pair(task, name, description, of_pair[name, method])


def by_name(names: Iterable[str]) -> list[str]:
    """Sort names of data sets without regard to case."""
    return sorted(set(names), key=lambda name: (name.casefold(), name))


def over_folds(rows: Sequence[Row], n_folds: int, field: str = "quality") -> Value:
    """Return the mean of a field over all folds of a method on a data set, or why there is none.

    None where it was not tried at all.
    """
    if not rows:
        return None
    bad = Counter(row["status"] for row in rows if row["status"] != FINISHED)
    if bad:
        # The commonest reason; of equally common ones the first by name.
        return min(bad, key=lambda status: (-bad[status], status))
    if len(rows) < n_folds:
        return f"{len(rows)} of {n_folds} folds"
    values = [value for row in rows if (value := row.get(field)) is not None and math.isfinite(value)]
    return fmean(values) if len(values) == len(rows) else NO_VALUE


def n_folds_of(rows: Iterable[Row]) -> int:
    """Return how many folds some rows are about."""
    return len({fold_of(row) for row in rows})


def all_of(rows: Iterable[Row], field: str) -> Value:
    """Return the value of a field that all rows share, or their values in one text; None without rows."""
    values = sorted({row[field] for row in rows})
    return values[0] if len(values) == 1 else ", ".join(map(str, values)) or None


def fold_of(row: Row) -> tuple[int, int]:
    """Return what tells a repetition of a method on a data set from another."""
    return row["fold"], row["seed"]


class Marks:
    """The dagger on data sets that are not as in the paper, and the reasons for it."""

    def __init__(self, rows: Iterable[Row]):
        self._reasons: dict[str, str] = {}
        for row in rows:
            if row.get("mark"):
                remark = row.get("remark", "")
                self._reasons[row["dataset"]] = f"{row['mark']}; {remark}" if remark else row["mark"]

    def on(self, name: str) -> str:
        """Return the name of a data set with a dagger if it needs one."""
        return name + DAGGER if name in self._reasons else name

    def notes(self, names: Iterable[str]) -> tuple[str, ...]:
        """Say what the daggers on some data sets mean."""
        return tuple(
            f"{name}{DAGGER}: {self._reasons[name]}" for name in by_name(names) if name in self._reasons
        )


def geometric_mean(values: Iterable[float]) -> float | None:
    """Return the geometric mean of the positive ones; None where there is none."""
    logarithms = [math.log(value) for value in values if value > 0]
    return math.exp(fmean(logarithms)) if logarithms else None
