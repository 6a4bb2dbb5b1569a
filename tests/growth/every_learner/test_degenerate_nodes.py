"""Nodes at the edge of having no split: they grow or end as leaves, without warnings and without NaN."""

import os
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from tests.sampling import examples

pytestmark = [pytest.mark.plain_python, pytest.mark.sampled]

# Plain Python takes many times longer per node.
EXAMPLES = 20 if os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0") else 10

FORMS = pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
EXTREMES = pytest.mark.parametrize("value", [0.0, 1.0, -3e15, 7e-15])

PATTERNS = ["numbers", "few values", "mostly zeros", "duplicates", "one row differs", "identical", "zeros"]
# Row weights may lie anywhere between these powers of ten, which `fit` accepts.
WEIGHTS = {"equal": (0, 0), "tiny": (-12, -12), "huge": (12, 12), "moderate": (-1, 1), "mixed": (-12, 12)}


def patterned(rng, pattern, n, width):
    """Numbers of one of the patterns."""
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


def punctured(rng, values):
    """The values with values missing: in cells, in whole rows and in whole columns."""
    values = values.copy()
    values[rng.random(values.shape) < rng.choice([0.0, 0.1, 0.5, 0.9])] = np.nan
    values[rng.random(len(values)) < rng.choice([0.0, 0.4])] = np.nan
    values[:, rng.random(values.shape[1]) < 0.15] = np.nan
    return values


def in_float32(values):
    return values.astype(np.float32).astype(np.float64)


class Node(NamedTuple):
    """A few rows, the attributes of their splits, and the rules to grow on them."""

    X: np.ndarray
    attributes: dict
    counts: np.ndarray
    rules: dict
    powers: dict
    has_missing: bool

    def Z(self, learner):
        """Attributes that the learner can read."""
        if learner.takes_classes_only:
            return self.attributes["classes"]
        return self.attributes["labels" if learner.given.reads_labels else "any"]


