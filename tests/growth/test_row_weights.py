"""Claims about row weights at the edge: none of the drawn rows has any, or all are extreme."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from slantwood import ObliqueTreeClassifier


def noisy(n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    return X, np.column_stack([X[:, 0] > 0, X[:, 1] > X[:, 2]]) * 1.0


def test_only_weightless_rows_drawn_falls_back_to_all_rows(plan):
    X, Y = noisy()
    drawn = plan(X, Y, bootstrap=True).counts(0)
    weights = np.zeros(len(X))
    only = np.flatnonzero(drawn == 0)[0]
    weights[only] = 2.0
    data = plan(X, Y, row_weights=weights, bootstrap=True)
    assert (data.counts(0) == 1).all()
    tree, _ = data.grow_tree(0)
    assert_allclose(tree.node_weight, [2.0])
    assert_allclose(tree.leaves.values, Y[[only]])


@pytest.mark.parametrize("weight", [1e-50, 1e-30, 1e30, 1e50])
def test_extreme_weights_are_refused_or_harmless(weight):
    X, Y = noisy()
    tree = ObliqueTreeClassifier(random_state=0)
    try:
        tree.fit(X, Y.astype(int), sample_weight=np.full(len(X), weight))
    except ValueError as error:
        assert "sample_weight" in str(error)  # noqa: PT017
    else:
        assert_allclose(tree.predict_proba(X).mean(axis=0), Y.mean(axis=0), atol=1e-5)


def test_growth_on_no_rows_is_refused(plan):
    X, Y = noisy()
    data = plan(X, Y, row_weights=np.zeros(len(X)))
    for work in (data.grow_tree, data.pruning_path):
        with pytest.raises(ValueError, match="at least one row of positive weight"):
            work(0)
