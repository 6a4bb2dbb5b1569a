"""Claims about the script that compares whole plans with whole fits."""

import pytest

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


def test_plans_know_how_far_off_they_were():
    for split in PLANNED_SPLITS:
        assert shipped().plans[split]["points"] >= 8
    assert shipped().plans["gradient"]["within"] >= 0.8
