"""What every kind of target can do: `classes`, `labels`, `hierarchical_labels`, `numbers` and `several`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

if TYPE_CHECKING:
    from slantwood.targets.hierarchy import Hierarchy

# Makes JSON of a value that has a name.
ToJson = Callable[[Any, str], Any]


class Targets(ABC):
    """How the user's y becomes a matrix with a column for each target, and leaf means predictions again."""

    kind: ClassVar[str]  # how files call it
    is_sparse: bool = False  # whether scores are kept without their zeros, as y was
    as_sets: bool = False  # whether y has a collection of labels for each row
    hierarchy: Hierarchy | None = None  # of the labels, where there is one

    @property
    @abstractmethod
    def task(self) -> str:
        """One of `task_names.TASKS` or `SEVERAL_TASKS`."""

    @property
    @abstractmethod
    def n_columns(self) -> int:
        """Number of columns of the encoded targets."""

    @property
    def ranks(self) -> np.ndarray:
        """Which of several columns of the same score goes first: the one of lower rank."""
        return np.arange(self.n_columns)

    @property
    def block_sizes(self) -> np.ndarray:
        """Number of columns of each of several targets, which count as one; empty where each counts alone."""
        return np.empty(0, np.intp)

    @property
    @abstractmethod
    def are_indicators(self) -> np.ndarray:
        """Mask of the encoded columns that are zeros and ones, and whose means are shares."""

    @property
    def stand_for_two(self) -> np.ndarray:
        """Mask of the columns that stand for two classes, whose impurity is twice the variance of one."""
        return np.zeros(self.n_columns, np.bool_)

    @property
    def column_weights(self) -> np.ndarray:
        """Default weights of the columns in the choice of splits; empty where all are equal."""
        return np.empty(0)

    @property
    @abstractmethod
    def attributes(self) -> dict[str, Any]:
        """Attributes of a fitted estimator that say what it predicts."""

    @abstractmethod
    def continued(self, later: Any) -> Self:
        """Return the targets for adding trees, fitted on `later` ones, to a forest fitted on these."""

    @abstractmethod
    def to_json(self, to_json: ToJson) -> dict[str, Any]:
        """Return all fields but the kind."""

    @classmethod
    @abstractmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """Make targets from fields that a file has; a ValueError says what is wrong with them."""
