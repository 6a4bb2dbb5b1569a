"""Claims about the cost model: it predicts held-out measurements, and more of anything costs more."""

from dataclasses import replace

import pytest

from slantwood.planning import Workload
from slantwood.planning.coefficients import shipped
from slantwood.planning.memory import fit_bytes, model_bytes
from slantwood.planning.seconds import choosing_seconds, predict_seconds, setup_seconds, tree_seconds

SPLITS = ("gradient", "axis", "svm")
DENSE = Workload(20_000, 60, 40, labels_per_row=3)
SPARSE = replace(DENSE, features=20_000, nonzeros_per_row=50)
FORMS = pytest.mark.parametrize("work", [DENSE, SPARSE], ids=["dense", "sparse"])


@FORMS
@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("more", [{"rows": 45_000}, {"rows": 2_000_000}, {"features": 60_000}])
def test_more_rows_or_features_take_longer_and_more_memory(work, split, more):
    small = replace(work, split=split)
    if "features" in more:
        per_row = None if work.nonzeros_per_row is None else 150
        more = {"features": 3 * work.features, "nonzeros_per_row": per_row}
    large = replace(small, **more)
    assert tree_seconds(large) > tree_seconds(small)
    assert setup_seconds(large) > setup_seconds(small)
    assert fit_bytes(large) > fit_bytes(small)


@pytest.mark.parametrize("split", SPLITS)
def test_more_labels_of_a_row_take_longer_and_a_larger_model(split):
    few = replace(DENSE, split=split, targets=400, labels_per_row=2)
    many = replace(few, labels_per_row=20)
    assert tree_seconds(many) > tree_seconds(few)
    assert fit_bytes(many) > fit_bytes(few)
    assert model_bytes(many) > model_bytes(few)


@FORMS
def test_larger_leaves_make_smaller_models_and_quicker_trees(work):
    coarse = replace(work, rows_per_leaf=200.0)
    fine = replace(work, rows_per_leaf=3.0)
    assert model_bytes(coarse) < model_bytes(fine)
    assert tree_seconds(coarse) < tree_seconds(fine)
    assert predict_seconds(coarse, 1e6) < predict_seconds(fine, 1e6)


def test_every_thread_has_memory_for_its_tree():
    one, four = fit_bytes(DENSE, threads=1), fit_bytes(DENSE, threads=4)
    assert one < four < 4 * one
    assert fit_bytes(replace(DENSE, n_trees=1), threads=1) == fit_bytes(replace(DENSE, n_trees=1), threads=8)


def test_settings_are_chosen_once_where_there_are_trees_enough_and_rows_enough():
    assert choosing_seconds(replace(DENSE, n_trees=1)) == choosing_seconds(DENSE)
    assert choosing_seconds(replace(DENSE, rows=90)) == 0
    assert choosing_seconds(replace(DENSE, min_samples_split=5)) == 0
    assert choosing_seconds(DENSE) > 0
    # A pilot looks at 20,000 rows of any number.
    large, larger = (choosing_seconds(replace(DENSE, rows=rows)) for rows in (200_000, 900_000))
    assert large == larger


def test_seconds_grow_by_rows_times_levels_far_beyond_what_was_measured():
    million, billion = (tree_seconds(replace(DENSE, rows=rows)) for rows in (10**6, 10**9))
    assert 1000 <= billion / million < 1000 * 2.5


@pytest.mark.parametrize("name", ["tree_seconds", "memory"])
def test_the_errors_of_held_out_measurements_ship_with_the_coefficients(name):
    errors = shipped().errors[name]
    assert errors["points"] >= 30
    assert errors["median"] < 0.3
