"""How many rounds of boosting are enough: as many as lower the loss of rows that no tree saw.

Rows that are held out are like the others in their targets, so that chance has little say in it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from slantwood.ensemble.boosting.rounds import BoostingProblem

# With a forest beside it, the model may have so much of the loss that rounds have alone: few rows do not tell
# smaller differences, and the mean of two depends less on chance. On noise alone it has more.
_ABOUT_EQUAL = 1.015


class Watch:
    """Remembers losses after each round, and tells when to stop.

    Parameters
    ----------
    losses : array of shape (1,) or (2,)
        Before the first round: of the rounds alone, and of these with a forest beside them.
    patience : int
        Rounds without a lower loss after which to stop.
    """

    def __init__(self, losses: np.ndarray, patience: int) -> None:
        self._losses = [losses]
        self._patience = patience

    @property
    def has_forest(self) -> bool:
        """Whether the forest has a part in the model: unless rounds alone have a lower loss."""
        lowest = np.min(self._losses, axis=0)
        return len(lowest) == 2 and bool(lowest[1] < _ABOUT_EQUAL * lowest[0])

    @property
    def losses(self) -> np.ndarray:
        """Of the model by now: before the first round, and after each."""
        return np.array(self._losses)[:, int(self.has_forest)]

    @property
    def n_best(self) -> int:
        """Rounds after which the loss was lowest."""
        return int(np.argmin(self.losses))

    @property
    def is_over(self) -> bool:
        """Whether no loss has been lower for long."""
        latest = int(np.argmin(self._losses, axis=0).max())
        return len(self._losses) - 1 - latest >= self._patience

    def add(self, losses: np.ndarray) -> bool:
        """Take note of the losses after a round; return whether to stop."""
        self._losses.append(losses)
        return self.is_over


def in_parts(Y: np.ndarray, rows: np.ndarray, n_parts: float, rng: np.random.Generator) -> np.ndarray:
    """Return the number of the part, from 0 on, of each of some rows.

    Parts are about equal in size, and each has its share of every class, or of low and high numbers; of
    several numbers or labels only chance decides.

    Parameters
    ----------
    Y : array of shape (n_rows, n_columns)
        Targets.
    rows : array of int
        Rows to divide.
    n_parts : float
        How many; of 8.5 parts, the last is a half.
    rng : Generator
        Source of chance.
    """
    shuffled = rng.permutation(len(rows))
    of_rows = np.nan_to_num(Y[rows[shuffled]])
    is_one_of_many = Y.shape[1] > 1 and bool((of_rows.sum(axis=1) == 1.0).all())
    if Y.shape[1] == 1 or is_one_of_many:
        key = of_rows.argmax(axis=1) if is_one_of_many else of_rows[:, 0]
        shuffled = shuffled[np.argsort(key, kind="stable")]
    parts = np.empty(len(rows), np.int64)
    parts[shuffled] = (np.arange(len(rows)) + rng.random() * n_parts) % n_parts
    return parts


class HeldOut:
    """Some rows that tell the loss of trees which did not see them.

    Parameters
    ----------
    problem : BoostingProblem
        All rows.
    rows : array of int
        Those that are held out.

    Attributes
    ----------
    others : BoostingProblem
        The same, in which only the other rows have weight.
    weight : float
        Of all rows that are held out.
    """

    def __init__(self, problem: BoostingProblem, rows: np.ndarray) -> None:
        others = problem.row_weights.copy()
        others[rows] = 0.0
        self.others = replace(problem, row_weights=others)
        self._rows, self._row_weights = rows, problem.row_weights[rows]
        self.weight = float(self._row_weights.sum())

    @classmethod
    def drawn(cls, problem: BoostingProblem, share: float) -> HeldOut:
        """Hold out a share of the rows, at least one, drawn at random."""
        rows = problem.rows.astype(np.intp)
        n_parts = min(1.0 / share, len(rows))
        parts = in_parts(problem.Y, rows, n_parts, np.random.default_rng([problem.seed, 4]))
        return cls(problem, rows[parts == 0])

    def loss(self, F: np.ndarray) -> float:
        """Return the weighted mean loss of the rows, added up over the targets by their weights."""
        problem = self.others
        losses = problem.loss.of_rows(problem.Y[self._rows], F[self._rows])
        weights = problem.attribute_weights
        of_rows = losses @ weights if len(weights) == losses.shape[1] else losses.sum(axis=1)
        return float(np.average(of_rows, weights=self._row_weights))
