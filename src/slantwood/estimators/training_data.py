"""What `fit` works on: features and targets as numbers, row weights, and what judges splits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from slantwood.features.encoding import Encoding
from slantwood.targets.clustering import Clustering


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Checked and encoded training rows."""

    X: Any  # float32 array or CSR array; NaN where a value is missing
    encoding: Encoding  # of the user's X
    y: Any  # as the user gave it
    Y: Any  # float32 array or CSR array; NaN where a target is not known
    targets: Any  # encoding of the user's y
    row_weights: np.ndarray  # float64
    clustering: Clustering

    def of_rows(self, rows: np.ndarray) -> TrainingData:
        """Return the same for some of the rows."""
        return replace(
            self,
            X=self.X[rows],
            y=self.y[rows],
            Y=self.Y[rows],
            row_weights=self.row_weights[rows],
            clustering=self.clustering.of_rows(rows),
        )

    def weighted(self, row_weights: np.ndarray) -> TrainingData:
        """Return the same with other row weights."""
        return replace(self, row_weights=row_weights)
