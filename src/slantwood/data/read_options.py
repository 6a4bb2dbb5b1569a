"""Which columns of a file are targets, inputs, or left out, as the user says it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import Any

from slantwood.data.names import finder
from slantwood.hints import did_you_mean, listed, shortened, shown

_PLACES = re.compile(r"(first|last):([0-9]+)")


class ColumnsTypeError(TypeError):
    """What the user gives for columns is of a type that cannot say which; the file is not at fault."""


@dataclass(frozen=True)
class Roles:
    """Positions of the columns of a file by what they are for; `inputs` and `targets` in the file's order."""

    inputs: tuple[int, ...]
    targets: tuple[int, ...]
    nominal: frozenset[int]  # those that are only codes, even where they look like numbers


@dataclass(frozen=True)
class ReadOptions:
    """How the user wants a file to be read.

    Attributes
    ----------
    targets
        Names, positions, "first:N", "last:N", a regular expression, or None where nothing was said.
    drop
        Columns to leave out, said in the same ways.
    nominal
        Columns of numbers that are only codes, said in the same ways.
    header
        Whether a table of text begins with names; None where nothing was said.
    task
        "classification" or "regression", or None where nothing was said.
    encoding
        In which encoding an ARFF file is; None where nothing was said.
    index_base
        From which number on sparse rows of an ARFF file count: 0, 1, or "auto" or "clus" to look at them.
    drop_text
        Whether the columns of texts and dates of an ARFF file are left out.
    max_memory
        The most bytes of memory that the file may take, or None where nothing was said.
    """

    targets: Any = None
    drop: Any = ()
    nominal: Any = ()
    header: bool | None = None
    task: str | None = None
    encoding: str | None = None
    index_base: int | str = "auto"
    drop_text: bool = False
    max_memory: int | None = None

    @property
    def takes_default_targets(self) -> bool:
        """Whether the file may say what its targets are."""
        return self.targets is None

    def roles(self, names: Sequence[str], path: Path | None = None) -> Roles:
        """Return the roles of columns with these names; errors name the file, where it is given."""
        try:
            return self.select_roles(names)
        except ValueError as error:
            raise ValueError(f"{path}: {error}" if path else str(error)) from error

    def select_roles(self, names: Sequence[str]) -> Roles:
        """Return the roles of columns with these names; subclasses select in other ways."""
        if self.targets is None:
            raise ValueError(
                "nothing says which columns are targets; give targets: 'last:1', a name, several names, "
                "or a regular expression /.../"
            )
        dropped = _positions("drop", self.drop, names)
        targets = _positions("targets", self.targets, names)
        if both := dropped & targets:
            raise ValueError(
                f"column {shown(names[min(both)])} is in targets and in drop; expected it in one"
            )
        nominal = _positions("nominal", self.nominal, names)
        every = range(len(names))
        inputs = tuple(i for i in every if i not in dropped and i not in targets)
        return Roles(inputs, tuple(i for i in every if i in targets), frozenset(nominal))


@dataclass(frozen=True)
class OptionalTargets(ReadOptions):
    """Takes all columns as inputs where nothing says which are targets."""

    def select_roles(self, names: Sequence[str]) -> Roles:
        """Return the roles of columns with these names."""
        targets = () if self.targets is None else self.targets
        return ReadOptions(targets, self.drop, self.nominal).select_roles(names)


def reject_column_options(path: Path, options: ReadOptions) -> None:
    """Refuse what the user says of columns of a file that says it itself; no targets at all is possible."""
    for argument in ("targets", "drop", "nominal"):
        columns = getattr(options, argument)
        if columns is not None and not (isinstance(columns, (str, tuple, list)) and len(columns) == 0):
            hint = ", or targets=() to leave them out" * (argument == "targets")
            raise ValueError(
                f"{path} defines its own targets, and all its columns are numbers; "
                f"give no {argument} with this format{hint}"
            )


def reject_arff_options(path: Path, options: ReadOptions) -> None:
    """Refuse what the user says of an ARFF file, where a file is none."""
    for argument in ("encoding", "index_base", "drop_text"):
        if getattr(options, argument) != getattr(ReadOptions(), argument):
            hint = "; convert the file to UTF-8" * (argument == "encoding")
            raise ValueError(f"{path} is not an ARFF file, and {argument} applies to these only{hint}")


def _positions(argument: str, said: Any, names: Sequence[str]) -> set[int]:
    if isinstance(said, str):
        said = _columns_of_text(argument, said, names)
    if isinstance(said, re.Pattern):
        found = {i for i, name in enumerate(names) if said.search(name)}
        if not found:
            raise ValueError(f"{argument}=/{shortened(said.pattern)}/ matches no name among {listed(names)}")
        return found
    if _is_integer(said):
        said = [said]
    if not isinstance(said, Iterable) or isinstance(said, bytes):
        raise ColumnsTypeError(
            f"{argument}={shown(said)} is of type {type(said).__name__}; expected names, positions, "
            "'last:N', 'first:N' or a regular expression"
        )
    find = finder(names)
    return {_position(argument, each, names, find) for each in said}


def _columns_of_text(argument: str, said: str, names: Sequence[str]) -> Any:
    """Return what a text says: names, positions, or a regular expression."""
    if said in names:
        return [said]
    if match := _PLACES.fullmatch(said):
        count = int(match[2])
        if count > len(names):
            raise ValueError(f"{argument}={shown(said)}, but there are {len(names)} columns")
        return range(count) if match[1] == "first" else range(len(names) - count, len(names))
    if len(said) > 2 and said[0] == said[-1] == "/":
        try:
            return re.compile(said[1:-1])
        except re.error as error:
            raise ValueError(f"{argument}={shown(said)} is not a regular expression: {error}") from error
    return [name.strip() for name in said.split(",")] if "," in said else [said]


def _position(argument: str, said: Any, names: Sequence[str], find: Callable[[str], int | None]) -> int:
    if _is_integer(said):
        if not -len(names) <= said < len(names):
            raise ValueError(f"{argument} has the position {said}, but there are {len(names)} columns")
        return int(said) % len(names)
    if not isinstance(said, str):
        raise ColumnsTypeError(
            f"{argument} has {shown(said)} of type {type(said).__name__}; expected a name or position"
        )
    if (place := find(said)) is not None:
        return place
    hint = did_you_mean(said, names, f"expected one of {listed(names)}")
    raise ValueError(f"{argument} has {shown(said)}, but no column has this name; {hint}")


def _is_integer(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)
