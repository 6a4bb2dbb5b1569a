"""Some of the rows, with their targets and weights, in the forms that `fit` takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from slantwood.features.rows import join_rows, n_rows_of, take_rows


class PartOfRows(NamedTuple):
    """Some of the rows, in the forms that `fit` takes."""

    X: Any
    y: Any
    weights: np.ndarray | None  # None where all rows have weight 1

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return n_rows_of(self.X)

    def rows(self, rows: np.ndarray) -> PartOfRows:
        """Return some of the rows."""
        weights = None if self.weights is None else self.weights[rows]
        return PartOfRows(take_rows(self.X, rows), take_rows(self.y, rows), weights)


def joined(parts: Sequence[PartOfRows]) -> PartOfRows:
    """Put parts below one another; those without rows are left out."""
    parts = [part for part in parts if part.n_rows] or list(parts[:1])
    weights = None
    if any(part.weights is not None for part in parts):
        weights = np.concatenate(
            [np.ones(part.n_rows) if part.weights is None else part.weights for part in parts]
        )
    return PartOfRows(join_rows([part.X for part in parts]), join_rows([part.y for part in parts]), weights)


def checked_part(X: Any, y: Any, weights: Any, number: int) -> PartOfRows:
    """Return a part whose lengths agree."""
    n_rows = n_rows_of(X)
    for name, other in (("y", y), ("sample_weight", weights)):
        if other is not None and n_rows_of(other) != n_rows:
            raise ValueError(
                f"part {number} of X has {n_rows} rows, and that of {name} has {n_rows_of(other)}; divide "
                f"X and {name} in the same way"
            )
    return PartOfRows(X, y, None if weights is None else np.asarray(weights, np.float64).ravel())
