"""Claims about the benchmark of boosting where rows are many, on few."""

import json

import numpy as np
import pytest

from slantwood_bench.scripts import many_rows


def test_all_rows_are_of_one_problem_and_what_is_planted_is_found(capsys):
    one, other = (many_rows.drawn(500, 4, seed) for seed in (0, 1))
    assert one.X.dtype == np.float32
    assert not np.array_equal(one.X, other.X)
    pytest.importorskip("lightgbm")
    many_rows.main(["--one", "LightGBM", "--rows", "500", "--features", "4", "--jobs", "1"])
    found = json.loads(capsys.readouterr().out)
    assert found["quality"] > 0.3
    assert min(found["cpu"], found["seconds"], found["peak"]) > 0
