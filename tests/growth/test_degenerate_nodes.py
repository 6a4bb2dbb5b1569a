"""Nodes at the edge of having no split: they grow or end as leaves, without warnings and without NaN."""

import os
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from slantwood import GradientSplit, SVMSplit

pytestmark = pytest.mark.plain_python

# Plain Python takes many times longer per node.
IS_COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
EXAMPLES = 150 if IS_COMPILED else 60

SVM = replace(SVMSplit.published(), max_iter=20)
GRADIENT = replace(GradientSplit.published(), max_iter=12)
LEARNERS = {
    f"gradient, {start}, {threshold}": replace(GRADIENT, start=start, threshold=threshold)
    for start in ("noise", "informed")
    for threshold in ("learned", "exact")
}
LEARNERS |= {"svm": SVM, "svm, balanced": replace(SVM, class_weight="balanced")}
EVERY_LEARNER = pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
BOTH_FORMS = pytest.mark.parametrize("form", ["dense", "sparse"])


def _values(rng, pattern, n, width):
    if pattern == "numbers":
        return rng.normal(size=(n, width))
    if pattern == "few values":
        return rng.integers(-1, 3, (n, width)) * 1.0
    if pattern == "mostly zeros":
        return rng.normal(size=(n, width)) * (rng.random((n, width)) < 0.2)
    if pattern == "duplicates":
        return rng.normal(size=(2, width))[rng.integers(0, 2, n)]
    if pattern == "one row differs":
        return np.tile(rng.normal(size=width), (n, 1)) * np.where(np.arange(n) == n - 1, 3.0, 1.0)[:, None]
    if pattern == "identical":
        return np.tile(rng.normal(size=width), (n, 1))
    return np.zeros((n, width))


PATTERNS = ["numbers", "few values", "mostly zeros", "duplicates", "one row differs", "identical", "zeros"]
# Row weights may lie anywhere between these powers of ten, which `fit` accepts.
WEIGHTS = {"equal": (0, 0), "tiny": (-12, -12), "huge": (12, 12), "moderate": (-1, 1), "mixed": (-12, 12)}


