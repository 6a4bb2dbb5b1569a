"""Fitted forests have the attributes by which users of scikit-learn's forests know what they predict."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from slantwood import ObliqueForestClassifier, ObliqueForestRegressor

X = np.random.default_rng(0).normal(size=(40, 3))
LABELS = (X > 0).astype(int)


@pytest.mark.parametrize(
    ("ours", "theirs", "y"),
    [
        (ObliqueForestClassifier, RandomForestClassifier, LABELS[:, 0]),
        (ObliqueForestClassifier, RandomForestClassifier, LABELS.sum(axis=1)),
        (ObliqueForestClassifier, RandomForestClassifier, LABELS),
        (ObliqueForestRegressor, RandomForestRegressor, X[:, 0]),
        (ObliqueForestRegressor, RandomForestRegressor, X),
    ],
    ids=["two classes", "classes", "labels", "number", "numbers"],
)
def test_numbers_of_features_and_outputs_are_those_of_scikit_learn(ours, theirs, y):
    model, other = (kind(n_estimators=2, random_state=0).fit(X, y) for kind in (ours, theirs))
    assert model.n_outputs_ == other.n_outputs_
    assert model.n_features_in_ == other.n_features_in_
    if y.ndim == 1 and ours is ObliqueForestClassifier:
        assert model.n_classes_ == other.n_classes_
