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

from slantwood.ensemble.additive import Additive
from slantwood.ensemble.boosting.beside import (
    Beside,
    ForestMaker,
    as_round,
    in_part,
    mean_of_both,
    restored_means,
    whole,
)
from slantwood.ensemble.boosting.rounds import TREES_PER_ROUND, BoostingProblem, Round, Rounds
from slantwood.ensemble.boosting.stopping import HeldOut, in_parts
from slantwood.ensemble.forest import FittedForest
from slantwood.model.trees import Trees, join
from slantwood.threads import StopFlag, run_in_threads, thread_count

_N_MODELS = 5


class Done(NamedTuple):
    """A round, and the losses after it."""

    round: Round
    losses: np.ndarray


class Course(ABC):
    """What a fit goes through, round after round."""

    start: np.ndarray  # scores before the first round, of all rows
    fold_starts: np.ndarray = np.empty((0, 0))  # the same of each of several models
    validation_fraction: float = 0.0  # share of the rows that a single model holds out
    forest: Round | None = None  # what may be put beside the rounds, which count less then

    @property
    def holds_out(self) -> bool:
        """Whether there are rows that no tree of a model sees."""
        return len(self.fold_starts) > 0 or self.validation_fraction > 0

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
    earlier : FittedForest, optional
        A model of such a course, which goes on.
    """

    def __init__(self, problem: BoostingProblem, share: float, earlier: FittedForest | None = None) -> None:
        self.validation_fraction = share
        self._held_out = HeldOut.drawn(problem, share) if share > 0 else None
        own = problem if self._held_out is None else self._held_out.others
        self.start = start_of(own) if earlier is None else _additive(earlier).start
        self._rounds = Rounds(own, self.start)
        if earlier is not None:
            self._rounds.resume(earlier.trees)

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
    earlier : FittedForest, optional
        A model of such a course, which goes on; the forest in it stays.
    """

    def __init__(
        self,
        problem: BoostingProblem,
        maker: ForestMaker | None = None,
        earlier: FittedForest | None = None,
    ) -> None:
        rows = problem.rows.astype(np.intp)
        n_models = min(_N_MODELS, len(rows)) if earlier is None else len(_additive(earlier).fold_starts)
        parts = in_parts(problem.Y, rows, n_models, np.random.default_rng([problem.seed, 5]))
        self._n_jobs = problem.n_jobs
        self._is_half = False  # whether the model has a forest already, beside which rounds count less
        if earlier is not None:
            self.start, self.fold_starts = _additive(earlier).start, _additive(earlier).fold_starts
        starts = [None] * n_models if earlier is None else self.fold_starts
        self._models = [
            _Part(problem, rows[parts == number], number, n_models, starts[number])
            for number in range(n_models)
        ]
        if earlier is not None:
            self._resume(earlier)
            return
        self.fold_starts = np.array([model.start for model in self._models])
        self.start = self.fold_starts.mean(axis=0)
        if maker is not None:
            self.forest = as_round([model.put_beside(maker) for model in self._models], self.start)

    def _resume(self, earlier: FittedForest) -> None:
        """Give each model its trees of the earlier rounds, and its part of the forest."""
        trees, n_models = earlier.trees, len(self._models)
        n_beside = trees.n_trees - _additive(earlier).n_rounds * n_models * TREES_PER_ROUND
        if n_beside < 0 or n_beside % n_models:
            raise ValueError(
                f"warm_start=True, but {trees.n_trees} trees are not those of {_additive(earlier).n_rounds} "
                f"rounds of {n_models} models; give warm_start=False to fit anew"
            )
        self._is_half = n_beside > 0
        forests = trees.roots[:n_beside].reshape(n_models, -1)
        own = whole(trees) if self._is_half else trees
        roots = trees.roots[n_beside:].reshape(-1, n_models, TREES_PER_ROUND)
        for place, model in enumerate(self._models):
            if self._is_half:
                model.keep_beside(trees._replace(roots=forests[place]), self.start, n_models)
            model.resume(own._replace(roots=roots[:, place].ravel()))

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
        importance = np.mean([each.round.importance for each in done], axis=0)
        losses = self._mean([each.losses for each in done])
        added = Round(join([each.round.trees for each in done]), importance)
        return Done(in_part(added) if self._is_half else added, losses)

    def _mean(self, losses: list[np.ndarray]) -> np.ndarray:
        return np.average(losses, axis=0, weights=[model.weight for model in self._models])


class _Part:
    """One of several models, with random numbers of its own."""

    def __init__(
        self,
        problem: BoostingProblem,
        rows: np.ndarray,
        number: int,
        n_models: int,
        start: np.ndarray | None,
    ) -> None:
        self._held_out = HeldOut(problem, rows)
        seed = np.random.SeedSequence(problem.seed, spawn_key=(number, 6)).generate_state(1)[0]
        self._problem = replace(self._held_out.others, seed=int(seed), n_jobs=1)
        self.start = start_of(self._problem) if start is None else start
        self.weight = self._held_out.weight
        self._rounds = Rounds(self._problem, self.start, n_models)
        self._beside: np.ndarray | None = None  # what a forest beside the rounds predicts for all rows
        self._is_half = False  # whether it stays there whatever the losses are

    def put_beside(self, maker: ForestMaker) -> Beside:
        """Grow a forest that may have its part in the model."""
        forest = maker.beside(self._problem)
        self._beside = forest.F
        return forest

    def keep_beside(self, forest: Trees, start: np.ndarray, n_models: int) -> None:
        """Take the forest that has its part in the model."""
        self._beside = restored_means(self._problem, forest, start, n_models)
        self._is_half = True

    def resume(self, trees: Trees) -> None:
        """Continue after the rounds that grew these trees."""
        self._rounds.resume(trees)

    @property
    def losses(self) -> np.ndarray:
        F = self._rounds.F
        if self._beside is None:
            return np.array([self._held_out.loss(F)])
        both = self._held_out.loss(mean_of_both(F, self._beside))
        return np.array([both] if self._is_half else [self._held_out.loss(F), both])

    def advance(self, stop: StopFlag) -> Done:
        return Done(self._rounds.advance(stop), self.losses)


def _additive(model: FittedForest) -> Additive:
    assert model.additive is not None
    return model.additive


def start_of(problem: BoostingProblem) -> np.ndarray:
    """Return the constant scores with the least loss over the rows that have weight."""
    return problem.loss.start(problem.Y[problem.rows], problem.row_weights[problem.rows])
