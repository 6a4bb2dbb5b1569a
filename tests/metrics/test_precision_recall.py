"""Claims about the areas under precision-recall curves."""

import math
from decimal import Decimal, localcontext
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad
from scipy.stats import rankdata
from sklearn.metrics import average_precision_score

from slantwood.metrics import (
    _input,
    average_auprc,
    label_auprc,
    pooled_auprc,
)
from slantwood.metrics.precision_recall import _areas_under_hyperbolas
from tests.sampling import examples

pytestmark = pytest.mark.sampled

SETTINGS = examples(10)
SPARSE_FORMATS = [sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.csc_array, sp.coo_array]
LEVEL = st.sampled_from([-2.0, -0.5, 0.0, 0.0, 0.25, 1.0, 3.0])
BOTH = pytest.mark.parametrize("interpolation", ["curve", "step"])


def slow_points(y, s):
    """Counts (true positives, false positives) at every threshold, from the highest score down."""
    cells = list(zip(s, y, strict=True))
    points = [(0, 0)]
    for threshold in sorted(set(s), reverse=True):
        chosen = [label for score, label in cells if score >= threshold]
        points.append((sum(chosen), len(chosen) - sum(chosen)))
    return points


def slow_area(y, s, interpolation):
    """Integrate the curve of 1-D labels and scores numerically, one segment at a time."""
    y, s = np.ravel(y).astype(int).tolist(), np.ravel(s).tolist()
    area = 0.0
    points = slow_points(y, s)
    for (tp_a, fp_a), (tp_b, fp_b) in pairwise(points):
        if tp_b == tp_a:
            continue
        if interpolation == "step":
            area += (tp_b - tp_a) * tp_b / (tp_b + fp_b)
        else:
            slope = (fp_b - fp_a) / (tp_b - tp_a)

            def precision(tp, tp_a=tp_a, fp_a=fp_a, slope=slope):
                return tp / (tp + fp_a + slope * (tp - tp_a))

            area += quad(precision, tp_a, tp_b, epsabs=0, epsrel=1e-12)[0]
    return area / sum(y)


def stepped_area(y, s, n_steps):
    """Let both counts grow in proportion, in many small steps, and sum up precision in their middles."""
    y, s = np.ravel(y).astype(int).tolist(), np.ravel(s).tolist()
    area = 0.0
    points = slow_points(y, s)
    for (tp_a, fp_a), (tp_b, fp_b) in pairwise(points):
        share = (np.arange(n_steps) + 0.5) / n_steps
        tp, fp = tp_a + share * (tp_b - tp_a), fp_a + share * (fp_b - fp_a)
        area += (tp_b - tp_a) * np.mean(tp / (tp + fp))
    return area / sum(y)


@st.composite
def problems(draw, scores=LEVEL):
    shape = draw(st.tuples(st.integers(1, 8), st.integers(1, 6)))
    y = draw(hnp.arrays(np.int8, shape, elements=st.integers(0, 1)))
    s = draw(hnp.arrays(np.float64, shape, elements=scores))
    y[draw(st.integers(0, shape[0] - 1)), draw(st.integers(0, shape[1] - 1))] = 1
    return y, s


def all_values(y, s, interpolation, w=None):
    """The pooled area, both averages, and the area of every label."""
    options = {"interpolation": interpolation, "sample_weight": w}
    averages = [average_auprc(y, s, weighted=weighted, **options) for weighted in (False, True)]
    return np.array([pooled_auprc(y, s, **options), *averages, *label_auprc(y, s, **options)])


def weights_for(y, weights):
    """Weights of the rows, positive for at least one row that has a label."""
    n_rows = len(y)
    with_label = int(np.flatnonzero((y == 1).any(axis=1))[0])
    return st.lists(weights, min_size=n_rows, max_size=n_rows).filter(lambda w: w[with_label] > 0)


@st.composite
def partial_problems(draw):
    """Labels of which some are not known, but at least one true cell is."""
    y, s = draw(problems())
    unknown = draw(hnp.arrays(bool, y.shape))
    partial = np.where(unknown, np.nan, y)
    assume((partial == 1).any())
    return partial, s


