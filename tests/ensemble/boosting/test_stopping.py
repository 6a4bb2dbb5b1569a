"""Claims about when boosting stops, and on which rows that is found out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slantwood.ensemble.boosting.stopping import Watch, in_parts

SEEDS = st.integers(0, 2**32 - 1)


def test_the_watch_stops_after_rounds_without_a_lower_loss():
    watch = Watch(np.array([1.0]), patience=3)
    assert [watch.add(np.array([loss])) for loss in (0.5, 0.6, 0.4, 0.4, 0.5)] == [False] * 5
    assert watch.add(np.array([0.41]))
    assert watch.n_best == 3
    assert watch.losses.tolist() == [1.0, 0.5, 0.6, 0.4, 0.4, 0.5, 0.41]
    assert not watch.has_forest


def test_where_nothing_is_gained_the_constant_is_best():
    watch = Watch(np.array([1.0]), patience=2)
    assert not watch.add(np.array([1.1]))
    assert watch.add(np.array([1.2]))
    assert watch.n_best == 0


def test_the_watch_goes_on_while_either_way_gains_and_takes_the_one_with_the_lower_loss():
    watch = Watch(np.array([1.0, 0.8]), patience=2)
    ways = [(0.7, 0.6), (0.6, 0.65), (0.5, 0.7), (0.4, 0.75), (0.45, 0.8)]
    assert [watch.add(np.array(losses)) for losses in ways[:1]] == [False]
    assert watch.has_forest
    assert [watch.add(np.array(losses)) for losses in ways[1:]] == [False] * 4
    assert not watch.has_forest
    assert watch.n_best == 4
    assert watch.add(np.array([0.5, 0.9]))


@given(SEEDS)
def test_parts_are_of_equal_size_and_alike_in_their_targets(seed):
    rng = np.random.default_rng(seed)
    Y = rng.normal(size=(200, 1)).astype(np.float32)
    rows = np.sort(rng.permutation(200)[:100])
    parts = in_parts(Y, rows, 5, rng)
    assert np.bincount(parts).tolist() == [20] * 5
    means = [Y[rows[parts == part]].mean() for part in range(5)]
    # Of twenty numbers drawn at random, means have a standard deviation of .22.
    assert np.std(means) < 0.1


@given(SEEDS)
def test_every_part_has_its_share_of_every_class(seed):
    rng = np.random.default_rng(seed)
    classes = np.repeat([0, 1, 2], [100, 50, 10])
    Y = np.eye(3, dtype=np.float32)[rng.permutation(classes)]
    parts = in_parts(Y, np.arange(160), 5, rng)
    for part in range(5):
        assert Y[parts == part].sum(axis=0).tolist() == pytest.approx([20, 10, 2], abs=1.01)


@given(st.floats(0.05, 0.5), SEEDS)
def test_a_share_of_the_rows_is_held_out(share, seed):
    rng = np.random.default_rng(seed)
    Y = rng.integers(0, 2, (300, 4)).astype(np.float32)
    parts = in_parts(Y, np.arange(300), 1.0 / share, rng)
    assert (parts == 0).sum() == pytest.approx(300 * share, abs=2)
