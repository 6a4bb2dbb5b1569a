"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

Format = Annotated[str | None, typer.Option(metavar="NAME", help="Format of the data file.")]
Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether a CSV file begins with names.", show_default=False),
]
Jobs = Annotated[int | None, typer.Option(min=1, metavar="N", help="Threads.", show_default="all cores")]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that is there already.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
