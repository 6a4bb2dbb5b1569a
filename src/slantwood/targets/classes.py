"""One class per example, or none known: a single 0/1 column for two classes, one per class for more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from slantwood.targets.base import Targets, ToJson


@dataclass(frozen=True)
class ClassTargets(Targets):
    """Labels of any type, two or more (or one) distinct."""

    classes: np.ndarray

    kind: ClassVar[str] = "classes"

    @classmethod
    def of(cls, y: np.ndarray) -> ClassTargets:
        """Learn the classes of a 1-D array of labels."""
        return cls(np.unique(y))

    @property
    def task(self) -> str:
        """Name of the task."""
        return "binary" if len(self.classes) <= 2 else "multi-class"

    @property
    def n_columns(self) -> int:
        """Number of columns of the encoded targets."""
        return 1 if len(self.classes) <= 2 else len(self.classes)

    @property
    def ranks(self) -> np.ndarray:
        """Which of several classes of the same score goes first; two have one column, but two ranks."""
        return np.arange(len(self.classes))

    @property
    def are_indicators(self) -> np.ndarray:
        """Mask of the encoded columns that are zeros and ones: all."""
        return np.ones(self.n_columns, np.bool_)

    @property
    def stand_for_two(self) -> np.ndarray:
        """Mask of the columns that stand for two classes: the only one."""
        return np.full(self.n_columns, self.n_columns == 1)

    @property
    def attributes(self) -> dict[str, Any]:
        """Attributes of a fitted estimator that say what it predicts."""
        return {"classes_": self.classes, "n_classes_": len(self.classes), "n_outputs_": 1}

    def continued(self, later: Any) -> ClassTargets:
        """Return the targets for adding trees to a forest that was fitted on these."""
        if not isinstance(later, ClassTargets):
            now = f"y now is {later.task} and was {self.task} before"
        elif np.array_equal(later.classes, self.classes):
            return self
        else:
            now = f"y has the classes {later.classes} and had {self.classes} before"
        raise ValueError(f"warm_start=True, but {now}; fit a new estimator")

    def encode(self, y: np.ndarray, known: np.ndarray) -> Any:
        """Return indicators of the second of two classes, or of each of more; NaN where no class is known."""
        n, k = len(y), self.n_columns
        codes = np.searchsorted(self.classes, y[known])
        if k == 1:
            column = np.full((n, 1), np.nan, np.float32)
            column[known, 0] = codes
            return column
        # Of a row without class every indicator is stored, as missing.
        stored = np.where(known, 1, k)
        indptr = np.concatenate([[0], np.cumsum(stored)])
        indices = np.arange(indptr[-1]) - np.repeat(indptr[:-1], stored)
        indices[indptr[:-1][known]] = codes
        data = np.where(np.repeat(known, stored), np.float32(1.0), np.float32(np.nan))
        return sp.csr_array((data, indices, indptr), shape=(n, k))

    def probabilities(self, means: np.ndarray) -> np.ndarray:
        """Leaf means to one column of probabilities per class."""
        means = means.astype(np.float64)
        if len(self.classes) == 1:
            return np.ones_like(means)
        if len(self.classes) == 2:
            return np.hstack([1.0 - means, means])
        total = means.sum(axis=1, keepdims=True)
        # Leaves that say nothing of any class leave all equally likely.
        return np.where(total > 0, means / np.where(total > 0, total, 1.0), 1.0 / len(self.classes))

    def decode(self, probabilities: np.ndarray, threshold: float = 0.5) -> np.ndarray:
        """Return the second of two classes where its probability is above the threshold, else the first.

        Of more classes, the most probable one.
        """
        if len(self.classes) != 2:
            return self.classes[np.argmax(probabilities, axis=1)]
        # As precise as leaves are, like the scores of labels.
        is_second = probabilities[:, 1].astype(np.float32) > np.float32(threshold)
        return self.classes[is_second.astype(np.intp)]

    def to_json(self, to_json: ToJson) -> dict[str, Any]:
        """Return all fields but the kind."""
        return {"classes": to_json(self.classes, "classes_")}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> ClassTargets:
        """Make targets from fields that a file has."""
        classes = fields["classes"]
        if not isinstance(classes, np.ndarray) or classes.ndim != 1 or len(classes) == 0:
            raise ValueError("classes must be an array")
        if not np.array_equal(np.unique(classes), classes):
            raise ValueError("classes must rise")
        return cls(classes)
