"""Claims about the macro-averaged F1 score."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose
from sklearn.metrics import f1_score

from slantwood.metrics import macro_f1
from tests.sampling import examples

SETTINGS = examples(20)
SPARSE_FORMATS = [sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.csc_array, sp.coo_array]


@st.composite
def class_pairs(draw):
    n = draw(st.integers(1, 12))
    return tuple(draw(hnp.arrays(np.int64, n, elements=st.sampled_from([-3, 0, 1, 7]))) for _ in range(2))


@st.composite
def indicator_pairs(draw):
    shape = draw(st.tuples(st.integers(1, 8), st.integers(2, 6)))
    return tuple(draw(hnp.arrays(np.int8, shape, elements=st.integers(0, 1))) for _ in range(2))


@SETTINGS
@given(class_pairs())
def test_classes_give_scikit_learns_value_whatever_their_type(pair):
    true, predicted = pair
    expected = f1_score(true, predicted, average="macro")
    assert_allclose(macro_f1(true, predicted), expected, rtol=1e-13)
    assert_allclose(macro_f1(true.astype(float), predicted), expected, rtol=1e-13)
    for text in (str, object):
        words = [np.array([f"class {c}" for c in y], dtype=text) for y in pair]
        assert_allclose(macro_f1(*words), expected, rtol=1e-13)


@SETTINGS
@given(indicator_pairs())
def test_indicators_give_scikit_learns_value(pair):
    expected = f1_score(*pair, average="macro", zero_division=0)
    assert_allclose(macro_f1(*pair), expected, rtol=1e-13)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("form", SPARSE_FORMATS)
@SETTINGS
@given(pair=indicator_pairs())
def test_sparse_and_dense_indicators_give_the_same_value(form, pair):
    true, predicted = pair
    expected = macro_f1(true, predicted)
    assert macro_f1(form(true), predicted) == expected
    assert macro_f1(true, form(predicted)) == expected
    assert macro_f1(form(true), form(predicted.astype(bool))) == expected


def test_booleans_are_two_classes():
    true, predicted = np.array([True, True, False]), np.array([True, False, False])
    assert_allclose(macro_f1(true, predicted), f1_score(true, predicted, average="macro"))


def test_labels_that_occur_nowhere_count_as_zero():
    assert macro_f1([[1, 0]], [[1, 0]]) == 0.5
    assert macro_f1(sp.csr_array((3, 2)), sp.csr_array((3, 2))) == 0.0


def test_stored_zeros_are_no_labels():
    true = sp.coo_array(([1, 0], ([0, 0], [0, 1])), shape=(1, 2))
    assert macro_f1(true, [[1, 0]]) == macro_f1([[1, 0]], [[1, 0]])


@pytest.mark.parametrize(
    ("true", "predicted", "message"),
    [
        ([1, 2, 3], [1, 2], r"y_pred has shape \(2,\) but y_true has shape \(3,\)"),
        ([[1, 0]], [1], r"y_pred has shape \(1,\)"),
        ([], [], r"y_true has shape \(0,\)"),
        (np.ones((2, 2, 2)), np.ones((2, 2, 2)), r"y_true has shape \(2, 2, 2\)"),
        (sp.coo_array([1, 0]), [1, 0], r"y_true has shape \(2,\).* dense if 1-D"),
        ([[1, 2]], [[1, 0]], "y_true holds the value 2"),
        ([[1, 0]], sp.csr_array([[1, 4]]), "y_pred holds the value 4"),
        ([0.5, 1.0], [1, 1], "y_true holds the value 0.5"),
        ([0, 1], [1.0, np.nan], "y_pred holds the value nan"),
        ([0, 1], ["0", "1"], "y_true has dtype int64 but y_pred has dtype"),
        (np.array(["a", None], dtype=object), ["a", "b"], "cannot be compared"),
        ([[1, 0], [1]], [[1, 0], [1, 0]], "y_true cannot be read"),
    ],
)
def test_wrong_input_is_named_in_the_error(true, predicted, message):
    with pytest.raises(ValueError, match=message):
        macro_f1(true, predicted)
