"""Claims about the script that fits the cost model: errors of held-out measurements, and points."""

import json
import sys
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from slantwood.planning.coefficients import shipped
from slantwood.planning.memory import fit_bytes
from slantwood.planning.sizes import feature_bytes
from slantwood_bench.scripts import costs
from slantwood_bench.scripts.cost_fitting import Pair
from slantwood_bench.scripts.cost_measuring import measure
from slantwood_bench.scripts.cost_points import Point, points, problem


@pytest.fixture(scope="module")
def measurements():
    return costs.stored()[1]


def held_out(pairs, split):
    return [each for each in costs.grown(pairs) if each.point.held_out and each.point.split == split]


def test_held_out_points_are_never_fitted_on(measurements):
    fitted_on = {each.point for each in measurements if not each.point.held_out}
    assert not fitted_on & {each.point for each in measurements if each.point.held_out}
    largest = max(each.rows for each in fitted_on)
    assert any(each.point.rows > 2 * largest for each in measurements if each.point.beyond)


def test_the_measurements_that_ship_are_those_of_the_design(measurements):
    assert {each.point for each in measurements} <= set(points())
    assert sum(each.point.held_out for each in measurements) >= 100


def test_the_shipped_coefficients_predict_most_held_out_trees_of_the_default_learner(measurements):
    errors = costs.errors_of(held_out(measurements, "gradient"), shipped(), "tree_seconds")
    assert errors.points >= 35
    assert errors.within >= 0.75
    assert errors.median <= 0.25


@pytest.mark.parametrize("split", ["gradient", "axis", "svm"])
def test_the_shipped_coefficients_predict_the_memory_of_held_out_fits(measurements, split):
    errors = costs.errors_of(held_out(measurements, split), shipped(), "memory")
    assert errors.within >= 0.9


def test_what_is_written_is_read_again(measurements, tmp_path, monkeypatch):
    path = tmp_path / "measurements.json"
    costs.store({"date": "today"}, measurements[:9], path)
    monkeypatch.setattr(costs, "MEASUREMENTS", path)
    measured, pairs = costs.stored()
    assert measured == {"date": "today"}
    assert pairs == measurements[:9]
    assert json.loads(path.read_text())["names"][0] == "split"


@pytest.mark.parametrize("task", ["binary", "multi-class", "multi-label"])
@pytest.mark.parametrize("per_row", [0.0, 20.0])
def test_rows_are_drawn_as_the_point_says(task, per_row):
    point = Point("gradient", task, 200, 400, 2 if task == "binary" else 12, per_row, 3.0)
    X, y = problem(point)
    assert X.shape == (200, 400)
    assert sp.issparse(X) == bool(per_row)
    if task == "multi-label":
        assert y.shape == (200, 12)
        assert 1 <= y.nnz / 200 <= 3
    else:
        assert len(np.unique(y)) == point.targets


@pytest.mark.skipif(sys.platform != "linux", reason="peaks of memory are read from /proc")
def test_a_fit_takes_about_the_memory_that_is_predicted():
    point = Point("axis", "regression", 30_000, 60, 1, min_samples_split=2000)
    measure(replace(point, rows=5000))  # loads code, which would count otherwise
    pair = Pair(point, measure(point))
    predicted = fit_bytes(pair.workload)
    # Memory that the process had to spare already does not count in what it grows by.
    assert pair.measured.peak_bytes + feature_bytes(pair.workload) <= 1.5 * predicted
