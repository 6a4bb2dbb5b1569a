"""Claims about trees that stand for a forest: those that imitate it, and its own that is closest."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.datasets import load_diabetes, load_iris, make_multilabel_classification

from slantwood import (
    Hierarchy,
    ObliqueBoostingClassifier,
    ObliqueBoostingRegressor,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    load_model,
)
from slantwood.explain import distilled_tree, fidelity, read_tree, representative_tree
from slantwood.explain.mixed_rows import mixed_rows

FEW = {"n_estimators": 10, "random_state": 0}
X, y = load_iris(return_X_y=True)


# ---- fidelity


def test_a_model_says_what_it_says_itself():
    forest = ObliqueForestClassifier(**FEW).fit(X, y)
    assert fidelity(forest, forest, X) == (1.0, 1.0)


def test_fidelity_is_the_explained_variance_and_the_share_of_equal_decisions():
    forest = ObliqueForestClassifier(**FEW).fit(X[::2], y[::2])
    tree = ObliqueTreeClassifier(max_depth=1, random_state=0).fit(X[::2], y[::2])
    found = fidelity(tree, forest, X)
    small, large = tree.predict_proba(X), forest.predict_proba(X)
    assert found.r2 == pytest.approx(1 - ((small - large) ** 2).sum() / ((large - large.mean(0)) ** 2).sum())
    assert found.agreement == np.mean(tree.predict(X) == forest.predict(X))


def test_fidelity_of_sparse_labels_is_that_of_dense_ones():
    X, Y = make_multilabel_classification(150, n_classes=20, n_labels=2, random_state=0)
    found = []
    for labels in (Y, sp.csr_array(Y)):
        forest = ObliqueForestClassifier(**FEW).fit(X, labels)
        found.append(fidelity(forest[0], forest, X))
    assert_allclose(*found, atol=0.01)  # of very many labels small scores are left out


def test_models_of_other_targets_are_not_compared():
    forest = ObliqueForestClassifier(**FEW).fit(X, y)
    with pytest.raises(ValueError, match="compare models of the same targets"):
        fidelity(ObliqueTreeClassifier().fit(X, y > 0), forest, X)


# ---- the tree of a forest that is closest to it


@pytest.mark.parametrize("sparse", [False, True])
def test_the_representative_tree_is_the_one_whose_predictions_are_closest(sparse):
    X, Y = make_multilabel_classification(150, n_classes=4, random_state=0)
    forest = ObliqueForestClassifier(**FEW).fit(X[:80], sp.csr_array(Y[:80]) if sparse else Y[:80])
    found = representative_tree(forest, X[80:])
    fidelities = [fidelity(tree, forest, X[80:]).r2 for tree in forest]
    assert found.tree.index == int(np.argmax(fidelities))
    assert_allclose(1 - found.distances, fidelities, atol=0.01)
    assert found.distance == found.distances.min()


def test_a_boosted_model_has_no_representative_tree():
    model = ObliqueBoostingRegressor(n_estimators=2, early_stopping=False).fit(X, X[:, 0])
    with pytest.raises(ValueError, match="distilled_tree"):
        representative_tree(model, X)
    with pytest.raises(TypeError, match="give a fitted forest"):
        representative_tree(ObliqueTreeClassifier().fit(X, y), X)


# ---- a tree that imitates it


def test_a_tree_of_the_forest_s_size_and_kind_is_found_again():
    """A forest of one small tree can be imitated exactly, given enough rows: the planted truth."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(2000, 3)).astype(np.float32)
    y = np.where(X[:, 0] > 0.5, 3.0, np.where(X[:, 1] > 0.3, 1.0, 0.0))
    forest = ObliqueForestRegressor(n_estimators=3, split="axis", max_leaf_nodes=3, bootstrap=False).fit(X, y)
    found = distilled_tree(forest, X, max_leaf_nodes=3, split="axis", random_state=0)
    assert found.fidelity.r2 > 0.99
    assert found.tree.get_n_leaves() == 3
    texts = {each.text(2) for each in read_tree(found.tree).conditions if each is not None}
    assert texts == {"x0 >= 0.5", "x1 >= 0.3"}