def slow_areas_of_known_cells(y, s, w, interpolation):
    """Pool by hand: list each known cell as often as its row weighs, all together and by label."""

    def area(columns):
        rows_of_cells = [
            (y[i, j], s[i, j])
            for i in range(len(y))
            for j in columns
            if not np.isnan(y[i, j])
            for _ in range(w[i])
        ]
        truth, scores = zip(*rows_of_cells, strict=True) if rows_of_cells else ((), ())
        return (slow_area(truth, scores, interpolation), sum(truth)) if sum(truth) else (np.nan, 0)

    labels, frequencies = zip(*(area([j]) for j in range(y.shape[1])), strict=True)
    occurs = np.array(frequencies) > 0
    averages = [np.average(np.nan_to_num(labels), weights=weights) for weights in (occurs, frequencies)]
    return np.array([area(range(y.shape[1]))[0], *averages, *labels])


# Values worked out by hand. In the comments, (TP, FP) are the points of the curve.


def test_a_segment_without_false_positives_rises_as_a_hyperbola():
    # (0,0) (1,0) (1,1) (2,1): precision 1, then the integral of (1+x)/(2+x) over [0,1] = 1 - log(3/2).
    y, s = [[1], [0], [1]], [[0.9], [0.8], [0.7]]
    assert_allclose(pooled_auprc(y, s), (1 + 1 - math.log(1.5)) / 2, rtol=1e-14)
    # Steps: 1 up to recall 1/2, then 2/3.
    assert_allclose(pooled_auprc(y, s, interpolation="step"), (1 + 2 / 3) / 2, rtol=1e-14)


def test_a_tie_of_true_and_false_cells_falls_as_a_hyperbola():
    # (0,0) (1,0) (2,1): precision 1, then the integral of (1+x)/(1+2x) over [0,1] = 1/2 + log(3)/4.
    y, s = [[1, 1, 0]], [[0.9, 0.5, 0.5]]
    assert_allclose(pooled_auprc(y, s), (1 + 0.5 + math.log(3) / 4) / 2, rtol=1e-14)
    assert_allclose(pooled_auprc(y, s, interpolation="step"), (1 + 2 / 3) / 2, rtol=1e-14)


def test_a_curve_that_starts_with_a_false_positive_starts_at_precision_zero():
    # (0,0) (0,1) (1,1): the integral of x/(1+x) over [0,1] = 1 - log(2).
    assert_allclose(pooled_auprc([[0, 1]], [[0.9, 0.5]]), 1 - math.log(2), rtol=1e-14)
    assert pooled_auprc([[0, 1]], [[0.9, 0.5]], interpolation="step") == 0.5


def test_precision_is_constant_from_the_origin_to_the_first_point():
    # (0,0) (2,1) (3,1): 2/3 over two cells, then the integral of (2+x)/(3+x) over [0,1] = 1 - log(4/3).
    y, s = [[1, 1, 0, 1]], [[0.8, 0.8, 0.8, 0.1]]
    assert_allclose(pooled_auprc(y, s), (2 * 2 / 3 + 1 - math.log(4 / 3)) / 3, rtol=1e-14)


def test_unstored_scores_are_one_threshold_with_stored_zeros_above_negative_scores():
    data, columns = [0.5, 0.0, -1.0], [0, 1, 2]
    s = sp.coo_array((data, ([0, 0, 0], columns)), shape=(1, 5))
    y = sp.csr_array([[1, 0, 1, 1, 0]])
    # Score 0.5: (1,0). Zero, columns 1, 3 and 4: (2,2). Score -1: (3,2).
    # The integral of (1+x)/(1+3x) over [0,1] = 1/3 + 2/9 log(4), of (2+x)/(4+x) = 1 - 2 log(5/4).
    expected = (1 + 1 / 3 + 2 / 9 * math.log(4) + 1 - 2 * math.log(1.25)) / 3
    assert_allclose(pooled_auprc(y, s), expected, rtol=1e-14)
    assert_allclose(label_auprc(y.T, s.T), [expected], rtol=1e-14)
    assert_allclose(pooled_auprc(y, s, interpolation="step"), (1 + 2 / 4 + 3 / 5) / 3, rtol=1e-14)