@st.composite
def nodes(draw):
    """Features, attributes and weights of a few rows, and the rules to grow on them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(2, 10))
    d, t = draw(st.integers(1, 4)), draw(st.integers(1, 3))

    def columns(width):
        values = _values(rng, draw(st.sampled_from(PATTERNS)), n, width)
        power = draw(st.sampled_from([0, 15]))
        scaled = values * 10.0 ** rng.integers(-power, power + 1, width)
        return scaled.astype(np.float32).astype(np.float64)

    low, high = WEIGHTS[draw(st.sampled_from(sorted(WEIGHTS)))]
    rules = {
        "row_weights": 10.0 ** rng.uniform(low, high, n),
        "min_impurity_decrease": draw(st.sampled_from([0.0, 0.05])),
        "max_features": draw(st.sampled_from([1, 10])),
        "seed": int(rng.integers(2**31)),
    }
    if draw(st.booleans()):
        rules["attribute_weights"] = rng.integers(0, 3, t) * 1.0
    powers = {
        "feature_power": draw(st.sampled_from([1.0, 0.25])),
        "target_power": draw(st.sampled_from([1.0, 0.75])),
        "min_support": draw(st.sampled_from([1, 2])),
    }
    return columns(d), columns(t), rng.integers(1, 3, n), rules, powers


def assert_sound(tree, weights):
    """What holds of every grown tree, whatever its rows."""
    for name in ("weights", "bias", "node_weight", "importance"):
        assert np.isfinite(getattr(tree, name)).all(), name
    assert (tree.stop > tree.start).all()
    assert (tree.node_weight > 0).all()
    assert_array_equal(np.sort(tree.rows), np.arange(len(weights)))
    inner = tree.left >= 0
    # Float64 sums of a dozen float32 numbers.
    assert_allclose(tree.node_weight[0], weights.sum(dtype=np.float64), rtol=1e-14)
    children = tree.node_weight[tree.left[inner]] + tree.node_weight[tree.right[inner]]
    assert_allclose(children, tree.node_weight[inner], rtol=1e-14)
    assert_array_equal(np.diff(tree.indptr) > 0, inner)
    # Every split hands out its share of the weight among features, in float32.
    share = tree.node_weight[inner].sum() / tree.node_weight[0]
    assert_allclose(tree.importance.sum(dtype=np.float64), share, rtol=1e-5)


@BOTH_FORMS
@EVERY_LEARNER
@settings(max_examples=EXAMPLES)
@given(node=nodes())
def test_any_tiny_node_grows_into_a_sound_tree(plan, grown, dense, sparse, learner, form, node):
    X, Z, counts, rules, powers = node
    hold = dense if form == "dense" else sparse
    data = replace(plan(X, Z, learner=replace(learner, **powers), **rules), X=hold(X), Y=hold(Z), Z=hold(Z))
    tree = grown(data, counts, seed=rules["seed"] | 1)
    assert_sound(tree, (data.row_weights * counts).astype(np.float32))
    if np.ptp(X, axis=0).max() == 0 or np.ptp(Z, axis=0).max() == 0:
        assert len(tree.left) == 1


@BOTH_FORMS
@EVERY_LEARNER
@settings(max_examples=EXAMPLES // 3)
@given(node=nodes())
def test_leaves_of_any_tiny_node_predict_within_the_range_of_its_targets(
    plan, predicted, dense, sparse, learner, form, node
):
    X, Z, _, rules, powers = node
    hold = dense if form == "dense" else sparse
    data = replace(plan(X, Z, learner=replace(learner, **powers), **rules), X=hold(X), Y=hold(Z), Z=hold(Z))
    tree, importance = data.grow_tree(0)
    assert np.isfinite(importance).all()
    means = predicted(tree, X)
    # A float32 mean of up to ten float32 numbers, relative to the largest of them.
    room = 1e-6 * np.abs(Z).max(axis=0)
    assert (means >= Z.min(axis=0) - room).all()
    assert (means <= Z.max(axis=0) + room).all()


@BOTH_FORMS
@EVERY_LEARNER
@pytest.mark.parametrize("value", [0.0, 1.0, -3e15, 7e-15])
def test_rows_that_are_identical_in_their_features_stay_together(
    plan, grown, dense, sparse, learner, form, value
):
    rng = np.random.default_rng(0)
    X, Z = np.full((6, 3), value), rng.normal(size=(6, 2))
    hold = dense if form == "dense" else sparse
    tree = grown(replace(plan(X, Z, learner=learner, min_impurity_decrease=0.0), X=hold(X)))
    assert len(tree.left) == 1
    assert_sound(tree, np.ones(6, np.float32))


@BOTH_FORMS
@EVERY_LEARNER
@pytest.mark.parametrize("value", [0.0, 1.0, -3e15, 7e-15])
def test_rows_that_are_identical_in_their_attributes_stay_together(
    plan, grown, dense, sparse, learner, form, value
):
    X = np.random.default_rng(0).normal(size=(6, 3))
    Z = np.full((6, 2), value)
    hold = dense if form == "dense" else sparse
    tree = grown(replace(plan(X, Z, learner=learner, min_impurity_decrease=0.0), Z=hold(Z)))
    assert len(tree.left) == 1


@BOTH_FORMS
@EVERY_LEARNER
@pytest.mark.parametrize("scale", [1e-15, 1.0, 1e15])
@pytest.mark.parametrize("weights", [(1.0, 1.0), (1.0, 2.0), (1e12, 1e12)])
def test_two_rows_that_differ_are_told_apart_by_one_feature(
    plan, grown, dense, sparse, learner, form, scale, weights
):
    X, Z = scale * np.array([[0.0], [1.0]]), np.array([[0.0], [1.0]])
    hold = dense if form == "dense" else sparse
    # From noise the one weight may begin with the wrong sign, but two rows have no wrong side.
    data = plan(X, Z, learner=learner, row_weights=weights)
    tree = grown(replace(data, X=hold(X), Z=hold(Z)))
    assert len(tree.left) == 3
    assert_sound(tree, np.array(weights, np.float32))


@BOTH_FORMS
@EVERY_LEARNER
@pytest.mark.parametrize("light_first", [True, False])
def test_a_row_whose_weight_is_lost_in_the_sum_of_all_weights_does_no_harm(
    plan, grown, dense, sparse, learner, form, light_first
):
    # 1e12 + 1e-12 is 1e12 in float64: the heavy rows seem to be all rows.
    X, Z = np.array([[0.0], [1.0], [1.0]]), np.array([[0.0], [1.0], [1.0]])
    weights = np.array([1e-12, 1e12, 1e12] if light_first else [1e12, 1e-12, 1e-12])
    hold = dense if form == "dense" else sparse
    for least in (0.0, 0.05):
        data = plan(X, Z, learner=learner, row_weights=weights, min_impurity_decrease=least)
        tree = grown(replace(data, X=hold(X), Z=hold(Z)))
        assert_sound(tree, weights.astype(np.float32))


@EVERY_LEARNER
def test_rows_of_zeros_alone_are_a_leaf_and_beside_others_a_side(plan, grown, sparse, learner):
    Z = np.array([[0.0], [0.0], [1.0], [1.0]])
    nothing = np.zeros((4, 3))
    tree = grown(replace(plan(nothing, Z, learner=learner), X=sparse(nothing)))
    assert len(tree.left) == 1
    X = nothing.copy()
    X[2:, 1] = 1.0
    tree = grown(replace(plan(X, Z, learner=learner), X=sparse(X)))
    assert_array_equal(np.sort(tree.rows[tree.start[1] : tree.stop[1]]), [0, 1])
    assert_array_equal(np.sort(tree.rows[tree.start[2] : tree.stop[2]]), [2, 3])
    assert_array_equal(tree.indices, [1])


@BOTH_FORMS
@EVERY_LEARNER
def test_copies_of_a_row_with_different_targets_end_in_one_leaf(plan, grown, dense, sparse, learner, form):
    X = np.repeat([[0.0, 1.0], [2.0, 0.0]], 4, axis=0)
    Z = np.tile([[0.0], [1.0]], (4, 1)) + 10 * np.repeat([[0.0], [1.0]], 4, axis=0)
    hold = dense if form == "dense" else sparse
    tree = grown(replace(plan(X, Z, learner=learner, min_impurity_decrease=0.0), X=hold(X)))
    assert len(tree.left) == 3
    assert {tuple(np.sort(tree.rows[a:b])) for a, b in zip(tree.start[1:], tree.stop[1:], strict=True)} == {
        (0, 1, 2, 3),
        (4, 5, 6, 7),
    }
