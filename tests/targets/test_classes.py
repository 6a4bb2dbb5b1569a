"""Claims about one class per example."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from slantwood.targets.classes import ClassTargets

pytestmark = pytest.mark.plain_python

KINDS = {
    "strings": np.array(["pear", "apple", "fig", "Ähre", ""]),
    "integers": np.array([7, -3, 10**12, 0, 5]),
    "booleans": np.array([True, False]),
    "floats": np.array([0.5, -1.0, 2.0]),
    "objects": np.array(["b", "a", "c"], dtype=object),
    "small integers": np.array([3, 1, 2], np.int8),
}
EVERY_KIND = pytest.mark.parametrize("names", KINDS.values(), ids=KINDS.keys())


def spelt_out(encoded):
    return encoded.toarray() if sp.issparse(encoded) else encoded


@EVERY_KIND
@given(data=st.data())
def test_classes_survive_the_way_to_leaf_means_and_back(names, data):
    picks = data.draw(st.lists(st.integers(0, len(names) - 1), min_size=1, max_size=20))
    y = names[picks]
    targets = ClassTargets.of(y)
    decoded = targets.decode(targets.probabilities(spelt_out(targets.encode(y, np.ones(len(y), bool)))))
    assert_array_equal(decoded, y)
    assert decoded.dtype == y.dtype


@EVERY_KIND
def test_classes_are_sorted_and_distinct(names):
    assert_array_equal(ClassTargets.of(np.repeat(names, 3)).classes, np.unique(names))


@pytest.mark.parametrize("n_classes", [1, 2, 3, 7])
def test_encoded_classes_are_indicators(n_classes):
    y = np.arange(20) % n_classes
    targets = ClassTargets.of(y)
    encoded = spelt_out(targets.encode(y, np.ones(len(y), bool)))
    assert encoded.dtype == np.float32
    assert encoded.shape == (20, targets.n_columns)
    if n_classes <= 2:
        assert (targets.task, targets.n_columns) == ("binary", 1)
        assert_array_equal(encoded[:, 0], y)  # of the second class; of none where there is but one
    else:
        assert (targets.task, targets.n_columns) == ("multi-class", n_classes)
        assert_array_equal(encoded, np.eye(n_classes)[y])


@given(st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_probabilities_have_a_column_per_class_and_sum_to_one(n_classes, seed):
    rng = np.random.default_rng(seed)
    targets = ClassTargets.of(np.arange(n_classes))
    if targets.n_columns == 1:
        means = rng.random((8, 1)) if n_classes == 2 else np.zeros((8, 1))
    else:
        means = rng.dirichlet(np.ones(n_classes), 8)
    probabilities = targets.probabilities(means.astype(np.float32))
    assert probabilities.shape == (8, n_classes)
    assert probabilities.dtype == np.float64
    assert (probabilities >= 0).all()
    assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-12)
    if n_classes > 2:
        assert_allclose(probabilities, means, rtol=1e-6, atol=1e-7)


def test_the_mean_of_two_classes_is_the_probability_of_the_second():
    targets = ClassTargets.of(np.array(["no", "yes"]))
    probabilities = targets.probabilities(np.array([[0.25], [0.75]], np.float32))
    assert_array_equal(probabilities, [[0.75, 0.25], [0.25, 0.75]])
    assert_array_equal(targets.decode(probabilities), ["no", "yes"])


def test_a_single_class_is_certain():
    targets = ClassTargets.of(np.array(["only"] * 4))
    probabilities = targets.probabilities(np.zeros((3, 1), np.float32))
    assert_array_equal(probabilities, np.ones((3, 1)))
    assert_array_equal(targets.decode(probabilities), ["only"] * 3)


def test_equally_probable_classes_give_the_first():
    targets = ClassTargets.of(np.array(["a", "b", "c"]))
    assert targets.decode(np.array([[0.2, 0.4, 0.4]]))[0] == "b"


# ---- missing values


@EVERY_KIND
@given(data=st.data())
def test_known_classes_survive_the_way_and_unknown_ones_are_missing_in_every_column(names, data):
    picks = data.draw(st.lists(st.integers(0, len(names) - 1), min_size=1, max_size=20))
    y = names[picks]
    known = np.array(data.draw(st.lists(st.booleans(), min_size=len(y), max_size=len(y))))
    known[data.draw(st.integers(0, len(y) - 1))] = True
    targets = ClassTargets.of(y[known])
    encoded = targets.encode(y, known)
    assert encoded.dtype == np.float32
    assert encoded.shape == (len(y), targets.n_columns)
    if sp.issparse(encoded):
        assert encoded.has_canonical_format
    numbers = spelt_out(encoded)
    assert_array_equal(np.isnan(numbers), np.repeat(~known[:, None], targets.n_columns, axis=1))
    assert_array_equal(numbers[known], spelt_out(targets.encode(y[known], known[known])))
    assert_array_equal(targets.decode(targets.probabilities(numbers[known])), y[known])


def test_what_stands_where_no_class_is_known_does_not_matter():
    known = np.array([True, False, True, True, False])
    for y, other in [
        (["b", "a", "a", "b", "zebra"], ["b", "zz", "a", "b", ""]),
        (["b", "a", "c", "b", "zebra"], ["b", "zz", "c", "b", ""]),
    ]:
        targets = ClassTargets.of(np.array(y)[known])
        one, same = (spelt_out(targets.encode(np.array(names), known)) for names in (y, other))
        assert_array_equal(one, same)
        assert np.isnan(one[[1, 4]]).all()


@pytest.mark.parametrize("n_classes", [1, 2, 3])
def test_every_class_has_a_rank_also_where_two_share_a_column(n_classes):
    assert ClassTargets.of(np.arange(n_classes)).ranks.tolist() == list(range(n_classes))
