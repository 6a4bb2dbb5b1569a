"""Tables of what each method costs: nodes and bytes of its models, seconds, and memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

from slantwood_bench.jobs import COMPARISON
from slantwood_bench.tables.rows import (
    FINISHED,
    Description,
    Row,
    all_of,
    describe,
    fold_of,
    geometric_mean,
    grouped,
    of_experiment,
    task_of,
    tasks_of,
)
from slantwood_bench.tables.table import Table, Value

SIZE_REFERENCE = "bag-pct"
TIME_REFERENCE = "bag-gradient"

_ON_SHARED = (
    "Ratios are geometric means over data sets of means over folds, on the folds that both methods finished; "
    "{reference} is 1."
)


def sizes(rows: Sequence[Row], known: Mapping[str, Description] | None = None) -> Table:
    """Make the table of the sizes of models by task and method, beside those of axis-parallel bagging."""

    def line(of_method: Sequence[Row], reference: Sequence[Row]) -> tuple[Value, ...]:
        n_bytes = _typical(of_method, "bytes")
        return (
            len(grouped(of_method, "dataset")),
            _typical(of_method, "nodes"),
            None if n_bytes is None else n_bytes / 1e6,
            len(shared_values(of_method, reference, "bytes")),
            ratio(of_method, reference, "nodes"),
            ratio(of_method, reference, "bytes"),
        )

    reference = _title(SIZE_REFERENCE, known)
    return Table(
        "sizes",
        "Sizes of models",
        (
            "method",
            "task",
            "data sets",
            "nodes, geometric mean",
            "megabytes, geometric mean",
            f"data sets shared with {reference}",
            f"nodes / those of {reference}",
            f"bytes / those of {reference}",
        ),
        _by_task_and_method(rows, SIZE_REFERENCE, line, known),
        (
            "Nodes of all trees with their leaves; bytes as pickle writes the model. Geometric means over "
            "all data sets that the method finished: compare methods by the ratios.",
            _ON_SHARED.format(reference=reference),
        ),
        left=(0, 1),
    )


def times(rows: Sequence[Row], known: Mapping[str, Description] | None = None) -> Table:
    """Make the table of seconds and memory by task and method, beside bagging with gradient splits."""

    def line(of_method: Sequence[Row], reference: Sequence[Row]) -> tuple[Value, ...]:
        peaks = [row["peak_megabytes"] for row in of_method if row.get("peak_megabytes") is not None]
        return (
            len(grouped(of_method, "dataset")),
            _typical(of_method, "learn_seconds"),
            _typical(of_method, "predict_seconds"),
            len(shared_values(of_method, reference, "learn_seconds")),
            ratio(of_method, reference, "learn_seconds"),
            ratio(of_method, reference, "predict_seconds"),
            max(peaks, default=None),
        )

    reference = _title(TIME_REFERENCE, known)
    compared = of_experiment(rows, COMPARISON)
    threads, trees = (all_of(compared, field) or "unknown" for field in ("threads", "n_trees"))
    return Table(
        "times",
        "Seconds to learn and to predict, and memory",
        (
            "method",
            "task",
            "data sets",
            "seconds to learn, geometric mean",
            "seconds to predict, geometric mean",
            f"data sets shared with {reference}",
            f"learning / that of {reference}",
            f"predicting / that of {reference}",
            "highest peak of memory, megabytes",
        ),
        _by_task_and_method(rows, TIME_REFERENCE, line, known),
        (
            f"Threads: {threads}; trees of an ensemble: {trees}. Methods that tune "
            "parameters do so within learning. Geometric means over all data sets that the method finished: "
            "compare methods by the ratios.",
            _ON_SHARED.format(reference=reference),
        ),
        left=(0, 1),
    )


def shared_values(
    of_method: Sequence[Row], reference: Sequence[Row], field: str
) -> dict[str, tuple[float, float]]:
    """Return for each data set the means of a field of two methods over the folds that both finished."""
    one, other = _by_set_and_fold(of_method, field), _by_set_and_fold(reference, field)
    pairs: dict[str, list[tuple[float, float]]] = {}
    for name, fold in one.keys() & other.keys():
        pairs.setdefault(name, []).append((one[name, fold], other[name, fold]))
    return {
        name: (fmean(first for first, _ in found), fmean(second for _, second in found))
        for name, found in pairs.items()
    }


def ratio(of_method: Sequence[Row], reference: Sequence[Row], field: str) -> float | None:
    """Return the geometric mean over data sets of how much of something a method takes beside another."""
    shared = shared_values(of_method, reference, field).values()
    return geometric_mean(own / base for own, base in shared if base > 0)


def _by_set_and_fold(rows: Sequence[Row], field: str) -> dict[tuple[str, Any], float]:
    return {
        (row["dataset"], fold_of(row)): row[field]
        for row in rows
        if row["status"] == FINISHED and row.get(field) is not None
    }


def _typical(rows: Sequence[Row], field: str) -> float | None:
    """Return the geometric mean over data sets of means over folds."""
    known = [row for row in rows if row.get(field) is not None]
    return geometric_mean(fmean(row[field] for row in group) for group in grouped(known, "dataset").values())


def _by_task_and_method(
    rows: Sequence[Row],
    reference: str,
    line: Callable[[Sequence[Row], Sequence[Row]], tuple[Value, ...]],
    known: Mapping[str, Description] | None,
) -> tuple[tuple[Value, ...], ...]:
    done = [row for row in of_experiment(rows, COMPARISON) if row["status"] == FINISHED]
    body: list[tuple[Value, ...]] = []
    for task in tasks_of(done):
        of_method = grouped((row for row in done if task_of(row) == task), "method")
        for name, description in describe((name for (name,) in of_method), known).items():
            figures = line(of_method[(name,)], of_method.get((reference,), []))
            body.append((description.title, task, *figures))
    return tuple(body)


def _title(name: str, known: Mapping[str, Description] | None) -> str:
    return describe([name], known)[name].title
