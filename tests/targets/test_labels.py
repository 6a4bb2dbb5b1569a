"""Claims about label matrices."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from slantwood.targets.labels import LabelTargets

pytestmark = pytest.mark.plain_python

CONTAINERS = {
    "int": np.asarray,
    "bool": lambda Y: Y.astype(bool),
    "float": lambda Y: Y.astype(np.float64),
    "uint8": lambda Y: Y.astype(np.uint8),
    "csr": sp.csr_array,
    "csr_matrix": sp.csr_matrix,
    "csc": sp.csc_array,
    "coo": sp.coo_array,
    "bool csr": lambda Y: sp.csr_array(Y.astype(bool)),
    "float csc": lambda Y: sp.csc_array(Y.astype(np.float32)),
}
EVERY_CONTAINER = pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS.keys())
SEEDS = st.integers(0, 2**32 - 1)


def spelt_out(Y):
    return Y.toarray() if sp.issparse(Y) else Y


def labels(seed):
    rng = np.random.default_rng(seed)
    return (rng.random((12, rng.integers(2, 8))) < rng.choice([0.0, 0.1, 0.5, 1.0])).astype(np.int64)


@EVERY_CONTAINER
@pytest.mark.parametrize("sparse_scores", [False, True])
@given(seed=SEEDS)
def test_labels_survive_the_way_to_leaf_means_and_back(container, sparse_scores, seed):
    Y = container(labels(seed))
    targets = LabelTargets.of(Y)
    scores = sp.csr_array(targets.encode(Y)) if sparse_scores else spelt_out(targets.encode(Y))
    decoded = targets.decode(scores, 0.5)
    assert_array_equal(spelt_out(decoded), spelt_out(Y))
    assert decoded.dtype == Y.dtype
    if not sparse_scores:
        assert sp.issparse(decoded) == sp.issparse(Y)


@EVERY_CONTAINER
def test_encoded_labels_are_float32_numbers_of_the_same_shape(container):
    Y = container(labels(1))
    targets = LabelTargets.of(Y)
    encoded = targets.encode(Y)
    assert encoded.dtype == np.float32
    assert_array_equal(spelt_out(encoded), spelt_out(Y).astype(np.float32))
    assert (targets.task, targets.n_columns) == ("multi-label", Y.shape[1])
    assert_array_equal(targets.classes, np.arange(Y.shape[1]))


@given(SEEDS, st.booleans(), st.sampled_from([0.0, 0.3, 0.5, 1.0, "one per label"]))
def test_a_label_is_chosen_where_its_score_is_above_its_threshold(seed, is_sparse, threshold):
    rng = np.random.default_rng(seed)
    scores = np.round(rng.random((9, 5)), 1).astype(np.float32) * (rng.random((9, 5)) < 0.6)
    threshold = np.round(rng.random(5), 1).astype(np.float32) if threshold == "one per label" else threshold
    Y = np.ones((2, 5), int)
    targets = LabelTargets.of(sp.csr_array(Y) if is_sparse else Y)
    expected = scores > np.float32(threshold)  # as precise as scores are
    assert_array_equal(spelt_out(targets.decode(scores, threshold)), expected)
    sparse_scores = sp.csr_array(scores)
    found = targets.decode(sparse_scores, threshold)
    assert_array_equal(spelt_out(found), expected)
    assert found.nnz == expected.sum()
    assert_array_equal(sparse_scores.toarray(), scores)


@pytest.mark.parametrize("value", [2, -1, 0.5])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, sp.csc_array])
def test_numbers_other_than_zero_and_one_are_refused_and_named(container, value):
    Y = np.zeros((3, 4))
    Y[1, 2] = value
    with pytest.raises(ValueError, match=f"4 columns and holds the value {value}"):
        LabelTargets.of(container(Y))


def test_names_in_columns_are_refused():
    with pytest.raises(ValueError, match="2 columns of dtype"):
        LabelTargets.of(np.array([["a", "b"], ["c", "d"]]))


def test_a_label_that_is_stored_twice_is_no_label():
    twice = sp.csr_array((np.ones(3, int), [0, 0, 1], [0, 2, 3]), shape=(2, 2))
    with pytest.raises(ValueError, match="holds the value 2"):
        LabelTargets.of(twice)


# ---- missing values


FLOATS = {
    "float64": np.asarray,
    "float32": np.float32,
    "csr": sp.csr_array,
    "csr_matrix": sp.csr_matrix,
    "csc": sp.csc_array,
    "coo": sp.coo_array,
}
EVERY_FLOAT = pytest.mark.parametrize("container", FLOATS.values(), ids=FLOATS.keys())


def labels_with_gaps(seed):
    rng = np.random.default_rng(seed)
    Y = labels(seed).astype(np.float64)
    Y[rng.random(Y.shape) < 0.3] = np.nan
    Y[rng.random(len(Y)) < 0.2] = np.nan
    Y[0] = rng.integers(0, 2, Y.shape[1])
    return Y


@EVERY_FLOAT
@given(seed=SEEDS)
def test_encoded_labels_keep_their_gaps(container, seed):
    Y = labels_with_gaps(seed)
    targets = LabelTargets.of(container(Y))
    encoded = targets.encode(container(Y))
    assert encoded.dtype == np.float32
    assert_array_equal(spelt_out(encoded), Y.astype(np.float32))


@EVERY_FLOAT
def test_a_label_that_no_row_knows_is_refused_by_its_number(container):
    Y = np.array([[0.0, np.nan, np.nan], [1.0, 0.0, np.nan]])
    with pytest.raises(ValueError, match=r"label 2 of y is missing \(NaN\) in every row"):
        LabelTargets.of(container(Y))
    Y[0, 2] = 0.0  # a zero is known, stored or not
    LabelTargets.of(container(Y))


@pytest.mark.parametrize("value", [2.0, -1.0, 0.5, np.inf])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_numbers_other_than_zero_and_one_are_refused_beside_gaps_too(container, value):
    Y = np.zeros((3, 4))
    Y[0, 0], Y[1, 2] = np.nan, value
    with pytest.raises(ValueError, match=f"4 columns and holds the value {value}"):
        LabelTargets.of(container(Y))


def test_a_label_whose_gaps_are_stored_twice_is_known_in_its_other_rows():
    Y = sp.csr_array((np.array([np.nan, np.nan, 1.0]), [0, 0, 1], [0, 2, 3]), shape=(2, 2))
    assert LabelTargets.of(Y).n_labels == 2


@EVERY_FLOAT
@pytest.mark.parametrize("sparse_scores", [False, True])
@given(seed=SEEDS)
def test_rows_are_all_right_where_every_known_label_is(container, sparse_scores, seed):
    rng = np.random.default_rng(seed)
    Y = labels_with_gaps(seed)
    scores = np.where(rng.random(Y.shape) < 0.15, rng.random(Y.shape), np.nan_to_num(Y)).astype(np.float32)
    targets = LabelTargets.of(container(Y))
    truth = targets.encode(container(Y))
    found = targets.all_right(sp.csr_array(scores) if sparse_scores else scores, 0.5, truth)
    assert_array_equal(found, [((s > 0.5) == y)[~np.isnan(y)].all() for s, y in zip(scores, Y, strict=True)])
