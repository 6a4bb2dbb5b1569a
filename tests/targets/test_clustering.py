"""Claims about what judges a split: names, units, shares of groups, and random projections."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from slantwood import Clustering
from slantwood.targets.clustering import as_clustering, clustering_columns, sketch

SEEDS = st.integers(0, 2**32 - 1)
NONE = np.empty(0)


def numbers(seed, n=30, width=4, density=1.0, weightless=0.0):
    """Columns of several scales, and row weights of which some may be 0."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, width)) * 10.0 ** rng.integers(-3, 4, width)
    values *= rng.random((n, width)) < density
    weights = rng.uniform(0.5, 2.0, n) * (rng.random(n) >= weightless)
    weights[0] = 1.0
    return values.astype(np.float32), weights


def variance_of(columns, weights):
    """Weighted variance of each column, spelt out."""
    columns = columns.toarray() if sp.issparse(columns) else columns
    columns = columns.astype(np.float64)
    mean = np.average(columns, axis=0, weights=weights)
    return np.average((columns - mean) ** 2, axis=0, weights=weights)


def spelt_out(columns):
    return columns.toarray() if sp.issparse(columns) else np.asarray(columns)


# ---- parameters


@pytest.mark.parametrize(
    ("parameters", "error", "parts"),
    [
        ({"attributes": "labels"}, ValueError, ["attributes='labels'", "'features'", "one row for each row"]),
        ({"attributes": "sketch"}, ValueError, ["attributes='sketch'"]),
        ({"feature_weight": -0.1}, ValueError, ["feature_weight=-0.1", "between 0 and 1"]),
        ({"feature_weight": 1.5}, ValueError, ["feature_weight=1.5", "between 0 and 1"]),
        ({"feature_weight": math.nan}, ValueError, ["feature_weight=nan", "between 0 and 1"]),
        ({"feature_weight": "half"}, TypeError, ["feature_weight='half'", "number"]),
        ({"feature_weight": True}, TypeError, ["feature_weight=True", "number"]),
        ({"sketch": 0}, ValueError, ["sketch=0", "at least 1"]),
        ({"sketch": -3}, ValueError, ["sketch=-3", "at least 1"]),
        ({"sketch": 2.5}, TypeError, ["sketch=2.5", "whole number"]),
        ({"sketch": True}, TypeError, ["sketch=True", "whole number"]),
    ],
)
def test_senseless_parameters_are_refused_at_once_with_their_value_and_a_remedy(parameters, error, parts):
    with pytest.raises(error) as caught:
        Clustering(**parameters)
    assert str(caught.value).startswith("Clustering: ")
    for part in parts:
        assert part in str(caught.value)


def test_bounds_of_the_parameters_are_allowed():
    for weight in (0, 0.0, 1, np.float32(0.5), np.int64(1)):
        assert Clustering("targets+features", feature_weight=weight).feature_weight == weight
    for width in (1, np.int64(7)):
        assert Clustering(sketch=width).sketch == width


@pytest.mark.parametrize("name", ["targets", "features", "targets+features"])
def test_names_of_groups_name_themselves(name):
    made = as_clustering(name)
    assert made.attributes == name
    assert made.sketch is None
    assert not made.is_matrix
    assert made.is_targets == (name == "targets")


def test_nothing_means_the_targets_and_sketch_a_projection_of_them():
    assert as_clustering(None).is_targets
    assert as_clustering(None).sketch is None
    assert as_clustering("sketch").is_targets
    assert as_clustering("sketch").sketch > 1


def test_a_clustering_and_a_matrix_are_taken_as_they_are():
    made = Clustering("features", sketch=3)
    assert as_clustering(made) is made
    for matrix in (np.ones((2, 3)), sp.csr_array(np.ones((2, 3))), [[1.0], [2.0]]):
        assert as_clustering(matrix).is_matrix
        assert as_clustering(matrix).attributes is matrix


def test_an_unknown_name_is_refused_with_all_that_is_possible():
    with pytest.raises(ValueError, match=r"clustering='label'") as caught:
        as_clustering("label")
    for remedy in ("'targets'", "'features'", "'targets+features'", "'sketch'", "matrix", "Clustering"):
        assert remedy in str(caught.value)


# ---- columns


