"""Claims about which features a split may combine: how they are drawn, and that no other has a weight."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from slantwood import GradientSplit, ObliqueForestClassifier, ObliqueTreeClassifier, SVMSplit
from slantwood.growth.subspaces import choose_features, draw_features
from slantwood.kernels.random import below, uniform
from slantwood.kernels.workspace import make_workspace, measure

pytestmark = pytest.mark.sampled

SEEDS = st.integers(1, 2**64 - 1)
BOTH_FORMS = pytest.mark.parametrize("form", ["dense", "sparse"])
SPLITS = pytest.mark.parametrize("split", ["gradient", "svm"])
LEARNERS = pytest.mark.parametrize(
    "learner",
    [
        GradientSplit.published(),
        replace(GradientSplit.published(), start="informed"),
        SVMSplit.published(),
    ],
    ids=["gradient, noise", "gradient, informed", "svm"],
)

# Rows that have each column, of twelve.
SUPPORT = np.array([1, 2, 3, 5, 9])


def with_support(support, n=12, seed=0):
    """Numbers of which so many of each column are not zero, in random rows."""
    rng = np.random.default_rng(seed)
    X = np.zeros((n, len(support)))
    for j, count in enumerate(support):
        X[rng.permutation(n)[:count], j] = rng.uniform(1, 2, count) + j
    return X


def measured(matrix, n):
    """A workspace in which all columns that vary are measured; and how many they are."""
    rows = np.arange(n, dtype=np.uint32)
    workspace = make_workspace(matrix, rows, False)
    return workspace, measure(matrix, rows, np.ones(n, np.float32), 1, workspace)


def stream(seed):
    return np.array([seed], np.uint64)


def chosen(matrix, n, size, state, per_row=0):
    """The columns in front after one draw."""
    workspace, n_active = measured(matrix, n)
    count = choose_features(matrix, workspace, n, n_active, size, per_row, state)
    return workspace.columns[:count].astype(int)


def arrivals(support, state):
    """Waiting times of the columns, in the order in which the draw asks for them."""
    return np.array([-math.log(uniform(state)) / s for s in support])


# ---- one draw


@pytest.mark.plain_python
@BOTH_FORMS
@given(seed=SEEDS, size=st.integers(1, 8))
def test_a_draw_has_exactly_its_size_and_no_column_twice(dense, sparse, form, seed, size):
    X = with_support([3, 4, 12, 5, 1, 7], seed=seed % 1000)
    found = chosen((dense if form == "dense" else sparse)(X), 12, size, stream(seed))
    assert len(found) == min(size, 6)
    assert len(set(found.tolist())) == len(found)
    assert set(found.tolist()) <= set(range(6))


@pytest.mark.plain_python
@BOTH_FORMS
@given(seed=SEEDS, size=st.integers(1, 6), draws=st.integers(1, 3))
def test_what_is_known_of_a_column_moves_with_it(dense, sparse, form, seed, size, draws):
    X = with_support([3, 4, 12, 5, 1, 7], seed=seed % 1000)
    matrix = (dense if form == "dense" else sparse)(X)
    workspace, n_active = measured(matrix, 12)
    known = ["mean", "variance", "offset"] + (["support"] if form == "sparse" else [])

    def by_column():
        return {
            int(workspace.columns[j]): tuple(float(getattr(workspace, name)[j]) for name in known)
            for j in range(n_active)
        }

    before = by_column()
    assert len(before) == 6
    state = stream(seed)
    for _ in range(draws):
        choose_features(matrix, workspace, 12, n_active, size, 0, state)
    assert by_column() == before


@pytest.mark.plain_python
@given(seed=SEEDS, size=st.integers(1, 5))
def test_dense_columns_are_dealt_like_cards(dense, seed, size):
    X = np.random.default_rng(0).normal(size=(4, 6))
    cards = list(range(6))
    state = stream(seed)
    for j in range(size):
        k = j + below(state, 6 - j)
        cards[j], cards[k] = cards[k], cards[j]
    assert_array_equal(chosen(dense(X), 4, size, stream(seed)), cards[:size])


def drawn_first(matrix, n, sizes, state):
    """Draw ever more columns of a dense matrix and measure them; the workspace, and counts by size."""
    rows, weights = np.arange(n, dtype=np.uint32), np.linspace(0.5, 2, n).astype(np.float32)
    workspace = make_workspace(matrix, rows, False)
    columns = np.arange(matrix.n_columns, dtype=np.uint32)
    n_drawn = n_active = 0
    counts = []
    for size in sizes:
        n_drawn, n_active = draw_features(
            matrix, rows, weights, workspace, columns, n_drawn, n_active, size, state
        )
        counts.append((n_drawn, n_active))
    return workspace, counts


@pytest.mark.plain_python
@given(seed=SEEDS, size=st.integers(1, 9), has_missing=st.booleans())
def test_columns_drawn_before_they_are_measured_are_measured_alike(dense, seed, size, has_missing):
    rng = np.random.default_rng(seed % 1000)
    X = np.hstack([rng.normal(size=(7, 6)) * 10.0 ** rng.integers(-3, 4, 6) + 5, np.full((7, 3), 7.0)])
    X = X[:, rng.permutation(9)]
    if has_missing:
        X[rng.random(X.shape) < 0.3] = np.nan
    matrix = dense(X)
    workspace, counts = drawn_first(matrix, 7, [size, 2 * size], stream(seed))
    rows, weights = np.arange(7, dtype=np.uint32), np.linspace(0.5, 2, 7).astype(np.float32)
    reference = make_workspace(matrix, rows, False)
    n_varying = measure(matrix, rows, weights, 1, reference)
    place = {int(column): k for k, column in enumerate(reference.columns[:n_varying])}
    for (n_drawn, n_active), wanted in zip(counts, [size, 2 * size], strict=True):
        assert n_active == min(wanted, n_varying)
        assert n_drawn <= 9
        assert n_drawn == 9 or n_active == wanted
    found = workspace.columns[: counts[-1][1]].tolist()
    assert len(set(found)) == len(found)
    for k, column in enumerate(found):
        # Sums of seven numbers in another order.
        assert_allclose(workspace.mean[k], reference.mean[place[column]], rtol=1e-12)
        assert_allclose(workspace.variance[k], reference.variance[place[column]], rtol=1e-9)
        assert_allclose(workspace.offset[k], reference.offset[place[column]], rtol=1e-12)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [1, 2, 3])
def test_columns_drawn_before_they_are_measured_are_equally_likely(dense, size):
    X = np.hstack([np.full((4, 3), 7.0), np.random.default_rng(0).normal(size=(4, 4))])
    state = stream(88172645463325252)
    count = {}
    for _ in range(N_DRAWS):
        workspace, _ = drawn_first(dense(X), 4, [size], state)
        found = tuple(sorted(workspace.columns[:size].tolist()))
        count[found] = count.get(found, 0) + 1
    sets = list(itertools.combinations(range(3, 7), size))
    assert_as_often(count, dict.fromkeys(sets, 1 / len(sets)))


@pytest.mark.plain_python
@given(seed=SEEDS, size=st.integers(1, 4))
def test_sparse_columns_are_those_that_arrive_first(sparse, seed, size):
    matrix = sparse(with_support(SUPPORT, seed=seed % 1000))
    workspace, n_active = measured(matrix, 12)
    times = arrivals(workspace.support[:n_active], stream(seed))
    first = workspace.columns[:n_active][np.argsort(times)[:size]].astype(int)
    assert set(chosen(matrix, 12, size, stream(seed)).tolist()) == set(first.tolist())


@pytest.mark.plain_python
@given(seed=SEEDS, size=st.integers(1, 4), per_row=st.integers(1, 3))
def test_sparse_columns_are_drawn_on_until_rows_have_enough_of_them(sparse, seed, size, per_row):
    X = with_support([1, 2, 3, 5, 9, 2, 4, 12, 7, 1], seed=seed % 1000)
    matrix = sparse(X)
    workspace, n_active = measured(matrix, 12)
    times = arrivals(workspace.support[:n_active], stream(seed))
    found = chosen(matrix, 12, size, stream(seed), per_row)
    # They are the first to arrive, at least as many as asked for, and rows have enough of them or all.
    first = workspace.columns[:n_active][np.argsort(times)[: len(found)]]
    assert set(found.tolist()) == set(first.tolist())
    assert len(found) >= size
    assert np.count_nonzero(X[:, found]) >= per_row * 12 or len(found) == n_active
    if np.count_nonzero(X[:, chosen(matrix, 12, size, stream(seed))]) >= per_row * 12:
        assert len(found) == size


@BOTH_FORMS
def test_where_all_columns_fit_none_is_drawn(dense, sparse, form):
    X = with_support(SUPPORT)
    state = stream(5)
    for size in (5, 6, 10**6):
        found = chosen((dense if form == "dense" else sparse)(X), 12, size, state, per_row=2)
        assert sorted(found.tolist()) == [0, 1, 2, 3, 4]
    assert state[0] == 5  # the stream is as it was


# ---- many draws

N_DRAWS = 4000


def often(matrix, n, size, seed=0):
    """How often each set of columns is drawn; the seed is mixed as those of trees are."""
    state = stream(int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]) | 1)
    count = {}
    for _ in range(N_DRAWS):
        found = tuple(sorted(chosen(matrix, n, size, state).tolist()))
        count[found] = count.get(found, 0) + 1
    return count


def assert_as_often(count, probability):
    """Counts within 4.5 standard deviations: of a hundred sets, one in a thousand tests has one outside."""
    assert abs(sum(probability.values()) - 1) < 1e-12
    assert set(count) <= set(probability)
    for drawn, p in probability.items():
        tolerance = 4.5 * math.sqrt(N_DRAWS * p * (1 - p))
        assert abs(count.get(drawn, 0) - N_DRAWS * p) <= max(tolerance, 4.5), drawn


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [1, 2, 4])
def test_every_set_of_dense_columns_is_as_likely(dense, size):
    X = np.random.default_rng(0).normal(size=(4, 6))
    sets = list(itertools.combinations(range(6), size))
    assert_as_often(often(dense(X), 4, size), dict.fromkeys(sets, 1 / len(sets)))


def one_after_another(support, size):
    """Probability of each set, if one column after another is drawn in proportion to its support."""
    probability = {}
    for ordered in itertools.permutations(range(len(support)), size):
        p, left = 1.0, float(sum(support))
        for j in ordered:
            p *= support[j] / left
            left -= support[j]
        drawn = tuple(sorted(ordered))
        probability[drawn] = probability.get(drawn, 0.0) + p
    return probability


@pytest.mark.sampled(2)
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_sparse_columns_are_drawn_in_proportion_to_the_rows_that_have_them(sparse, size):
    probability = one_after_another(SUPPORT, size)
    if size == 1:
        assert probability[(4,)] == 9 / 20
    assert_as_often(often(sparse(with_support(SUPPORT)), 12, size), probability)


def test_waiting_times_are_a_weighted_draw_without_replacement():
    # The reference of the reference: keys u^(1 / support), the largest first (Efraimidis & Spirakis 2006).
    keys = np.random.default_rng(0).random((N_DRAWS, 5)) ** (1 / SUPPORT)
    drawn = np.sort(np.argsort(-keys, axis=1)[:, :2], axis=1)
    count = {pair: int((drawn == pair).all(axis=1).sum()) for pair in itertools.combinations(range(5), 2)}
    assert_as_often(count, one_after_another(SUPPORT, 2))


# ---- in trees


@pytest.mark.plain_python
@BOTH_FORMS
@given(seed=SEEDS, size=st.integers(1, 6))
def test_constant_columns_are_never_drawn(dense, sparse, form, seed, size):
    X = np.hstack([with_support([3, 4, 5]), np.full((12, 3), 7.0), np.zeros((12, 3))])
    order = np.random.default_rng(seed % 1000).permutation(9)
    found = chosen((dense if form == "dense" else sparse)(X[:, order]), 12, size, stream(seed))
    assert len(found) == min(size, 3)
    assert (order[found] < 3).all()


@LEARNERS
@BOTH_FORMS
@pytest.mark.parametrize("max_features", [2, 5])
def test_constant_columns_leave_the_tree_as_it_was(plan, dense, sparse, learner, form, max_features):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (60, 5)) * 1.0
    Y = (X @ rng.normal(size=(5, 3)) > 0) * 1.0
    hold = dense if form == "dense" else sparse
    # Of a dense matrix with many more columns than wanted, columns are drawn before they are looked at, and
    # constant ones take their turns in the stream.
    where = np.array([0, 1, 3, 5, 6] if form == "dense" else [3, 11, 12, 30, 39])
    # Stored constants would decide whether a sparse block is turned into a dense one.
    wide = np.full((60, where[-1] + 1), 2.0 if form == "dense" else 0.0)
    wide[:, where] = X
    one, other = (
        replace(plan(M, Y, learner=learner, max_features=max_features), X=hold(M)).grow_tree(0)[0]
        for M in (X, wide)
    )
    assert len(one.left) > 5
    assert_array_equal(one.left, other.left)
    assert_array_equal(where[one.indices], other.indices)
    # The moments of a node are summed in another order, and float32 steps carry their last bits on.
    assert_allclose(one.weights, other.weights, rtol=1e-4)


def all_informative(n, density, seed=0):
    """Two classes that every one of 40 features tells apart a little."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 40)) + 2.0 * y[:, None]
    if density < 1:
        X = np.abs(X) * (rng.random((n, 40)) < density * (0.5 + y[:, None]))
    return X, y


