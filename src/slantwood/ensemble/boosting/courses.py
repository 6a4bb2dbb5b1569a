"""The ways through the rounds of a fit: one model, or where rows are few the mean of several.

A course says where scores begin, and then round by round which trees are added and what the loss of rows is
that they did not see. Where rows are few, a part of them tells too little about when to stop, and a single
model depends much on chance: five models grow side by side, each without a fifth of the rows, and the mean
of them all is the model. Every row then tells the loss of a model that did not see it, and none is lost.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from slantwood.ensemble.boosting.beside import ForestMaker, as_round
from slantwood.ensemble.boosting.rounds import BoostingProblem, Round, Rounds
from slantwood.ensemble.boosting.stopping import HeldOut, in_parts
from slantwood.kernels.matrix import dense_matrix
from slantwood.model.trees import join
from slantwood.threads import StopFlag, run_in_threads, thread_count

_N_MODELS = 5


class Done(NamedTuple):
    """A round, and the losses after it."""

    round: Round
    losses: np.ndarray


class Course(ABC):
    """What a fit goes through, round after round."""

    start: np.ndarray  # scores before the first round, of all rows
    forest: Round | None = None  # what may be put beside the rounds, which count less then

    @property
    @abstractmethod
    def losses(self) -> np.ndarray:
        """Loss of rows that no tree saw, by now; NaN where none is held out.

        Where there is a forest, a second one is that of the model which it is a part of.
        """

    @abstractmethod
    def advance(self, stop: StopFlag) -> Done:
        """Go on by a round."""


class SingleCourse(Course):
    """One model, of all rows but those that are held out.

    Parameters
    ----------
    problem : BoostingProblem
        Data and rules.
    share : float
        Of the rows that are held out; 0 for none.
    earlier : array of shape (n_rows, n_columns), optional
        Scores of rows by an earlier model, which goes on.
    n_earlier : int
        Rounds of the earlier model.
    """

    def __init__(
        self, problem: BoostingProblem, share: float, earlier: np.ndarray | None = None, n_earlier: int = 0
    ) -> None:
        self._held_out = HeldOut.drawn(problem, share) if share > 0 else None
        own = problem if self._held_out is None else self._held_out.others
        self.start = start_of(own)
        self._rounds = Rounds(own, self.start if earlier is None else earlier, n_earlier)

    @property
    def losses(self) -> np.ndarray:
        """Loss of the rows that are held out."""
        return np.array([np.nan if self._held_out is None else self._held_out.loss(self._rounds.F)])

    def advance(self, stop: StopFlag) -> Done:
        """Go on by a round."""
        return Done(self._rounds.advance(stop), self.losses)


class CrossedCourse(Course):
    """The mean of several models, each of which does without another part of the rows.

    Parameters
    ----------
    problem : BoostingProblem
        Data and rules.
    maker : ForestMaker, optional
        Grows a forest beside each model.
    """

    def __init__(self, problem: BoostingProblem, maker: ForestMaker | None = None) -> None:
        rows = problem.rows.astype(np.intp)
        n_parts = min(_N_MODELS, len(rows))
        parts = in_parts(problem.Y, rows, n_parts, np.random.default_rng([problem.seed, 5]))
        self._n_jobs = problem.n_jobs
        self._models = [_Part(problem, rows[parts == part], part, maker) for part in range(n_parts)]
        self.start = np.mean([model.start for model in self._models], axis=0)
        forests = [model.forest for model in self._models if model.forest is not None]
        self.forest = as_round(forests, self.start) if forests else None

    @property
    def losses(self) -> np.ndarray:
        """Loss of all rows, each by the model that did not see it."""
        return self._mean([model.losses for model in self._models])

    def advance(self, stop: StopFlag) -> Done:
        """Go on by a round of every model."""
        if thread_count(self._n_jobs) == 1:
            done = [model.advance(stop) for model in self._models]
        else:
            done = list(run_in_threads(lambda model: model.advance(stop), self._models, self._n_jobs))
        trees = join([each.round.trees for each in done])
        leaves = dense_matrix(trees.leaves.values / np.float32(len(done)))
        importance = np.mean([each.round.importance for each in done], axis=0)
        losses = self._mean([each.losses for each in done])
        return Done(Round(trees._replace(leaves=leaves), importance), losses)

    def _mean(self, losses: list[np.ndarray]) -> np.ndarray:
        return np.average(losses, axis=0, weights=[model.weight for model in self._models])


class _Part:
    """One of several models, with random numbers of its own."""

    def __init__(
        self, problem: BoostingProblem, rows: np.ndarray, number: int, maker: ForestMaker | None
    ) -> None:
        self._held_out = HeldOut(problem, rows)
        seed = np.random.SeedSequence(problem.seed, spawn_key=(number, 6)).generate_state(1)[0]
        own = replace(self._held_out.others, seed=int(seed), n_jobs=1)
        self.start, self.weight = start_of(own), self._held_out.weight
        self.forest = None if maker is None else maker.beside(own)
        self._rounds = Rounds(own, self.start)

    @property
    def losses(self) -> np.ndarray:
        F = self._rounds.F
        scores = [F] if self.forest is None else [F, self.forest.mean_with(F)]
        return np.array([self._held_out.loss(each) for each in scores])

    def advance(self, stop: StopFlag) -> Done:
        return Done(self._rounds.advance(stop), self.losses)


def start_of(problem: BoostingProblem) -> np.ndarray:
    """Return the constant scores with the least loss over the rows that have weight."""
    return problem.loss.start(problem.Y[problem.rows], problem.row_weights[problem.rows])
