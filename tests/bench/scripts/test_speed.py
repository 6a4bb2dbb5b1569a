"""Claims about the comparison of speed and memory."""

import json

import numpy as np
import pytest
from scipy import sparse

from slantwood_bench.methods import method_class
from slantwood_bench.problems import Problem
from slantwood_bench.scripts import comparison, speed, timed_fit
from slantwood_bench.scripts.comparison import Entrant, Outcome, compare, refusal, rows_of
from slantwood_bench.scripts.data import read_parts
from slantwood_bench.scripts.roofline import bytes_once
from slantwood_bench.scripts.scaling import Size, fitted_exponent, synthetic
from slantwood_bench.usage import Usage

OURS, FOREST = Entrant("bag-gradient", 1), Entrant("scikit-rf", 1)


def _labels(n_labels=4):
    X = np.random.default_rng(0).standard_normal((100, 6)).astype(np.float32)
    return Problem("multi-label", X, np.tile(X[:, :1] > 0, n_labels).astype(np.int8), name="labels")


def test_every_entrant_gets_time_memory_and_quality():
    train, _ = read_parts("breast_cancer")
    found = compare(train, [OURS, FOREST], n_trees=5, repeats=1, timeout=60)
    rows = rows_of(found, reference=FOREST)
    for row in rows:
        assert row["remark"] == ""
        assert 0 < row["seconds"] < 60
        assert row["MB peak"] > row["MB grown"] >= 0
        assert row["to scikit-rf"] == row["seconds"] / rows[1]["seconds"]
        assert 0.8 < row["F1"] <= 1
    assert "in products" not in rows[0]


def test_a_fit_over_its_time_is_reported_not_raised():
    train, _ = read_parts("digits")
    found = compare(train, [FOREST], n_trees=3000, repeats=1, timeout=0.01)
    (row,) = rows_of(found, None)
    assert row["remark"] == "timed out: the job took longer than 0.01 s"
    assert np.isnan(row["seconds"])


@pytest.fixture
def invented(monkeypatch):
    """Replace fits by invented outcomes that become slower and slower; list what was fitted."""
    fitted = []
    seconds = {"bag-gradient": 1.0, "scikit-rf": 2.0}

    def outcome(worker, dataset, entrant, n_trees, timeout):
        slower = 2.0 ** fitted.count((entrant.method, entrant.n_jobs))
        fitted.append((entrant.method, entrant.n_jobs))
        if entrant.method == "scikit-et":
            return Outcome(remark="timed out")
        return Outcome(Usage(seconds[entrant.method] / entrant.n_jobs * slower, 10.0, 100.0), {"LRAP": 0.5})

    monkeypatch.setattr(comparison, "fit_apart", outcome)
    monkeypatch.setattr(method_class("treeple"), "version", classmethod(lambda cls: ""))
    monkeypatch.setattr(speed, "read_parts", lambda name: (_labels(), None))
    return fitted


def test_repetitions_alternate_in_order_and_ratios_are_taken_within_them(invented):
    found = compare(_labels(), [OURS, FOREST], n_trees=5, repeats=3, timeout=60)
    first, second = ("bag-gradient", 1), ("scikit-rf", 1)
    assert invented == [first, second, second, first, first, second]
    assert found.ratio(OURS, FOREST) == 0.5


@pytest.mark.thorough
def test_ratios_in_products_are_for_sparse_data_only(invented):
    X, _ = synthetic(Size(rows=150, features=8, targets=1, per_row=4))
    problem = Problem("multi-target regression", X, X[:, :2].toarray(), name="numbers")
    (row,) = rows_of(compare(problem, [OURS], n_trees=5, repeats=1, timeout=60), None)
    assert row["in products"] == row["seconds"] / row["seconds of products"][0]


def test_a_method_without_result_is_not_tried_again(invented):
    compare(_labels(), [Entrant("scikit-et", 1), FOREST], n_trees=5, repeats=3, timeout=60)
    assert invented.count(("scikit-et", 1)) == 1


def test_command_line_lists_absent_methods_and_those_that_took_too_long(invented, capsys, tmp_path):
    methods = ["--methods", "bag-gradient", "scikit-rf", "scikit-et", "treeple"]
    speed.main(["digits", *methods, "--json", str(tmp_path / "out.json")])
    printed = capsys.readouterr().out
    assert "treeple absent" in printed
    written = json.loads((tmp_path / "out.json").read_text())
    rows = {row["method"]: row for row in written["tables"][0]["rows"]}
    assert rows["treeple"]["remark"] == "not installed"
    assert rows["scikit-et"]["remark"] == "timed out"
    assert rows["scikit-et"]["seconds"] is None
    assert rows["bag-gradient"]["to scikit-rf"] == 0.5
    assert all(row["remark"] in printed for row in rows.values())


def test_a_data_set_that_nobody_knows_is_told_before_anything_runs(capsys):
    with pytest.raises(SystemExit):
        speed.main(["digits", "digitz"])
    assert "digitz" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["lightgbm-default", "ydf", "ydf-oblique"])
def test_many_labels_are_refused_where_each_needs_a_model(name, monkeypatch):
    monkeypatch.setattr(method_class(name), "version", classmethod(lambda cls: "1"))
    assert refusal(name, _labels(20)) == ""
    assert refusal(name, _labels(21)) == "left out: a model for each of 21 labels"
    assert refusal(name, _labels()._replace(task="hierarchical multi-label")).startswith("not for")


def test_many_labels_are_judged_by_the_head_of_their_ranking():
    test = _labels(1001)
    assert timed_fit.qualities(test, test.y.astype(float)) == {
        f"P@{k}": pytest.approx(test.y[:, 0].mean()) for k in (1, 3, 5)
    }
    assert list(timed_fit.qualities(_labels(), _labels().y.astype(float))) == ["LRAP"]


def test_threads_mode_prints_the_speed_up(invented, capsys):
    speed.main(["digits", "--threads", "--jobs", "2"])
    assert "speed-up 2.00" in capsys.readouterr().out


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_exponent_of_an_exact_power_law_is_recovered(power):
    sizes = np.array([10.0, 20.0, 40.0, 80.0])
    assert fitted_exponent(sizes, 0.3 * sizes**power) == pytest.approx(power)


def test_synthetic_rows_have_as_many_nonzeros_as_asked_for():
    X, _ = synthetic(Size(rows=50, features=100, targets=3, per_row=7))
    X.sum_duplicates()
    assert (np.diff(X.indptr) == 7).all()
    assert (X.data != 0).all()


def test_bytes_are_four_for_a_cell_and_eight_for_a_stored_value():
    Y = np.zeros((10, 2))
    assert bytes_once(np.zeros((10, 5)), Y) == 4 * 50 + 4 * 20
    assert bytes_once(sparse.eye_array(10, format="csr"), Y) == 8 * 10 + 4 * 20
