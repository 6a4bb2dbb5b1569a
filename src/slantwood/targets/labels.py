"""Any number of labels per example, as an indicator matrix, dense or sparse; NaN where one is not known."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from slantwood.features.matrix import column_means
from slantwood.targets.base import Targets, ToJson
from slantwood.validation import check_flag, check_integer


@dataclass(frozen=True)
class LabelTargets(Targets):
    """An (n, L) matrix of zeros and ones."""

    n_labels: int
    is_sparse: bool = field()  # what came sparse goes back sparse
    dtype: np.dtype

    kind: ClassVar[str] = "labels"
    task = "multi-label"

    @classmethod
    def of(cls, y: Any) -> LabelTargets:
        """Check an indicator matrix and remember its form."""
        stored = sp.csr_array(y.tocoo()).data if sp.issparse(y) else y  # from COO: adds up duplicates
        if stored.dtype.kind not in "biuf":
            raise ValueError(
                f"y has {y.shape[1]} columns of dtype {stored.dtype}; several columns are labels, zeros and "
                "ones (or booleans), or targets with classes of their own"
            )
        wrong = (stored != 0) & (stored != 1) & (stored == stored)
        if wrong.any():
            raise ValueError(
                f"y has {y.shape[1]} columns and holds the value {stored[wrong][0]!s}; several columns are "
                "labels, zeros and ones (NaN where one is not known), or in an array that is not sparse "
                "targets with classes of their own, text or whole numbers. For numbers use a regressor; for "
                "numbers beside classes give a data frame, where columns of floating point are numbers"
            )
        if stored.dtype.kind == "f" and np.isnan(stored).any():
            unknown = np.isnan(column_means(y, np.ones(y.shape[0])))
            if unknown.any():
                label = int(np.argmax(unknown))
                raise ValueError(f"label {label} of y is missing (NaN) in every row; leave it out of y")
        return cls(y.shape[1], sp.issparse(y), stored.dtype)

    @property
    def n_columns(self) -> int:
        """Number of columns of the encoded targets."""
        return self.n_labels

    @property
    def are_indicators(self) -> np.ndarray:
        """Mask of the encoded columns that are zeros and ones: all."""
        return np.ones(self.n_labels, np.bool_)

    @property
    def classes(self) -> np.ndarray:
        """Positions of the labels, which are their names."""
        return np.arange(self.n_labels)

    @property
    def attributes(self) -> dict[str, Any]:
        """Attributes of a fitted estimator that say what it predicts."""
        return {"classes_": self.classes, "n_classes_": len(self.classes)}

    def continued(self, later: Any) -> LabelTargets:
        """Return the targets for adding trees to a forest that was fitted on these."""
        if type(later) is type(self) and later.n_labels == self.n_labels:
            return later
        raise ValueError(
            f"warm_start=True, but y now is {later.task} with {later.n_columns} columns and was {self.task} "
            f"with {self.n_labels} before; fit a new estimator instead"
        )

    def encode(self, y: Any) -> Any:
        """Return the indicators as numbers."""
        return y.astype(np.float32)

    def probabilities(self, means: Any) -> Any:
        """Return the leaf means, which are the probabilities of the labels."""
        return means

    def all_right(self, scores: Any, threshold: float | np.ndarray, truth: Any) -> np.ndarray:
        """Mask of the rows of which every label that is known is decided rightly."""
        decided = self.decided(scores, threshold)
        if not sp.issparse(truth):
            decided = decided.toarray() if sp.issparse(decided) else decided
            return ((decided == truth) | np.isnan(truth)).all(axis=1)
        wrong = sp.csr_array(decided, dtype=np.float32) - truth  # NaN where it is not known
        wrong.data = np.nan_to_num(wrong.data)
        return np.asarray(abs(wrong).sum(axis=1)).ravel() == 0

    def decode(self, scores: Any, threshold: float | np.ndarray) -> Any:
        """Return the decided labels in the form of y."""
        return self.decided(scores, threshold)

    def decided(self, scores: Any, threshold: float | np.ndarray) -> Any:
        """Make the indicator of the labels whose score is above the threshold: one, or one per label."""
        if not sp.issparse(scores):
            chosen = scores > np.asarray(threshold, scores.dtype)
            return sp.csr_array(chosen, dtype=self.dtype) if self.is_sparse else chosen.astype(self.dtype)
        limits = np.broadcast_to(threshold, self.n_labels).astype(scores.dtype)  # as precise as scores are
        chosen = sp.csr_array(scores, copy=True)
        chosen.data = (chosen.data > limits[chosen.indices]).astype(self.dtype)
        chosen.eliminate_zeros()
        return chosen

    def to_json(self, to_json: ToJson) -> dict[str, Any]:
        """Return all fields but the kind."""
        return {"n_labels": self.n_labels, "is_sparse": self.is_sparse, "dtype": self.dtype.name}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> LabelTargets:
        """Make targets from fields that a file has."""
        return cls(
            check_integer("n_labels", fields["n_labels"], 1),
            check_flag("is_sparse", fields["is_sparse"]),
            np.dtype(fields["dtype"]),
        )
