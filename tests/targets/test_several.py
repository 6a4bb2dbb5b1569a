"""Claims about several targets as one matrix, and about the say that each has in it."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from slantwood.targets.equal_say import equal_say
from slantwood.targets.several import MultiTargets, TargetColumn

pytestmark = pytest.mark.plain_python


def spelt_out(encoded):
    return encoded.toarray() if sp.issparse(encoded) else encoded


def column(values):
    values = np.asarray(values)
    is_number = values.dtype.kind == "f"
    return TargetColumn(values, ~np.isnan(values) if is_number else np.ones(len(values), bool), is_number)


def encoded(*columns):
    columns = [column(each) for each in columns]
    targets = MultiTargets.of(columns, np.ones(len(columns[0].values)))
    return targets, spelt_out(targets.encode(columns))


KINDS = {
    "text": st.sampled_from(["ash", "elm", "oak"]),
    "whole": st.integers(-3, 3),
    "truth": st.booleans(),
    "numbers": st.floats(-100, 100, width=32),
}


@given(st.lists(st.sampled_from(list(KINDS)), min_size=2, max_size=4), st.integers(1, 12), st.data())
def test_every_column_survives_the_way_to_leaf_means_and_back(kinds, n_rows, data):
    columns = [
        np.array(
            data.draw(st.lists(KINDS[kind], min_size=n_rows, max_size=n_rows)),
            float if kind == "numbers" else None,
        )
        for kind in kinds
    ]
    targets, Y = encoded(*columns)
    assert Y.shape == (n_rows, targets.n_columns)
    for given_values, found in zip(columns, targets.decoded_columns(Y), strict=True):
        if given_values.dtype.kind == "f":
            assert_allclose(found, given_values, rtol=1e-5, atol=1e-4)
        else:
            assert_array_equal(found, given_values)
            assert found.dtype == given_values.dtype
    shared = {each.dtype for each in columns}
    predicted = targets.decode(Y)
    assert predicted.shape == (n_rows, len(kinds))
    assert predicted.dtype == (shared.pop() if len(shared) == 1 else object) or predicted.dtype.kind == "U"


def test_cells_of_different_types_keep_their_own():
    targets, Y = encoded(["a", "b"], [1, 2], [0.5, 2.5], [True, False])
    predicted = targets.decode(Y)
    assert predicted.tolist() == [["a", 1, 0.5, True], ["b", 2, 2.5, False]]
    typed = targets.decoded_columns(Y)
    assert [each.dtype.kind for each in typed] == ["U", "i", "f", "b"]
    assert [each.tolist() for each in typed] == [["a", "b"], [1, 2], [0.5, 2.5], [True, False]]


def test_what_is_not_known_of_a_target_is_missing_in_all_its_columns():
    values = np.array(["a", "b", "c", "a"])
    columns = [
        TargetColumn(values, np.array([True, False, True, True]), False),
        column([1.0, 2.0, np.nan, 4.0]),
    ]
    targets = MultiTargets.of(columns, np.ones(4))
    # The class that only an unknown row has is none.
    assert targets.parts[0].classes.tolist() == ["a", "c"]
    Y = spelt_out(targets.encode(columns))
    assert_array_equal(np.isnan(Y), [[False, False], [True, False], [False, True], [False, False]])


def test_probabilities_are_of_classes_only():
    targets, Y = encoded(["a", "b", "c"], [1.0, 2.0, 3.0], [True, False, True])
    shares = targets.probabilities(Y)
    assert shares[1] is None
    assert_allclose(shares[0], np.eye(3))
    assert_allclose(shares[2], [[0, 1], [1, 0], [0, 1]])


@given(
    st.lists(st.integers(1, 4), min_size=2, max_size=4),
    st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_each_target_has_one_say_in_splits_and_in_importances(sizes, power, sparse, seed):
    rng = np.random.default_rng(seed)
    Y = (rng.random((60, sum(sizes))) < rng.uniform(0.1, 0.9, sum(sizes))).astype(np.float32)
    Y[:2] = [[0.0], [1.0]]  # no column is constant
    weights = rng.uniform(0.5, 2.0, 60)
    say = equal_say(sp.csr_array(Y) if sparse else Y, np.array(sizes), weights, power)
    scaled = Y * say.factors
    variance = np.average(
        (scaled - np.average(scaled, axis=0, weights=weights)) ** 2, axis=0, weights=weights
    )
    blocks = np.cumsum([0, *sizes[:-1]])
    share = 1 / len(sizes)
    assert_allclose(np.add.reduceat(say.weights * variance ** (1 - power), blocks), share, rtol=1e-5)
    assert_allclose(np.add.reduceat(say.weights * variance, blocks), share, rtol=1e-5)


def test_a_target_that_never_changes_takes_no_say_from_others():
    Y = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]], np.float32)
    say = equal_say(Y, np.array([1, 1, 1]), np.ones(3), 0.0)
    assert np.isfinite(say.weights).all()
    assert_allclose(say.weights[[0, 2]], 4.5 / 2)
