"""Claims about `slantwood demo`."""

import json
import math
import re

import numpy as np
import pytest
from typer.testing import CliRunner

from slantwood.cli.demo import _better_in_bold
from slantwood.cli.demo_tasks import make_tasks, oblique_forest, random_forest, run
from slantwood.cli.main import app

ROW = re.compile(
    r"^(?P<task>binary|multi-class|multi-label|regression|multi-target) .*?"
    r"(?P<numbers>(?:\s+-?\d+\.\d{3}){2}(?:\s+\d+\.\d{2}){2})\s*$"
)


@pytest.fixture(scope="module")
def result():
    environment = {"COLUMNS": "100", "FORCE_COLOR": None}
    return CliRunner().invoke(app, ["demo", "--trees", "3", "--jobs", "2"], env=environment)


def test_it_succeeds(result):
    assert result.exit_code == 0, result.output


def test_it_prints_a_row_with_finite_scores_for_each_of_the_five_tasks(result):
    rows = [match for match in map(ROW.match, result.stdout.splitlines()) if match]
    tasks = [row["task"] for row in rows]
    assert tasks == ["binary", "multi-class", "multi-label", "regression", "multi-target"]
    for row in rows:
        ours, theirs, *seconds = map(float, row["numbers"].split())
        assert all(math.isfinite(score) and -1 <= score <= 1 for score in (ours, theirs))
        assert all(second >= 0 for second in seconds)


def test_it_says_how_the_numbers_came_about_and_where_to_go_next(result):
    *_, how, where = result.stdout.splitlines()
    assert how.startswith("3 trees, 2 threads.")
    assert "README" in where


def test_output_that_is_not_a_terminal_gets_no_bar_and_no_escape_codes(result):
    assert "\x1b" not in result.output
    assert "/10" not in result.output


@pytest.mark.parametrize("make_forest", [oblique_forest, random_forest])
@pytest.mark.parametrize("task", make_tasks(), ids=lambda task: task.name)
def test_the_same_seed_gives_the_same_score_on_any_number_of_threads(task, make_forest):
    one, two = (run(task, make_forest(task, 2, n_jobs, 5), 5).score for n_jobs in (1, 2))
    assert one == pytest.approx(two, abs=1e-9)


def test_the_numeric_targets_are_not_linear():
    task = make_tasks()[-1]
    X = np.column_stack([np.ones(len(task.X)), task.X])
    plane = X @ np.linalg.lstsq(X, task.y, rcond=None)[0]
    assert task.score(task.y, plane) < 0.9


def test_only_the_better_score_is_bold():
    assert _better_in_bold(0.9, 0.8) == ("[bold]0.900[/bold]", "0.800")
    assert _better_in_bold(-0.1, 0.0) == ("-0.100", "[bold]0.000[/bold]")


def test_scores_that_print_the_same_are_both_plain():
    assert _better_in_bold(0.90001, 0.90002) == ("0.900", "0.900")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("name", "targets", "task", "measure", "least"),
    [
        ("cancer", "diagnosis", "binary", "accuracy", 0.9),
        ("digits", "digit", "multi-class", "accuracy", 0.8),
        ("tags", "/^tag/", "multi-label", "lrap", 0.4),
        ("diabetes", "progression", "regression", "r2", 0.1),
        ("waves", "/^y/", "multi-target regression", "mean_r2", 0.4),
    ],
)
def test_its_data_can_be_had_as_files(run, folder, name, targets, task, measure, least):
    assert f"Wrote data/{name}.train.arff (" in run("demo", "--save", "data").stderr
    words = ("--targets", targets, "--trees", "3", "--test", f"data/{name}.test.csv", "--json")
    document = json.loads(run("train", f"data/{name}.train.arff", *words).stdout)
    assert document["task"] == task
    assert document["test"][measure] > least
