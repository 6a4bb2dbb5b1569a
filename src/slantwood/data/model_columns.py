"""Which columns of a file a model asks for, by their names, and what is said where some are missing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from slantwood.data.names import NumberedNames
from slantwood.data.read_options import ReadOptions, Roles
from slantwood.hints import did_you_mean, listed, pluralize


@dataclass(frozen=True)
class ModelColumns(ReadOptions):
    """Asks a file for the columns that a model knows, in whatever order and whatever else the file has.

    Attributes
    ----------
    inputs
        Names of the model's inputs; None where it knows none, and columns are taken by position.
    n_inputs
        Number of the model's inputs.
    codes
        Names of those inputs and targets that are categories.
    known_targets
        Names of the model's targets, taken where the user says none.
    keys
        Columns that name the rows, which are read too.
    asks_file
        Whether a file that says itself what its targets are is believed: such labels are no columns.
    may_lack_names
        Whether the names of the file may be its first row, which was taken for names.
    """

    inputs: tuple[str, ...] | None = None
    n_inputs: int = 0
    codes: frozenset[str] = frozenset()
    known_targets: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    asks_file: bool = False
    may_lack_names: bool = False

    @property
    def takes_default_targets(self) -> bool:
        """Whether the file may say its targets: labels of a hierarchy, or where the model knows no names."""
        return self.targets is None and (self.asks_file or not self.known_targets)

    def select_roles(self, names: Sequence[str]) -> Roles:
        """Return the roles of columns with these names."""
        targets = self._targets(names)
        inputs = self._inputs(names, targets)
        called = {i: names[i] for i in (*inputs, *targets)}
        if self.inputs is not None and missing_names(self.inputs, [names[i] for i in inputs]):
            called |= dict(zip(inputs, self.inputs, strict=True))  # taken by position
        return Roles(inputs, targets, frozenset(i for i, name in called.items() if name in self.codes))

    def _targets(self, names: Sequence[str]) -> tuple[int, ...]:
        if self.targets is not None:
            return ReadOptions(self.targets).roles(names).targets
        if not self.known_targets:
            raise ValueError("the model does not know the names of its targets; give targets (--targets)")
        places = {name: i for i, name in enumerate(names)}
        for name in self.known_targets:
            if name not in places:
                hint = _hint(name, missing_names(names, self.inputs or ()))
                raise ValueError(
                    f"it has no column {name!r}, which the model predicts;{hint} give targets (--targets), "
                    f"the columns that hold the truth{self._names_may_be_a_row(names)}"
                )
        return tuple(sorted(places[name] for name in self.known_targets))

    def _inputs(self, names: Sequence[str], targets: Collection[int]) -> tuple[int, ...]:
        taken = {*targets, *(i for i, name in enumerate(names) if name in self.keys)}
        rest = [i for i in range(len(names)) if i not in taken]
        keys = [i for i in range(len(names)) if names[i] in self.keys]
        missing = [] if self.inputs is None else missing_names(self.inputs, [names[i] for i in rest])
        if self.inputs is not None and not missing:
            inputs = set(self.inputs)
            return tuple(sorted([*keys, *(i for i in rest if names[i] in inputs)]))
        if self.inputs is not None and not are_made_up(names):
            message = missing_message(self.inputs, [names[i] for i in rest])
            raise ValueError(f"{message}{self._names_may_be_a_row(names)}")
        if len(rest) != self.n_inputs:
            known = "knows no names" if self.inputs is None else "knows other names"
            raise ValueError(
                f"it has {pluralize(len(rest), 'column')}, and the model {known} and learned from "
                f"{self.n_inputs}; expected as many, in the same order"
            )
        return tuple(rest)

    def _names_may_be_a_row(self, names: Sequence[str]) -> str:
        strange = self.may_lack_names and not set(names) & {*(self.inputs or ()), *self.known_targets}
        return " (header=False or --no-header if its first line is a row, not names)" if strange else ""


def missing_names(needed: Sequence[str], present: Sequence[str]) -> list[str]:
    """Return the names that are not there."""
    # Names that are only numbers, of which there may be millions, are found without listing them.
    there = present if isinstance(present, NumberedNames) else set(present)
    return [name for name in needed if name not in there]


def missing_message(needed: Sequence[str], present: Sequence[str]) -> str:
    """Say which columns are missing, and what the first of them may be called."""
    missing = missing_names(needed, present)
    more = f", nor {pluralize(len(missing) - 1, 'other')} that it needs" if len(missing) > 1 else ""
    hint = _hint(missing[0], missing_names(present, needed)) or " expected all that it learned from"
    return f"it has no column {missing[0]!r}, which the model learned from{more};{hint}"


def are_made_up(names: Sequence[str]) -> bool:
    """Tell whether a file without names was given these."""
    made_up = NumberedNames("x", len(names))
    given = names if isinstance(names, NumberedNames) else tuple(names)
    return given == made_up or are_numbers(names)


def are_numbers(names: Sequence[str]) -> bool:
    """Tell whether columns are numbered, as in the formats svmlight and extreme, which leave out zeros."""
    if isinstance(names, NumberedNames):
        return names.prefix == ""
    return all(name.isdigit() for name in names)


def _hint(name: str, present: Sequence[str]) -> str:
    return " " + did_you_mean(name, present, f"it has {listed(present)}.") if present else ""
