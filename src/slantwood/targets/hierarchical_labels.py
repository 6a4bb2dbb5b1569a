"""Any number of labels per example, from a hierarchy: a label is never without its ancestors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from slantwood.features.frames import column_names, is_missing
from slantwood.targets.base import ToJson
from slantwood.targets.hierarchy import Hierarchy
from slantwood.targets.label_sets import are_label_sets, is_collection, rows_of
from slantwood.targets.labels import LabelTargets, dense_if_full
from slantwood.targets.reading import as_array, as_numbers, check_length, columns_by_name
from slantwood.task_names import HIERARCHICAL
from slantwood.validation import check_flag


@dataclass(frozen=True)
class HierarchyTargets(LabelTargets):
    """An (n, L) matrix of zeros and ones, closed under ancestors."""

    hierarchy: Hierarchy = field()

    kind: ClassVar[str] = "hierarchy"
    task = HIERARCHICAL

    @classmethod
    def read(cls, y: Any, hierarchy: Hierarchy, n_rows: int) -> tuple[HierarchyTargets, Any]:
        """Read label sets or an indicator; return its form, and the closed indicator."""
        Y = closed_labels(y, hierarchy, n_rows)  # first, as it refuses what cannot be read
        as_sets = are_label_sets(y, len(hierarchy))
        Y = dense_if_full(Y) if as_sets else Y
        flat = LabelTargets.of(Y)
        return cls(flat.n_labels, flat.is_sparse, flat.dtype, hierarchy, as_sets=as_sets), Y

    @property
    def column_weights(self) -> np.ndarray:
        """Weights of the labels in the choice of splits: less, the deeper a label is."""
        return self.hierarchy.weights()

    @property
    def classes(self) -> np.ndarray:
        """The labels."""
        return np.array(self.hierarchy.nodes)

    @property
    def ranks(self) -> np.ndarray:
        """Parents have lower ranks than their children: the best few labels then contain their ancestors."""
        return np.argsort(self.hierarchy.order)

    def continued(self, later: Any) -> HierarchyTargets:
        """Return the targets for adding trees to a forest that was fitted on these."""
        if isinstance(later, HierarchyTargets) and later.hierarchy == self.hierarchy:
            return later
        raise ValueError("warm_start=True, but labels are not of the hierarchy before; fit a new estimator")

    def decided(self, scores: Any, threshold: float | np.ndarray) -> Any:
        """Labels whose score is above the threshold, and all their ancestors."""
        # Scores are consistent; only thresholds of their own can leave out the parent of a chosen label.
        chosen = super().decided(scores, threshold)
        return chosen if np.ndim(threshold) == 0 else self.hierarchy.closure(chosen)

    def to_json(self, to_json: ToJson) -> dict[str, Any]:
        """Return all fields but the kind."""
        flat = super().to_json(to_json)
        del flat["n_labels"], flat["names"]  # those of the hierarchy
        return {**flat, "hierarchy": to_json(self.hierarchy, "hierarchy")}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> HierarchyTargets:
        """Make targets from fields that a file has."""
        hierarchy = fields["hierarchy"]
        if not isinstance(hierarchy, Hierarchy):
            raise ValueError("hierarchy must be a hierarchy")
        as_sets = check_flag("as_sets", fields["as_sets"])
        flat = LabelTargets.from_json({"n_labels": len(hierarchy), **fields, "as_sets": False})
        return cls(flat.n_labels, flat.is_sparse, flat.dtype, hierarchy, as_sets=as_sets)


def closed_labels(y: Any, hierarchy: Hierarchy, n_rows: int | None = None, called: str = "y") -> Any:
    """Return the indicator, closed under ancestors, of label sets or of an indicator.

    Columns of a data frame that are named like the labels may come in any order. `n_rows` is how many rows X
    has, where there is one; errors name y as it is `called`.
    """
    if y is None:
        raise ValueError(f"{called} is None; give a set of labels for each row, or an indicator matrix")
    names = column_names(y, called)
    try:
        if names is None and are_label_sets(y, len(hierarchy)):
            rows = rows_of(y)
            check_length(len(rows), n_rows)
            known = [None if not is_collection(row) and is_missing(row) else row for row in rows]
            return hierarchy.closure(hierarchy.indicator(known))
        Y = as_array(y, n_rows)
        if Y.ndim == 1:
            first = (Y.toarray() if sp.issparse(Y) else Y).tolist()[:1]
            raise ValueError(
                f"it begins with {first!r:.60}; give a set of labels for each row, or the indicator matrix "
                "of all labels, in the order of hierarchy.nodes"
            )
        if names is not None:
            Y = Y[:, columns_by_name(names, hierarchy.nodes, "label", "hierarchy", "it")]
        return hierarchy.closure(Y if Y.dtype.kind in "biuf" else as_numbers(Y))
    except (TypeError, ValueError) as error:
        raise type(error)(f"{called} does not fit the hierarchy: {error}") from error
