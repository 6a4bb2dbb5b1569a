"""Claims about parameters that limit and prune trees: scikit-learn's meaning, and what must not matter."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from slantwood import (
    Hierarchy,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
    load_model,
)
from slantwood.growth.plan import bootstrap_counts

rng = np.random.default_rng(0)
X = rng.normal(size=(120, 5)).astype(np.float32)
NUMBER = X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=120)
CLASSES = np.digitize(NUMBER, [-0.4, 0.4])
TARGETS = {
    "regression": (ObliqueForestRegressor, NUMBER),
    "multi-target regression": (ObliqueForestRegressor, np.column_stack([NUMBER, X[:, 2] ** 2])),
    "binary": (ObliqueForestClassifier, NUMBER > 0),
    "multi-class": (ObliqueForestClassifier, CLASSES),
    "multi-label": (ObliqueForestClassifier, (X[:, :3] + NUMBER[:, None] > 0).astype(int)),
    "sparse labels": (ObliqueForestClassifier, sp.csr_array((X[:, :3] > 0.5).astype(int))),
}
TASKS = pytest.mark.parametrize("task", TARGETS)


def leaf_weights(model):
    return model.trees_.node_weight[model.trees_.left < 0]


def same_trees(a, b):
    same = zip(a.trees_[:-1], b.trees_[:-1], strict=True)
    return all(np.array_equal(x, y) for x, y in same)


# ---- scikit-learn's trees


LIMITS = [
    {},
    {"min_samples_leaf": 7},
    {"min_samples_leaf": 0.11},
    {"min_samples_split": 0.3},
    {"min_weight_fraction_leaf": 0.08},
    {"max_leaf_nodes": 9},
    {"max_leaf_nodes": 6, "min_samples_leaf": 4},
    {"max_depth": 4, "min_samples_leaf": 3},
    {"ccp_alpha": 0.01},
    {"ccp_alpha": 0.003, "max_leaf_nodes": 20},
]


@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_axis_parallel_trees_are_those_of_scikit_learn(limits):
    """For numbers costs are in units of their variance; for classes they are Gini's, as there."""
    given = {"split": "axis", "min_samples_split": 2, "random_state": 0} | limits
    ours = ObliqueTreeRegressor(**given).fit(X, NUMBER)
    theirs = DecisionTreeRegressor(random_state=0, **limits)
    theirs.set_params(ccp_alpha=theirs.ccp_alpha * NUMBER.var()).fit(X, NUMBER)
    assert ours.get_n_leaves() == theirs.get_n_leaves() > 1
    assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-5)
    for y in (NUMBER > 0, CLASSES):
        ours = ObliqueTreeClassifier(**given).fit(X, y)
        theirs = DecisionTreeClassifier(random_state=0, **limits).fit(X, y)
        # Of cuts that are equally good one may be taken here and another one there.
        counts = [np.unique(tree.apply(X), return_counts=True)[1] for tree in (ours, theirs)]
        assert abs(len(counts[0]) - len(counts[1])) <= 2
        if limits.get("min_samples_leaf") == 7:
            assert counts[0].min() >= 7


def test_the_pruning_path_is_that_of_scikit_learn():
    given = {"min_samples_leaf": 3, "random_state": 0}
    ours = ObliqueTreeRegressor(split="axis", min_samples_split=2, **given)
    path = ours.cost_complexity_pruning_path(X, NUMBER)
    expected = DecisionTreeRegressor(**given).cost_complexity_pruning_path(X, NUMBER)
    assert_allclose(path.ccp_alphas * NUMBER.var(), expected.ccp_alphas, atol=1e-6)
    assert_allclose(path.impurities * NUMBER.var(), expected.impurities, atol=1e-6)
    assert not hasattr(ours, "forest_")


def test_gini_is_the_cost_of_classes():
    for y in (NUMBER > 0, CLASSES):
        path = ObliqueTreeClassifier(split="axis", random_state=0).cost_complexity_pruning_path(X, y)
        expected = DecisionTreeClassifier(random_state=0).cost_complexity_pruning_path(X, y)
        assert_allclose(path.impurities[[0, -1]], expected.impurities[[0, -1]], atol=1e-6)


# ---- what holds for all tasks


