"""Several targets of real tables, beside scikit-learn's random forest."""

import pytest

from slantwood_bench.scripts import nominal_targets
from slantwood_bench.scripts.data import available

pytestmark = [
    pytest.mark.real_data,
    pytest.mark.skipif(
        not available(), reason="the folder of real data sets is absent; set SLANTWOOD_DATA to its path"
    ),
]


def means(name):
    problem = nominal_targets.read(name, rows=1000)
    scores = nominal_targets.compared(problem, [0], trees=20)
    return scores["slantwood"].mean(axis=0), scores["random forest"].mean(axis=0)


def test_batch_and_gas_are_told_better_than_by_a_random_forest():
    (accuracy, f1, _), (their_accuracy, their_f1, _) = means("gas-drift-rescaled")
    assert accuracy > their_accuracy > 0.9
    assert f1 > their_f1


def test_classes_and_numbers_at_once_are_as_good_as_forests_of_their_own():
    (accuracy, _, r2), (their_accuracy, _, their_r2) = means("cholesterol")
    assert accuracy > their_accuracy - 0.03
    assert r2 > their_r2
