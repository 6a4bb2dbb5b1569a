"""Claims about the script that compares whole plans with whole fits."""

from functools import partial

import pytest

from slantwood.planning import Probe, plan, plan_from_data
from slantwood.planning.coefficients import shipped
from slantwood.planning.ways import WAYS
from slantwood.planning.workload import PLANNED_SPLITS
from slantwood_bench.scripts import plans
from slantwood_bench.scripts.data import read
from slantwood_bench.scripts.plans import Asked, planned
from slantwood_bench.scripts.ways_to_fit import WAYS_TO_FIT, Resources, forest_of


@pytest.fixture(autouse=True)
def _short_probes(monkeypatch):
    monkeypatch.setattr(plans, "plan_from_data", partial(plan_from_data, probe_seconds=0.1))


def test_a_plan_sees_a_part_of_the_rows_and_is_for_all():
    digits = read("digits")
    found = planned(digits, forest_of(digits, "axis", 20), Asked("digits", "axis", 1, 20))
    assert found.workload.rows == 1797
    assert found.workload.probe.rows == 1000
    assert found.workload.split == "axis"
    assert found.workload.n_trees == 20


def test_what_was_planned_and_measured_is_printed_with_its_error(monkeypatch, capsys):
    monkeypatch.setattr(plans, "apart", lambda work, items, longest: map(work, items))
    errors = plans.print_plans([Asked("digits", "axis", 1, 20)])
    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("| digits"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[1:6] == ["multi-class", "1,797", "64", "10", "1,000"]
    seconds, _, fitted, error = cells[6:10]
    assert float(error.rstrip("%")) / 100 == pytest.approx(float(seconds) / float(fitted) - 1, abs=0.02)
    assert errors.points == 1


@pytest.mark.parametrize(
    ("seconds", "ratio"), [(5.0, 2.0), (10.0, 1.0), (15.0, 1.0), (20.0, 1.0), (40.0, 0.5)]
)
def test_a_fit_within_the_range_of_a_plan_has_no_error_beside_it(seconds, ratio):
    found = plans.Compared("binary", 1, 1, 2, 1, 12.0, (10.0, 20.0), seconds, 1.0, 1.0)
    assert found.ratio_of_range == ratio
    assert found.ratio == 12.0 / seconds


@pytest.mark.parametrize("way", ["threads", "out of core"])
def test_fits_of_each_way_are_timed(way):
    digits = read("digits")
    given = Resources(workers=1, threads=1, memory=1e9)
    assert WAYS_TO_FIT[way](digits, forest_of(digits, "axis", 5), given) > 0


@pytest.mark.thorough
@pytest.mark.parametrize("way", ["replicate", "partition"])
def test_fits_on_clusters_are_timed(way):
    digits = read("digits")
    given = Resources(workers=2, threads=1, memory=1e9)
    assert WAYS_TO_FIT[way](digits, forest_of(digits, "axis", 5), given) > 0


def test_every_way_of_a_plan_can_be_timed():
    assert set(WAYS_TO_FIT) == set(WAYS)


def told(split):
    return str(plan(rows=1e5, features=10, targets=2, split=split, probe=Probe(20_000, 0.5)))


def test_plans_say_how_far_off_they_were_on_real_data():
    errors = shipped().plans["gradient"]
    assert errors["points"] >= 8
    assert f"within 30 % for {errors['within']:.0%} of {errors['points']:.0f} data sets" in told("gradient")
    for split in set(PLANNED_SPLITS) - set(shipped().plans):
        assert f"Whole fits with the split learner {split} were not checked." in told(split)
