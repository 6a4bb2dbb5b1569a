"""Claims about the script that compares whole plans with whole fits."""

import pytest

from slantwood.planning import Probe, plan
from slantwood.planning.coefficients import shipped
from slantwood.planning.workload import PLANNED_SPLITS
from slantwood_bench.scripts import plans
from slantwood_bench.scripts.data import read
from slantwood_bench.scripts.plans import Asked, planned


def test_a_plan_sees_a_part_of_the_rows_and_is_for_all():
    found = planned(read("digits"), Asked("digits", "axis", 1, 20))
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
    seconds, fitted, error = cells[6:9]
    assert float(error.rstrip("%")) / 100 == pytest.approx(float(seconds) / float(fitted) - 1, abs=0.02)
    assert errors.points == 1


def told(split):
    return str(plan(rows=1e5, features=10, targets=2, split=split, probe=Probe(20_000, 0.5)))


def test_plans_say_how_far_off_they_were_on_real_data():
    errors = shipped().plans["gradient"]
    assert errors["points"] >= 8
    assert f"within 30 % for {errors['within']:.0%} of {errors['points']:.0f} data sets" in told("gradient")
    for split in set(PLANNED_SPLITS) - set(shipped().plans):
        assert f"Whole fits with the split learner {split} were not checked." in told(split)
