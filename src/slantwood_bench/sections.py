"""The sections of the report: all tables and figures of the study, in reading order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from slantwood_bench import tables
from slantwood_bench.jobs import COMPARISON
from slantwood_bench.report import Figure, Section
from slantwood_bench.tables.rows import Description, Row, of_experiment, tasks_of

if TYPE_CHECKING:
    from slantwood_bench.problems import PaperSet


def sections_of(
    rows: Sequence[Row],
    paper_sets: Sequence[PaperSet] = (),
    figures: Mapping[str, Sequence[Figure]] | None = None,
    known: Mapping[str, Description] | None = None,
) -> tuple[Section, ...]:
    """Arrange all tables and figures of the study.

    Parameters
    ----------
    rows : sequence of mappings
        Rows of results.
    paper_sets : sequence of PaperSet
        The data sets of the paper and what stands for each here.
    figures : mapping of str to sequence of Figure, optional
        Pictures by where they go: "comparison/<task>", "comparison/all tasks", "trees/<task>", "times",
        "sizes", "importances" and "sensitivity/<parameter>".
    known : mapping of str to Description, optional
        What to believe of methods instead of what their classes say.
    """
    shown = {where: tuple(each) for where, each in (figures or {}).items()}
    tasks = tasks_of(of_experiment(rows, COMPARISON))
    absent = _absent(paper_sets)
    of_task, of_trees = (
        tuple(
            Section(
                task.capitalize(),
                figures=shown.get(f"{where}/{task}", ()),
                tables=(tables.quality(rows, task, absent, known, trees=where == "trees"),),
            )
            for task in tasks
        )
        for where in ("comparison", "trees")
    )
    parameters = tuple(
        Section(
            parameter,
            figures=shown.get(f"sensitivity/{parameter}", ()),
            tables=(tables.sensitivity(rows, parameter, known),),
        )
        for parameter in tables.parameters_of(rows)
    )
    every = (
        Section(
            "Summary",
            tables.standing_in_words(rows, known),
            tables=tuple(tables.standing(rows, trees, known) for trees in (False, True)),
        ),
        Section(
            "Average ranks",
            figures=shown.get(f"comparison/{tables.ALL_TASKS}", ()),
            tables=(tables.average_ranks(rows, known=known),),
        ),
        Section("Quality by task", parts=of_task),
        Section(
            "Single trees", tables=(tables.average_ranks(rows, trees=True, known=known),), parts=of_trees
        ),
        Section(
            "Learning times",
            figures=shown.get("times", ()),
            tables=(tables.learning_times(rows, known), tables.times(rows, known)),
        ),
        Section("Sizes of models", figures=shown.get("sizes", ()), tables=(tables.sizes(rows, known),)),
        Section(
            "Importance of features",
            figures=shown.get("importances", ()),
            tables=(tables.importances(rows, known), tables.noise_by_ranking(rows, known)),
        ),
        Section("Influence of parameters", parts=parameters),
        Section("Data sets", tables=(tables.data_sets(paper_sets),)),
        Section("What did not finish", tables=(tables.failures(rows, known),)),
        Section("Versions", tables=(tables.versions(rows),)),
    )
    used = {figure for section in every for figure in _figures_of(section)}
    if lost := [where for where, each in shown.items() if not used.issuperset(each)]:
        raise ValueError(
            f"figures has {lost[0]!r}, which is no place on this page; tasks are {', '.join(tasks)}, "
            f"parameters {', '.join(tables.parameters_of(rows)) or 'none'}"
        )
    return tuple(filled for section in every if (filled := _without_empty(section)) is not None)


def _figures_of(section: Section) -> Iterator[Figure]:
    yield from section.figures
    for part in section.parts:
        yield from _figures_of(part)


def _absent(paper_sets: Sequence[PaperSet]) -> dict[str, list[str]]:
    absent: dict[str, list[str]] = {}
    for paper_set in paper_sets:
        if paper_set.found is None and paper_set.wanted.dataset.role == "benchmark":
            absent.setdefault(paper_set.wanted.task, []).append(paper_set.wanted.name)
    return absent


def _without_empty(section: Section) -> Section | None:
    """Leave out tables without rows, and a section of which nothing is left."""
    kept = replace(
        section,
        tables=tuple(table for table in section.tables if table.rows and len(table.headings) > 1),
        parts=tuple(filled for part in section.parts if (filled := _without_empty(part)) is not None),
    )
    return kept if kept.tables or kept.figures or kept.parts or kept.paragraphs else None
