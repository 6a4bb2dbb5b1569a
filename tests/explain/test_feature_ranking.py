"""Claims about feature rankings: planted truths, slow twins, sums, and what is refused."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LinearRegression

from slantwood import (
    Hierarchy,
    ObliqueBoostingRegressor,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
    load_model,
)
from slantwood.explain import FeatureRanking, feature_ranking
from slantwood.growth.plan import row_counts

pytestmark = pytest.mark.sampled

METHODS = ("paper", "impurity", "genie3", "symbolic", "permutation")
BY_SPLITS = METHODS[:-1]
HIERARCHY = Hierarchy.from_paths(["a/x", "a/y", "b"])


def planted(task, n=220, seed=0):
    """Make rows whose targets depend on the first two of seven features; the second is in large units."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 7)).astype(np.float32)
    first, second = X[:, 0], X[:, 1].copy()
    X[:, 1] *= 1000
    y = {
        "regression": first + second,
        "multi-target regression": np.column_stack([first, 50 * second]),
        "binary": np.where(first + second > 0, "yes", "no"),
        "multi-class": np.digitize(first + second, [-0.7, 0.7]),
        "multi-label": np.column_stack([first > 0, second > 0]).astype(int),
        "multi-target classification": np.column_stack([np.digitize(first, [-0.7, 0.7]), second > 0]) + 1,
        "hierarchical multi-label": [
            ({"a/x"} if a > 0 else {"a/y"}) | ({"b"} if b > 0 else set())
            for a, b in zip(first, second, strict=True)
        ],
    }
    return X, y[task]


TASKS = (
    "regression",
    "multi-target regression",
    "binary",
    "multi-class",
    "multi-label",
    "multi-target classification",
    "hierarchical multi-label",
)


def forest_for(task, **parameters):
    make = ObliqueForestRegressor if "regression" in task else ObliqueForestClassifier
    if task.startswith("hierarchical"):
        parameters["hierarchy"] = HIERARCHY
    return make(**{"n_estimators": 5, "random_state": 0, "bootstrap": True} | parameters)


@pytest.fixture(scope="module")
def models():
    """A fitted forest, its rows and its targets for each task."""
    found = {}
    for task in TASKS:
        X, y = planted(task)
        found[task] = forest_for(task).fit(X, y), X, y
    return found


# ---- planted truths


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("method", METHODS)
def test_features_that_matter_come_first(models, task, method):
    model, X, y = models[task]
    ranking = feature_ranking(model, X, y, method, random_state=0)
    assert set(ranking.top(2).names) == {"x0", "x1"}
    assert ranking.scores[:2].min() > 1.5 * ranking.scores[2:].max()
    assert (ranking.spread >= 0).all()
    assert ranking.spread[0] > 0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("task", ["multi-target regression", "multi-label"])
def test_each_target_has_its_own_feature_first(models, method, task):
    model, X, y = models[task]
    ranking = feature_ranking(model, X, y, method, groups="targets", random_state=0)
    assert ranking.group_scores.shape == (7, 2)
    assert_array_equal(ranking.group_scores.argmax(axis=0), [0, 1])


def test_levels_of_a_hierarchy_are_groups(models):
    model, X, y = models["hierarchical multi-label"]
    for method in METHODS:
        ranking = feature_ranking(model, X, y, method, groups="levels", random_state=0)
        assert ranking.group_names == ("level 0", "level 1")
        # Below the first level stand a/x and a/y, which the first feature decides.
        assert ranking.group_scores[0, 1] > 2 * ranking.group_scores[1, 1]


def test_groups_of_targets_by_name_or_position(models):
    model, X, y = models["multi-target regression"]
    named = model.__class__(**model.get_params()).fit(X, y, target_names=["u", "v"])
    both = feature_ranking(named, X, y, "genie3", groups={"all": ["u", "v"], "second": [1]})
    each = feature_ranking(named, X, y, "genie3", groups="targets")
    assert each.group_names == ("u", "v")
    assert_allclose(both.group_scores[:, 0], each.scores)
    assert_allclose(both.group_scores[:, 1], each.group_scores[:, 1])


# ---- slow twins


