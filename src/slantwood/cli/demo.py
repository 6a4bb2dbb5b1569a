"""`slantwood demo`: every task once, next to scikit-learn's random forest.

This file is what the user types and sees; the data and the models are in `demo_tasks`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from slantwood.cli.console import bars, say_written
from slantwood.cli.options import Force, number, option
from slantwood.hints import pluralize

if TYPE_CHECKING:
    from rich.table import Table

    from slantwood.cli.demo_tasks import Result, Task

_NEXT = "Next: slantwood train YOUR_DATA --targets NAME, or the examples in the README."


def demo(
    trees: Annotated[int, number("Trees in each forest.")] = 50,
    jobs: Annotated[int | None, number("Threads that fit and predict.", show_default="all cores")] = None,
    seed: Annotated[int, number("Seed of the forests and of the splits.", 0, max=2**32 - 1)] = 0,
    save: Annotated[
        Path | None, option("FOLDER", "Write the data sets as files to play with, and stop.")
    ] = None,
    force: Force = False,
) -> None:
    """Compare slantwood with a random forest on five tasks.

    Needs no network and less than a minute. Each task has a small data set, of which both forests learn
    two thirds and predict the rest.
    """
    if save is not None:
        from slantwood.cli.demo_files import write_files

        for path in write_files(save, force=force):
            say_written(path)
        return

    from joblib import cpu_count
    from rich.console import Console

    from slantwood.cli.demo_tasks import make_tasks, oblique_forest, random_forest, run, warm_up

    n_jobs = jobs or cpu_count()
    tasks = make_tasks()
    # Before the bars are drawn, because this is where the kernels may announce that they are compiled.
    warm_up(tasks, n_jobs)
    pairs: list[tuple[Result, Result]] = []
    with bars() as show:
        for task in tasks:
            show(task.name, 0, 2)
            ours = run(task, oblique_forest(task, trees, n_jobs, seed), seed)
            show(task.name, 1, 2)
            pairs.append((ours, run(task, random_forest(task, trees, n_jobs, seed), seed)))
            show(task.name, 2, 2)

    console = Console(highlight=False)
    console.print(_table(tasks, pairs))
    console.print(
        f"\n{pluralize(trees, 'tree')}, {pluralize(n_jobs, 'thread')}. Trained on 2/3 of the rows, scored on "
        "the rest; seconds to fit and predict."
    )
    console.print(_NEXT)


def _table(tasks: list[Task], pairs: list[tuple[Result, Result]]) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in ("task", "data", "measure"):
        table.add_column(heading)
    for heading in ("slantwood", "random\nforest", "seconds\nslantwood", "seconds\nforest"):
        table.add_column(heading, justify="right")
    for task, (ours, theirs) in zip(tasks, pairs, strict=True):
        n_rows, n_features = task.X.shape
        data = f"{task.data} ({n_rows}x{n_features})"
        scores = _better_in_bold(ours.score, theirs.score)
        seconds = f"{ours.seconds:.2f}", f"{theirs.seconds:.2f}"
        table.add_row(task.name, data, task.measure, *scores, *seconds)
    return table


def _better_in_bold(ours: float, theirs: float) -> tuple[str, str]:
    """Format two scores; neither is bold where they are the same as printed."""
    a, b = f"{ours:.3f}", f"{theirs:.3f}"
    if a == b:
        return a, b
    return (f"[bold]{a}[/bold]", b) if ours > theirs else (a, f"[bold]{b}[/bold]")
