"""Claims about pictures of rankings, contributions, proximities, errors and labels that come together."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from slantwood import ObliqueForestClassifier, ObliqueForestRegressor
from slantwood.explain import Calibration, Contributions, Cooccurrence, FeatureRanking, Intervals
from slantwood.views import plot_learning, plot_proximities

pytest.importorskip("matplotlib")

from matplotlib.colors import to_hex
from matplotlib.figure import Figure

FEW = {"n_estimators": 4, "random_state": 0}


def new_axes():
    return Figure(layout="constrained").subplots()


def drawn(ax):
    """Draw for good, which finds what is wrong with texts and layout."""
    ax.figure.canvas.draw()
    return ax


def ranking(n=30, n_groups=0, null=None):
    scores = np.linspace(1.0, 2.0, n)
    names = tuple(f"feature {j}" for j in range(n))
    groups = tuple(f"label {j}" for j in range(n_groups))
    return FeatureRanking(names, scores, 0.1 * scores, groups, np.ones((n, n_groups)), "paper", null)


def test_the_best_features_stand_at_the_top():
    ax = drawn(ranking().plot(top=5, ax=new_axes()))
    assert [each.get_text() for each in ax.get_yticklabels()] == [f"feature {j}" for j in range(29, 24, -1)]
    assert_allclose([bar.get_width() for bar in ax.patches], np.linspace(1.0, 2.0, 30)[:-6:-1])
    assert ax.yaxis_inverted()


def test_features_within_noise_are_pale_and_chance_is_drawn():
    null = np.full((19, 30), 0.5)
    null[:, 0] = 1.5
    ax = drawn(ranking(null=null).plot(top=30, ax=new_axes()))
    pale = [to_hex(bar.get_facecolor()) for bar in ax.patches[:30]]
    assert pale[:14] == [pale[0]] * 14  # above 1.5, the best of chance
    assert pale[15:] == [pale[-1]] * 15
    assert pale[0] != pale[-1]
    assert len(ax.collections[1].get_segments()) == 30


@pytest.mark.parametrize("n_groups", [3, 300])
def test_groups_of_targets_are_a_heat_map(n_groups):
    ax = drawn(ranking(n_groups=n_groups).plot(ax=new_axes()))
    assert ax.images[0].get_array().shape == (20, n_groups)
    assert len(ax.get_xticklabels()) <= 40


def test_contributions_are_bars_of_one_output_and_a_heat_map_of_several():
    values = np.zeros((2, 3, 8))
    values[1, :, 0] = [0.1, -0.4, 0.2]
    values[1, 2, 5] = 0.3
    outputs = tuple(f"a rather long name of label {j}" for j in range(8))
    found = Contributions(values, np.full(8, 0.5), ("age", "size", "kind"), outputs)
    ax = drawn(found.plot(1, targets=0, ax=new_axes()))
    assert [each.get_text() for each in ax.get_yticklabels()] == ["size", "kind", "age"]
    assert_allclose([bar.get_width() for bar in ax.patches], [-0.4, 0.2, 0.1])
    assert ax.patches[0].get_facecolor() != ax.patches[1].get_facecolor()
    assert "0.5 becomes 0.4" in ax.get_xlabel()
    ax = drawn(found.plot(1, top=2, ax=new_axes()))
    assert ax.images[0].get_array().shape == (2, 6)
    assert ax.get_xticklabels()[0].get_text().startswith("a rather long name of label 5")
    with pytest.raises(IndexError, match="row=2 of 2 rows"):
        found.plot(2)


def test_classes_have_colours_and_shapes_and_of_many_the_most_frequent():
    X, y = load_iris(return_X_y=True)
    forest = ObliqueForestClassifier(**FEW).fit(X, y)
    ax = drawn(plot_proximities(forest, X, y, ax=new_axes()))
    assert [len(each.get_offsets()) for each in ax.collections] == [50, 50, 50]
    assert len({to_hex(each.get_facecolor()[0]) for each in ax.collections}) == 3
    one = plot_proximities(forest, X, target=2, ax=new_axes())
    assert one.get_legend().get_texts()[0].get_text().startswith("others (")
    labels = np.eye(30, dtype=int)[np.arange(150) % 30]
    labels[:90, 7] = 1
    forest = ObliqueForestClassifier(**FEW, max_depth=3).fit(X, labels)
    ax = drawn(plot_proximities(forest, X, labels, ax=new_axes()))
    assert len(ax.collections) == 13
    assert sum(len(each.get_offsets()) for each in ax.collections) == 150


def test_numbers_are_told_by_colour():
    X, _ = load_iris(return_X_y=True)
    forest = ObliqueForestRegressor(**FEW).fit(X, X[:, :2], target_names=["long", "wide"])
    ax = drawn(plot_proximities(forest, X, X[:, :2], target="wide", ax=new_axes()))
    assert_allclose(ax.collections[0].get_array(), X[:, 1])


def test_curves_of_several_models_are_told_apart():
    X, y = load_iris(return_X_y=True)
    forest = ObliqueForestClassifier(**FEW).fit(X[::2], y[::2])
    ax = plot_learning(forest, X[1::2], y[1::2], label="first", ax=new_axes())
    drawn(plot_learning(forest, X[1::2], y[1::2], label="second", ax=ax))
    assert len(ax.lines) == 2
    assert ax.lines[0].get_color() != ax.lines[1].get_color()
    assert len(ax.lines[0].get_xdata()) == 4
    assert ax.get_legend().get_texts()[1].get_text().startswith("second: ")


@pytest.mark.parametrize("n", [1, 3, 300])
def test_labels_that_come_together_stand_side_by_side(n):
    group = np.arange(n) % 2
    together = np.where(group[:, None] == group, 0.2, 0.0) + 0.2 * np.eye(n)
    found = Cooccurrence(tuple(f"label {j}" for j in range(n)), together, 0.9 * together)
    ax = drawn(found.plot(ax=new_axes()))
    names = [int(each.get_text().split()[1]) % 2 for each in ax.get_yticklabels()]
    assert np.abs(np.diff(names)).sum() <= 1
    assert len(ax.texts) == (6 if n == 3 else 0)
    assert len(ax.get_xticklabels()) <= 40


def test_intervals_and_reliability_curves_draw_themselves():
    found = Intervals(np.zeros(3), np.full(3, 2.0), np.ones(3), ("price",), 0.9, False)
    assert found.plot([1.0, 0.5, 9.0], ax=new_axes()).get_ylabel() == "price"
    curve = Calibration.from_probabilities([0.1, 0.1, 0.9, 0.9], [0, 0, 1, 1])
    assert len(curve.plot(label="forest", ax=new_axes()).lines) == 2
