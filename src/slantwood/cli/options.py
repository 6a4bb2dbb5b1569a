"""Options that several commands have, and how options are written.

A parameter of a command that is a dataclass, as `FileForm`, stands for one option for each of its fields.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from slantwood.cli.quantities import read_count


def argument(metavar: str, help: str, **more: Any) -> Any:
    """Describe a word that stands on the command line without a name."""
    return typer.Argument(metavar=metavar, show_default=False, help=help, **more)


def option(metavar: str, help: str, **more: Any) -> Any:
    """Describe an option with a value, called like its parameter."""
    return typer.Option(metavar=metavar, help=help, **more)


def number(help: str, least: int = 1, **more: Any) -> Any:
    """Describe an option whose value is a whole number."""
    return typer.Option(min=least, metavar="N", help=help, **more)


def count_or_share(help: str) -> Any:
    """Describe an option whose value is a whole number, or a share with a decimal point."""
    return typer.Option(parser=_read_number, metavar="N", help=help)


def _read_number(text: Any) -> int | float:
    # A settings file gives a number, the command line its text.
    if isinstance(text, (int, float)):
        return text
    try:
        value = float(text)
    except ValueError:
        return read_count(text)  # 10k
    # A share has a decimal point, or is below 1: 1e4 is a number.
    is_count = value.is_integer() and "." not in text and "e-" not in text.lower()
    return int(value) if is_count else value


def flag(names: str, help: str, **more: Any) -> Any:
    """Describe an option without a value."""
    return typer.Option(names, help=help, **more)


IndexBase = StrEnum("IndexBase", {"auto": "auto", "clus": "clus", "zero": "0", "one": "1"})


def known_format(name: str | None) -> str | None:
    """Refuse a format that is not known, before a file is opened."""
    from slantwood.data.formats import format_of

    if name is not None:
        with _as_wrong_usage():
            format_of(Path(), name)
    return name


def _known_encoding(name: str | None) -> str | None:
    from slantwood.data.arff.source import check_encoding

    with _as_wrong_usage():
        check_encoding(name)
    return name


@contextmanager
def _as_wrong_usage() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


ModelFile = Annotated[Path, argument("MODEL", "A model file.")]
Format = Annotated[
    str | None,
    option("NAME", "Format of the data file, where its name does not tell.", callback=known_format),
]
Header = Annotated[
    bool | None,
    flag("--header/--no-header", "Whether a CSV or TSV file begins with names.", show_default=False),
]
Encoding = Annotated[
    str | None,
    option("NAME", "Encoding of an ARFF file.", show_default="UTF-8", callback=_known_encoding),
]
IndexBaseOption = Annotated[
    IndexBase | None,
    typer.Option(
        help="From which number on sparse rows of ARFF count attributes, where it is not recognised.",
        show_default="0 unless the rows prove 1",
    ),
]
DropText = Annotated[
    bool | None, flag("--drop-text", "Leave out all texts and dates of an ARFF file.", show_default=False)
]
Nominal = Annotated[str | None, option("COLUMNS", "Columns of numbers that are only codes.")]
Jobs = Annotated[int | None, number("Threads.", show_default="all cores")]
Force = Annotated[bool, flag("--force", "Replace a file that is there already.")]
AllMeasures = Annotated[bool, flag("--all", "Print every measure of the task, not the usual ones only.")]
Json = Annotated[bool, flag("--json", "Print the result as JSON.")]


@dataclass(frozen=True)
class FileForm:
    """How a data file is written, as the user says it; None where nothing was said."""

    format: Format = None
    header: Header = None
    encoding: Encoding = None
    index_base: IndexBaseOption = None


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command, in place of each parameter that is a dataclass, an option for each field of it."""

    @functools.wraps(command)
    def typed(**given: Any) -> None:
        command(**_grouped(command, given))

    parameters = list(_expanded(command))
    typed.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    typed.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return typed


def _parameters(called: Any) -> Iterable[inspect.Parameter]:
    return inspect.signature(called, eval_str=True).parameters.values()


def _expanded(called: Any) -> Iterator[inspect.Parameter]:
    for parameter in _parameters(called):
        if is_dataclass(parameter.annotation):
            yield from _expanded(parameter.annotation)
        else:
            yield parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)


def _grouped(called: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    grouped = {}
    for parameter in _parameters(called):
        name, make = parameter.name, parameter.annotation
        is_group = is_dataclass(parameter.annotation)
        grouped[name] = make(**_grouped(make, given)) if is_group else given[name]
    return grouped
