"""Claims about the script that measures a process's first fit."""

import pytest

from slantwood_bench.scripts.start import main


@pytest.mark.thorough
def test_a_row_for_each_container_says_that_no_compiler_was_loaded(capsys):
    main(["--repeats", "1", "--splits", "axis"])
    rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines() if line.startswith("| axis")]
    assert [row[1] for row in rows] == ["dense", "sparse"]
    assert all(row[-1].strip(" |") == "False" for row in rows)
    assert rows[0][4] != rows[1][4]
