"""A split learner of the user's own: what it is shown, what becomes of its result, and what is refused."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, clone
from sklearn.tree import DecisionTreeRegressor

from slantwood import (
    Clustering,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
)

pytestmark = pytest.mark.sampled

FORESTS = (ObliqueForestClassifier, ObliqueForestRegressor)
DENSITIES = pytest.mark.parametrize("density", [1.0, 0.08], ids=["dense", "sparse"])


class Correlation:
    """Along the correlations of the features with a random mixture of the attributes, cut at the mean."""

    def learn(self, X, Z, p, weights, rng):
        mixture = Z @ (rng.normal(size=Z.shape[1]) * np.sqrt(p))
        mixture = mixture - np.average(mixture, weights=weights)
        w = X.T @ (weights * mixture)
        return w, -np.average(X @ w, weights=weights)


class Recorder(Correlation):
    """The same, with a record of everything it was shown and returned."""

    def __init__(self):
        self.calls = []

    def learn(self, X, Z, p, weights, rng):
        shown = tuple(a.copy() for a in (X, Z, p, weights))
        result = super().learn(X, Z, p, weights, rng)
        self.calls.append((*shown, *result))
        return result


class Always:
    """Always the same result."""

    def __init__(self, result):
        self.result = result

    def learn(self, X, Z, p, weights, rng):
        return self.result(X.shape[1]) if callable(self.result) else self.result


class BestThreshold:
    """The axis-parallel cut that removes the most variance: what ordinary regression trees do."""

    def learn(self, X, Z, p, weights, rng):
        X = X.toarray() if sp.issparse(X) else X
        Z = (Z.toarray() if sp.issparse(Z) else Z) * np.sqrt(p)
        Z = Z - np.average(Z, axis=0, weights=weights)
        best, result = 0.0, None
        for j in range(X.shape[1]):
            order = np.argsort(X[:, j], kind="stable")
            x, r = X[order, j], weights[order]
            sums, left = np.cumsum(r[:, None] * Z[order], axis=0)[:-1], np.cumsum(r)[:-1]
            gain = (sums**2).sum(axis=1) / (left * (r.sum() - left)) * r.sum()
            gain[x[1:] <= x[:-1]] = -1.0
            if gain.max() > best:
                k = gain.argmax()
                best, result = gain[k], (np.eye(X.shape[1])[j], -(x[k] + x[k + 1]) / 2)
        return result


TASKS = [
    "binary",
    "multi-class",
    "multi-label",
    "multi-label, sparse",
    "regression",
    "multi-target regression",
]
MODELS = [
    (kind, task)
    for task in TASKS
    for kind in (
        (ObliqueTreeRegressor, ObliqueForestRegressor)
        if "regression" in task
        else (ObliqueTreeClassifier, ObliqueForestClassifier)
    )
]
EVERY_MODEL = pytest.mark.parametrize(("kind", "task"), MODELS)


def problem(task, density=1.0, n=100, seed=0):
    """Features, dense or mostly zeros, and targets of one task that depend on the first few."""
    rng = np.random.default_rng(seed)
    d = 6 if density == 1 else 50
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < density)
    noisy = X[:, :4] * 3 + 0.3 * rng.normal(size=(n, 4))
    y = {
        "binary": (noisy[:, 0] > 0).astype(int),
        "multi-class": np.array(["a", "b", "c", "d"])[noisy.argmax(axis=1)],
        "multi-label": (noisy > 0).astype(int),
        "multi-label, sparse": sp.csr_array((noisy > 0.6).astype(int)),
        "regression": noisy[:, 0],
        "multi-target regression": noisy,
    }[task]
    return (X if density == 1 else sp.csr_array(X)), y


def made(kind, split, **parameters):
    few = {"n_estimators": 4} if kind in FORESTS else {}
    return kind(**{**few, "split": split, "random_state": 0, **parameters})


def scores(model, X):
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)


def same_model(a, b, X):
    pairs = zip(a.trees_[:-1], b.trees_[:-1], strict=True)
    return all(np.array_equal(x, y) for x, y in pairs) and np.array_equal(scores(a, X), scores(b, X))


def spelt_out(matrix):
    return matrix.toarray() if sp.issparse(matrix) else matrix


def moments(columns, weights):
    columns = spelt_out(columns)
    mean = np.average(columns, axis=0, weights=weights)
    return mean, np.average((columns - mean) ** 2, axis=0, weights=weights)


# ---- every estimator


@EVERY_MODEL
@DENSITIES
def test_a_learner_of_ones_own_works_in_every_estimator_and_task(kind, task, density):
    X, y = problem(task, density)
    model = made(kind, Correlation()).fit(X, y)
    n_splits = (model.trees_.left >= 0).sum()
    assert n_splits >= 3 * model.trees_.n_trees
    again = made(kind, Correlation()).fit(X, y)
    assert same_model(model, again, X)
    # Better than no split at all, on the rows it was fitted on.
    if "regression" in task:
        assert model.score(X, y) > 0.2
    elif "label" not in task:
        assert model.score(X, y) > np.unique(y, return_counts=True)[1].max() / len(y) + 0.1
    else:
        wrong = np.abs(spelt_out(y) - model.predict_proba(X)).mean()
        of_means = np.abs(spelt_out(y) - spelt_out(y).mean(axis=0)).mean()
        assert wrong < 0.8 * of_means


@pytest.mark.parametrize(("kind", "task"), [case for case in MODELS if case[0] in FORESTS])
@DENSITIES
def test_the_number_of_threads_does_not_change_the_model(kind, task, density):
    X, y = problem(task, density)
    one, two = (
        made(kind, Correlation(), n_jobs=n_jobs, bootstrap=True, max_features=5).fit(X, y)
        for n_jobs in (1, 2)
    )
    assert same_model(one, two, X)


def test_nodes_and_trees_have_generators_of_their_own():
    drawn = []

    class Draws(Correlation):
        def learn(self, X, Z, p, weights, rng):
            drawn.append(rng.random())
            return super().learn(X, Z, p, weights, rng)

    X, y = problem("multi-target regression")
    made(ObliqueForestRegressor, Draws(), random_state=1, bootstrap=False).fit(X, y)
    once = drawn.copy()
    assert len(once) > 20
    assert len(set(once)) == len(once)
    drawn.clear()
    made(ObliqueForestRegressor, Draws(), random_state=1, bootstrap=False).fit(X, y)
    assert drawn == once
    drawn.clear()
    made(ObliqueForestRegressor, Draws(), random_state=2, bootstrap=False).fit(X, y)
    assert not set(drawn) & set(once)


# ---- what the learner is shown


@DENSITIES
@pytest.mark.parametrize("task", TASKS)
def test_the_learner_sees_standardised_columns_at_every_node(task, density):
    X, y = problem(task, density)
    weights = np.random.default_rng(1).uniform(0.5, 2.0, X.shape[0])
    kind = ObliqueTreeRegressor if "regression" in task else ObliqueTreeClassifier
    recorder = Recorder()
    model = made(kind, recorder, normalize_rows=False, min_samples_split=2)
    model.fit(X, y, sample_weight=weights)
    assert len(recorder.calls) >= (model.trees_.left >= 0).sum() >= 5
    assert density == 1 or any(sp.issparse(call[0]) for call in recorder.calls)
    for features, attributes, p, r, *_ in recorder.calls:
        assert features.shape[0] == attributes.shape[0] == len(r)
        assert p.shape == (attributes.shape[1],)
        assert (r > 0).all()
        for columns in (features, attributes):
            mean, variance = moments(columns, r)
            # Blocks are float32; a value of a rare column may be ten deviations away.
            assert_allclose(variance, 1.0, rtol=2e-5)
            if not sp.issparse(columns):
                assert_allclose(mean, 0.0, atol=1e-5)
        assert_allclose(p, 1.0, rtol=2e-5)


@DENSITIES
def test_the_root_sees_the_users_numbers_up_to_shift_and_scale(density):
    X, y = problem("multi-target regression", density)
    weights = np.random.default_rng(1).uniform(0.5, 2.0, X.shape[0])
    recorder = Recorder()
    made(ObliqueTreeRegressor, recorder, normalize_rows=False, max_depth=1).fit(X, y, sample_weight=weights)
    features, attributes, _, r, *_ = recorder.calls[0]
    assert_array_equal(r, (weights / weights.mean()).astype(np.float32))
    assert sp.issparse(features) == (density < 1)
    mean, variance = moments(X, weights)
    dense = spelt_out(X)
    used = np.flatnonzero(variance > 0)
    shift = mean if density == 1 else 0.0
    twin = ((dense - shift) / np.sqrt(np.where(variance > 0, variance, 1.0)))[:, used]
    # Sparse columns come in the order in which rows have them: compare them as sets of columns.
    found = spelt_out(features)
    order = np.lexsort(found.round(3)), np.lexsort(twin.round(3))
    assert_allclose(
        found[:, order[0]] if density == 1 else np.sort(found, axis=1),
        twin[:, order[1]] if density == 1 else np.sort(twin, axis=1),
        atol=1e-5,
    )
    mean, variance = moments(y, weights)
    assert_allclose(attributes, (y - mean) / np.sqrt(variance), atol=1e-5)


def test_weights_of_targets_arrive_as_p():
    X, y = problem("multi-target regression")
    weights = np.array([0.5, 3.0, 1.0, 20.0])
    recorder = Recorder()
    made(ObliqueTreeRegressor, recorder, target_weights=weights).fit(X, y)
    for _, attributes, p, r, *_ in recorder.calls:
        assert_allclose(p, weights, rtol=2e-5)
        assert_allclose(moments(attributes, r)[1], 1.0, rtol=2e-5)


def test_weights_of_sparse_labels_arrive_as_p():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 5))
    Y = rng.random((80, 40)) < 0.1
    Y[0] = ~Y[1]  # every label varies
    weights = rng.uniform(0.5, 4.0, 40)
    recorder = Recorder()
    tree = made(ObliqueTreeClassifier, recorder, target_weights=weights, normalize_labels=False, max_depth=1)
    tree.fit(X, sp.csr_array(Y.astype(int)))
    _, attributes, p, r, *_ = recorder.calls[0]
    assert sp.issparse(attributes)
    assert_allclose(moments(attributes, r)[1], 1.0, rtol=2e-5)
    assert_allclose(np.sort(p), np.sort(weights), rtol=2e-5)
    # Each weight stands at its column: that of so many ones.
    ones = {round(w, 3): int(n) for w, n in zip(weights, Y.sum(axis=0), strict=True)}
    assert [ones[round(w, 3)] for w in p] == (attributes != 0).sum(axis=0).tolist()


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_shares_of_targets_and_features_arrive_as_p(share):
    X, y = problem("multi-target regression")
    recorder = Recorder()
    tree = made(ObliqueTreeRegressor, recorder, max_depth=1)
    tree.fit(X, y, clustering=Clustering("targets+features", feature_weight=share))
    _, attributes, p, r, *_ = recorder.calls[0]
    assert np.isfinite(attributes).all()
    counts = np.array([1 - share] * 4 + [share] * 6) / np.array([4] * 4 + [6] * 6)
    # Attributes that do not count are left out; a group alone has weights of 1, of which only ratios matter.
    assert_allclose(p / p.sum(), counts[counts > 0], rtol=2e-5)
    assert_allclose(moments(attributes, r)[1], 1.0, rtol=2e-5)


@pytest.mark.parametrize("density", [1.0, 0.05])
def test_attributes_of_the_users_own_arrive_as_z(density):
    X, y = problem("regression")
    Z = np.random.default_rng(3).normal(size=(100, 30))
    Z *= np.random.default_rng(4).random(Z.shape) < density
    Z[0] = 1.0
    recorder = Recorder()
    made(ObliqueTreeRegressor, recorder, max_depth=1).fit(X, y, clustering=Z)
    attributes = recorder.calls[0][1]
    assert attributes.shape == Z.shape
    assert sp.issparse(attributes) == (density < 1)
    spread = np.sort(np.ptp(Z, axis=0) / Z.std(axis=0))
    assert_allclose(np.sort(np.ptp(spelt_out(attributes), axis=0)), spread, rtol=1e-4)


@DENSITIES
@pytest.mark.parametrize("max_features", [5, 0.5])
def test_max_features_limits_the_columns_that_the_learner_sees(density, max_features):
    X, y = problem("multi-target regression", density)
    recorder = Recorder()
    model = made(ObliqueForestRegressor, recorder, max_features=max_features, normalize_rows=False).fit(X, y)
    limit = max(5, max_features if max_features > 1 else int(np.ceil(max_features * X.shape[1])))
    widths = np.array([call[0].shape[1] for call in recorder.calls])
    if density == 1:  # sparse subsets may be larger, so that rows have any of their features
        first = [len(r) == 100 for _, _, _, r, *_ in recorder.calls]
        assert (widths[first] == limit).all()
    assert widths.min() <= limit
    assert np.diff(model.trees_.indptr).max() <= widths.max()
    assert widths.max() < X.shape[1] or (widths < X.shape[1]).any()


# ---- what becomes of the result


@DENSITIES
@pytest.mark.parametrize("seed", range(4))
def test_rows_on_the_far_side_of_the_hyperplane_go_right(density, seed):
    X, y = problem("multi-target regression", density, seed=seed)
    recorder = Recorder()
    tree = made(ObliqueTreeRegressor, recorder, max_depth=1, min_impurity_decrease=0.0).fit(X, y)
    features, _, _, _, w, b = recorder.calls[0]
    score = features @ w + b
    clear = np.abs(score) > 1e-4 * np.abs(score).max()  # float32 decides nearer to the hyperplane
    assert clear.mean() > 0.9
    assert_array_equal(tree.trees_.right[:1], [2])
    assert_array_equal(tree.apply(X)[clear], np.where(score >= 0, 2, 1)[clear])


@DENSITIES
def test_rows_of_every_node_are_routed_as_its_hyperplane_says(density):
    X, y = problem("multi-target regression", density)
    recorder = Recorder()
    tree = made(ObliqueTreeRegressor, recorder, min_impurity_decrease=0.0, max_depth=4).fit(X, y)
    sizes = np.asarray(tree.decision_path(X).sum(axis=0)).ravel()
    inner = np.flatnonzero(tree.trees_.left >= 0)
    # Nodes ask in their order; a call without a split has none of them.
    asked = [(len(call[3]), call) for call in recorder.calls]
    position = 0
    for node in inner:
        while True:
            size, (features, _, _, _, w, b) = asked[position]
            position += 1
            n_right = int((features @ w + b >= 0).sum())
            if size == sizes[node] and 0 < n_right < size:
                break
        assert abs(n_right - sizes[tree.trees_.right[node]]) <= 1  # one row may lie on the hyperplane


@pytest.mark.parametrize("kind", [ObliqueTreeClassifier, ObliqueForestClassifier])
@DENSITIES
@pytest.mark.parametrize(
    "result",
    [None, lambda d: (np.zeros(d), 1.0), lambda d: (np.ones(d), 1e6), lambda d: (np.ones(d), -1e6)],
    ids=["None", "no weights", "all right", "all left"],
)
def test_no_hyperplane_or_one_that_divides_nothing_makes_a_leaf(kind, density, result):
    X, y = problem("binary", density)
    model = made(kind, Always(result), min_impurity_decrease=0.0).fit(X, y)
    assert (model.trees_.left < 0).all()
    assert np.isfinite(model.predict_proba(X)).all()
    assert_array_equal(model.feature_importances_, 0.0)


@DENSITIES
@pytest.mark.parametrize("task", TASKS)
def test_a_learner_that_writes_on_what_it_is_shown_changes_nothing(density, task):
    class Scribbler(Correlation):
        def learn(self, X, Z, p, weights, rng):
            result = super().learn(X, Z, p, weights, rng)
            for matrix in (X, Z):
                if sp.issparse(matrix):
                    matrix.data[:] = 7.0
                    matrix.indices[:] = 0
                    matrix.indptr[:] = 0
                else:
                    matrix[:] = 7.0
            p[:] = 7.0
            weights[:] = 7.0
            return result

    X, y = problem(task, density)
    kind = ObliqueForestRegressor if "regression" in task else ObliqueForestClassifier
    before = spelt_out(X).copy(), spelt_out(y).copy()
    weights = np.random.default_rng(0).uniform(0.5, 2.0, X.shape[0])
    neat, scribbled = (
        made(kind, learner, max_features=5).fit(X, y, sample_weight=weights)
        for learner in (Correlation(), Scribbler())
    )
    assert same_model(neat, scribbled, X)
    assert_array_equal(spelt_out(X), before[0])
    assert_array_equal(spelt_out(y), before[1])


@pytest.mark.parametrize(
    "form",
    [
        list,
        tuple,
        np.float32,
        np.float64,
        lambda w: np.asfortranarray(np.tile(w, (2, 1)))[0],
        lambda w: np.require(w.astype(np.float32), requirements="W")[::-1][::-1],
        lambda w: np.tile(w.astype(np.float32), (3, 1)).T[:, 1],
    ],
)
def test_weights_may_come_in_any_container(form):
    class Wrapped(Correlation):
        def learn(self, X, Z, p, weights, rng):
            w, b = super().learn(X, Z, p, weights, rng)
            return [form(np.asarray(w)), np.float32(b)]

    X, y = problem("binary")
    plain = made(ObliqueTreeClassifier, Correlation(), max_depth=2).fit(X, y)
    assert_array_equal(made(ObliqueTreeClassifier, Wrapped(), max_depth=2).fit(X, y).apply(X), plain.apply(X))


@pytest.mark.parametrize("density", [1.0, 0.15], ids=["dense", "sparse"])
# Below the root the two bring several targets to different units.
@pytest.mark.parametrize(("depth", "several"), [(1, False), (3, False), (1, True)])
def test_the_rule_of_ordinary_trees_grows_the_ordinary_tree(depth, density, several):
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(200, 8)) * (rng.random((200, 8)) < density)).astype(np.float32)
    Y = np.column_stack([np.sin(2 * X[:, 0]) + X[:, 1], X[:, 2] * X[:, 0]]) + 0.1 * rng.normal(size=(200, 2))
    weights = rng.uniform(0.5, 2.0, 200)
    Y /= np.sqrt(moments(Y, weights)[1])  # ordinary trees leave targets in the units they have
    y = Y if several else Y[:, 0]
    ours = ObliqueTreeRegressor(
        split=BestThreshold(),
        max_depth=depth,
        min_samples_split=2,
        min_impurity_decrease=0.0,
        normalize_rows=False,
    ).fit(X if density == 1 else sp.csr_array(X), y, sample_weight=weights)
    theirs = DecisionTreeRegressor(max_depth=depth, random_state=0).fit(X, y, sample_weight=weights)
    assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-5)
    if density == 1:
        fresh = rng.normal(size=(500, 8)).astype(np.float32)
        # Thresholds are midpoints in both, here in units of the node: a row in 500 may fall between.
        assert np.isclose(ours.predict(fresh), theirs.predict(fresh), atol=1e-5).mean() > 0.995
    if depth == 1:
        j = ours.trees_.indices[0]
        assert j == theirs.tree_.feature[0]
        assert_allclose(-ours.trees_.bias[0] / ours.trees_.weights[0], theirs.tree_.threshold[0], rtol=1e-5)


# ---- as a parameter of an estimator


def test_estimators_with_a_learner_of_ones_own_can_be_cloned_pickled_and_asked_for_it():
    learner = Correlation()
    model = made(ObliqueForestClassifier, learner)
    assert model.get_params()["split"] is learner
    X, y = problem("binary")
    fitted = clone(model).fit(X, y)
    assert isinstance(fitted.split, Correlation)
    assert same_model(fitted, model.fit(X, y), X)
    assert same_model(pickle.loads(pickle.dumps(fitted)), fitted, X)
    assert same_model(
        model.set_params(split="svm").fit(X, y), made(ObliqueForestClassifier, "svm").fit(X, y), X
    )


def test_a_learner_may_be_a_scikit_learn_estimator_with_parameters():
    class Tilted(BaseEstimator):
        def __init__(self, tilt=0.0):
            self.tilt = tilt

        def learn(self, X, Z, p, weights, rng):
            w, b = Correlation().learn(X, Z, p, weights, rng)
            return w, b + self.tilt * np.abs(w).sum()

    X, y = problem("regression")
    model = made(ObliqueTreeRegressor, Tilted(), max_depth=1)
    straight = model.fit(X, y).apply(X)
    tilted = clone(model).set_params(split__tilt=0.2).fit(X, y).apply(X)
    assert (tilted == 2).sum() > (straight == 2).sum()


@pytest.mark.parametrize("density", [1.0, 0.08])
def test_a_forest_of_ones_own_can_be_continued(density):
    X, y = problem("multi-label", density)
    at_once = made(ObliqueForestClassifier, Correlation(), n_estimators=5).fit(X, y)
    continued = made(ObliqueForestClassifier, Correlation(), n_estimators=2, warm_start=True).fit(X, y)
    assert same_model(continued.set_params(n_estimators=5).fit(X, y), at_once, X)


# ---- what is refused


@pytest.mark.parametrize("kind", [ObliqueTreeClassifier, ObliqueForestClassifier])
@pytest.mark.parametrize(
    ("result", "error", "parts"),
    [
        (lambda d: np.ones(d), TypeError, ["(w, b)", "6 features"]),
        (lambda d: (np.ones(d), 0.0, 1.0), TypeError, ["(w, b)", "6 features"]),
        (3.0, TypeError, ["3.0", "(w, b)", "6 features"]),
        (True, TypeError, ["True", "(w, b)"]),
        ("ab", TypeError, ["'ab'", "(w, b)"]),
        (lambda d: (np.ones(d), None), TypeError, ["None", "(w, b)"]),
        (lambda d: (np.ones(d), "b"), TypeError, ["(w, b)"]),
        (lambda d: (["a"] * d, 0.0), TypeError, ["(w, b)"]),
        (lambda d: (np.ones(d), np.zeros(2)), TypeError, ["(w, b)"]),
        (lambda d: (sp.csr_array(np.ones((1, d))), 0.0), TypeError, ["(w, b)"]),
        (lambda d: (np.ones(d - 1), 0.0), ValueError, ["(5,)", "(6,)"]),
        (lambda d: (np.ones((d, 1)), 0.0), ValueError, ["(6, 1)", "(6,)"]),
        (lambda d: (1.0, 0.0), ValueError, ["()", "(6,)"]),
        (lambda d: (np.full(d, np.nan), 0.0), ValueError, ["finite"]),
        (lambda d: (np.full(d, np.inf), 0.0), ValueError, ["finite"]),
        (lambda d: (np.full(d, 1e300), 0.0), ValueError, ["finite"]),
        (lambda d: (np.ones(d), np.nan), ValueError, ["finite"]),
        (lambda d: (np.ones(d), np.inf), ValueError, ["finite"]),
        (lambda d: (np.ones(d), 1e300), ValueError, ["finite"]),
    ],
)
def test_wrong_results_are_refused_with_the_name_of_the_learner(kind, result, error, parts):
    X, y = problem("binary")
    with pytest.raises(error) as caught:
        made(kind, Always(result), max_features=None).fit(X, y)
    assert "Always.learn" in str(caught.value)
    for part in parts:
        assert part in str(caught.value)


def test_an_error_of_the_learner_itself_is_shown_as_it_is():
    class Broken:
        def learn(self, X, Z, p, weights, rng):
            raise RuntimeError("solver stopped")

    X, y = problem("binary")
    for kind in (ObliqueTreeClassifier, ObliqueForestClassifier):
        with pytest.raises(RuntimeError, match="solver stopped"):
            made(kind, Broken()).fit(X, y)


@pytest.mark.parametrize(
    "kind", [ObliqueTreeClassifier, ObliqueTreeRegressor, ObliqueForestClassifier, ObliqueForestRegressor]
)
@pytest.mark.parametrize("split", [Correlation, object(), 3, None, lambda X, Z, p, weights, rng: None])
def test_what_is_no_learner_is_refused_by_the_name_of_the_parameter(kind, split):
    X, y = problem("binary")
    with pytest.raises(TypeError, match="split=") as caught:
        made(kind, split).fit(X, y)
    for remedy in ("'gradient'", "'svm'", "GradientSplit", "learn(X, Z, p, weights, rng)"):
        assert remedy in str(caught.value)


@DENSITIES
@pytest.mark.parametrize("size", [1e30, 3e38])
def test_huge_results_are_refused_or_harmless(density, size):
    X, y = problem("binary", density)
    tree = made(ObliqueTreeClassifier, Always(lambda d: (np.full(d, size), 0.0)), max_depth=1)
    try:
        tree.fit(X * 1e-3, y)
    except ValueError as error:
        assert "Always.learn" in str(error)  # noqa: PT017
    else:
        assert np.isfinite(tree.trees_.weights).all()
        assert np.isfinite(tree.trees_.bias).all()
        assert np.isfinite(tree.feature_importances_).all()
