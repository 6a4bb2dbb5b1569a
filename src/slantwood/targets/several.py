"""Several targets of kinds of their own per example: classes, and numbers beside them.

Each column of y is a part, `ClassTargets` or one number of `RegressionTargets`, and the encoded columns of
the parts stand side by side. What is not known of a target is missing in all its columns, and the other
targets of the row still count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp

from slantwood.targets.base import Targets, ToJson
from slantwood.targets.classes import ClassTargets
from slantwood.targets.numbers import RegressionTargets
from slantwood.task_names import MIXED, SEVERAL_TASKS

Part = ClassTargets | RegressionTargets


class TargetColumn(NamedTuple):
    """One target of several: its values, and the mask of the rows in which it is known."""

    values: np.ndarray  # of numbers: float64, NaN where one is not known
    known: np.ndarray
    is_number: bool


@dataclass(frozen=True)
class MultiTargets(Targets):
    """Two or more columns, of classes or a number each."""

    parts: tuple[Part, ...]

    kind: ClassVar[str] = "several"

    @classmethod
    def of(cls, columns: Sequence[TargetColumn], weights: np.ndarray) -> MultiTargets:
        """Learn the classes, or the spread, of each column over the rows of positive weight."""
        return cls(tuple(_part(column, weights) for column in columns))

    @property
    def task(self) -> str:
        """Name of the task."""
        return MIXED if self.has_number else SEVERAL_TASKS[0]

    @property
    def has_number(self) -> bool:
        """Whether some target is a number."""
        return any(isinstance(part, RegressionTargets) for part in self.parts)

    @property
    def n_outputs(self) -> int:
        """Number of targets."""
        return len(self.parts)

    @property
    def block_sizes(self) -> np.ndarray:
        """Number of columns of each target."""
        return np.array([part.n_columns for part in self.parts])

    @property
    def n_columns(self) -> int:
        """Number of columns of the encoded targets."""
        return int(self.block_sizes.sum())

    @property
    def are_indicators(self) -> np.ndarray:
        """Mask of the encoded columns that are zeros and ones."""
        return np.repeat([isinstance(part, ClassTargets) for part in self.parts], self.block_sizes)

    @property
    def stand_for_two(self) -> np.ndarray:
        """Mask of the columns that stand for two classes."""
        return np.concatenate([part.stand_for_two for part in self.parts])

    @property
    def attributes(self) -> dict[str, Any]:
        """Attributes of a fitted estimator that say what it predicts; None for a number."""
        classes = [part.classes if isinstance(part, ClassTargets) else None for part in self.parts]
        counts = [None if each is None else len(each) for each in classes]
        return {"classes_": classes, "n_classes_": counts, "n_outputs_": len(self.parts)}

    def blocks(self, matrix: np.ndarray) -> Iterator[np.ndarray]:
        """Return the columns of each target."""
        stops = np.cumsum(self.block_sizes)
        return (matrix[:, stop - part.n_columns : stop] for part, stop in zip(self.parts, stops, strict=True))

    def continued(self, later: Any) -> MultiTargets:
        """Return the targets for adding trees to a forest that was fitted on these."""
        kinds = [part.kind for part in self.parts]
        if not isinstance(later, MultiTargets) or [part.kind for part in later.parts] != kinds:
            raise ValueError(
                f"warm_start=True, but y now is {later.task} and was {self.task} with {self.n_outputs} "
                f"columns ({', '.join(kinds)}) before; fit a new estimator (multi_output decides what "
                "columns of y are)"
            )
        pairs: Any = zip(self.parts, later.parts, strict=True)
        return MultiTargets(tuple(part.continued(other) for part, other in pairs))

    def encode(self, columns: Sequence[TargetColumn]) -> Any:
        """Return the encoded columns of all targets; NaN where a target is not known."""
        encoded: list[Any] = [
            part.encode(column.values, column.known)
            if isinstance(part, ClassTargets)
            else part.encode(column.values)
            for part, column in zip(self.parts, columns, strict=True)
        ]
        if not self.has_number and any(map(sp.issparse, encoded)):
            return sp.csr_array(sp.hstack(encoded, format="csr"))
        return np.hstack([each.toarray() if sp.issparse(each) else each for each in encoded])

    def known_only(self, columns: Sequence[TargetColumn]) -> list[TargetColumn]:
        """Return the columns where classes of no row of positive weight count as not known."""
        return [
            column
            if column.is_number
            else column._replace(known=column.known & self._has_class(part, column))
            for part, column in zip(self.parts, columns, strict=True)
        ]

    @staticmethod
    def _has_class(part: Any, column: TargetColumn) -> np.ndarray:
        found = np.zeros(len(column.values), np.bool_)
        found[column.known] = np.isin(column.values[column.known], part.classes)
        return found

    def probabilities(self, means: np.ndarray) -> list[np.ndarray | None]:
        """Leaf means to the probabilities of the classes of each target; None for a number."""
        return [
            part.probabilities(block) if isinstance(part, ClassTargets) else None
            for part, block in zip(self.parts, self.blocks(means), strict=True)
        ]

    def decoded_columns(self, means: np.ndarray) -> list[np.ndarray]:
        """Leaf means to the predictions of each target, in its own type."""
        return [
            part.decode(part.probabilities(block) if isinstance(part, ClassTargets) else block)
            for part, block in zip(self.parts, self.blocks(means), strict=True)
        ]

    def decode(self, means: np.ndarray) -> np.ndarray:
        """Leaf means to a column for each target: of their type where they share one, else of objects."""
        columns = self.decoded_columns(means)
        dtypes = {column.dtype for column in columns}
        if len(dtypes) == 1 or {dtype.kind for dtype in dtypes} == {"U"}:
            return np.column_stack(columns)
        objects = np.empty((len(means), len(columns)), object)
        for j, column in enumerate(columns):
            objects[:, j] = column
        return objects

    def to_json(self, to_json: ToJson) -> dict[str, Any]:
        """Return all fields but the kind."""
        return {"parts": [self._part_to_json(j, to_json) for j in range(len(self.parts))]}

    def _part_to_json(self, j: int, to_json: ToJson) -> dict[str, Any]:
        part = self.parts[j]
        return {"kind": part.kind, **part.to_json(lambda value, name: to_json(value, f"{name}/{j}"))}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> MultiTargets:
        """Make targets from fields that a file has."""
        parts = tuple(fields["parts"])
        if len(parts) < 2 or not any(isinstance(part, ClassTargets) for part in parts):
            raise ValueError("parts must be two or more, and classes among them")
        for part in parts:
            if not isinstance(part, Part) or getattr(part, "one_dimensional", True) is False:
                raise ValueError("a part must be classes or one number")
        return cls(parts)


def _part(column: TargetColumn, weights: np.ndarray) -> Part:
    if column.is_number:
        return RegressionTargets.of(column.values, weights)
    # Classes that only weightless rows have are not classes of the data.
    return ClassTargets.of(column.values[column.known & (weights > 0)])
