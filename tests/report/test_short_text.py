"""Claims about the short forms of a model: text, a card in notebooks, and the reasons of settings."""

import pytest
import sklearn
from sklearn.utils import estimator_html_repr

from slantwood import GradientSplit, ObliqueForestClassifier, ObliqueTreeClassifier
from slantwood.explain import contributions
from slantwood.report import describe
from slantwood.report.reasons import DEFAULT, GIVEN, TUNED, settings_with_reasons
from slantwood.task_names import MIXED, TASKS


def why(model):
    return {each.name: each.why for each in settings_with_reasons(model)}


@pytest.mark.sampled
@pytest.mark.parametrize("task", [*TASKS, MIXED])
@pytest.mark.parametrize("kind", ["Forest", "Tree", "Boosting"])
def test_every_model_describes_itself(fitted, kind, task):
    if (kind, task) == ("Boosting", MIXED):
        pytest.skip("boosting does not take several targets with classes of their own")
    model, *_ = fitted(kind, task)
    text = model.describe()
    assert text == describe(model)
    assert text.splitlines()[0] == type(model).__name__
    assert f"  task       {model.targets_.task}\n" in text
    assert f"{len(model.trees_.left):,} nodes" in text


def test_what_was_given_is_told_from_what_was_chosen(fitted):
    _, X, y = fitted("Tree", "binary")
    split = GradientSplit(C=3.0)
    model = ObliqueForestClassifier(n_estimators=2, split=split, min_samples_split=7, random_state=0)
    reasons = why(model.fit(X, y))
    assert (reasons["min_samples_split"], reasons["split"], reasons["split: C"]) == (GIVEN, GIVEN, GIVEN)
    assert reasons["split: tol"] == reasons["max_depth"] == DEFAULT
    assert reasons["bootstrap"] not in (GIVEN, DEFAULT, TUNED)


def test_what_was_found_on_unseen_rows_is_said_to_be(fitted):
    _, X, y = fitted("Tree", "binary")
    model = ObliqueForestClassifier(n_estimators=2, random_state=0).fit(X, y)
    model.forest_.__dict__["tuned"] = {"min_samples_split": model.settings_.min_samples_split}
    assert why(model)["min_samples_split"] == TUNED


def test_a_preset_is_named(fitted):
    _, X, y = fitted("Tree", "binary")
    assert why(ObliqueTreeClassifier(preset="paper").fit(X, y))["max_features"] == "preset 'paper'"


def test_a_notebook_shows_a_card_above_the_diagram_once_there_is_a_model(fitted):
    model, *_ = fitted("Forest", "binary")
    card, diagram = "slantwood-card", "sk-top-container"
    for shown in (model._repr_html_(), model._repr_mimebundle_()["text/html"]):
        assert shown.index(card) < shown.index(diagram)
        assert "binary" in shown
    new = ObliqueForestClassifier()
    assert card not in new._repr_html_()
    assert diagram in new._repr_html_()
    assert diagram in estimator_html_repr(model)


def test_where_scikit_learn_shows_text_so_do_models(fitted):
    model, *_ = fitted("Forest", "binary")
    with sklearn.config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert model._repr_mimebundle_() == {"text/plain": repr(model)}


def test_explain_is_short_for_contributions(fitted):
    model, X, _ = fitted("Forest", "multi-target regression")
    short, long = model.explain(X[:3], targets=1), contributions(model, X[:3], targets=1)
    assert (short.values == long.values).all()
