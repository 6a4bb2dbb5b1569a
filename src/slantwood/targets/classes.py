"""One class per example, or none known: a single 0/1 column for two classes, one per class for more."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from slantwood.targets.base import Targets, ToJson

# Positive weights of classes lie between these, as those of rows do.
LEAST_WEIGHT, MOST_WEIGHT = 1e-12, 1e12

# Where classes have weights, so much of a prediction is the shares of the classes in the training rows:
# trees that agree are never so sure that no weight could change it.
DOUBT = 0.01


@dataclass(frozen=True)
class ClassTargets(Targets):
    """Labels of any type, two or more (or one) distinct."""

    classes: np.ndarray
    weights: tuple[float, ...] = ()  # of the classes in probabilities; empty where all are equal
    shares: tuple[float, ...] = ()  # of the classes among the training rows; known where they have weights

    kind: ClassVar[str] = "classes"

    @classmethod
    def of(cls, y: np.ndarray) -> ClassTargets:
        """Learn the classes of a 1-D array of labels."""
        return cls(np.unique(y))

    @classmethod
    def weighted(cls, y: np.ndarray, class_weights: np.ndarray, row_weights: np.ndarray) -> ClassTargets:
        """Learn the classes of rows, the weight of each class, given for every row, and its share."""
        classes, first, codes = np.unique(y, return_index=True, return_inverse=True)
        if np.ptp(class_weights[first]) == 0:
            return cls(classes)
        shares = np.bincount(codes, weights=row_weights) / row_weights.sum()
        return cls(classes, tuple(class_weights[first].tolist()), tuple(shares.tolist()))

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
            return replace(self, weights=later.weights, shares=later.shares)  # those of the last fit
        elif np.isin(later.classes, self.classes).all():  # rows may lack a class
            return self
        else:
            now = f"y has the classes {later.classes} and had {self.classes} before"
        raise ValueError(f"warm_start=True, but {now}; fit a new estimator")

    def encode(self, y: np.ndarray, known: np.ndarray) -> Any:
        """Return indicators of the second of two classes, or of each of more; NaN where no class is known."""
        if self.n_columns > 1:
            return self.indicator(y, known)
        column = np.full((len(y), 1), np.nan, np.float32)
        column[known, 0] = np.searchsorted(self.classes, y[known])
        return column

    def indicator(self, y: np.ndarray, known: np.ndarray) -> sp.csr_array:
        """Return a column of zeros and ones for each class, also of two; NaN where no class is known."""
        n, k = len(y), len(self.classes)
        codes = np.searchsorted(self.classes, y[known])
        # Of a row without class every indicator is stored, as missing.
        stored = np.where(known, 1, k)
        indptr = np.concatenate([[0], np.cumsum(stored)])
        indices = np.arange(indptr[-1]) - np.repeat(indptr[:-1], stored)
        indices[indptr[:-1][known]] = codes
        data = np.where(np.repeat(known, stored), np.float32(1.0), np.float32(np.nan))
        return sp.csr_array((data, indices, indptr), shape=(n, k))

    def probabilities(self, means: np.ndarray) -> np.ndarray:
        """Leaf means to one column of probabilities per class, which sum to 1.

        With weights w they are w_k p_k / sum_j w_j p_j, the probabilities p in a population that has w_k
        times as many examples of class k. Weights act on the mean of all trees: of leaves that hold a
        single class, as those of large trees do, they could change nothing. See also `DOUBT`.
        """
        means = means.astype(np.float64)
        if len(self.classes) == 1:
            return np.ones_like(means)
        if len(self.classes) == 2:
            means = np.hstack([1.0 - means, means])
            if not self.weights:
                return means
        if self.weights:
            means = (means + DOUBT * np.array(self.shares)) * np.array(self.weights)
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
        fields = {"classes": to_json(self.classes, "classes_")}
        if self.weights:
            fields["weights"] = to_json(np.array(self.weights), "class_weights")
            fields["shares"] = to_json(np.array(self.shares), "class_shares")
        return fields

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> ClassTargets:
        """Make targets from fields that a file has."""
        classes = fields["classes"]
        if not isinstance(classes, np.ndarray) or classes.ndim != 1 or len(classes) == 0:
            raise ValueError("classes must be an array")
        if not np.array_equal(np.unique(classes), classes):
            raise ValueError("classes must rise")
        weights, shares = (fields.get(name, np.empty(0)) for name in ("weights", "shares"))
        for given, least, most in ((weights, LEAST_WEIGHT, MOST_WEIGHT), (shares, 0.0, 1.0)):
            if not isinstance(given, np.ndarray) or given.dtype != np.float64 or given.ndim != 1:
                raise ValueError("weights and shares of classes must be arrays of numbers")
            if len(given) != (len(classes) if len(weights) else 0):
                raise ValueError("weights and shares of classes must be one for each")
            if not ((given >= least) & (given <= most)).all():
                raise ValueError(f"weights or shares of classes are not between {least:g} and {most:g}")
        return cls(classes, tuple(weights.tolist()), tuple(shares.tolist()))
