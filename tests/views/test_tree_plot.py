"""Claims about pictures of trees."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Polygon
from sklearn.datasets import load_iris

from slantwood import ObliqueBoostingClassifier, ObliqueTreeClassifier, ObliqueTreeRegressor
from slantwood.explain import read_tree
from slantwood.views import plot_tree

X, y = load_iris(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def tree():
    return ObliqueTreeClassifier(random_state=0).fit(X, np.array(["setosa", "$x", "virginica"])[y])


def boxes(ax):
    return [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_every_node_is_a_box_and_boxes_do_not_overlap(tree):
    for depth in (1, 3, None):
        reading = read_tree(tree, max_depth=depth, X=X)
        ax = plot_tree(reading)
        frames = [box.get_bbox() for box in boxes(ax)]
        assert len(frames) == len(reading)
        for i, one in enumerate(frames):
            assert not any(one.overlaps(other) for other in frames[i + 1 :])


def test_text_stays_within_its_box(tree):
    ax = plot_tree(tree, X=X)
    ax.figure.draw_without_rendering()
    frames = [box.get_window_extent() for box in boxes(ax)]
    inside = [
        text
        for text in ax.texts
        if text.get_text() not in ("yes", "no") and "more split" not in text.get_text()
    ]
    assert len(inside) > 10
    for text in inside:
        own = text.get_window_extent()
        middle = own.x0 + 1, (own.y0 + own.y1) / 2
        frame = next(frame for frame in frames if frame.contains(*middle))
        assert own.x1 <= frame.x1 + 1
        assert own.y0 >= frame.y0 - 2


def test_where_the_tree_goes_on_a_triangle_says_how_many_splits_follow(tree):
    reading = read_tree(tree, max_depth=1)
    ax = plot_tree(tree, max_depth=1)
    n_hidden = [int(n) for n in reading.n_hidden if n]
    assert sum(isinstance(patch, Polygon) for patch in ax.patches if type(patch) is Polygon) == len(n_hidden)
    for n in n_hidden:
        assert f"{n} more splits" in texts(ax)
    assert not any("more split" in text for text in texts(plot_tree(tree, max_depth=None)))


def test_names_are_letters_and_never_formulas(tree):
    ax = plot_tree(tree, max_depth=None)
    assert "$x" in texts(ax)
    ax.figure.draw_without_rendering()


def test_three_hundred_labels_take_no_more_room_than_three():
    rng = np.random.default_rng(0)
    sizes = []
    for n_labels in (3, 300):
        labels = (rng.random((150, n_labels)) < 0.5).astype(int)
        model = ObliqueTreeClassifier(random_state=0, max_depth=2).fit(X, labels)
        ax = plot_tree(model, max_depth=2)
        sizes.append(ax.figure.get_size_inches())
        assert any("more" in text for text in texts(ax)) == (n_labels == 300)
    assert sizes[1][1] < 1.5 * sizes[0][1]


def test_numbers_steps_and_given_axes():
    figure = Figure(figsize=(4, 3))
    first, second = figure.subplots(1, 2)
    model = ObliqueTreeRegressor(random_state=0, max_depth=2).fit(X, X.iloc[:, :2])
    assert plot_tree(model, X=X, y=X.iloc[:, :2], ax=first) is first
    assert any("±" in text for text in texts(first))
    boosted = ObliqueBoostingClassifier(n_estimators=2, early_stopping=False, random_state=0).fit(X, y)
    plot_tree(boosted[1], ax=second)
    assert any(text.startswith("+0.") for text in texts(second))
    figure.draw_without_rendering()
    with pytest.raises(TypeError, match="must be a matplotlib Axes"):
        plot_tree(model, ax=figure)