def test_averages_weigh_labels_equally_or_by_frequency_and_leave_out_those_that_never_occur():
    y = [[1, 1, 0, 0], [0, 1, 0, 1], [0, 1, 0, 0]]
    s = [[0.5, 0.1, 0.2, 0.3], [0.5, 0.2, 0.1, 0.9], [0.5, 0.3, 0.0, 0.1]]
    # One of three tied cells; all cells true; no true cell; the one true cell on top.
    assert_allclose(label_auprc(y, s), [1 / 3, 1, np.nan, 1], rtol=1e-14)
    assert_allclose(average_auprc(y, s), (1 / 3 + 1 + 1) / 3, rtol=1e-14)
    assert_allclose(average_auprc(y, s, weighted=True), (1 * 1 / 3 + 3 * 1 + 1 * 1) / 5, rtol=1e-14)


# Agreement with other ways to the same number.


@BOTH
@SETTINGS
@given(problem=problems())
def test_values_agree_with_numerical_integration_of_the_curve(interpolation, problem):
    y, s = problem
    assert_allclose(
        pooled_auprc(y, s, interpolation=interpolation), slow_area(y, s, interpolation), rtol=1e-11
    )
    expected = [
        slow_area(y[:, j], s[:, j], interpolation) if y[:, j].any() else np.nan for j in range(y.shape[1])
    ]
    assert_allclose(label_auprc(y, s, interpolation=interpolation), expected, rtol=1e-11)
    occurs, frequency = y.any(axis=0), y.sum(axis=0)
    for weighted, weights in ((False, occurs), (True, frequency)):
        assert_allclose(
            average_auprc(y, s, weighted=weighted, interpolation=interpolation),
            np.average(np.nan_to_num(expected), weights=weights),
            rtol=1e-11,
        )


@SETTINGS
@given(problems())
def test_the_curve_is_the_limit_of_small_steps_in_true_positives(problem):
    y, s = problem
    assert_allclose(pooled_auprc(y, s), stepped_area(y, s, 2000), rtol=1e-4)


@SETTINGS
@given(problems())
def test_steps_give_scikit_learns_average_precision(problem):
    y, s = problem
    expected = average_precision_score(y.ravel(), s.ravel())
    if y.shape[1] > 1:
        assert_allclose(average_precision_score(y, s, average="micro"), expected, rtol=1e-13)
    labels = [average_precision_score(y[:, j], s[:, j]) for j in np.flatnonzero(y.any(axis=0))]
    for Y, S in ((y, s), (sp.csr_array(y), sp.csc_array(s)), (y, sp.coo_array(s)), (sp.csc_matrix(y), s)):
        assert_allclose(pooled_auprc(Y, S, interpolation="step"), expected, rtol=1e-13)
        found = label_auprc(Y, S, interpolation="step")
        assert_allclose(found[y.any(axis=0)], labels, rtol=1e-13)
        assert np.isnan(found[~y.any(axis=0)]).all()
        assert_allclose(average_auprc(Y, S, interpolation="step"), np.mean(labels), rtol=1e-13)


def test_every_label_without_ties_is_as_in_scikit_learn():
    rng = np.random.default_rng(5)
    y, s = rng.random((60, 30)) < 0.2, rng.normal(size=(60, 30))
    assert y.any(axis=0).all()
    expected = average_precision_score(y, s, average=None)
    assert_allclose(label_auprc(y, s, interpolation="step"), expected, rtol=1e-13)
    expected = average_precision_score(y, s, average="weighted")
    assert_allclose(average_auprc(y, s, weighted=True, interpolation="step"), expected, rtol=1e-13)


def exact_area(t, n, d, D):
    """Integrate (t + x) / (n + x D/d) over [0, d] in eighty digits."""
    with localcontext() as context:
        context.prec = 80
        t, n, d, D = Decimal(t), Decimal(n), Decimal(d), Decimal(D)
        return float(d * d / D + d / D * (t - n * d / D) * (1 + D / n).ln())


@examples(60)
@given(st.data())
def test_the_closed_form_keeps_its_precision_for_segments_of_any_size(data):
    def size(least, greatest):
        top = data.draw(st.integers(0, max(0, (greatest - least).bit_length())))
        return data.draw(st.integers(least, min(greatest, least + 2**top)))

    n = size(1, 10**13)
    t = size(0, n)
    D = size(1, 10**13)
    d = size(1, D)
    assume(t * D != n * d)
    found = _areas_under_hyperbolas(*(np.array([float(count)]) for count in (t, n, d, D)))
    assert_allclose(found, [exact_area(t, n, d, D)], rtol=1e-13)


