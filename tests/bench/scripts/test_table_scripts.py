"""Claims about the benchmarks of missing values, rare classes and rows without label, on data made here."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from slantwood_bench.problems import Problem
from slantwood_bench.scripts import imbalance, missing, missing_indicators, semi_supervised


def test_both_ways_of_missing_values_are_judged_on_the_same_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 4))
    y = X[:, :1] + X[:, 1:2]
    left, put_in = missing.compared(False, X, y, [0, 1], n_estimators=5)
    assert left.shape == (2,)
    np.testing.assert_array_equal(left, put_in)  # where nothing is missing
    X[rng.random(X.shape) < 0.3] = np.nan
    left, put_in = missing.compared(False, X, y, [0, 1], n_estimators=5)
    assert (left != put_in).all()
    assert missing.numbers(pd.DataFrame({"a": [1], "b": ["x"], "c": [2.5]})).tolist() == [[1.0, 2.5]]


@pytest.mark.parametrize("y", [np.arange(4), np.array(list("abcd")), np.arange(4.0), np.eye(4)])
def test_labels_are_taken_from_all_rows_but_the_first(y):
    found = semi_supervised.unlabeled(y, 1)
    assert np.all(found[0] == y[0])
    assert pd.isna(found[1:]).all()
    assert not pd.isna(y).any()


def test_forests_with_and_without_unlabeled_rows_are_judged():
    X, y = load_iris(return_X_y=True)
    found, weights = semi_supervised.compared(Problem("multi-class", X, y), 0.25, 0, n_estimators=5)
    assert all(quality > 0.7 for quality, _ in found)
    assert weights[:2] == [0.0, 0.3]


def test_every_forest_is_judged_with_and_without_balanced_classes():
    rows = imbalance.generated(1.0)
    found = imbalance.compared(imbalance.Rows(rows.X[:400], rows.y[:400]), trees=3, seeds=[0])
    assert set(found) == set(imbalance.forests(1, 0))
    assert found["slantwood, balanced"].recall >= found["slantwood"].recall
    perfect = imbalance.judged(np.array([0, 0, 1]), np.eye(2)[[0, 0, 1]], np.array([0, 0, 1]))
    assert perfect == (1.0, 1.0, 1.0)
    missed = imbalance.judged(np.array([0, 0, 1]), np.eye(2)[[0, 0, 0]], np.array([0, 0, 0]))
    assert missed == (0.0, 0.5, 0.5)


def test_indicators_are_compared_where_cells_are_missing_by_every_pattern():
    for pattern in missing_indicators.PATTERNS:
        problem = missing_indicators.generated(pattern, 0)
        assert 0.1 < np.isnan(problem.X).mean() < 0.5
    found = missing_indicators.compared(problem.rows(np.arange(300)), [0], trees=3)
    assert found.scores.shape == (3, 1)
    assert found.n_missing == missing_indicators.COLUMNS
    assert missing_indicators.cells(found)[0].endswith("of 5.0")