@SPLITS
def test_features_outside_the_subset_have_no_weight(split):
    X, y = all_informative(300, 1.0)
    forest = ObliqueForestClassifier(n_estimators=10, split=split, max_features=5, random_state=0)
    trees = forest.fit(X, y).trees_
    n_weights = np.diff(trees.indptr)[trees.left >= 0]
    assert len(n_weights) >= 10
    # Of a few rows left two subsets may fail to divide them, so that a third is wider.
    assert (n_weights <= 5).mean() > 0.8
    roots = np.diff(trees.indptr)[trees.roots]
    assert (roots <= 5).all()
    assert (trees.weights != 0).all()
    # Over all trees most features have their turn.
    assert len(np.unique(trees.indices)) > 25


@LEARNERS
@BOTH_FORMS
def test_only_features_of_the_subset_have_weights_or_importance(plan, dense, sparse, learner, form):
    X, y = all_informative(200, 1.0 if form == "dense" else 0.3)
    hold = dense if form == "dense" else sparse
    data = plan(X, y, learner=learner, max_features=5, max_depth=1, min_impurity_decrease=0.0)
    used = set()
    for index in range(12):
        tree, importance = replace(data, X=hold(X)).grow_tree(index)
        assert len(tree.left) == 3
        assert 1 <= len(tree.indices) <= 5
        assert_array_equal(np.flatnonzero(importance), np.sort(tree.indices))
        used |= set(tree.indices.tolist())
    assert len(used) > 15


