"""Which columns of a file are targets, inputs, or left out, as the user says it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import Any

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
    said = {"targets": options.targets, "drop": options.drop, "nominal": options.nominal}
    for argument, columns in said.items():
        if columns is None or (isinstance(columns, (str, tuple, list)) and len(columns) == 0):
            continue
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
        return _positions_of_text(argument, said, names)
    if isinstance(said, re.Pattern):
        return _positions_of_pattern(argument, said, names)
    if _is_integer(said):
        return {_checked_position(argument, int(said), len(names))}
    if not isinstance(said, Iterable) or isinstance(said, bytes):
        raise ColumnsTypeError(
            f"{argument}={shown(said)} is of type {type(said).__name__}; expected names, positions, "
            "'last:N', 'first:N' or a regular expression"
        )
    given = list(said)
    # Looking each of thousands of names up in a list would take long.
    found = {name: i for i, name in enumerate(names)}
    return {
        found[each]
        if isinstance(each, str) and each in found
        else _checked_position(argument, int(each), len(names))
        if _is_integer(each)
        else _unknown(argument, each, names)
        for each in given
    }


def _positions_of_text(argument: str, said: str, names: Sequence[str]) -> set[int]:
    if said in names:
        return {names.index(said)}
    if match := _PLACES.fullmatch(said):
        count = int(match[2])
        if count > len(names):
            raise ValueError(f"{argument}={shown(said)}, but there are {len(names)} columns")
        first = 0 if match[1] == "first" else len(names) - count
        return set(range(first, first + count))
    if len(said) > 2 and said[0] == said[-1] == "/":
        try:
            pattern = re.compile(said[1:-1])
        except re.error as error:
            raise ValueError(f"{argument}={shown(said)} is not a regular expression: {error}") from error
        return _positions_of_pattern(argument, pattern, names)
    if "," in said:
        return _positions(argument, [name.strip() for name in said.split(",")], names)
    return {_unknown(argument, said, names)}


def _positions_of_pattern(argument: str, pattern: re.Pattern[str], names: Sequence[str]) -> set[int]:
    found = {i for i, name in enumerate(names) if pattern.search(name)}
    if not found:
        raise ValueError(f"{argument}=/{shortened(pattern.pattern)}/ matches no name among {listed(names)}")
    return found


def _checked_position(argument: str, position: int, n_columns: int) -> int:
    if not -n_columns <= position < n_columns:
        raise ValueError(f"{argument} has the position {position}, but there are {n_columns} columns")
    return position % n_columns


def _unknown(argument: str, name: Any, names: Sequence[str]) -> int:
    if not isinstance(name, str):
        raise ColumnsTypeError(
            f"{argument} has {shown(name)} of type {type(name).__name__}; expected a name or position"
        )
    hint = did_you_mean(name, names, f"expected one of {listed(names)}")
    raise ValueError(f"{argument} has {shown(name)}, but no column has this name; {hint}")


def _is_integer(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)