def slow_scores(model, X, y, method, weights=None):
    """Walk down every tree row by row, and follow the formulas to the letter."""
    trees, n = model.trees_, len(X)
    X = np.asarray(X, np.float64)
    Y = model.targets_.encode(np.asarray(y)).astype(np.float64)
    weights = np.ones(n) if weights is None else weights
    bounds = trees.node_offsets
    found = np.zeros((trees.n_trees, X.shape[1], Y.shape[1]))

    def variance(values, w):
        return np.average((values - np.average(values, weights=w)) ** 2, weights=w)

    def visit(t, node, rows, w, depth):
        if trees.left[node] < 0:
            return
        stored = slice(trees.indptr[node], trees.indptr[node + 1])
        columns, v = trees.indices[stored], trees.weights[stored].astype(np.float64)
        standardised = np.array(
            [abs(v[k]) * variance(X[rows, c], w[rows]) ** 0.5 for k, c in enumerate(columns)]
        )
        goes_right = X[rows][:, columns] @ v + trees.bias[node] >= 0
        sides = rows[~goes_right], rows[goes_right]
        removed = np.array(
            [
                w[rows].sum() * variance(column[rows], w[rows])
                - sum(w[side].sum() * variance(column[side], w[side]) for side in sides)
                for column in Y.T
            ]
        )
        value = {
            "paper": w[rows].sum() / w.sum() * removed / removed.sum(),
            "genie3": removed,
            "symbolic": 0.5**depth * removed / removed.sum(),
        }[method]
        for share, column in zip(standardised / standardised.sum(), columns, strict=True):
            found[t, column] += share * value
        visit(t, trees.left[node], sides[0], w, depth + 1)
        visit(t, trees.right[node], sides[1], w, depth + 1)

    for t in range(trees.n_trees):
        drawn = row_counts(model.forest_.seed, t, weights, n) if model.settings_.bootstrap else 1
        w = weights * drawn
        visit(t, bounds[t], np.flatnonzero(w > 0), w, 0)
    return found


