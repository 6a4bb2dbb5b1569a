"""Any number of labels per example, as an indicator matrix, dense or sparse, or as sets; NaN if not known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from slantwood.features.frames import column_names
from slantwood.features.matrix import column_means
from slantwood.hints import listed, shown
from slantwood.kernels.matrix import DENSE_SHARE, any_missing
from slantwood.targets.base import Targets, ToJson
from slantwood.targets.label_sets import (
    LabelSets,
    are_label_sets,
    as_label_sets,
    holds_label_sets,
    read_label_sets,
)
from slantwood.targets.reading import as_array, as_numbers, columns_by_name
from slantwood.validation import check_flag, check_integer

# Rows, or stored values, that are looked at together.
_ROWS_AT_ONCE = 1 << 16


@dataclass(frozen=True)
class LabelTargets(Targets):
    """An (n, L) matrix of zeros and ones."""

    n_labels: int
    is_sparse: bool = field()  # what came sparse goes back sparse
    dtype: np.dtype
    _: KW_ONLY
    as_sets: bool = False  # what came as label sets goes back so
    names: np.ndarray | None = None  # of the labels, where they have any

    kind: ClassVar[str] = "labels"
    task = "multi-label"

    def __getstate__(self) -> dict[str, Any]:
        """Return what pickle and skops keep: the type by its name, so that skops asks no trust in it."""
        return self.__dict__ | {"dtype": self.dtype.name}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what was kept."""
        self.__dict__.update(state | {"dtype": np.dtype(state["dtype"])})

    @classmethod
    def of(cls, y: Any, names: Sequence[str] | None = None) -> LabelTargets:
        """Check an indicator matrix and remember its form, and what its columns are called."""
        if sp.issparse(y) and not sp.csr_array(y).has_canonical_format:
            y = sp.csr_array(y.tocoo())  # which adds up duplicates
        stored = y.data if sp.issparse(y) else y
        if stored.dtype.kind not in "biuf":
            raise ValueError(
                f"y has {y.shape[1]} columns of dtype {stored.dtype}; several columns are labels, zeros and "
                "ones (or booleans), or targets with classes of their own"
            )
        wrong = _other_than_labels(stored)
        if len(wrong):
            raise ValueError(
                f"y has {y.shape[1]} columns and holds the value {wrong[0]!s}; several columns are "
                "labels, zeros and ones (NaN where one is not known), or in an array that is not sparse "
                "targets with classes of their own, text or whole numbers (unless multi_output='labels'). "
                "For numbers use a regressor; for numbers beside classes give a data frame, where columns of "
                "floats are numbers; where rows list labels, make each of them a set"
            )
        if stored.dtype.kind == "f" and any_missing(stored):
            unknown = np.isnan(column_means(y, np.ones(y.shape[0])))
            if unknown.any():
                label = int(np.argmax(unknown))
                what = shown(names[label]) if names else label
                raise ValueError(f"label {what} of y is missing (NaN) in every row; leave it out of y")
        called = np.array(names, object) if names else None
        return cls(y.shape[1], sp.issparse(y), stored.dtype, names=called)

    @classmethod
    def of_sets(
        cls, y: Any, n_rows: int, known: np.ndarray | None = None
    ) -> tuple[LabelTargets, np.ndarray | sp.csr_array]:
        """Read label sets, where `known` is given of known labels only; return the indicator as well."""
        labels, Y, has_others = read_label_sets(y, n_rows, known)
        if len(labels) == 0:
            raise ValueError("y has no label in any row; at least one row must have one")
        if has_others.any():
            raise ValueError(
                f"warm_start=True, but row {int(np.argmax(has_others))} of y has a label that is none of the "
                f"{len(labels)} before; fit a new estimator instead"
            )
        Y = dense_if_full(Y)
        return cls(len(labels), sp.issparse(Y), Y.dtype, as_sets=True, names=labels), Y

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
        """Names of the labels, or their positions."""
        return np.arange(self.n_labels) if self.names is None else self.names

    @property
    def attributes(self) -> dict[str, Any]:
        """Attributes of a fitted estimator that say what it predicts."""
        n_labels = self.n_labels
        found = {"classes_": self.classes, "n_classes_": n_labels, "n_outputs_": n_labels}
        if self.names is None or self.as_sets:
            return found
        return {**found, "target_names_": tuple(map(str, self.names.tolist()))}  # each label is a column of y

    def continued(self, later: Any) -> LabelTargets:
        """Return the targets for adding trees to a forest that was fitted on these."""
        if type(later) is not type(self) or later.n_labels != self.n_labels:
            raise ValueError(
                f"warm_start=True, but y now is {later.task} with {later.n_columns} columns and was "
                f"{self.task} with {self.n_labels} before; fit a new estimator instead (multi_output decides "
                "what columns of y are)"
            )
        if self.names is None:
            return later
        if later.names is not None and not np.array_equal(later.names, self.names):
            raise ValueError(
                f"warm_start=True, but the labels of y now are {listed(later.names.tolist())} and were "
                f"{listed(self.names.tolist())} before; fit a new estimator instead"
            )
        return replace(later, names=self.names)

    def encode(self, y: Any) -> Any:
        """Return the indicators as numbers; what is shared with y where it is sparse is only read."""
        if not sp.issparse(y):
            return y.astype(np.float32)
        csr = sp.csr_array(y)
        return sp.csr_array((csr.data.astype(np.float32, copy=False), csr.indices, csr.indptr), shape=y.shape)

    def read_truth(self, y: Any, n_rows: int) -> LabelSets:
        """Read true labels, as sets or as an indicator; columns of a frame may come in any order."""
        if holds_label_sets(y) or (self.as_sets and are_label_sets(y, self.n_labels)):
            return _all_known(read_label_sets(y, n_rows, self.classes))
        called = column_names(y, "y")
        Y = as_array(y, n_rows)
        if Y.ndim != 2 or Y.shape[1] != self.n_labels:
            raise ValueError(
                f"y has shape {Y.shape}, and {self.n_labels} labels are predicted; give a set of labels for "
                "each row, or the indicator matrix of classes_"
            )
        if called is not None and self.names is not None:
            Y = Y[:, columns_by_name(called, self.names.tolist(), "label", "model")]
        Y = Y if Y.dtype.kind in "biuf" else as_numbers(Y)
        wrong = _other_than_labels(np.asarray(Y.data if sp.issparse(Y) else Y))
        if len(wrong):
            raise ValueError(
                f"y holds the value {wrong[0]!s}, and the model predicts labels, zeros and ones (fitted with "
                "multi_output='targets', it would predict columns with classes of their own)"
            )
        return _all_known(LabelSets(self.classes, self.encode(Y), np.zeros(n_rows, np.bool_)))

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
        """Return the decided labels in the form of y: an indicator, or a list with a tuple for each row."""
        chosen = self.decided(scores, threshold)
        return as_label_sets(chosen, self.classes.tolist()) if self.as_sets else chosen

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
        names = None if self.names is None else to_json(self.names, "classes_")
        form = {"is_sparse": self.is_sparse, "dtype": self.dtype.name, "as_sets": self.as_sets}
        return {"n_labels": self.n_labels, **form, "names": names}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> LabelTargets:
        """Make targets from fields that a file has; older files know neither names nor sets."""
        n_labels = check_integer("n_labels", fields["n_labels"], 1)
        is_sparse = check_flag("is_sparse", fields["is_sparse"])
        as_sets, names = check_flag("as_sets", fields.get("as_sets", False)), fields.get("names")
        if names is None and as_sets:
            raise ValueError("label sets must have names")
        if names is not None:
            _check_names_of_file(names, n_labels)
        return cls(n_labels, is_sparse, np.dtype(fields["dtype"]), as_sets=as_sets, names=names)