@given(SEEDS, st.sampled_from([1.0, 0.4]), st.booleans())
def test_columns_of_the_users_own_come_with_variance_1_and_no_weights(seed, density, is_sparse):
    Z, r = numbers(seed, density=density)
    columns, weights = clustering_columns(
        Clustering(sp.csr_array(Z) if is_sparse else Z), None, None, NONE, r
    )
    assert len(weights) == 0
    assert sp.issparse(columns) == is_sparse
    assert columns.dtype == np.float32
    varies = Z.max(axis=0) > Z.min(axis=0)
    # Float32 results: a relative error of a few 1e-7 in each value.
    assert_allclose(variance_of(columns, r)[varies], 1.0, rtol=1e-5)


@given(SEEDS, st.sampled_from([1.0, 0.4]))
def test_columns_keep_their_differences_up_to_a_factor(seed, density):
    Z, r = numbers(seed, density=density)
    columns, _ = clustering_columns(Clustering(Z), None, None, NONE, r)
    spread = np.sqrt(variance_of(Z, r))
    twin = (Z - Z[0].astype(np.float64)) / np.where(spread > 0, spread, 1.0)
    # Two float32 numbers of the size of the largest, one rounding each.
    room = 4e-7 * np.abs(columns).max()
    assert_allclose(columns.astype(np.float64) - columns[0].astype(np.float64), twin, rtol=0, atol=room)


@given(SEEDS, st.sampled_from([1.0, 0.4, 0.1]), st.sampled_from([0.0, 0.3]))
def test_dense_and_sparse_columns_become_the_same_numbers(seed, density, weightless):
    Z, r = numbers(seed, density=density, weightless=weightless)
    dense, _ = clustering_columns(Clustering(Z), None, None, NONE, r)
    sparse, _ = clustering_columns(Clustering(sp.csr_array(Z)), None, None, NONE, r)
    assert_array_equal(sparse.toarray(), dense)
    assert sparse.nnz <= np.count_nonzero(Z)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, sp.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, bool])
def test_zeros_and_ones_are_left_alone(container, dtype):
    Z = np.array([[0, 1, 1], [0, 0, 1], [1, 0, 1], [0, 0, 1]]).astype(dtype)
    columns, weights = clustering_columns(Clustering(container(Z)), None, None, NONE, np.ones(4))
    assert_array_equal(spelt_out(columns), Z)
    assert columns.dtype == np.float32
    assert len(weights) == 0


