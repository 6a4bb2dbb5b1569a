"""Writes the results: tables as CSV, figures as PNG and SVG, and one page with all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from slantwood_bench import report, tables
from slantwood_bench.figures.critical_difference import critical_difference
from slantwood_bench.figures.importances import importances
from slantwood_bench.figures.learning_times import learning_times
from slantwood_bench.figures.saving import save
from slantwood_bench.figures.sensitivity import sensitivity
from slantwood_bench.figures.sizes import sizes
from slantwood_bench.jobs import COMPARISON, IMPORTANCE, TIMES
from slantwood_bench.methods import METHODS, method_class
from slantwood_bench.problems import PaperSet
from slantwood_bench.sections import sections_of
from slantwood_bench.tables.rows import Row, of_experiment, tasks_of
from slantwood_bench.tables.summary import DEFAULT_TREES, DEFAULTS

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def write_outputs(
    rows: Sequence[Row], paper_sets: Sequence[PaperSet], folder: Path, environment: Mapping[str, str]
) -> Path:
    """Write tables, figures and the page below a folder; return the path of the page.

    Parameters
    ----------
    rows : sequence of mappings
        Rows of results of one run.
    paper_sets : sequence of PaperSet
        The data sets of the paper and what stands for each here.
    folder : Path
        Gets the folders "tables" and "figures", and the page report.html.
    environment : mapping of str to str
        Date, command, machine and the like.
    """
    for name in ("tables", "figures"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    figures: dict[str, list[report.Figure]] = {}
    for where, name, alt, draw in _drawings(rows):
        _, svg = save(draw(), folder / "figures" / name)
        figures[where] = [report.Figure(svg, alt)]
    sections = sections_of(rows, paper_sets, figures)
    for table in report.tables_of(sections):
        tables.write_csv(table, folder / "tables")
    page = folder / "report.html"
    report.write(page, sections, environment)
    return page


def _drawings(rows: Sequence[Row]) -> Iterable[tuple[str, str, str, Callable[[], Figure]]]:
    """Give where a figure goes on the page, its file, what it shows, and how it is drawn."""
    titles = {name: method_class(name).title for name in METHODS}
    ours = (*DEFAULTS, *DEFAULT_TREES)
    kinds = {row["experiment"] for row in rows}
    tasks = tasks_of(of_experiment(rows, COMPARISON))
    for task in (*tasks, None) if tasks else ():
        for where, trees, words in (("comparison", False, "Average ranks"), ("trees", True, "Single trees")):
            compared = tables.ranking(rows, task, trees).comparison
            among = tables.ALL_TASKS if task is None else task
            if compared is None or (trees and task is None):
                continue
            yield (
                f"{where}/{among}",
                f"ranks-{where}-{among.replace(' ', '-')}",
                f"{words}, {among}: methods in order, bars join those that do not differ significantly",
                partial(critical_difference, compared, titles, f"{words}, {among}", ours),
            )
    if TIMES in kinds:
        yield (
            "times",
            "learning-times",
            "Seconds to learn on large data sets, by method",
            partial(learning_times, rows, titles=titles),
        )
    if COMPARISON in kinds:
        yield "sizes", "sizes", "Nodes of the models, by data set", partial(sizes, rows, titles=titles)
    if IMPORTANCE in kinds:
        yield (
            "importances",
            "importances",
            "Importances of real features and of noise, from the largest down",
            partial(importances, rows, titles=titles),
        )
    for parameter in tables.parameters_of(rows):
        yield (
            f"sensitivity/{parameter}",
            f"sensitivity-{parameter}",
            f"Quality at each value of {parameter}, by data set",
            partial(sensitivity, rows, parameter, titles=titles),
        )
