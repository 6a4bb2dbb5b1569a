"""Claims about the ridge split: what it regresses, at which strength, where it cuts, and who has a say."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from slantwood import ObliqueForestRegressor
from slantwood.kernels.ridge import fit_ridge
from slantwood.kernels.thresholds import best_threshold
from slantwood.splits.protocol import learn
from slantwood.splits.ridge import RidgeSplit, main_direction

STREAM = 88172645463325252
SEEDS = st.integers(0, 2**32 - 1)
SETTLED = RidgeSplit.published()


def learned(X, Z, weights=None, seed=STREAM, **given):
    weights = np.ones(X.n_rows, np.float32) if weights is None else np.asarray(weights, np.float32)
    parameters = replace(SETTLED, **given).compiled()
    return learn(parameters, X, Z, weights, np.array([seed], np.uint64))


def along_main_direction(Z, weights, n_iter, seed=STREAM):
    out = np.empty(Z.n_rows, np.float32)
    main_direction(Z, np.asarray(weights, np.float32), n_iter, np.array([seed], np.uint64), out)
    return out


def scaled(blocks_of, values, weights=None):
    """Both forms of the numbers, of weighted mean 0 and variance 1 by column."""
    mean = np.average(values, axis=0, weights=weights)
    deviation = np.sqrt(np.average((values - mean) ** 2, axis=0, weights=weights))
    return blocks_of(values / deviation, mean / deviation)


def with_missing(block, missing):
    """The block with the marked values missing: they stand at the mean, and are listed."""
    rows, columns = np.nonzero(missing)
    values = np.where(missing, np.float32(0.0), block.values)
    indptr = np.searchsorted(rows, np.arange(block.n_rows + 1)).astype(np.int64)
    return block._replace(values=values, missing_indptr=indptr, missing_indices=columns.astype(np.uint32))


def rows_and_targets(seed, n=40, d=6, k=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    Z = X @ rng.normal(size=(d, k)) + rng.normal(size=(n, k))
    return X, Z, rng.uniform(0.3, 3, n).astype(np.float32)


@pytest.mark.plain_python
@given(seed=SEEDS)
def test_many_power_iterations_find_the_direction_of_the_largest_variance(blocks_of, standardised_of, seed):
    rng = np.random.default_rng(seed)
    n, k = rng.integers(8, 40), rng.integers(2, 6)
    r = rng.uniform(0.3, 3, n).astype(np.float32)
    values = rng.normal(size=(n, 1)) + rng.normal(size=(n, k))  # one direction stands out
    for block in scaled(blocks_of, values, r):
        Z = standardised_of(block)
        variances, directions = np.linalg.eigh(Z.T @ (r[:, None] * Z))
        exact = Z @ directions[:, -1]
        found = along_main_direction(block, r, 60)
        if variances[-2] < 0.8 * variances[-1]:
            # Sign and scale mean nothing.
            alike = abs(exact @ found) / (np.linalg.norm(exact) * np.linalg.norm(found))
            assert alike > 1 - 1e-4


@pytest.mark.plain_python
@pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
def test_each_iteration_is_a_product_with_the_covariances_of_the_targets(blocks_of, standardised_of, form):
    _, values, r = rows_and_targets(0)
    block = scaled(blocks_of, values, r)[form]
    Z = standardised_of(block)
    expected = along_main_direction(block, r, 0).astype(np.float64)
    for n_iter in range(1, 5):
        expected = Z @ (Z.T @ (r * expected))
        found = along_main_direction(block, r, n_iter)
        assert_allclose(found / np.linalg.norm(found), expected / np.linalg.norm(expected), atol=1e-5)


@pytest.mark.plain_python
def test_a_single_target_is_regressed_as_it_is_and_draws_no_random_numbers(blocks_of):
    _, values, r = rows_and_targets(0, k=1)
    block, _ = scaled(blocks_of, values, r)
    assert_array_equal(along_main_direction(block, r, 3), block.values[:, 0])
    state = np.array([STREAM], np.uint64)
    learn(SETTLED.compiled(), block, block, r, state)
    assert state[0] == STREAM


@pytest.mark.plain_python
@pytest.mark.parametrize("strength", ["gcv", "newton", 0.3])
@pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
@pytest.mark.compiles
def test_the_split_is_the_regression_cut_where_it_is_best(blocks_of, standardised_of, strength, form):
    X, Z, r = rows_and_targets(1)
    X, Z = scaled(blocks_of, X, r)[form], scaled(blocks_of, Z, r)[form]
    w, b, found = learned(X, Z, r, strength=strength)
    expected = np.empty(X.n_columns, np.float32)
    number = 0.3 if strength == 0.3 else 0.0
    y = along_main_direction(Z, r, SETTLED.target_iter)
    fit_ridge(X, y, r, number, strength != "gcv", SETTLED.max_iter, SETTLED.tol, expected)
    assert found
    assert_allclose(w, expected, atol=1e-6)
    cut, _ = best_threshold((standardised_of(X) @ w).astype(np.float32), Z, r)
    assert_allclose(b, -cut, atol=1e-5)


@pytest.mark.plain_python
def test_newton_is_the_direction_of_one_newton_step_of_logistic_regression(blocks_of):
    rng = np.random.default_rng(0)
    n, r = 60, np.random.default_rng(1).uniform(0.5, 2, 60).astype(np.float32)
    X = rng.normal(size=(n, 4))
    y = X[:, 0] - X[:, 1] + rng.normal(size=n) > 0.5
    block, _ = scaled(blocks_of, X, r)
    # From weights of zero, with an intercept: gradient X^T R (y - 1/2), curvature X^T R X / 4.
    A = np.column_stack([block.values.astype(np.float64), np.ones(n)])
    step = np.linalg.solve(A.T @ (r[:, None] / 4 * A), A.T @ (r * (y - 0.5)))[:4]
    Z, _ = scaled(blocks_of, y[:, None] * 1.0, r)
    w, _, found = learned(block, Z, r, strength="newton", tol=0.0)
    assert found
    assert_allclose(w, step / np.linalg.norm(step), atol=1e-5)


@pytest.mark.plain_python
@pytest.mark.parametrize("strength", ["gcv", "newton", 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_rows_of_which_no_target_is_known_have_no_say(blocks_of, strength, seed):
    X, Z, r = rows_and_targets(seed)
    unknown = np.arange(len(r)) % 3 == 0
    X, _ = scaled(blocks_of, X, r)
    Z, _ = scaled(blocks_of, Z, r)
    partly_known = with_missing(Z, np.repeat(unknown[:, None], Z.n_columns, axis=1))
    w, _, found = learned(X, partly_known, r, strength=strength)
    assert found
    # Whatever their features are.
    values = X.values.copy()
    values[unknown] = np.random.default_rng(9).normal(size=(unknown.sum(), X.n_columns))
    other, _, _ = learned(X._replace(values=values), partly_known, r, strength=strength)
    assert_allclose(w, other, atol=1e-4)
    r[unknown] *= 5
    assert_allclose(w, learned(X, partly_known, r, strength=strength)[0], atol=1e-4)


@pytest.mark.plain_python
@pytest.mark.parametrize("seed", range(3))
def test_dense_and_sparse_are_one(blocks_of, seed):
    X, Z, r = rows_and_targets(seed)
    X[np.random.default_rng(seed).random(X.shape) < 0.5] = 0.0
    X, Z = scaled(blocks_of, X, r), scaled(blocks_of, Z, r)
    for strength in ("gcv", 0.5):
        one, other = (learned(X[form], Z[form], r, strength=strength) for form in (0, 1))
        assert_allclose(one[0], other[0], atol=1e-4)
        assert_allclose(one[1], other[1], atol=1e-4)


@pytest.mark.plain_python
@pytest.mark.parametrize("factor", [2.0**-20, 0.5, 2.0**20])
def test_the_scale_of_all_targets_does_not_matter_at_all(blocks_of, factor):
    X, Z, r = rows_and_targets(2)
    X = scaled(blocks_of, X, r)[0]
    deviation, mean = Z.std(axis=0), np.average(Z, axis=0, weights=r)
    plain, other = (blocks_of(f * Z / deviation, f * mean / deviation)[0] for f in (1.0, factor))
    one, same = learned(X, plain, r), learned(X, other, r)
    assert one[2]
    assert_array_equal(one[0], same[0])
    assert one[1] == same[1]


@pytest.mark.plain_python
@pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
def test_without_variation_there_is_no_split(blocks_of, form):
    X = scaled(blocks_of, np.random.default_rng(0).normal(size=(12, 3)))[form]
    constant = blocks_of(np.ones((12, 2)), np.ones(2))[form]
    assert not learned(X, constant)[2]
    crossed = blocks_of(np.array([[1.0], [1.0], [-1.0], [-1.0]]))[form]
    unrelated = blocks_of(np.array([[1.0], [-1.0], [1.0], [-1.0]]))[form]
    assert not learned(crossed, unrelated)[2]


def test_the_compiled_form_says_how_the_strength_is_found():
    assert not SETTLED.compiled().is_given
    assert replace(SETTLED, strength="newton").compiled()[:2] == (0.0, True)
    assert replace(SETTLED, strength=0.5).compiled()[:2] == (0.5, True)


def preferences_for(**traits):
    dense = {"sparse_features": False, "wide_nominal": False, "many_rows": False, "single_tree": False}
    given = {"task": "regression", "n_targets": 1, "n_features": 20, **dense, **traits}
    return RidgeSplit().preferences(SimpleNamespace(**given))


@pytest.mark.parametrize("single_tree", [False, True])
def test_trees_of_a_forest_begin_at_other_mixtures_of_targets(single_tree):
    chosen = preferences_for(n_targets=3, single_tree=single_tree)
    assert chosen == {"target_iter": 20 if single_tree else 3}


@pytest.mark.parametrize(
    ("traits", "bootstrap"),
    [
        ({}, False),
        ({"task": "binary"}, False),
        ({"n_features": 6}, False),
        ({"n_features": 5}, True),
        ({"sparse_features": True}, True),
        ({"wide_nominal": True}, True),
        ({"many_rows": True}, True),
    ],
)
def test_trees_of_one_target_get_rows_of_their_own_where_features_do_not_make_them_differ(traits, bootstrap):
    assert preferences_for(**traits)["bootstrap"] == bootstrap


@pytest.mark.parametrize("n_features", [2, 5, 6, 12])
def test_trees_of_one_target_differ_whatever_the_number_of_features(n_features):
    rng = np.random.default_rng(n_features)
    X, unseen = rng.normal(size=(80, n_features)), rng.normal(size=(80, n_features))
    forest = ObliqueForestRegressor(n_estimators=3, split="ridge", random_state=0).fit(X, X.sum(1) ** 2)
    predictions = np.array([tree.predict(unseen) for tree in forest.estimators_])
    assert len(np.unique(predictions, axis=0)) == 3


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"strength": "ridge"}, ValueError, "strength='ridge' must be 'gcv' or 'newton', or a number"),
        ({"strength": "auto"}, ValueError, "strength='auto' must be 'gcv' or 'newton', or a number"),
        ({"strength": 0.0}, ValueError, "strength=0.0 must be finite and above 0"),
        ({"strength": float("nan")}, ValueError, "strength=nan must be finite"),
        ({"strength": None}, TypeError, "strength=None must be a number"),
        ({"strength": True}, TypeError, "strength=True must be a number"),
    ],
)
def test_senseless_strengths_are_refused_by_name(given, error, message):
    with pytest.raises(error, match=message):
        RidgeSplit(**given)
