"""Claims about thresholds that maximise F1."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.metrics import f1_score

from slantwood.targets.labels import LabelTargets
from slantwood.targets.thresholds import tuned_thresholds

pytestmark = [pytest.mark.plain_python, pytest.mark.sampled]

SEEDS = st.integers(0, 2**32 - 1)
AVERAGES = st.sampled_from(["micro", "macro"])
BOTH_AVERAGES = pytest.mark.parametrize("average", ["micro", "macro"])
ONE = np.float32(1)
BELOW_ONE = np.nextafter(ONE, np.float32(0))


def problem(seed, unknown=True):
    """Scores with ties, zeros, ones and neighbouring floats; truth with gaps; small integer weights."""
    rng = np.random.default_rng(seed)
    shape = (rng.integers(1, 14), rng.integers(1, 6))
    scores = rng.random(shape).astype(np.float32)
    if rng.random() < 0.7:
        scores = np.round(scores * np.float32(rng.choice([2, 5, 10]))) / np.float32(10)
    scores = np.where(rng.random(shape) < 0.2, np.nextafter(scores, ONE), scores)
    scores = np.where(rng.random(shape) < rng.choice([0.0, 0.3, 0.9]), np.float32(0), scores)
    truth = (rng.random(shape) < rng.choice([0.0, 0.2, 0.5, 1.0], size=shape[1])).astype(np.float64)
    if unknown:
        truth[rng.random(shape) < rng.choice([0.0, 0.3, 1.0], size=shape[1])] = np.nan
    return scores, truth, rng.integers(0, 4, shape[0]).astype(np.float64)


def pools(scores, truth, weights, average):
    """Known cells of each pool as lists of (score, truth, weight)."""
    labels = [
        [
            (s, int(t), int(w))
            for s, t, w in zip(scores[:, label], truth[:, label], weights, strict=True)
            if not np.isnan(t) and w > 0
        ]
        for label in range(scores.shape[1])
    ]
    return labels if average == "macro" else [[cell for cells in labels for cell in cells]]


def exact_f1(cells, threshold):
    both = sum(w for s, t, w in cells if s > threshold and t)
    either = sum(w for s, t, w in cells if s > threshold) + sum(w for s, t, w in cells if t)
    return Fraction(2 * both, either) if either else Fraction(0)


def cuts(cells):
    distinct = sorted({np.float32(0), *(s for s, _, _ in cells)})
    for lower, upper in pairwise(distinct):
        middle = np.float32((float(lower) + float(upper)) / 2)
        yield middle if middle < upper else lower


def slow_thresholds(scores, truth, weights, average):
    found = []
    for cells in pools(scores, truth, weights, average):
        tried = [(exact_f1(cells, t), -abs(float(t) - 0.5), t) for t in cuts(cells)]
        best = max(tried, default=(0, 0, 0))
        found.append(best[2] if best[0] > 0 else 0.5)
    return np.broadcast_to(np.array(found, np.float32), scores.shape[1])


@given(SEEDS, AVERAGES)
def test_thresholds_are_those_of_trying_every_cut(seed, average):
    case = problem(seed)
    found = tuned_thresholds(*case, average)
    assert_array_equal(found, slow_thresholds(*case, average))
    assert found.dtype == np.float32
    assert found.shape == (case[0].shape[1],)
    assert ((found >= 0) & (found < 1)).all()


@given(SEEDS, AVERAGES)
def test_no_threshold_whatever_has_a_higher_f1(seed, average):
    scores, truth, weights = problem(seed)
    found = tuned_thresholds(scores, truth, weights, average)
    every = np.unique(np.concatenate([[0.0, 0.5], scores.ravel()]))  # all sets that can be chosen
    for cells, threshold in zip(pools(scores, truth, weights, average), found, strict=False):
        assert exact_f1(cells, threshold) == max(exact_f1(cells, t) for t in every)


@given(SEEDS, AVERAGES)
def test_decoded_labels_reach_the_best_f1_by_the_count_of_scikit_learn(seed, average):
    scores, truth, _ = problem(seed, unknown=False)
    weights = np.random.default_rng(seed).random(scores.shape[0]) + 0.1

    def f1(threshold, form):
        chosen = LabelTargets.of(np.ones((1, scores.shape[1]))).decode(form(scores), threshold)
        chosen = chosen.toarray() if sp.issparse(chosen) else chosen
        flat = (
            [(truth.ravel(), chosen.ravel(), np.repeat(weights, scores.shape[1]))]
            if average == "micro"
            else [(t, c, weights) for t, c in zip(truth.T, chosen.T, strict=True)]
        )
        return np.array([f1_score(t, c, sample_weight=w, zero_division=0) for t, c, w in flat])

    found = tuned_thresholds(scores, truth, weights, average)
    reached = f1(found, np.asarray)
    assert_array_equal(f1(found, sp.csr_array), reached)
    for other in np.unique(scores):
        assert (reached >= f1(other, np.asarray) - 1e-12).all()


@given(SEEDS, AVERAGES)
def test_sparse_and_dense_input_give_the_same_thresholds(seed, average):
    scores, truth, weights = problem(seed)
    expected = tuned_thresholds(scores, truth, weights, average)
    for scores_as in (np.asarray, sp.csr_array):
        for truth_as in (np.asarray, sp.csr_array):
            assert_array_equal(
                tuned_thresholds(scores_as(scores), truth_as(truth), weights, average), expected
            )


@given(SEEDS, AVERAGES)
def test_stored_zeros_and_unsorted_columns_change_nothing(seed, average):
    scores, truth, weights = problem(seed)
    n_rows, n_labels = scores.shape
    columns = np.argsort(np.random.default_rng(seed).random(scores.shape), axis=1)

    def spelt_out(matrix):
        data = np.take_along_axis(matrix, columns, axis=1).ravel()
        bounds = np.arange(0, n_rows * n_labels + 1, n_labels)
        return sp.csr_array((data, columns.ravel(), bounds), shape=matrix.shape)

    given_scores, given_truth = spelt_out(scores), spelt_out(truth)
    found = tuned_thresholds(given_scores, given_truth, weights, average)
    assert_array_equal(found, tuned_thresholds(scores, truth, weights, average))
    assert_array_equal(given_truth.indices, columns.ravel())  # the caller's matrix is left as it was
    assert_array_equal(given_scores.indices, columns.ravel())


@given(SEEDS, AVERAGES, st.sampled_from(["integer", "real"]), st.booleans())
def test_the_order_of_the_rows_does_not_matter_for_any_weights(seed, average, kind, is_sparse):
    scores, truth, weights = problem(seed)
    rng = np.random.default_rng(seed)
    if kind == "real":
        weights = weights * rng.choice([0.1, 1 / 3, np.pi], weights.size)
    order = rng.permutation(weights.size)
    form = sp.csr_array if is_sparse else np.asarray
    assert_array_equal(
        tuned_thresholds(form(scores[order]), form(truth[order]), weights[order], average),
        tuned_thresholds(scores, truth, weights, average),
    )


@given(SEEDS, AVERAGES, st.booleans())
def test_a_weight_is_a_number_of_copies_and_weight_zero_is_none(seed, average, is_sparse):
    scores, truth, weights = problem(seed)
    copies = np.repeat(np.arange(weights.size), weights.astype(int))
    form = sp.csr_array if is_sparse else np.asarray
    assert_array_equal(
        tuned_thresholds(form(scores[copies]), form(truth[copies]), np.ones(copies.size), average),
        tuned_thresholds(form(scores), form(truth), weights, average),
    )


@given(SEEDS, AVERAGES, st.sampled_from([1e-30, 0.1, 1 / 3, 7.7, 1e30]))
def test_the_unit_of_the_weights_does_not_matter(seed, average, unit):
    scores, truth, weights = problem(seed)
    equal = np.ones_like(weights)  # equal weights: no rounding may break a tie
    assert_array_equal(
        tuned_thresholds(scores, truth, unit * equal, average),
        tuned_thresholds(scores, truth, equal, average),
    )


@given(SEEDS)
def test_a_macro_threshold_depends_on_its_label_only(seed):
    scores, truth, weights = problem(seed)
    alone = [
        tuned_thresholds(scores[:, [label]], truth[:, [label]], weights, average)[0]
        for label in range(scores.shape[1])
        for average in ("macro", "micro")
    ]
    expected = np.repeat(tuned_thresholds(scores, truth, weights, "macro"), 2)
    assert_array_equal(alone, expected)


@BOTH_AVERAGES
@given(seed=SEEDS)
def test_neighbouring_scores_are_told_apart(average, seed):
    rng = np.random.default_rng(seed)
    lower = np.float32(rng.choice([1e-45, 1e-38, 0.1, 0.5, rng.random(), BELOW_ONE]))
    upper = np.nextafter(lower, np.float32(2))
    scores = np.array([[lower], [upper], [lower]])
    threshold = tuned_thresholds(scores, np.array([[0.0], [1.0], [0.0]]), np.ones(3), average)
    assert_array_equal(scores > threshold, [[False], [True], [False]])


@BOTH_AVERAGES
def test_the_smallest_float_can_be_chosen(average):
    scores = np.array([[1e-45], [0.0]], np.float32)
    threshold = tuned_thresholds(scores, np.array([[1.0], [0.0]]), np.ones(2), average)
    assert_array_equal(scores > threshold, [[True], [False]])


def test_equal_scores_are_chosen_together():
    scores = np.full((4, 1), 0.3, np.float32)
    truth = np.array([[1.0], [0.0], [0.0], [1.0]])
    assert_array_equal(tuned_thresholds(scores, truth, np.ones(4), "macro"), np.float32([0.15]))


def test_of_equally_good_cuts_the_one_nearest_to_one_half_is_taken():
    # F1 is 2/3 for choosing one of one, or two of four: 2*1/(1+2) = 2*2/(4+2).
    scores = np.array([[0.875], [0.75], [0.5], [0.25]], np.float32)
    truth = np.array([[1.0], [0.0], [0.0], [1.0]])
    assert_array_equal(tuned_thresholds(scores, truth, np.ones(4), "macro"), [0.8125])
    scores = np.array([[0.9375], [0.875], [0.75], [0.5]], np.float32)
    assert_array_equal(tuned_thresholds(scores, truth, np.ones(4), "macro"), [0.25])


def test_of_cuts_equally_near_to_one_half_the_higher_is_taken():
    scores = np.array([[0.875], [0.625], [0.5], [0.5]], np.float32)
    truth = np.array([[1.0], [0.0], [0.0], [1.0]])  # F1 is 2/3 above 0.75, and above 0.25
    assert_array_equal(tuned_thresholds(scores, truth, np.ones(4), "macro"), [0.75])


@BOTH_AVERAGES
@pytest.mark.parametrize("unit", [0.1, 1 / 3, 1e-30, 1e30])
def test_rounded_sums_of_weights_decide_no_tie(average, unit):
    # F1 is 2/3 above 0.8125, and above 0.125 which is further from 0.5: for each label and for all.
    scores = np.tile(np.array([[0.875], [0.75], [0.5], [0.25]], np.float32), 100)
    truth = np.tile([[1.0], [0.0], [0.0], [1.0]], 100)
    assert_array_equal(tuned_thresholds(scores, truth, np.full(4, unit), average), np.full(100, 0.8125))


@BOTH_AVERAGES
def test_a_row_without_scores_and_positives_has_no_say_whatever_its_weight(average):
    scores = np.array([[0.75], [0.25], [0.0]], np.float32)
    truth = np.array([[1.0], [0.0], [0.0]])
    assert_array_equal(tuned_thresholds(scores, truth, np.array([1.0, 1.0, 1e308]), average), [0.5])


def test_a_label_whose_weight_vanishes_beside_the_others_is_left_at_one_half():
    scores = np.array([[0.75, 0.0], [0.25, 0.0], [0.0, 0.75]], np.float32)
    truth = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    found = tuned_thresholds(scores, truth, np.array([1.0, 1.0, 1e-300]), "macro")
    assert_array_equal(found, [0.125, 0.5])


@BOTH_AVERAGES
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("value", [0.0, np.nan])
def test_without_a_known_positive_the_threshold_is_one_half(average, form, value):
    scores = form(np.array([[0.9, 0.2], [0.4, 0.0]], np.float32))
    found = tuned_thresholds(scores, form(np.full((2, 2), value)), np.ones(2), average)
    assert_array_equal(found, [0.5, 0.5])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_labels_that_cannot_be_tuned_leave_the_others_alone(form):
    scores = form(np.array([[0.9, 0.2, 0.3, 0.4], [0.4, 0.1, 0.2, 0.0]], np.float32))
    truth = form(np.array([[np.nan, 1.0, 0.0, 0.0], [np.nan, 0.0, 0.0, 1.0]]))
    found = tuned_thresholds(scores, truth, np.ones(2), "macro")
    assert_array_equal(found, np.float32([0.5, 0.15, 0.5, 0.5]))  # the last: its positive has score 0


@BOTH_AVERAGES
def test_where_every_label_applies_every_score_above_zero_is_chosen(average):
    scores = np.array([[0.75, 0.5], [0.25, 0.0], [1.0, 0.25]], np.float32)
    assert_array_equal(tuned_thresholds(scores, np.ones((3, 2)), np.ones(3), average), [0.125, 0.125])


@BOTH_AVERAGES
def test_positives_without_a_stored_score_count(average):
    # With two positives the first alone is best, 2/(1+2) > 4/(5+2); with five all are, 2/(1+5) < 4/(5+5).
    scores = sp.csr_array(np.array([[0.875, 0.75, 0.625, 0.5, 0.25, 0, 0, 0]], np.float32).T)
    two = sp.csr_array(np.array([[1.0, 0, 0, 0, 1, 0, 0, 0]]).T)
    five = sp.csr_array(np.array([[1.0, 0, 0, 0, 1, 1, 1, 1]]).T)
    assert_array_equal(tuned_thresholds(scores, two, np.ones(8), average), [0.8125])
    assert_array_equal(tuned_thresholds(scores, five, np.ones(8), average), [0.125])


@BOTH_AVERAGES
@pytest.mark.parametrize("truth", [np.zeros((3, 2)), np.ones((3, 2))])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_without_any_score_the_threshold_is_one_half(average, truth, form):
    scores = sp.csr_array((3, 2), dtype=np.float32)
    assert_array_equal(tuned_thresholds(scores, form(truth), np.ones(3), average), [0.5, 0.5])


@BOTH_AVERAGES
def test_without_any_weight_the_threshold_is_one_half(average):
    scores = np.array([[0.75], [0.25]], np.float32)
    assert_array_equal(tuned_thresholds(scores, np.ones((2, 1)), np.zeros(2), average), [0.5])


def test_wide_sparse_scores_are_never_spelt_out():
    rng = np.random.default_rng(3)
    n_rows, n_labels, stored = 2000, 1_000_000, 10  # 8 GB as a dense array
    label = rng.integers(0, n_labels, n_rows * stored)
    bounds = np.arange(0, label.size + 1, stored)
    scores = sp.csr_array((rng.random(label.size, np.float32), label, bounds), shape=(n_rows, n_labels))
    scores.sum_duplicates()
    truth = sp.csr_array(scores > np.float32(0.7), dtype=np.float32)
    targets = LabelTargets(n_labels, True, np.dtype(np.float32))
    thresholds = tuned_thresholds(scores, truth, np.ones(n_rows), "micro")
    assert abs(targets.decode(scores, thresholds) - truth).sum() == 0
    thresholds = tuned_thresholds(scores, truth, np.ones(n_rows), "macro")
    wrong = abs(targets.decode(scores, thresholds) - truth).sum(axis=0)
    applies = truth.sum(axis=0) > 0
    assert not wrong[applies].any()
    assert (thresholds[~applies] == 0.5).all()
