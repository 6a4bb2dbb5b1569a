"""The rounds of boosting: derivatives of the loss, a few trees on them, and scores that move on.

The trees of a round grow side by side on threads, each on its own sample of the rows; scores go by their
mean. How many there are does not depend on the number of threads, and so neither does the model.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from slantwood.ensemble.boosting.contest import Contest
from slantwood.ensemble.boosting.settings import is_sketched, mixture
from slantwood.ensemble.settings import BoostingSettings, Candidate, count_features, count_rows
from slantwood.growth.grow import Limits
from slantwood.growth.nodes import GrownTree
from slantwood.growth.plan import as_trees, grow_by, tree_seed
from slantwood.kernels.matrix import Matrix, dense_matrix, n_rows
from slantwood.leaves.steps import newton_steps, quantile_steps
from slantwood.losses import Loss
from slantwood.model.routing import route
from slantwood.model.trees import Trees, join
from slantwood.threads import StopFlag, run_in_threads, thread_count

TREES_PER_ROUND = 2

# A tree sees at most so many rows: more make it hardly better, and much slower.
_MOST_ROWS = 50_000

# So many rows tell which kind of tree is good.
_MOST_UNSEEN = 10_000

_NO_ROWS = np.empty((0, 0), np.float32)


@dataclass(frozen=True, eq=False)
class BoostingProblem:
    """Data and rules that all rounds share."""

    X: Matrix
    Y: np.ndarray  # float32 (n, K); NaN where a target is not known
    row_weights: np.ndarray  # float64; 0 for rows that take no part
    attribute_weights: np.ndarray  # float32 over columns of Y; empty where all are equal
    loss: Loss
    settings: BoostingSettings
    seed: int
    n_jobs: int | None

    @property
    def rows(self) -> np.ndarray:
        """Rows that take part, as trees count them."""
        return np.flatnonzero(self.row_weights > 0).astype(np.uint32)


class Round(NamedTuple):
    """What a round adds to the model."""

    trees: Trees
    importance: np.ndarray


class _Sample(NamedTuple):
    rows: np.ndarray  # uint32, in order
    unseen: np.ndarray  # some of the other rows


class _Candidate(NamedTuple):
    # A tree that one thread has grown.
    tree: Trees
    importance: np.ndarray
    leaf: np.ndarray  # int32, of each row of the data
    unseen: np.ndarray
    kind: int


class Rounds:
    """Boosting on some rows, round after round.

    Parameters
    ----------
    problem : BoostingProblem
        Data and rules.
    start : array of shape (n_columns,)
        Scores before the first round.
    n_models : int
        Models whose mean these rounds are a part of: leaves of the trees are steps divided by it.

    Attributes
    ----------
    F : float32 array of shape (n_rows, n_columns)
        Scores of all rows, also of those without weight.
    """

    def __init__(self, problem: BoostingProblem, start: np.ndarray, n_models: int = 1) -> None:
        self._problem, self._n_models = problem, np.float32(n_models)
        shape = problem.Y.shape
        self.F = np.array(np.broadcast_to(start, shape), np.float32, order="C")
        self._G = np.empty(shape, np.float32)
        is_flat = problem.loss.unit_curvature and not np.isnan(problem.Y).any()
        needs_curvature = problem.loss.leaf_quantile is None and not is_flat
        self._H = np.empty(shape, np.float32) if needs_curvature else _NO_ROWS
        self._rows = problem.rows
        self._weights = problem.row_weights.astype(np.float32)
        self._contest = Contest(len(problem.settings.candidates))
        self._limits = [_limits(problem, each) for each in problem.settings.candidates]
        self._n_rounds = 0

    def resume(self, trees: Trees) -> None:
        """Continue after the rounds that grew these trees; their random numbers are not used again."""
        add_trees(self.F, self._problem, trees, self._n_models)
        self._n_rounds += trees.n_trees // TREES_PER_ROUND

    def advance(self, stop: StopFlag) -> Round:
        """Grow the trees of a round, and move the scores of all rows."""
        problem = self._problem
        first = self._n_rounds * TREES_PER_ROUND
        self._n_rounds += 1
        problem.loss.derivatives(problem.Y, self.F, self._G, self._H)
        rng = np.random.default_rng(np.random.SeedSequence(problem.seed, spawn_key=(first, 2)))
        Z, attribute_weights = self._scoring_columns(rng)
        kinds = [self._contest.choose(rng) for _ in range(TREES_PER_ROUND)]

        def grow(place: int) -> _Candidate:
            return self._grown(first + place, kinds[place], Z, attribute_weights, stop)

        if thread_count(problem.n_jobs) == 1:
            grown = [grow(place) for place in range(TREES_PER_ROUND)]
        else:
            grown = list(run_in_threads(grow, range(TREES_PER_ROUND), problem.n_jobs))
        for each in grown:
            self._judge(each)
        for each in grown:
            self.F += self._n_models * each.tree.leaves.values[each.leaf]
        return Round(join([each.tree for each in grown]), np.sum([each.importance for each in grown], axis=0))

    def _scoring_columns(self, rng: np.random.Generator) -> tuple[Matrix, np.ndarray]:
        weights, n_columns = self._problem.attribute_weights, self._problem.Y.shape[1]
        if not is_sketched(n_columns):
            return _matrix(self._G), weights
        mixed = mixture(n_columns, rng)
        if len(weights):
            mixed *= np.sqrt(weights)[:, None]
        return _matrix(self._G @ mixed), np.empty(0, np.float32)

    def _grown(
        self, index: int, kind: int, Z: Matrix, attribute_weights: np.ndarray, stop: StopFlag
    ) -> _Candidate:
        problem, settings = self._problem, self._problem.settings
        rows, unseen = self._sample(index)
        tree = grow_by(
            settings.candidates[kind].split,
            problem.X,
            Z,
            attribute_weights,
            rows,
            np.ones(len(rows), np.int32),
            self._weights[rows],
            importance_power=0.0,  # what trees remove of a loss that is nearly gone counts for little
            limits=self._limits[kind],
            seed=tree_seed(problem.seed, index),
            stop_flag=stop.array,
        )
        is_leaf = tree.left < 0
        starts, stops = tree.start[is_leaf], tree.stop[is_leaf]
        weights, l2 = self._weights[tree.rows], settings.l2_regularization
        level = problem.loss.leaf_quantile
        if level is None:
            largest = float(problem.loss.largest_step)
            steps = newton_steps(self._G, self._H, tree.rows, weights, starts, stops, l2, largest)
        else:
            steps = quantile_steps(problem.Y, self.F, tree.rows, weights, starts, stops, level, l2)
        steps *= np.float32(settings.learning_rate / TREES_PER_ROUND)
        # Scores move by what is left of a step after this division, which resumed rounds can restore.
        trees = as_trees(tree, dense_matrix(steps / self._n_models))
        return _Candidate(trees, tree.importance, _leaf_of_rows(problem.X, tree, trees), unseen, kind)

    def _sample(self, index: int) -> _Sample:
        """Draw the rows of a tree; of those that are left, some tell how good it is."""
        rng = np.random.default_rng(np.random.SeedSequence(self._problem.seed, spawn_key=(index, 3)))
        share = min(self._problem.settings.subsample, _MOST_ROWS / len(self._rows))
        if share >= 1.0:
            return _Sample(self._rows.copy(), _some(self._rows))
        is_seen = rng.random(len(self._rows), np.float32) < np.float32(share)
        if is_seen.sum() < 2:
            is_seen[:] = True
        unseen = self._rows[~is_seen] if not is_seen.all() else self._rows
        return _Sample(self._rows[is_seen], _some(unseen))

    def _judge(self, grown: _Candidate) -> None:
        """Tell by how much a tree alone lowers the loss of rows that it did not see."""
        rows, loss = grown.unseen, self._problem.loss
        if len(self._problem.settings.candidates) == 1:
            self._contest.record(grown.kind, 0.0)
            return
        step = TREES_PER_ROUND * (self._n_models * grown.tree.leaves.values[grown.leaf[rows]])
        Y, F, weights = self._problem.Y[rows], self.F[rows], self._problem.row_weights[rows]
        before, after = (weights @ loss.of_rows(Y, scores) for scores in (F, F + step))
        total = before.sum()
        self._contest.record(grown.kind, float((total - after.sum()) / total) if total > 0 else 0.0)


def add_trees(F: np.ndarray, problem: BoostingProblem, trees: Trees, factor: np.float32) -> None:
    """Add the leaves that rows reach, times a factor, to scores, tree after tree in single precision.

    So do the rounds in which trees grow. Scores are restored to the last bit: a long descent, such as that of
    the gradient split, amplifies rounding until trees differ.
    """
    rows = np.arange(len(F), dtype=np.uint32)

    def leaf_of_rows(root: int) -> np.ndarray:
        nodes = np.empty((len(rows), 1), np.int32)
        route(problem.X, trees._replace(roots=trees.roots[root : root + 1]), rows, nodes)
        return trees.leaf[nodes[:, 0]]

    with closing(run_in_threads(leaf_of_rows, range(trees.n_trees), problem.n_jobs)) as leaves:
        for leaf in leaves:
            F += factor * trees.leaves.values[leaf]


def _limits(problem: BoostingProblem, candidate: Candidate) -> Limits:
    settings, split = problem.settings, candidate.split
    n_features = count_features(candidate.max_features, problem.X.n_columns, split.fewest_features)
    by_row = split.oblique and isinstance(candidate.max_features, str)
    return Limits(
        max_depth=np.iinfo(np.int32).max if settings.max_depth is None else settings.max_depth,
        min_samples_split=count_rows(settings.min_samples_split, problem.row_weights, fewest=2),
        min_samples_leaf=count_rows(settings.min_samples_leaf, problem.row_weights),
        min_weight_fraction_leaf=0.0,
        max_leaf_nodes=settings.max_leaf_nodes or 0,
        min_impurity_decrease=0.0,
        critical_f=np.empty(0),
        max_features=n_features,
        features_per_row=n_features if by_row else 0,
        min_support=split.min_support,
        is_plain=False,
        by_impurity=False,
        min_part=float(split.min_part),
        shuffle_above=split.rows_in_order,
    )


def _some(rows: np.ndarray) -> np.ndarray:
    """Return rows from all parts of the data, not too many."""
    return rows[:: -(-len(rows) // _MOST_UNSEEN)]


def _matrix(values: np.ndarray) -> Matrix:
    """Wrap an array of which nothing is missing, without a look at all of it."""
    return dense_matrix(values[:0])._replace(values=values)


def _leaf_of_rows(X: Matrix, grown: GrownTree, tree: Trees) -> np.ndarray:
    """Return the number of the leaf of each row: where growth put those of the tree, and where others go."""
    is_leaf = grown.left < 0
    starts, sizes = grown.start[is_leaf], (grown.stop - grown.start)[is_leaf]
    in_order = np.argsort(starts)
    leaf = np.full(n_rows(X), -1, np.int32)
    leaf[grown.rows] = np.repeat(in_order, sizes[in_order])
    others = np.flatnonzero(leaf < 0).astype(np.uint32)
    nodes = np.empty((len(others), 1), np.int32)
    route(X, tree, others, nodes)
    leaf[others] = tree.leaf[nodes[:, 0]]
    return leaf
