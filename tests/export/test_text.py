"""Claims about trees as text; `tests/cli/test_inspect.py` has those of every task."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from slantwood import ObliqueForestRegressor, ObliqueTreeClassifier
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
    assert lines == ["...  [6 rows, 100 %]"]
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