@TASKS
@pytest.mark.parametrize("bootstrap", [False, True])
def test_limits_hold_in_every_tree_of_every_task(task, bootstrap):
    kind, y = TARGETS[task]
    forest = kind(4, bootstrap=bootstrap, min_samples_leaf=9, max_leaf_nodes=6, random_state=0).fit(X, y)
    assert leaf_weights(forest).min() >= 9
    n_leaves = np.add.reduceat(forest.trees_.left < 0, forest.trees_.roots)
    assert n_leaves.max() <= 6
    assert n_leaves.max() > 2


@TASKS
def test_a_larger_alpha_leaves_parts_of_the_trees_and_their_importances(task):
    kind, y = TARGETS[task]
    nodes, sums = [], []
    for alpha in (0.0, 0.01, 0.04, 1e6):
        forest = kind(3, ccp_alpha=alpha, min_samples_split=2, random_state=0).fit(X, y)
        nodes.append(set(forest.trees_.bias[forest.trees_.left >= 0]))
        sums.append(forest.forest_.importance_sum.sum())
    assert nodes[0] > nodes[1] > nodes[2]
    assert sums[0] > sums[1] > sums[2] > sums[3] == 0.0
    assert forest.trees_.depth.max() == 0


def test_each_step_of_the_path_is_a_tree_with_a_leaf_less_or_more():
    tree = ObliqueTreeClassifier(random_state=0, min_samples_leaf=4)
    path = tree.cost_complexity_pruning_path(X, CLASSES)
    sizes = [clone(tree).set_params(ccp_alpha=a).fit(X, CLASSES).get_n_leaves() for a in path.ccp_alphas]
    assert sizes[0] == tree.fit(X, CLASSES).get_n_leaves()
    assert sizes[-1] == 1
    assert (np.diff(sizes) <= 0).all()
    assert (np.diff(path.impurities) >= 0).all()


def test_hierarchies_and_missing_targets_are_limited_and_pruned_too():
    hierarchy = Hierarchy.from_paths(["a/b", "a/c", "d"])
    y = [["a/b"] if value > 0.5 else ["a/c", "d"] if value > 0 else ["d"] for value in NUMBER]
    given = {"min_samples_leaf": 6, "ccp_alpha": 0.001, "random_state": 0}
    tree = ObliqueTreeClassifier(hierarchy=hierarchy, **given).fit(X, y)
    assert leaf_weights(tree).min() >= 6
    assert tree.get_n_leaves() > 1
    partly = np.column_stack([NUMBER, X[:, 2]])
    partly[::3, 0] = np.nan
    tree = ObliqueTreeRegressor(**given).fit(X, partly)
    assert leaf_weights(tree).min() >= 6
    assert tree.get_n_leaves() > 1


# ---- what must not matter

ALL = {"min_samples_leaf": 4, "min_weight_fraction_leaf": 0.02, "max_leaf_nodes": 12, "ftest": 0.2}
ALL |= {"ccp_alpha": 0.001, "random_state": 0}


@pytest.mark.parametrize("split", ["axis", "gradient"])
def test_dense_and_sparse_rows_give_the_same_trees(split):
    rounded = np.round(2 * X) / 2
    y = TARGETS["multi-target regression"][1]
    dense, sparse = (
        ObliqueTreeRegressor(split=split, **ALL).fit(rows, y) for rows in (rounded, sp.csr_array(rounded))
    )
    assert_allclose(dense.predict(rounded), sparse.predict(rounded), atol=1e-4)
    assert dense.get_n_leaves() == sparse.get_n_leaves() > 2


def test_the_number_of_threads_does_not_matter():
    given = {"n_estimators": 6, "max_samples": 0.7} | ALL
    one, two = (ObliqueForestClassifier(**given, n_jobs=n).fit(X, CLASSES) for n in (1, 2))
    assert same_trees(one, two)


def test_a_weight_of_two_is_as_a_row_twice_where_nothing_counts_rows():
    weights = 1.0 + (np.arange(120) % 3 == 0)
    rows = np.repeat(np.arange(120), weights.astype(int))
    given = ALL | {"split": "axis", "min_samples_leaf": 1, "min_samples_split": 2}
    weighted = ObliqueTreeRegressor(**given).fit(X, NUMBER, sample_weight=weights)
    repeated = ObliqueTreeRegressor(**given).fit(X[rows], NUMBER[rows])
    assert weighted.get_n_leaves() > 2
    assert_allclose(np.sort(leaf_weights(weighted)) * weights.mean(), np.sort(leaf_weights(repeated)))
    assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-5)
    paths = [
        ObliqueTreeRegressor(**given).cost_complexity_pruning_path(*each)
        for each in ((X, NUMBER, weights), (X[rows], NUMBER[rows]))
    ]
    assert_allclose(*(path.ccp_alphas for path in paths), atol=1e-6)


