"""Which task the targets of many blocks of rows pose, all blocks taken together, and the y of each block.

The rules are those of `data.tasks` for a whole table: a block by itself may have two classes of several, or
nothing but 0 and 1 by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from slantwood.data.table import Categories, task_of
from slantwood.data.tasks import (
    TargetColumn,
    label_matrix,
    refuse_text,
    texts_of,
    whole_numbers,
)
from slantwood.hints import optional_import
from slantwood.task_names import CLASS_TASKS, MIXED, SEVERAL_TASKS


@dataclass
class _Seen:
    """What is known of a target."""

    is_text: bool = False
    is_whole: bool = True
    has_missing: bool = False
    values: set[Any] = field(default_factory=set)  # of numbers, as many as matter

    def add(self, column: TargetColumn) -> None:
        if isinstance(column, Categories):
            self.is_text = True
            used = np.unique(column.codes)
            self.has_missing |= bool((used < 0).any())
            self.values.update(column.values[code] for code in used.tolist() if code >= 0)
            return
        known = column[~np.isnan(column)]
        self.has_missing |= len(known) < len(column)
        self.is_whole = self.is_whole and bool((known == np.rint(known)).all())
        if len(self.values) <= 2:
            self.values.update(np.unique(known)[:3].tolist())

    @property
    def may_be_classes(self) -> bool:
        return self.is_text or (len(self.values) == 2 and self.is_whole)


class TargetSurvey:
    """Looks at the targets of one block after another.

    Parameters
    ----------
    names : sequence of str
        Of the targets.
    task : {"classification", "regression"}, optional
        What the user says.
    """

    def __init__(self, names: Sequence[str], task: str | None) -> None:
        self._names, self._said = tuple(names), task
        self._seen = [_Seen() for _ in names]
        self._are_labels = len(names) > 1 and task != "regression"

    def add(self, columns: Sequence[TargetColumn]) -> None:
        """Look at the targets of some rows."""
        for seen, column in zip(self._seen, columns, strict=True):
            seen.add(column)
        self._are_labels = self._are_labels and label_matrix(columns) is not None

    def form(self) -> TargetForm:
        """Say what the targets of all blocks are."""
        return TargetForm(self._names, self._task(), tuple(self._seen), self._said)

    def _task(self) -> str | None:
        seen, said = self._seen, self._said
        if not seen:
            return None
        if len(seen) == 1:
            are_numbers = said == "regression" or (said is None and len(seen[0].values) != 2)
            if not seen[0].is_text and are_numbers:
                return "regression"
            if seen[0].is_text and said == "regression":
                refuse_text(Categories(np.empty(0, np.int32), tuple(seen[0].values)), self._names[0])
            return task_of(len(seen[0].values))
        if self._are_labels:
            return "multi-label"
        if said == "classification" or (said is None and any(each.is_text for each in seen)):
            are_numbers = said is None and not all(each.may_be_classes for each in seen)
            return MIXED if are_numbers else SEVERAL_TASKS[0]
        for each, name in zip(seen, self._names, strict=True):
            if each.is_text:
                refuse_text(Categories(np.empty(0, np.int32), tuple(each.values)), name)
        return "multi-target regression"


@dataclass(frozen=True)
class TargetForm:
    """How the targets of any block become y."""

    names: tuple[str, ...]
    task: str | None
    seen: tuple[_Seen, ...]
    said: str | None = None

    def y(self, columns: Sequence[TargetColumn]) -> Any:
        """Return the targets of some rows as estimators take them."""
        if self.task is None:
            return None
        if self.task == "regression":
            return columns[0]
        if self.task in CLASS_TASKS:
            first = columns[0]
            return self._classes(0, first) if isinstance(first, np.ndarray) else self._texts(0, first)
        if self.task == "multi-label":
            return label_matrix(columns)
        if self.task in SEVERAL_TASKS:
            return self._frame(columns)
        return np.column_stack(columns)  # type: ignore[arg-type]

    def _texts(self, place: int, column: Categories) -> np.ndarray:
        return texts_of(column, self.names[place], None)

    def _classes(self, place: int, column: np.ndarray) -> np.ndarray:
        seen = self.seen[place]
        # Where any row has none, those of all blocks are floats, with NaN.
        are_whole = seen.is_whole and not seen.has_missing
        return whole_numbers(column, self.names[place]) if are_whole else column

    def _frame(self, columns: Sequence[TargetColumn]) -> Any:
        with optional_import(f"{len(columns)} targets with classes of their own need pandas", "data"):
            import pandas
        cells: dict[str, Any] = {}
        for place, (name, column) in enumerate(zip(self.names, columns, strict=True)):
            if isinstance(column, Categories):
                cells[name] = pandas.Categorical.from_codes(column.codes, categories=list(column.values))
            elif self.said is None and not self.seen[place].may_be_classes:
                cells[name] = column
            elif self.seen[place].has_missing:
                cells[name] = pandas.array(column, dtype="Int64")
            else:
                cells[name] = whole_numbers(column, name)
        return pandas.DataFrame(cells)
