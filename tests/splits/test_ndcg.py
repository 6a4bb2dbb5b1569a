"""Claims about the nDCG split: which sides it separates, with which features, and what it leaves alone."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from slantwood import ObliqueForestClassifier, ObliqueTreeClassifier, ObliqueTreeRegressor
from slantwood.kernels.l1_logistic import fit_l1_logistic
from slantwood.kernels.ndcg_partition import labels_of, ndcg_partition
from slantwood.metrics import precision_at_k
from slantwood.splits.ndcg import NDCGSplit
from slantwood.splits.protocol import learn

STREAM = 88172645463325252
FORMS = pytest.mark.parametrize(
    ("x_form", "z_form"), [(0, 0), (0, 1), (1, 0), (1, 1)], ids=["dense", "sparse Z", "sparse X", "sparse"]
)


def settled(**given):
    """The compiled form of the published split in any unit, with the given parameters in place of its own."""
    return replace(NDCGSplit.published(), **{"unit_variance": True, **given}).compiled()


def learned(X, Z, weights=None, seed=STREAM, **given):
    weights = np.ones(X.n_rows, np.float32) if weights is None else np.asarray(weights, np.float32)
    return learn(settled(**given), X, Z, weights, np.array([seed], np.uint64))


def planted(seed, n=120):
    """Rows of two groups with labels of their own; three features tell the group, twenty are noise."""
    rng = np.random.default_rng(seed)
    group = rng.permutation(np.arange(n) < 0.4 * n)
    own = np.where(group[:, None], np.arange(8) < 4, np.arange(8) >= 4)
    labels = own & (rng.random((n, 8)) < 0.7)
    labels[~labels.any(axis=1)] = own[~labels.any(axis=1)]
    X = rng.normal(size=(n, 23)) * (rng.random((n, 23)) < 0.2)
    for j in range(3):
        X[:, j] = np.where(np.arange(n) % 3 == j, np.where(group, 2.0, -2.0), 0.0)
    return X, labels.astype(np.float64), group


def same_partition(one, other):
    return (one == other).all() or (one == ~other).all()


@pytest.mark.plain_python
@FORMS
@pytest.mark.parametrize("seed", range(3))
def test_planted_label_sets_are_the_sides_and_only_features_that_separate_them_get_weights(
    in_both_forms, gathered, standardised_of, x_form, z_form, seed
):
    X, labels, group = planted(seed)
    X, Z = (
        gathered(in_both_forms(X)[x_form], power=0.0)[0],
        gathered(in_both_forms(labels)[z_form], power=0.0)[0],
    )
    w, b, found = learned(X, Z, C=0.3)
    assert found
    values = standardised_of(X)
    assert same_partition(values @ w + b >= 0, group)
    assert (w != 0).sum() == 3
    assert_array_equal(np.sort(np.argsort(-np.abs(w))[:3]), np.flatnonzero(w))


@pytest.mark.plain_python
@pytest.mark.parametrize("seed", range(3))
def test_all_forms_of_a_node_give_the_same_split(in_both_forms, gathered, standardised_of, seed):
    rng = np.random.default_rng(seed)
    Y = (rng.random((40, 9)) < 0.25) * 1.0
    values = (rng.random((40, 12)) < 0.3) * rng.exponential(1.0, (40, 12)) + Y[:, :1]
    blocks = [gathered(matrix, power=0.0)[0] for matrix in in_both_forms(values)]
    attributes = [gathered(matrix, power=0.0, importance=1 + np.arange(9))[0] for matrix in in_both_forms(Y)]
    sides = []
    for X in blocks:
        for Z in attributes:
            w, b, found = learned(X, Z, tol=1e-4, max_iter=100)
            assert found
            sides.append(standardised_of(X) @ w + b)
    for other in sides[1:]:
        assert_allclose(other, sides[0], atol=2e-2)


@pytest.mark.plain_python
@pytest.mark.parametrize("class_weight", ["balanced", None])
@pytest.mark.compiles
def test_the_plane_is_that_of_the_regression_on_the_sides_at_these_costs(
    in_both_forms, gathered, class_weight
):
    X, labels, _ = planted(0)
    X = gathered(in_both_forms(X + np.random.default_rng(0).normal(size=X.shape))[0], power=0.0)[0]
    Z = gathered(in_both_forms(labels)[1], power=0.0)[0]
    r = np.random.default_rng(1).uniform(0.9, 1.1, len(labels)).astype(np.float32)
    w, b, found = learned(X, Z, r, C=0.7, class_weight=class_weight)
    side, state = np.empty(len(r), np.bool_), np.array([STREAM], np.uint64)
    visits = state.copy()
    assert ndcg_partition(labels_of(Z), r, 50, state, side)
    left, right = float(r[~side].sum()), float(r[side].sum())
    assert abs(left - right) > 0.1 * (left + right)
    cost = 0.7 / np.sqrt(23)
    costs = [cost * (left + right) / part if class_weight else cost for part in (left, right)]
    expected = np.empty(23, np.float32)
    expected_b = fit_l1_logistic(X, side, r, *costs, 10, 0.01, visits, expected)
    assert found
    assert_allclose(w, expected, rtol=1e-4, atol=1e-5)
    assert_allclose(b, expected_b, rtol=1e-4, atol=1e-5)


@pytest.mark.plain_python
def test_rows_without_labels_do_not_move_the_plane(in_both_forms, gathered):
    X, labels, _ = planted(1)
    labels[::4] = 0.0
    noisy = X.copy()
    # Exchanged among themselves, so that the node's means and scales stay.
    noisy[::4] = X[::4][::-1]
    Z = gathered(in_both_forms(labels)[1], power=0.0)[0]
    one, other = (learned(gathered(in_both_forms(x)[0], power=0.0)[0], Z) for x in (X, noisy))
    assert one[2]
    assert_allclose(one[0], other[0], atol=1e-4)
    assert_allclose(one[1], other[1], atol=1e-4)


@pytest.mark.plain_python
def test_rows_of_one_side_only_give_no_split(in_both_forms, gathered):
    X = gathered(in_both_forms(np.arange(8.0)[:, None])[0], power=0.0)[0]
    Z = gathered(in_both_forms(np.eye(8)[:, :1])[0], power=0.0)[0]
    assert not learned(X, Z)[2]


@pytest.mark.plain_python
def test_features_that_do_not_tell_the_sides_give_no_split(in_both_forms, gathered):
    X = gathered(in_both_forms(np.array([1.0, 1.0, -1.0, -1.0] * 2)[:, None])[0], power=0.0)[0]
    Z = gathered(in_both_forms(np.array([[1.0, 0.0], [0.0, 1.0]] * 4))[0], power=0.0)[0]
    w, _, found = learned(X, Z)
    assert not found
    assert (w == 0).all()


@pytest.mark.plain_python
def test_the_scale_of_all_features_does_not_matter(in_both_forms, gathered):
    X, labels, _ = planted(2)
    Z = gathered(in_both_forms(labels)[0], power=0.0)[0]
    for form in range(2):
        one, other = (
            learned(gathered(in_both_forms(factor * X)[form], power=0.0)[0], Z) for factor in (1.0, 2.0**20)
        )
        assert one[2]
        assert_allclose(one[0], other[0], rtol=1e-4)


@pytest.mark.plain_python
@pytest.mark.parametrize("form", range(2), ids=["dense", "sparse"])
def test_as_published_C_counts_in_the_units_of_the_features(in_both_forms, gathered, form):
    X, labels, _ = planted(2)
    Z = gathered(in_both_forms(labels)[0], power=0.0)[0]

    def as_published(factor, C):
        block = gathered(in_both_forms(factor * X)[form], power=0.0, unit_variance=False)[0]
        return learned(block, Z, C=C, unit_variance=False)

    # The same loss at the same penalty: weights are smaller by the factor that features are larger by.
    (w, b, found), (other, other_b, also) = as_published(1.0, 1.0), as_published(8.0, 1.0 / 8.0)
    assert found
    assert also
    assert_allclose(w, 8.0 * other, rtol=1e-4)
    assert_allclose(b, other_b, rtol=1e-4, atol=1e-5)
    # Features of small units are too costly to use at the same C.
    assert not as_published(1e-3, 1.0)[2]


# ---- trees


def topics(seed, n):
    """Texts of 20 topics: each has words and labels of its own."""
    rng = np.random.default_rng(seed)
    topic = rng.integers(0, 20, n)
    X = rng.poisson(0.05, (n, 100)) + rng.poisson(1.0, (n, 100)) * (np.arange(100) // 5 == topic[:, None])
    Y = (rng.random((n, 60)) < 0.6) & (np.arange(60) // 3 == topic[:, None])
    return X.astype(np.float32), Y.astype(np.int8)


def test_a_forest_ranks_the_labels_of_topics_first():
    X, Y = topics(0, 600)
    fresh_X, fresh_Y = topics(1, 300)
    forest = ObliqueForestClassifier(
        n_estimators=10, split=NDCGSplit(), min_impurity_decrease=0.0, random_state=0
    ).fit(X, Y)
    # Rows have each of the three labels of their topic with probability 0.6, of all others none.
    assert precision_at_k(fresh_Y, forest.predict_proba(fresh_X), 1) > 0.5
    settings = forest.settings_
    assert not settings.normalize_labels
    assert settings.max_features == 1.0
    assert settings.split.scaling == (0.0, 0.0, True)


def test_words_keep_their_scales_and_other_features_do_not():
    X, Y = topics(0, 200)
    for values, C, feature_power in ((X, 2.0, 0.0), (X + 1.0, 3.0, 1.0)):
        forest = ObliqueForestClassifier(n_estimators=1, split="ndcg").fit(values, Y)
        found = forest.settings_.split
        assert (found.C, found.feature_power, found.unit_variance) == (C, feature_power, True)


def test_the_published_split_makes_the_published_system():
    X, Y = topics(0, 200)
    settings = ObliqueForestClassifier(n_estimators=1, split=NDCGSplit.published()).fit(X, Y).settings_
    assert settings.split == NDCGSplit.published()
    assert settings.normalize_rows is settings.normalize_labels is settings.bootstrap is False
    assert (settings.max_features, settings.min_samples_split) == (1.0, 11)
    assert settings.min_impurity_decrease == 0.0


@pytest.mark.parametrize("factor", [2.0**-20, 2.0**20])
def test_units_of_features_are_for_the_published_split_only(factor):
    X, Y = topics(0, 300)
    for split, depends in ((NDCGSplit(), False), (NDCGSplit.published(), True)):
        one, other = (
            ObliqueForestClassifier(n_estimators=2, split=split, random_state=0).fit(scale * X, Y)
            for scale in (1.0, factor)
        )
        same = np.array_equal(one.predict_proba(X), other.predict_proba(factor * X))
        assert same is not depends


def test_classes_are_divided_too():
    X, _ = topics(0, 400)
    y = X.reshape(400, 20, 5).sum(axis=2).argmax(axis=1)
    tree = ObliqueTreeClassifier(split=NDCGSplit(), min_impurity_decrease=0.0, random_state=0).fit(X, y)
    assert tree.score(X, y) > 0.8


# ---- parameters


@pytest.mark.plain_python
def test_the_published_split_takes_features_as_they_are():
    published = NDCGSplit.published()
    assert published == NDCGSplit(C=1.0, tol=0.01, feature_power=0.0, min_support=1, unit_variance=False)
    assert published.scaling == (0.0, 0.0, False)


def test_it_is_for_labels_and_three_or_more_classes_only():
    X = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.raises(ValueError, match=r"split='ndcg' is for .* targets, and y is regression"):
        ObliqueTreeRegressor(split="ndcg").fit(X, X[:, 0])


@pytest.mark.plain_python
def test_unit_variance_is_true_or_false():
    with pytest.raises(TypeError, match=r"^NDCGSplit: unit_variance=0 must be True or False$"):
        NDCGSplit(unit_variance=0)
