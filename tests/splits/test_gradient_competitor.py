"""The gradient split beside thresholds of single features: one of them counts where it removes more."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.metrics import r2_score

from slantwood import (
    GradientSplit,
    Hierarchy,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
)
from slantwood.splits.protocol import learn

DENSE, SPARSE = 0, 1
FORMS = pytest.mark.parametrize(
    ("x_form", "z_form"),
    [(DENSE, DENSE), (DENSE, SPARSE), (SPARSE, DENSE), (SPARSE, SPARSE)],
    ids=["dense-dense", "dense-sparse", "sparse-dense", "sparse-sparse"],
)
SEEDS = st.integers(0, 2**32 - 1)


@pytest.fixture(scope="session")
def both_ways(in_both_forms, gathered, standardised_of):
    """Learn the split of a node without a competitor and with it.

    Return both hyperplanes, and the impurity that each removes of the attributes, where they are known.
    """

    def go(X, Y, r, x_form, z_form, split, seed, kind="axis"):
        x = gathered(in_both_forms(X)[x_form], None, r)[0]
        z = gathered(in_both_forms(Y)[z_form], None, r)[0]
        features = standardised_of(x)
        planes, gains = [], []
        for competitor in (None, kind):
            parameters = replace(split, competitor=competitor).compiled()
            w, b, found = learn(parameters, x, z, r, _stream(seed))
            planes.append((w, b, found))
            gains.append(_gain(features @ w.astype(float) + b >= 0, Y, r.astype(float)) if found else 0.0)
        return planes, gains

    return go


def _stream(seed):
    return np.random.SeedSequence(seed).generate_state(1, np.uint64)


def _gain(right, Y, r):
    """Sum N imp(all) - [S imp(right) + (N - S) imp(left)] over standardised attributes, as far as known."""
    total = 0.0
    for column in Y.T:
        known = ~np.isnan(column)
        z, weights, side = column[known], r[known], right[known]
        if not (side.any() and (~side).any()) or np.ptp(z) == 0:
            continue
        mean = np.average(z, weights=weights)
        variance = np.average((z - mean) ** 2, weights=weights)
        for part in (side, ~side):
            total += weights[part].sum() * (np.average(z[part], weights=weights[part]) - mean) ** 2 / variance
    return total


def _node(seed, has_missing=False):
    """Make features, attributes that follow a step, a band, a slant or nothing, and weights of rows."""
    rng = np.random.default_rng(seed)
    n, d, k = int(rng.integers(8, 60)), int(rng.integers(1, 6)), int(rng.integers(1, 5))
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < rng.choice([0.5, 1.0]))
    step, band, slant = X[:, [0]] > rng.normal(), np.abs(X[:, [0]]) < 0.5, X @ rng.normal(size=(d, k))
    Y = (step, band, slant, 0)[rng.integers(4)] + 0.2 * rng.normal(size=(n, k))
    if has_missing:
        Y[rng.random((n, k)) < 0.3] = np.nan
        Y[:3, 0] = 1.0, 2.0, np.nan
    r = (rng.uniform(0.5, 2, n) if seed % 2 else np.ones(n)).astype(np.float32)
    return X, Y, r


def _steps(n, seed, n_targets=1):
    """Make ten features, and targets that jump at thresholds of single ones."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 10)).astype(np.float32)
    parts = [(X[:, 0] > 0.5) * 4, (X[:, 1] > -0.7) * (X[:, 2] > 0.2) * 5, (np.abs(X[:, 3]) < 0.4) * 3]
    columns = [sum(weight * part for weight, part in zip(rng.permutation(3) + 1, parts, strict=True))]
    columns += [np.roll(parts, shift, axis=0)[0] + parts[1] for shift in range(n_targets - 1)]
    Y = np.column_stack(columns).astype(float)
    return X, Y[:, 0] if n_targets == 1 else Y


def _forest(competitor, **options):
    given = {"n_estimators": 10, "random_state": 0, "split": GradientSplit(competitor=competitor), **options}
    return ObliqueForestRegressor(**given)


# ---- one node


@FORMS
@pytest.mark.parametrize("threshold", ["exact", "learned"])
@given(seed=SEEDS)
def test_a_competitor_never_removes_less_impurity(both_ways, x_form, z_form, threshold, seed):
    split = replace(GradientSplit.published(), threshold=threshold)
    X, Y, r = _node(seed)
    _, (without, with_competitor) = both_ways(X, Y, r, x_form, z_form, split, seed)
    assert with_competitor >= without - 1e-4 * r.sum()


@FORMS
@settings(max_examples=25)
@given(seed=SEEDS)
def test_nor_where_targets_are_missing(both_ways, x_form, z_form, seed):
    split = replace(GradientSplit.published(), threshold="exact")
    X, Y, r = _node(seed, has_missing=True)
    _, (without, with_competitor) = both_ways(X, Y, r, x_form, z_form, split, seed)
    assert with_competitor >= without - 1e-4 * r.sum()


