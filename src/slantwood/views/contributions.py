"""What the features of a row add to its prediction: bars of one output, a heat map of several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slantwood.explain.named_positions import output_positions
from slantwood.hints import pluralize
from slantwood.validation import check_integer
from slantwood.views.axes import axes_for, fitting, plain_frame, tidy_heat_map
from slantwood.views.colours import BLUE, GREY, RED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Outputs that are drawn where none are named.
_MOST_OUTPUTS = 6


def plot_contributions(
    found: Any, row: int = 0, *, targets: Any = None, top: int = 10, ax: Axes | None = None
) -> Axes:
    """Draw what the features of a row add to what is predicted for it.

    Parameters
    ----------
    found : Contributions
        What `slantwood.explain.contributions` returns.
    row : int, default=0
        Which of the rows, counted from 0.
    targets : str, int or list of these, optional
        The outputs: names or positions. By default those whose prediction differs most from the base, at most
        six.
    top : int, default=10
        How many features, those that add or take away most.
    ax : matplotlib.axes.Axes, optional
        Where to draw. By default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn on: bars for one output; for several a heat map with a column for each, below which
        stand the base and the prediction.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from slantwood.explain import Contributions
    >>> from slantwood.views import plot_contributions
    >>> found = Contributions(np.array([[[1.0], [-2.0]]]), np.array([5.0]), ("age", "size"), ("price",))
    >>> ax = plot_contributions(found, ax=Figure().subplots())
    >>> [each.get_text() for each in ax.get_yticklabels()]
    ['size', 'age']
    """
    check_integer("top", top, 1)
    if check_integer("row", row, 0) >= len(found.values):
        raise IndexError(f"row={row} of {pluralize(len(found.values), 'row')}, which count from 0")
    change = found.values[row].sum(axis=0)
    if targets is None:
        outputs = np.argsort(-np.abs(change), kind="stable")[:_MOST_OUTPUTS]
    else:
        outputs = output_positions(targets, found.output_names)
    values = found.values[row][:, outputs]
    features = np.argsort(-np.abs(values).sum(axis=1), kind="stable")[:top]
    values = values[features]
    before, after = found.base[outputs], found.base[outputs] + change[outputs]
    names = [fitting(found.output_names[j]) for j in outputs]
    n, n_outputs = values.shape
    labels = [fitting(found.feature_names[j]) for j in features]
    if n_outputs == 1:
        ax = axes_for("plot_contributions", ax, (5.5, 1.2 + 0.26 * n))
        ax.barh(np.arange(n), values[:, 0], color=np.where(values[:, 0] >= 0, BLUE, RED), height=0.72)
        ax.axvline(0.0, color=GREY, linewidth=0.8)
        ax.set(ylim=(n - 0.4, -0.6), xlabel=f"adds to {names[0]}: {before[0]:.3g} becomes {after[0]:.3g}")
        plain_frame(ax)
    else:
        ax = axes_for("plot_contributions", ax, (2.8 + 0.95 * n_outputs, 2.0 + 0.26 * n))
        ends = zip(before.round(3) + 0.0, after.round(3) + 0.0, strict=True)  # without minus zero
        moved = [f"{a:g} to {b:g}" for a, b in ends]
        _heat_map(ax, values, [f"{name}\n{change}" for name, change in zip(names, moved, strict=True)])
    ax.set_yticks(np.arange(n), labels, fontsize="small" if n <= 30 else "x-small")
    ax.tick_params(axis="y", length=0)
    return ax


def _heat_map(ax: Axes, values: np.ndarray, columns: list[str]) -> None:
    limit = max(np.abs(values).max(initial=0.0), 1e-300)
    image = ax.imshow(values, aspect="auto", cmap="RdBu", vmin=-limit, vmax=limit, interpolation="nearest")
    longest = max(len(line) for each in columns for line in each.split("\n"))
    turned: dict[str, Any] = (
        {"rotation": 50, "ha": "right", "rotation_mode": "anchor"} if longest > 15 else {}
    )
    ax.set_xticks(np.arange(len(columns)), columns, fontsize="small", **turned)
    tidy_heat_map(ax)
    ax.figure.colorbar(image, ax=ax, label="adds to the prediction", shrink=0.8).outline.set_visible(False)