@pytest.mark.parametrize("z", [1e-12, 1e-6, 1e-3, 0.0999, 0.1, 0.1001, 1.0, 1e3, 1e12])
def test_the_closed_form_has_no_jump_where_its_evaluation_changes(z):
    n, D = (10**13, round(z * 10**13)) if z < 1 else (1, round(z))
    d = max(1, D // 3)
    found = _areas_under_hyperbolas(*(np.array([float(count)]) for count in (0, n, d, D)))
    assert_allclose(found, [exact_area(0, n, d, D)], rtol=1e-14)


# Weights of rows, and labels that are not known.


def test_a_weight_counts_in_true_and_false_positives():
    # Weights 2, 1, 3. Label 0: (2,0) (2,1) (5,1); label 1: (0,0) (0,3) (1,3), with row 0 below.
    y, s, w = [[1, 0], [0, 1], [1, 0]], [[0.9, 0.1], [0.8, 0.5], [0.7, 0.6]], [2, 1, 3]
    found = label_auprc(y, s, sample_weight=w, interpolation="step")
    assert_allclose(found, [(2 + 3 * 5 / 6) / 5, 1 / 4], rtol=1e-14)
    # The integrals of (2+x)/(3+x) over [0,3] = 3 - log(2), and of x/(3+x) over [0,1] = 1 - 3 log(4/3).
    expected = [(2 + 3 - math.log(2)) / 5, 1 - 3 * math.log(4 / 3)]
    assert_allclose(label_auprc(y, s, sample_weight=w), expected, rtol=1e-14)
    assert_allclose(average_auprc(y, s, sample_weight=w), np.mean(expected), rtol=1e-14)
    # Rows that have label 0 weigh 5, rows that have label 1 weigh 1.
    weighted = average_auprc(y, s, sample_weight=w, weighted=True)
    assert_allclose(weighted, (5 * expected[0] + expected[1]) / 6, rtol=1e-14)


def test_a_cell_that_is_not_known_is_neither_right_nor_wrong():
    y, s = [[1, np.nan, 0], [np.nan, 1, 0]], [[0.5, 0.9, 0.7], [0.6, 0.8, 0.1]]
    # Known cells: 0.8 true, 0.7 false, 0.5 true, 0.1 false.
    assert_allclose(pooled_auprc(y, s, interpolation="step"), (1 + 2 / 3) / 2, rtol=1e-14)
    assert label_auprc(y, s).tolist()[:2] == [1.0, 1.0]
    # Unstored scores of unknown cells are left out of the zeros: one of two, not of three.
    assert pooled_auprc([[1, 0, np.nan]], sp.csr_array((1, 3))) == 0.5
    assert label_auprc([[1], [0], [np.nan]], sp.csr_array((3, 1))).tolist() == [0.5]


@BOTH
@SETTINGS
@given(problem=problems())
def test_weights_of_one_change_nothing_at_all(interpolation, problem):
    y, s = problem
    expected = all_values(y, s, interpolation)
    for Y, S in ((y, s), (sp.csr_array(y), sp.csr_array(s))):
        assert_array_equal(all_values(Y, S, interpolation, np.ones(len(y))), expected)


@BOTH
@SETTINGS
@given(problem=problems(), data=st.data())
def test_whole_weights_are_repetitions_of_rows(interpolation, problem, data):
    y, s = problem
    w = data.draw(weights_for(y, st.integers(0, 4)))
    expected = all_values(np.repeat(y, w, axis=0), np.repeat(s, w, axis=0), interpolation)
    assert_allclose(all_values(y, s, interpolation, w), expected, rtol=1e-12)
    assert_allclose(all_values(y, s, interpolation, np.multiply(w, 0.3)), expected, rtol=1e-12)


@BOTH
@SETTINGS
@given(problem=partial_problems(), data=st.data())
def test_values_are_those_of_a_list_of_the_known_cells(interpolation, problem, data):
    y, s = problem
    expected = slow_areas_of_known_cells(y, s, [1] * len(y), interpolation)
    assert_allclose(all_values(y, s, interpolation), expected, rtol=1e-11)
    w = data.draw(weights_for(y, st.integers(0, 4)))
    expected = slow_areas_of_known_cells(y, s, w, interpolation)
    assert_allclose(all_values(y, s, interpolation, w), expected, rtol=1e-11)


@pytest.mark.sampled(2)
@BOTH
@pytest.mark.parametrize("form", SPARSE_FORMATS)
@SETTINGS
@given(problem=partial_problems(), data=st.data())
def test_weighted_and_partly_known_input_may_be_sparse(form, interpolation, problem, data):
    y, s = problem
    w = data.draw(st.one_of(st.none(), weights_for(y, st.sampled_from([0.0, 1e-9, 0.3, 1.0, 7.5]))))
    expected = all_values(y, s, interpolation, w)
    for Y, S in ((form(y), s), (y, form(s)), (form(y), form(s))):
        assert_array_equal(all_values(Y, S, interpolation, w), expected)


@SETTINGS
@given(problem=problems(), data=st.data())
def test_weighted_steps_give_scikit_learns_weighted_average_precision(problem, data):
    y, s = problem
    w = np.array(data.draw(weights_for(y, st.one_of(st.just(0.0), st.floats(1e-3, 1e3)))))
    expected = average_precision_score(y.ravel(), s.ravel(), sample_weight=np.repeat(w, y.shape[1]))
    if y.shape[1] > 1:
        micro = average_precision_score(y, s, average="micro", sample_weight=w)
        assert_allclose(micro, expected, rtol=1e-12)
    occurs = (y * w[:, None]).any(axis=0)
    labels = [
        average_precision_score(y[:, j], s[:, j], sample_weight=w) if occurs[j] else np.nan
        for j in range(y.shape[1])
    ]
    for Y, S in ((y, s), (sp.csr_array(y), sp.csc_array(s))):
        options = {"sample_weight": w, "interpolation": "step"}
        assert_allclose(pooled_auprc(Y, S, **options), expected, rtol=1e-12)
        assert_allclose(label_auprc(Y, S, **options), labels, rtol=1e-12)
        assert_allclose(average_auprc(Y, S, **options), np.nanmean(labels), rtol=1e-12)
        assert_allclose(
            average_auprc(Y, S, weighted=True, **options),
            np.average(np.nan_to_num(labels), weights=w @ y),
            rtol=1e-12,
        )


def test_a_label_of_weightless_rows_has_no_curve():
    y, s, w = [[1, 0], [0, 1]], [[0.9, 0.8], [0.7, 0.6]], [1, 0]
    assert_array_equal(label_auprc(y, s, sample_weight=w), [1.0, np.nan])
    assert average_auprc(y, s, sample_weight=w) == 1.0
    assert average_auprc(y, s, sample_weight=w, weighted=True) == 1.0


@BOTH
@pytest.mark.parametrize("light", [1e-3, 1e-9, 1e-15, 1e-30])
def test_the_curve_of_light_rows_is_not_drowned_by_heavy_ones(interpolation, light):
    rng = np.random.default_rng(0)
    n_rows, n_light = 300, 20
    w = np.r_[np.full(n_light, light), rng.random(n_rows)]
    y, s = np.zeros((len(w), 2)), rng.normal(size=(len(w), 2))
    y[:n_light, 0] = rng.integers(0, 2, n_light)
    y[n_light:, 1] = 1
    # Light rows come first in label 0, by scores that are all negative.
    s[:, 0] = np.r_[rng.random(n_light) - 1, rng.random(n_rows) - 3]
    expected = label_auprc(y[:n_light], s[:n_light], interpolation=interpolation)[0]
    options = {"sample_weight": w, "interpolation": interpolation}
    for scores in (s, sp.csr_array(s)):
        assert_allclose(label_auprc(y, scores, **options)[0], expected, rtol=1e-12)
        assert_allclose(label_auprc(y[:, ::-1], scores[:, ::-1], **options)[1], expected, rtol=1e-12)
        assert_allclose(pooled_auprc(y[:, :1], scores[:, :1], **options), expected, rtol=1e-12)


@BOTH
@SETTINGS
@given(problem=partial_problems(), data=st.data())
def test_weighted_values_of_partly_known_labels_are_positive_and_at_most_one(interpolation, problem, data):
    y, s = problem
    w = np.array(data.draw(weights_for(y, st.one_of(st.just(0.0), st.floats(1e-20, 1e20)))))
    found = all_values(y, s, interpolation, w)
    assert_array_equal(np.isnan(found[3:]), ~(y[w > 0] == 1).any(axis=0))
    found = found[~np.isnan(found)]
    assert ((found > 0) & (found <= 1)).all()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.longdouble])
