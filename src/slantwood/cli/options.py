"""Options that several commands have."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

import typer

Format = Annotated[str | None, typer.Option(metavar="NAME", help="Format of the data file.")]
Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether a CSV file begins with names.", show_default=False),
]
Encoding = Annotated[
    str | None, typer.Option(metavar="NAME", help="Encoding of an ARFF file.", show_default="UTF-8")
]
IndexBase = StrEnum("IndexBase", {"auto": "auto", "clus": "clus", "zero": "0", "one": "1"})
IndexBaseOption = Annotated[
    IndexBase | None,
    typer.Option(
        "--index-base",
        help="From which number on sparse rows of ARFF count attributes, where it is not recognised.",
        show_default="0 unless the rows prove 1",
    ),
]
DropText = Annotated[
    bool | None,
    typer.Option("--drop-text", help="Leave out all texts and dates of an ARFF file.", show_default=False),
]
Jobs = Annotated[int | None, typer.Option(min=1, metavar="N", help="Threads.", show_default="all cores")]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that is there already.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


@dataclass(frozen=True)
class FileForm:
    """How a data file is written, as the user says it; None where nothing was said."""

    format: str | None = None
    header: bool | None = None
    encoding: str | None = None
    index_base: IndexBase | None = None

    @property
    def base(self) -> str:
        """From which number on sparse rows count, as `slantwood.data.read` takes it."""
        return str(self.index_base or IndexBase.auto)
