"""Claims about the script that compares several targets with random forests."""

import numpy as np
import pandas as pd

from slantwood_bench.scripts import nominal_targets


def test_both_methods_learn_classes_and_numbers_and_are_scored_alike():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3)).astype(np.float32)
    y = pd.DataFrame(
        {
            "kind": np.where(X[:, 0] > 0, "elm", "oak"),
            "height": X[:, 1].astype(np.float64),
            "rings": np.digitize(X[:, 0], [-0.5, 0.5]).astype(str),
        }
    )
    scores = nominal_targets.compared(nominal_targets.Problem(X, y), [0], trees=5)
    assert set(scores) == {"slantwood", "random forest"}
    for accuracy, f1, r2 in (each.mean(axis=0) for each in scores.values()):
        assert accuracy > 0.8
        assert f1 > 0.75
        assert r2 > 0.3


def test_scores_are_those_of_the_columns():
    y = pd.DataFrame({"a": ["x", "y"], "b": [1.0, 3.0], "c": ["u", "u"]})
    said = pd.DataFrame({"a": ["x", "x"], "b": [1.0, 2.0], "c": ["u", "u"]}, dtype=object)
    accuracy, f1, r2 = nominal_targets.judged(y, said)
    assert accuracy == 0.75
    assert np.isclose(f1, (1 / 3 + 1) / 2)
    assert r2 == 0.5