def _other_than_labels(stored: np.ndarray) -> np.ndarray:
    """Return the first values, if there are any, that are neither 0 nor 1 nor missing."""
    for start in range(0, len(stored), _ROWS_AT_ONCE):
        some = stored[start : start + _ROWS_AT_ONCE]
        wrong = (some != 0) & (some != 1) & (some == some)
        if wrong.any():
            return some[wrong]
    return stored[:0].ravel()


def dense_if_full(Y: sp.csr_array) -> np.ndarray | sp.csr_array:
    """Return the indicator of label sets as a dense array where labels are so frequent that it is smaller."""
    return Y.toarray() if (Y.data == 1).sum() >= DENSE_SHARE * Y.shape[0] * Y.shape[1] else Y


def _all_known(truth: LabelSets) -> LabelSets:
    known = ~np.isnan(truth.indicator.data if sp.issparse(truth.indicator) else truth.indicator)
    if not known.all():
        raise ValueError("y has labels that are not known (NaN or None); leave such rows out of X and y")
    return truth


def _check_names_of_file(names: Any, n_labels: int) -> None:
    if not isinstance(names, np.ndarray) or names.dtype not in (object, np.int64):
        raise ValueError("names of labels must be an array of text or of whole numbers")
    if names.shape != (n_labels,) or len(set(names.tolist())) != n_labels:
        raise ValueError(f"names of labels must be {n_labels}, and differ")