@pytest.mark.parametrize("method", ["paper", "genie3", "symbolic"])
@pytest.mark.parametrize("split", ["gradient", "axis"])
def test_scores_are_those_of_a_slow_walk_down_the_trees(method, split):
    X, y = planted("multi-target regression", n=80)
    weights = np.random.default_rng(1).integers(1, 4, 80).astype(float)
    forest = ObliqueForestRegressor(n_estimators=3, split=split, bootstrap=True, random_state=0)
    forest.fit(X, y, sample_weight=weights)
    in_growth = (weights / weights.mean()).astype(np.float32).astype(np.float64)
    slow = slow_scores(forest, X, y, method, in_growth)
    ranking = feature_ranking(forest, X, y, method, groups="targets", sample_weight=weights)
    assert_allclose(ranking.group_scores, slow.mean(axis=0), rtol=1e-5, atol=1e-5)
    assert_allclose(ranking.scores, slow.sum(axis=2).mean(axis=0), rtol=1e-5, atol=1e-5)
    assert_allclose(ranking.spread, slow.sum(axis=2).std(axis=0), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("task", ["binary", "multi-class", "multi-target classification"])
def test_genie3_of_axis_parallel_classes_is_the_gini_importance_of_each_target(task):
    X, y = planted(task)
    tree = ObliqueTreeClassifier(split="axis", random_state=0).fit(X, y)
    leaves = tree.apply(X)

    def gini(classes):
        return len(classes) - (np.unique(classes, return_counts=True)[1] ** 2).sum() / len(classes)

    removed = [
        gini(column) - sum(gini(column[leaves == leaf]) for leaf in np.unique(leaves))
        for column in y.reshape(len(y), -1).T
    ]
    ranking = feature_ranking(tree, X, y, "genie3", groups="targets")
    assert ranking.scores.sum() == pytest.approx(sum(removed))
    if len(removed) > 1:
        assert_allclose(ranking.group_scores.sum(axis=0), removed, rtol=1e-5)


@pytest.mark.parametrize("task", ["regression", "multi-class", "multi-label", "multi-target classification"])
def test_permutation_is_what_shuffling_a_column_does_to_unseen_rows(models, task):
    model, X, y = models[task]
    ranking = feature_ranking(model, X, y, "permutation", random_state=3)
    seed = int(np.random.RandomState(3).randint(np.iinfo(np.int32).max))
    scores = np.zeros((model.trees_.n_trees, X.shape[1]))
    for t in range(model.trees_.n_trees):
        unseen = np.flatnonzero(row_counts(model.forest_.seed, t, np.ones(len(X)), len(X)) == 0)
        before = _error(model, t, X[unseen], y[unseen])
        for feature in range(X.shape[1]):
            order = np.random.default_rng([seed, t, feature]).permutation(len(unseen))
            shuffled = X[unseen].copy()
            shuffled[:, feature] = shuffled[order, feature]
            scores[t, feature] = _error(model, t, shuffled, y[unseen]) - before
    assert_allclose(ranking.scores, scores.mean(axis=0), atol=1e-6)
    assert_allclose(ranking.spread, scores.std(axis=0), atol=1e-6)


def _error(model, t, X, y):
    mask = np.zeros((len(X), model.trees_.n_trees), bool)
    mask[:, t] = True
    means = model._predictor.mean(X, mask)
    if model.targets_.task == "multi-class":
        return np.mean(model.classes_[means.argmax(axis=1)] != y)
    if model.targets_.task == "multi-target classification":
        return np.mean(model[t].predict(X) != y)
    return np.mean((means - model.targets_.encode(y)) ** 2)


# ---- sums


@pytest.mark.parametrize("task", TASKS)
def test_impurity_is_feature_importances_also_target_by_target(models, task):
    model, X, y = models[task]
    ranking = feature_ranking(model, X, y, "impurity", groups="targets")
    assert_array_equal(ranking.scores, model.feature_importances_)
    assert_allclose(ranking.group_scores.sum(axis=1), model.feature_importances_, atol=1e-5)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("method", BY_SPLITS)
def test_scores_of_targets_add_up(models, task, method):
    model, X, y = models[task]
    ranking = feature_ranking(model, X, y, method, groups="targets")
    assert_allclose(ranking.group_scores.sum(axis=1), ranking.scores, rtol=1e-5, atol=1e-6)


def test_sums_over_features_are_the_worth_of_the_splits(models):
    model, X, y = models["regression"]
    trees = model.trees_
    splits = trees.left >= 0
    root = np.repeat(trees.node_weight[trees.roots], np.diff(trees.node_offsets))
    by_size = (trees.node_weight / root)[splits].sum() / trees.n_trees
    by_depth = (0.25 ** trees.depth[splits].astype(float)).sum() / trees.n_trees
    assert feature_ranking(model, X, y, "paper").scores.sum() == pytest.approx(by_size)
    ranking = feature_ranking(model, X, y, "symbolic", depth_weight=0.25)
    assert ranking.scores.sum() == pytest.approx(by_depth)


def test_a_feature_that_no_tree_uses_scores_zero():
    X, y = planted("regression")
    X[:, 6] = 3.0
    forest = forest_for("regression").fit(X, y)
    for method in METHODS:
        assert feature_ranking(forest, X, y, method).scores[6] == 0.0


# ---- every kind of input


@pytest.mark.parametrize("method", METHODS)
def test_sparse_and_dense_features_give_the_same(method):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 12)).astype(np.float32) * (rng.random((150, 12)) < 0.15)
    X[3, 4] = np.nan
    y = X[:, 0] - X[:, 1] + 0.1 * rng.normal(size=150)
    forest = forest_for("regression").fit(X, y)
    dense = feature_ranking(forest, X, y, method, random_state=0)
    sparse = feature_ranking(forest, sp.csr_array(X), y, method, random_state=0)
    assert_allclose(sparse.scores, dense.scores, rtol=1e-6, atol=1e-9)
    assert set(dense.top(2).names) == {"x0", "x1"}


