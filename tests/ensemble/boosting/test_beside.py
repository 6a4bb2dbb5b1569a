"""Claims about the forest beside boosted trees."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_friedman1
from sklearn.metrics import r2_score

from slantwood import ObliqueBoostingClassifier, ObliqueBoostingRegressor
from slantwood.ensemble.prediction import Predictor

QUICK = {"n_estimators": 30, "n_iter_no_change": 10, "random_state": 0}
N_FORESTS, N_TREES = 5, 10
IN_FORESTS = N_FORESTS * N_TREES


@pytest.fixture(scope="module")
def noisy():
    X, y = make_friedman1(500, noise=5.0, random_state=0)
    return X[:200], y[:200], X[200:], y[200:]


@pytest.fixture(scope="module")
def model(noisy):
    X, y, _, _ = noisy
    return ObliqueBoostingRegressor(**QUICK).fit(X, y)


def n_beside(model):
    """Trees beyond those of rounds, of which each of five models has two."""
    return len(model) - 10 * model.n_iter_


def test_noisy_numbers_of_few_rows_have_a_forest_in_the_first_round(model):
    assert n_beside(model) == IN_FORESTS
    assert model.forest_.additive.round_sizes.tolist() == [IN_FORESTS + 10] + [10] * (model.n_iter_ - 1)


def halves(model, X, unit):
    """What the forest and the rounds say by themselves, in units of the target."""
    trees, start = model.trees_, model.forest_.additive.start
    nodes = Predictor(model.forest_).leaves(model.encode_features(X))
    said = trees.leaves.values[trees.leaf[nodes], 0].astype(np.float64)
    parts = said[:, :IN_FORESTS], said[:, IN_FORESTS:]
    return [unit * (start + 2.0 * part.sum(axis=1)) for part in parts]


def test_the_forest_is_half_of_the_model(model, noisy):
    X, y, _, _ = noisy
    forest, boosted = halves(model, X, y.std())
    assert_allclose((forest + boosted) / 2, model.predict(X), rtol=1e-5)
    assert r2_score(y, forest) > 0.3
    assert r2_score(y, boosted) > 0.3
    # A forest predicts means of targets.
    assert y.min() <= forest.min() < forest.max() <= y.max()


def test_the_mean_is_better_than_its_halves_on_new_rows(model, noisy):
    _, y, X_new, y_new = noisy
    scores = [r2_score(y_new, half) for half in halves(model, X_new, y.std())]
    assert model.score(X_new, y_new) > max(scores)


def test_where_boosting_alone_is_better_there_is_no_forest():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    model = ObliqueBoostingRegressor(50, learning_rate=0.2, random_state=0).fit(X, X @ [1.0, -2.0, 0.5, 1.0])
    assert n_beside(model) == 0


@pytest.mark.parametrize(
    "given", [{"split": "ridge"}, {"loss": "absolute_error"}, {"early_stopping": False, "n_estimators": 3}]
)
def test_who_asks_for_something_else_gets_no_forest(noisy, given):
    X, y, _, _ = noisy
    model = ObliqueBoostingRegressor(**QUICK | given).fit(X, y)
    per_round = 2 if "early_stopping" in given else 10
    assert len(model) == per_round * model.n_iter_


def test_classes_have_no_forest(noisy):
    X, y, _, _ = noisy
    assert n_beside(ObliqueBoostingClassifier(**QUICK | {"n_estimators": 5}).fit(X, y > 15)) == 0


def test_targets_of_other_sizes_and_unknown_ones_are_predicted_too(noisy):
    X, y, X_new, y_new = noisy
    Y = np.stack([y, 1e6 + 100 * y], axis=1)
    Y[::3, 0] = np.nan
    model = ObliqueBoostingRegressor(**QUICK).fit(X, Y)
    assert n_beside(model) == IN_FORESTS
    predicted = model.predict(X_new)
    assert r2_score(y_new, predicted[:, 0]) > 0.2
    assert r2_score(1e6 + 100 * y_new, predicted[:, 1]) > 0.2
