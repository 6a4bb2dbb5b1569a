"""Which labels come together: observed below the diagonal, predicted above it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slantwood.validation import check_integer
from slantwood.views.axes import axes_for, name_ticks, tidy_heat_map

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# So many labels leave room for numbers in the cells.
_WITH_NUMBERS = 8


def plot_cooccurrence(found: Any, *, top: int = 300, ax: Axes | None = None) -> Axes:
    """Draw how often labels come together: below the diagonal in truth, above it as a model predicts.

    Parameters
    ----------
    found : Cooccurrence
        What `slantwood.explain.cooccurrence` returns.
    top : int, default=300
        Of more labels, so many of the most frequent ones.
    ax : matplotlib.axes.Axes, optional
        Where to draw. By default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn on. A cell has the share of the rows with one label, or the other, that have both
        (Jaccard); where the picture looks the same on either side of the diagonal, labels come together as
        predicted. Labels that come together stand side by side.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from slantwood.explain import Cooccurrence
    >>> from slantwood.views import plot_cooccurrence
    >>> share = np.array([[0.5, 0.1], [0.1, 0.2]])
    >>> ax = plot_cooccurrence(Cooccurrence(("sea", "sun"), share, share), ax=Figure().subplots())
    >>> ax.get_xlabel()
    'predicted above the diagonal, observed below'
    """
    check_integer("top", top, 1)
    frequent = np.argsort(-np.diag(found.observed), kind="stable")[:top]
    observed, predicted = (
        _jaccard(part[np.ix_(frequent, frequent)]) for part in (found.observed, found.predicted)
    )
    order = _side_by_side(observed)
    names = [found.names[frequent[j]] for j in order]
    observed, predicted = observed[np.ix_(order, order)], predicted[np.ix_(order, order)]
    shown = np.tril(observed, -1) + np.triu(predicted, 1)
    np.fill_diagonal(shown, np.nan)
    n = len(names)
    side = float(np.clip(2.6 + 0.24 * n, 3.5, 8.0))
    ax = axes_for("plot_cooccurrence", ax, (side + 0.8, side))
    highest = max(float(np.nanmax(shown)) if n > 1 else 0.0, 1e-3)
    image = ax.imshow(shown, cmap="viridis", vmin=0.0, vmax=highest, interpolation="nearest")
    ax.set_facecolor("0.88")
    if n <= _WITH_NUMBERS:
        for i, j in zip(*np.nonzero(~np.isnan(shown)), strict=True):
            ink = "black" if shown[i, j] > 0.6 * highest else "white"
            ax.text(j, i, f"{shown[i, j]:.2f}", ha="center", va="center", color=ink, fontsize="small")
    name_ticks(ax, "x", names)
    name_ticks(ax, "y", names)
    tidy_heat_map(ax)
    ax.set_xlabel("predicted above the diagonal, observed below")
    bar = ax.figure.colorbar(image, ax=ax, label="share of rows with either that have both", shrink=0.75)
    bar.outline.set_visible(False)
    return ax


def _jaccard(together: np.ndarray) -> np.ndarray:
    share = np.diag(together)
    either = share[:, None] + share - together
    return together / np.where(either > 0, either, 1.0)


def _side_by_side(likeness: np.ndarray) -> np.ndarray:
    """Order labels so that those that come together are neighbours: by clustering them."""
    n = len(likeness)
    if n < 3:
        return np.arange(n)
    from scipy.cluster.hierarchy import leaves_list, linkage

    pairs = np.triu_indices(n, 1)
    # The mean distance of clusters, in the order of smaller distances within them.
    return np.asarray(leaves_list(linkage(1.0 - likeness[pairs], "average", optimal_ordering=n <= 400)))
