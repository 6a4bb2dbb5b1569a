"""How wrong means of leaves are, row by row, so that two forests can be compared on the same rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.features.matrix import column_means
from slantwood.metrics.ranking import row_average_precision
from slantwood.targets.base import Targets
from slantwood.task_names import LABEL_TASKS


class RowLosses:
    """Losses of the rows of a data set; of a target that is not known there is none.

    Parameters
    ----------
    targets : Targets
        What the columns are.
    Y : array or CSR array of shape (n_rows, n_columns)
        The truth.
    row_weights : array of shape (n_rows,)
        Weights of the rows.
    target_weights : array
        Weights of the columns; empty where all are equal.
    """

    def __init__(self, targets: Targets, Y: Any, row_weights: np.ndarray, target_weights: np.ndarray) -> None:
        self._targets = targets
        self._column_weights = _column_weights(targets, Y, row_weights, target_weights)
        self._class_weights = [_class_weights(_class_of(Y, block), row_weights) for block in _blocks(targets)]

    def squared(self, Y: Any, means: Any) -> np.ndarray:
        """Return the squared error: of numbers in units of their spread, of shares Brier's score."""
        if sp.issparse(Y):
            error = sp.csr_array(Y - means)
            error.data = np.nan_to_num(error.data, nan=0.0) ** 2
            return error @ self._column_weights
        return np.nan_to_num(Y - means, nan=0.0) ** 2 @ self._column_weights

    def own(self, Y: Any, means: Any) -> np.ndarray:
        """Return, in columns, the losses that users of the task look at beside it.

        Of classes these are errors and errors in which each class counts alike, of labels what is lacking of
        the average precision of the row's ranking; of numbers there is none.
        """
        if self._targets.task in LABEL_TASKS:
            return 1.0 - row_average_precision(Y, means)[:, None]
        columns = []
        for block, weights in zip(_blocks(self._targets), self._class_weights, strict=True):
            of_row, said = _class_of(Y, block), _class_of(means, block)
            wrong = ((of_row != said) & (of_row >= 0)).astype(np.float64)
            columns += [wrong, wrong * weights[of_row]]
        return np.stack(columns, axis=1) if columns else np.empty((Y.shape[0], 0))


def _column_weights(
    targets: Targets, Y: Any, row_weights: np.ndarray, target_weights: np.ndarray
) -> np.ndarray:
    weights = target_weights.astype(np.float64) if len(target_weights) else np.ones(targets.n_columns)
    sizes = targets.block_sizes
    if not len(sizes):
        return weights
    # Several targets have the same say, whatever the number of their classes.
    means, squares = (np.nan_to_num(column_means(each, row_weights)) for each in (Y, Y**2))
    starts = np.cumsum(sizes) - sizes
    spread = np.add.reduceat(squares - means**2, starts)
    return weights / np.repeat(np.where(spread > 0, spread, 1.0), sizes)


def _blocks(targets: Targets) -> Iterator[slice]:
    # The columns of each target that has classes.
    if targets.task in LABEL_TASKS or not targets.are_indicators.any():
        return
    sizes = targets.block_sizes if len(targets.block_sizes) else np.array([targets.n_columns])
    for stop, size in zip(np.cumsum(sizes), sizes, strict=True):
        if targets.are_indicators[stop - 1]:
            yield slice(stop - size, stop)


def _class_of(values: Any, block: slice) -> np.ndarray:
    # The class of the largest value of each row, -1 where it is not known.
    columns = values[:, block]
    columns = columns.toarray() if sp.issparse(columns) else columns
    of_row = (columns[:, 0] > 0.5).astype(np.intp) if columns.shape[1] == 1 else columns.argmax(axis=1)
    return np.where(np.isnan(columns).any(axis=1), -1, of_row)


def _class_weights(of_row: np.ndarray, row_weights: np.ndarray) -> np.ndarray:
    # With these, all classes that there are have the same weight together; rows without any have none.
    total = np.bincount(of_row + 1, row_weights)[1:]
    there = total > 0
    weights = np.divide(total.sum(), there.sum() * total, out=np.zeros(len(total)), where=there)
    return np.append(weights, 0.0)
