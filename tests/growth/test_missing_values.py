"""Claims about missing values that are those of the grower, or of one learner: see also `every_learner`."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from slantwood import SVMSplit
from slantwood.growth.separation import separation_of, sum_right
from slantwood.splits.protocol import learn

SVM = replace(SVMSplit.published(), C=1.0)
FORMS = pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
SEEDS = pytest.mark.parametrize("seed", [0, 1, 2])


def separation(Z, weights, side):
    members, direction = np.empty(Z.n_rows, np.float32), np.empty(Z.n_columns, np.float32)
    sum_right(Z, weights, side, members, direction)
    return separation_of(Z, weights, side, members, direction)


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
def test_a_target_known_in_few_rows_ends_growth_only_where_all_others_end(plan, grown, split, seed):
    # The known target is pure after one split; the rare one goes on where two of its values meet.
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 2))
    Y = np.full((200, 2), np.nan)
    Y[:, 0] = X[:, 0] > 0
    left = np.flatnonzero(X[:, 0] < 0)[:6]
    Y[left, 1] = X[left, 1] > np.median(X[left, 1])
    tree = grown(plan(X, Y, learner=split(start="informed"), min_impurity_decrease=0.0))
    for node in np.flatnonzero(tree.left < 0):
        known = Y[tree.rows[tree.start[node] : tree.stop[node]]]
        spread = np.fmax.reduce(known) - np.fmin.reduce(known)
        assert not (spread > 0).any()


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
    found = separation(block, r, side)
    known, weights = ~np.isnan(Z), r.astype(np.float64)

    def variance(rows):
        mean = np.average(Z[rows], weights=weights[rows])
        return np.average((Z[rows] - mean) ** 2, weights=weights[rows])

    parts = known & side, known & ~side
    expected = 1 - min(map(variance, parts)) / variance(known)
    within = np.average([variance(part) for part in parts], weights=[weights[part].sum() for part in parts])
    left, right = (np.average(Z[known & part], weights=weights[known & part]) for part in (~side, side))
    if abs(left - right) > 1e-3:  # else the direction is rounding
        assert_allclose(found.decrease, expected, rtol=0, atol=2e-5)
        assert_allclose(found.explained, 1 - within / variance(known), rtol=0, atol=2e-5)


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
    found = separation(block, r, side)
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
    assert_allclose(found.decrease, 1 - min(variance(side), variance(~side)) / everything, rtol=0, atol=2e-5)