def tasks():
    several = pd.DataFrame({"kind": np.array(["a", "b", "c"])[y], "width": X[:, 0].astype(float)})
    labels = np.stack([y == 0, y > 0], axis=1).astype(int)
    paths = Hierarchy.from_edges([("short", "0"), ("long", "1"), ("long", "2")])
    return {
        "classes": (ObliqueForestClassifier(**FEW), y),
        "two classes": (ObliqueForestClassifier(class_weight={0: 1, 1: 5}, **FEW), (y == 1).astype(int)),
        "label matrix": (ObliqueForestClassifier(threshold=0.3, **FEW), labels),
        "sparse labels": (ObliqueForestClassifier(**FEW), sp.csr_array(labels)),
        "label sets": (ObliqueForestClassifier(**FEW), [{"big", f"kind {k}"} if k else {"small"} for k in y]),
        "hierarchy": (ObliqueForestClassifier(hierarchy=paths, **FEW), [{str(k)} for k in y]),
        "several": (ObliqueForestClassifier(**FEW), several),
        "number": (ObliqueForestRegressor(**FEW), X[:, 2] * 100),
        "numbers": (ObliqueForestRegressor(**FEW), X[:, 2:] ** 2),
        "boosted number": (ObliqueBoostingRegressor(loss="poisson", **FEW), X[:, 2]),
        "boosted classes": (ObliqueBoostingClassifier(**FEW), y),
    }


@pytest.mark.parametrize("name", tasks())
def test_trees_that_imitate_predict_in_the_form_of_the_model(name, tmp_path):
    model, target = tasks()[name]
    model.fit(X, target)
    tree = distilled_tree(model, X, max_leaf_nodes=6, X_unseen=X, random_state=0).tree
    of_tree, of_model = tree.predict(X), model.predict(X)
    assert type(of_tree) is type(of_model)
    if hasattr(of_model, "dtype"):
        assert (of_tree.dtype, of_tree.shape) == (of_model.dtype, of_model.shape)
    assert fidelity(tree, model, X).r2 > 0.7
    assert tree.score(X, target) > model.score(X, target) - 0.3
    # All else works too: it is saved, read and explained.
    tree.save(tmp_path / "tree.slant")
    again = load_model(tmp_path / "tree.slant").predict(X)
    differ = (again != of_tree).nnz if sp.issparse(again) else again != of_tree
    assert not np.any(differ)
    assert len(read_tree(tree)) == 2 * tree.get_n_leaves() - 1
    assert read_tree(tree).rows[0] == pytest.approx(len(X))


def test_names_and_thresholds_are_those_of_the_model():
    frame = load_diabetes(as_frame=True)
    labels = (frame.data[["bmi", "s5"]] > 0).astype(int)
    model = ObliqueForestClassifier(threshold="f1_macro", bootstrap=True, **FEW).fit(frame.data, labels)
    tree = distilled_tree(model, frame.data, max_leaf_nodes=4, split="axis", random_state=0).tree
    assert_allclose(tree.decision_threshold(), model.decision_threshold())
    text = read_tree(tree).to_text()
    assert "bmi >= " in text
    assert "s5 (" in text
    assert list(tree.feature_names_in_) == list(frame.data.columns)


def test_dense_and_sparse_rows_give_the_same_tree():
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(200, 12)) * (rng.random((200, 12)) < 0.4)).astype(np.float32)
    forest = ObliqueForestRegressor(**FEW).fit(X, X[:, :3].sum(axis=1))
    trees = [
        distilled_tree(forest, rows, max_leaf_nodes=5, split="axis", random_state=0).tree
        for rows in (X, sp.csr_array(X))
    ]
    assert read_tree(trees[0]).to_text() == read_tree(trees[1]).to_text()


def test_mixed_rows_have_whole_features_of_two_rows_in_both_forms():
    rng = np.random.default_rng(0)
    X = rng.integers(1, 1000, size=(30, 8)).astype(np.float32) * (rng.random((30, 8)) < 0.6)
    source = np.array([0, 1, 1, 2, 3, 3, 3, 4])
    dense, sparse = (mixed_rows(each, source, 200, np.random.default_rng(1)) for each in (X, sp.csr_array(X)))
    assert_allclose(sparse.toarray(), dense)
    columns = [np.flatnonzero(source == feature) for feature in range(5)]
    is_of = [
        (dense[:, None, part] == X[None][:, :, part]).all(axis=2) for part in columns
    ]  # rows by rows of X
    assert all(each.any(axis=1).all() for each in is_of)
    whole = np.sum(is_of, axis=0)
    assert (whole.max(axis=1) >= 2).all()  # most features are those of one row
    assert (whole.max(axis=1) < 5).mean() > 0.2


def test_what_cannot_be_imitated_is_named():
    forest = ObliqueForestClassifier(**FEW).fit(X, y)
    with pytest.raises(ValueError, match="split='wodt' learns from classes"):
        distilled_tree(forest, X, split="wodt")
    with pytest.raises(ValueError, match="too few to keep some aside"):
        distilled_tree(forest, X[:5])
    with pytest.raises(ValueError, match="max_leaf_nodes"):
        distilled_tree(forest, X, max_leaf_nodes=1)
    with pytest.raises(TypeError, match="give a forest"):
        distilled_tree(forest[0], X)
