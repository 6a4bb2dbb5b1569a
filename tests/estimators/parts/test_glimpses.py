"""Claims about rows that stand for others: they show every value, and weigh as much as all."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from slantwood.estimators.parts.glimpses import glimpse, merged
from slantwood.estimators.parts.part_of_rows import PartOfRows
from tests.sampling import examples

RNG = np.random.default_rng(0)


def test_a_glimpse_stands_for_all_rows_of_its_part():
    part = PartOfRows(RNG.normal(size=(500, 2)), RNG.normal(size=500), RNG.uniform(0.5, 2, 500))
    found = glimpse(part, 50, 0, are_classes=False)
    assert 50 <= found.part.n_rows <= 54
    assert found.n_rows == found.n_weighted == 500
    assert found.weight == pytest.approx(part.weights.sum())
    assert found.part.weights.sum() == pytest.approx(found.weight, rel=0.2)


def test_rows_of_weight_zero_show_no_value():
    y = np.array(["rare"] + ["a", "b"] * 10)
    part = PartOfRows(np.zeros((21, 1)), y, np.r_[0.0, np.ones(20)])
    found = glimpse(part, 0, 0, are_classes=True)
    assert set(found.part.y) == {"a", "b"}
    assert found.n_weighted == 20


def test_a_part_without_rows_has_a_glimpse_without_rows():
    found = glimpse(PartOfRows(np.zeros((0, 2)), np.zeros(0), None), 10, 0, are_classes=True)
    assert (found.part.n_rows, found.n_rows, found.weight) == (0, 0, 0.0)


def glimpses_of(X, y, n_parts, weights=None, n_sample=5):
    """Divide rows in their order, and look at each part."""
    parts = [PartOfRows(X, y, weights).rows(rows) for rows in np.array_split(np.arange(len(y)), n_parts)]
    return [glimpse(part, n_sample, number, are_classes=True) for number, part in enumerate(parts)]


@given(
    st.lists(st.sampled_from(["ash", "elm", "oak", "yew", None]), min_size=8, max_size=60),
    st.integers(1, 8),
    st.integers(1, 10),
)
@examples(25)
def test_merged_glimpses_show_every_value_of_all_parts(trees, n_parts, n_sample):
    X = pd.DataFrame({"tree": pd.Series(trees, dtype=object), "age": np.arange(len(trees), dtype=float)})
    y = np.arange(len(trees)) // 3
    found = merged(glimpses_of(X, y, n_parts), n_sample, 0, are_classes=True)
    assert set(found.part.X["tree"].dropna()) == set(trees) - {None}
    assert found.part.X["tree"].isna().any() == (None in trees)
    assert set(found.part.y) == set(y)
    assert found.n_rows == found.n_weighted == len(trees)
    assert found.weight == len(trees)
    assert found.part.n_rows <= len(set(trees)) + len(set(y)) + n_sample


def test_merged_glimpses_weigh_as_much_as_those_of_the_parts():
    y, weights = RNG.integers(0, 3, 4000), RNG.uniform(0.5, 2, 4000)
    X = RNG.normal(size=(4000, 2))
    seen = glimpses_of(X, y, 20, weights, n_sample=100)
    found = merged(seen, 400, 0, are_classes=True)
    weighed = sum(each.part.weights.sum() for each in seen)
    assert found.part.n_rows == pytest.approx(403, abs=3)
    assert found.part.weights.sum() == pytest.approx(weighed, rel=1e-9)
    assert found.weight == pytest.approx(weights.sum())


def test_means_of_merged_glimpses_are_those_of_all_rows_on_average():
    # Rows of the second part stand for ten times as many as those of the first.
    X = np.r_[np.zeros(100), np.ones(1000)][:, None]
    parts = [PartOfRows(X[:100], np.zeros(100), None), PartOfRows(X[100:], np.zeros(1000), None)]
    seen = [glimpse(part, 99, number, are_classes=True) for number, part in enumerate(parts)]
    found = [merged(seen, 20, seed, are_classes=True).part for seed in range(400)]
    means = [np.average(part.X[:, 0], weights=part.weights) for part in found]
    assert np.mean(means) == pytest.approx(1000 / 1100, abs=0.01)


def test_glimpses_of_no_more_rows_than_asked_for_are_put_together_as_they_are():
    X, y = RNG.normal(size=(40, 2)), np.arange(40) % 4
    seen = glimpses_of(X, y, 4, n_sample=10)
    found = merged(seen, 40, 0, are_classes=True)
    np.testing.assert_array_equal(found.part.X, X)
    np.testing.assert_array_equal(found.part.weights, np.ones(40))


def test_what_each_part_shows_is_shown_once():
    # Every label occurs in every part, so that each part shows nearly all of its rows.
    Y = sp.csr_array(np.tile(np.eye(50, dtype=np.int8), (40, 1)))
    X = sp.csr_array(RNG.random((2000, 3)))
    parts = [PartOfRows(X, Y, None).rows(np.arange(start, start + 50)) for start in range(0, 2000, 50)]
    seen = [glimpse(part, 1, number, are_classes=True) for number, part in enumerate(parts)]
    assert sum(each.part.n_rows for each in seen) == 2000
    found = merged(seen, 100, 0, are_classes=True)
    assert found.part.n_rows == 150
    assert (found.part.y.sum(axis=0) > 0).all()


def test_rows_of_weight_zero_show_no_value_to_others():
    y = np.array(["a", "a", "b", "b"])
    seen = glimpses_of(np.zeros((4, 1)), y, 2, np.array([0.0, 0.0, 1.0, 1.0]))
    assert set(merged(seen, 4, 0, are_classes=True).part.y) == {"b"}
    assert merged(seen[:1], 4, 0, are_classes=True).n_weighted == 0