def test_a_model_file_holds_them_and_loads_without(tmp_path):
    forest = ObliqueForestClassifier(3, max_samples=0.6, **ALL).fit(X, CLASSES)
    forest.save(tmp_path / "a.slant")
    again = load_model(tmp_path / "a.slant")
    assert again.get_params() == forest.get_params()
    assert again.settings_ == forest.settings_
    more = [model.set_params(warm_start=True, n_estimators=5).fit(X, CLASSES) for model in (forest, again)]
    assert same_trees(*more)


# ---- samples


@pytest.mark.parametrize(("max_samples", "drawn"), [(30, 30), (0.25, 30), (200, 200), (None, 120)])
def test_trees_see_so_many_draws_and_the_others_predict_out_of_bag(max_samples, drawn):
    given = {"max_samples": max_samples, "bootstrap": True, "oob_score": True, "random_state": 0}
    forest = ObliqueForestRegressor(40, **given).fit(X, NUMBER)
    assert (forest.trees_.node_weight[forest.trees_.roots] == drawn).all()
    counts = [bootstrap_counts(forest.forest_.seed, tree, 120, drawn) for tree in range(40)]
    leaves, values = forest.apply(X) + forest.trees_.roots, forest.trees_.leaves.values[:, 0]
    means = values[forest.trees_.leaf[leaves]] * forest.targets_.scale + forest.targets_.mean
    unseen = np.stack(counts, axis=1) == 0
    some = unseen.any(axis=1)
    expected = (means * unseen).sum(axis=1)[some] / unseen.sum(axis=1)[some]
    assert_allclose(forest.oob_prediction_[some], expected, atol=1e-5)


def test_the_size_of_a_sample_turns_bootstrap_on():
    assert not ObliqueForestClassifier(2, random_state=0).fit(X, CLASSES).settings_.bootstrap
    assert ObliqueForestClassifier(2, max_samples=0.5, random_state=0).fit(X, CLASSES).settings_.bootstrap


def test_out_of_bag_refuses_trees_of_samples_of_another_size():
    given = {"bootstrap": True, "oob_score": True, "warm_start": True, "random_state": 0}
    forest = ObliqueForestClassifier(20, max_samples=0.5, **given).fit(X, CLASSES)
    with pytest.raises(ValueError, match=r"max_samples=0\.5; give the same, or warm_start=False"):
        forest.set_params(max_samples=None, n_estimators=21).fit(X, CLASSES)


# ---- errors


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"min_samples_leaf": 0}, ValueError, "min_samples_leaf=0 must be at least 1"),
        ({"min_samples_leaf": 1.0}, ValueError, "give 1 for one row"),
        ({"min_samples_leaf": 2.0}, ValueError, "at most 1"),
        ({"min_samples_leaf": "5"}, TypeError, "a whole number of rows, at least 1, or a share"),
        ({"min_samples_leaf": True}, TypeError, "a whole number of rows"),
        ({"min_samples_split": 1}, ValueError, "min_samples_split=1 must be at least 2"),
        ({"min_samples_split": 0.0}, ValueError, "above 0"),
        ({"min_weight_fraction_leaf": 0.6}, ValueError, r"at most 0\.5"),
        ({"max_leaf_nodes": 1}, ValueError, "max_leaf_nodes=1 must be at least 2"),
        ({"max_leaf_nodes": 2.0}, TypeError, "max_leaf_nodes"),
        ({"ccp_alpha": -1.0}, ValueError, "ccp_alpha"),
        ({"ftest": 0.0}, ValueError, "ftest"),
        ({"ftest": 1.5}, ValueError, "ftest"),
        ({"max_samples": 0}, ValueError, "max_samples=0 must be at least 1"),
        ({"max_samples": -0.5}, ValueError, "max_samples"),
        ({"max_samples": 5, "bootstrap": False}, ValueError, "give bootstrap=True, or max_samples=None"),
    ],
    ids=str,
)
def test_wrong_values_are_named_with_what_is_right(parameters, error, message):
    with pytest.raises(error, match=message):
        ObliqueForestClassifier(2, **parameters).fit(X, CLASSES)
