"""Claims about the scores of the k best-ranked labels."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import ndcg_score

from slantwood.metrics import (
    _input,
    ndcg_at_k,
    precision_at_k,
    propensities,
    propensity_scored_precision_at_k,
)
from tests.sampling import examples

SETTINGS = examples(10)
SPARSE_FORMATS = [sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.csc_array, sp.coo_array]
ANY_LEVEL = st.sampled_from([-1.0, -0.5, 0.0, 0.25, 0.5, 2.0])
POSITIVE_LEVEL = st.sampled_from([0.25, 0.5, 1.0, 2.0])


def ranked(s_i, sparse):
    candidates = [j for j in range(len(s_i)) if not sparse or s_i[j] > 0]
    return sorted(candidates, key=lambda j: (-s_i[j], j))


def slow_precision(y, s, k, sparse):
    return np.mean([sum(y_i[j] for j in ranked(s_i, sparse)[:k]) / k for y_i, s_i in zip(y, s, strict=True)])


def slow_ndcg(y, s, k, sparse):
    values = []
    for y_i, s_i in zip(y, s, strict=True):
        top = ranked(s_i, sparse)[:k]
        dcg = sum(y_i[j] / math.log2(r + 2) for r, j in enumerate(top))
        best = sum(1 / math.log2(r + 2) for r in range(min(k, int(y_i.sum()))))
        values.append(dcg / best if best else 0.0)
    return np.mean(values)


def slow_psp(y, s, p, k, normalize, sparse):
    gain = best = 0.0
    for y_i, s_i in zip(y, s, strict=True):
        gain += sum(y_i[j] / p[j] for j in ranked(s_i, sparse)[:k])
        best += sum(sorted((1 / p[j] for j in range(len(p)) if y_i[j]), reverse=True)[:k])
    if normalize:
        return gain / best if best else 0.0
    return gain / k / len(y)


@st.composite
def problems(draw, scores=ANY_LEVEL):
    shape = draw(st.tuples(st.integers(1, 7), st.integers(1, 8)))
    y = draw(hnp.arrays(np.int8, shape, elements=st.integers(0, 1)))
    s = draw(hnp.arrays(np.float64, shape, elements=scores))
    p = draw(hnp.arrays(np.float64, shape[1], elements=st.sampled_from([0.1, 0.25, 0.6, 1.0])))
    return y, s, p


@SETTINGS
@given(problems())
def test_dense_scores_agree_with_the_slow_definitions(problem):
    y, s, p = problem
    ks = range(1, y.shape[1] + 1)
    assert_allclose(precision_at_k(y, s, ks), [slow_precision(y, s, k, False) for k in ks], rtol=1e-12)
    assert_allclose(ndcg_at_k(y, s, ks), [slow_ndcg(y, s, k, False) for k in ks], rtol=1e-12)
    for normalize in (True, False):
        assert_allclose(
            propensity_scored_precision_at_k(y, s, p, ks, normalize),
            [slow_psp(y, s, p, k, normalize, False) for k in ks],
            rtol=1e-12,
        )


@pytest.mark.sampled(2)
@pytest.mark.parametrize("form", SPARSE_FORMATS)
@SETTINGS
@given(problem=problems())
def test_sparse_scores_offer_only_their_positive_entries(form, problem):
    y, s, p = problem
    ks = range(1, y.shape[1] + 1)
    for labels in (y, form(y)):
        assert_allclose(
            precision_at_k(labels, form(s), ks),
            [slow_precision(y, s, k, True) for k in ks],
            rtol=1e-12,
        )
        assert_allclose(ndcg_at_k(labels, form(s), ks), [slow_ndcg(y, s, k, True) for k in ks], rtol=1e-12)
        assert_allclose(
            propensity_scored_precision_at_k(labels, form(s), p, ks),
            [slow_psp(y, s, p, k, True, True) for k in ks],
            rtol=1e-12,
        )


@SETTINGS
@given(problems(scores=POSITIVE_LEVEL))
def test_sparse_and_dense_input_of_positive_scores_give_the_same_value(problem):
    y, s, p = problem
    ks = range(1, y.shape[1] + 1)
    labels, scores = sp.csr_array(y), sp.csr_array(s)
    assert_array_equal(precision_at_k(labels, scores, ks), precision_at_k(y, s, ks))
    assert_array_equal(ndcg_at_k(labels, scores, ks), ndcg_at_k(y, s, ks))
    assert_array_equal(
        propensity_scored_precision_at_k(labels, scores, p, ks),
        propensity_scored_precision_at_k(y, s, p, ks),
    )


@SETTINGS
@given(problems(), st.integers(1, 40))
def test_the_size_of_the_row_blocks_does_not_matter(problem, n_entries):
    y, s, p = problem
    ks = range(1, y.shape[1] + 1)

    def values(scores):
        return np.stack(
            [
                precision_at_k(y, scores, ks),
                ndcg_at_k(y, scores, ks),
                propensity_scored_precision_at_k(y, scores, p, ks),
            ]
        )

    expected = values(s), values(sp.csr_array(s))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_input, "ENTRIES_PER_BLOCK", n_entries)
        assert_allclose(values(s), expected[0], rtol=1e-13)
        assert_allclose(values(sp.csr_array(s)), expected[1], rtol=1e-13)


def test_without_ties_and_empty_rows_ndcg_is_scikit_learns():
    rng = np.random.default_rng(3)
    y = rng.random((40, 12)) < 0.3
    y[:, 0] = True
    s = rng.random(y.shape)
    for k in (1, 4, 12):
        assert_allclose(ndcg_at_k(y, s, k), ndcg_score(y, s, k=k), rtol=1e-12)


def test_ties_go_to_the_lower_label_index():
    s = np.full((1, 5), 0.5)
    assert precision_at_k([[1, 0, 0, 0, 0]], s) == 1.0
    assert precision_at_k([[0, 1, 1, 1, 1]], s) == 0.0
    assert precision_at_k([[0, 1, 1, 1, 1]], sp.csr_array(s)) == 0.0


def test_places_that_sparse_scores_leave_empty_are_misses():
    y, s = sp.csr_array([[1, 1, 1]]), sp.csr_array([[0.0, 0.4, 0.0]])
    assert_allclose(precision_at_k(y, s, [1, 2, 3]), [1, 1 / 2, 1 / 3])


def test_a_score_matrix_without_entries_scores_zero():
    y, s = sp.csr_array([[1, 0, 1]]), sp.csr_array((1, 3))
    assert precision_at_k(y, s, 2) == 0.0
    assert ndcg_at_k(y, s, 2) == 0.0
    assert propensity_scored_precision_at_k(y, s, np.full(3, 0.5), 2) == 0.0


def test_rows_without_labels_count_as_zero():
    y, s = np.zeros((2, 3)), np.ones((2, 3))
    assert ndcg_at_k(y, s, 2) == 0.0
    assert propensity_scored_precision_at_k(y, s, np.full(3, 0.5), 2) == 0.0
    y[0, 0] = 1
    assert ndcg_at_k(y, s, 2) == 0.5


def test_the_true_labels_as_scores_are_the_best_attainable():
    y = np.array([[1, 0, 1, 1], [0, 1, 0, 0]])
    p = np.array([0.9, 0.2, 0.5, 0.1])
    for k in (1, 2, 3):
        assert ndcg_at_k(y, y, k) == 1.0
        assert_allclose(propensity_scored_precision_at_k(y, y / p, p, k), 1.0)


def test_unit_propensities_unnormalised_give_plain_precision():
    y = np.array([[1, 0, 1, 1], [0, 1, 0, 0]])
    s = np.array([[0.1, 0.4, 0.3, 0.2], [0.1, 0.4, 0.3, 0.2]])
    assert_allclose(
        propensity_scored_precision_at_k(y, s, np.ones(4), [1, 2, 3], normalize=False),
        precision_at_k(y, s, [1, 2, 3]),
    )


def test_one_k_gives_a_float_and_several_an_array():
    y, s = [[1, 0, 1]], [[0.3, 0.2, 0.1]]
    for metric in (precision_at_k, ndcg_at_k):
        assert type(metric(y, s, np.int64(2))) is float
        several = metric(y, s, np.array([3, 1]))
        assert several.shape == (2,)
        assert_array_equal(several, [metric(y, s, 3), metric(y, s, 1)])


@SETTINGS
@given(
    hnp.arrays(bool, st.tuples(st.integers(3, 12), st.integers(1, 6))),
    st.sampled_from([(0.55, 1.5), (0.5, 0.4), (0.6, 2.6)]),
)
def test_propensities_follow_the_published_formula(y, constants):
    a, b = constants
    n = len(y)
    C = (math.log(n) - 1) * (b + 1) ** a
    expected = [1 / (1 + C * math.exp(-a * math.log(c + b))) for c in y.sum(axis=0)]
    assert_allclose(propensities(y, a, b), expected, rtol=1e-12)
    assert_array_equal(propensities(sp.csc_matrix(y), a, b), propensities(y, a, b))


def test_propensities_grow_with_label_frequency_and_serve_as_probabilities():
    y = np.tril(np.ones((50, 50)))
    p = propensities(y)
    assert (np.diff(p) < 0).all()
    assert ((p > 0) & (p < 1)).all()


@pytest.mark.parametrize("k", [0, -1, 4, [1, 4], [0, 1], [], [[1, 2]]])
@pytest.mark.parametrize("metric", [precision_at_k, ndcg_at_k])
def test_a_k_out_of_range_is_named_in_the_error(metric, k):
    with pytest.raises(ValueError, match=r"k (holds|is) "):
        metric([[1, 0, 1]], [[0.3, 0.2, 0.1]], k)


@pytest.mark.parametrize("k", [1.0, "1", True, None, [1, 2.0]])
def test_a_k_that_is_no_integer_is_a_type_error(k):
    with pytest.raises(TypeError, match="k holds"):
        precision_at_k([[1, 0, 1]], [[0.3, 0.2, 0.1]], k)


@pytest.mark.parametrize(
    ("y", "s", "message"),
    [
        ([[1, 0, 3]], [[0.3, 0.2, 0.1]], "y_true holds the value 3"),
        ([[1, 0, 1]], [[0.3, 0.2]], r"y_score has shape \(1, 2\)"),
        ([[1, 0, 1]], [[0.3, np.nan, 0.1]], "y_score contains NaN"),
    ],
)
@pytest.mark.parametrize("metric", [precision_at_k, ndcg_at_k])
def test_wrong_matrices_are_named_in_the_error(metric, y, s, message):
    with pytest.raises(ValueError, match=message):
        metric(y, s, 1)


@pytest.mark.parametrize(
    ("p", "message"),
    [
        ([0.5, 0.5], r"propensity has shape \(2,\).* length 3"),
        ([0.5, 0.0, 0.5], "propensity holds the value 0.0"),
        ([0.5, 1.5, 0.5], "propensity holds the value 1.5"),
        ([0.5, np.nan, 0.5], "propensity holds the value nan"),
    ],
)
def test_unusable_propensities_are_named_in_the_error(p, message):
    with pytest.raises(ValueError, match=message):
        propensity_scored_precision_at_k([[1, 0, 1]], [[0.3, 0.2, 0.1]], p)


def test_propensities_refuse_what_the_model_cannot_describe():
    with pytest.raises(ValueError, match=r"y_train has 2 row\(s\)"):
        propensities([[1, 0], [0, 1]])
    with pytest.raises(ValueError, match="y_train holds the value 2"):
        propensities([[1, 2], [0, 1], [0, 0]])
    with pytest.raises(ValueError, match=r"b is 0\.0"):
        propensities([[1, 0], [0, 1], [0, 0]], b=0.0)
    with pytest.raises(ValueError, match="a is nan"):
        propensities([[1, 0], [0, 1], [0, 0]], a=float("nan"))


def test_propensities_of_weighted_rows_are_those_of_repeated_ones():
    rng = np.random.default_rng(0)
    Y, counts = rng.random((30, 5)) < 0.3, rng.integers(0, 4, 30)
    repeated = propensities(np.repeat(Y, counts, axis=0))
    np.testing.assert_allclose(propensities(Y, sample_weight=counts), repeated)
    with pytest.raises(ValueError, match=r"rows of weight 2\.5 altogether"):
        propensities(Y[:5], sample_weight=[0.5] * 5)
