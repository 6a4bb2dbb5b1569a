"""Claims about the benchmark of defaults beside published forms, on data made here."""

import pytest
from sklearn.datasets import load_iris

from slantwood.split_names import SPLITS, split_class
from slantwood_bench.problems import Problem
from slantwood_bench.scripts import published_forms


def test_every_learner_with_a_published_form_is_compared():
    have = {name: split_class(name) for name in SPLITS if hasattr(split_class(name), "published")}
    assert have == published_forms.LEARNERS


@pytest.mark.parametrize("learner", published_forms.LEARNERS)
@pytest.mark.parametrize("form", published_forms.FORMS)
def test_a_published_form_has_the_published_split_and_a_default_has_nothing_set(learner, form):
    X, y = load_iris(return_X_y=True)
    default, published = (
        published_forms.maker(learner, form, 2, 0, published=is_published)("multi-class")
        for is_published in (False, True)
    )
    assert published.fit(X, y).settings_.split == split_class(learner).published()
    given = {"n_estimators", "split", "random_state"}
    unset = type(default)().get_params()
    assert {name for name, value in default.get_params().items() if value != unset[name]} <= given
    assert default.split == learner


def test_the_published_ensembles_are_bagged_trees_random_forests_and_fastxml():
    X, y = load_iris(return_X_y=True)
    expected = {"gradient": (True, None), "ridge": (True, "sqrt"), "ndcg": (False, 1.0)}
    for learner, settings in expected.items():
        model = published_forms.maker(learner, "forest", 1, 0, published=True)("multi-class").fit(X, y)
        assert (model.settings_.bootstrap, model.settings_.max_features) == settings


def test_what_the_defaults_gain_is_the_difference_of_qualities():
    X, y = load_iris(return_X_y=True)
    found = published_forms.compared("ridge", "forest", "iris", Problem("multi-class", X, y), 3, 1)
    assert found.default > 0.85
    assert found.gain == found.default - found.published
    assert abs(found.gain) < 0.1
