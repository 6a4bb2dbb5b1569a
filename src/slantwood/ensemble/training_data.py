"""What `fit` works on: features and targets as numbers, row weights, and what scores splits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.features.encoding import Encoding
from slantwood.features.matrix import known_rows
from slantwood.targets.base import Targets
from slantwood.targets.clustering import Clustering


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Checked and encoded training rows."""

    table: Any  # X as the user gave it
    X: Any  # float32 array or CSR array; NaN where a value is missing
    encoding: Encoding  # of the table
    y: Any  # as the user gave it: in an array, or of a hierarchy in any form
    Y: Any  # float32 array or CSR array; NaN where a target is not known
    targets: Targets  # encoding of the user's y
    row_weights: np.ndarray  # float64
    clustering: Clustering

    def without_unlabeled(self) -> TrainingData:
        """Return the same where rows without any label have no weight, and nothing is missing in them."""
        unlabeled = ~known_rows(self.Y)
        if not unlabeled.any():
            return self
        Y = self.Y.copy()
        if sp.issparse(Y):
            Y.data[np.repeat(unlabeled, np.diff(Y.indptr))] = 0.0
            Y.eliminate_zeros()
        else:
            Y[unlabeled] = 0.0
        return replace(self, Y=Y, row_weights=np.where(unlabeled, 0.0, self.row_weights))