@st.composite
def nodes(draw):
    """Features, attributes and weights of a few rows, with values missing in all kinds of ways or none."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d, t = draw(st.integers(2, 10)), draw(st.integers(1, 4)), draw(st.integers(1, 3))
    has_missing = draw(st.booleans())

    def columns(width):
        values = patterned(rng, draw(st.sampled_from(PATTERNS)), n, width)
        power = draw(st.sampled_from([0, 6 if has_missing else 15]))
        scaled = in_float32(values * 10.0 ** rng.integers(-power, power + 1, width))
        return punctured(rng, scaled) if has_missing else scaled

    X, numbers = columns(d), columns(t)
    labels = rng.integers(0, 2, (n, t)) * (rng.random((n, t)) < rng.choice([0.3, 1.0])) * 1.0
    # Two classes are one column; of more, each has its own.
    which = rng.integers(0, t + 1, n) if draw(st.booleans()) else np.arange(n) * (t + 1) // n
    classes = which[:, None] * 1.0 if t == 1 else np.eye(t + 1)[which]
    if has_missing:
        labels = punctured(rng, labels)
        classes[rng.random(n) < rng.choice([0.0, 0.4, 0.8])] = np.nan
    attributes = {"classes": classes, "labels": draw(st.sampled_from([labels, np.eye(t + 1)[which]]))}
    attributes["any"] = draw(st.sampled_from([numbers, numbers, labels, classes]))
    low, high = WEIGHTS[draw(st.sampled_from(sorted(WEIGHTS)))]
    rules = {
        "row_weights": 10.0 ** rng.uniform(low, high, n),
        "min_impurity_decrease": draw(st.sampled_from([0.0, 0.05])),
        "max_features": draw(st.sampled_from([1, 10])),
        "seed": int(rng.integers(2**31)),
    }
    if draw(st.booleans()):
        rules["attribute_weights"] = rng.integers(0, 3, 4) * 1.0
    powers = {
        "feature_power": draw(st.sampled_from([1.0, 0.25])),
        "target_power": draw(st.sampled_from([1.0, 0.75])),
        "min_support": draw(st.sampled_from([1, 2])),
        "min_part": draw(st.sampled_from([0.0, 0.9])),
    }
    return Node(X, attributes, rng.integers(1, 3, n), rules, powers, has_missing)


@pytest.fixture(scope="session")
def held(plan, in_both_forms):
    """Make the plan to grow on a few rows, held dense or sparse."""

    def make(X, Z, learner, form, **rules):
        if "attribute_weights" in rules:
            rules["attribute_weights"] = rules["attribute_weights"][: Z.shape[1]]
        x, z = in_both_forms(X)[form], in_both_forms(Z)[form]
        return replace(plan(X, Z, learner=learner, **rules), X=x, Y=z, Z=z)

    return make


def vary(values):
    """Whether each column has two values among those that are known."""
    return np.fmin.reduce(values) < np.fmax.reduce(values)


@FORMS
@examples(EXAMPLES)
@given(node=nodes())
def test_any_tiny_node_grows_into_a_sound_tree_that_routes_its_rows_again(
    held, grown, routed, leaf_of_each_row, in_both_forms, assert_sound, any_learner, form, node
):
    X, Z = node.X, node.Z(any_learner)
    data = held(X, Z, any_learner.quick(**node.powers), form, **node.rules)
    tree = grown(data, node.counts, seed=node.rules["seed"] | 1)
    assert_sound(tree, (data.row_weights * node.counts).astype(np.float32))
    # Dense or sparse, at growth or at prediction.
    for again in in_both_forms(X):
        assert_array_equal(routed(again, tree), leaf_of_each_row(tree))
    assert not np.isin(tree.indices, np.flatnonzero(~vary(X))).any()
    if not vary(X).any() or not vary(Z).any():
        assert len(tree.left) == 1


@FORMS
@examples(EXAMPLES // 3)
@given(node=nodes())
def test_leaves_of_any_tiny_node_predict_within_the_range_of_what_is_known(
    held, predicted, any_learner, form, node
):
    X, Z = node.X, node.Z(any_learner)
    rules = node.rules
    if node.has_missing:
        Z = np.where(np.isnan(Z).all(axis=0), 1.0, Z)  # what `fit` refuses
        rules = rules | {"row_weights": rules["row_weights"].clip(1e-4, 1e4)}
    tree, importance = held(X, Z, any_learner.quick(**node.powers), form, **rules).grow_tree(0)
    assert np.isfinite(importance).all()
    means = predicted(tree, X)
    # A float32 mean of up to ten float32 numbers, relative to the largest of them.
    tolerance = 1e-6 * np.nanmax(np.abs(Z), axis=0)
    assert (means >= np.nanmin(Z, axis=0) - tolerance).all()
    assert (means <= np.nanmax(Z, axis=0) + tolerance).all()


@FORMS
@EXTREMES
def test_rows_that_are_identical_in_their_features_stay_together(
    held, grown, assert_sound, any_learner, form, value
):
    Z = any_learner.attributes(np.arange(6))
    tree = grown(held(np.full((6, 3), value), Z, any_learner.quick(), form, min_impurity_decrease=0.0))
    assert len(tree.left) == 1
    assert_sound(tree, np.ones(6, np.float32))


@FORMS
@EXTREMES
def test_rows_that_are_identical_in_their_attributes_stay_together(held, grown, any_learner, form, value):
    X = np.random.default_rng(0).normal(size=(6, 3))
    tree = grown(held(X, np.full((6, 2), value), any_learner.quick(), form, min_impurity_decrease=0.0))
    assert len(tree.left) == 1


@FORMS
@pytest.mark.parametrize("scale", [1e-15, 1.0, 1e15])
@pytest.mark.parametrize("weights", [(1.0, 1.0), (1.0, 2.0), (1e12, 1e12)])
def test_two_rows_that_differ_are_told_apart_by_one_feature(
    held, grown, assert_sound, any_learner, form, scale, weights
):
    X, Z = scale * np.array([[0.0], [1.0]]), any_learner.two_sides([False, True])
    # From noise the one weight may begin with the wrong sign, but two rows have no wrong side.
    tree = grown(held(X, Z, any_learner.quick(), form, row_weights=weights))
    assert len(tree.left) == 3
    assert_sound(tree, np.array(weights, np.float32))


@FORMS
@pytest.mark.parametrize("light_first", [True, False])
def test_a_row_whose_weight_is_lost_in_the_sum_of_all_weights_does_no_harm(
    held, grown, assert_sound, any_learner, form, light_first
):
    # 1e12 + 1e-12 is 1e12 in float64: the heavy rows seem to be all rows.
    X, Z = np.array([[0.0], [1.0], [1.0]]), any_learner.two_sides([False, True, True])
    weights = np.array([1e-12, 1e12, 1e12] if light_first else [1e12, 1e-12, 1e-12])
    for least in (0.0, 0.05):
        data = held(X, Z, any_learner.quick(), form, row_weights=weights, min_impurity_decrease=least)
        assert_sound(grown(data), weights.astype(np.float32))


def test_rows_of_zeros_alone_are_a_leaf_and_beside_others_a_side(held, grown, any_learner):
    Z = any_learner.two_sides([False, False, True, True])
    nothing = np.zeros((4, 3))
    assert len(grown(held(nothing, Z, any_learner.quick(), 1)).left) == 1
    X = nothing.copy()
    X[2:, 1] = 1.0
    tree = grown(held(X, Z, any_learner.quick(), 1))
    sides = {tuple(np.sort(tree.rows[a:b])) for a, b in zip(tree.start[1:], tree.stop[1:], strict=True)}
    assert sides == {(0, 1), (2, 3)}
    assert_array_equal(tree.indices, [1])


@FORMS
def test_copies_of_a_row_with_different_targets_end_in_one_leaf(held, grown, free_learner, form):
    X = np.repeat([[0.0, 1.0], [2.0, 0.0]], 4, axis=0)
    Z = np.tile([[0.0], [1.0]], (4, 1)) + 10 * np.repeat([[0.0], [1.0]], 4, axis=0)
    tree = grown(held(X, Z, free_learner.quick(), form, min_impurity_decrease=0.0))
    assert len(tree.left) == 3
    sides = {tuple(np.sort(tree.rows[a:b])) for a, b in zip(tree.start[1:], tree.stop[1:], strict=True)}
    assert sides == {(0, 1, 2, 3), (4, 5, 6, 7)}


@FORMS
@pytest.mark.parametrize(
    "Z",
    [
        [[0.0], [1.0], [np.nan], [np.nan], [np.nan], [np.nan]],
        [[np.nan], [np.nan], [np.nan], [np.nan], [0.0], [1.0]],
        [[np.nan], [np.nan], [1.0], [np.nan], [np.nan], [np.nan]],
        [[np.nan]] * 6,
        [[1.0, np.nan], [1.0, np.nan], [1.0, np.nan], [np.nan, 2.0], [np.nan, 2.0], [np.nan, 2.0]],
        [[0.0, np.nan], [1.0, np.nan], [0.0, np.nan], [np.nan, 1.0], [np.nan, 0.0], [np.nan, 1.0]],
    ],
    ids=["first", "last", "one", "none", "constant halves", "halves"],
)
def test_attributes_that_few_rows_know_never_crash_growth(held, grown, assert_sound, any_learner, form, Z):
    Z = np.array(Z)
    for least in (0.0, 0.05):
        tree = grown(held(np.arange(6.0)[:, None], Z, any_learner.quick(), form, min_impurity_decrease=least))
        assert_sound(tree, np.ones(6, np.float32))
        if not vary(Z).any():
            assert len(tree.left) == 1
