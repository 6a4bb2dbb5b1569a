"""Claims about single rounds of boosting."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from slantwood import AxisParallelSplit
from slantwood.ensemble.boosting.rounds import TREES_PER_ROUND, BoostingProblem, Rounds
from slantwood.ensemble.settings import BoostingSettings, Candidate
from slantwood.kernels.matrix import dense_matrix
from slantwood.losses import AbsoluteError, LogisticLoss, SquaredError
from slantwood.model.routing import route
from slantwood.model.trees import join
from slantwood.threads import StopFlag


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4)).astype(np.float32)
    Y = np.stack([X[:, 0] > 0, X[:, 1] > 0], axis=1).astype(np.float32)
    settings = BoostingSettings(
        bootstrap=False,
        max_features=1.0,
        min_samples_split=2,
        min_impurity_decrease=0.0,
        normalize_rows=False,
        normalize_labels=False,
        max_depth=2,
        split=AxisParallelSplit(),
        candidates=(Candidate(AxisParallelSplit(), 1.0), Candidate(AxisParallelSplit("random"), 1.0)),
        learning_rate=0.5,
        subsample=0.7,
    )
    return BoostingProblem(
        dense_matrix(X), Y, np.ones(200), np.empty(0, np.float32), SquaredError(), settings, seed=1, n_jobs=1
    )


def leaves_of(problem, trees):
    """What the leaves of all trees say of each row, added up."""
    nodes = np.empty((len(problem.Y), trees.n_trees), np.int32)
    route(problem.X, trees, np.arange(len(nodes), dtype=np.uint32), nodes)
    return trees.leaves.values[trees.leaf[nodes]].sum(axis=1)


@pytest.mark.parametrize(
    "loss", [SquaredError(), LogisticLoss(), AbsoluteError()], ids=lambda loss: loss.name
)
def test_scores_are_the_start_and_the_leaves_of_all_trees(problem, loss):
    problem = replace(problem, loss=loss)
    rounds = Rounds(problem, np.array([0.5, -0.5]))
    done = [rounds.advance(StopFlag()) for _ in range(3)]
    assert [each.trees.n_trees for each in done] == [TREES_PER_ROUND] * 3
    expected = np.array([0.5, -0.5]) + sum(leaves_of(problem, each.trees) for each in done)
    assert_allclose(rounds.F, expected, rtol=1e-5, atol=1e-6)


def test_every_round_lowers_the_loss_of_the_training_rows(problem):
    rounds = Rounds(problem, np.array([0.5, 0.5]))
    lost = [np.mean((problem.Y - rounds.F) ** 2)]
    for _ in range(5):
        rounds.advance(StopFlag())
        lost.append(np.mean((problem.Y - rounds.F) ** 2))
    assert (np.diff(lost) < 0).all()
    assert lost[-1] < 0.1 * lost[0]


def test_rows_without_weight_move_but_do_not_count(problem):
    weights = problem.row_weights.copy()
    weights[::2] = 0.0
    wrong = problem.Y.copy()
    wrong[::2] = 7.0
    there, changed = (
        Rounds(replace(problem, Y=Y, row_weights=weights), np.zeros(2)) for Y in (problem.Y, wrong)
    )
    for rounds in (there, changed):
        rounds.advance(StopFlag())
    assert np.array_equal(there.F, changed.F)
    assert (there.F[::2] != 0).any()


def test_later_rounds_draw_other_numbers_than_earlier_ones(problem):
    first, later = Rounds(problem, np.zeros(2)), Rounds(problem, np.zeros(2))
    done = first.advance(StopFlag())
    nothing = done.trees._replace(leaves=dense_matrix(0 * done.trees.leaves.values))
    later.resume(nothing)
    later.advance(StopFlag())
    assert not np.array_equal(first.F, later.F)


def test_resumed_rounds_have_the_same_scores_to_the_bit(problem):
    problem = replace(problem, settings=replace(problem.settings, candidates=problem.settings.candidates[:1]))
    whole, parts = Rounds(problem, np.array([0.5, -0.5])), Rounds(problem, np.array([0.5, -0.5]))
    done = [whole.advance(StopFlag()) for _ in range(3)]
    parts.resume(join([each.trees for each in done]))
    assert np.array_equal(parts.F, whole.F)
    for rounds in (whole, parts):
        rounds.advance(StopFlag())
    assert np.array_equal(parts.F, whole.F)


def test_a_tree_sees_no_more_rows_than_it_may(problem, monkeypatch):
    monkeypatch.setattr("slantwood.ensemble.boosting.rounds._MOST_ROWS", 50)
    trees = Rounds(problem, np.zeros(2)).advance(StopFlag()).trees
    assert (trees.node_weight[trees.roots] < 80).all()


def test_hundreds_of_labels_are_scored_by_mixtures_and_all_predicted(problem):
    rng = np.random.default_rng(1)
    Y = (problem.X.values @ rng.normal(size=(4, 100)) > 1).astype(np.float32)
    rounds = Rounds(replace(problem, Y=Y, loss=LogisticLoss()), np.zeros(100))
    before = LogisticLoss().of_rows(Y, rounds.F).sum(axis=0)
    for _ in range(10):
        trees = rounds.advance(StopFlag()).trees
    assert trees.leaves.n_columns == 100
    assert (LogisticLoss().of_rows(Y, rounds.F).sum(axis=0) < before).mean() > 0.95


def test_a_stopped_round_grows_no_splits(problem):
    stop = StopFlag()
    stop.set()
    trees = Rounds(problem, np.zeros(2)).advance(stop).trees
    assert len(trees.left) == TREES_PER_ROUND
