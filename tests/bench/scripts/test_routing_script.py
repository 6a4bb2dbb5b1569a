"""Claims about the benchmark of routing, on little text."""

import numpy as np

from slantwood_bench.scripts import routing


def test_rows_of_other_seeds_have_the_same_topics():
    (X, Y), (other, _) = (routing.documents(400, 200, 30, 20, seed) for seed in (1, 2))
    assert X.shape == other.shape == (400, 200)
    assert set(X.data) == {1.0}
    assert (Y.sum(axis=1) >= 1).all()
    assert np.corrcoef(X.sum(axis=0), other.sum(axis=0))[0, 1] > 0.9


def test_a_row_is_printed_for_each_number_of_features(capsys):
    routing.main(
        ["--rows", "150", "--features", "60", "80", "--labels", "5", "--per-row", "8", "--trees", "2"]
    )
    printed = [line.split("|")[1].strip() for line in capsys.readouterr().out.splitlines() if "|" in line]
    assert printed[-2:] == ["60", "80"]
