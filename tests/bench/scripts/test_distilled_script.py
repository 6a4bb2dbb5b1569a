"""Claims about the script that compares trees that imitate a forest with those grown on the data."""

import pytest

from slantwood_bench.scripts import distilled


@pytest.mark.parametrize(("words", "n_kinds"), [([], 2), (["--study"], 3)])
def test_score_and_fidelity_of_each_kind_of_tree_stand_side_by_side(capsys, words, n_kinds):
    distilled.main(["sk_diabetes", "--trees", "3", "--rows", "120", "--leaves", "3", *words])
    rows = [
        line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines() if line.startswith("|")
    ]
    assert [row[0] for row in rows] == ["data", "---", "sk_diabetes", "mean"]
    assert len(rows[2]) == 3 + 2 * len(distilled.SPLITS)
    for cell in rows[2][3:]:
        numbers = [float(number) for number in cell.split(", ")]
        assert len(numbers) == n_kinds
        assert max(numbers) <= 1.0
