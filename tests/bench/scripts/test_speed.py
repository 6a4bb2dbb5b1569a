import json
import math

import numpy as np
import pytest
from scipy import sparse

from slantwood_bench.scripts import comparison, speed
from slantwood_bench.scripts.comparison import Entrant, compare, rows_of
from slantwood_bench.scripts.measure import Limits, Outcome, Usage, fit_apart
from slantwood_bench.scripts.peers import PEERS, Peer
from slantwood_bench.scripts.problems import Problem, cut, quality
from slantwood_bench.scripts.roofline import bytes_once
from slantwood_bench.scripts.scaling import Size, fitted_exponent, synthetic

SLANTWOOD, FOREST = Entrant("slantwood", 1), Entrant("random-forest", 1)


def _labels() -> Problem:
    X = np.random.default_rng(0).standard_normal((150, 6)).astype(np.float32)
    return cut("labels", "mlc", X, (X[:, :4] > 0).astype(np.int8))


def _sparse_numbers() -> Problem:
    X, _ = synthetic(Size(rows=150, features=8, targets=1, per_row=4))
    return cut("numbers", "mtr", X, X[:, :2].toarray().astype(float))


@pytest.mark.parametrize("make", [_labels, _sparse_numbers])
def test_every_entrant_gets_time_memory_and_quality(make):
    found = compare(make(), [SLANTWOOD, FOREST], n_trees=5, repeats=1, limits=Limits(60, 8))
    rows = rows_of(found, reference=FOREST)
    for row in rows:
        assert row["remark"] == ""
        assert 0 < row["seconds"] < 60
        assert row["MB peak"] > row["MB grown"] >= 0
        assert row["to random-forest"] == row["seconds"] / rows[1]["seconds"]
        assert 0 < row.get("LRAP", row.get("R2")) <= 1
    assert ("in products" in rows[0]) == (make is _sparse_numbers)


def test_a_fit_over_its_time_limit_is_reported_not_raised():
    outcome = fit_apart("random-forest", _labels(), 3000, 1, Limits(seconds=0.01))
    assert outcome.remark == "over the limit (fit: 0.01 s)"
    assert math.isnan(outcome.usage.seconds)


class _Absent(Peer):
    package = "no_library_of_this_name"


@pytest.fixture
def invented(monkeypatch):
    """Replace fits by invented outcomes that become slower and slower; list what was fitted."""
    fitted = []
    seconds = {"slantwood": 1.0, "random-forest": 2.0}

    def outcome(peer, problem, n_trees, n_jobs, limits):
        slower = 2.0 ** fitted.count((peer, n_jobs))
        fitted.append((peer, n_jobs))
        if peer == "extra-trees":
            return Outcome(remark="over the limit")
        return Outcome(Usage(seconds[peer] / n_jobs * slower, 10.0, 100.0), {"LRAP": 0.5})

    monkeypatch.setattr(comparison, "fit_apart", outcome)
    monkeypatch.setitem(PEERS, "absent", _Absent)
    monkeypatch.setattr(speed.problems, "load", lambda name: _labels())
    return fitted


def test_repetitions_alternate_in_order_and_ratios_are_taken_within_them(invented):
    found = compare(_labels(), [SLANTWOOD, FOREST], n_trees=5, repeats=3, limits=Limits())
    first, second = ("slantwood", 1), ("random-forest", 1)
    assert invented == [first, second, second, first, first, second]
    assert found.ratio(SLANTWOOD, FOREST) == 0.5


def test_a_peer_without_result_is_not_tried_again(invented):
    compare(_labels(), [Entrant("extra-trees", 1), FOREST], n_trees=5, repeats=3, limits=Limits())
    assert invented.count(("extra-trees", 1)) == 1


def test_command_line_lists_absent_peers_and_those_over_the_limit(invented, capsys, tmp_path):
    peers = ["--peers", "slantwood", "random-forest", "extra-trees", "absent"]
    speed.main(["digits", *peers, "--json", str(tmp_path / "out.json")])
    printed = capsys.readouterr().out
    assert "no_library_of_this_name absent" in printed
    written = json.loads((tmp_path / "out.json").read_text())
    rows = {row["peer"]: row for row in written["tables"][0]["rows"]}
    assert rows["absent"]["remark"] == "absent (not installed)"
    assert rows["extra-trees"]["remark"] == "over the limit"
    assert rows["extra-trees"]["seconds"] is None
    assert rows["slantwood"]["to random-forest"] == 0.5
    assert all(row["remark"] in printed for row in rows.values())


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


def test_two_classes_are_judged_by_the_rarer_one():
    problem = Problem("", "bin", None, np.array(["a", "b", "b"]), None, np.array(["a", "a", "b", "b"]))
    assert quality(problem, np.array(["a", "b", "b", "b"])) == {"F1": pytest.approx(2 / 3)}
