"""Claims about trees of which features or clustering attributes have missing values."""

import os
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from slantwood import GradientSplit, SVMSplit
from slantwood.growth.grow import _decrease
from slantwood.splits.protocol import learn

IS_COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
EXAMPLES = 100 if IS_COMPILED else 40

GRADIENT = replace(GradientSplit.published(), start="informed")
SVM = replace(SVMSplit.published(), C=1.0)
BOTH_SPLITS = pytest.mark.parametrize("learner", [GRADIENT, SVM], ids=["gradient", "svm"])
QUICK = {
    "noise": replace(GRADIENT, start="noise", max_iter=8),
    "informed, exact": replace(GRADIENT, threshold="exact", max_iter=8),
    "batches": replace(GRADIENT, batch_size=3, max_iter=8),
    "svm": replace(SVM, max_iter=10),
    "svm, balanced": replace(SVM, max_iter=10, class_weight="balanced"),
}
EVERY_LEARNER = pytest.mark.parametrize("learner", QUICK.values(), ids=QUICK)
FORMS = pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
SEEDS = pytest.mark.parametrize("seed", [0, 1, 2])
LABELS = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]], float)


def clustered(seed, n=120, share=0.1, thin=False):
    """Rows around six centres that are far apart, a label set for each centre, a share of X missing."""
    rng = np.random.default_rng(seed)
    centres = 8 * rng.normal(size=(6, 12))
    which = np.arange(n) % 6
    X = centres[which] + rng.normal(size=(n, 12))
    if thin:
        X = np.hstack([X * (rng.random((6, 12)) < 0.4)[which], np.zeros((n, 60))])
        X[:, 12:] = rng.normal(size=(n, 60)) * (rng.random((n, 60)) < 0.03)
    X[rng.random(X.shape) < (share / 4 if thin else share)] = np.nan
    return X.astype(np.float32).astype(np.float64), LABELS[which]


def assert_same_tree(one, other, X, predicted, other_X=None):
    assert_array_equal(one.left, other.left)
    assert_array_equal(one.right, other.right)
    assert_allclose(one.node_weight, other.node_weight, rtol=1e-6)
    assert_allclose(predicted(one, X), predicted(other, X if other_X is None else other_X), rtol=0, atol=1e-4)
    assert len(one.left) > 5


def assert_identical(one, other):
    for field, a, b in zip(one._fields[:-1], one, other, strict=False):
        assert_array_equal(a, b, err_msg=field)
    for field, a, b in zip(one.leaves._fields, one.leaves, other.leaves, strict=True):
        assert_array_equal(a, b, err_msg=f"leaves.{field}")
    assert len(one.left) > 5


def assert_sound(tree):
    """No number of a tree is missing, whatever its rows lack."""
    for name in ("weights", "means", "bias", "node_weight", "importance"):
        assert np.isfinite(getattr(tree, name)).all(), name
    assert (tree.stop > tree.start).all()
    assert_array_equal(np.sort(tree.rows), np.arange(len(tree.rows)))
    assert_array_equal(np.diff(tree.indptr) > 0, tree.left >= 0)
    assert len(tree.means) == len(tree.weights) == len(tree.indices)


# ---- any node