def one_informative(is_sparse, n_pairs=60, d=200, seed=0):
    """Rows in pairs that differ in one feature and in the class: the other features say nothing at all."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(n_pairs, d))
    if is_sparse:
        noise *= rng.random((n_pairs, d)) < 0.1
        noise[0] = 1.0  # every column varies
    X = np.repeat(noise, 2, axis=0)
    y = np.tile([0, 1], n_pairs)
    X[:, 77] = y
    return (sp.csr_array(X) if is_sparse else X), y


def forest_of(split, max_features, n_trees):
    return ObliqueForestClassifier(
        n_estimators=n_trees, split=split, max_features=max_features, bootstrap=False, random_state=0
    )


@pytest.mark.parametrize("split", [GradientSplit(start="informed"), "svm"], ids=["gradient", "svm"])
@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("max_features", ["sqrt", "log2", 0.1])
def test_one_informative_feature_among_many_is_found_by_wider_subsets(split, is_sparse, max_features):
    X, y = one_informative(is_sparse)
    forest = forest_of(split, max_features, 12).fit(X, y)
    # A subset without it divides nothing, and most subsets are without it: most trees had to look further.
    assert (forest.trees_.left[forest.trees_.roots] >= 0).all()
    assert_array_equal(forest.predict(X), y)
    assert forest.feature_importances_.argmax() == 77


@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("max_features", ["sqrt", "log2", 0.1])
def test_subsets_give_up_no_node_that_all_features_divide(is_sparse, max_features):
    # From noise, descent may miss one feature among 200 even where it has them all; its luck with subsets
    # must not be worse. Of 60 trees, 60 to 90 % succeed: a tenth is two standard deviations.
    X, y = one_informative(is_sparse)
    split = GradientSplit(start="noise")
    whole, subsets = (
        (trees.left[trees.roots] >= 0).mean()
        for trees in (forest_of(split, share, 60).fit(X, y).trees_ for share in (None, max_features))
    )
    assert whole > 0.5
    assert subsets > whole - 0.1


@SPLITS
@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
def test_a_node_that_no_feature_divides_is_a_leaf_after_all(split, is_sparse):
    X, y = one_informative(is_sparse)
    X = sp.lil_array(X)
    X[:, 77] = 0.0
    X = sp.csr_array(X) if is_sparse else X.toarray()
    tree = ObliqueTreeClassifier(split=split, max_features="sqrt", random_state=0).fit(X, y)
    assert_array_equal(tree.trees_.left, [-1])
