"""Claims about what features add to predictions."""

import io

import numpy as np
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
    ObliqueTreeRegressor,
    load_model,
)
from slantwood.explain import contributions
from slantwood.model.contributions import node_values

FEW = {"n_estimators": 5, "random_state": 0}


def test_a_node_has_the_mean_of_the_training_rows_below_it():
    X, y = load_diabetes(return_X_y=True)
    tree = ObliqueTreeRegressor(max_depth=3, random_state=0).fit(X, y)
    values = node_values(tree.trees_, np.array([0])) * tree.targets_.scale + tree.targets_.mean
    assert_allclose(values[0], y.mean(), rtol=1e-5)
    path = tree.decision_path(X)
    for node in range(len(tree.trees_.left)):
        assert_allclose(values[node], y[path[:, [node]].toarray()[:, 0] == 1].mean(), rtol=1e-5)


# ---- of models


def numbers():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    return X[:150], np.stack([y[:150], 1e4 + y[:150] ** 2], axis=1)


def labels():
    return make_multilabel_classification(150, random_state=0)


@pytest.mark.parametrize("make", [ObliqueForestRegressor, ObliqueBoostingRegressor])
def test_contributions_add_up_to_numbers(make):
    X, Y = numbers()
    model = make(**FEW).fit(X, Y)
    found = contributions(model, X)
    assert found.values.shape == (150, 10, 2)
    assert found.feature_names == tuple(X.columns)
    assert_allclose(found.predicted, model.predict(X), rtol=1e-5)
    if make is ObliqueForestRegressor:
        assert_allclose(found.base, Y.mean(axis=0), rtol=0.1)


def test_contributions_add_up_to_probabilities_of_classes_and_labels():
    X, y = load_iris(return_X_y=True)
    for target in (y, np.array(["no", "yes"])[(y == 2).astype(int)]):
        model = ObliqueForestClassifier(**FEW).fit(X, target)
        found = contributions(model, X)
        assert found.output_names == tuple(map(str, model.classes_))
        assert_allclose(found.predicted, model.predict_proba(X), atol=1e-6)
    X, Y = labels()
    for features in (X, sp.csr_array(X)):
        model = ObliqueForestClassifier(**FEW).fit(features, sp.csr_array(Y))
        found = contributions(model, features, targets=[3, "y1"])
        assert found.output_names == ("y3", "y1")
        assert_allclose(found.predicted, model.predict_proba(features)[:, [3, 1]], atol=1e-6)


def test_contributions_add_up_to_probabilities_in_a_hierarchy():
    X, y = load_iris(return_X_y=True)
    kinds = Hierarchy.from_edges([("short", "0"), ("long", "1"), ("long", "2")])
    model = ObliqueForestClassifier(hierarchy=kinds, **FEW).fit(X, [{str(each)} for each in y])
    found = contributions(model, X)
    assert_allclose(found.predicted, model.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_contributions_of_boosted_classes_add_up_to_scores(n_classes):
    X, y = load_iris(return_X_y=True)
    model = ObliqueBoostingClassifier(**FEW, early_stopping=False).fit(X, np.minimum(y, n_classes - 1))
    found = contributions(model, X)
    scores = model.decision_function(X)
    assert_allclose(found.predicted, scores.reshape(len(X), -1), rtol=1e-4, atol=1e-5)
    assert len(found.output_names) == (1 if n_classes == 2 else 3)


def test_planted_features_carry_the_prediction():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 10))
    y = 2 * X[:, 2] - X[:, 5] + (X[:, 7] > 0)
    forest = ObliqueForestRegressor(n_estimators=20, random_state=0).fit(X, y)
    size = np.abs(contributions(forest, X).values[:, :, 0])
    assert size[:, [2, 5, 7]].sum() > 0.9 * size.sum()


def test_values_of_a_nominal_feature_count_together():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"kind": pd.Categorical(rng.choice(list("abc"), 200)), "size": rng.normal(size=200)})
    y = np.where(X["kind"] == "b", 5.0, 0.0) + 0.1 * X["size"]
    forest = ObliqueForestRegressor(**FEW).fit(X, y)
    found = contributions(forest, X)
    assert found.feature_names == ("kind", "size")
    assert_allclose(found.predicted[:, 0], forest.predict(X), rtol=1e-5, atol=1e-5)
    table = found.to_frame(int(np.flatnonzero(X["kind"] == "b")[0]))
    assert table.index[0] == "kind"
    assert table.iloc[0, 0] > 2


def test_missing_cells_push_nowhere():
    X, Y = numbers()
    X = X.to_numpy().copy()
    X[::2, 3] = np.nan
    forest = ObliqueForestRegressor(**FEW, missing_indicators=False).fit(X, Y)
    found = contributions(forest, X)
    assert_allclose(found.predicted, forest.predict(X), rtol=1e-5)
    # They have a part only where no other feature of a split pushes either.
    assert np.abs(found.values[::2, 3]).mean() < 0.25 * np.abs(found.values[1::2, 3]).mean()


def test_the_plots_of_shap_take_them():
    shap = pytest.importorskip("shap")
    X, Y = numbers()
    forest = ObliqueForestRegressor(**FEW).fit(X, Y)
    several, one = (contributions(forest, X, targets=which).to_shap(X) for which in (None, 0))
    assert isinstance(one, shap.Explanation)
    assert one.shape == (150, 10)
    assert several[..., 1].shape == (150, 10)
    assert_allclose(one.values.sum(axis=1) + one.base_values, forest.predict(X)[:, 0], rtol=1e-5)


def test_wrong_outputs_and_models_that_do_not_know_are_told():
    X, y = load_iris(return_X_y=True)
    forest = ObliqueForestClassifier(**FEW).fit(X, np.array(["oak", "elm", "ash"])[y])
    with pytest.raises(ValueError, match=r"targets has 'elk'.*did you mean 'elm'"):
        contributions(forest, X, targets="elk")
    with pytest.raises(ValueError, match="targets names no output"):
        contributions(forest, X, targets=[])
    with pytest.raises(IndexError, match="row=150 of 150 rows"):
        contributions(forest, X).to_frame(150)
    with pytest.raises(ValueError, match="too many contributions"):
        contributions(forest, np.zeros((1 << 24, 4), np.float32))
    with pytest.raises(ValueError, match="several targets with classes"):
        contributions(ObliqueForestClassifier(**FEW).fit(X, np.stack([y, 2 - y], axis=1)), X)
    file = io.BytesIO()
    forest.save(file, predict_only=True)
    file.seek(0)
    with pytest.raises(ValueError, match="predict_only=True"):
        contributions(load_model(file), X)
