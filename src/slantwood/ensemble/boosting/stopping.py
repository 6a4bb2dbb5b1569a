"""How many rounds of boosting are enough: as many as lower the loss of rows that no tree saw.

Rows that are held out are like the others in their targets, so that chance has little say in it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from slantwood.ensemble.boosting.rounds import BoostingProblem


class Watch:
    """Remembers the loss after each round, and tells when to stop.

    Parameters
    ----------
    loss : float
        Before the first round.
    patience : int
        Rounds without a lower loss after which to stop.

    Attributes
    ----------
    losses : list of float
        The first one, and one for each round.
    """

    def __init__(self, loss: float, patience: int) -> None:
        self.losses = [loss]
        self._patience = patience

    @property
    def n_best(self) -> int:
        """Rounds after which the loss was lowest."""
        return int(np.argmin(self.losses))

    @property
    def is_over(self) -> bool:
        """Whether the loss has not been lower for long."""
        return len(self.losses) - 1 - self.n_best >= self._patience

    def add(self, loss: float) -> bool:
        """Take note of the loss after a round; return whether to stop."""
        self.losses.append(loss)
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
        """Hold out a share of the rows, drawn at random."""
        rows = problem.rows.astype(np.intp)
        parts = in_parts(problem.Y, rows, 1.0 / share, np.random.default_rng([problem.seed, 4]))
        return cls(problem, rows[parts == 0])

    def loss(self, F: np.ndarray) -> float:
        """Return the weighted mean loss of the rows, added up over the targets by their weights."""
        problem = self.others
        losses = problem.loss.of_rows(problem.Y[self._rows], F[self._rows])
        weights = problem.attribute_weights
        of_rows = losses @ weights if len(weights) == losses.shape[1] else losses.sum(axis=1)
        return float(np.average(of_rows, weights=self._row_weights))
