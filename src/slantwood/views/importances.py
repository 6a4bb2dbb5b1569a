"""Feature rankings as bars with their spread, or for groups of targets as a heat map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slantwood.validation import check_integer
from slantwood.views.axes import axes_for, fitting, name_ticks, plain_frame, tidy_heat_map
from slantwood.views.colours import BLUE, GREY, ORANGE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Of features that chance explains.
_PALE = "0.75"


def plot_importances(ranking: Any, *, top: int = 20, ax: Axes | None = None) -> Axes:
    """Draw the features of the highest scores.

    Parameters
    ----------
    ranking : FeatureRanking
        What `slantwood.explain.feature_ranking` returns.
    top : int, default=20
        How many features.
    ax : matplotlib.axes.Axes, optional
        Where to draw. By default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn on. Bars, the best at the top, with lines of a standard deviation between trees to
        either side; where models of shuffled targets were asked for, with what a feature gets by them (from
        the 5 % to the 95 % quantile), and pale where a score is not above noise. Where groups of targets were
        asked for, a heat map of their scores.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from slantwood.explain import FeatureRanking
    >>> from slantwood.views import plot_importances
    >>> none = np.empty((2, 0))
    >>> ranking = FeatureRanking(("age", "size"), np.array([0.2, 0.8]), np.zeros(2), (), none, "paper")
    >>> ax = plot_importances(ranking, ax=Figure().subplots())
    >>> [each.get_text() for each in ax.get_yticklabels()]
    ['size', 'age']
    """
    above = ranking.above_noise
    best = ranking.top(check_integer("top", top, 1))
    n = len(best)
    if best.group_names:
        width = min(3.5 + 0.3 * len(best.group_names), 9.0)
        ax = axes_for("plot_importances", ax, (width, 1.6 + 0.24 * n))
        _heat_map(ax, best)
        return ax
    ax = axes_for("plot_importances", ax, (5.5, 1.0 + 0.26 * n))
    place = np.arange(n)
    colours: Any = BLUE
    if above is not None:
        colours = np.where(above[ranking.order[:n]], BLUE, _PALE)
    ax.barh(place, best.scores, color=colours, height=0.72)
    if best.spread.any():
        ax.hlines(
            place,
            best.scores - best.spread,
            best.scores + best.spread,
            color="0.15",
            linewidth=1.0,
            label="deviation between trees",
        )
    if best.null is not None:
        low, high = np.quantile(best.null, [0.05, 0.95], axis=0)
        ax.hlines(place + 0.22, low, high, color=ORANGE, linewidth=3.0, label="by chance, 5 to 95 %")
        ax.barh([0], [0], color=BLUE, label="above noise")
        ax.barh([0], [0], color=_PALE, label="not above noise")
    ax.axvline(0.0, color=GREY, linewidth=0.8)
    ax.set_yticks(place, [fitting(name) for name in best.names], fontsize="small" if n <= 30 else "x-small")
    ax.set(ylim=(n - 0.4, -0.6), xlabel=f"score by {best.method!r}")
    if best.scores.min() >= 0:
        ax.set_xlim(left=0)
    ax.tick_params(axis="y", length=0)
    plain_frame(ax)
    if ax.get_legend_handles_labels()[1]:
        ax.legend(loc="lower right", frameon=False, fontsize="small")
    return ax


def _heat_map(ax: Axes, ranking: Any) -> None:
    image = ax.imshow(ranking.group_scores, aspect="auto", cmap="viridis", interpolation="nearest")
    name_ticks(ax, "x", ranking.group_names)
    name_ticks(ax, "y", ranking.names)
    tidy_heat_map(ax)
    ax.figure.colorbar(image, ax=ax, label=f"score by {ranking.method!r}", shrink=0.8).outline.set_visible(
        False
    )