@pytest.mark.parametrize("method", METHODS)
def test_sparse_and_dense_labels_give_the_same(models, method):
    _, X, y = models["multi-label"]
    found = [
        feature_ranking(forest_for("multi-label").fit(X, form(y)), X, form(y), method, random_state=0)
        for form in (np.array, sp.csr_array)
    ]
    assert_allclose(found[1].scores, found[0].scores, rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_the_values_of_a_nominal_feature_count_together(method):
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue", "grey"], 200)
    frame = pd.DataFrame({"a": rng.normal(size=200), "colour": colour, "b": rng.normal(size=200)})
    frame.loc[5, "a"] = np.nan
    y = np.isin(colour, ["red", "blue"]).astype(int)
    forest = forest_for("binary", missing_indicators=True).fit(frame, y)
    ranking = feature_ranking(forest, frame, y, method, random_state=0)
    assert ranking.names == ("a", "colour", "b")
    assert ranking.top(1).names == ("colour",)


@pytest.mark.parametrize("method", METHODS)
def test_unknown_targets_and_weights_have_their_part(method):
    X, y = planted("multi-target regression")
    y[::7, 0] = np.nan
    y[::14] = np.nan
    weights = np.where(np.arange(len(y)) % 5 == 0, 0.0, 2.0)
    forest = forest_for("multi-target regression").fit(X, y, sample_weight=weights)
    ranking = feature_ranking(forest, X, y, method, groups="targets", sample_weight=weights, random_state=0)
    assert_array_equal(ranking.group_scores.argmax(axis=0), [0, 1])


@pytest.mark.parametrize(
    ("unlabeled_weight", "clustering"),
    [(None, "targets"), (0.0, None), (0.5, None), (None, "targets+features")],
)
def test_rows_without_label_count_as_they_did_in_training(unlabeled_weight, clustering):
    X, y = planted("regression")
    y[:50] = np.nan
    forest = forest_for("regression", unlabeled_weight=unlabeled_weight, n_estimators=2)
    forest.fit(X, y, clustering=clustering)
    assert feature_ranking(forest, X, y).scores.sum() > 0


@pytest.mark.parametrize(
    "parameters",
    [{"bootstrap": False}, {"class_weight": "balanced"}, {"normalize_rows": True}, {"max_depth": 1}],
)
def test_rows_are_recognised_however_the_model_was_fitted(parameters):
    X, y = planted("multi-class")
    forest = forest_for("multi-class", **parameters).fit(X, y)
    assert feature_ranking(forest, X, y).top(1).names[0] in {"x0", "x1"}


def test_single_trees_and_trees_without_split(models):
    _, X, y = models["regression"]
    tree = ObliqueTreeRegressor(random_state=0).fit(X, y)
    ranking = feature_ranking(tree, X, y)
    assert set(ranking.top(2).names) == {"x0", "x1"}
    assert (ranking.spread == 0).all()
    constant = forest_for("regression").fit(X, np.zeros(len(X)))
    for method in METHODS:
        assert (feature_ranking(constant, X, np.zeros(len(X)), method).scores == 0).all()


def test_a_loaded_model_has_the_same_ranking(models, tmp_path):
    model, X, y = models["multi-class"]
    model.save(tmp_path / "m.slant")
    model.save(tmp_path / "half.slant", float16=True)
    expected = feature_ranking(model, X, y).scores
    assert_array_equal(feature_ranking(load_model(tmp_path / "m.slant"), X, y).scores, expected)
    assert_allclose(feature_ranking(load_model(tmp_path / "half.slant"), X, y).scores, expected, atol=0.1)


def test_trees_that_were_added_later_count_too(models):
    _, X, y = models["regression"]
    forest = forest_for("regression", n_estimators=2, warm_start=True).fit(X, y)
    forest.set_params(n_estimators=5).fit(X, y)
    assert_allclose(feature_ranking(forest, X, y).scores, feature_ranking(*models["regression"]).scores)


# ---- the result


def test_the_table_is_sorted_and_has_a_column_for_each_group(models):
    model, X, y = models["multi-target regression"]
    ranking = feature_ranking(model, X, y, groups="targets")
    frame = ranking.to_frame()
    assert frame.columns.tolist() == ["score", "spread", "y0", "y1"]
    assert frame.index.name == "feature"
    assert frame["score"].is_monotonic_decreasing
    assert frame.loc["x0", "y0"] == ranking.group_scores[0, 0]
    assert ranking.top(3).to_frame().equals(frame.head(3))
    assert len(ranking) == 7
    assert repr(ranking).startswith("FeatureRanking(method='paper', 7 features: ")
    assert len(repr(ranking)) < 110


# ---- by chance


@pytest.mark.parametrize("task", ["regression", "multi-label", "hierarchical multi-label"])
def test_planted_features_are_above_noise_and_the_others_are_not(task):
    X, y = planted(task, n=120)
    forest = forest_for(task, n_estimators=3).fit(X, y)
    ranking = feature_ranking(forest, X, y, "genie3", null=19, random_state=0)
    assert ranking.null.shape == (19, 7)
    assert_allclose(ranking.p_values[:2], 1 / 20)
    assert ranking.above_noise[:2].all()
    assert ranking.above_noise[2:].sum() == 0
    frame = ranking.to_frame()
    assert frame.columns.tolist() == ["score", "spread", "null", "p_value", "above_noise"]
    assert frame["above_noise"].dtype == bool
    assert ranking.top(3).to_frame()["null"].tolist() == frame["null"].tolist()[:3]


def test_chance_is_counted_by_feature_and_by_family():
    null = np.array([[1.0, 5.0], [2.0, 3.0], [4.0, 1.0]])
    ranking = FeatureRanking(
        ("a", "b"), np.array([4.5, 5.5]), np.zeros(2), (), np.empty((2, 0)), "paper", null
    )
    assert_allclose(ranking.p_values, [1 / 4, 1 / 4])  # no model of three scores either so high
    assert ranking.above_noise.tolist() == [False, True]  # the best of both got 5, 3 and 4
    without = FeatureRanking(("a",), np.ones(1), np.zeros(1), (), np.empty((1, 0)), "paper")
    assert without.p_values is None
    assert without.above_noise is None


def test_targets_without_signal_give_features_no_more_than_chance():
    X, _ = planted("regression", n=100)
    p_values = []
    for seed in range(3):
        y = np.random.default_rng(seed).normal(size=100)
        tree = ObliqueTreeRegressor(max_depth=2, random_state=seed).fit(X, y)
        p_values.append(feature_ranking(tree, X, y, null=9, random_state=seed).p_values)
    assert 0.25 < np.mean(p_values) < 0.85  # of a fair test about half


# ---- what is refused


def test_other_rows_than_those_of_fit_are_refused(models):
    model, X, y = models["regression"]
    for rows in (slice(None, None, -1), slice(100)):
        with pytest.raises(ValueError, match="not those that the model was fitted on"):
            feature_ranking(model, X[rows], y[rows])
    with pytest.raises(ValueError, match="not those that the model was fitted on"):
        feature_ranking(model, X, y, sample_weight=np.arange(1.0, len(y) + 1))
    model, X, y = models["multi-class"]
    with pytest.raises(ValueError, match="the model predicts 3"):
        feature_ranking(model, X, y > 0)


def test_a_model_that_only_predicts_is_refused(models, tmp_path):
    model, X, y = models["regression"]
    model.save(tmp_path / "m.slant", predict_only=True)
    with pytest.raises(ValueError, match="predict_only=True"):
        feature_ranking(load_model(tmp_path / "m.slant"), X, y)


def test_permutation_needs_rows_that_no_tree_saw(models):
    _, X, y = models["regression"]
    for model in (ObliqueTreeRegressor(random_state=0), forest_for("regression", bootstrap=False)):
        with pytest.raises(ValueError, match=r"bootstrap=True.*permutation_importance"):
            feature_ranking(model.fit(X, y), X, y, "permutation")
    y = y.copy()
    y[:50] = np.nan
    taught = forest_for("regression", unlabeled_weight=0.5, n_estimators=2).fit(X, y)
    with pytest.raises(ValueError, match=r"unlabeled_weight=0\.5"):
        feature_ranking(taught, X, y, "permutation")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"method": "geni3"}, "did you mean 'genie3'"),
        ({"groups": "target"}, "groups='target' is not known"),
        ({"groups": "levels"}, "with a hierarchy"),
        ({"groups": {"g": ["y9"]}}, "groups has 'y9' in 'g'"),
        ({"groups": {"g": [2]}}, "groups has 2 in 'g'"),
        ({"groups": {"g": []}}, "no target in 'g'"),
        ({"groups": {"g": "y0"}}, "give a list"),
        ({"depth_weight": 2}, "depth_weight"),
    ],
)
def test_wrong_arguments_are_named(models, given, message):
    model, X, y = models["multi-target regression"]
    with pytest.raises(ValueError, match=message):
        feature_ranking(model, X, y, **given)


