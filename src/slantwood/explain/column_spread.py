"""How far the columns of a matrix, dense or sparse, are spread."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from slantwood.features.matrix import column_means


class ColumnSpread(NamedTuple):
    """Mean, standard deviation and range of columns; missing values have no part."""

    mean: np.ndarray
    deviation: np.ndarray  # 0 where nothing is known
    low: np.ndarray
    high: np.ndarray

    @classmethod
    def of(cls, X: Any, columns: np.ndarray) -> ColumnSpread:
        """Measure some columns of a matrix."""
        part = X[:, columns]
        ones = np.ones(part.shape[0])
        mean = np.nan_to_num(column_means(part, ones))
        if sp.issparse(part):
            csc = sp.csc_array(part)
            low, high = csc.nanmin(axis=0).toarray().ravel(), csc.nanmax(axis=0).toarray().ravel()
            squared = sp.csr_array(part, dtype=np.float64, copy=True)
            squared.data **= 2
            variance = column_means(squared, ones) - mean**2
        else:
            low, high = np.fmin.reduce(part, axis=0), np.fmax.reduce(part, axis=0)
            variance = column_means((part - mean) ** 2, ones)
        constant = ~(low < high)
        deviation = np.sqrt(np.where(constant, 0.0, np.maximum(np.nan_to_num(variance), 0.0)))
        return cls(mean, deviation, low.astype(np.float64), high.astype(np.float64))

    def of_columns(self, mask: np.ndarray) -> ColumnSpread:
        """Return those of some of the columns."""
        return ColumnSpread(*(part[mask] for part in self))
