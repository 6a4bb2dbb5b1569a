"""Claims about which kind of tree grows next."""

import numpy as np

from slantwood.ensemble.boosting.contest import Contest


def played(gains, n_trees, seed=0):
    """How often each kind was chosen, where `gains(kind, tree)` says what its trees are worth."""
    contest, rng = Contest(len(gains(0))), np.random.default_rng(seed)
    for tree in range(n_trees):
        kind = contest.choose(rng)
        contest.record(kind, gains(tree)[kind])
    return contest.n_trees


def test_every_kind_is_tried_a_few_times_first():
    assert played(lambda tree: (0.0, 1.0, 0.0), 9).tolist() == [3, 3, 3]


def test_the_best_kind_grows_most_trees():
    counts = played(lambda tree: (0.01, 0.03, 0.01), 200)
    assert counts.argmax() == 1
    assert counts[1] > 120


def test_a_kind_that_becomes_better_takes_over():
    contest, rng = Contest(2), np.random.default_rng(0)
    latest = []
    for tree in range(400):
        kind = contest.choose(rng)
        contest.record(kind, (0.03, 0.02)[kind] if tree < 100 else (0.001, 0.02)[kind])
        latest.append(kind)
    assert np.mean(latest[300:]) > 0.8


def test_kinds_that_are_alike_share_the_trees():
    counts = played(lambda tree: (0.02, 0.02, 0.02), 600)
    assert counts.min() > 100


def test_only_losses_do_not_stop_the_contest():
    assert played(lambda tree: (-0.1, -0.2), 50).sum() == 50
    assert played(lambda tree: (0.0,), 10).tolist() == [10]
