"""What boosting asks of a loss: where scores begin, which way and how far they go, and what they mean.

A score is what trees add up to, one for each column of the targets. A loss knows nothing of trees. Its
derivatives are compiled; where a target is not known, which NaN marks, they are zero.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import Any, ClassVar

import numpy as np

from slantwood.task_names import NUMBER_TASKS

# A step of a leaf where scores are logarithms, or log odds: beyond it a quadratic says nothing of the loss.
LARGEST_STEP = 4.0


class Loss(ABC):
    """Base of the losses, which are frozen dataclasses of their parameters."""

    name: ClassVar[str]  # how estimators and files call it
    tasks: ClassVar[tuple[str, ...]] = NUMBER_TASKS

    # Whether the second derivative is 1 at every score.
    unit_curvature: ClassVar[bool] = False

    # Steps of leaves, before shrinkage, are cut off here.
    largest_step: ClassVar[float] = np.inf

    # The step of a leaf is this quantile of what is left of its rows' targets; None for Newton's step.
    leaf_quantile: float | None = None

    # What scores are of what is predicted: "identity", "log", "logit" or "softmax".
    link: ClassVar[str] = "identity"

    # Numbers that it is for: positive ones, not negative ones, or all where it is None.
    numbers: ClassVar[str | None] = None

    def fitted(self, Y: np.ndarray, row_weights: np.ndarray) -> Loss:
        """Return the loss with what it has to know of the targets; most know enough."""
        return self

    @abstractmethod
    def start(self, Y: np.ndarray, row_weights: np.ndarray) -> np.ndarray:
        """Return the constant scores with the least loss.

        Parameters
        ----------
        Y : float32 array of shape (n_rows, n_columns)
            Targets; NaN where one is not known.
        row_weights : float64 array of shape (n_rows,)
            Weights of the rows.

        Returns
        -------
        float64 array of shape (n_columns,)
            Scores.
        """

    @abstractmethod
    def derivatives(self, Y: np.ndarray, F: np.ndarray, G: np.ndarray, H: np.ndarray) -> None:
        """Write the negative gradient at scores F to G, and the second derivatives to H.

        All are float32 arrays of shape (n_rows, n_columns); H may have no rows, and then stays as it is.
        """

    @abstractmethod
    def of_rows(self, Y: np.ndarray, F: np.ndarray) -> np.ndarray:
        """Return the loss of each target in each row, or of all targets of a row in one column."""

    def predicted(self, F: np.ndarray) -> np.ndarray:
        """Return what scores mean: the expected targets, in the form of the means of leaves."""
        return F

    def check_targets(self, y: np.ndarray) -> None:
        """Refuse numbers that the loss is not for."""
        least = np.fmin.reduce(y, axis=None)
        if self.numbers is not None and (least < 0 or (least == 0 and self.numbers == "positive")):
            raise ValueError(
                f"loss={self.name!r} is for {self.numbers} numbers, and y holds {least}; choose another one, "
                "such as 'squared_error'"
            )

    def to_json(self) -> dict[str, Any]:
        """Return name and parameters."""
        return {"name": self.name, **{each.name: getattr(self, each.name) for each in fields(self)}}  # type: ignore[arg-type]


def known_mean(Y: np.ndarray, row_weights: np.ndarray) -> np.ndarray:
    """Return the weighted mean of each column over what is known of it; 0 where nothing is."""
    known = ~np.isnan(Y)
    weights = row_weights @ known
    sums = row_weights @ np.where(known, Y, 0.0)
    return np.divide(sums, weights, out=np.zeros_like(sums), where=weights > 0)


def known_quantile(Y: np.ndarray, row_weights: np.ndarray, level: float) -> np.ndarray:
    """Return the weighted quantile of each column over what is known of it; 0 where nothing is."""
    result = np.zeros(Y.shape[1])
    for j in range(Y.shape[1]):
        rows = np.flatnonzero(~np.isnan(Y[:, j]) & (row_weights > 0))
        if len(rows):
            order = rows[np.argsort(Y[rows, j], kind="stable")]
            share = np.cumsum(row_weights[order])
            place = np.searchsorted(share, level * share[-1])
            result[j] = Y[order[min(place, len(order) - 1)], j]
    return result


def where_known(Y: np.ndarray, losses: np.ndarray) -> np.ndarray:
    """Return the losses, 0 where a target is not known."""
    return np.where(np.isnan(Y), 0.0, losses)
