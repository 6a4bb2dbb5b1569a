"""Claims about intervals and sets that hold the truth with a given probability."""

import math
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, make_multilabel_classification

from slantwood import (
    Hierarchy,
    ObliqueBoostingRegressor,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeRegressor,
)
from slantwood.explain import conformal
from slantwood.explain.conformal_quantile import conformal_quantile

FOREST = {"n_estimators": 25, "bootstrap": True, "random_state": 0}


def noisy(n_rows, seed, n_targets=1):
    """Numbers with noise that grows with the second feature; the noise of targets is independent."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n_rows, 2))
    noise = rng.normal(size=(n_rows, n_targets)) * (0.1 + X[:, 1:])
    Y = X[:, :1] * np.arange(1, n_targets + 1) + noise
    return X, Y if n_targets > 1 else Y[:, 0]


def classes(n_rows, seed):
    """Three classes that overlap."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n_rows)
    return rng.normal(size=(n_rows, 2)) + 1.2 * np.stack([y == 1, y == 2], axis=1), np.array(list("abc"))[y]


def labels(n_rows, seed):
    rows = np.random.default_rng(seed).permutation(1500)[:n_rows]
    X, Y = make_multilabel_classification(1500, n_features=8, n_classes=6, random_state=0)
    return X[rows], Y[rows]


def close_to(share, coverage, n_calibration, n_test):
    """Whether a share lies within three deviations of a binomial, over the draws of both kinds of rows."""
    deviation = math.sqrt(coverage * (1 - coverage) * (1 / n_calibration + 1 / n_test))
    return abs(share - coverage) <= 3 * deviation


@pytest.fixture(scope="module")
def forest_of_numbers():
    X, y = noisy(600, 0)
    forest = ObliqueForestRegressor(**FOREST).fit(X, y)
    return forest, conformal(forest, X, y)


@pytest.fixture(scope="module")
def forest_of_classes():
    X, y = classes(600, 0)
    forest = ObliqueForestClassifier(**FOREST).fit(X, y)
    return forest, conformal(forest, X, y)


# ---- the quantile


@pytest.mark.parametrize("coverage", [0.1, 0.5, 0.9, 0.95])
def test_the_quantile_leaves_room_for_one_more_row(coverage):
    scores = np.random.default_rng(0).permutation(np.arange(1.0, 20.0))
    assert conformal_quantile(scores, np.ones(19), coverage) == math.ceil(coverage * 20)


def test_too_few_rows_have_no_finite_quantile():
    assert conformal_quantile(np.arange(8.0), np.ones(8), 0.9) == math.inf
    assert conformal_quantile(np.arange(9.0), np.ones(9), 0.9) == 8.0
    assert conformal_quantile(np.empty(0), np.empty(0), 0.5) == math.inf


def test_a_row_of_weight_two_is_as_two():
    scores, weights = np.random.default_rng(0).normal(size=40), np.tile([1.0, 2.0], 20)
    twice = np.repeat(scores, weights.astype(int))
    for coverage in (0.3, 0.7, 0.95):
        expected = conformal_quantile(twice, np.ones(60), coverage)
        assert conformal_quantile(scores, weights, coverage) == expected


# ---- numbers


def test_intervals_hold_as_many_numbers_as_they_promise(forest_of_numbers):
    forest, out_of_bag = forest_of_numbers
    unseen = conformal(forest, *noisy(600, 1), unseen=True)
    for sure in (out_of_bag, unseen):
        for coverage in (0.7, 0.9):
            assert close_to(sure.measure(*noisy(2000, 2), coverage).share[0], coverage, 600, 2000)


def test_intervals_are_wide_where_the_noise_is():
    X, y = noisy(600, 0)
    forest = ObliqueForestRegressor(**FOREST, min_samples_split=2).fit(X, y)  # trees that follow the noise
    X, _ = noisy(500, 1)
    width = conformal(forest, *noisy(600, 0)).predict_interval(X).width
    assert width[X[:, 1] > 0.8].mean() > 1.5 * width[X[:, 1] < 0.2].mean()


def test_of_noise_that_is_the_same_everywhere_intervals_have_its_quantiles():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(1500, 2))
    y = 5 * X[:, 0] + rng.normal(size=1500)
    forest = ObliqueForestRegressor(**FOREST, min_samples_leaf=10).fit(X[:700], y[:700])
    sure = conformal(forest, X[700:], y[700:], unseen=True)
    assert_allclose(sure.predict_interval(X[:700]).width.mean(), 2 * 1.645, rtol=0.12)


def test_joint_regions_hold_all_targets_at_once():
    X, Y = noisy(600, 0, n_targets=4)
    sure = conformal(ObliqueForestRegressor(**FOREST).fit(X, Y), X, Y)
    X, Y = noisy(2000, 1, n_targets=4)
    each, joint = sure.predict_interval(X), sure.predict_interval(X, joint=True)
    assert close_to(joint.covers(Y).mean(), 0.9, 600, 2000)
    for target in range(4):
        assert close_to(each.covers(Y)[:, target].mean(), 0.9, 600, 2000)
    assert each.covers(Y).all(axis=1).mean() < 0.8
    assert (joint.width > each.width).all()