@pytest.mark.parametrize("method", METHODS)
def test_boosted_models_have_importances_alone_and_the_error_says_so(models, method):
    _, X, y = models["regression"]
    model = ObliqueBoostingRegressor(n_estimators=2, early_stopping=False, random_state=0).fit(X, y)
    if method == "impurity":
        assert_array_equal(feature_ranking(model, X, y, method).scores, model.feature_importances_)
    with pytest.raises(
        ValueError, match=r"ObliqueBoostingRegressor.*feature_importances_.*permutation_importance"
    ):
        feature_ranking(model, X, y, method, groups="targets" if method == "impurity" else None)
    assert model.feature_importances_[:2].sum() > 0.5


def test_models_of_others_and_unfitted_ones_are_refused():
    X, y = planted("regression")
    with pytest.raises(TypeError, match="LinearRegression"):
        feature_ranking(LinearRegression().fit(X, y), X, y)
    with pytest.raises(ValueError, match="not fitted"):
        feature_ranking(forest_for("regression"), X, y)


def test_scores_of_too_many_targets_are_refused_before_any_work(models, monkeypatch):
    model, X, y = models["multi-label"]
    monkeypatch.setattr("slantwood.explain.target_groups._MOST_CELLS", 10)
    with pytest.raises(ValueError, match="groups='targets' makes 7 x 2 scores"):
        feature_ranking(model, X, y, groups="targets")


