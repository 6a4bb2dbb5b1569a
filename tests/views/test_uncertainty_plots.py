"""Claims about pictures of intervals and of reliability curves."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from slantwood.explain import Calibration, Intervals
from slantwood.views import plot_calibration, plot_intervals

pytest.importorskip("matplotlib")

from matplotlib.colors import to_hex
from matplotlib.figure import Figure


def intervals(n_rows, n_targets=1):
    predicted = np.random.default_rng(0).normal(size=(n_rows, n_targets))
    names = tuple(f"target {j}" for j in range(n_targets))
    return Intervals(predicted - 1, predicted + 1, predicted, names, 0.9, False)


def test_numbers_outside_of_their_intervals_are_marked():
    found = intervals(20)
    y = found.predicted.copy()
    y[3] += 5
    ax = plot_intervals(found, y, ax=Figure().subplots())
    inside, outside = ax.collections[1:]
    assert len(inside.get_offsets()) == 19
    assert_allclose(outside.get_offsets()[:, 1], y[3])
    assert to_hex(inside.get_facecolor()[0]) != to_hex(outside.get_facecolor()[0])


def test_rows_stand_in_the_order_of_predictions_and_of_many_some_are_drawn():
    ax = plot_intervals(intervals(3000), max_rows=50, ax=Figure().subplots())
    drawn = ax.lines[0].get_ydata()
    assert len(drawn) == 50
    assert (np.diff(drawn) >= 0).all()


def test_a_target_is_chosen_by_name():
    found = intervals(5, n_targets=2)
    ax = plot_intervals(found, target="target 1", ax=Figure().subplots())
    assert ax.get_ylabel() == "target 1"
    assert_allclose(ax.lines[0].get_ydata(), np.sort(found.predicted[:, 1]))
    with pytest.raises(ValueError, match=r"target='target 3'.*did you mean"):
        plot_intervals(found, target="target 3", ax=Figure().subplots())
    with pytest.raises(ValueError, match="target=2 of 2"):
        plot_intervals(found, target=2, ax=Figure().subplots())


def test_curves_on_the_same_axes_have_colours_of_their_own_and_one_diagonal():
    found = Calibration.from_probabilities([0.1, 0.1, 0.9, 0.9], [0, 1, 1, 1])
    ax = plot_calibration(found, label="tree", ax=Figure().subplots())
    plot_calibration(found, label="forest", ax=ax)
    diagonal, *curves = ax.lines
    assert_allclose(diagonal.get_xdata(), diagonal.get_ydata())
    assert len({line.get_color() for line in curves}) == 2
    assert_allclose(curves[0].get_ydata(), [0.5, 1.0])
    assert ax.get_legend().get_texts()[1].get_text().startswith("forest: Brier score")