def test_higher_coverage_contains_lower(forest_of_numbers):
    _, sure = forest_of_numbers
    X, _ = noisy(50, 1)
    found = [sure.predict_interval(X, coverage) for coverage in (0.2, 0.5, 0.9, 0.99)]
    for inner, outer in pairwise(found):
        assert (outer.lower <= inner.lower).all()
        assert (inner.upper <= outer.upper).all()


def test_dense_and_sparse_rows_have_the_same_intervals(forest_of_numbers):
    forest, sure = forest_of_numbers
    X, y = noisy(600, 0)
    other = conformal(forest, sp.csr_array(X), y)
    assert_allclose(other.predict_interval(sp.csr_array(X)).upper, sure.predict_interval(X).upper, rtol=1e-5)


def test_too_few_rows_make_intervals_infinite(forest_of_numbers):
    forest, _ = forest_of_numbers
    X, y = noisy(9, 1)
    sure = conformal(forest, X, y, unseen=True)
    assert np.isfinite(sure.predict_interval(X, 0.9).width).all()
    assert np.isinf(sure.predict_interval(X, 0.95).width).all()


def test_rows_without_number_or_weight_have_no_part(forest_of_numbers):
    forest, _ = forest_of_numbers
    X, y = noisy(100, 1)
    expected = conformal(forest, X[:60], y[:60], unseen=True).predict_interval(X).lower
    missing = np.where(np.arange(100) < 60, y, np.nan)
    weightless = np.where(np.arange(100) < 60, 1.0, 0.0)
    for found in (
        conformal(forest, X, missing, unseen=True),
        conformal(forest, X, np.where(weightless > 0, y, 1e6), unseen=True, sample_weight=weightless),
    ):
        assert_allclose(found.predict_interval(X).lower, expected, rtol=0.02, atol=0.02)


def test_models_that_saw_every_row_are_fitted_again_on_parts_of_them():
    X, y = noisy(500, 0)
    tree = ObliqueTreeRegressor(min_samples_leaf=20, random_state=0).fit(X, y)
    before = tree.predict(X)
    sure = conformal(tree, X, y, cv=5, random_state=0)
    assert close_to(sure.measure(*noisy(2000, 1)).share[0], 0.9, 500, 2000)
    assert_array_equal(tree.predict(X), before)


def test_boosted_models_learn_from_rows_kept_aside():
    X, y = noisy(500, 0)
    model = ObliqueBoostingRegressor(n_estimators=5, early_stopping=False, random_state=0).fit(X, y)
    sure = conformal(model, *noisy(400, 1), unseen=True)
    assert close_to(sure.measure(*noisy(2000, 2)).share[0], 0.9, 400, 2000)


# ---- classes and labels


def test_sets_hold_as_many_classes_as_they_promise(forest_of_classes):
    forest, out_of_bag = forest_of_classes
    for sure in (out_of_bag, conformal(forest, *classes(600, 1), unseen=True)):
        for coverage in (0.6, 0.9):
            assert close_to(sure.measure(*classes(2000, 2), coverage).share[0], coverage, 600, 2000)


def test_sets_of_higher_coverage_contain_those_of_lower(forest_of_classes):
    _, sure = forest_of_classes
    found = [sure.predict_set(classes(100, 1)[0], coverage).members for coverage in (0.3, 0.6, 0.9, 0.99)]
    for inner, outer in pairwise(found):
        assert (inner <= outer).all()
    assert found[0].sum() < found[-1].sum()


def test_a_class_that_the_model_never_saw_is_never_in_a_set(forest_of_classes):
    forest, _ = forest_of_classes
    X, y = classes(100, 1)
    y[::5] = "other"  # so that no more than 80 % can be covered
    sure = conformal(forest, X, y, unseen=True)
    assert sure.predict_set(X, 0.9).members.all()
    assert not sure.predict_set(X, 0.5).members.all()


def test_label_sets_hold_the_promised_share_of_labels_or_all_of_them():
    X, Y = labels(700, 0)
    forest = ObliqueForestClassifier(**FOREST).fit(X[:300], Y[:300])
    sure = conformal(forest, X[300:], Y[300:], unseen=True)
    some, whole = (sure.measure(*labels(1500, 0), joint=joint) for joint in (False, True))
    X, Y = labels(1500, 0)
    members = sure.predict_set(X).members
    has_label = Y.any(axis=1)
    share = ((members & (Y == 1)).sum(axis=1) / np.maximum(Y.sum(axis=1), 1))[has_label]
    assert_allclose(some.share[0], share.mean())
    # Over all rows, of which half were seen; the limits are wide enough for that.
    assert close_to(some.share[0], 0.9, 400, 1500)
    assert close_to(whole.share[0], 0.9, 400, 1500)
    assert whole.size[0] > some.size[0]


