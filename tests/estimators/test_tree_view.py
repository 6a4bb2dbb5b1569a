"""Claims about single trees of a forest: `forest[0]`, `len(forest)`, iteration and `estimators_`."""

import io
import re

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

from slantwood import Hierarchy, ObliqueForestClassifier, ObliqueForestRegressor, load_model
from slantwood.export import export_text

X = np.random.default_rng(0).normal(size=(60, 4))
LABELS = (X[:, :3] + X[:, 1:] > 0.3).astype(int)
TARGETS = {
    "binary": LABELS[:, 0],
    "multi-class": np.array(["a", "b", "c", "d"])[LABELS[:, 0] + 2 * LABELS[:, 1]],
    "multi-label": LABELS,
    "sparse multi-label": sp.csr_array(LABELS),
    "hierarchical": [["x/y"] if row[0] else ["x", "z"] if row[1] else ["z"] for row in LABELS],
    "regression": X[:, 0] - X[:, 1],
    "multi-target": X[:, :2] @ np.array([[1.0, 2.0], [-1.0, 3.0]]),
}


def fitted(task, **parameters):
    parameters = {"n_estimators": 4, "bootstrap": True, "random_state": 0} | parameters
    if task in ("regression", "multi-target"):
        return ObliqueForestRegressor(**parameters).fit(X, TARGETS[task])
    if task == "hierarchical":
        parameters["hierarchy"] = Hierarchy.from_paths(["x/y", "z"])
        parameters["min_samples_split"] = 5
    return ObliqueForestClassifier(**parameters).fit(X, TARGETS[task])


@pytest.fixture(scope="module", params=TARGETS)
def task(request):
    return request.param


@pytest.fixture(scope="module")
def forest(task):
    return fitted(task)


def scores(model):
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)


def listed(predicted):
    predicted = predicted.toarray() if sp.issparse(predicted) else predicted
    return predicted if isinstance(predicted, list) else predicted.tolist()


def test_the_forest_is_the_mean_of_its_trees(forest):
    mean = np.mean([scores(tree) for tree in forest], axis=0)
    np.testing.assert_allclose(mean, scores(forest), rtol=1e-5, atol=1e-6)
    assert len({scores(tree).tobytes() for tree in forest}) == len(forest) == 4  # and they do differ


def test_the_first_tree_is_a_forest_of_one_tree(forest, task):
    alone = fitted(task, n_estimators=1)
    np.testing.assert_array_equal(scores(forest[0]), scores(alone))
    first, wanted = forest[0].predict(X), alone.predict(X)
    assert type(first) is type(wanted)
    assert listed(first) == listed(wanted)
    assert forest[0].n_nodes == len(alone.trees_.left)


def test_only_trees_of_classifiers_have_probabilities():
    tree = fitted("multi-label")[1]
    assert tree.predict_proba(X, top_k=1).nnz <= len(X)
    assert sp.issparse(tree.predict_proba(X, sparse=True))
    assert not hasattr(fitted("regression")[1], "predict_proba")


def test_leaves_depths_and_nodes_are_those_of_the_paths(forest):
    paths, offsets = forest.decision_path(X)
    for t, tree in enumerate(forest):
        np.testing.assert_array_equal(tree.apply(X), forest.apply(X)[:, t])
        passed = paths[:, offsets[t] : offsets[t + 1]]
        assert tree.n_nodes == passed.shape[1]
        assert tree.n_leaves == tree.get_n_leaves() == (tree.n_nodes + 1) // 2
        # Every leaf was reached in training, though in another sample of these rows.
        assert tree.depth == tree.get_depth() >= passed.sum(axis=1).max() - 1
    assert sum(tree.n_leaves for tree in forest) == int((forest.trees_.left < 0).sum())
    assert max(tree.depth for tree in forest) == forest.trees_.depth.max()


def test_trees_are_picked_as_from_a_list(forest):
    numbers = list(range(4))
    for index in (0, 3, -1, -4, np.int64(2)):
        assert forest[index].index == numbers[index]
    for part in (slice(1, 3), slice(None, None, -1), slice(10, 20)):
        assert [tree.index for tree in forest[part]] == numbers[part]
    assert [tree.index for tree in forest] == [tree.index for tree in forest.estimators_] == numbers
    assert not isinstance(forest.estimators_, np.ndarray)


@pytest.mark.parametrize(
    ("index", "error", "message"),
    [
        (4, IndexError, r"\[4\]: the model has 4 trees"),
        (-5, IndexError, r"\[-5\]: the model has 4 trees"),
        ("x", TypeError, r"\['x'\] must be the number of a tree, or a slice"),
        (1.0, TypeError, r"\[1.0\] must be the number"),
    ],
)
def test_a_tree_that_is_not_there_is_refused(index, error, message):
    with pytest.raises(error, match=message):
        fitted("regression")[index]


def test_a_forest_that_is_not_fitted_has_no_trees_and_is_true():
    model = ObliqueForestClassifier()
    assert model
    assert not hasattr(model, "estimators_")
    for ask in (len, list, lambda model: model[0]):
        with pytest.raises(NotFittedError):
            ask(model)


def test_a_view_stays_as_it_is_when_the_forest_is_fitted_again():
    model = fitted("binary")
    tree = model[1]
    before = tree.predict_proba(X), repr(tree)
    model.set_params(max_depth=1, n_estimators=1).fit(-X, 1 - LABELS[:, 0])
    np.testing.assert_array_equal(tree.predict_proba(X), before[0])
    assert repr(tree) == before[1]


def test_views_share_all_arrays_with_the_forest(forest):
    for tree in (forest[0], *forest.estimators_):
        for mine, whole in zip(tree._alone.trees_[:-1], forest.trees_[:-1], strict=True):
            assert np.shares_memory(mine, whole) or mine.size == 0
        assert tree._alone.trees_.leaves is forest.trees_.leaves


def test_text_is_that_of_the_tree_in_the_forest(forest):
    for t, tree in enumerate(forest):
        text = export_text(forest, t, max_depth=2)
        assert text.startswith(f"Tree {t} of {type(forest).__name__}")
        assert tree.export_text(max_depth=2) == export_text(tree, max_depth=2) == text


def test_a_loaded_forest_has_the_same_trees():
    model, file = fitted("multi-class"), io.BytesIO()
    model.save(file, predict_only=True)
    file.seek(0)
    loaded = load_model(file)
    assert list(map(repr, loaded)) == list(map(repr, model))
    np.testing.assert_array_equal(loaded[2].predict(X), model[2].predict(X))


def test_what_is_printed_is_short_and_true(forest):
    shown = re.fullmatch(r"<tree 3 of Oblique\w+: (\d+) nodes?, depth (\d+)>", repr(forest[3]))
    assert [int(number) for number in shown.groups()] == [forest[3].n_nodes, forest[3].depth]
    trees = forest.trees_
    numbers = [int(each.replace(",", "")) for each in re.findall(r"[\d,]*\d", repr(trees))]
    n_leaves, width = int((trees.left < 0).sum()), trees.leaves.n_columns
    assert numbers == [4, len(trees.left), len(trees.indices), n_leaves, width, trees.nbytes]
    assert "\n" not in repr(trees)
    assert len(repr(trees)) < 130
    assert trees.nbytes > trees.weights.nbytes + trees.leaves.values.nbytes + trees.leaves.data.nbytes
