"""Claims about the benchmark of more rows than memory holds, on few."""

import argparse

import numpy as np
import pytest

pytest.importorskip("resource", reason="the limit of memory is one of Unix")

from slantwood.data import scan
from slantwood_bench.scripts import out_of_core


def test_rows_are_of_one_problem_and_sorted_by_class():
    one, other = (out_of_core.drawn(300, 5, seed) for seed in (0, 1))
    assert not np.array_equal(one.X, other.X)
    assert (np.diff(one.y) >= 0).all()
    assert set(one.y) == {0, 1, 2}


@pytest.mark.parametrize("form", ["parquet", "array"])
def test_files_hold_the_rows_and_a_forest_learns_from_them(tmp_path, form, monkeypatch, capsys):
    monkeypatch.setattr(out_of_core.resource, "setrlimit", lambda *limit: None)  # it would hold for all tests
    monkeypatch.setattr(out_of_core, "_ROWS_WRITTEN", 700)
    monkeypatch.setattr(out_of_core, "_ROWS_OF_A_FILE", 1400)
    monkeypatch.setattr(out_of_core, "_N_NEW", 1000)
    (out_of_core.write_parquet if form == "parquet" else out_of_core.write_arrays)(tmp_path, 3000, 5)
    if form == "parquet":
        assert scan(tmp_path, targets="tree").n_rows == 3000
        assert len(list(tmp_path.iterdir())) == 3
    options = argparse.Namespace(features=5, jobs=1, limit=4.0, trees=4, max_samples=500, max_memory="400kB")
    found = out_of_core.fit_and_predict(form, tmp_path, options)
    assert found["rows"] == 3000
    assert found["right"] > 0.6
    assert found["new"] > 0.6
    assert found["fit"]["cpu"] > 0
    assert "do not fit into max_memory=400kB" in capsys.readouterr().err
