"""Claims about the WODT split: which classes it sees, the entropy it lowers, and where it ends."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import expit, xlogy

from slantwood import ObliqueTreeClassifier, ObliqueTreeRegressor
from slantwood.splits.protocol import learn
from slantwood.splits.wodt import WODTSplit, _make_sides, class_numbers, evaluate

pytestmark = pytest.mark.sampled

STREAM = 88172645463325252
SEEDS = st.integers(0, 2**32 - 1)
BOTH = pytest.mark.parametrize("form", [0, 1], ids=["dense", "sparse"])
plain = pytest.mark.plain_python


def learned(X, Z, weights=None, seed=STREAM, **given):
    weights = np.ones(X.n_rows, np.float32) if weights is None else np.asarray(weights, np.float32)
    parameters = WODTSplit(**{"feature_power": 1.0, "min_support": 1} | given).compiled()
    return learn(parameters, X, Z, weights, np.array([seed], np.uint64))


def numbered(Z):
    """Class numbers as the kernel writes them, and which are known."""
    classes, known = np.full(Z.n_rows, -1, np.int64), np.empty(Z.n_rows, np.bool_)
    count = class_numbers(Z, classes, known)
    assert ((classes >= 0) & (classes < count)).all()
    return classes, known


def encoded(y, n_classes):
    """Targets as the estimators encode classes: one column for two, one per class for more; NaN for -1."""
    table = (y[:, None] == np.arange(n_classes)).astype(np.float64)
    table[y < 0] = np.nan
    return table[:, 1:] if n_classes == 2 else table


def scaled(blocks_of, values, weights=None):
    """Both forms of the numbers, of weighted mean 0 and variance 1 by column."""
    mean = np.average(values, axis=0, weights=weights)
    deviation = np.sqrt(np.average((values - mean) ** 2, axis=0, weights=weights))
    return blocks_of(values / deviation, mean / deviation)


def made(blocks_of, seed, n_classes=3, n=60, d=4):
    """Features that say something about the classes in both forms, the classes, and row weights."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % n_classes)
    X = rng.normal(size=(n, d)) + rng.normal(size=(n_classes, d))[y]
    X *= rng.random((n, d)) < 0.8
    weights = rng.uniform(0.2, 4, n).astype(np.float32)
    return scaled(blocks_of, X, weights), y, weights


def class_block(gathered, hold, y, weights=None, n_classes=3):
    return gathered(hold(encoded(y, n_classes)), weights=weights)[0]


# ---- the slow twin


def class_weights(s, y, r):
    return np.array([[(r * side)[y == k].sum() for k in np.unique(y)] for side in (1 - s, s)])


def entropy(s, y, r):
    """W_L H(L) + W_R H(R) of soft sides, as a share of the weight."""
    sums = class_weights(s, y, r)
    return -xlogy(sums, sums / sums.sum(axis=1, keepdims=True)).sum() / r.sum()


def objective(plane, X, y, r, alpha):
    """The entropy and the penalty of w and b, and their gradient."""
    r = r.astype(np.float64)
    s = np.clip(expit(X @ plane[:-1] + plane[-1]), 1e-12, 1 - 1e-12)
    L, R = class_weights(s, y, r)
    logs = (np.log(L / L.sum()) - np.log(R / R.sum()))[np.unique(y, return_inverse=True)[1]]
    h = r / r.sum() * logs * s * (1 - s)
    value = entropy(s, y, r) + alpha / 2 * plane[:-1] @ plane[:-1]
    return value, np.append(h @ X + alpha * plane[:-1], h.sum())


# ---- classes


@plain
@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("power", [0.0, 0.75, 1.0])
@given(
    st.integers(2, 5).flatmap(
        lambda k: st.tuples(st.just(k), st.lists(st.integers(-1, k - 1), min_size=2, max_size=12))
    ),
    SEEDS,
)
def test_rows_of_one_class_and_no_others_have_one_number(request, gathered, form, power, node, seed):
    n_classes, y = node[0], np.array(node[1])
    weights = 10.0 ** np.random.default_rng(seed).integers(-6, 7, len(y))
    Z, columns, _ = gathered(
        request.getfixturevalue(form)(encoded(y, n_classes)), weights=weights, power=power
    )
    if len(columns) == 0:
        assert len(set(y[y >= 0])) < 2
        return
    classes, known = numbered(Z)
    assert_array_equal(known, y >= 0)
    pairs = set(zip(classes[known], y[known], strict=True))
    assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


