"""Claims about the search for one coefficient: no other length of a step removes more impurity."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from slantwood.kernels.coefficient_search import (
    as_split,
    begin,
    best_step,
    change_coefficient,
    clear,
    feature_step,
    gain_of,
    rescale,
)
from tests.sampling import examples

pytestmark = [pytest.mark.plain_python, pytest.mark.compiles]

EPS = float(np.finfo(np.float32).eps)
SEEDS = st.integers(0, 2**32 - 1)
PROBLEM = (st.integers(2, 12), st.integers(1, 4), st.integers(1, 3), SEEDS)
FORMS = pytest.mark.parametrize(
    ("x_form", "z_form"), [(0, 0), (0, 1), (1, 0), (1, 1)], ids=["dense", "sparse Z", "sparse X", "sparse"]
)


def removed(right, Z, known, r):
    """Impurity that a partition removes from each attribute among the rows that know it, by definition."""

    def impurity(z, r):
        return (r * (z - np.average(z, weights=r)) ** 2).sum() if len(z) else 0.0

    total = 0.0
    for j in range(Z.shape[1]):
        whole, one, other = known[:, j], known[:, j] & right, known[:, j] & ~right
        total += (
            impurity(Z[whole, j], r[whole]) - impurity(Z[one, j], r[one]) - impurity(Z[other, j], r[other])
        )
    return total


def stored_of(block):
    """Spell a block out, without its means."""
    if block.is_dense:
        return block.values.astype(np.float64)
    stored = np.zeros((block.n_rows, block.n_columns))
    for i in range(block.n_rows):
        for k in range(block.indptr[i], block.indptr[i + 1]):
            stored[i, block.indices[k]] += block.data[k]
    return stored


def known_of(block):
    known = np.ones((block.n_rows, block.n_columns), bool)
    if len(block.missing_indices):
        for i in range(block.n_rows):
            known[i, block.missing_indices[block.missing_indptr[i] : block.missing_indptr[i + 1]]] = False
    return known


def node(in_both_forms, gathered, n, d, k, seed, x_form, z_form, has_missing):
    """Blocks of a small node and its weights, or None where nothing varies in it."""
    rng = np.random.default_rng(seed)
    r = rng.uniform(0.2, 4, n).astype(np.float32) if seed % 2 else np.ones(n, np.float32)
    X = rng.normal(size=(n, d)) if seed % 3 else rng.integers(-1, 3, (n, d)) * 1.0
    X[rng.random((n, d)) < rng.choice([0.0, 0.6])] = 0.0
    A = rng.normal(size=(n, k)) * (rng.random((n, k)) < 0.6)
    if has_missing:
        A[rng.random((n, k)) < 0.3] = np.nan
    X, _, _ = gathered(in_both_forms(X)[x_form], None, r)
    Z, _, _ = gathered(in_both_forms(A)[z_form], None, r, power=0.0)
    return (X, Z, r, rng) if X.n_columns and Z.n_columns else None


def every_gain(scores, along, Z, known, r):
    """Gains of all partitions that steps along a direction make, by trying a length in every interval."""
    moving = np.abs(along) > 1e-6 * np.abs(scores)
    critical = np.unique((-scores[moving] / along[moving]).astype(np.float32).astype(np.float64))
    if not len(critical):
        return []
    lengths = np.concatenate([[critical[0] - 1], (critical[1:] + critical[:-1]) / 2, [critical[-1] + 1]])
    sides = [scores + t * along >= 0 for t in lengths]
    return [removed(side, Z, known, r) for side in sides if 0 < side.sum() < len(side)]


def assert_sums_are_those_of_the_scores(search, Z, X):
    stored, r = stored_of(Z), search.weights.astype(np.float64)
    right = search.scores >= 0
    values = stored if not len(search.inside) else np.where(known_of(Z), stored - Z.mean, 0.0)
    # With missing values, means of sparse attributes are subtracted in float32.
    assert_allclose(
        search.sums, (r * right) @ values, atol=(8 * EPS if len(search.inside) else 1e-9) * r.sum()
    )
    assert_allclose(search.totals[:2], [r[right].sum(), right.sum()], rtol=1e-12, atol=1e-12)
    if not len(search.inside):
        assert_allclose(search.totals[2], search.sums @ search.sums, atol=1e-9 * r.sum() ** 2)
    scores = stored_of(X) @ search.w + search.offset[0]
    assert_allclose(search.scores, scores, atol=1e-9 * (1 + np.abs(scores).max() + np.abs(search.w).max()))


@FORMS
@pytest.mark.parametrize("has_missing", [False, True], ids=["whole", "missing"])
@examples(10)
@given(*PROBLEM)
def test_no_other_step_removes_more_impurity(
    in_both_forms, gathered, standardised_of, x_form, z_form, has_missing, n, d, k, seed
):
    made = node(in_both_forms, gathered, n, d, k, seed, x_form, z_form, has_missing)
    if made is None:
        return
    X, Z, r, rng = made
    values, known, weights = standardised_of(Z), known_of(Z), r.astype(np.float64)
    whole = (weights[:, None] * values**2).sum()
    search = begin(X, Z, r)
    for _ in range(6):
        j = rng.integers(X.n_columns + 1)
        shift = rng.choice([0.0, 0.25]) if X.is_dense and j < X.n_columns else 0.0
        step, rows = feature_step(search, j)
        along = np.zeros(n)
        along[rows if len(rows) else slice(None)] = step.astype(np.float64) + shift
        length, gain = best_step(search, Z, step, rows, shift)
        every = every_gain(search.scores, along, values, known, weights)
        # Attributes are centred up to the rounding of float32.
        allowed = 64 * n * EPS * (whole + 1e-3 * weights.sum())
        if not every or gain < 0:
            assert gain == -1
            continue
        assert gain >= max(every) - allowed
        change_coefficient(search, Z, j, shift, length)
        assert_sums_are_those_of_the_scores(search, Z, X)
        assert_allclose(gain_of(search), gain, atol=1e-9 * whole)
        assert_allclose(gain, removed(search.scores >= 0, values, known, weights), atol=allowed)


@FORMS
@pytest.mark.parametrize("has_missing", [False, True], ids=["whole", "missing"])
@examples(10)
@given(*PROBLEM)
def test_the_best_first_step_is_the_best_axis_parallel_split(
    in_both_forms, gathered, standardised_of, x_form, z_form, has_missing, n, d, k, seed
):
    made = node(in_both_forms, gathered, n, d, k, seed, x_form, z_form, has_missing)
    if made is None:
        return
    X, Z, r, _ = made
    features, values, known = standardised_of(X), standardised_of(Z), known_of(Z)
    weights = r.astype(np.float64)
    search = begin(X, Z, r)
    for j in range(X.n_columns):
        cuts = np.unique(stored_of(X)[:, j])[1:]
        every = [removed(stored_of(X)[:, j] >= cut, values, known, weights) for cut in cuts]
        length, gain = best_step(search, Z, *feature_step(search, j), 0.0)
        allowed = 64 * n * EPS * ((weights[:, None] * values**2).sum() + weights.sum())
        assert abs(gain - max(every)) <= allowed
        change_coefficient(search, Z, j, 0.0, length)
        w, b, found = as_split(search, X)
        assert found
        assert_array_equal(np.flatnonzero(w), [j])
        assert abs(removed(features @ w + b >= 0, values, known, weights) - max(every)) <= allowed
        clear(search)
        assert gain_of(search) == -1


@FORMS
@pytest.mark.parametrize("has_missing", [False, True], ids=["whole", "missing"])
@examples(10)
@given(*PROBLEM)
def test_the_split_of_a_search_divides_the_rows_as_its_scores_do_halfway_between_the_sides(
    in_both_forms, gathered, standardised_of, x_form, z_form, has_missing, n, d, k, seed
):
    made = node(in_both_forms, gathered, n, d, k, seed, x_form, z_form, has_missing)
    if made is None:
        return
    X, Z, r, rng = made
    search = begin(X, Z, r)
    for j in rng.integers(0, X.n_columns + 1, 4):
        change_coefficient(search, Z, j, 0.0, rng.normal())
    rescale(search)
    w, b, found = as_split(search, X)
    if not (search.w != 0).any() or np.abs(search.scores).min() < 1e-4:
        return
    right = (search.scores >= 0) == (search.w[np.abs(search.w).argmax()] > 0)
    assert found == (0 < right.sum() < n)
    if found:
        projections = standardised_of(X) @ w + b
        assert_array_equal(projections >= 0, right)
        assert_allclose(projections[right].min(), -projections[~right].max(), atol=1e-4)
        assert w.max() == abs(w).max() == 1


@pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
def test_a_step_along_a_feature_moves_only_the_rows_that_have_it(blocks_of, form):
    stored = np.zeros((6, 3))
    stored[[1, 4], 1] = 2.0, -1.0
    X, Z = blocks_of(stored)[form], blocks_of(np.arange(6.0)[:, None] - 2.5)[0]
    search = begin(X, Z, np.ones(6, np.float32))
    change_coefficient(search, Z, 1, 0.0, 0.75)
    assert_array_equal(search.scores, [-1, 0.5, -1, -1, -1.75, -1])
    values, rows = feature_step(search, 1)
    assert len(values) == (6 if form == 0 else 2)
    assert_array_equal(rows, [] if form == 0 else [1, 4])


@given(st.integers(2, 10), SEEDS)
def test_rescaling_changes_no_side(blocks_of, n, seed):
    rng = np.random.default_rng(seed)
    X, _ = blocks_of(rng.normal(size=(n, 3)))
    Z, _ = blocks_of(rng.normal(size=(n, 1)))
    search = begin(X, Z, np.ones(n, np.float32))
    for j in range(4):
        change_coefficient(search, Z, j, 0.0, 1e5 * rng.normal())
    before, gain = search.scores >= 0, gain_of(search)
    rescale(search)
    assert_array_equal(search.scores >= 0, before)
    assert gain_of(search) == gain
    assert abs(search.w).max() == 1


@pytest.mark.parametrize("heavy", [1e12, 1.0])
def test_sides_that_weigh_next_to_nothing_are_no_sides(blocks_of, heavy):
    X, _ = blocks_of(np.array([[-1.0], [0.5], [1.0]]))
    Z, _ = blocks_of(np.array([[-1.0], [0.5], [0.5]]))
    search = begin(X, Z, np.array([1e-12, heavy, heavy], np.float32))
    length, gain = best_step(search, Z, *feature_step(search, 0), 0.0)
    # The one cut with weight on both sides is that between the heavy rows.
    assert 1 < length < 2
    assert 0 <= gain < np.inf
