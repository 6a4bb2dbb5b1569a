"""What every kind of target can do; `classes`, `labels`, `hierarchical_labels` and `numbers` do it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

import numpy as np

if TYPE_CHECKING:
    from slantwood.targets.hierarchy import Hierarchy

# Makes JSON of a value that has a name.
ToJson = Callable[[Any, str], Any]


class Targets(Protocol):
    """How the user's y becomes a matrix with a column for each target, and leaf means predictions again."""

    # How files call this kind, and the names of the fields in them.
    kind: ClassVar[str]

    @property
    def task(self) -> str:
        """One of `task_names.TASKS`."""

    @property
    def n_columns(self) -> int:
        """Number of columns of the encoded targets."""

    @property
    def is_sparse(self) -> bool:
        """Whether scores are kept without their zeros, as y was."""

    @property
    def hierarchy(self) -> Hierarchy | None:
        """The hierarchy of the labels, where there is one."""

    @property
    def ranks(self) -> np.ndarray:
        """Which of several columns of the same score goes first: the one of lower rank."""

    @property
    def column_weights(self) -> np.ndarray:
        """Default weights of the columns in the choice of splits; empty where all are equal."""

    @property
    def attributes(self) -> dict[str, Any]:
        """Attributes of a fitted estimator that say what it predicts."""

    def continued(self, later: Any) -> Self:
        """Return the targets for adding trees, fitted on `later` ones, to a forest fitted on these."""

    def to_json(self, to_json: ToJson) -> dict[str, Any]:
        """Return all fields but the kind."""

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """Make targets from fields that a file has; a ValueError says what is wrong with them."""


class DiscreteTargets(Targets, Protocol):
    """Classes or labels: what classifiers predict."""

    @property
    def classes(self) -> np.ndarray:
        """The classes or labels, as `classes_` names them."""

    def probabilities(self, means: Any) -> Any:
        """Return a probability for each class or label from leaf means."""

    def decode(self, probabilities: Any, threshold: Any) -> Any:
        """Return the chosen classes, or labels in the form of y."""


NO_WEIGHTS = np.empty(0)
