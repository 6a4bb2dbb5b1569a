"""The script that compares defaults of split learners with other values, on data made here."""

from dataclasses import fields

import numpy as np
import pytest
from sklearn.datasets import load_iris

from slantwood_bench.problems import Problem, paper_sets
from slantwood_bench.scripts import learner_defaults
from slantwood_bench.scripts.learner_defaults import FORMS, LEARNERS, Found, changes, gains_over

X, y = load_iris(return_X_y=True)


def test_only_sets_for_choosing_parameters_are_looked_at():
    names = {each.wanted.name for each in paper_sets(None, "parameter study")}
    assert {name.partition(":")[0] for name in learner_defaults.SETS} <= names


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("form", FORMS)
def test_every_change_is_of_one_parameter_and_can_be_fitted(learner, form):
    train = Problem("multi-class", X[::5], y[::5])
    for change in changes(learner, form):
        ((name, value),) = change.items()
        settings = learner_defaults.fitted(learner, form, change, train, 1, 0).settings_
        is_own = name in {field.name for field in fields(LEARNERS[learner])}
        assert getattr(settings.split if is_own else settings, name) == value


def test_a_set_on_which_nothing_changes_is_not_counted():
    before = {"same": Found(np.array([0.5, 0.6]), 1.0), "other": Found(np.array([0.5, 0.6]), 1.0)}
    after = {"same": Found(np.array([0.5, 0.6]), 1.1), "other": Found(np.array([0.6, 0.7]), 2.0)}
    gains = gains_over(before, after)
    assert gains.by_set == {"other": pytest.approx(0.1)}
    assert gains.time_ratio == pytest.approx(2.0)
    assert gains.cells() == [1, "+0.1000", "other +0.100", "other +0.100", "2.00"]
    assert gains_over(before, before).cells()[0] == 0


def test_the_mean_gain_has_its_standard_error_over_sets():
    before = {name: Found(np.zeros(3), 1.0) for name in "abcd"}
    after = {name: Found(np.full(3, gain), 1.0) for name, gain in zip("abcd", (1, 3, 1, 3), strict=True)}
    assert gains_over(before, after).cells()[1] == "+2.0000 ± 0.5774"


def test_the_table_has_the_defaults_first_and_then_each_change(monkeypatch, capsys):
    monkeypatch.setattr(learner_defaults, "read", lambda name: Problem("multi-class", X, y, name=name))
    sizes = ["--rows", "90", "--trees", "1"]
    some = ["--sets", "iris", "--forms", "tree", "--parameters", "start", "max_iter"]
    learner_defaults.main(["wodt", *some, *sizes, "--each"])
    *_, head, line, first, second, third, fourth = capsys.readouterr().out.splitlines()
    assert head == "| split |  | change | sets | mean gain | worst set | best set | time | each set |"
    assert line.count("---") == 9
    assert first.startswith("| wodt | tree | none, mean 0.9")
    assert {row.count("|") for row in (head, line, first, second, third, fourth)} == {10}
    shown = [row.split("|")[3].strip() for row in (second, third, fourth)]
    assert shown == ["max_iter=30", "max_iter=300", "start='noise'"]
