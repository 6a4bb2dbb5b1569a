"""Claims about plans: what fits, what is quickest, and what they say where nothing fits."""

import json
import re
from dataclasses import replace

import pytest

from slantwood.planning import Machines, Workload, plan
from slantwood.planning.coefficients import shipped
from slantwood.planning.ways import WAYS

LARGE = {"rows": 1e9, "features": 200, "targets": 13_000}


def way(found, name):
    return next(each for each in found.ways if each.name == name)


def test_rows_that_fit_no_machine_are_divided():
    found = plan(**LARGE, workers=64, memory=256e9)
    assert found.best.name == "partition"
    replicate = way(found, "replicate")
    assert not replicate.fits
    assert replicate.memory > 1e9 * 200 * 4
    assert re.search(r"does not fit: needs [\d,.]+ TB a worker", replicate.remark)


def test_what_would_fit_fits():
    short = plan(**LARGE, workers=8, threads=1, memory=8e9, n_trees=1000)
    remark = way(short, "partition").remark
    workers = int(re.search(r"would fit with ([\d,]+) workers", remark)[1].replace(",", ""))
    assert way(plan(**LARGE, workers=workers, threads=1, memory=8e9, n_trees=1000), "partition").fits
    assert not way(plan(**LARGE, workers=workers - 1, threads=1, memory=8e9, n_trees=1000), "partition").fits


def test_fewer_threads_are_named_where_they_would_fit():
    work = {"rows": 2e6, "features": 400, "targets": 1}
    needed = way(plan(**work, threads=2, memory=1e12), "threads").memory
    found = way(plan(**work, threads=8, memory=needed * 1.001), "threads")
    assert not found.fits
    assert "would fit with 2 threads" in found.remark


def test_small_rows_stay_on_one_machine():
    found = plan(rows=2000, features=20, targets=2, workers=32)
    assert found.best.name == "threads"
    assert found.enough_workers == 1


def test_more_workers_are_never_slower_to_grow_trees():
    ways = [way(plan(**LARGE, workers=n, memory=1e14, n_trees=256), "partition") for n in (1, 4, 16, 64, 256)]
    growing = [each.growing_seconds for each in ways]
    assert growing == sorted(growing, reverse=True)


def test_workers_hold_as_many_rows_as_their_memory_allows_and_all_where_they_can():
    work = {"rows": 1e6, "features": 100, "targets": 2, "workers": 8, "threads": 1}
    shares = [plan(**work, memory=memory) for memory in (1e9, 2e9, 4e9, 8e9)]
    assert all(way(each, "partition").memory <= each.machines.memory for each in shares)
    shares = [way(each, "partition") for each in shares]
    assert all(each.fits for each in shares)
    rows = [each.rows_per_tree for each in shares]
    assert 125_000 <= rows[0] < rows[1] <= rows[2] <= rows[3] == 1_000_000


def test_rows_on_disk_are_read_once_for_each_share_and_once_before():
    found = way(plan(rows=1e7, features=100, targets=2, memory=4e9, threads=1), "out of core")
    n_shares = int(re.match(r"(\d+) shares", found.remark)[1])
    assert found.moved == pytest.approx((1 + n_shares) * 1e7 * (100 + 1) * 4)
    assert found.rows_per_tree * n_shares == pytest.approx(1e7, rel=1e-5)


def test_there_are_no_more_passes_over_the_disk_than_a_fit_makes():
    found = way(plan(rows=1e9, features=100, targets=2, memory=2e9, threads=1), "out of core")
    assert re.match(r"a random sample of [\d.]+ % of the rows, in 10 shares", found.remark)
    assert found.moved == pytest.approx(11 * 1e9 * (100 + 1) * 4)


def test_samples_for_each_tree_need_fewer_rows_at_a_time():
    work = {"rows": 1e8, "features": 100, "targets": 2, "memory": 8e9, "n_trees": 20}
    all_rows, sample = (way(plan(**work, **given), "out of core") for given in ({}, {"max_samples": 100_000}))
    assert sample.moved < all_rows.moved
    assert sample.seconds < all_rows.seconds