def test_scores_of_any_precision_may_be_weighted(dtype):
    y, s, w = [[1, 0], [np.nan, 1]], np.array([[0.5, 0.25], [0.75, 0.25]]), [1, 2]
    expected = all_values(y, s, "curve", w)
    assert_array_equal(all_values(y, s.astype(dtype), "curve", w), expected)
    assert_array_equal(all_values(np.array(y, dtype), s, "curve", w), expected)


# What must not matter.


@pytest.mark.sampled(2)
@BOTH
@pytest.mark.parametrize("form", SPARSE_FORMATS)
@SETTINGS
@given(problem=problems())
def test_sparse_and_dense_input_give_the_same_value(form, interpolation, problem):
    y, s = problem
    expected = all_values(y, s, interpolation)
    for Y, S in ((form(y), s), (y, form(s)), (form(y), form(s))):
        assert_array_equal(all_values(Y, S, interpolation), expected)


@BOTH
@SETTINGS
@given(problem=problems(scores=st.floats(allow_nan=False, width=32)))
def test_only_the_order_of_the_scores_matters(interpolation, problem):
    y, s = problem
    expected = all_values(y, s, interpolation)
    ranks = rankdata(s, method="dense").reshape(s.shape)
    assert_array_equal(all_values(y, 3 * ranks - 7, interpolation), expected)
    assert_array_equal(all_values(y, ranks.astype(np.int64), interpolation), expected)
    assert_array_equal(all_values(y, s.astype(np.float32), interpolation), expected)
    assert_array_equal(all_values(y, s.astype(np.longdouble), interpolation), expected)
    assert_array_equal(all_values(y, sp.csr_array(s), interpolation), expected)


