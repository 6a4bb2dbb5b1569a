"""Claims about pictures of cells: they cover the plane, and each point lies in the cell of its answer."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.path import Path
from numpy.testing import assert_allclose

from slantwood import ObliqueForestClassifier, ObliqueTreeClassifier, ObliqueTreeRegressor
from slantwood.views import plot_boundaries
from slantwood.views.boundaries import leaf_cells

mpl.use("Agg")

SQUARE = np.array([[-3.0, -3.0], [3.0, -3.0], [3.0, 3.0], [-3.0, 3.0]])


def rows(seed=0, n=200):
    X = np.random.default_rng(seed).uniform(-1, 1, (n, 2))
    return X, np.where(X[:, 0] + X[:, 1] ** 2 > 0.2, "in", "out")


def area(polygon):
    x, y = polygon.T
    return abs(x @ np.roll(y, 1) - y @ np.roll(x, 1)) / 2


@pytest.mark.parametrize("split", ["gradient", "axis"])
@pytest.mark.parametrize("seed", range(3))
def test_cells_cover_the_plane_and_hold_the_rows_of_their_leaf(split, seed):
    X, y = rows(seed)
    tree = ObliqueTreeClassifier(split=split, random_state=0).fit(X, y)
    cells = leaf_cells(tree.trees_, SQUARE)
    assert 1 < len(cells) <= tree.get_n_leaves()
    assert_allclose(sum(map(area, cells)), 36.0)
    points = np.random.default_rng(1).uniform(-3, 3, (500, 2))
    inside = np.array([Path(cell).contains_points(points) for cell in cells])
    assert (inside.sum(axis=0) <= 1).all()
    assert (inside.sum(axis=0) == 1).mean() > 0.99  # the others are on an edge
    leaves = tree.apply(points)
    for cell in inside:
        assert len(np.unique(leaves[cell])) <= 1


def test_a_picture_has_a_patch_for_each_cell_and_a_dot_for_each_row():
    X, y = rows()
    tree = ObliqueTreeClassifier(random_state=0).fit(X, y)
    ax = plot_boundaries(tree, X, y)
    assert len(ax.collections[0].get_offsets()) == len(X)
    margin = 0.05 * np.ptp(X, axis=0)
    low, high = X.min(axis=0) - margin, X.max(axis=0) + margin
    corners = np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])
    assert len(ax.patches) == len(leaf_cells(tree.trees_, corners))
    assert_allclose(ax.get_xlim(), (low[0], high[0]))


def test_numbers_are_shades_and_an_axes_can_be_given():
    import matplotlib.pyplot as plt

    X, _ = rows()
    _, ax = plt.subplots()
    assert plot_boundaries(ObliqueTreeRegressor(random_state=0).fit(X, X[:, 0]), X, X[:, 0], ax=ax) is ax
    assert len({patch.get_facecolor() for patch in ax.patches}) > 3


def test_what_cannot_be_drawn_is_refused_with_the_reason():
    X, y = rows()
    with pytest.raises(ValueError, match="2 trees"):
        plot_boundaries(ObliqueForestClassifier(n_estimators=2, random_state=0).fit(X, y), X, y)
    wide = np.column_stack([X, X])
    with pytest.raises(ValueError, match="4 features"):
        plot_boundaries(ObliqueTreeClassifier(random_state=0).fit(wide, y), wide, y)
    tree = ObliqueTreeClassifier(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="expected"):
        plot_boundaries(tree, X, y[:5])
    long_rows = ObliqueTreeClassifier(normalize_rows=True, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="normalize_rows"):
        plot_boundaries(long_rows, X, y)