def test_workers_without_a_tree_are_not_counted():
    found = way(plan(**LARGE, workers=64, memory=1e12, n_trees=50), "partition")
    assert found.workers == 50
    assert "14 of 64 workers have no tree: give --trees 64 or more" in found.remark


def test_a_slower_network_costs_only_time():
    fast, slow = (plan(rows=1e7, features=100, targets=2, workers=8, bandwidth=b) for b in (1.25e9, 1.25e7))
    for name in ("replicate", "partition"):
        always = way(
            plan(rows=1e7, features=100, targets=2, workers=8, bandwidth=1e30), name
        ).transfer_seconds
        moving = [way(each, name).transfer_seconds - always for each in (slow, fast)]
        assert moving[0] == pytest.approx(100 * moving[1])
        assert way(slow, name).growing_seconds == way(fast, name).growing_seconds
        assert way(slow, name).moved == way(fast, name).moved


def test_shares_of_rows_fit_into_the_memory_that_is_given():
    found = way(plan(rows=1e8, features=100, targets=2, memory=4e9), "out of core")
    assert found.fits
    assert found.memory <= 4e9
    assert found.rows_per_tree < 1e8


def test_the_quickest_way_to_the_same_forest_comes_first_and_a_quicker_one_is_named():
    found = plan(rows=1e6, features=100, targets=10, workers=8, bandwidth=3e7, memory=3.3e9)
    same = [each.seconds for each in found.ways if each.fits and each.same_forest]
    assert found.best.name == "replicate"
    assert found.best.seconds == min(same)
    assert found.quicker.name == "partition"
    assert "Quicker: partition" in str(found)


def test_where_nothing_fits_the_plan_says_so_and_what_would():
    work = Workload(10**6, 50, 1000)
    numbers = shipped()
    ways = tuple(make(work, Machines(workers=4, memory=2e8), numbers) for make in WAYS.values())
    assert not any(each.fits for each in ways)
    found = plan(rows=10**6, features=50, targets=1000, workers=4, memory=2e8)
    assert found.best is None
    assert "Nothing fits" in str(found)


def test_sizes_beyond_the_measured_ones_are_said_to_be_extrapolated():
    assert "Extrapolated: " in str(plan(**LARGE, workers=64, memory=64e9))
    assert plan(rows=5000, features=50, targets=2).extrapolated == ()


def test_a_plan_is_a_frame_and_plain_values():
    found = plan(rows=5000, features=50, targets=2, workers=2)
    frame = found.to_frame()
    assert set(frame.index) == set(WAYS)
    assert frame.loc[found.best.name, "seconds"] == found.best.seconds
    assert json.loads(json.dumps(found.to_dict()))["recommended"] == found.best.name


def test_enough_workers_are_hardly_slower_than_all():
    found = plan(**LARGE, workers=64, memory=1e12, n_trees=64)
    fewer = plan(**LARGE, workers=found.enough_workers, memory=1e12, n_trees=64)
    assert way(fewer, found.best.name).seconds <= 1.05 * found.best.seconds


def test_rows_per_leaf_can_be_told():
    base = plan(rows=5000, features=50, targets=2)
    coarse = plan(rows=5000, features=50, targets=2, rows_per_leaf=500.0)
    assert coarse.model_bytes() < base.model_bytes()
    assert replace(base.workload, rows_per_leaf=500.0) == coarse.workload


def test_all_workers_get_replicated_rows_also_those_that_no_tree_is_left_for():
    work = {"rows": 1e6, "features": 100, "targets": 2, "memory": 1e11, "n_trees": 8, "threads": 1}
    few, many = (way(plan(**work, workers=workers), "replicate") for workers in (8, 64))
    assert many.workers == few.workers == 8
    assert many.transfer_seconds > few.transfer_seconds
    assert many.growing_seconds == few.growing_seconds


def test_samples_are_drawn_from_all_rows_on_disk_where_these_fit():
    found = way(plan(rows=1e5, features=20, targets=2, max_samples=1000, n_trees=10), "out of core")
    assert found.rows_per_tree == 10**5
    assert found.remark == "all rows fit at once"