@BOTH
@SETTINGS
@given(problem=problems(), seed=st.integers(0, 1000))
def test_the_order_of_rows_and_of_labels_does_not_matter(interpolation, problem, seed):
    y, s = problem
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(y.shape[0]), rng.permutation(y.shape[1])
    found = all_values(y[rows][:, columns], s[rows][:, columns], interpolation)
    expected = all_values(y, s, interpolation)
    assert_allclose(found[:3], expected[:3], rtol=1e-14)
    assert_array_equal(found[3:], expected[3:][columns])


@BOTH
@SETTINGS
@given(problem=problems(), n_times=st.integers(2, 4))
def test_repeating_all_rows_changes_nothing(interpolation, problem, n_times):
    y, s = problem
    found = all_values(np.tile(y, (n_times, 1)), np.tile(s, (n_times, 1)), interpolation)
    assert_allclose(found, all_values(y, s, interpolation), rtol=1e-13)


@SETTINGS
@given(problems(), st.integers(1, 40))
def test_the_size_of_the_column_blocks_does_not_matter(problem, n_entries):
    y, s = problem
    expected = label_auprc(y, s)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_input, "ENTRIES_PER_BLOCK", n_entries)
        assert_array_equal(label_auprc(y, s), expected)


@SETTINGS
@given(problems())
def test_one_label_is_its_own_pool_and_its_own_average(problem):
    y, s = problem
    for j in np.flatnonzero(y.any(axis=0)):
        column = y[:, [j]], s[:, [j]]
        pooled = pooled_auprc(*column)
        assert_allclose(label_auprc(y, s)[j], pooled, rtol=1e-14)
        assert_allclose(average_auprc(*column), pooled, rtol=1e-14)
        assert_allclose(average_auprc(*column, weighted=True), pooled, rtol=1e-14)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.longdouble])
def test_scores_that_differ_in_the_last_digit_are_no_tie(dtype):
    s = np.array([[1.0, 1.0], [1.0, 1.0]], dtype)
    s[0, 0] = np.nextafter(s[0, 0], dtype(2))
    # The first cell stands alone on top; tied with the second it would be one of two in its label.
    for scores in (s, sp.csr_array(s)):
        assert pooled_auprc([[1, 0], [0, 0]], scores) == 1.0
        assert label_auprc([[1, 0], [0, 1]], scores).tolist() == [1.0, 0.5]


