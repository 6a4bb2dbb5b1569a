"""Claims about probes: what they tell is what the model starts from."""

from dataclasses import replace

import numpy as np
import pytest

from slantwood import ObliqueForestClassifier, ObliqueForestRegressor
from slantwood.planning import Probe, Workload, plan, probe
from slantwood.planning.memory import model_bytes
from slantwood.planning.seconds import tree_seconds
from slantwood.planning.shapes import rows_per_leaf, tree_shape

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
