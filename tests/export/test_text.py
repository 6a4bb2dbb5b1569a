"""Claims about trees as text; `tests/cli/test_inspect.py` has those of every task."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, softmax
from sklearn.exceptions import NotFittedError

from slantwood import (
    Hierarchy,
    ObliqueBoostingClassifier,
    ObliqueBoostingRegressor,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
)
from slantwood.explain import feature_ranking, read_tree
from slantwood.export import export_text

X, y = [[0], [1], [2], [3], [4], [5]], [0.0, 0.0, 1.0, 1.0, 5.0, 5.0]


@pytest.fixture(scope="module")
def forest():
    return ObliqueForestRegressor(n_estimators=3, bootstrap=False, split="axis", random_state=0).fit(X, y)


def test_every_leaf_of_the_whole_tree_is_a_line_with_its_prediction(forest):
    for tree in range(3):
        text = export_text(forest, tree, max_depth=None)
        assert text.startswith(f"Tree {tree} of ObliqueForestRegressor, regression\n")
        assert [text.count(f"y0 = {value}  [2 rows") for value in (0, 1, 5)] == [1, 1, 1]


def test_what_lies_below_the_depth_asked_for_is_left_out(forest):
    lines = export_text(forest, max_depth=0).splitlines()[1:]
    assert lines == ["... 2 more splits: y0 = 2  [6 rows, 100 %]"]
    assert len(export_text(forest, max_depth=1).splitlines()) == 4


@pytest.mark.parametrize("tree", [-1, 3])
def test_a_tree_that_the_model_does_not_have_is_refused(forest, tree):
    with pytest.raises(ValueError, match=rf"tree={tree}: the model has 3 trees, counted from 0"):
        export_text(forest, tree)


def test_a_model_that_is_not_fitted_is_refused():
    with pytest.raises(NotFittedError):
        export_text(ObliqueTreeClassifier())


def test_a_leaf_of_several_targets_says_what_each_is():
    X = [[0.0], [1.0], [2.0], [3.0]]
    several = [["elm", 7], ["elm", 7], ["oak", 3], ["oak", 7]]
    model = ObliqueTreeClassifier(split="axis", max_depth=1, min_samples_split=2)
    text = export_text(model.fit(X, np.array(several, object), target_names=["kind", "rings"]))
    assert text.startswith("Tree 0 of ObliqueTreeClassifier, multi-target classification\n")
    assert "kind = elm (1.00), rings = 7 (1.00)  [2 rows, 50 %]" in text
    assert "kind = oak (1.00), rings = 3 (0.50)" in text


# ---- boosted trees


HOW = {"n_estimators": 3, "split": "axis", "max_depth": 1, "min_samples_split": 2, "min_samples_leaf": 1}
HOW |= {"subsample": 1.0, "learning_rate": 0.5, "early_stopping": False, "random_state": 0}


def numbers_of(line):
    """The numbers that a line says, by what they are of."""
    return {
        name: float(number)
        for name, number in re.findall(r"(\w+) (?:= )?([+-]?[\d.]+(?:e[+-]\d+)?)(?=[,;]|  \[)", line)
    }


def sums(model, side):
    """What a reader adds up who goes to one side in every tree."""
    texts = [export_text(model, tree).splitlines() for tree in range(len(model))]
    total = numbers_of(texts[0][1].partition("begin at")[2])
    for lines in texts:
        leaf = next(line for line in lines if line.startswith(f"  {side}"))
        total = {name: number + numbers_of(leaf).get(name, 0.0) for name, number in total.items()}
    return total


@pytest.mark.parametrize("loss", ["squared_error", "poisson"])
def test_the_steps_of_boosted_trees_add_up_to_the_prediction(loss):
    y = np.array([10.0, 10.0, 10.0, 40.0, 40.0, 40.0])
    model = ObliqueBoostingRegressor(loss=loss, **HOW).fit(X, y)
    meant = np.exp if loss == "poisson" else float
    for row, side in ((0, "no:"), (5, "yes:")):
        assert meant(sums(model, side)["y0"]) == pytest.approx(model.predict(X)[row], rel=1e-3)


def test_the_steps_of_classes_and_labels_add_up_to_log_odds_or_scores():
    two = ObliqueBoostingClassifier(**HOW).fit(X, ["elm"] * 3 + ["oak"] * 3)
    assert expit(sums(two, "yes:")["oak"]) == pytest.approx(two.predict_proba(X)[5, 1], abs=1e-3)
    three = ObliqueBoostingClassifier(**HOW).fit(X, ["elm", "elm", "fir", "oak", "oak", "oak"])
    scores = sums(three, "yes:")
    expected = three.predict_proba(X)[5]
    np.testing.assert_allclose(softmax([scores[name] for name in three.classes_]), expected, atol=1e-3)
    tree = Hierarchy.from_paths(["a", "a/b", "c"], sep="/")
    labels = ObliqueBoostingClassifier(hierarchy=tree, **HOW).fit(X, [{"a/b"}] * 3 + [{"c"}] * 3)
    text = export_text(labels)
    assert "Leaves are steps of log odds. They begin at a = " in text
    assert "(" not in text.splitlines()[-1]  # nothing that looks like a probability


def test_the_score_of_a_single_class_is_that_of_others():
    text = export_text(ObliqueBoostingClassifier(**HOW).fit(X, ["elm"] * 6))
    assert "They begin at another class = -" in text


def test_the_head_of_a_boosted_tree_says_its_round():
    model = ObliqueBoostingRegressor(**HOW).fit(X, y)
    heads = [export_text(model, tree).splitlines()[0] for tree in range(len(model))]
    assert heads[0] == "Tree 0 of ObliqueBoostingRegressor, regression, round 0"
    assert heads[-1] == f"Tree {len(model) - 1} of ObliqueBoostingRegressor, regression, round 2"
    assert model[1].export_text().startswith(heads[1])


def test_of_many_labels_a_leaf_says_those_that_change_most():
    labels = np.repeat([[0], [1]], 3, axis=0) * np.ones(8, int)
    text = export_text(ObliqueBoostingClassifier(**HOW).fit(X, labels))
    assert text.count(", and 3 more") == 3


@pytest.mark.parametrize("what", ["export_text", "describe", "to_text", "to_dot", "hierarchy", "ranking"])
def test_names_that_a_terminal_would_obey_are_escaped_in_all_text(what):
    evil = [f"{name}\x1b[2J\n\x9b\u202e" for name in "abc"]
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 3)), columns=evil)
    X[evil[2]] = pd.Categorical([evil[int(x > 0)] for x in X[evil[2]]])
    y = np.where((X[evil[0]] > 0) ^ (X[evil[2]] == evil[0]), *evil[:2])
    model = ObliqueTreeClassifier(random_state=0).fit(X, y)
    text = {
        "export_text": lambda: export_text(model),
        "describe": model.describe,
        "to_text": lambda: read_tree(model).to_text(),
        "to_dot": lambda: read_tree(model).to_dot(),
        "hierarchy": lambda: Hierarchy.from_paths(evil).show(),
        "ranking": lambda: repr(feature_ranking(model, X, y)),
    }[what]()
    assert not set(text) & set("\x1b\x9b\u202e")
    assert "a\\x1b[2J" in text.replace("\\\\", "\\")