def test_input_is_left_as_it_was():
    dense = np.array([[0.3, 0.0, 0.1]])
    before = dense.copy()
    s = sp.csr_matrix((np.array([2.0, 0.0, 1.0]), np.array([2, 1, 0]), np.array([0, 3])), shape=(1, 3))
    y = sp.coo_array(([1, 0], ([0, 0], [2, 1])), shape=(1, 3))
    partial = sp.csr_array([[1.0, np.nan, 0.0]])
    weight = np.array([3.0])
    for scores in (dense, s):
        for labels in (y, partial):
            pooled_auprc(labels, scores)
            label_auprc(labels, scores, sample_weight=weight)
    assert_array_equal(dense, before)
    assert_array_equal(partial.toarray(), [[1.0, np.nan, 0.0]])
    assert weight.tolist() == [3.0]
    assert s.data.tolist() == [2.0, 0.0, 1.0]
    assert s.indices.tolist() == [2, 1, 0]
    assert y.nnz == 2


# Bounds.


@BOTH
@SETTINGS
@given(problem=problems())
def test_values_are_positive_and_at_most_one(interpolation, problem):
    y, s = problem
    found = all_values(y, s, interpolation)
    assert_array_equal(np.isnan(found[3:]), ~y.any(axis=0))
    found = found[~np.isnan(found)]
    assert ((found > 0) & (found <= 1)).all()


@BOTH
@SETTINGS
@given(problem=problems(scores=st.floats(0.0, 1.0)))
def test_true_cells_above_all_others_score_exactly_one(interpolation, problem):
    y, s = problem
    found = all_values(y, s + 2 * y, interpolation)
    assert (found[~np.isnan(found)] == 1.0).all()


@BOTH
@pytest.mark.parametrize("constant", [-1.5, 0.0, 0.25])
@SETTINGS
@given(problem=problems())
def test_equal_scores_give_the_share_of_true_cells(interpolation, constant, problem):
    y, _ = problem
    s = np.full(y.shape, constant)
    for scores in (s, sp.csr_array(s)):
        assert_allclose(pooled_auprc(y, scores, interpolation=interpolation), y.mean(), rtol=1e-14)
        found = label_auprc(y, scores, interpolation=interpolation)
        assert_allclose(np.nan_to_num(found), y.mean(axis=0), rtol=1e-14)


@SETTINGS
@given(problems())
def test_raising_a_true_cell_never_lowers_the_steps(problem):
    y, s = problem
    before = pooled_auprc(y, s, interpolation="step")
    i, j = np.argwhere(y)[0]
    s[i, j] = 10.0
    assert pooled_auprc(y, s, interpolation="step") >= before - 1e-14


# Size.


def test_huge_sparse_matrices_are_never_made_dense():
    n_rows, n_labels = 10_000, 200_000
    rows = np.arange(n_rows)
    y = sp.csr_array((np.ones(n_rows, bool), (rows, rows)), shape=(n_rows, n_labels))
    s = sp.csr_array((np.ones(n_rows), (rows, rows)), shape=(n_rows, n_labels))
    assert pooled_auprc(y, s) == 1.0
    assert average_auprc(y, s) == 1.0
    # All other cells come first: the integral of x/(n + x) over [0,1] is 1/2n, but for terms of 1/n².
    assert_allclose(average_auprc(y, -s), 0.5 / (n_rows - 1), rtol=2 / n_rows)
    assert_allclose(pooled_auprc(y, -s), 0.5 / (n_labels - 1), rtol=1e-5)
    assert_allclose(pooled_auprc(y, sp.csr_array(y.shape)), 1 / n_labels)
    # Weights, and a cell in each row that is not known.
    w = np.arange(n_rows) % 3
    y = sp.csr_array(y + np.nan * sp.csr_array((np.ones(n_rows), (rows, rows + 1)), shape=y.shape))
    assert average_auprc(y, s, sample_weight=w) == 1.0
    assert_allclose(pooled_auprc(y, -s, sample_weight=w), 0.5 / (n_labels - 2), rtol=1e-5)


