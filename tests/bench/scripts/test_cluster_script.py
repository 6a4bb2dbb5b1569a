"""Claims about the script that measures forests on a cluster."""

import numpy as np
import pytest

from slantwood_bench.problems import Problem
from slantwood_bench.scripts import cluster


def test_rows_are_sorted_by_their_target():
    problem = Problem("regression", np.arange(4.0)[:, None], np.array([3.0, 1.0, 2.0, 0.0]), name="numbers")
    ordered = cluster.sorted_by_target(problem)
    assert ordered.y.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert ordered.X.ravel().tolist() == [3.0, 1.0, 2.0, 0.0]


def test_blocks_hold_all_rows():
    pytest.importorskip("dask.array", reason="dask is not installed")
    table = np.arange(10.0)[:, None]
    assert cluster.blocks(table, 4).chunks[0] == (3, 3, 3, 1)
    np.testing.assert_array_equal(cluster.blocks(table, 4).compute(), table)


@pytest.mark.thorough
def test_each_worker_receives_about_one_copy_of_its_rows(capsys):
    cluster.print_bytes(2000)
    rows = [line.split("|")[1:-1] for line in capsys.readouterr().out.splitlines()[2:]]
    assert [row[0].strip() for row in rows] == ["replicate", "partition"] * 2
    for row in rows:
        received = [float(each) for each in row[-1].split(",")]
        # Shares come as they were, with targets in double precision; an idle worker may fetch another one.
        assert max(received) < 2.5 * float(row[3])
