"""Claims about searching: parameters of the split learner are parameters of the estimator, as split__*."""

import pickle

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, ParameterGrid, RandomizedSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_html_repr

from slantwood import (
    AxisParallelSplit,
    GradientSplit,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    RidgeSplit,
    SVMSplit,
)
from slantwood.split_names import SPLITS, split_class

X, y = load_iris(return_X_y=True)
X, y = X[::3], y[::3]


class Threshold:
    """A learner of one's own, which cuts the first feature."""

    def __init__(self, cut=0.0):
        self.cut = cut

    def learn(self, X, Z, p, weights, rng):
        w = np.zeros(X.shape[1])
        w[0] = 1.0
        return w, -self.cut


class SearchableThreshold(Threshold, BaseEstimator):
    """The same with scikit-learn's get_params and set_params."""

    def __init__(self, cut=0.0):
        super().__init__(cut)


def forest(**parameters):
    return ObliqueForestClassifier(**{"n_estimators": 2, "random_state": 0} | parameters)


@pytest.mark.parametrize("name", SPLITS)
def test_a_learner_given_as_object_lists_its_parameters_with_those_of_the_estimator(name):
    learner = split_class(name)()
    params = forest(split=learner).get_params()
    nested = {k.removeprefix("split__"): v for k, v in params.items() if k.startswith("split__")}
    assert nested == learner.get_params()
    assert not any(k.startswith("split__") for k in forest(split=learner).get_params(deep=False))


def test_the_parameters_of_a_forest_make_the_same_forest_again():
    model = forest(split="svm", max_depth=3)
    assert ObliqueForestClassifier(**model.get_params()).get_params() == model.get_params()


@pytest.mark.parametrize("split", ["gradient", GradientSplit()])
def test_a_nested_value_makes_the_model_that_the_learner_with_this_value_makes(split):
    set_later = forest(split=split).set_params(split__C=0.1, split__start="noise").fit(X, y)
    given = forest(split=GradientSplit(C=0.1, start="noise")).fit(X, y)
    assert set_later.split == given.split
    np.testing.assert_array_equal(set_later.predict_proba(X), given.predict_proba(X))


def test_the_learner_that_was_given_stays_as_it_was():
    split = GradientSplit(C=1.0)
    model = forest(split=split).set_params(split__C=5.0)
    assert (split.C, model.split.C) == (1.0, 5.0)


def test_split_is_set_before_its_parameters_whatever_the_order():
    model = forest()
    assert model.set_params(split__strength=0.5, split="ridge").split == RidgeSplit(strength=0.5)
    assert model.set_params(split="axis", split__thresholds="random").split == AxisParallelSplit("random")


def test_setting_what_get_params_returned_changes_nothing():
    for split in ("svm", SVMSplit(C=3.0), SearchableThreshold(0.5)):
        model = forest(split=split)
        assert model.set_params(**model.get_params()).split is split


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"split__c": 1}, "split__c: GradientSplit has no parameter 'c'; did you mean 'C'.*learning_rate"),
        ({"split__max_it": 1}, "did you mean 'max_iter'"),
        ({"split": "ridge", "split__C": 1}, "RidgeSplit has no parameter 'C'.*strength"),
        ({"split__C": -1}, "GradientSplit: C=-1 must be"),
        ({"split": "diagonal", "split__C": 1}, "split='diagonal' must be 'auto', one of"),
        ({"split": Threshold(), "split__cut": 1}, "has no get_params and set_params; derive Threshold from"),
        ({"split": SearchableThreshold(), "split__edge": 1}, "Invalid parameter 'edge'"),
    ],
)
def test_a_wrong_name_or_value_is_refused_and_leaves_the_estimator_as_it_was(wrong, message):
    model = forest(max_depth=3)
    before = model.get_params()
    with pytest.raises(ValueError, match=message):
        model.set_params(max_depth=7, **wrong)
    assert model.get_params() == before


def test_grids_over_learners_and_their_parameters_together():
    grid = [
        {"split": ["svm", "gradient"], "split__C": [0.1, 10.0]},
        {"split": ["axis", RidgeSplit()]},
        {"split__max_iter": [3]},
    ]
    search = GridSearchCV(forest(n_estimators=1), grid, cv=2).fit(X, y)
    assert len(search.cv_results_["params"]) == 7
    assert search.best_estimator_.split is not None
    wanted = forest(n_estimators=1).set_params(**search.best_params_)
    assert repr(search.best_estimator_) == repr(wanted)
    drawn = RandomizedSearchCV(forest(n_estimators=1), {"split__C": [0.1, 1.0, 10.0]}, n_iter=2, cv=2)
    assert isinstance(drawn.fit(X, y).best_estimator_.split, GradientSplit)


def test_grids_reach_through_a_pipeline_and_hold_whole_forests():
    pipeline = Pipeline([("scale", StandardScaler()), ("forest", forest(n_estimators=1))])
    search = GridSearchCV(pipeline, {"forest__split__C": [0.1, 10.0]}, cv=2).fit(X, y)
    assert search.best_params_["forest__split__C"] == search.best_estimator_["forest"].split.C
    assert pipeline["forest"].split == "auto"
    forests = {"forest": [forest(n_estimators=1), forest(n_estimators=1, split="axis")]}
    assert len(GridSearchCV(pipeline, forests, cv=2).fit(X, y).cv_results_["params"]) == 2


def test_a_learner_of_ones_own_is_searched_like_ours():
    model = forest(split=SearchableThreshold(), max_depth=1, min_impurity_decrease=0.0, bootstrap=False)
    assert model.get_params()["split__cut"] == 0.0
    truth = (StandardScaler().fit_transform(X)[:, 0] > 1.0).astype(int)
    search = GridSearchCV(model, {"split__cut": [-1.0, 0.0, 1.0]}, cv=3).fit(X, truth)
    assert search.best_params_ == {"split__cut": 1.0}
    assert model.split.cut == 0.0


@pytest.mark.parametrize("name", SPLITS)
def test_a_learner_is_cloned_and_pickled_as_it_is_and_shows_what_is_not_default(name):
    split = split_class(name)()
    assert repr(split) == f"{type(split).__name__}()"
    for value in (0.25, 7, "random", "noise"):
        for parameter in split.get_params():
            try:
                other = type(split)(**{parameter: value})
            except (TypeError, ValueError):
                continue
            assert clone(other) == other == pickle.loads(pickle.dumps(other))
            shown = f"{type(split).__name__}({parameter}={value!r})" if other != split else repr(split)
            assert repr(other) == shown
    assert clone(forest(split=split)).split == split


def test_estimators_print_and_draw_what_is_not_default():
    model = ObliqueForestRegressor(split=GradientSplit(C=2.0), n_estimators=7)
    assert repr(model) == "ObliqueForestRegressor(n_estimators=7, split=GradientSplit(C=2.0))"
    for each in (model, model.set_params(split="svm"), ObliqueTreeClassifier().fit(X, y)):
        assert type(each).__name__ in estimator_html_repr(each)
        assert len(estimator_html_repr(each)) < 100_000


def test_every_combination_of_a_large_grid_can_be_set():
    grid = ParameterGrid({"split": ["gradient", "svm"], "split__C": [1.0, 2.0], "split__tol": [0.1, 0.2]})
    model = forest()
    for point in grid:
        model.set_params(**point)
        assert (model.split.C, model.split.tol) == (point["split__C"], point["split__tol"])
