"""Claims about `multi_output`: whether columns of y are labels or targets does not depend on their values."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import KFold, cross_val_predict

from slantwood import (
    Hierarchy,
    ObliqueBoostingClassifier,
    ObliqueForestClassifier,
    ObliqueTreeClassifier,
    load_model,
)

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 4)).astype(np.float32)
LABELS = (X[:, :2] > 0).astype(int)
RARE = LABELS.copy()
RARE[:3, 1] = 2  # in one of five folds only


def forest(**parameters):
    return ObliqueForestClassifier(**{"n_estimators": 3, "random_state": 0} | parameters)


def tree(**parameters):
    return ObliqueTreeClassifier(random_state=0, **parameters)


@pytest.mark.parametrize("kind", [forest, tree])
@pytest.mark.parametrize(
    "y", [LABELS, LABELS.astype(bool), LABELS.astype(float), pd.DataFrame(LABELS, columns=["a", "b"])]
)
def test_columns_of_zeros_and_ones_are_targets_where_that_is_asked_for(kind, y):
    model = kind(multi_output="targets").fit(X, y)
    assert model.targets_.task == "multi-target classification"
    assert [each.shape for each in model.predict_proba(X)] == [(60, 2), (60, 2)]
    assert_array_equal(model.predict(X), kind(multi_output="targets").fit(X, LABELS + 5).predict(X) - 5)


@pytest.mark.parametrize("y", [LABELS, sp.csr_array(LABELS), pd.DataFrame(LABELS, columns=["a", "b"])])
def test_labels_are_what_auto_takes_them_for(y):
    auto, labels = forest().fit(X, y), forest(multi_output="labels").fit(X, y)
    assert auto.targets_.task == labels.targets_.task == "multi-label"
    assert_array_equal(
        auto.predict_proba(X, sparse=True).toarray(), labels.predict_proba(X, sparse=True).toarray()
    )


def test_targets_that_are_no_labels_are_what_auto_takes_them_for():
    auto, targets = forest().fit(X, RARE), forest(multi_output="targets").fit(X, RARE)
    for one, other in zip(auto.predict_proba(X), targets.predict_proba(X), strict=True):
        assert_array_equal(one, other)


@pytest.mark.filterwarnings("ignore:Number of classes in training fold")
def test_a_fold_that_lacks_a_class_is_of_the_same_kind():
    with pytest.raises(ValueError):  # noqa: PT011 - scikit-learn's, about shapes
        cross_val_predict(forest(), X, RARE, cv=KFold(5), method="predict_proba")
    found = cross_val_predict(forest(multi_output="targets"), X, RARE, cv=KFold(5), method="predict_proba")
    assert [each.shape for each in found] == [(60, 2), (60, 3)]


@pytest.mark.parametrize("y", [RARE, pd.DataFrame(RARE, columns=["a", "b"])])
def test_other_values_than_labels_are_refused_where_labels_are_asked_for(y):
    with pytest.raises(ValueError, match=r"holds the value 2; .*multi_output='labels'"):
        forest(multi_output="labels").fit(X, y)


@pytest.mark.parametrize(
    ("y", "what"),
    [
        (sp.csr_array(LABELS), "is sparse"),
        (LABELS + 0.5, "has columns of numbers with fractions"),
        ([{"a"}, {"b"}] * 30, "holds label sets"),
    ],
)
def test_what_can_be_no_targets_is_refused_where_targets_are_asked_for(y, what):
    with pytest.raises(ValueError, match=f"multi_output='targets', and y {what}"):
        forest(multi_output="targets").fit(X, y)


def test_wrong_values_are_refused_by_name():
    with pytest.raises(ValueError, match=r"multi_output='both' .*'labels'"):
        forest(multi_output="both").fit(X, LABELS)
    hierarchy = Hierarchy.from_paths(["a", "b"])
    with pytest.raises(ValueError, match=r"multi_output='targets' .* hierarchy"):
        forest(multi_output="targets", hierarchy=hierarchy).fit(X, LABELS)
    with pytest.raises(ValueError, match="boosting is not for"):
        ObliqueBoostingClassifier(2, multi_output="targets").fit(X, LABELS)


@pytest.mark.parametrize(("first", "later"), [(LABELS, RARE), (RARE, sp.csr_array(LABELS))])
def test_more_trees_on_another_kind_are_refused_by_the_name_of_the_parameter(first, later):
    model = forest(warm_start=True).fit(X, first)
    with pytest.raises(ValueError, match="multi_output"):
        model.set_params(n_estimators=5).fit(X, later)


def test_more_trees_on_rows_that_lack_a_class_go_on():
    model = forest(warm_start=True, multi_output="targets").fit(X, RARE)
    model.set_params(n_estimators=5).fit(X, LABELS)
    assert [each.shape for each in model.predict_proba(X)] == [(60, 2), (60, 3)]


def test_labels_are_not_scored_by_targets():
    with pytest.raises(ValueError, match=r"y holds the value 2, and the model predicts labels.*multi_output"):
        forest().fit(X, LABELS).score(X, RARE)


def test_it_is_kept_in_clones_and_files(tmp_path):
    model = clone(forest(multi_output="targets")).fit(X, LABELS)
    model.save(tmp_path / "a.slant")
    again = load_model(tmp_path / "a.slant")
    assert again.multi_output == "targets"
    for one, other in zip(model.predict_proba(X), again.predict_proba(X), strict=True):
        assert_array_equal(one, other)


def test_rows_in_parts_are_of_the_same_kind():
    many, labels = np.tile(X, (40, 1)), np.tile(LABELS, (40, 1))
    model = forest(multi_output="targets", max_memory="150kB", preset="fast").fit(many, labels)
    assert [each.shape for each in model.predict_proba(X)] == [(60, 2), (60, 2)]
