"""Claims about features that are left out of a split because they hardly matter to it."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from slantwood import GradientSplit, ObliqueForestClassifier

pytestmark = pytest.mark.plain_python


def rows_and_targets(form):
    """Make rows whose first features tell the targets; of the others each has a little chance in it."""
    rng = np.random.default_rng(0)
    X = rng.normal(1.0, 1.0, (60, 12)) * (rng.random((60, 12)) < (1.0 if form is np.asarray else 0.15))
    Y = (X[:, :2] @ [1.0, -1.0] > 0) * 1.0
    return form(X.astype(np.float32)), Y


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("min_part", [0.3, 0.9])
def test_what_is_left_turns_about_the_mean(plan, grown, split, form, min_part):
    X, Y = rows_and_targets(form)
    rules = {"max_depth": 1, "min_impurity_decrease": 0.0}
    whole = grown(plan(X, Y, learner=split(C=100.0, max_iter=20), **rules))
    tree = grown(plan(X, Y, learner=split(C=100.0, max_iter=20, min_part=min_part), **rules))
    values = np.asarray(X.toarray() if sp.issparse(X) else X, np.float64)
    parts = values.var(axis=0)[whole.indices] * whole.weights.astype(np.float64) ** 2
    left_out = parts < min_part * parts.mean()
    assert 0 < left_out.sum() < len(parts)
    assert_array_equal(tree.indices, whole.indices[~left_out])
    assert_array_equal(tree.weights, whole.weights[~left_out])
    at_mean = values.mean(axis=0)[whole.indices] * whole.weights
    assert_allclose(tree.bias[0], whole.bias[0] + at_mean[left_out].sum(), rtol=1e-5)
    assert_allclose(tree.shares.sum(), tree.importance.sum(), rtol=1e-5)


def test_a_part_that_would_leave_nothing_is_refused():
    with pytest.raises(ValueError, match=r"min_part=1.0 must be below 1"):
        GradientSplit(min_part=1.0)


def test_models_of_text_leave_out_small_parts_and_others_do_not():
    rng = np.random.default_rng(0)
    words = sp.csr_array((rng.random((80, 60)) < 0.05) * 1.0)
    numbers = rng.normal(size=(80, 5))
    for X, expected in ((words, 0.3), (numbers, 0.0)):
        forest = ObliqueForestClassifier(n_estimators=1, random_state=0).fit(X, rng.integers(0, 2, (80, 3)))
        assert forest.settings_.split.min_part == expected
