"""Tables of what the study ran on: data sets, package versions, and jobs that did not finish."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from slantwood.task_names import TASKS
from slantwood_bench.tables.rows import FINISHED, Description, Row, describe, task_of
from slantwood_bench.tables.table import Table, Value

if TYPE_CHECKING:
    from slantwood_bench.problems import PaperSet

_JOB = ("data set", "method", "task", "experiment", "changed")


def failures(rows: Sequence[Row], known: Mapping[str, Description] | None = None) -> Table:
    """List every job that did not finish, with the reason; folds that ended alike share a line."""
    unfinished = [row for row in rows if row["status"] != FINISHED]
    methods = describe((row["method"] for row in unfinished), known)
    alike: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in sorted(unfinished, key=lambda row: _place_of(row, list(methods))):
        changed = ", ".join(f"{name} = {value}" for name, value in row["changes"].items())
        job = (row["dataset"], methods[row["method"]].title, task_of(row), row["experiment"], changed)
        alike[(*job, row["status"], row.get("error") or "")].append(row)
    return Table(
        "failures",
        "Jobs that did not finish",
        (*_JOB, "status", "reason", "folds", "jobs", "most seconds"),
        tuple(
            (
                *of_all,
                ", ".join(map(str, sorted({row["fold"] for row in group}))),
                len(group),
                max((row["seconds"] for row in group if row.get("seconds") is not None), default=None),
            )
            for of_all, group in alike.items()
        ),
        (f"{len(unfinished)} of {len(rows)} jobs did not finish.",),
        left=tuple(range(len(_JOB) + 3)),
    )


def _place_of(row: Row, methods: Sequence[str]) -> tuple[int, str, int, str, str]:
    task, method = TASKS.index(task_of(row)), methods.index(row["method"])
    return task, row["dataset"].casefold(), method, row["experiment"], str(row["changes"])


def data_sets(paper_sets: Sequence[PaperSet]) -> Table:
    """List the data sets of the paper, and what was used of them.

    Parameters
    ----------
    paper_sets : sequence of PaperSet
        As `slantwood_bench.problems.paper_sets` lists them: the sets, and what stands for each here.
    """
    present = [each for each in paper_sets if each.found is not None]
    n_near = sum(each.found is not None and each.found.name != each.wanted.name for each in present)
    return Table(
        "data-sets",
        "Data sets of the paper",
        ("data set", "task", "role", "N", "D", "T", "here", "N here", "D here", "T here", "mark", "remark"),
        tuple(map(_data_set, paper_sets)),
        (
            f"{len(present)} of {len(paper_sets)} are there, {n_near} of them as a set that comes near.",
            "N rows, D inputs and T targets, classes or labels: in the paper, and in the files here.",
        ),
        left=(0, 1, 2, 6, 10, 11),
    )


def _data_set(paper_set: PaperSet) -> tuple[Value, ...]:
    wanted, found = paper_set.wanted, paper_set.found
    paper = (wanted.name, wanted.task, wanted.dataset.role, *wanted.dataset.size)
    if found is None:
        return (*paper, "absent", None, None, None, "", "")
    here = "present" if found.name == wanted.name else f"in its place {found.name}"
    return (*paper, here, *found.size, paper_set.mark, found.remark)


def versions(rows: Sequence[Row]) -> Table:
    """List the packages that ran, with their versions."""
    found: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        for package, version in (row.get("versions") or {}).items():
            found[package].add(version or "not installed")
    return Table(
        "versions",
        "Versions",
        ("package", "version"),
        tuple((package, ", ".join(sorted(found[package]))) for package in sorted(found, key=str.casefold)),
        left=(0, 1),
    )
