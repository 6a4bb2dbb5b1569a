"""Claims about the script that compares feature rankings."""

from slantwood.explain import RANKING_METHODS
from slantwood_bench.scripts import rankings


def test_every_ranking_has_a_share_of_noise(capsys):
    rankings.main(["sk_diabetes", "--methods", "bag-pct", "--trees", "2"])
    *_, head, _, line = capsys.readouterr().out.splitlines()
    assert [cell.strip() for cell in head.split("|")[3:-1]] == list(RANKING_METHODS)
    shares = [float(cell.split()[0]) for cell in line.split("|")[3:-1]]
    assert all(0 < share < 0.5 for share in shares)
