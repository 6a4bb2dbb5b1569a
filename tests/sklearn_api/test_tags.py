"""Tags promise what the split learner can do, whether it is named or given as an object."""

import numpy as np
import pytest
from sklearn.utils import get_tags

from slantwood import ObliqueForestClassifier, ObliqueForestRegressor, ObliqueTreeClassifier
from slantwood.split_names import SPLITS, split_class

X = np.random.default_rng(0).normal(size=(30, 3))
LABELS = (X > 0).astype(int)
CLASSES = LABELS[:, 0] + LABELS[:, 1]


def learns(model, y):
    try:
        model.fit(X, y)
    except ValueError as error:
        if "is for" not in str(error):
            raise
        return False
    return True


@pytest.mark.parametrize("as_object", [False, True])
@pytest.mark.parametrize("name", SPLITS)
def test_tags_say_what_the_split_learner_takes(name, as_object):
    split = split_class(name)() if as_object else name
    classifier = ObliqueForestClassifier(n_estimators=1, split=split)
    tags = get_tags(classifier)
    assert tags.classifier_tags.multi_label == learns(classifier, LABELS)
    assert tags.classifier_tags.multi_class == learns(classifier, CLASSES)
    assert tags.target_tags.single_output == (learns(classifier, CLASSES) or learns(classifier, LABELS[:, 0]))
    assert tags.target_tags.multi_output == learns(classifier, np.column_stack([CLASSES, CLASSES]))
    regressor = ObliqueForestRegressor(n_estimators=1, split=split)
    assert get_tags(regressor).target_tags.multi_output == learns(regressor, X)
    assert get_tags(regressor).target_tags.single_output == learns(regressor, X[:, 0])


def test_the_default_learner_takes_everything():
    tags = get_tags(ObliqueTreeClassifier())
    assert tags.classifier_tags.multi_label
    assert tags.classifier_tags.multi_class


@pytest.mark.parametrize("split", ["diagonal", 3])
def test_a_split_learner_that_is_none_is_left_for_fit_to_refuse(split):
    model = ObliqueForestClassifier(split=split)
    assert get_tags(model).classifier_tags.multi_label
    with pytest.raises((TypeError, ValueError), match="split="):
        model.fit(X, CLASSES)
