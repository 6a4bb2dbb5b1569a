"""How a tree of two features divides the plane: the cell of each leaf, and what is predicted there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from slantwood.hints import optional_import

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Share of the range of the rows by which the picture is wider on each side.
_MARGIN = 0.05


def plot_boundaries(tree: Any, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the cells into which a single tree divides the plane, and the rows on them.

    Parameters
    ----------
    tree : ObliqueTreeClassifier or ObliqueTreeRegressor
        A tree that was fitted on two columns of numbers, to one class or one number for each row.
    X : array-like of shape (n_rows, 2)
        Rows to draw; they also say which part of the plane is shown.
    y : array-like of shape (n_rows,)
        Their classes or numbers.
    ax : matplotlib.axes.Axes, optional
        Where to draw. By default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn on.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import ObliqueTreeClassifier
    >>> from slantwood.views import plot_boundaries
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = ObliqueTreeClassifier(max_depth=2, normalize_rows=False, random_state=0).fit(X[:, 2:], y)
    >>> ax = plot_boundaries(tree, X[:, 2:], y, ax=Figure().subplots())
    >>> len(ax.patches) == tree.get_n_leaves()
    True
    """
    check_is_fitted(tree)
    X, y = np.asarray(X, np.float64), np.asarray(y)
    if tree.trees_.n_trees != 1 or tree.n_features_in_ != 2 or len(tree.split_feature_names_) != 2:
        raise ValueError(
            f"tree has {tree.trees_.n_trees} trees and {tree.n_features_in_} features; cells can be drawn of "
            "a single tree of two columns of numbers"
        )
    if tree.settings_.normalize_rows:
        raise ValueError("tree was fitted with normalize_rows=True, which bends the plane; fit it with False")
    if X.ndim != 2 or X.shape[1] != 2 or y.shape != (len(X),):
        raise ValueError(f"X has shape {X.shape} and y {y.shape}; expected (n, 2) and (n,)")
    with optional_import("plot_boundaries needs matplotlib", "plots"):
        import matplotlib.pyplot as plt
    if ax is None:
        _, ax = plt.subplots(figsize=(4, 4), layout="constrained")
    low, high = X.min(axis=0), X.max(axis=0)
    low, high = low - _MARGIN * (high - low), high + _MARGIN * (high - low)
    corners = np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])
    cells = leaf_cells(tree.trees_, corners)
    # All points of a cell have the same prediction; take that of its middle.
    predicted = tree.predict(np.array([cell.mean(axis=0) for cell in cells]))
    colour = _colours(plt, np.concatenate([y, predicted]), hasattr(tree, "classes_"))
    for cell, paint in zip(cells, colour[len(y) :], strict=True):
        ax.fill(*cell.T, facecolor=(*paint[:3], 0.25), edgecolor="0.25", linewidth=0.8)
    ax.scatter(X[:, 0], X[:, 1], c=colour[: len(y)], s=9, linewidths=0.2, edgecolors="white", zorder=3)
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    return ax


def leaf_cells(trees: Any, corners: np.ndarray) -> list[np.ndarray]:
    """Return the corners of the part of a convex polygon that belongs to each leaf of the first tree.

    Leaves that have no part in it are left out.
    """
    cells = []
    waiting = [(int(trees.roots[0]), corners)]
    while waiting:
        node, polygon = waiting.pop()
        if len(polygon) < 3:
            continue
        if trees.left[node] < 0:
            cells.append(polygon)
            continue
        plane = np.zeros(2)
        weights = slice(trees.indptr[node], trees.indptr[node + 1])
        plane[trees.indices[weights]] = trees.weights[weights]
        side = polygon @ plane + trees.bias[node]
        waiting.append((int(trees.left[node]), _clipped(polygon, -side)))
        waiting.append((int(trees.right[node]), _clipped(polygon, side)))
    return cells


def _clipped(polygon: np.ndarray, side: np.ndarray) -> np.ndarray:
    # The part of the polygon where `side`, a linear function given at its corners, is positive.
    kept = []
    for here, there, at, next_at in zip(
        polygon, np.roll(polygon, -1, 0), side, np.roll(side, -1), strict=True
    ):
        if at > 0:
            kept.append(here)
        if at * next_at < 0:
            kept.append(here + at / (at - next_at) * (there - here))
    return np.array(kept).reshape(-1, 2)


def _colours(plt: Any, values: np.ndarray, classes: bool) -> np.ndarray:
    if classes:
        return np.asarray(plt.get_cmap("tab10")(np.unique(values, return_inverse=True)[1] % 10))
    return np.asarray(plt.get_cmap("viridis")((values - values.min()) / max(np.ptp(values), 1e-300)))