@pytest.mark.parametrize("container", [np.array, sp.csr_array, sp.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("density", [1.0, 0.4])
def test_the_users_matrix_stays_as_it_was(container, dtype, density):
    Z, r = numbers(0, density=density)
    given_matrix = container(Z.astype(dtype))
    clustering_columns(Clustering(given_matrix), None, None, NONE, r)
    assert_array_equal(spelt_out(given_matrix), Z.astype(dtype))


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("far", [1e3, 1e6, 1e9, -1e12])
def test_columns_far_from_zero_keep_their_precision(is_sparse, far):
    near = np.random.default_rng(0).normal(size=(50, 2)).round(3)
    r = np.random.default_rng(1).uniform(0.5, 2.0, 50)
    Z = near + far
    columns, _ = clustering_columns(Clustering(sp.csr_array(Z) if is_sparse else Z), None, None, NONE, r)
    twin = near - np.average(near, axis=0, weights=r)
    twin /= np.sqrt(np.average(twin**2, axis=0, weights=r))
    # What float64 keeps of the numbers so far away, and the float32 result.
    room = 8 * np.finfo(np.float64).eps * abs(far) + 1e-6
    assert_allclose(spelt_out(columns), twin, rtol=0, atol=room)


@given(SEEDS, st.sampled_from([1.0, 0.4]), st.sampled_from(["own", "features", "targets+features"]))
def test_rows_without_weight_do_not_matter(seed, density, kind):
    Z, r = numbers(seed, density=density, weightless=0.4)
    Y, _ = numbers(seed + 1, width=2)
    nonsense = Z.copy()
    nonsense[r == 0] = 1e6 * np.random.default_rng(seed).normal(size=(int((r == 0).sum()), Z.shape[1]))
    present = r > 0

    def made(X, rows):
        clustering = Clustering(X if kind == "own" else kind)
        return clustering_columns(clustering, X, Y[rows], NONE, r[rows])[0]

    everything = made(nonsense, np.full(len(Z), True))[present]
    # The sums are over other numbers of terms, and round differently in the last bits of float64.
    assert_allclose(everything, made(Z[present], present), rtol=1e-6, atol=1e-6 * np.abs(everything).max())


@given(SEEDS, st.integers(-40, 40))
def test_units_of_the_users_columns_do_not_matter(seed, power):
    Z, r = numbers(seed)
    units = 2.0 ** (power * np.array([1, -1, 0, 1]))
    one, _ = clustering_columns(Clustering(Z.astype(np.float64)), None, None, NONE, r)
    other, _ = clustering_columns(Clustering(Z * units), None, None, NONE, r)
    assert_array_equal(one, other)  # powers of two: nothing rounds differently


@pytest.mark.parametrize("unit", [1e-100, 1e-40, 1e40, 1e100])
@pytest.mark.parametrize("container", [np.array, sp.csr_array])
def test_units_beyond_single_precision_do_not_matter_either(unit, container):
    Z, r = numbers(0)
    columns, _ = clustering_columns(Clustering(container(Z.astype(np.float64) * unit)), None, None, NONE, r)
    assert_allclose(variance_of(columns, r), 1.0, rtol=1e-5)


def test_constant_columns_stay_constant():
    for value in (0.0, 0.1, -7.0, 1e9):
        Z = np.column_stack([np.full(20, value), np.arange(20.0)])
        r = np.random.default_rng(0).uniform(0.1, 1.0, 20)
        for form in (Z, sp.csr_array(Z)):
            columns = spelt_out(clustering_columns(Clustering(form), None, None, NONE, r)[0])
            assert np.isfinite(columns).all()
            assert len(np.unique(columns[:, 0])) == 1


def test_targets_alone_are_returned_as_they_are_with_their_weights():
    Y, p = np.ones((4, 2), np.float32), np.array([1.0, 3.0])
    columns, weights = clustering_columns(Clustering(), None, Y, p, np.ones(4))
    assert columns is Y
    assert weights is p


@given(SEEDS, st.floats(0.001, 0.999), st.booleans(), st.integers(1, 4), st.integers(1, 5))
def test_weights_of_targets_and_features_add_up_to_their_shares(seed, share, weighted, t, d):
    Y, r = numbers(seed, width=t)
    X, _ = numbers(seed + 1, width=d)
    p = np.random.default_rng(seed).uniform(0.5, 2.0, t) if weighted else NONE
    columns, weights = clustering_columns(Clustering("targets+features", feature_weight=share), X, Y, p, r)
    assert columns.shape == (len(Y), t + d)
    assert weights.shape == (t + d,)
    assert_allclose(weights[:t].sum(), 1 - share, atol=1e-12)
    assert_allclose(weights[t:].sum(), share, atol=1e-12)
    assert_allclose(weights[t:], share / d, atol=1e-12)
    within = p / p.sum() if weighted else np.full(t, 1 / t)
    assert_allclose(weights[:t], (1 - share) * within, atol=1e-12)
    # The targets come first, and both groups in one unit.
    assert_allclose(variance_of(columns, r), 1.0, rtol=1e-5)
    assert abs(np.corrcoef(columns[:, 0], Y[:, 0])[0, 1]) > 1 - 1e-6
    assert abs(np.corrcoef(columns[:, t], X[:, 0])[0, 1]) > 1 - 1e-6


@given(SEEDS)
def test_one_sparse_group_makes_both_groups_sparse_with_the_same_numbers(seed):
    Y, r = numbers(seed, width=2)
    X, _ = numbers(seed + 1, width=5, density=0.3)
    judged_by = Clustering("targets+features")
    dense, weights = clustering_columns(judged_by, X, Y, NONE, r)
    for x, y in [(sp.csr_array(X), Y), (X, sp.csr_array(Y)), (sp.csr_array(X), sp.csr_array(Y))]:
        columns, same_weights = clustering_columns(judged_by, x, y, NONE, r)
        assert sp.issparse(columns)
        assert columns.format == "csr"
        assert_array_equal(columns.toarray(), dense)
        assert_array_equal(same_weights, weights)


@given(SEEDS)
def test_features_alone_are_the_features_in_one_unit(seed):
    X, r = numbers(seed)
    of_features, weights = clustering_columns(Clustering("features"), X, None, NONE, r)
    own, _ = clustering_columns(Clustering(X), None, None, NONE, r)
    assert_array_equal(of_features, own)
    assert len(weights) == 0


# ---- sketch


@given(SEEDS, st.integers(1, 20), st.booleans())
def test_a_sketch_is_a_linear_map_from_the_seed(seed, width, weighted):
    A, _ = numbers(seed, width=12)
    B, _ = numbers(seed + 1, width=12)
    p = np.random.default_rng(seed).uniform(0.0, 3.0, 12) if weighted else NONE
    A, B = A.astype(np.float64), B.astype(np.float64)
    whole, one, other = (sketch(M, p, width, seed) for M in (2 * A - B, A, B))
    assert whole.shape == (len(A), width)
    # Each result is rounded to float32 once.
    room = 4e-7 * max(np.abs(one).max(), np.abs(other).max())
    assert_allclose(whole, 2.0 * one - other, rtol=0, atol=room)
    assert_array_equal(sketch(A, p, width, seed), one)


def test_another_seed_is_another_sketch():
    A, _ = numbers(0, width=12)
    assert (sketch(A, NONE, 6, 1) != sketch(A, NONE, 6, 2)).any()


@given(SEEDS, st.integers(1, 20))
def test_every_column_goes_to_one_place_with_a_sign(seed, width):
    projection = sketch(np.eye(9), NONE, width, seed)
    assert_array_equal((projection != 0).sum(axis=1), 1)
    assert_array_equal(np.abs(projection).sum(axis=1), 1.0)


def test_all_places_and_both_signs_are_used_about_equally():
    n, width = 2000, 10
    projection = sketch(np.eye(n), NONE, width, 0)
    often = (projection != 0).sum(axis=0)
    assert np.abs(often - n / width).max() < 4 * math.sqrt(n / width * (1 - 1 / width))
    assert abs(projection.sum()) < 4 * math.sqrt(n)


@pytest.mark.parametrize("weighted", [False, True])
def test_squared_distances_are_right_in_expectation_and_as_precise_as_the_width_promises(weighted):
    rng = np.random.default_rng(0)
    A = rng.normal(size=(12, 80))
    p = rng.uniform(0.2, 4.0, 80) if weighted else np.ones(80)
    first, second = np.triu_indices(12, 1)
    true = ((A[first] - A[second]) ** 2) @ p
    width, n_sketches = 16, 400
    ratios = np.empty((n_sketches, len(true)))
    for seed in range(n_sketches):
        found = sketch(A, p if weighted else NONE, width, seed).astype(np.float64)
        ratios[seed] = ((found[first] - found[second]) ** 2).sum(axis=1) / true
    deviation = math.sqrt(2 / width)
    # The mean of so many sketches, for the worst of 66 pairs.
    assert np.abs(ratios.mean(axis=0) - 1).max() < 4 * deviation / math.sqrt(n_sketches)
    # Distances that are spread over 80 columns nearly reach the bound. The standard deviation of 400 ratios,
    # whose distribution is close to a gamma's, is itself known to about 5 %.
    assert ratios.std(axis=0).max() < 1.25 * deviation
    assert ratios.std(axis=0).min() > 0.7 * deviation
    assert np.abs(ratios - 1).mean() < deviation


@given(SEEDS, st.integers(1, 20))
def test_the_weight_of_a_column_is_its_squared_scale(seed, width):
    A, _ = numbers(seed, width=8)
    p = np.random.default_rng(seed).integers(0, 5, 8) * 1.0
    weighted = sketch(A, p, width, seed)
    scaled = sketch(A * np.sqrt(p), NONE, width, seed)
    assert_allclose(weighted, scaled, rtol=1e-6, atol=1e-6 * np.abs(scaled).max())


def test_weights_of_columns_are_repeated_columns_in_expectation():
    A = np.random.default_rng(0).normal(size=(6, 5))
    times = np.array([1, 4, 2, 1, 3])
    repeated = np.repeat(A, times, axis=1)
    n_sketches = 600
    lengths = np.zeros((2, 6))
    for seed in range(n_sketches):
        lengths[0] += (sketch(A, times * 1.0, 8, seed).astype(np.float64) ** 2).sum(axis=1)
        lengths[1] += (sketch(repeated, NONE, 8, seed).astype(np.float64) ** 2).sum(axis=1)
    true = (A**2) @ times
    room = 4 * math.sqrt(2 / 8) / math.sqrt(n_sketches)
    assert_allclose(lengths[0] / n_sketches, true, rtol=room)
    assert_allclose(lengths[1] / n_sketches, true, rtol=room)


@given(SEEDS, st.sampled_from([0.5, 0.1, 0.0]), st.integers(1, 30), st.booleans())
def test_a_sparse_sketch_has_the_numbers_of_the_dense_one_and_no_more_than_came_in(
    seed, density, width, weighted
):
    A, _ = numbers(seed, width=15, density=density)
    p = np.random.default_rng(seed).uniform(0.5, 2.0, 15) if weighted else NONE
    dense = sketch(A, p, width, seed)
    csr = sp.csr_array(A)
    found = sketch(csr, p, width, seed)
    assert sp.issparse(found)
    assert found.format == "csr"
    assert found.nnz <= csr.nnz
    assert found.dtype == dense.dtype == np.float32
    assert dense.flags.c_contiguous
    # Sums of the same float64 numbers in any order.
    assert_allclose(found.toarray(), dense, rtol=1e-6, atol=1e-6 * np.abs(dense).max(initial=0))
    assert_array_equal(csr.toarray(), A)


# ---- missing values


def with_gaps(seed, width=4, density=1.0, share=0.3):
    """Columns of several scales with missing cells and rows, and row weights of which some are 0."""
    Z, r = numbers(seed, width=width, density=density, weightless=0.2)
    rng = np.random.default_rng(seed)
    Z[rng.random(Z.shape) < share] = np.nan
    Z[rng.random(len(Z)) < 0.1] = np.nan
    return Z, r


def variance_of_known(columns, weights):
    """Weighted variance over known values of each column; 0 where nothing is known."""
    found = np.zeros(columns.shape[1])
    for j, column in enumerate(spelt_out(columns).astype(np.float64).T):
        known = ~np.isnan(column) & (weights > 0)
        if known.any():
            mean = np.average(column[known], weights=weights[known])
            found[j] = np.average((column[known] - mean) ** 2, weights=weights[known])
    return found


@given(SEEDS, st.sampled_from([1.0, 0.4, 0.1]), st.booleans())
def test_known_values_of_the_users_columns_have_variance_1_and_gaps_stay(seed, density, is_sparse):
    Z, r = with_gaps(seed, density=density)
    columns, weights = clustering_columns(
        Clustering(sp.csr_array(Z) if is_sparse else Z), None, None, NONE, r
    )
    assert len(weights) == 0
    assert sp.issparse(columns) == is_sparse
    assert columns.dtype == np.float32
    assert_array_equal(np.isnan(spelt_out(columns)), np.isnan(Z))
    varies = variance_of_known(Z, r) > 0
    assert_allclose(variance_of_known(columns, r)[varies], 1.0, rtol=1e-5)


@given(SEEDS, st.sampled_from([1.0, 0.4, 0.1]))
def test_dense_and_sparse_columns_with_gaps_become_the_same_numbers(seed, density):
    Z, r = with_gaps(seed, density=density)
    dense, _ = clustering_columns(Clustering(Z), None, None, NONE, r)
    sparse, _ = clustering_columns(Clustering(sp.csr_array(Z)), None, None, NONE, r)
    assert_array_equal(sparse.toarray(), dense)


@pytest.mark.parametrize("container", [np.array, sp.csr_array])
def test_zeros_and_ones_are_left_alone_beside_gaps(container):
    Z = np.array([[0, 1, np.nan], [0, 0, 1], [np.nan, 0, 1]], np.float32)
    columns, _ = clustering_columns(Clustering(container(Z)), None, None, NONE, np.ones(3))
    assert_array_equal(spelt_out(columns), Z)


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("far", [1e6, -1e12])
def test_known_values_far_from_zero_keep_their_precision(is_sparse, far):
    near = np.random.default_rng(0).normal(size=(50, 2)).round(3)
    near[:7, 0] = np.nan
    Z = near + far
    columns, _ = clustering_columns(
        Clustering(sp.csr_array(Z) if is_sparse else Z), None, None, NONE, np.ones(50)
    )
    twin = (near - np.nanmean(near, axis=0)) / np.nanstd(near, axis=0)
    room = 8 * np.finfo(np.float64).eps * abs(far) + 1e-6
    assert_allclose(spelt_out(columns), twin, rtol=0, atol=room)


@given(
    SEEDS,
    st.floats(0.01, 0.99),
    st.booleans(),
    st.sampled_from(["X", "Y", "both"]),
    st.booleans(),
)
def test_weights_times_what_is_known_add_up_to_the_share_of_each_group(
    seed, share, weighted, where, is_sparse
):
    Y, r = with_gaps(seed, width=3) if where != "X" else numbers(seed, width=3)
    X, _ = with_gaps(seed + 1, width=5) if where != "Y" else numbers(seed + 1, width=5)
    p = np.random.default_rng(seed).uniform(0.5, 2.0, 3) if weighted else NONE
    if is_sparse:
        X, Y = sp.csr_array(X), sp.csr_array(Y)
    columns, weights = clustering_columns(Clustering("targets+features", feature_weight=share), X, Y, p, r)
    known = ~np.isnan(np.hstack([spelt_out(Y), spelt_out(X)]))
    assert_array_equal(~np.isnan(spelt_out(columns)), known)
    known_share = r @ known / r.sum()
    assert_allclose(weights[:3] @ known_share[:3], 1 - share, rtol=1e-12)
    assert_allclose(weights[3:] @ known_share[3:], share, rtol=1e-12)
    assert_allclose(weights[3:] / weights[3], 1.0)
    assert_allclose(weights[:3] / weights[0], p / p[0] if weighted else 1.0)


@pytest.mark.parametrize("is_sparse", [False, True])
def test_columns_of_which_nothing_is_known_do_no_harm(is_sparse):
    X = np.column_stack([np.full(8, np.nan), np.arange(8.0)])
    Y = np.arange(8.0)[:, None] % 3
    form = sp.csr_array if is_sparse else np.asarray
    for clustering in (Clustering("features"), Clustering("targets+features"), Clustering(form(X))):
        columns, weights = clustering_columns(clustering, form(X), form(Y), NONE, np.ones(8))
        columns = spelt_out(columns)
        assert np.isfinite(weights).all()
        assert_array_equal(np.isnan(columns).all(axis=0).sum(), 1)
        assert_allclose(variance_of_known(columns[:, -1:], np.ones(8)), 1.0, rtol=1e-5)


@given(SEEDS, st.integers(1, 6), st.booleans(), st.booleans())
def test_a_sketch_of_gaps_is_a_sketch_of_the_means_of_what_is_known(seed, width, weighted, is_sparse):
    Z, _ = with_gaps(seed, width=7, density=0.6)
    Z[0] = 1.0
    p = np.random.default_rng(seed).uniform(0.0, 3.0, 7) if weighted else NONE
    filled = np.where(np.isnan(Z), np.nanmean(Z.astype(np.float64), axis=0), Z)
    found = sketch(sp.csr_array(Z) if is_sparse else Z, p, width, seed)
    assert found.dtype == np.float32
    expected = sketch(filled, p, width, seed)
    assert_allclose(spelt_out(found), expected, rtol=1e-5, atol=1e-6 * np.abs(filled).max())
    assert np.isfinite(spelt_out(found)).all()


def test_a_sketch_leaves_the_columns_it_is_made_of_alone():
    Z, _ = with_gaps(0, width=6)
    csr = sp.csr_array(Z)
    before = Z.copy()
    sketch(Z, NONE, 3, 0)
    sketch(csr, NONE, 3, 0)
    assert_array_equal(Z, before)
    assert_array_equal(csr.toarray(), before)


def test_a_column_of_which_nothing_is_known_adds_nothing_to_a_sketch():
    Z = np.column_stack([np.arange(5.0), np.full(5, np.nan), np.ones(5)])
    known = np.column_stack([np.arange(5.0), np.zeros(5), np.ones(5)])
    for form in (np.asarray, sp.csr_array):
        assert_array_equal(spelt_out(sketch(form(Z), NONE, 2, 3)), sketch(known, NONE, 2, 3))
