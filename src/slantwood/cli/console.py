"""How commands speak: results on stdout, everything else on stderr, plainly where no terminal is."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from slantwood.hints import format_bytes, printable, printable_lines

# Tables that are written to a file or a pipe are not folded.
_UNFOLDED = 10_000

# Columns of still narrower tables would be hidden.
_NARROWEST = 60

Show = Callable[[str, int, int | None], None]


def say(text: str) -> None:
    """Tell the user something that is not the result."""
    typer.echo(printable_lines(text), err=True)


def warn(text: str) -> None:
    """Tell the user, in one line, that something is not as it seems."""
    say(f"slantwood: warning: {printable(text)}")


def say_written(path: Path) -> None:
    """Tell the user that a file is there, and how large it is."""
    say(f"Wrote {path} ({format_bytes(path.stat().st_size)}).")


def print_json(document: Any) -> None:
    """Print the result as one line of JSON, in which numbers that are none are null."""
    text = json.dumps(_plain(document), ensure_ascii=False, allow_nan=False)
    # Of what a terminal obeys, JSON itself escapes only a part.
    typer.echo(text if text.isprintable() else json.dumps(_plain(document), allow_nan=False))


def print_table(headings: Sequence[str], rows: Sequence[Sequence[Any]], left: Collection[int] = (0,)) -> None:
    """Print a table; columns other than those in `left` are flush right, as numbers are."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    for column, heading in enumerate(headings):
        # Where the terminal is narrow, text is folded, and numbers stay whole.
        if column in left:
            table.add_column(Text(printable(heading)), overflow="fold")
        else:
            table.add_column(Text(printable(heading)), justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*(Text(_cell(value)) for value in row))
    folded = sys.stdout.isatty() or "COLUMNS" in os.environ
    console = Console(highlight=False)
    console.width = max(console.width, _NARROWEST) if folded else _UNFOLDED
    with console.capture() as text:
        console.print(table)
    for line in text.get().splitlines():
        typer.echo(line.rstrip())


def print_fields(fields: Sequence[tuple[str, str]]) -> None:
    """Print names and what there is to say about each, one below the other."""
    shown = [(printable(name), printable(value)) for name, value in fields]
    width = max(len(name) for name, _ in shown)
    for name, value in shown:
        typer.echo(f"{name:{width}}  {value}".rstrip())


@contextmanager
def bars() -> Iterator[Show]:
    """Give a function `show(name, done, total)` that draws a bar for each name; for terminals only."""
    if not sys.stderr.isatty():
        yield lambda name, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        tasks: dict[str, Any] = {}

        def show(name: str, done: int, total: int | None) -> None:
            if name not in tasks:
                tasks[name] = progress.add_task(name, total=total)
            progress.update(tasks[name], completed=done, total=total)

        yield show


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return "-" if math.isnan(value) else f"{value:.4g}" if abs(value) >= 1000 else f"{value:.4f}"
    return printable(str(value))


def _plain(value: Any) -> Any:
    """Return only what JSON knows: numbers of NumPy become Python's, keys text, NaN and infinity None."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