@st.composite
def nodes(draw):
    """Features, attributes and weights of a few rows, with gaps of all kinds."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(2, 12))

    def columns(width):
        values = rng.integers(-1, 3, (n, width)) * (rng.random((n, width)) < rng.choice([0.2, 1.0]))
        if rng.random() < 0.5:
            values = values + rng.normal(size=(n, width)) * (values != 0)
        if rng.random() < 0.2:
            values = np.tile(values[:1], (n, 1))
        values = values * 10.0 ** rng.integers(-6, 7, width) if rng.random() < 0.3 else values * 1.0
        values[rng.random((n, width)) < rng.choice([0.0, 0.1, 0.5, 0.9])] = np.nan
        values[rng.random(n) < rng.choice([0.0, 0.4])] = np.nan
        values[:, rng.random(width) < 0.15] = np.nan
        return values.astype(np.float32).astype(np.float64)

    low, high = draw(st.sampled_from([(0, 0), (-1, 1), (-12, 12)]))
    rules = {
        "row_weights": 10.0 ** rng.uniform(low, high, n),
        "min_impurity_decrease": draw(st.sampled_from([0.0, 0.05])),
        "max_features": draw(st.sampled_from([1, 10])),
        "seed": int(rng.integers(2**31)),
    }
    return columns(draw(st.integers(1, 4))), columns(draw(st.integers(1, 3))), rules


@pytest.mark.plain_python
@FORMS
@EVERY_LEARNER
@settings(max_examples=EXAMPLES)
@given(node=nodes())
def test_any_tiny_node_with_gaps_grows_into_a_sound_tree_that_routes_its_rows_again(
    plan, grown, routed, leaf_of_each_row, in_both_forms, learner, form, node
):
    X, Z, rules = node
    x, z = in_both_forms(X)[form], in_both_forms(Z)[form]
    tree = grown(replace(plan(X, Z, learner=learner, **rules), X=x, Z=z), seed=rules["seed"] | 1)
    assert_sound(tree)
    # Dense or sparse, at growth or at prediction.
    for again in in_both_forms(X):
        assert_array_equal(routed(again, tree), leaf_of_each_row(tree))
    constant = ~(np.fmin.reduce(X) < np.fmax.reduce(X))
    assert not np.isin(tree.indices, np.flatnonzero(constant)).any()
    if constant.all() or not (np.fmin.reduce(Z) < np.fmax.reduce(Z)).any():
        assert len(tree.left) == 1


@pytest.mark.plain_python
@FORMS
@EVERY_LEARNER
@settings(max_examples=EXAMPLES // 2)
@given(node=nodes())
def test_leaves_of_any_tiny_node_predict_within_the_range_of_what_is_known(
    plan, predicted, in_both_forms, learner, form, node
):
    X, Z, rules = node
    Z = np.where(np.isnan(Z).all(axis=0), 1.0, Z)  # what `fit` refuses
    rules = rules | {"row_weights": rules["row_weights"].clip(1e-4, 1e4)}
    x, z = in_both_forms(X)[form], in_both_forms(Z)[form]
    tree, importance = replace(plan(X, Z, learner=learner, **rules), X=x, Y=z, Z=z).grow_tree(0)
    assert np.isfinite(importance).all()
    means = predicted(tree, X)
    room = 1e-6 * np.nanmax(np.abs(Z), axis=0)
    assert (means >= np.nanmin(Z, axis=0) - room).all()
    assert (means <= np.nanmax(Z, axis=0) + room).all()


@pytest.mark.plain_python
@FORMS
@EVERY_LEARNER
@pytest.mark.parametrize(
    "Z",
    [
        [[1.0], [2.0], [np.nan], [np.nan], [np.nan], [np.nan]],
        [[np.nan], [np.nan], [np.nan], [np.nan], [1.0], [2.0]],
        [[np.nan], [np.nan], [5.0], [np.nan], [np.nan], [np.nan]],
        [[np.nan]] * 6,
        [[1.0, np.nan], [1.0, np.nan], [1.0, np.nan], [np.nan, 2.0], [np.nan, 2.0], [np.nan, 2.0]],
        [[0.0, np.nan], [1.0, np.nan], [0.0, np.nan], [np.nan, 1.0], [np.nan, 0.0], [np.nan, 1.0]],
    ],
    ids=["first", "last", "one", "none", "constant halves", "halves"],
)
def test_attributes_that_few_rows_know_never_crash_growth(plan, grown, in_both_forms, learner, form, Z):
    X = np.arange(6.0)[:, None]
    Z = np.array(Z)
    for least in (0.0, 0.05):
        data = plan(X, np.arange(6.0), Z=Z, learner=learner, min_impurity_decrease=least)
        tree = grown(replace(data, Z=in_both_forms(Z)[form]))
        assert_sound(tree)
        if not (np.fmin.reduce(Z) < np.fmax.reduce(Z)).any():
            assert len(tree.left) == 1


@pytest.mark.plain_python
@FORMS
@pytest.mark.parametrize("learner", [GRADIENT, SVM], ids=["gradient", "svm"])
def test_the_mean_beside_a_weight_is_that_of_the_nodes_known_values(
    plan, grown, in_both_forms, form, learner
):
    X, Y = clustered(0, n=24, thin=form == 1)
    learner = replace(learner, max_iter=10)
    r = np.random.default_rng(0).uniform(0.5, 2, 24)
    tree = grown(replace(plan(X, Y, row_weights=r, learner=learner), X=in_both_forms(X)[form]))
    assert len(tree.left) > 3
    for node in np.flatnonzero(tree.left >= 0):
        rows = tree.rows[tree.start[node] : tree.stop[node]]
        for k in range(tree.indptr[node], tree.indptr[node + 1]):
            x = X[rows, tree.indices[k]]
            known = ~np.isnan(x)
            expected = np.average(x[known], weights=r.astype(np.float32)[rows][known])
            assert_allclose(tree.means[k], expected, rtol=1e-6, atol=1e-6 * np.abs(x[known]).max())


# ---- what must not change a tree


@SEEDS
@BOTH_SPLITS
def test_numbers_with_gaps_held_dense_and_sparse_grow_the_same_tree(
    plan, predicted, in_both_forms, seed, learner
):
    X, Y = clustered(seed, thin=True)
    data = plan(X, Y, learner=learner)
    assert not data.X.is_dense
    assert data.X.has_gaps
    one, other = (replace(data, X=matrix).grow_tree(0)[0] for matrix in in_both_forms(X))
    assert_same_tree(one, other, X, predicted)
    assert_array_equal(predicted(one, X), predicted(one, sp.csr_array(X)))


@SEEDS
@BOTH_SPLITS
def test_attributes_with_gaps_held_dense_and_sparse_predict_the_same(
    plan, predicted, in_both_forms, seed, learner
):
    X, Y = clustered(seed, share=0.0)
    Y[np.random.default_rng(seed).random(Y.shape) < 0.2] = np.nan
    data = plan(X, Y, learner=learner)
    one, other = (replace(data, Y=matrix, Z=matrix).grow_tree(0)[0] for matrix in in_both_forms(Y))
    # A start is drawn for attributes in the order in which a form comes upon them: sides may be exchanged.
    assert_allclose(predicted(one, X), predicted(other, X), rtol=0, atol=1e-4)
    assert len(one.left) == len(other.left) > 5
    assert one.leaves.is_dense
    assert not other.leaves.is_dense


@SEEDS
@BOTH_SPLITS
@pytest.mark.parametrize("thin", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("column", [np.nan, 0.0, 3.25], ids=["missing", "zero", "constant"])
def test_a_feature_that_says_nothing_changes_nothing(plan, predicted, seed, learner, thin, column):
    X, Y = clustered(seed, thin=thin)
    more = np.insert(X, 5, column, axis=1)
    one, importance = plan(X, Y, learner=learner).grow_tree(0)
    other, more_importance = plan(more, Y, learner=learner).grow_tree(0)
    assert_same_tree(one, other, X, predicted, more)
    assert 5 not in other.indices
    assert more_importance[5] == 0
    assert_allclose(np.delete(more_importance, 5), importance, rtol=1e-3, atol=1e-4)


@SEEDS
@pytest.mark.parametrize("thin", [False, True], ids=["dense", "sparse"])
def test_the_order_of_rows_and_features_does_not_matter(plan, predicted, seed, thin):
    # The clusters of an SVM split start at rows that are drawn by their place.
    X, Y = clustered(seed, thin=thin)
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    one, _ = plan(X, Y, learner=GRADIENT).grow_tree(0)
    other, _ = plan(X[rows][:, columns], Y[rows], learner=GRADIENT).grow_tree(0)
    assert_same_tree(one, other, X, predicted, X[:, columns])


@SEEDS
@BOTH_SPLITS
@pytest.mark.parametrize("thin", [False, True], ids=["dense", "sparse"])
def test_units_of_features_with_gaps_do_not_matter(plan, predicted, seed, learner, thin):
    X, Y = clustered(seed, thin=thin)
    units = 2.0 ** np.random.default_rng(seed).integers(-20, 21, X.shape[1])
    one, _ = plan(X, Y, learner=learner).grow_tree(0)
    other, _ = plan(X * units, Y, learner=learner).grow_tree(0)
    assert_same_tree(one, other, X, predicted, X * units)


@SEEDS
@BOTH_SPLITS
@pytest.mark.parametrize("thin", [False, True], ids=["dense", "sparse"])
def test_weighting_a_row_with_gaps_is_repeating_it(plan, predicted, seed, learner, thin):
    X, Y = clustered(seed, thin=thin)
    rng = np.random.default_rng(seed)
    Y[rng.random(Y.shape) < 0.1] = np.nan
    counts = rng.integers(1, 5, len(X))
    again = np.repeat(np.arange(len(X)), counts)
    weighted, _ = plan(X, Y, row_weights=counts, learner=learner).grow_tree(0)
    repeated, _ = plan(X[again], Y[again], learner=learner).grow_tree(0)
    assert_same_tree(weighted, repeated, X, predicted)


@SEEDS
@BOTH_SPLITS
def test_rows_without_weight_change_nothing_whatever_is_missing_in_them(plan, seed, learner):
    X, Y = clustered(seed)
    rng = np.random.default_rng(seed)
    Y[rng.random(Y.shape) < 0.1] = np.nan
    weights = rng.uniform(0.5, 2, len(X)) * (rng.random(len(X)) < 0.7)
    present = weights > 0
    nonsense, labels = X.copy(), Y.copy()
    nonsense[~present], labels[~present] = np.nan, np.nan
    one, importance = plan(nonsense, labels, row_weights=weights, learner=learner).grow_tree(0)
    other, its_importance = plan(
        X[present], Y[present], row_weights=weights[present], learner=learner
    ).grow_tree(0)
    assert_identical(one, other)
    assert_array_equal(importance, its_importance)


# ---- planted truths


@SEEDS
@BOTH_SPLITS
def test_a_boundary_is_found_though_a_fifth_of_the_features_is_missing(plan, predicted, seed, learner):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(600, 6))
    side = X[:, 0] + X[:, 1] >= 0
    gappy = np.where(rng.random(X.shape) < 0.2, np.nan, X)
    tree, importance = plan(gappy, side * 1.0, learner=learner, max_depth=1).grow_tree(0)
    assert set(np.argsort(importance)[-2:]) == {0, 1}
    whole = ~np.isnan(gappy[:, :2]).any(axis=1)
    agrees = (predicted(tree, gappy)[:, 0] > 0.5) == side
    assert agrees[whole].mean() > 0.93
    assert agrees[np.isnan(gappy[:, 0]) ^ np.isnan(gappy[:, 1])].mean() > 0.65


@SEEDS
@BOTH_SPLITS
@FORMS
def test_a_boundary_is_found_though_half_of_the_targets_is_missing(
    plan, predicted, in_both_forms, seed, learner, form
):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(600, 6))
    side = X[:, 0] - X[:, 2] >= 0
    truth = np.repeat(side[:, None], 3, axis=1) * 1.0
    Y = np.where(rng.random(truth.shape) < 0.5, np.nan, truth)
    Y[:60] = np.nan  # of these nothing is known
    matrix = in_both_forms(Y)[form]
    tree, _ = replace(plan(X, Y, learner=learner, max_depth=1), Y=matrix, Z=matrix).grow_tree(0)
    means = predicted(tree, X)
    assert ((means > 0.5) == truth).mean() > 0.95
    assert_allclose(means[side & (means[:, 0] > 0.5)], 1.0, atol=0.1)


@SEEDS
@BOTH_SPLITS
def test_features_missing_at_prediction_only_go_with_the_means(plan, predicted, grown, seed, learner):
    X, Y = clustered(seed, share=0.0)
    tree, _ = plan(X, Y, learner=learner).grow_tree(0)
    before = predicted(tree, X)
    gappy = X.copy()
    unused = np.setdiff1d(np.arange(12), tree.indices)
    gappy[:, unused] = np.nan
    assert_array_equal(predicted(tree, gappy), before)
    # With nothing known, every node sends a row where its mean goes: to one leaf for all.
    nothing = predicted(tree, np.full_like(X, np.nan))
    assert np.isfinite(nothing).all()
    assert len(np.unique(nothing, axis=0)) == 1
    node = 0
    while tree.left[node] >= 0:
        part = slice(tree.indptr[node], tree.indptr[node + 1])
        score = tree.bias[node] + tree.means[part].astype(np.float64) @ tree.weights[part].astype(np.float64)
        node = tree.right[node] if score >= 0 else tree.left[node]
    assert_array_equal(nothing[0], tree.leaves.values[tree.leaf[node]])


@SEEDS
@BOTH_SPLITS
def test_a_target_that_five_of_500_rows_know_hardly_changes_the_others(plan, predicted, seed, learner):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(500, 5))
    Y = np.column_stack([X[:, 0] > 0, X[:, 1] + X[:, 0] > 0.5]) * 1.0
    rare = np.full((500, 1), np.nan)
    rare[rng.permutation(500)[:5], 0] = [0.0, 1.0, 0.0, 1.0, 1.0]
    without, _ = plan(X, Y, learner=learner).grow_tree(0)
    tree, _ = plan(X, np.hstack([Y, rare]), learner=learner).grow_tree(0)
    fresh = rng.normal(size=(2000, 5))
    truth = np.column_stack([fresh[:, 0] > 0, fresh[:, 1] + fresh[:, 0] > 0.5])
    alone = ((predicted(without, fresh) > 0.5) == truth).mean()
    beside = ((predicted(tree, fresh)[:, :2] > 0.5) == truth).mean()
    assert alone > 0.9
    assert beside > alone - 0.02
    assert 0.5 < len(tree.left) / len(without.left) < 2
    assert np.isfinite(predicted(tree, fresh)).all()


@pytest.mark.plain_python
@FORMS
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_rows_of_which_no_attribute_is_known_do_not_move_an_svm_split(
    blocks_of, in_both_forms, gathered, form, class_weight
):
    rng = np.random.default_rng(0)
    n = 24
    X = rng.normal(size=(n, 3))
    Z = np.zeros((n, 12))
    Z[:, :2] = (X[:, :1] > 0) + [0.0, 1.0]
    unknown = np.arange(n) % 3 == 0
    Z[unknown] = np.nan
    z, _, _ = gathered(in_both_forms(Z)[form])
    elsewhere = np.where(unknown[:, None], 50 * rng.normal(size=X.shape), X)
    parameters, ones = replace(SVM, class_weight=class_weight).compiled(), np.ones(n, np.float32)
    (w, b, found), (same_w, same_b, _) = (
        learn(parameters, blocks_of(x)[form], z, ones, np.array([5], np.uint64)) for x in (X, elsewhere)
    )
    assert found
    assert_allclose(same_w, w, rtol=1e-5)
    assert_allclose(same_b, b, rtol=1e-5)
    agreement = ((X @ w + b >= 0) == (X[:, 0] > 0))[~unknown].mean()
    assert agreement in (0.0, 1.0)


@SEEDS
def test_a_target_known_in_few_rows_ends_growth_only_where_all_others_end(plan, grown, seed):
    # The known target is pure after one split; the rare one goes on where two of its values meet.
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 2))
    Y = np.full((200, 2), np.nan)
    Y[:, 0] = X[:, 0] > 0
    left = np.flatnonzero(X[:, 0] < 0)[:6]
    Y[left, 1] = X[left, 1] > np.median(X[left, 1])
    tree = grown(plan(X, Y, learner=GRADIENT, min_impurity_decrease=0.0))
    for node in np.flatnonzero(tree.left < 0):
        known = Y[tree.rows[tree.start[node] : tree.stop[node]]]
        spread = np.fmax.reduce(known) - np.fmin.reduce(known)
        assert not (spread > 0).any()


# ---- when to stop


@pytest.mark.plain_python
@FORMS
@given(seed=st.integers(0, 2**32 - 1))
def test_of_one_attribute_the_decrease_is_that_of_the_rows_that_know_it(in_both_forms, gathered, form, seed):
    rng = np.random.default_rng(seed)
    n = 14
    Z = rng.integers(0, 4, n) * 1.0
    Z[rng.random(n) < 0.4] = np.nan
    Z[0], Z[1], Z[2] = 0.0, 3.0, np.nan
    side = rng.random(n) < 0.5
    side[:2] = False, True
    r = rng.uniform(0.2, 3, n).astype(np.float32)
    block, _, _ = gathered(in_both_forms(np.column_stack([Z] + [np.zeros(n)] * 9))[form], None, r)
    found = _decrease(block, r, side)
    known, weights = ~np.isnan(Z), r.astype(np.float64)

    def variance(rows):
        mean = np.average(Z[rows], weights=weights[rows])
        return np.average((Z[rows] - mean) ** 2, weights=weights[rows])

    expected = 1 - min(variance(known & side), variance(known & ~side)) / variance(known)
    left, right = (np.average(Z[known & part], weights=weights[known & part]) for part in (~side, side))
    if abs(left - right) > 1e-3:  # else the direction is rounding
        assert_allclose(found, expected, rtol=0, atol=2e-5)


@pytest.mark.plain_python
@FORMS
@given(seed=st.integers(0, 2**32 - 1))
def test_of_several_attributes_a_row_counts_by_the_part_of_the_direction_that_it_knows(
    in_both_forms, gathered, standardised_of, form, seed
):
    rng = np.random.default_rng(seed)
    n, k = 16, 3
    Z = rng.normal(size=(n, k))
    Z[rng.random((n, k)) < 0.3] = np.nan
    Z[0], Z[1], Z[2, 0] = 1.0, -1.0, np.nan
    side = rng.random(n) < 0.5
    side[:2] = False, True
    r = rng.uniform(0.2, 3, n).astype(np.float32)
    block, columns, _ = gathered(in_both_forms(np.hstack([Z, np.zeros((n, 20))]))[form], None, r)
    found = _decrease(block, r, side)
    A, known = standardised_of(block), ~np.isnan(Z[:, columns])
    # From the centre of one side to that of the other, of attributes that both know.
    direction = np.zeros(len(columns))
    for j in range(len(columns)):
        left, right = known[:, j] & ~side, known[:, j] & side
        if left.any() and right.any():
            direction[j] = np.average(A[right, j], weights=r[right]) - np.average(A[left, j], weights=r[left])
    part = known @ direction**2 / (direction @ direction)
    counted = part > 1e-9
    side, weights = side[counted], (r * part)[counted]
    place = (A @ direction)[counted] / part[counted]

    def variance(rows):
        mean = np.average(place[rows], weights=weights[rows])
        return np.average((place[rows] - mean) ** 2, weights=weights[rows])

    everything = variance(np.full(len(place), True))
    assert_allclose(found, 1 - min(variance(side), variance(~side)) / everything, rtol=0, atol=2e-5)
