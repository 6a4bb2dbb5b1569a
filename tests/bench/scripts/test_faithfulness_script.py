"""Claims about the script that measures the faithfulness of contributions."""

import numpy as np
from numpy.testing import assert_allclose

from slantwood.explain import contributions
from slantwood_bench.scripts import faithfulness
from slantwood_bench.scripts.data import read, two_thirds
from slantwood_bench.scripts.faithfulness import Explained, remaining


def test_the_order_of_the_true_contributions_leaves_least():
    weights = np.array([1.0, 3.0, 2.0])
    what = Explained(lambda rows: rows @ weights[:, None], np.array([0]), np.array([0.0]))
    row, background = np.ones((1, 3)), np.zeros((2, 3))
    best = remaining(what, row, background, np.array([[1, 2, 0]]))
    assert_allclose(best, [1.0, 3 / 6, 1 / 6, 0.0])
    worst = remaining(what, -row, background, np.array([[0, 2, 1]]))
    assert_allclose(worst, [1.0, 5 / 6, 3 / 6, 0.0])


def test_contributions_are_those_of_a_slow_walk_towards_the_side():
    train, test = two_thirds(read("sk_diabetes"))
    model = faithfulness.fitted(train, 3)
    slow = faithfulness.walked(model, train, test.X[:10], "towards the side")
    assert_allclose(contributions(model, test.X[:10]).values, slow, atol=1e-3 * train.y.std())


def test_contributions_leave_less_than_a_random_order(capsys):
    faithfulness.main(["sk_diabetes", "--trees", "5", "--rows", "6", "--background", "4"])
    cells = [cell.strip() for cell in capsys.readouterr().out.splitlines()[-1].split("|")]
    assert float(cells[3]) < float(cells[5])
    assert float(cells[6]) > 0