@plain
@BOTH
def test_a_class_whose_column_is_not_there_has_a_number_too(blocks_of, form):
    # Three classes, of which rounding left two columns.
    y = np.array([0, 1, 2, 2, 1, 0])
    table = encoded(y, 3)[:, :2]
    assert_array_equal(numbered(blocks_of(table, table.mean(axis=0))[form])[0], [0, 1, 2, 2, 1, 0])


@plain
def test_columns_that_a_sparse_block_centres_explicitly_are_read_as_well(blocks_of):
    _, Z = blocks_of(np.array([[0.5, -2.0], [-0.5, 1.0], [-0.5, 1.0]]))
    assert_array_equal(numbered(Z)[0], [0, 1, 1])


@plain
@pytest.mark.parametrize("heavy", [0, 1])
def test_the_class_of_a_row_that_weighs_next_to_nothing_is_seen(gathered, dense, heavy):
    y = np.array([heavy, 1 - heavy, heavy])
    Z = class_block(gathered, dense, y, [1e12, 1e-12, 1e12], n_classes=2)
    classes, _ = numbered(Z)
    assert classes[0] == classes[2] != classes[1]


# ---- the objective


@plain
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("seed", range(3))
def test_entropy_and_slope_are_those_of_the_formulas(gathered, dense, n_classes, seed):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(30) % n_classes)
    weights = rng.uniform(0.2, 4, 30).astype(np.float32)
    sides, found = _make_sides(class_block(gathered, dense, y, weights, n_classes), weights)
    assert found
    u, du = rng.normal(size=(2, 30))
    sides.u[:], sides.du[:] = u, du
    r = weights.astype(np.float64)
    for step in (0.0, 0.7, 4.0):
        value, slope = evaluate(sides, step)
        assert_allclose(value, entropy(expit(u + step * du), y, r), rtol=1e-5)
        ends = [entropy(expit(u + (step + e) * du), y, r) for e in (1e-5, -1e-5)]
        assert_allclose(slope, (ends[0] - ends[1]) / 2e-5, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("alpha", [1e-3, 1e-2])
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("seed", range(5))
def test_it_ends_where_a_slow_optimiser_finds_nothing_better_nearby(
    gathered, blocks_of, standardised_of, dense, alpha, n_classes, seed
):
    (X, _), y, weights = made(blocks_of, seed, n_classes)
    Z = class_block(gathered, dense, y, weights, n_classes)
    w, b, found = learned(X, Z, weights, alpha=alpha, max_iter=1000, tol=0.0)
    assert found
    given = standardised_of(X), y, weights, alpha
    end = np.append(w, b).astype(np.float64)
    value, _ = objective(end, *given)
    best = minimize(objective, end, given, jac=True, method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-9})
    # The soft sides are float32 numbers, so the entropy is known to about 1e-7.
    assert value - best.fun < 3e-6
    assert_allclose(w / np.linalg.norm(w), best.x[:-1] / np.linalg.norm(best.x[:-1]), atol=0.02)


@plain
@pytest.mark.parametrize("seed", range(3))
def test_more_steps_are_never_worse(gathered, blocks_of, standardised_of, dense, seed):
    (X, _), y, weights = made(blocks_of, seed)
    Z = class_block(gathered, dense, y, weights)
    values = []
    for max_iter in (1, 2, 4, 8, 16):
        w, b, _ = learned(X, Z, weights, max_iter=max_iter)
        values.append(objective(np.append(w, b).astype(np.float64), standardised_of(X), y, weights, 0.003)[0])
    assert (np.diff(values) <= 1e-6).all()
    assert values[-1] < values[0] - 0.01


# ---- splits


@plain
@pytest.mark.parametrize("start", ["spread", "noise"])
@pytest.mark.parametrize("seed", range(3))
def test_classes_that_a_plane_separates_are_separated(
    gathered, blocks_of, standardised_of, sparse, start, seed
):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(80, 3))
    y = (values @ [1.0, -1.0, 0.5] > 0.3).astype(int)
    values += 0.4 * np.where(y, 1.0, -1.0)[:, None] * [1.0, -1.0, 0.5]
    X, _ = scaled(blocks_of, values)
    w, b, found = learned(X, class_block(gathered, sparse, y, n_classes=2), start=start)
    assert found
    agreement = ((standardised_of(X) @ w + b >= 0) == y).mean()
    assert max(agreement, 1 - agreement) == 1.0