@FORMS
@pytest.mark.parametrize("start", ["noise", "informed"])
@given(seed=SEEDS)
def test_the_split_is_the_learned_one_or_a_better_threshold_of_a_single_feature(
    both_ways, x_form, z_form, start, seed
):
    split = replace(GradientSplit.published(), threshold="exact", start=start)
    X, Y, r = _node(seed)
    (alone, challenged), gains = both_ways(X, Y, r, x_form, z_form, split, seed)
    if (challenged[0] == alone[0]).all() and challenged[1:] == alone[1:]:
        return
    w, _, found = challenged
    assert found
    assert_array_equal(np.sort(w), [*np.zeros(len(w) - 1), 1])
    assert gains[1] > gains[0] * (1 - 1e-5)


def test_competitors_win_where_targets_jump_twice_and_lose_where_they_are_linear(both_ways):
    split = replace(GradientSplit.published(), threshold="exact")
    rng = np.random.default_rng(0)
    X, r = rng.normal(size=(200, 6)), np.ones(200, np.float32)
    # Along no direction do the targets rise on the whole, so that descent has nothing to follow.
    targets = {"band": np.abs(X[:, [0]]) < 0.4, "slant": X @ np.ones((6, 1))}
    won = {name: [] for name in targets}
    for name, Y in targets.items():
        for seed in range(60):
            ((alone, *_), (w, *_)), _ = both_ways(X, Y.astype(float), r, DENSE, DENSE, split, seed)
            if (w != alone).any():
                won[name] += np.flatnonzero(w).tolist()
    assert won["slant"] == []
    assert len(won["band"]) > 5
    assert np.mean(np.array(won["band"]) == 0) > 0.5


@FORMS
@given(seed=SEEDS, has_missing=st.booleans())
def test_the_strongest_feature_takes_over_where_its_best_cut_removes_five_rows_more(
    both_ways, x_form, z_form, seed, has_missing
):
    split = replace(GradientSplit.published(), threshold="exact")
    X, Y, r = _node(seed, has_missing)
    (alone, challenged), gains = both_ways(X, Y, r, x_form, z_form, split, seed, "strongest")
    if not (alone[2] and alone[0].any()):
        return
    feature = X[:, np.ptp(X, axis=0) > 0][:, np.abs(alone[0]).argmax()]
    best = max(_gain(feature >= cut, Y, r.astype(float)) for cut in np.unique(feature)[1:])
    if best > gains[0] + 5 + 1e-3:
        assert_array_equal(challenged[0], np.arange(len(alone[0])) == np.abs(alone[0]).argmax())
        assert gains[1] > best * (1 - 1e-4)
    elif best < gains[0] + 5 - 1e-3:
        assert_array_equal(challenged[0], alone[0])
        assert challenged[1:] == alone[1:]


def test_the_strongest_feature_does_take_over(both_ways):
    # The test above would say nothing if it never did: classes by the sides of three features.
    split = replace(GradientSplit.published(), start="informed")
    rng = np.random.default_rng(0)
    X, r = rng.normal(size=(300, 3)), np.ones(300, np.float32)
    Y = np.eye(8)[(X > 0) @ [1, 2, 4]]
    won = [both_ways(X, Y, r, DENSE, DENSE, split, seed, "strongest") for seed in range(20)]
    assert np.mean([gains[1] > gains[0] + 5 for _, gains in won]) > 0.3


# ---- forests


def _orthants(n, seed):
    """Make the problem of treeple's tests: six features, and a class for each pattern of their signs."""
    X = np.random.default_rng(seed).normal(size=(n, 6))
    return X, (X > 0) @ (2 ** np.arange(6))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(3))
def test_forests_of_classes_find_the_orthants_of_a_space(seed):
    forest = ObliqueForestClassifier(random_state=seed).fit(*_orthants(500, seed))
    assert forest.score(*_orthants(2000, seed + 100)) > 0.85


def test_slanted_borders_between_classes_stay_slanted():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(8, 4))
    X, X_test = rng.normal(size=(500, 8)), rng.normal(size=(1000, 8))
    without, with_competitor = (
        ObliqueForestClassifier(split=GradientSplit(competitor=competitor), random_state=0)
        .fit(X, (X @ A).argmax(axis=1))
        .score(X_test, (X_test @ A).argmax(axis=1))
        for competitor in (None, "strongest")
    )
    assert with_competitor > without - 0.02


def _mean_advantage(make, form=np.asarray):
    """Return how much R2 a competitor adds on new rows: on average, for it may lose too."""
    added = []
    for seed in range(12):
        X, y, X_test, y_test = make(seed)
        without, with_competitor = (
            r2_score(y_test, _forest(competitor, random_state=seed).fit(form(X), y).predict(form(X_test)))
            for competitor in (None, "axis")
        )
        added.append(with_competitor - without)
    return np.mean(added)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("n_targets", [1, 3])
