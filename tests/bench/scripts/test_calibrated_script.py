"""Claims about the script that measures calibrated probabilities."""

from slantwood_bench.scripts import calibrated


def test_a_row_has_losses_before_after_and_of_scikit_learn(capsys):
    calibrated.main(["breast_cancer", "--trees", "12", "--splits", "1", "--rows", "300"])
    line = capsys.readouterr().out.splitlines()[-1]
    for cell in line.split("|")[4:7]:
        before, after, peer = (float(each) for each in cell.split(","))
        assert max(before, after, peer) < 0.3
        assert min(before, after, peer) > 0
