"""Real tables, straight from data frames: text, missing cells and rows without label."""

import numpy as np
import pytest
from sklearn.metrics import f1_score, r2_score, roc_auc_score

from slantwood import ObliqueForestClassifier, ObliqueForestRegressor
from slantwood_bench.problems import load_problem
from slantwood_bench.scripts import missing, semi_supervised
from slantwood_bench.scripts.data import available, read

pytestmark = [
    pytest.mark.real_data,
    pytest.mark.skipif(
        not available(), reason="the folder of real data sets is absent; set SLANTWOOD_DATA to its path"
    ),
]


def divided(name):
    _, X, y, *_ = load_problem(name)
    test = np.random.default_rng(0).random(len(X)) < 1 / 3
    return X[~test], y[~test], X[test], y[test]


@pytest.mark.parametrize(
    ("name", "floor"),
    [("credit-approval", 0.9), pytest.param("speeddating", 0.83, marks=pytest.mark.thorough)],
)
def test_tables_of_two_classes_fit_as_they_are(name, floor):
    X, y, fresh_X, fresh_y = divided(name)
    assert any(X[column].dtype.kind not in "biuf" for column in X)
    forest = ObliqueForestClassifier(n_jobs=2, random_state=0).fit(X, y)
    assert forest.feature_importances_.shape == (X.shape[1],)
    assert forest.feature_names_in_.tolist() == list(X)
    scores = forest.predict_proba(fresh_X)[:, 1]
    assert roc_auc_score(fresh_y == forest.classes_[1], scores) > floor


def test_a_table_of_one_number_fits_as_it_is():
    X, y, fresh_X, fresh_y = divided("cpmp-2015")
    forest = ObliqueForestRegressor(n_jobs=2, random_state=0).fit(X, y)
    assert r2_score(fresh_y, forest.predict(fresh_X)) > 0.3


@pytest.mark.thorough
def test_a_hundred_thousand_rows_with_wide_nominal_columns_are_learned():
    X, y, fresh_X, fresh_y = divided("diabetes130us")
    forest = ObliqueForestClassifier(n_estimators=10, n_jobs=2, random_state=0)
    forest.fit(X, y)
    assert f1_score(fresh_y, forest.predict(fresh_X), average="macro") > 0.38


# Of ten trees no parameter is searched for, which takes a sixth of the time of twenty.
@pytest.mark.parametrize(
    ("name", "n_trees"),
    [
        pytest.param("rf1", 20, marks=pytest.mark.thorough),
        ("yeast_expr_FUN", 10),
        pytest.param("yeast_expr_FUN", 20, marks=pytest.mark.thorough),
    ],
)
def test_values_left_missing_predict_better_than_means_put_in(name, n_trees):
    is_labels = name.endswith("FUN")
    table, y = missing.read(name)
    chosen = np.random.default_rng(0).permutation(len(y))[:1500]
    X = table[chosen]
    X[np.random.default_rng(1).random(X.shape) < 0.2] = np.nan
    left, put_in = missing.compared(is_labels, X, y[chosen], [0], n_estimators=n_trees, n_jobs=2)
    assert left > put_in


@pytest.mark.thorough
def test_rows_without_label_help_on_average():
    gains = []
    for name in ("credit-approval", "mfeat-pixel", "emotions", "wq"):
        problem = read(name).rows(slice(1000))
        for seed in range(2):
            found, _ = semi_supervised.compared(problem, 0.1, seed, n_estimators=20, n_jobs=2)
            alone, *_, auto = (quality for quality, _ in found)
            gains.append(auto - alone)
    assert np.mean(gains) > 0.002
    assert min(gains) > -0.03