def test_forests_are_better_on_planted_steps(n_targets):
    def make(seed):
        X, y = _steps(700, seed, n_targets)
        return X[:350], y[:350], X[350:], y[350:]

    assert _mean_advantage(make) > 0.005


def test_splits_of_a_single_feature_are_in_the_trees():
    X, y = _steps(300, 0)
    share = {}
    for competitor in (None, "axis"):
        # With a large C, learned splits of all features keep nearly all of them.
        split = GradientSplit(C=1000.0, competitor=competitor)
        trees = _forest(competitor, split=split, max_features=1.0).fit(X, y).trees_
        share[competitor] = (np.diff(trees.indptr)[trees.left >= 0] == 1).mean()
    assert share["axis"] > 0.05
    assert share["axis"] > 5 * share[None]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_forests_are_better_where_features_are_mostly_zero(form):
    def make(seed):
        rng = np.random.default_rng(seed)
        X = (rng.random((600, 30)) * (rng.random((600, 30)) < 0.08)).astype(np.float32)
        y = 3.0 * (X[:, 0] > 0) + 2.0 * (X[:, 1] > 0.5) - 2.0 * (X[:, 2] > 0)
        return X[:400], y[:400], X[400:], y[400:]

    assert _mean_advantage(make, form) > 0.005


def test_forests_are_better_where_targets_are_missing():
    def make(seed):
        X, Y = _steps(700, seed, 3)
        known = Y[:350].copy()
        known[np.random.default_rng(seed).random(known.shape) < 0.2] = np.nan
        return X[:350], known, X[350:], Y[350:]

    assert _mean_advantage(make) > 0.005


def test_the_number_of_threads_makes_no_difference():
    X, y = _steps(200, 2)
    one, three = (_forest("axis", n_jobs=n_jobs).fit(X, y).predict(X) for n_jobs in (1, 3))
    assert_array_equal(one, three)
    assert_array_equal(one, _forest("axis").fit(X, y).predict(X))


# ---- who has one


def test_the_published_split_has_no_competitor():
    assert GradientSplit.published().competitor is None
    assert GradientSplit().competitor == "auto"


X = np.random.default_rng(0).normal(size=(60, 5)).astype(np.float32)
WORDS = sp.csr_array(np.where(np.random.default_rng(1).random((60, 40)) < 0.05, 1, 0).astype(np.float32))
TREE = Hierarchy.from_paths(["a", "a/x", "b"])


@pytest.mark.parametrize(
    ("estimator", "features", "y", "expected"),
    [
        (ObliqueForestRegressor(n_estimators=2), X, X[:, 0], "axis"),
        (ObliqueForestRegressor(n_estimators=2), X, X[:, :2], "axis"),
        (ObliqueForestRegressor(n_estimators=2), sp.csr_array(X), X[:, 0], "axis"),
        (ObliqueForestRegressor(n_estimators=2), WORDS, X[:, 0], None),
        (ObliqueForestRegressor(n_estimators=2), WORDS.toarray(), X[:, :2], None),
        (ObliqueTreeRegressor(), X, X[:, 0], None),
        (ObliqueTreeRegressor(), X, X[:, :2], None),
        (ObliqueForestClassifier(n_estimators=2), X, X[:, 0] > 0, None),
        (ObliqueForestClassifier(n_estimators=2), X, X[:, :3].argmax(axis=1), "strongest"),
        (ObliqueForestClassifier(n_estimators=2), sp.csr_array(X), X[:, :3].argmax(axis=1), "strongest"),
        (ObliqueForestClassifier(n_estimators=2), WORDS, X[:, :3].argmax(axis=1), None),
        (ObliqueTreeClassifier(), X, X[:, :3].argmax(axis=1), "strongest"),
        (ObliqueForestClassifier(n_estimators=2), X, (X[:, :3] > 0).astype(int), None),
        (
            ObliqueForestClassifier(n_estimators=2, hierarchy=TREE),
            X,
            TREE.closure((X[:, :3] > 0).astype(int)),
            None,
        ),
        (ObliqueTreeRegressor(split=GradientSplit(competitor="axis")), X, X[:, 0], "axis"),
        (ObliqueForestRegressor(n_estimators=2, split=GradientSplit(competitor=None)), X, X[:, 0], None),
        (ObliqueForestRegressor(n_estimators=2, split=GradientSplit.published()), X, X[:, 0], None),
    ],
    ids=[
        *("one-number", "two-numbers", "full-matrix-in-CSR", "words", "words-in-an-array", "tree"),
        *("tree-of-two", "two-classes", "three-classes", "classes-in-CSR", "classes-of-words", "class-tree"),
        *("labels", "hierarchy", "asked-for", "refused", "published"),
    ],
)
def test_numbers_and_classes_have_a_competitor_where_features_are_not_mostly_zero(
    estimator, features, y, expected
):
    assert estimator.set_params(random_state=0).fit(features, y).settings_.split.competitor == expected
