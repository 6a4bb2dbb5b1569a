"""The error of a model against the number of its trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slantwood.explain.staged_errors import staged_errors
from slantwood.task_names import CLASS_TASKS, NUMBER_TASKS
from slantwood.views.axes import axes_for, plain_frame
from slantwood.views.colours import CURVES

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_learning(
    model: Any, X: Any, y: Any, *, sample_weight: Any = None, label: str | None = None, ax: Axes | None = None
) -> Axes:
    """Draw how the error on given rows falls as trees are added, or rounds of boosting.

    Parameters
    ----------
    model : estimator
        A fitted tree, forest or boosted model of one kind of targets.
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        Rows that the model was not fitted on.
    y : array, data frame, sparse matrix or label sets
        Their targets.
    sample_weight : array of shape (n_rows,), optional
        Weights of the rows.
    label : str, optional
        What the legend calls the curve, where several are drawn on the same axes.
    ax : matplotlib.axes.Axes, optional
        Where to draw. By default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn on, with the errors of `slantwood.explain.staged_errors`; a point marks the last.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import ObliqueForestClassifier
    >>> from slantwood.views import plot_learning
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ObliqueForestClassifier(n_estimators=10, random_state=0).fit(X[::2], y[::2])
    >>> ax = plot_learning(forest, X[1::2], y[1::2], ax=Figure().subplots())
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('number of trees', 'share of wrong classes')
    """
    errors = staged_errors(model, X, y, sample_weight=sample_weight)
    ax = axes_for("plot_learning", ax, (5.5, 3.5))
    n_curves = len(ax.lines)
    colour = CURVES[n_curves % len(CURVES)]
    last = f"{errors[-1]:.3g}"
    named = f"{label}: {last}" if label is not None else f"with all trees: {last}"
    stages = np.arange(1, len(errors) + 1)
    ax.plot(stages, errors, color=colour, linewidth=1.4, label=named)
    ax.scatter(stages[-1:], errors[-1:], color=colour, s=22, zorder=3)
    task = model.targets_.task
    what = "share of wrong classes" if task in CLASS_TASKS else "squared error of probabilities"
    what = "squared error / variance" if task in NUMBER_TASKS else what
    added = "number of trees" if model.forest_.additive is None else "rounds of boosting"
    ax.set(xlabel=added if ax.get_xlabel() in ("", added) else "trees or rounds", ylabel=what)
    ax.set_ylim(bottom=0)
    ax.locator_params(axis="x", integer=True)
    plain_frame(ax)
    ax.legend(loc="upper right", frameon=False, fontsize="small")
    return ax
