"""`slantwood demo`: every task once, next to scikit-learn's random forest.

This file is what the user types and sees; the data and the models are in `demo_tasks`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from slantwood.cli.console import format_bytes, say
from slantwood.cli.options import Force
from slantwood.hints import pluralize

if TYPE_CHECKING:
    from rich.table import Table

    from slantwood.cli.demo_tasks import Result, Task

_NEXT = "Next: slantwood train YOUR_DATA --targets NAME, or the examples in the README."


def demo(
    trees: Annotated[int, typer.Option(min=1, metavar="N", help="Trees in each forest.")] = 50,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Threads that fit and predict.", show_default="all cores"),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=2**32 - 1, metavar="N", help="Seed of the forests and of the splits.")
    ] = 0,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write the data sets as files to play with, and stop."),
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
            say(f"Wrote {path} ({format_bytes(path.stat().st_size)}).")
        return

    from joblib import cpu_count
    from rich.console import Console

    from slantwood.cli.demo_tasks import make_tasks, warm_up

    n_jobs = jobs or cpu_count()
    tasks = make_tasks()
    # Before the bar is drawn, because this is where the kernels may announce that they are compiled.
    warm_up(tasks, n_jobs)
    pairs = _run_with_progress(tasks, trees, n_jobs, seed)

    console = Console(highlight=False)
    console.print(_table(tasks, pairs))
    console.print(
        f"\n{pluralize(trees, 'tree')}, {pluralize(n_jobs, 'thread')}. Trained on 2/3 of the rows, scored on "
        "the rest; seconds to fit and predict."
    )
    console.print(_NEXT)


def _run_with_progress(tasks: list[Task], trees: int, n_jobs: int, seed: int) -> list[tuple[Result, Result]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from slantwood.cli.demo_tasks import oblique_forest, random_forest, run

    console = Console(stderr=True)
    progress = Progress(
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    pairs = []
    with progress:
        bar = progress.add_task("", total=2 * len(tasks))
        for task in tasks:
            results = []
            for name, make_forest in (("slantwood", oblique_forest), ("random forest", random_forest)):
                progress.update(bar, description=f"{task.name}: {name}")
                results.append(run(task, make_forest(task, trees, n_jobs, seed), seed))
                progress.advance(bar)
            pairs.append((results[0], results[1]))
    return pairs


def _table(tasks: list[Task], pairs: list[tuple[Result, Result]]) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("task")
    table.add_column("data")
    table.add_column("measure")
    for heading in ("slantwood", "random\nforest", "seconds\nslantwood", "seconds\nforest"):
        table.add_column(heading, justify="right")
    for task, (ours, theirs) in zip(tasks, pairs, strict=True):
        table.add_row(
            task.name,
            task.data,
            task.measure,
            *_better_in_bold(ours.score, theirs.score),
            f"{ours.seconds:.2f}",
            f"{theirs.seconds:.2f}",
        )
    return table


def _better_in_bold(ours: float, theirs: float) -> tuple[str, str]:
    """Format two scores; neither is bold where they are the same as printed."""
    a, b = f"{ours:.3f}", f"{theirs:.3f}"
    if a == b:
        return a, b
    return (f"[bold]{a}[/bold]", b) if ours > theirs else (a, f"[bold]{b}[/bold]")
