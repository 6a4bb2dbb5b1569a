"""Claims about the quality benchmark, on data made here."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_multilabel_classification

from slantwood_bench.problems import Problem
from slantwood_bench.scripts.quality import PUBLISHED, STUDY, cross_validated, slantwood_forest


def test_cross_validation_scores_a_learnable_task_highly():
    X, y = load_iris(return_X_y=True)
    assert cross_validated(slantwood_forest(5, 1), Problem("multi-class", X, y)) > 0.9


def test_changes_of_the_split_leave_its_other_values_automatic():
    X, Y = make_multilabel_classification(60, random_state=0)
    model = slantwood_forest(2, 1, split={"C": 3.0}, normalize_labels=True)("multi-label").fit(X, Y)
    default = slantwood_forest(2, 1)("multi-label").fit(X, Y)
    assert model.settings_.split.C == 3.0
    assert model.settings_.split.max_iter == default.settings_.split.max_iter
    assert model.settings_.normalize_labels


@pytest.mark.parametrize("title", STUDY)
def test_every_alternative_of_the_study_is_what_the_forest_uses(title):
    X = np.random.default_rng(0).normal(size=(30, 6))
    for changes in STUDY[title][1].values():
        for task, y in (("regression", X[:, 0]), ("multi-label", (X[:, :3] > 0).astype(int))):
            settings = slantwood_forest(1, 1, **changes)(task).fit(X, y).settings_
            wanted = dict(changes)
            split = wanted.pop("split", {})
            if isinstance(split, dict):
                assert {name: getattr(settings.split, name) for name in split} == split
            else:
                assert settings.split == split
            if task == "regression":
                wanted.pop("normalize_labels", None)
            assert {name: getattr(settings, name) for name in wanted} == wanted


def test_the_published_form_is_what_it_says():
    X, y = load_iris(return_X_y=True)
    settings = slantwood_forest(1, 1, **PUBLISHED)("multi-class").fit(X, y).settings_
    assert settings.split == PUBLISHED["split"]
    assert settings.bootstrap is True
    assert settings.max_features is None
