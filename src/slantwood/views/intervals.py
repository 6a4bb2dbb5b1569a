"""Intervals of numbers side by side, with the numbers that they should hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slantwood.hints import did_you_mean, listed, optional_import
from slantwood.validation import check_integer
from slantwood.views.colours import BLUE, GREY, RED

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_intervals(
    intervals: Any, y: Any = None, *, target: Any = 0, max_rows: int = 200, ax: Axes | None = None
) -> Axes:
    """Draw intervals as bars in the order of the predictions, and the true numbers as points.

    Parameters
    ----------
    intervals : Intervals
        What `predict_interval` returns.
    y : array of shape (n_rows,) or (n_rows, n_targets), optional
        True numbers. Those outside of their intervals have another colour and shape.
    target : int or str, default=0
        Which of several targets to draw, by position or name.
    max_rows : int, default=200
        Of more rows, so many are drawn, evenly spread over the order of predictions.
    ax : matplotlib.axes.Axes, optional
        Where to draw. By default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn on.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from slantwood.explain import Intervals
    >>> from slantwood.views import plot_intervals
    >>> found = Intervals(np.zeros(3), np.full(3, 2.0), np.ones(3), ("price",), 0.9, False)
    >>> plot_intervals(found, [1.0, 0.5, 9.0], ax=Figure().subplots()).get_ylabel()
    'price'
    """
    check_integer("max_rows", max_rows, 1)
    column = _position(target, intervals.names)
    n_rows = len(intervals.lower)
    lower, upper, predicted = (
        part.reshape(n_rows, -1)[:, column]
        for part in (intervals.lower, intervals.upper, intervals.predicted)
    )
    truth = None if y is None else np.asarray(y, np.float64).reshape(n_rows, -1)[:, column]
    with optional_import("plot_intervals needs matplotlib", "plots"):
        import matplotlib.pyplot as plt
    if ax is None:
        _, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
    order = np.argsort(predicted, kind="stable")
    if n_rows > max_rows:
        order = order[np.linspace(0, n_rows - 1, max_rows).round().astype(int)]
    place = np.arange(len(order))
    share = f"interval, {intervals.coverage:.0%}{' of all targets' if intervals.joint else ''}"
    width = max(0.8, min(6.0, 240 / len(order)))
    ax.vlines(place, lower[order], upper[order], color=BLUE, alpha=0.35, linewidth=width, label=share)
    ax.plot(place, predicted[order], color=BLUE, linewidth=1.0, label="predicted")
    if truth is not None:
        inside = (lower <= truth) & (truth <= upper)
        met, missed = inside[order], ~inside[order] & ~np.isnan(truth[order])
        ax.scatter(place[met], truth[order][met], s=9, color="0.15", zorder=3, label="true, inside")
        ax.scatter(
            place[missed], truth[order][missed], s=22, color=RED, marker="x", zorder=4, label="true, outside"
        )
    ax.set(xlabel="rows, in the order of the predictions", ylabel=intervals.names[column])
    ax.tick_params(axis="x", labelbottom=False, length=0)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(GREY)
    ax.legend(loc="upper left", frameon=False, fontsize="small")
    return ax


def _position(target: Any, names: tuple[str, ...]) -> int:
    if isinstance(target, str):
        if target not in names:
            hint = did_you_mean(target, names, f"there are {listed(names)}")
            raise ValueError(f"target={target!r} is not one of the targets; {hint}")
        return names.index(target)
    position = check_integer("target", target, 0)
    if position >= len(names):
        raise ValueError(f"target={position} of {len(names)}, which count from 0")
    return position
