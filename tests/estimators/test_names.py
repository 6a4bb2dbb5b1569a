"""Names of columns that `fit` is given: kept, saved, shown, and checked."""

import numpy as np
import pytest

from slantwood import ObliqueForestClassifier, ObliqueTreeRegressor, load_model

X = np.random.default_rng(0).normal(size=(30, 3))
Y = (X[:, :2] > 0).astype(int)


def test_names_are_kept_and_name_the_features_of_splits(tmp_path):
    model = ObliqueForestClassifier(n_estimators=2, random_state=0)
    model.fit(X, Y, feature_names=["length", "width", "height"], target_names=["long", "wide"])
    model.save(tmp_path / "m.slant")
    for each in (model, load_model(tmp_path / "m.slant")):
        assert each.input_names_ == ("length", "width", "height")
        assert each.target_names_ == ("long", "wide")
        assert each.split_feature_names_.tolist() == ["length", "width", "height"]


def test_names_do_not_outlive_the_fit_that_was_given_them():
    model = ObliqueTreeRegressor(random_state=0).fit(X, Y, feature_names=list("abc"))
    model.fit(X, Y)
    assert not hasattr(model, "input_names_")
    assert model.split_feature_names_.tolist() == ["x0", "x1", "x2"]


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        ({"feature_names": ["a", "b"]}, ValueError, "feature_names has 2 names; expected 3"),
        ({"target_names": ["a"]}, ValueError, "target_names has 1 names; expected 0 or 2"),
        ({"feature_names": "abc"}, TypeError, "feature_names='abc' must be a sequence"),
    ],
)
def test_names_that_do_not_fit_are_refused_and_the_earlier_model_stays(names, error, message):
    model = ObliqueTreeRegressor(random_state=0).fit(X, Y)
    before = model.forest_
    with pytest.raises(error, match=message):
        model.fit(X, Y, **names)
    assert model.forest_ is before
