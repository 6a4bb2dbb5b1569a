"""The script that compares presets: what it fits, and what it prints."""

import pytest
from sklearn.datasets import load_iris

from slantwood_bench.problems import Problem
from slantwood_bench.scripts import presets

X, y = load_iris(return_X_y=True)


@pytest.fixture
def iris(monkeypatch):
    monkeypatch.setattr(presets, "read", lambda name: Problem("multi-class", X, y, name=name))


def test_leaves_by_rule_are_those_of_the_default_without_a_choice():
    model = presets.fitted(presets.BY_RULE, Problem("multi-class", X, y), 0, 1)
    assert model.settings_.min_samples_split == 2
    assert model.forest_.tuned == {}


def test_every_preset_has_its_quality_and_its_time_beside_the_first(iris, capsys):
    presets.main(["iris", "--rows", "60", "--presets", "fast", "paper", "--jobs", "1"])
    *_, head, line, row, mean = capsys.readouterr().out.splitlines()
    assert head == "| data | fast | time | paper | time |"
    assert line.count("---") == 5
    name, fast, first, paper, _ = (cell.strip() for cell in row.strip("|").split("|"))
    assert (name, first) == ("iris", "1.0")
    assert 0.7 < float(fast) <= 1
    assert 0.7 < float(paper) <= 1
    assert mean.startswith("| mean | ")