def test_labels_as_matrix_sparse_matrix_and_sets_have_the_same_sets():
    X, Y = labels(200, 0)
    names = np.array([f"label {j}" for j in range(Y.shape[1])])
    forms = (Y, sp.csr_array(Y), [set(names[row == 1]) for row in Y])
    found = []
    for y in forms:
        forest = ObliqueForestClassifier(**FOREST).fit(X, y)
        sets = [conformal(forest, X, y).predict_set(X, coverage, joint=True) for coverage in (0.7, 0.995)]
        found.append([each.members for each in sets])
    assert sp.issparse(found[1][0])
    for low, high in found[1:]:
        assert_array_equal(low.toarray() if sp.issparse(low) else low, found[0][0])
        assert_array_equal(high.toarray() if sp.issparse(high) else high, found[0][1])


def test_sets_of_a_hierarchy_hold_all_ancestors():
    X, y = load_iris(return_X_y=True)
    kinds = Hierarchy.from_edges([("short", "0"), ("long", "1"), ("long", "2")])
    tags = [{str(each)} for each in y]
    forest = ObliqueForestClassifier(hierarchy=kinds, **FOREST).fit(X, tags)
    sure = conformal(forest, X, tags)
    for coverage in (0.5, 0.8, 0.9, 0.97):
        members = sure.predict_set(X, coverage).members
        assert_array_equal(kinds.closure(members.astype(int)) == 1, members)
    assert set(sure.predict_set(X[:1], 0.9).to_lists()[0]) >= {"short"}


def test_a_label_that_a_part_of_the_rows_lacks_has_no_probability_there():
    X, Y = labels(120, 0)
    tags = [{f"label {j}" for j in np.flatnonzero(row)} for row in Y]
    tags[7].add("once")
    forest = ObliqueForestClassifier(n_estimators=5, bootstrap=False, random_state=0).fit(X, tags)
    sure = conformal(forest, X, tags, cv=2, random_state=0)
    assert sure.measure(X, tags, 0.8).share[0] >= 0.8


# ---- what is refused


def test_what_cannot_be_told_is_refused_with_a_remedy(forest_of_numbers, forest_of_classes):
    forest, sure = forest_of_numbers
    X, y = noisy(600, 0)
    with pytest.raises(ValueError, match=r"saw the rows.*bootstrap=True, or give rows.*unseen=True, or cv=5"):
        conformal(ObliqueForestRegressor(n_estimators=2, bootstrap=False).fit(X, y), X, y)
    with pytest.raises(ValueError, match="not those that the model was fitted on"):
        conformal(forest, X[::-1], y)
    with pytest.raises(ValueError, match=r"no row was left out by 4 of the 2 trees; fit more"):
        conformal(ObliqueForestRegressor(n_estimators=2, bootstrap=True).fit(X, y), X, y)
    with pytest.raises(ValueError, match="give one of the two"):
        conformal(forest, X, y, unseen=True, cv=5)
    with pytest.raises(ValueError, match=r"coverage=1.0 asks for what no data can promise"):
        sure.predict_interval(X, 1.0)
    with pytest.raises(ValueError, match="use predict_interval"):
        sure.predict_set(X)
    with pytest.raises(ValueError, match="use predict_set"):
        forest_of_classes[1].predict_interval(X)
    with pytest.raises(ValueError, match="y has 2 columns, and the model predicts 1"):
        conformal(forest, X, np.stack([y, y], axis=1), unseen=True)
    with pytest.raises(ValueError, match=r"y has the classes 'x', and the model knows 'a', 'b', 'c'"):
        conformal(forest_of_classes[0], X, np.full(600, "x"), unseen=True)
    several = np.stack([y > 1, y < 0], axis=1).astype(str)
    of_several = ObliqueForestClassifier(**FOREST).fit(X, several)
    with pytest.raises(ValueError, match="several targets with classes"):
        conformal(of_several, X, several)
    with pytest.raises(TypeError, match="model is a str"):
        conformal("forest", X, y)


def test_tables_of_intervals_have_the_names_of_the_targets():
    pd = pytest.importorskip("pandas")
    X, Y = noisy(200, 0, n_targets=2)
    frame = pd.DataFrame(Y, columns=["height", "width"])
    sure = conformal(ObliqueForestRegressor(**FOREST).fit(X, frame), X, frame)
    found = sure.predict_interval(X[:3])
    assert_allclose(found.to_frame()["width"]["upper"], found.upper[:, 1])
    assert repr(found) == "Intervals(3 rows, 2 targets, coverage=0.9)"
    swapped = sure.measure(X, frame[["width", "height"]])
    assert_allclose(swapped.share, sure.measure(X, frame).share)


def test_a_label_of_a_single_row_is_as_new_to_it_as_one_to_come():
    X, Y = labels(120, 0)
    single = np.zeros((120, 30), Y.dtype)
    single[np.arange(30), np.arange(30)] = 1  # labels that one row has each
    wide = np.hstack([Y[:, :1] | True, single])
    forest = ObliqueForestClassifier(**FOREST).fit(X, wide)
    # A quarter of the rows has a label that nobody could have known without them.
    assert conformal(forest, X, wide).predict_set(X, 0.9, joint=True).members.all()
    assert not conformal(forest, X, wide).predict_set(X, 0.7, joint=True).members.all()
