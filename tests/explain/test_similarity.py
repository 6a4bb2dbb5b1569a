"""Claims about proximities and what is made of them: neighbours, embeddings, outliers, prototypes, maps."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris, make_multilabel_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from slantwood import (
    Hierarchy,
    ObliqueBoostingRegressor,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
)
from slantwood.explain import (
    LeafEmbedding,
    neighbours,
    outlier_scores,
    prototypes,
    proximities,
    proximity_map,
)
from slantwood.explain.proximity import largest_of_rows, leaf_indicator, proximity_blocks

FEW = {"n_estimators": 7, "random_state": 0}


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    names = np.array(["oak", "elm", "ash"])
    return ObliqueForestClassifier(**FEW, max_depth=3).fit(X, names[y]), X, names[y]


def slow_proximities(model, X, Y):
    """Compare the leaves of every two rows."""
    of, to = (model.apply(rows).reshape(len(rows), -1) for rows in (X, Y))
    return np.array([[np.mean(a == b) for b in to] for a in of])


# ---- proximities


def test_proximity_is_the_share_of_trees_in_which_rows_share_a_leaf(iris):
    forest, X, y = iris
    tree = ObliqueTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    boosted = ObliqueBoostingRegressor(n_estimators=4, early_stopping=False, random_state=0).fit(X, X[:, 0])
    for model in (forest, tree, boosted):
        found = proximities(model, X[::3], X[1::4])
        assert found.format == "csr"
        assert (found.data > 0).all()
        assert_allclose(found.toarray(), slow_proximities(model, X[::3], X[1::4]), rtol=1e-6)


def test_proximities_of_rows_among_themselves_are_symmetric_with_ones_on_the_diagonal(iris):
    forest, X, _ = iris
    P = proximities(forest, X)
    assert_allclose(P.diagonal(), 1.0)
    assert abs(P - P.T).max() == 0


def test_sparse_rows_have_the_proximities_of_dense_ones(iris):
    forest, X, _ = iris
    assert abs(proximities(forest, sp.csr_array(X)) - proximities(forest, X)).max() == 0


def test_rows_in_blocks_have_the_same_proximities(iris):
    forest, X, _ = iris
    leaves = leaf_indicator(forest, X)
    blocks = list(proximity_blocks(leaves, leaves, pairs=2000))
    assert len(blocks) > 10
    assert blocks[0].rows.start == 0
    assert blocks[-1].rows.stop == 150
    assert abs(sp.vstack([block.shares for block in blocks]) - proximities(forest, X)).max() == 0


def test_top_k_keeps_the_largest_and_of_equal_ones_the_first(iris):
    matrix = sp.csr_array([[0.0, 2.0, 1.0, 2.0, 3.0], [0, 0, 0, 0, 0], [1, 1, 1, 0, 0]])
    assert_array_equal(
        largest_of_rows(matrix, 2).toarray(), [[0, 2, 0, 0, 3], [0, 0, 0, 0, 0], [1, 1, 0, 0, 0]]
    )
    forest, X, _ = iris
    best, all_of_them = proximities(forest, X, top_k=4), proximities(forest, X)
    assert (np.diff(best.indptr) == 4).all()
    assert_allclose(best.max(axis=1).toarray(), all_of_them.max(axis=1).toarray())
    with pytest.raises(ValueError, match="top_k=0"):
        proximities(forest, X, top_k=0)


# ---- neighbours


def test_neighbours_are_the_nearest_rows_and_say_what_these_are(iris):
    forest, X, y = iris
    found = neighbours(forest, X[1::2], X[::2], y[::2], k=4)
    slow = slow_proximities(forest, X[1::2], X[::2])
    order = np.argsort(-slow, axis=1, kind="stable")[:, :4]
    assert_allclose(found.proximity, np.take_along_axis(slow, order, axis=1), rtol=1e-6)
    assert_array_equal(found.rows, order)
    assert_array_equal(found.y, y[::2][order])
    frame = found.to_frame()
    assert frame.columns.tolist() == ["row", "neighbour", "proximity", "y"]
    assert len(frame) == 75 * 4


def test_neighbours_tell_labels_numbers_and_several_targets(iris):
    _, X, y = iris
    kinds = Hierarchy.from_edges([("short", "oak"), ("long", "elm"), ("long", "ash")])
    sets = [{str(each)} for each in y]
    forest = ObliqueForestClassifier(hierarchy=kinds, **FEW).fit(X, sets)
    assert neighbours(forest, X[:1], X, sets, k=1).y[0, 0] == ("oak",)  # "short" follows from it
    labels = np.stack([y == "oak", y != "oak"], axis=1).astype(int)
    forest = ObliqueForestClassifier(**FEW).fit(X, sp.csr_array(labels))
    assert neighbours(forest, X[:1], X, sp.csr_array(labels), k=1).y[0, 0] == (0,)
    forest = ObliqueForestRegressor(**FEW).fit(X, X[:, 0])
    assert neighbours(forest, X[:1], X[:1], X[:1, 0], k=3).y.tolist() == [[pytest.approx(5.1), None, None]]
    both = np.stack([y, y[::-1]], axis=1)
    forest = ObliqueForestClassifier(**FEW).fit(X, both)
    assert neighbours(forest, X[:1], X[:1], both[:1], k=1).y[0, 0] == ("oak", "ash")


def test_places_without_a_neighbour_are_empty(iris):
    forest, X, y = iris
    found = neighbours(forest, X[:1], X[100:], y[100:], k=2)  # no tree takes an oak for an ash
    assert found.rows.tolist() == [[-1, -1]]
    assert len(found.to_frame()) == 0


# ---- embeddings


def test_products_of_leaf_embeddings_are_proximities(iris):
    forest, X, _ = iris
    Z = LeafEmbedding(forest, prefit=True).fit(X).transform(X)
    assert sp.issparse(Z)
    assert abs(Z @ Z.T / 7 - proximities(forest, X)).max() < 1e-6


def test_names_of_leaves_are_those_that_apply_counts(iris):
    forest, X, _ = iris
    embedding = LeafEmbedding(forest, prefit=True).fit(X)
    Z, names = embedding.transform(X[:1]), embedding.get_feature_names_out()
    assert Z.shape[1] == len(names) == sum(tree.n_leaves for tree in forest)
    nodes = [f"tree{tree}_node{node}" for tree, node in enumerate(forest.apply(X[:1])[0])]
    assert names[Z.indices].tolist() == nodes


@pytest.mark.thorough
def test_scikit_learn_finds_no_fault_with_embeddings():
    check_estimator(LeafEmbedding(ObliqueForestClassifier(n_estimators=2, random_state=0)), on_skip=None)


def test_an_embedding_is_a_step_of_a_pipeline(iris):
    _, X, y = iris
    forest = ObliqueForestClassifier(n_estimators=3, max_depth=3, random_state=0)
    pipeline = make_pipeline(LeafEmbedding(forest), LogisticRegression())
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.85
    assert clone(pipeline).get_params()["leafembedding__estimator__max_depth"] == 3


def test_frames_come_of_dense_output_and_are_refused_of_sparse_one(iris):
    pytest.importorskip("pandas")
    forest, X, _ = iris
    embedding = LeafEmbedding(forest, prefit=True, sparse_output=False).set_output(transform="pandas").fit(X)
    assert embedding.transform(X).columns.tolist() == embedding.get_feature_names_out().tolist()
    with pytest.raises(ValueError, match="sparse"):
        embedding.set_params(sparse_output=True).transform(X)


# ---- outliers and prototypes


def test_a_row_of_a_wrong_class_is_an_outlier_in_it(iris):
    forest, X, y = iris
    wrong = y.copy()
    wrong[3] = "ash"
    scores = outlier_scores(forest, X, wrong)
    ash = np.flatnonzero(wrong == "ash")
    assert ash[np.argmax(scores[ash])] == 3
    assert scores[3] > 5
    P = slow_proximities(forest, X, X)
    raw = len(ash) / (P[np.ix_(ash, ash)] ** 2).sum(axis=1)
    away = raw - np.median(raw)
    assert_allclose(scores[ash], away / np.abs(away).mean(), rtol=1e-4, atol=1e-6)


def test_a_row_far_from_all_others_is_an_outlier_without_classes():
    X, y = load_diabetes(return_X_y=True)
    X, y = np.vstack([X[:150], np.full(10, 0.5)]), np.append(y[:150], 2000.0)
    # With leaves of single rows several others would be as far from all.
    forest = ObliqueForestRegressor(20, bootstrap=False, min_samples_split=10, random_state=0).fit(X, y)
    assert np.argmax(outlier_scores(forest, X)) == 150


def test_prototypes_stand_for_both_kinds_of_a_class():
    rng = np.random.default_rng(0)
    centres = np.array([[0, 0], [10, 0], [0, 10], [10, 10]])
    kind = np.repeat([0, 1, 2, 3], [20, 15, 30, 5])
    X = centres[kind] + rng.normal(size=(70, 2))
    y = np.isin(kind, [1, 2]).astype(int)  # kinds of a class lie in opposite corners
    forest = ObliqueForestClassifier(n_estimators=20, random_state=0).fit(X, y)
    found = prototypes(forest, X, y, k=2)
    assert found.names == ("0", "1")
    assert [kind[rows].tolist() for rows in found.rows] == [[0, 3], [2, 1]]
    assert_allclose(np.concatenate(found.shares), [0.8, 0.2, 2 / 3, 1 / 3], atol=0.1)
    assert found.to_frame()["class"].tolist() == ["0", "0", "1", "1"]
    assert prototypes(forest, X, y, k=2, targets="1").names == ("1",)
    assert prototypes(forest, X, k=2).rows[1].tolist() == found.rows[1].tolist()  # as they are predicted


def test_labels_have_prototypes_and_numbers_those_of_all_rows():
    X, Y = make_multilabel_classification(80, n_classes=4, random_state=0)
    Y[:, 3] = 0
    Y[0, 3] = 1
    forest = ObliqueForestClassifier(**FEW).fit(X, sp.csr_array(Y))
    found = prototypes(forest, X, sp.csr_array(Y), k=2, max_rows=20, random_state=0)
    for label, rows in enumerate(found.rows):
        assert (Y[rows, label] == 1).all()
    assert found.rows[3].tolist() == [0]
    forest = ObliqueForestRegressor(**FEW).fit(X, X[:, 0])
    assert prototypes(forest, X).names == ("all",)
    with pytest.raises(ValueError, match="targets='a'"):
        prototypes(forest, X, targets="a")


# ---- maps


def test_the_map_has_the_principal_components_of_the_leaves(iris):
    forest, X, _ = iris
    for rows in (X, X[::15]):  # more rows than leaves, and fewer
        Z = leaf_indicator(forest, rows).toarray() / np.sqrt(7)
        left, size, _ = np.linalg.svd(Z - Z.mean(axis=0), full_matrices=False)
        found = proximity_map(forest, rows)
        assert_allclose(np.abs(found), np.abs(left[:, :2] * size[:2]), atol=1e-6)
        assert (found.max(axis=0) >= -found.min(axis=0)).all()


def test_maps_of_few_rows_and_of_trees_without_split_have_zeros():
    X, y = load_iris(return_X_y=True)
    forest = ObliqueForestClassifier(**FEW).fit(X, y)
    assert_allclose(proximity_map(forest, X[[0]]), 0.0)
    assert np.linalg.norm(np.diff(proximity_map(forest, X[[0, 100]]), axis=0)) == pytest.approx(np.sqrt(2))
    constant = ObliqueForestRegressor(**FEW).fit(X, np.ones(150))
    assert_allclose(proximity_map(constant, X), 0.0)


def test_models_of_others_are_refused(iris):
    _, X, y = iris
    with pytest.raises(TypeError, match="model is a LogisticRegression"):
        proximities(LogisticRegression(), X)
    with pytest.raises(TypeError, match="model is a LogisticRegression"):
        LeafEmbedding(LogisticRegression(), prefit=True).fit(X, y)
