"""What `fit` works on: features and targets as numbers, row weights, and what scores splits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.features.encoding import Encoding
from slantwood.features.informative_missing import informative_columns
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


def with_informative_indicators(data: TrainingData) -> TrainingData:
    """Return the same without the indicators of missing cells that tell nothing about the targets."""
    indicated = data.encoding.indicated
    if not indicated:
        return data
    marks = data.X[:, -len(indicated) :]
    informative = informative_columns(marks, data.Y, data.row_weights, data.targets.are_indicators)
    if informative.all():
        return data
    encoding = replace(data.encoding, indicated=tuple(np.array(indicated)[informative].tolist()))
    # Encoded anew, since whether the matrix is dense depends on all its columns.
    return replace(data, X=encoding.encode(data.table), encoding=encoding)
