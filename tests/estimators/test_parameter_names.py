"""Claims about parameters that no estimator has, and that asking for them harms nothing else."""

import inspect
import pickle

import pytest
from sklearn.base import clone

from slantwood import (
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
)
from slantwood.estimators.parameter_names import _ELSEWHERE

KINDS = [ObliqueForestClassifier, ObliqueForestRegressor, ObliqueTreeClassifier, ObliqueTreeRegressor]
EACH = pytest.mark.parametrize("kind", KINDS)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("n_estimater", "did you mean 'n_estimators'"),
        ("min_sample_leaf", "did you mean 'min_samples_leaf'"),
        ("num_trees", "here it is 'n_estimators'"),
        ("min_data_in_leaf", "here it is 'min_samples_leaf'"),
        ("min_child_samples", "here it is 'min_samples_leaf'"),
        ("num_leaves", "here it is 'max_leaf_nodes'"),
        ("colsample_bytree", "here it is 'max_features'"),
        ("iterations", "here it is 'n_estimators'"),
        ("criterion", "Gini's impurity"),
        ("learning_rate", "trees are averaged"),
        ("thresholds", r"split=AxisParallelSplit\(thresholds=\.\.\.\)"),
        ("zzz", "expected one of .*n_estimators"),
    ],
)
def test_an_unknown_parameter_is_answered_with_the_one_that_was_meant(name, hint):
    with pytest.raises(TypeError, match=f"ObliqueForestClassifier has no parameter '{name}'; .*{hint}"):
        ObliqueForestClassifier(**{name: 10})
    with pytest.raises(ValueError, match=f"ObliqueForestClassifier has no parameter '{name}'; .*{hint}"):
        ObliqueForestClassifier().set_params(**{name: 10})


def test_a_tree_says_what_only_forests_have():
    with pytest.raises(TypeError, match="'n_estimators', which this estimator does not have"):
        ObliqueTreeClassifier(n_trees=5)


def test_translations_lead_to_parameters_that_exist_and_from_none():
    known = set(inspect.signature(ObliqueForestClassifier).parameters)
    assert set(_ELSEWHERE) <= known
    assert not known & set(" ".join(_ELSEWHERE.values()).split())


def test_the_number_of_trees_may_come_first_and_nothing_after_it():
    assert ObliqueForestClassifier(7).n_estimators == ObliqueForestRegressor(7).n_estimators == 7
    with pytest.raises(TypeError, match="positional"):
        ObliqueForestClassifier(7, "svm")
    with pytest.raises(TypeError, match="positional"):
        ObliqueTreeClassifier("svm")


@EACH
def test_signature_clone_pickle_and_pictures_are_as_without(kind):
    names = list(inspect.signature(kind).parameters)
    assert names == [name for name in inspect.signature(kind.__init__).parameters if name != "self"]
    model = kind(min_samples_leaf=5, random_state=3)
    assert sorted(model.get_params()) == sorted(names)
    for other in (clone(model), pickle.loads(pickle.dumps(model))):
        assert other.get_params() == model.get_params()
    assert "min_samples_leaf=5" in repr(model)
    assert "min_samples_leaf" in model._repr_html_()
    assert kind.__init__.__annotations__["max_leaf_nodes"] == (int | None)


def test_a_class_of_the_users_own_may_have_more_parameters():
    class Own(ObliqueForestClassifier):
        def __init__(self, n_estimators=50, *, flavour="sweet", max_depth=None):
            super().__init__(n_estimators, max_depth=max_depth)
            self.flavour = flavour

    model = Own(3, flavour="sour").set_params(flavour="bitter", max_depth=2)
    assert clone(model).get_params() == {"n_estimators": 3, "flavour": "bitter", "max_depth": 2}


def test_a_parameter_of_the_split_learner_is_told_where_it_goes():
    with pytest.raises(TypeError, match=r"for set_params and searches; .*GradientSplit\(C=\.\.\.\)"):
        ObliqueForestClassifier(split__C=3.0)