@plain
@pytest.mark.parametrize("alpha", [0.0, 0.003, 100.0])
def test_where_the_penalty_leaves_nothing_it_is_left_out(gathered, blocks_of, standardised_of, dense, alpha):
    # Four corners, and the classes lie across: to first order no direction tells them apart.
    corners = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]])
    values = np.tile(corners, (10, 1)) + np.random.default_rng(0).normal(size=(40, 2)) * 0.05
    y = np.tile([0, 0, 1, 1], 10)
    X, _ = scaled(blocks_of, values)
    w, b, found = learned(X, class_block(gathered, dense, y, n_classes=2), alpha=alpha)
    assert found
    side = standardised_of(X) @ w + b >= 0
    assert entropy(side.astype(np.float64), y, np.ones(40)) < 0.9 * np.log(2)


@plain
@BOTH
@pytest.mark.parametrize("n_classes", [2, 4])
def test_rows_of_unknown_class_take_part_in_nothing(gathered, blocks_of, dense, sparse, form, n_classes):
    hold = (dense, sparse)[form]
    X, y, weights = made(blocks_of, 5, n_classes)
    X = X[form]
    few = X._replace(n_rows=40, values=X.values[:40], indptr=X.indptr[:41])
    partly = np.where(np.arange(60) < 40, y, -1)
    all_rows = learned(X, class_block(gathered, hold, partly, weights, n_classes), weights, max_iter=8)
    alone = learned(
        few, class_block(gathered, hold, y[:40], weights[:40], n_classes), weights[:40], max_iter=8
    )
    assert all_rows[2]
    assert_allclose(np.append(*all_rows[:2]), np.append(*alone[:2]), rtol=1e-3, atol=1e-3)


@plain
@pytest.mark.parametrize("seed", range(3))
def test_dense_and_sparse_features_give_the_same_split(gathered, blocks_of, dense, sparse, seed):
    (X, same), y, weights = made(blocks_of, seed)
    one = learned(X, class_block(gathered, dense, y, weights), weights, max_iter=8)
    other = learned(same, class_block(gathered, sparse, y, weights), weights, max_iter=8)
    assert_allclose(np.append(*one[:2]), np.append(*other[:2]), rtol=1e-3, atol=1e-3)


@plain
@pytest.mark.parametrize("factor", [2.0**-40, 2.0**40])
def test_the_scale_of_all_weights_does_not_matter_at_all(gathered, blocks_of, dense, factor):
    (X, _), y, weights = made(blocks_of, 1)
    Z = class_block(gathered, dense, y, weights)
    one, same = learned(X, Z, weights), learned(X, Z, weights * np.float32(factor))
    assert one[2]
    assert_array_equal(one[0], same[0])
    assert one[1] == same[1]


@plain
@BOTH
def test_features_without_variation_give_no_split(gathered, blocks_of, dense, form):
    X = blocks_of(np.zeros((6, 2)))[form]
    Z = class_block(gathered, dense, np.array([0, 1, 0, 1, 0, 1]), n_classes=2)
    _, _, found = learned(X, Z)
    assert not found


# ---- parameters


@plain
@pytest.mark.parametrize("task", ["binary", "multi-class"])
@pytest.mark.parametrize("sparse_features", [False, True])
def test_two_classes_of_dense_features_are_for_random_forests(task, sparse_features):
    preferred = WODTSplit().preferences(SimpleNamespace(task=task, sparse_features=sparse_features))
    wanted = task == "binary" and not sparse_features
    assert preferred == ({"bootstrap": True, "max_features": "sqrt"} if wanted else {})


@plain
def test_the_published_split_starts_from_noise_without_penalty():
    published = WODTSplit.published()
    assert (published.alpha, published.start) == (0.0, "noise")


@pytest.mark.parametrize("y", [np.linspace(0, 1, 20), np.tile([[0, 1], [1, 0]], (10, 1))])
def test_it_is_for_classes_only(y):
    kind = ObliqueTreeRegressor if y.ndim == 1 else ObliqueTreeClassifier
    X = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.raises(ValueError, match="split='wodt' is for 'binary', 'multi-class' targets"):
        kind(split="wodt").fit(X, y)