def test_millions_of_scores_that_say_nothing_reach_the_share_of_true_cells():
    rng = np.random.default_rng(0)
    s = rng.random((1300, 4000))
    y = sp.csr_array(rng.random(s.shape) < 0.01)
    pooled = pooled_auprc(y, s)
    assert_allclose(pooled, y.nnz / s.size, rtol=0.02)
    assert_allclose(pooled_auprc(y, sp.csr_array(s)), pooled, rtol=1e-12)
    # Short curves lie above it.
    assert pooled < average_auprc(y, s) < 0.03


# Wrong input.

Y, S = [[1, 0, 1], [0, 1, 0]], [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]]


@pytest.mark.parametrize("metric", [pooled_auprc, label_auprc, average_auprc])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((Y, [[0.1, 0.2], [0.3, 0.4]]), r"y_score has shape \(2, 2\) but y_true has shape \(2, 3\)"),
        ((Y, sp.csr_array((3, 3))), r"y_score has shape \(3, 3\)"),
        (([1, 0, 1], [0.1, 0.2, 0.3]), r"y_true has shape \(3,\); pass a 2-D array"),
        (([[1, 2, 0], [0, 0, 1]], S), "y_true holds the value 2"),
        (([[1, np.nan, 0], [0, 0.5, 1]], S), "y_true holds the value 0.5"),
        ((sp.csr_array([[1, np.nan, 0], [0, 0.5, 1]]), S), "y_true holds the value 0.5"),
        ((sp.csr_array([[1, -1, 0], [0, 0, 1]]), S), "y_true holds the value -1"),
        ((Y, [[0.1, np.nan, 0.3], [0.3, 0.2, 0.1]]), "y_score contains NaN"),
        ((Y, sp.csr_array([[0.1, np.nan, 0.3], [0.3, 0, 0]])), "y_score contains NaN"),
        ((Y, [["a", "b", "c"]] * 2), "y_score has dtype"),
    ],
)
def test_wrong_matrices_are_named_in_the_error(metric, arguments, message):
    with pytest.raises(ValueError, match=message):
        metric(*arguments)


@pytest.mark.parametrize("metric", [pooled_auprc, label_auprc, average_auprc])
@pytest.mark.parametrize("interpolation", ["linear", "Curve", None])
def test_an_unknown_interpolation_is_named_in_the_error(metric, interpolation):
    with pytest.raises(ValueError, match=rf"interpolation is {interpolation!r}; pass 'curve' or 'step'"):
        metric(Y, S, interpolation=interpolation)


@pytest.mark.parametrize("metric", [pooled_auprc, average_auprc])
@pytest.mark.parametrize("y", [np.zeros((2, 3)), sp.csr_array((2, 3))])
def test_labels_that_are_zero_everywhere_have_no_curve(metric, y):
    with pytest.raises(ValueError, match=r"y_true is zero everywhere.* at least one row that has a label"):
        metric(y, S)


@pytest.mark.parametrize("metric", [pooled_auprc, average_auprc])
def test_labels_that_are_not_known_or_weigh_nothing_have_no_curve(metric):
    with pytest.raises(ValueError, match="y_true is zero everywhere"):
        metric(np.full((2, 3), np.nan), S)
    with pytest.raises(ValueError, match="y_true is zero everywhere"):
        metric([[1, 0, 1], [0, np.nan, 0]], S, sample_weight=[0, 1])


@pytest.mark.parametrize("metric", [pooled_auprc, label_auprc, average_auprc])
@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1], r"sample_weight has shape \(1,\); pass a 1-D array of length 2, one weight per row"),
        ([1, -1], "sample_weight holds the value -1"),
        ([1, np.nan], "sample_weight holds the value nan"),
        ([0, 0], "sample_weight is zero everywhere"),
    ],
)
def test_wrong_weights_are_named_in_the_error(metric, weight, message):
    with pytest.raises(ValueError, match=message):
        metric(Y, S, sample_weight=weight)


@pytest.mark.parametrize("s", [S, sp.csr_array(S), sp.csr_array((2, 3))])
def test_labels_that_never_occur_have_no_area(s):
    assert_array_equal(label_auprc(np.zeros((2, 3)), s), np.full(3, np.nan))
