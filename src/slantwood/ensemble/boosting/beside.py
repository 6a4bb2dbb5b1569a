"""A forest beside boosted trees, where rows are few and numbers are to be told.

Of few rows boosting soon learns the noise, and a forest never much of it; where there is little noise,
boosting gets far below the error of a forest. Both know something that the other does not: unless boosting
alone has a lower error on rows that neither saw, the model is the mean of the two. Weights that follow the
data more closely than this were tried, and on few rows they follow chance.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from slantwood.ensemble.assembling import with_dense_rows
from slantwood.ensemble.boosting.rounds import BoostingProblem, Round, add_trees
from slantwood.ensemble.boosting.settings import default_splits
from slantwood.ensemble.boosting.spec import BoostingSpec
from slantwood.ensemble.growing import grow_forest
from slantwood.ensemble.prediction import Predictor
from slantwood.ensemble.spec import AUTO, ForestSpec
from slantwood.ensemble.training_data import TrainingData
from slantwood.kernels.matrix import dense_matrix
from slantwood.losses import SquaredError
from slantwood.model.trees import Trees, join
from slantwood.splits.gradient import GradientSplit

# Of each of the models that grow side by side.
_N_TREES = 10

# Part of the forest in the mean.
SHARE = np.float32(0.5)


@dataclass(frozen=True, eq=False)
class ForestMaker:
    """Grows the forests that stand beside boosted models.

    Parameters
    ----------
    data : TrainingData
        All rows.
    spec : BoostingSpec
        What is asked for.
    normalize_rows : bool
        Whether boosted trees see rows of length 1, as all trees of a model must.
    """

    data: TrainingData
    spec: BoostingSpec
    normalize_rows: bool

    @classmethod
    def suited(cls, problem: BoostingProblem, data: TrainingData, spec: BoostingSpec) -> ForestMaker | None:
        """Return it where the mean of leaves is what the loss asks for, and the choice of trees is free."""
        if spec.splits != default_splits() or not isinstance(spec.loss, SquaredError):
            return None
        return cls(replace(data, Y=problem.Y), spec, problem.settings.normalize_rows)

    @property
    def _forest_spec(self) -> ForestSpec:
        """A default forest; the size of its leaves is not tuned, which would take longer than growing it."""
        return ForestSpec(
            split=GradientSplit(),
            n_trees=_N_TREES,
            seed=self.spec.seed,
            single_tree=False,
            max_depth=None,
            min_samples_split=AUTO,
            min_impurity_decrease=AUTO,
            max_features=AUTO,
            bootstrap=AUTO,
            normalize_rows=self.normalize_rows,
            normalize_labels=AUTO,
            target_weights=self.spec.target_weights,
            n_jobs=self.spec.n_jobs,
            is_inner=True,
            tuned={},
        )

    def beside(self, problem: BoostingProblem) -> Beside:
        """Grow the forest of the rows that have weight in a problem."""
        data = replace(self.data, row_weights=problem.row_weights)
        forest = grow_forest(data, replace(self._forest_spec, seed=problem.seed, unlabeled_weight=0.0))
        F = Predictor(forest, self.spec.n_jobs).mean(data.X)
        return Beside(forest.trees, forest.importance_sum, F)


@dataclass(frozen=True, eq=False)
class Beside:
    """A forest, and what it predicts for all rows."""

    trees: Trees
    importance: np.ndarray
    F: np.ndarray


def mean_of_both(F: np.ndarray, forest: np.ndarray) -> np.ndarray:
    """Return the scores of the model that is half boosted, half the forest beside it."""
    return (1 - SHARE) * F + SHARE * forest


def as_round(forests: list[Beside], start: np.ndarray) -> Round:
    """Return forests as the part of a boosted model that their mean has in it, beyond its constant."""
    trees = join([each.trees for each in forests])
    means = with_dense_rows(trees.leaves).values  # means of which most are zero come sparse
    steps = (means - start.astype(np.float32)) * (SHARE / np.float32(trees.n_trees))
    importance = np.sum([each.importance for each in forests], axis=0) / trees.n_trees
    return Round(trees._replace(leaves=dense_matrix(steps)), importance)


def in_part(done: Round) -> Round:
    """Return a round as it counts beside a forest."""
    return Round(_times(done.trees, 1 - SHARE), done.importance)


def whole(trees: Trees) -> Trees:
    """Return trees that count beside a forest as they were grown; the inverse of `in_part`."""
    return _times(trees, 1 / (1 - SHARE))


def _times(trees: Trees, factor: np.float32) -> Trees:
    return trees._replace(leaves=dense_matrix(factor * trees.leaves.values))


def restored_means(problem: BoostingProblem, forest: Trees, start: np.ndarray, n_forests: int) -> np.ndarray:
    """Return what one of several forests predicts for all rows, from its trees in a boosted model.

    Parameters
    ----------
    problem : BoostingProblem
        The rows.
    forest : Trees
        The trees of this forest, with leaves as `as_round` makes them.
    start : array of shape (n_columns,)
        The constant of the model.
    n_forests : int
        How many forests are beside it.
    """
    F = np.array(np.broadcast_to(start, problem.Y.shape), np.float32)
    add_trees(F, problem, forest, np.float32(n_forests) / SHARE)
    return F
