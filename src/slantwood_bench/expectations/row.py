"""What is a row, and what comes of trying it."""

from __future__ import annotations

import contextlib
import importlib
import io
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

WORKS, PARTIAL, ABSENT, LATER, NOT_TRIED = "works", "partial", "absent", "later", "not tried"
VERDICTS = (WORKS, PARTIAL, ABSENT, LATER, NOT_TRIED)

# Of an error only its beginning fits into a table.
_MOST_LETTERS = 160

Trial = Callable[[], str | None]


class NotInstalled(Exception):
    """A library that a row needs is not there."""


class Planned(Exception):
    """What a row wants is to come."""


@dataclass(frozen=True)
class Row:
    """One thing that users type: a name, the group that it belongs to, and a function that tries it.

    The function returns None where all is as expected, says what is missing where only a part is, and raises
    an error where nothing is.
    """

    group: str
    name: str
    trial: Trial


@dataclass(frozen=True)
class Outcome:
    """What came of a row."""

    row: Row
    verdict: str
    remark: str = ""


class Group:
    """Rows that belong together, in the order in which they are written."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.rows: list[Row] = []

    def row(self, name: str) -> Callable[[Trial], Trial]:
        """Make a row of a function."""

        def keep(trial: Trial) -> Trial:
            self.rows.append(Row(self.name, name, trial))
            return trial

        return keep


def tried(row: Row) -> Outcome:
    """Try a row; whatever it prints or warns of is no concern of the table."""
    try:
        with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            missing = row.trial()
    except NotInstalled as error:
        return Outcome(row, NOT_TRIED, str(error))
    except Planned as error:
        return Outcome(row, LATER, str(error))
    except Exception as error:
        said = " ".join(str(error).split())
        return Outcome(row, ABSENT, f"{type(error).__name__}: {said}"[:_MOST_LETTERS])
    return Outcome(row, PARTIAL, missing) if missing else Outcome(row, WORKS)


def library(name: str) -> Any:
    """Import a library that need not be there."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise NotInstalled(f"{name.partition('.')[0]} is not installed") from error


def public(module: str, name: str) -> Any:
    """Return a public name of slantwood."""
    found = importlib.import_module(module)
    assert name in found.__all__, f"{name} is not public in {module}"
    return getattr(found, name)


def lacking(parts: Iterable[tuple[str, Callable[[], object]]]) -> str | None:
    """Try several parts; name those that fail, and raise the error of the first where all do."""
    parts, errors = list(parts), {}
    for name, trial in parts:
        try:
            trial()
        except Exception as error:
            errors[name] = error
    if len(errors) == len(parts):
        raise next(iter(errors.values()))
    return f"without {', '.join(errors)}" if errors else None
