"""Claims about the script that measures the coverage of intervals and sets."""

from slantwood_bench.scripts import coverage


def test_a_row_has_coverage_and_size(capsys):
    coverage.main(["sk_diabetes", "breast_cancer", "--trees", "12", "--splits", "2", "--rows", "300"])
    *_, numbers, classes = capsys.readouterr().out.splitlines()
    for line in (numbers, classes):
        share, size = (cell.strip() for cell in line.split("|")[4:6])
        assert 70 < float(share.split("%")[0]) <= 100
        assert float(size) > 0
