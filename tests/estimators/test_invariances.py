"""What must not change a model: containers, threads, units, useless targets, how weights are written."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import make_classification, make_multilabel_classification, make_regression

from slantwood import (
    GradientSplit,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
)

pytestmark = pytest.mark.sampled


def problem(task, n=150):
    """Small integer-valued data of one task, and a forest for it."""
    rng = np.random.default_rng(0)
    if task == "multi-label":
        X, y = make_multilabel_classification(n, 30, n_classes=6, random_state=0)
        X[:, 15:] = 0.0
    elif task == "many labels, sparse":
        X = rng.poisson(0.06, (n, 60)).astype(float)
        y = (X @ rng.normal(size=(60, 40)) > 1.0).astype(int)
    elif task in ("binary", "multi-class"):
        X, y = make_classification(
            n, 12, n_informative=6, n_classes=2 if task == "binary" else 4, random_state=0
        )
        X = np.round(4 * X)
    else:
        X, y = make_regression(n, 12, n_targets=1 if task == "regression" else 3, random_state=0)
        X = np.round(4 * X)
    kind = ObliqueForestRegressor if "regression" in task else ObliqueForestClassifier
    return X, y, kind(n_estimators=6, random_state=0)


def scores(model, X):
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)


def same_trees(a, b):
    leaves_a, leaves_b = a.trees_.leaves, b.trees_.leaves
    pairs = list(zip(a.trees_[:-1], b.trees_[:-1], strict=True))
    pairs += [(leaves_a.values, leaves_b.values), (leaves_a.data, leaves_b.data)]
    return all(np.array_equal(x, y) for x, y in pairs)


TASKS = [
    "binary",
    "multi-class",
    "multi-label",
    "many labels, sparse",
    "regression",
    "multi-target regression",
]
CONTAINERS = {
    "CSR array": sp.csr_array,
    "CSR matrix": sp.csr_matrix,
    "CSC array": sp.csc_array,
    "COO matrix": sp.coo_matrix,
    "Fortran order": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "int": lambda X: X.astype(np.int64),
    "every second column of a wider array": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("task", TASKS)
def test_the_container_of_the_features_does_not_change_the_model(task, container):
    X, y, forest = problem(task)
    expected = clone(forest).fit(X, y)
    other = CONTAINERS[container](X)
    found = clone(forest).fit(other, y)
    assert same_trees(expected, found)
    np.testing.assert_array_equal(scores(found, other), scores(expected, X))


@pytest.mark.parametrize("container", [sp.csr_array, sp.csr_matrix, sp.csc_array, sp.csc_matrix])
def test_the_container_of_the_labels_does_not_change_the_model(container):
    X, y, forest = problem("many labels, sparse")
    expected = clone(forest).fit(X, y)
    found = clone(forest).fit(X, container(y))
    assert same_trees(expected, found)
    assert sp.issparse(found.predict(X))
    np.testing.assert_array_equal(found.predict(X).toarray(), expected.predict(X))
    boolean = clone(forest).fit(X, y.astype(bool))
    assert boolean.predict(X).dtype == bool
    np.testing.assert_array_equal(boolean.predict(X), expected.predict(X))


def test_unsorted_and_duplicated_sparse_entries_mean_what_scipy_says():
    X, y, forest = problem("many labels, sparse")
    coo = sp.coo_array(X)
    order = np.random.default_rng(1).permutation(coo.nnz)
    halves = np.concatenate([coo.data[order] / 2, coo.data[order] / 2])
    row, column = (np.tile(c[order], 2) for c in coo.coords)
    messy = sp.csr_array(X.shape)
    messy = sp.coo_array((halves, (row, column)), shape=X.shape).tocsr()
    messy.indices[: messy.indptr[1]] = messy.indices[: messy.indptr[1]][::-1]
    messy.data[: messy.indptr[1]] = messy.data[: messy.indptr[1]][::-1]
    messy.has_sorted_indices = False
    assert same_trees(clone(forest).fit(X, y), clone(forest).fit(messy, y))


@pytest.mark.parametrize("task", TASKS)
def test_the_number_of_threads_does_not_change_the_model(task):
    X, y, forest = problem(task)
    one = clone(forest).set_params(n_jobs=1).fit(X, y)
    for n_jobs in (2, 4):
        several = clone(forest).set_params(n_jobs=n_jobs).fit(X, y)
        assert same_trees(one, several)
        np.testing.assert_array_equal(scores(several, X), scores(one, X))
        np.testing.assert_array_equal(several.feature_importances_, one.feature_importances_)


@pytest.mark.parametrize("task", TASKS)
def test_pickled_and_cloned_models_are_the_same_model(task):
    X, y, forest = problem(task)
    model = forest.fit(X, y)
    assert same_trees(model, pickle.loads(pickle.dumps(model)))
    assert same_trees(model, clone(model).fit(X, y))


def test_different_seeds_give_different_forests():
    X, y, forest = problem("multi-class")
    assert not same_trees(clone(forest).fit(X, y), clone(forest).set_params(random_state=1).fit(X, y))


def planted(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 8))
    Y = np.column_stack([X[:, 0] + X[:, 1] > 0, X[:, 2] - X[:, 3] > 0]).astype(float)
    return X, Y


@pytest.mark.parametrize(
    "split", [GradientSplit(), GradientSplit.published(), GradientSplit(threshold="exact")]
)
def test_constant_targets_leave_the_tree_as_it_was(split):
    X, Y = planted()
    for value in (0.0, 1.0):
        wide = np.hstack([Y, np.full((len(Y), 20), value)])
        narrow_tree = ObliqueTreeClassifier(split=split, min_samples_split=2, random_state=0).fit(X, Y)
        wide_tree = ObliqueTreeClassifier(split=split, min_samples_split=2, random_state=0).fit(X, wide)
        np.testing.assert_array_equal(narrow_tree.trees_.left, wide_tree.trees_.left)
        np.testing.assert_array_equal(narrow_tree.trees_.weights, wide_tree.trees_.weights)


def test_the_unit_of_a_target_leaves_the_tree_as_it_was():
    X, Y = planted()
    metres = ObliqueTreeRegressor(max_depth=4, random_state=0).fit(X, Y)
    millimetres = ObliqueTreeRegressor(max_depth=4, random_state=0).fit(X, Y * [1000.0, 1.0])
    np.testing.assert_array_equal(metres.trees_.left, millimetres.trees_.left)
    np.testing.assert_array_equal(metres.apply(X), millimetres.apply(X))
    np.testing.assert_allclose(millimetres.predict(X), metres.predict(X) * [1000.0, 1.0], atol=1e-3)


def test_offset_and_scale_of_a_feature_leave_the_predictions_as_they_were():
    X, Y = planted()
    tree = ObliqueTreeClassifier(max_depth=2, random_state=0).fit(X, Y)
    moved = X * 64.0 + 4096.0
    there = ObliqueTreeClassifier(max_depth=2, random_state=0).fit(moved, Y)
    assert np.mean(tree.predict(X) == there.predict(moved)) > 0.99


def test_integer_weights_are_repeated_rows_where_nothing_counts_rows():
    X, Y = planted(200)
    times = np.random.default_rng(3).integers(0, 4, len(X))
    tree = ObliqueTreeClassifier(split="axis", min_samples_split=2, random_state=0)
    weighted = clone(tree).fit(X, Y, sample_weight=times)
    repeated = clone(tree).fit(np.repeat(X, times, axis=0), np.repeat(Y, times, axis=0))
    np.testing.assert_array_equal(weighted.trees_.left, repeated.trees_.left)
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-4)


def test_the_order_of_the_rows_does_not_change_the_quality():
    X, Y = planted(600, seed=1)
    fresh_X, fresh_Y = planted(600, seed=2)
    order = np.random.default_rng(0).permutation(len(X))
    forest = ObliqueForestClassifier(n_estimators=10, random_state=0)
    straight = (clone(forest).fit(X, Y).predict(fresh_X) == fresh_Y).mean()
    shuffled = (clone(forest).fit(X[order], Y[order]).predict(fresh_X) == fresh_Y).mean()
    assert min(straight, shuffled) > 0.95
    assert abs(straight - shuffled) < 0.02