def test_blocks_of_nodes_and_rows_change_nothing(models, monkeypatch):
    model, X, y = models["multi-label"]
    X = sp.csr_array(X)
    expected = [feature_ranking(model, X, y, m, groups="targets", random_state=0) for m in METHODS]
    monkeypatch.setattr("slantwood.explain.node_sums._CELLS", 20)
    monkeypatch.setattr("slantwood.explain.permutation._CELLS", 20)
    monkeypatch.setattr("slantwood.explain.shuffling._ROWS", 50)
    for method, before in zip(METHODS, expected, strict=True):
        after = feature_ranking(model, X, y, method, groups="targets", random_state=0)
        assert_allclose(after.group_scores, before.group_scores, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("method", ["genie3", "permutation"])
def test_wide_sparse_features_stay_sparse(method):
    X = sp.random_array((300, 60_000), density=5e-4, format="csr", rng=np.random.default_rng(0))
    X = sp.csr_array(X, dtype=np.float32)
    y = np.asarray(X[:, :30_000].sum(axis=1)).ravel()
    forest = forest_for("regression", n_estimators=2, max_depth=3).fit(X, y)
    tracemalloc.start()
    ranking = feature_ranking(forest, X, y, method, random_state=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30e6  # dense, X is 72 MB
    assert ranking.scores.shape == (60_000,)


def test_targets_in_another_order_than_in_fit_are_refused():
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = pd.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    model = ObliqueForestRegressor(n_estimators=3, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="in the same order"):
        feature_ranking(model, X, y[["b", "a"]], "genie3", groups="targets")


def test_several_targets_share_the_importances_by_their_own_weights():
    X, y = planted("multi-target regression")
    frame = pd.DataFrame({"kind": np.digitize(y[:, 0], [-1, 0, 1]), "size": y[:, 1]})
    for weights in (None, [1.0, 5.0]):
        model = ObliqueForestClassifier(n_estimators=3, target_weights=weights, random_state=0).fit(X, frame)
        ranking = feature_ranking(model, X, frame, "impurity", groups="targets")
        assert_allclose(ranking.group_scores.sum(axis=1), model.feature_importances_, atol=1e-3)


def test_each_of_several_targets_is_permuted_with_the_error_of_its_kind():
    X, y = planted("multi-target regression")
    frame = pd.DataFrame({"kind": np.digitize(y[:, 0], [-1, 0, 1]), "size": y[:, 1]})
    frame.loc[:20, "size"] = np.nan
    model = ObliqueForestClassifier(n_estimators=5, bootstrap=True, random_state=0).fit(X, frame)
    ranking = feature_ranking(model, X, frame, "permutation", groups="targets", random_state=0)
    assert ranking.group_scores.argmax(axis=0).tolist() == [0, 1]
    assert ranking.group_scores[0, 0] < 1.0  # a share of wrong classes
    assert ranking.group_scores[1, 1] > 1.0  # squared errors beside a variance of 1
