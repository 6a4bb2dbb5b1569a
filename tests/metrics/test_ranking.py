"""Claims about measures of rankings: label ranking average precision, one-error, coverage, ranking loss."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose
from sklearn.metrics import coverage_error, label_ranking_average_precision_score, label_ranking_loss

from slantwood.metrics import (
    _input,
    coverage,
    label_ranking_average_precision,
    one_error,
    precision_at_k,
    ranking_loss,
)
from tests.metrics.conftest import label_problems, sparse
from tests.sampling import examples

SETTINGS = examples(10)
SPARSE_FORMATS = [sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.csc_array, sp.coo_array]
LEVEL = st.sampled_from([-2.0, -0.5, 0.0, 0.25, 1.0, 3.0])


def slow_lrap(y, s, w, row_weight):
    values = []
    for y_i, s_i in zip(y, s, strict=True):
        mine = [j for j in range(len(y_i)) if y_i[j]]
        W = sum(w[j] for j in mine)
        if W == 0:
            values.append(1.0)
            continue
        value = 0.0
        for j in mine:
            L = sum(1 for k in mine if s_i[k] >= s_i[j])
            R = sum(1 for k in range(len(y_i)) if s_i[k] >= s_i[j])
            value += w[j] / W * L / R
        values.append(value)
    return np.average(values, weights=row_weight)


@st.composite
def problems(draw, scores=LEVEL):
    shape = draw(st.tuples(st.integers(1, 7), st.integers(2, 8)))
    y = draw(hnp.arrays(np.int8, shape, elements=st.integers(0, 1)))
    s = draw(hnp.arrays(np.float64, shape, elements=scores))
    return y, s


@st.composite
def weights(draw, n):
    w = draw(hnp.arrays(np.float64, n, elements=st.sampled_from([0.0, 0.1, 1.0, 2.5])))
    w[draw(st.integers(0, n - 1))] = 1.5
    return w


@SETTINGS
@given(problems())
def test_equal_weights_give_scikit_learns_value(problem):
    y, s = problem
    expected = label_ranking_average_precision_score(y, s)
    equal = np.full(y.shape[1], 0.3)
    assert_allclose(label_ranking_average_precision(y, s), expected, rtol=1e-13)
    assert_allclose(label_ranking_average_precision(y, s, label_weights=equal), expected, rtol=1e-13)


@SETTINGS
@given(problems(scores=st.floats(allow_nan=False, width=32)))
def test_any_ordered_scores_infinite_ones_included_are_ranked(problem):
    y, s = problem
    value = label_ranking_average_precision(y, s)
    ones = np.ones(max(y.shape))
    assert_allclose(value, slow_lrap(y, s, ones, ones[: len(y)]), rtol=1e-13)
    assert label_ranking_average_precision(y, s.astype(np.float32)) == value
    assert label_ranking_average_precision(y, sp.csr_array(s)) == value


@SETTINGS
@given(st.data(), problems())
def test_weights_of_labels_and_rows_enter_as_the_formula_says(data, problem):
    y, s = problem
    w = data.draw(weights(y.shape[1]))
    row_weight = data.draw(weights(y.shape[0]))
    for labels in (y, sp.csr_matrix(y)):
        for scores in (s, sp.csc_array(s)):
            assert_allclose(
                label_ranking_average_precision(labels, scores, label_weights=w, sample_weight=row_weight),
                slow_lrap(y, s, w, row_weight),
                rtol=1e-12,
            )


@pytest.mark.parametrize("form", SPARSE_FORMATS)
@SETTINGS
@given(problem=problems())
def test_sparse_and_dense_input_give_the_same_value(form, problem):
    y, s = problem
    expected = label_ranking_average_precision(y, s)
    assert label_ranking_average_precision(form(y), s) == expected
    assert label_ranking_average_precision(y, form(s)) == expected
    assert label_ranking_average_precision(form(y), form(s)) == expected


@SETTINGS
@given(problems(), st.integers(1, 40))
def test_the_size_of_the_row_blocks_does_not_matter(problem, n_entries):
    y, s = problem
    expected = label_ranking_average_precision(y, s)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_input, "ENTRIES_PER_BLOCK", n_entries)
        assert label_ranking_average_precision(y, s) == expected
        assert label_ranking_average_precision(y, sp.csr_array(s)) == expected


@pytest.mark.parametrize("dtype", [bool, np.int64, np.uint8, np.float32])
def test_indicators_may_be_of_any_number_type(dtype):
    y = np.array([[1, 0, 1], [0, 1, 0]])
    s = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]])
    expected = label_ranking_average_precision_score(y, s)
    assert_allclose(label_ranking_average_precision(y.astype(dtype), s), expected)
    assert_allclose(label_ranking_average_precision(sp.csr_array(y.astype(dtype)), s), expected)


def test_integer_scores_are_ranked_like_floats():
    y, s = [[1, 0, 1]], np.array([[3, 7, 200]], dtype=np.uint8)
    assert label_ranking_average_precision(y, s) == label_ranking_average_precision(y, s.astype(float))
    assert label_ranking_average_precision(y, sp.csr_array(s)) == label_ranking_average_precision(y, s)


@pytest.mark.parametrize("row", [[0, 0, 0], [1, 1, 1]])
def test_rows_with_no_label_or_every_label_score_one(row):
    assert label_ranking_average_precision([row], [[0.3, 0.1, 0.2]]) == 1.0


def test_a_row_whose_labels_weigh_nothing_scores_one():
    y, s = [[1, 0, 0]], [[0.0, 0.5, 0.7]]
    assert label_ranking_average_precision(y, s, label_weights=[0, 1, 1]) == 1.0


def test_unstored_scores_tie_at_zero_above_negative_ones():
    y = sp.csr_array([[0, 1, 1, 0]])
    s = sp.csr_array([[0.0, 0.0, -1.0, 2.0]])
    # Label 1 ties with label 0 below label 3: 1/3. Label 2 comes last: 2/4.
    assert_allclose(label_ranking_average_precision(y, s), (1 / 3 + 2 / 4) / 2)


def test_sparse_input_is_left_as_it_was():
    data, columns, starts = np.array([0.0, 2.0, 1.0]), np.array([2, 1, 0]), np.array([0, 3])
    s = sp.csr_matrix((data, columns, starts), shape=(1, 3))
    y = sp.coo_array(([1, 0], ([0, 0], [1, 2])), shape=(1, 3))
    assert label_ranking_average_precision(y, s) == 1.0
    assert s.nnz == 3
    assert s.indices.tolist() == [2, 1, 0]
    assert y.nnz == 2


def test_huge_sparse_matrices_are_never_made_dense():
    n_rows, n_labels = 200_000, 50_000_000
    rows = np.arange(n_rows)
    y = sp.csr_array((np.ones(n_rows, bool), (rows, rows)), shape=(n_rows, n_labels))
    s = sp.csr_array((np.ones(n_rows), (rows, rows)), shape=(n_rows, n_labels))
    assert label_ranking_average_precision(y, s) == 1.0
    assert_allclose(label_ranking_average_precision(y, -s), 1 / n_labels)


Y, S = [[1, 0, 1], [0, 1, 0]], [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((Y, [[0.1, 0.2], [0.3, 0.4]]), r"y_score has shape \(2, 2\) but y_true has shape"),
        ((Y, sp.csr_array((3, 3))), r"y_score has shape \(3, 3\)"),
        (([1, 0, 1], S), r"y_true has shape \(3,\); pass a 2-D array"),
        ((Y, [0.1, 0.2]), r"y_score has shape \(2,\); pass a 2-D array"),
        ((np.ones((0, 3)), np.ones((0, 3))), "at least one row"),
        (([[1, 2, 0], [0, 0, 1]], S), "y_true holds the value 2"),
        ((sp.csr_array([[1, -1, 0], [0, 0, 1]]), S), "y_true holds the value -1"),
        ((Y, [[0.1, np.nan, 0.3], [0.3, 0.2, 0.1]]), "y_score contains NaN"),
        ((Y, sp.csr_array([[0.1, np.nan, 0.3], [0.3, 0, 0]])), "y_score contains NaN"),
        ((Y, [["a", "b", "c"]] * 2), "y_score has dtype"),
        ((Y, sp.csr_array(np.ones((2, 3), complex))), "y_score has dtype complex128"),
        ((Y, [[0.1], [0.2, 0.3]]), "y_score cannot be read"),
    ],
)
def test_wrong_matrices_are_named_in_the_error(arguments, message):
    with pytest.raises(ValueError, match=message):
        label_ranking_average_precision(*arguments)


@pytest.mark.parametrize("name", ["label_weights", "sample_weight"])
@pytest.mark.parametrize(
    ("fill", "message"),
    [
        (-1.0, "holds the value -1.0"),
        (np.nan, "holds the value nan"),
        (np.inf, "holds the value inf"),
        (0.0, "is zero everywhere"),
    ],
)
def test_unusable_weights_are_named_in_the_error(name, fill, message):
    value = np.full(3 if name == "label_weights" else 2, fill)
    with pytest.raises(ValueError, match=f"{name} {message}"):
        label_ranking_average_precision(Y, S, **{name: value})


@pytest.mark.parametrize(("name", "length"), [("label_weights", 3), ("sample_weight", 2)])
def test_weights_of_wrong_length_are_named_in_the_error(name, length):
    with pytest.raises(ValueError, match=rf"{name} has shape \(5,\).* length {length}"):
        label_ranking_average_precision(Y, S, **{name: np.ones(5)})


# ---- one-error, coverage, ranking loss; unknown labels


def known_rows_of(y, scores, weights):
    """Yield truth and scores of the known labels of each row that counts, and its weight."""
    for y_i, s_i, w in zip(y, scores, weights, strict=True):
        known = ~np.isnan(y_i)
        if w and known.any():
            yield y_i[known] == 1, s_i[known], w


def slow_mean(value_of, *problem):
    rows = list(known_rows_of(*problem))
    return np.average([value_of(y, s) for y, s, _ in rows], weights=[w for _, _, w in rows])


def slow_one_error(y, s):
    return np.mean(~y[s == s.max()])


def slow_coverage(y, s):
    return (s >= s[y].min()).sum() - 1 if y.any() else 0


def slow_ranking_loss(y, s):
    pairs = [s_false >= s_true for s_true in s[y] for s_false in s[~y]]
    return np.mean(pairs) if pairs else 0.0


TWINS = {one_error: slow_one_error, coverage: slow_coverage, ranking_loss: slow_ranking_loss}


@pytest.mark.parametrize("function", TWINS, ids=lambda function: function.__name__)
@SETTINGS
@given(problem=label_problems())
def test_each_measure_equals_its_slow_twin_dense_and_sparse(function, problem):
    y, _, s, w = problem
    expected = slow_mean(TWINS[function], y, s, w)
    assert_allclose(function(y, s, sample_weight=w), expected, atol=1e-12)
    assert_allclose(function(sparse(y), sp.csr_array(s), sample_weight=w), expected, atol=1e-12)


@SETTINGS
@given(label_problems())
def test_unknown_labels_have_no_place_in_average_precision(problem):
    y, _, s, w = problem
    expected = slow_mean(lambda y, s: slow_lrap([y], [s], np.ones(len(y)), [1.0]), y, s, w)
    assert_allclose(label_ranking_average_precision(y, s, sample_weight=w), expected, atol=1e-12)
    assert_allclose(label_ranking_average_precision(sparse(y), sp.csr_array(s), sample_weight=w), expected)


@SETTINGS
@given(problems())
def test_ranking_loss_is_scikit_learns_and_coverage_counts_from_zero(problem):
    y, s = problem
    assert_allclose(ranking_loss(y, s), label_ranking_loss(y, s), atol=1e-13)
    has_label = y.any(axis=1)
    assert_allclose(coverage(y, s), coverage_error(y, s) - has_label.mean(), atol=1e-12)


@SETTINGS
@given(problems(scores=st.floats(-1, 1)))
def test_without_ties_one_error_is_one_minus_precision_at_one(problem):
    y, s = problem
    if all(len(set(row)) == len(row) for row in s.tolist()):
        assert_allclose(one_error(y, s), 1 - precision_at_k(y, s, 1), atol=1e-12)


def test_no_order_of_the_labels_changes_one_error():
    y, s = np.array([[1, 0, 0, 0]]), np.zeros((1, 4))
    assert one_error(y, s) == one_error(y[:, ::-1], s) == 0.75


def test_many_labels_stay_sparse(many_labels):
    truth, scores, _ = many_labels
    tracemalloc.start()
    values = [function(truth, scores) for function in TWINS]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6  # one byte for each cell is 20 MB
    assert all(value > 0 for value in values)


@pytest.mark.parametrize("function", TWINS, ids=lambda function: function.__name__)
def test_rows_of_which_nothing_is_known_are_not_enough(function):
    with pytest.raises(ValueError, match="y_true is NaN in every row"):
        function([[np.nan, np.nan]], [[1.0, 0.0]])
