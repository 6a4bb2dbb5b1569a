"""Targets as one boosted model learns them: codes of classes, or columns side by side, and the way back."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from slantwood.task_names import CLASS_TASKS, NUMBER_TASKS
from slantwood_bench.methods.base import dense


class Classes(NamedTuple):
    """Classes by their place among the sorted ones.

    Attributes
    ----------
    classes : ndarray
        The classes, sorted.
    """

    classes: np.ndarray

    @property
    def n_outputs(self) -> int:
        """Number of classes; 0 where there is only one, of which nothing can be learned."""
        return len(self.classes) if len(self.classes) > 1 else 0

    def encode(self, y: np.ndarray) -> np.ndarray:
        """Return the place of each class."""
        return np.searchsorted(self.classes, y)

    def decode(self, outputs: np.ndarray) -> np.ndarray:
        """Return the class of each row that has the largest output; the only one where there are none."""
        places = outputs.argmax(axis=1) if self.n_outputs else np.zeros(len(outputs), np.intp)
        return self.classes[places]


class Columns(NamedTuple):
    """Labels, or numbers in units of their standard deviations, so that no target outweighs the others.

    Columns that are the same in all rows are left out: some libraries refuse them.

    Attributes
    ----------
    first, varies : ndarray of shape (t,)
        The first row, and in which columns another differs from it.
    centres, scales : ndarray of shape (t,)
        What is subtracted, and what is divided by.
    side_by_side : bool
        Whether the targets were a matrix; otherwise they were a vector.
    """

    first: np.ndarray
    varies: np.ndarray
    centres: np.ndarray
    scales: np.ndarray
    side_by_side: bool

    @property
    def n_outputs(self) -> int:
        """Number of columns to learn."""
        return int(self.varies.sum())

    def encode(self, y: Any) -> np.ndarray:
        """Return the columns to learn."""
        cells = dense(y).reshape(y.shape[0], -1)
        return ((cells - self.centres) / self.scales)[:, self.varies]

    def decode(self, outputs: np.ndarray) -> np.ndarray:
        """Return predictions in the shape of the targets."""
        cells = np.tile(self.first, (len(outputs), 1))
        cells[:, self.varies] = outputs * self.scales[self.varies] + self.centres[self.varies]
        return cells if self.side_by_side else cells[:, 0]


def targets_of(task: str, y: Any) -> Classes | Columns:
    """Return how targets are to be learned.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.array([[1.0, 7.0], [3.0, 7.0]])
    >>> targets = targets_of("multi-target regression", y)
    >>> targets.encode(y)
    array([[-1.],
           [ 1.]])
    >>> targets.decode(np.array([[0.0]]))
    array([[2., 7.]])
    """
    if task in CLASS_TASKS:
        return Classes(np.unique(y))
    cells = dense(y).reshape(y.shape[0], -1).astype(np.float64)
    varies = (cells != cells[0]).any(axis=0)
    centres, scales = np.zeros(cells.shape[1]), np.ones(cells.shape[1])
    if task in NUMBER_TASKS:
        centres, scales = cells.mean(axis=0), np.where(varies, cells.std(axis=0), 1.0)
    return Columns(cells[0], varies, centres, scales, y.ndim == 2)
