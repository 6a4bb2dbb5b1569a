"""A tree drawn: what nodes ask, how many rows go which way, what leaves predict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slantwood.explain import TreeReading, read_tree
from slantwood.hints import optional_import
from slantwood.validation import check_integer

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_tree(
    model: Any,
    tree: int = 0,
    *,
    max_depth: int | None = 3,
    X: Any = None,
    y: Any = None,
    max_outcomes: int = 3,
    ax: Axes | None = None,
) -> Axes:
    """Draw one tree of a fitted model, from left to right.

    Splits are boxes with their conditions: of several features the largest parts, with their shares. Rows
    that meet a condition go up; lines are as wide as the share of the training rows that take them. Leaves
    have a bar for each of the largest classes or labels, and of numbers a mark between the least and the
    largest of all leaves. Where the tree goes on, a triangle says how many splits follow.

    Parameters
    ----------
    model : fitted tree, forest or boosted model of slantwood, one tree of it, or TreeReading
        The model, a tree as `forest[3]` gives it, or what `read_tree` returned.
    tree : int, default=0
        Which tree, counted from 0.
    max_depth : int or None, default=3
        Levels of splits to draw; None for all of them.
    X, y : array or data frame, optional
        Rows and their numbers, for spreads: those of `read_tree`.
    max_outcomes : int, default=3
        Classes, labels or numbers in a leaf, at most five.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Text shrinks to the room that there is. By default a new figure, as large as needed.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn on; `ax.figure.savefig("tree.svg")` saves it.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import ObliqueTreeClassifier
    >>> from slantwood.views import plot_tree
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> tree = ObliqueTreeClassifier(random_state=0).fit(X, y)
    >>> ax = Figure().subplots()
    >>> plot_tree(tree, X=X, ax=ax) is ax
    True
    """
    with optional_import("plot_tree needs matplotlib", "plots"):
        import matplotlib.axes

    from slantwood.views.tree_boxes import draw_tree

    if ax is not None and not isinstance(ax, matplotlib.axes.Axes):
        raise TypeError(f"ax={ax!r:.60} must be a matplotlib Axes; of several give one, as in axes[0]")
    check_integer("max_outcomes", max_outcomes, 1)
    if isinstance(model, TreeReading):
        reading = model
    else:
        reading = read_tree(model, tree, max_depth=max_depth, X=X, y=y)
    return draw_tree(reading, max_outcomes, ax)
