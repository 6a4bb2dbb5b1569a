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


@pytest.mark.parametrize("value", [2, -1, 0.5, np.nan])
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
