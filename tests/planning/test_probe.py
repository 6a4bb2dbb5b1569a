"""Claims about probes: what they tell is what the model starts from."""

from dataclasses import replace

import numpy as np
import pytest

from slantwood import Hierarchy, ObliqueForestClassifier, ObliqueForestRegressor
from slantwood.ensemble.noise_levels import GRADIENT_LEVELS
from slantwood.ensemble.tuning import likely_settings
from slantwood.planning import Probe, Workload, plan, probe
from slantwood.planning.memory import model_bytes
from slantwood.planning.probe import probed
from slantwood.planning.seconds import tree_seconds
from slantwood.planning.shapes import rows_per_leaf, tree_shape
from slantwood.planning.text import seconds_text

WORK = Workload(100_000, 30, 2)


def test_at_the_rows_of_the_probe_the_model_says_what_the_probe_took():
    told = replace(WORK, rows=20_000, probe=Probe(20_000, 0.7, 12.0, 14.0))
    assert tree_seconds(told) == pytest.approx(0.7)


def test_leaves_and_balance_are_those_of_the_probe():
    told = replace(WORK, probe=Probe(1024, 0.1, 4.0, 12.0))
    assert rows_per_leaf(told) == 4.0
    assert tree_shape(told).stretch == pytest.approx(12.0 / 8.0)


def test_trees_of_more_rows_have_as_many_bytes_a_leaf_as_those_of_the_probe():
    probe = Probe(10_000, 0.7, 8.0, 12.0, 50_000.0)
    assert model_bytes(replace(WORK, rows=10_000, probe=probe)) == pytest.approx(50_000)
    assert model_bytes(replace(WORK, rows=40_000, probe=probe)) == pytest.approx(200_000)


def test_leaves_that_grow_from_a_quarter_of_the_probe_to_it_go_on_to_grow():
    probe = Probe(20_000, 0.7, 8.0, 12.0, smaller=Probe(5000, 0.2, 4.0, 11.0))
    told = [
        rows_per_leaf(replace(WORK, rows=rows, bootstrap=False, probe=probe)) for rows in (20_000, 80_000)
    ]
    assert told[0] == pytest.approx(8.0)
    # Twice as large from a quarter of the rows: three quarters of that power for four times as many.
    assert told[1] == pytest.approx(8.0 * 2**0.75)


def test_more_rows_than_the_probe_had_take_longer():
    small, large = (
        tree_seconds(replace(WORK, rows=rows, probe=Probe(20_000, 0.7))) for rows in (30_000, 90_000)
    )
    assert 0.7 < small < large


def test_a_probe_counts_what_a_small_fit_has():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 6))
    y = X[:, 0] + rng.standard_normal(400) > 0
    forest = ObliqueForestClassifier(n_estimators=100)
    found = probe(forest, X, y, rows=300, seconds=0.1)
    assert found.rows == 300
    assert found.tree_seconds > 0
    assert 1 <= found.rows_per_leaf <= 300
    assert found.depth >= 1
    assert forest.n_estimators == 100
    assert "told from trees on 300 rows" in str(plan(rows=1e5, features=6, targets=2, probe=found))


def test_trees_of_a_probe_draw_as_many_rows_as_those_of_the_fit_where_it_has_them():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((600, 5))
    y = X[:, 0] + rng.standard_normal(600)
    few, many = (
        probe(ObliqueForestRegressor(max_samples=draws, min_samples_split=2), X, y, rows=500, seconds=0.0)
        for draws in (50, 10**6)
    )
    # Leaves are nearly of single rows: 50 draws have 48 distinct ones, 500 have 316.
    assert many.tree_bytes > 4 * few.tree_bytes
    assert 1 <= few.rows_per_leaf < 2
    assert 1 <= many.rows_per_leaf < 2


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((0, 1.0), "0 rows"),
        ((10, 0.0), "0.0 seconds"),
        (
            (10, 1.0, None, None, None, None, Probe(10, 1.0)),
            "smaller probe has 10 rows; give fewer than 10",
        ),
    ],
)
def test_a_probe_of_nothing_is_refused(given, said):
    with pytest.raises(ValueError, match=said):
        Probe(*given)


def test_where_it_is_open_which_settings_a_fit_chooses_there_is_a_range():
    middle, large, small = (
        Probe(20_000, seconds, leaf, 10.0) for seconds, leaf in ((2, 8.0), (1, 40.0), (4, 2.0))
    )
    known, unsure = (
        plan(rows=1e5, features=30, targets=2, probe=each)
        for each in (middle, replace(middle, others=(large, small)))
    )
    alone = [plan(rows=1e5, features=30, targets=2, probe=each).best.seconds for each in (large, small)]
    assert known.best.seconds_range is None
    assert unsure.best.seconds == known.best.seconds
    assert unsure.best.seconds_range == pytest.approx(tuple(alone))
    # Memory is enough for the trees of the smallest leaves, also where times hardly differ.
    of_small = plan(rows=1e5, features=30, targets=2, probe=small).best.memory
    as_quick = replace(middle, others=(replace(small, tree_seconds=2),))
    for found in (unsure, plan(rows=1e5, features=30, targets=2, probe=as_quick)):
        assert found.best.memory == pytest.approx(of_small)
    assert "The model takes at most" in str(unsure)
    assert "with leaves of 2 to 40 rows, differ by less than chance" in str(unsure)
    assert f" to {seconds_text(alone[1])} for" in str(unsure)
    best = unsure.to_frame().loc[unsure.best.name]
    assert (best["least_seconds"], best["most_seconds"]) == unsure.best.seconds_range
    best = known.to_frame().loc[known.best.name]
    assert best["least_seconds"] == best["most_seconds"] == best["seconds"]


def test_settings_that_are_as_good_as_others_are_timed_too_and_clear_ones_alone():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 3))
    clean, unclear = X[:, 0] + X[:, 1] * X[:, 2], X[:, 0] + 0.6 * rng.standard_normal(400)
    clear = probe(ObliqueForestRegressor(), X, clean, seconds=0.0, all_rows=20_000)
    assert clear.others == ()
    found = probe(ObliqueForestRegressor(), X, unclear, seconds=0.0)
    leaves = {each.rows_per_leaf for each in (found, *found.others)}
    assert len(leaves) > 1
    assert {each.choosing_seconds for each in found.others} == {found.choosing_seconds}
    given = probe(ObliqueForestRegressor(min_samples_split=10), X, unclear, seconds=0.0)
    assert given.others == ()


def test_levels_of_a_hierarchy_that_are_as_good_as_others_are_timed_too():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 6))
    paths = ["a/x", "a/y", "b/x", "b/y"]
    tree = Hierarchy.from_paths(paths)
    y = [
        {paths[2 * (first > 0) + (second > 0)]} for first, second in X[:, :2] + rng.standard_normal((300, 2))
    ]
    forest = ObliqueForestClassifier(hierarchy=tree, random_state=0)
    data = forest._read(X, y, None, None, None, None)
    likely = likely_settings(data, forest._spec(data, None), 300)
    assert len(likely) == 3
    assert all(each in GRADIENT_LEVELS for each in likely)
    found = probed(forest, X, y, seconds=0.0)
    assert len(found.probe.others) == len({GRADIENT_LEVELS.index(each) for each in likely}) - 1 > 0
    chosen = found.settings.to_dict() | vars(found.settings.split)
    assert {name: chosen[name] for name in likely[1]} == likely[1]
