"""Rows on a map, on which those that a model holds for alike lie near to each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from slantwood.estimators.names import output_names
from slantwood.explain.models import check_model
from slantwood.explain.named_positions import output_positions
from slantwood.explain.proximity_map import proximity_map
from slantwood.explain.truth import LabelTruth, truth_of
from slantwood.task_names import NUMBER_TASKS
from slantwood.views.axes import axes_for, fitting
from slantwood.views.colours import CURVES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Of classes and labels, of which as many are drawn: those of the same colour have another shape.
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "*", "h")
_PALE = "0.8"


def plot_proximities(
    model: Any, X: Any, y: Any = None, *, target: Any = None, ax: Axes | None = None
) -> Axes:
    """Draw rows on a map, on which those that a model holds for alike lie near to each other.

    Parameters
    ----------
    model : estimator
        A fitted tree, forest or boosted model of one kind of targets.
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        Rows.
    y : array, sparse matrix, data frame or label sets, optional
        Their targets, which give the colours. By default what the model predicts.
    target : str or int, optional
        The class or label that has a colour, or the number that the colours tell, by name or position. By
        default the first number; of classes and labels the twelve most frequent.
    ax : matplotlib.axes.Axes, optional
        Where to draw. By default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn on, by the first two coordinates of `slantwood.explain.proximity_map`. Classes and
        labels have colours and shapes of their own, a row with several labels those of the rarest; others are
        grey.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import ObliqueForestClassifier
    >>> from slantwood.views import plot_proximities
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ObliqueForestClassifier(n_estimators=10, random_state=0).fit(X, y)
    >>> ax = plot_proximities(forest, X, y, ax=Figure().subplots())
    >>> len(ax.get_legend().get_texts())
    3
    """
    check_model(model, "a map of proximities")
    place = proximity_map(model, X)
    truth = truth_of(model, model.predict(X) if y is None else y, len(place))
    names = output_names(model)
    chosen = None if target is None else output_positions(target, names)
    ax = axes_for("plot_proximities", ax, (5.5, 4.5))
    size = float(np.clip(15000 / max(len(place), 1), 9, 36))
    if model.targets_.task in NUMBER_TASKS:
        column = 0 if chosen is None else int(chosen[0])
        points = ax.scatter(
            place[:, 0], place[:, 1], c=truth[:, column], cmap="viridis", s=size, linewidths=0
        )
        ax.figure.colorbar(points, ax=ax, label=fitting(names[column])).outline.set_visible(False)
    else:
        if isinstance(truth, LabelTruth):
            has = sp.csc_array(truth.indicator)
        else:
            known = np.flatnonzero((truth >= 0) & (truth < len(names)))
            cells = (np.ones(len(known), np.bool_), (known, truth[known]))
            has = sp.csc_array(cells, shape=(len(place), len(names)))
        _points_of_groups(ax, place, has, names, chosen, size)
    ax.set(xlabel="first coordinate", ylabel="second coordinate", xticks=[], yticks=[])
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _points_of_groups(
    ax: Axes,
    place: np.ndarray,
    has: sp.csc_array,
    names: Sequence[str],
    chosen: np.ndarray | None,
    size: float,
) -> None:
    counts = np.diff(has.indptr)
    if chosen is None:
        chosen = np.argsort(-counts, kind="stable")[: len(_MARKERS)]
        chosen = chosen[counts[chosen] > 0]
    group = np.full(len(place), -1)
    for number, column in enumerate(chosen):  # a rarer one later, which stays
        group[has.indices[has.indptr[column] : has.indptr[column + 1]]] = number
    others = np.flatnonzero(group < 0)
    if len(others):
        ax.scatter(
            place[others, 0],
            place[others, 1],
            color=_PALE,
            s=0.7 * size,
            linewidths=0,
            label=f"others ({len(others)})",
        )
    for number, column in enumerate(chosen):
        rows = np.flatnonzero(group == number)
        ax.scatter(
            place[rows, 0],
            place[rows, 1],
            color=CURVES[number % len(CURVES)],
            marker=_MARKERS[number % len(_MARKERS)],
            s=size,
            linewidths=0.3,
            edgecolors="white",
            alpha=0.85,
            label=f"{fitting(names[column])} ({len(rows)})",
        )
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize="small", markerscale=1.4)
