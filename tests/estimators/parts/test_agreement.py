"""Claims about rows in parts: what they agree on is what one part of all rows would say."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from slantwood import Hierarchy, ObliqueForestClassifier, ObliqueForestRegressor
from slantwood.estimators.parts.agreement import agree
from slantwood.estimators.parts.glimpses import glimpse
from slantwood.estimators.parts.part_of_rows import PartOfRows, checked_part, joined
from slantwood.features.rows import n_rows_of, slice_rows
from tests.sampling import examples

RNG = np.random.default_rng(0)


def parts_of(X, y, ends, weights=None):
    """Divide rows at some places."""
    bounds = [0, *sorted(ends), n_rows_of(X)]
    return [
        PartOfRows(slice_rows(X, a, b), slice_rows(y, a, b), None if weights is None else weights[a:b])
        for a, b in pairwise(bounds)
    ]


def agreement_of(model, X, y, ends, n_sample=5, weights=None):
    are_classes = isinstance(model, ObliqueForestClassifier)
    parts = parts_of(X, y, ends, weights)
    return agree(model, [glimpse(part, n_sample, k, are_classes=are_classes) for k, part in enumerate(parts)])


@st.composite
def tables(draw):
    n = draw(st.integers(8, 40))
    columns = {
        "tree": draw(st.lists(st.sampled_from(["ash", "elm", "oak", None]), min_size=n, max_size=n)),
        "height": draw(st.lists(st.sampled_from([1.0, 2.0, 7.5, np.nan]), min_size=n, max_size=n)),
    }
    y = draw(st.lists(st.sampled_from(["a", "b", "c"]), min_size=n, max_size=n))
    ends = draw(st.lists(st.integers(0, n), max_size=4))
    frame = pd.DataFrame({"tree": pd.Series(columns["tree"], dtype=object), "height": columns["height"]})
    return frame, np.array(y), ends


@given(tables())
@examples(25)
def test_parts_know_the_categories_and_classes_of_all_rows(table):
    X, y, ends = table
    model = ObliqueForestClassifier(2, missing_indicators=True, random_state=0)
    reader = agreement_of(model, X, y, ends, n_sample=2).reader
    whole = agreement_of(model, X, y, [], n_sample=1000).reader
    assert reader.encoding_.categories == whole.encoding_.categories
    assert reader.encoding_.nominal == whole.encoding_.nominal
    assert reader.encoding_.indicated == whole.encoding_.indicated
    assert reader.classes_.tolist() == sorted(set(y))


@given(
    st.lists(st.floats(-1e6, 1e6, width=32), min_size=4, max_size=30), st.lists(st.integers(0, 4), max_size=3)
)
@examples(25)
def test_parts_know_the_range_of_the_numbers_of_all_rows(numbers, ends):
    y = np.array(numbers)
    X = np.arange(len(y), dtype=np.float32)[:, None]
    targets = agreement_of(ObliqueForestRegressor(2), X, y, ends, n_sample=1000).reader.targets_
    whole = ObliqueForestRegressor(2, random_state=0).fit(X, y).targets_
    np.testing.assert_allclose([targets.low, targets.high], [whole.low, whole.high], rtol=1e-6)
    np.testing.assert_allclose(targets.mean, whole.mean, rtol=1e-5, atol=1e-5)


def test_a_part_with_some_of_the_classes_is_read_with_all_of_them():
    X, y = RNG.normal(size=(60, 2)).astype(np.float32), np.repeat(["a", "b", "c"], 20)
    agreement = agreement_of(ObliqueForestClassifier(2, random_state=0), X, y, [20, 40])
    data = agreement.read(PartOfRows(X[:20], y[:20], None))
    assert data.targets.classes.tolist() == ["a", "b", "c"]
    assert data.Y.shape == (20, 3)
    assert not hasattr(agreement.reader, "estimators_") or len(agreement.reader) == 0


def test_labels_of_a_hierarchy_are_those_of_the_hierarchy():
    hierarchy = Hierarchy.from_paths(["a/b", "a/c", "d"])
    model = ObliqueForestClassifier(2, hierarchy=hierarchy, random_state=0)
    y = [("a/b",)] * 10 + [("d",)] * 10
    reader = agreement_of(model, RNG.normal(size=(20, 2)), y, [10]).reader
    assert set(reader.classes_) == set(hierarchy.nodes)


@pytest.mark.parametrize("factor", [1.0, 1000.0])
def test_weights_are_scaled_by_what_all_parts_have(factor):
    X, y = RNG.normal(size=(40, 2)), RNG.normal(size=40)
    weights = factor * np.r_[np.full(20, 0.1), np.zeros(5), np.full(20, 0.3)][:40]
    weights[-1] = 0.3 * factor
    agreement = agreement_of(ObliqueForestRegressor(2), X, y, [20], weights=weights)
    first, second = (agreement.read(part) for part in parts_of(X, y, [20], weights))
    mean = weights[weights > 0].mean()
    np.testing.assert_allclose(first.row_weights, 0.1 * factor / mean)
    np.testing.assert_allclose(second.row_weights, weights[20:] / mean)


def test_sparse_parts_have_the_bytes_of_what_they_store():
    X = sp.random_array((200, 500), density=0.01, format="csr", dtype=np.float32, rng=RNG)
    agreement = agreement_of(ObliqueForestClassifier(2), X, RNG.integers(0, 2, 200), [50], n_sample=1000)
    assert agreement.bytes_per_row == pytest.approx(8 * X.nnz / 200 + 4, rel=0.1)


def test_parts_that_do_not_fit_together_are_named():
    with pytest.raises(ValueError, match="part 3 of X has 4 rows, and that of y has 3"):
        checked_part(np.zeros((4, 1)), np.zeros(3), None, 3)
    with pytest.raises(ValueError, match="1 rows in all its parts"):
        agreement_of(ObliqueForestRegressor(), np.zeros((1, 1)), np.zeros(1), [])
    with pytest.raises(ValueError, match="sample_weight is zero for every row"):
        agreement_of(ObliqueForestRegressor(), np.zeros((4, 1)), np.zeros(4), [], weights=np.zeros(4))


def test_joined_parts_have_weights_where_any_has():
    parts = [PartOfRows(np.ones((2, 1)), [1, 2], None), PartOfRows(np.ones((1, 1)), [3], np.array([5.0]))]
    assert joined(parts).weights.tolist() == [1.0, 1.0, 5.0]
    assert joined(parts).y == [1, 2, 3]


@pytest.mark.parametrize(
    ("estimator", "y", "part"),
    [
        (ObliqueForestClassifier(max_features=0.5), np.arange(200) % 2, 0.6),
        (ObliqueForestClassifier(max_features=1.0), np.arange(200) % 2, 1.2),
        (ObliqueForestClassifier(split="axis", max_features="sqrt"), np.arange(200) % 2, 0.5),
        (ObliqueForestClassifier(split="svm", max_features=0.5), np.arange(200) % 2, 1.2),
        (ObliqueForestRegressor(max_features=None), np.arange(200.0), 2.0),
        (ObliqueForestClassifier(preset="best"), np.arange(200) % 2, 2.0),
    ],
    ids=["half of the features", "all", "few, one by one", "half, one by one", "a number", "best"],
)
def test_a_thread_holds_the_cells_that_a_split_looks_at(estimator, y, part):
    X = np.random.default_rng(0).standard_normal((200, 100), np.float32)
    found = agree(estimator, [glimpse(PartOfRows(X, y, None), 200, 0, are_classes=True)])
    assert found.of_thread == pytest.approx(part)
