"""Whether probabilities are met: what was predicted against what came true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slantwood.hints import optional_import
from slantwood.views.colours import CURVES, GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Areas of the points of a bin that holds everything, and of one that holds hardly anything.
_LARGEST, _SMALLEST = 300.0, 12.0


def plot_calibration(calibration: Any, *, label: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw a reliability curve: for each bin of probabilities, which share of it came true.

    Parameters
    ----------
    calibration : Calibration
        What `slantwood.explain.calibration` returns.
    label : str, optional
        What the legend calls the curve, where several are drawn on the same axes.
    ax : matplotlib.axes.Axes, optional
        Where to draw. By default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn on. Points on the diagonal are met; their area is the part of all probabilities that is
        in the bin.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from slantwood.explain import Calibration
    >>> from slantwood.views import plot_calibration
    >>> found = Calibration.from_probabilities([0.1, 0.1, 0.9, 0.9], [0, 0, 1, 1])
    >>> plot_calibration(found, ax=Figure().subplots()).get_xlabel()
    'predicted probability'
    """
    with optional_import("plot_calibration needs matplotlib", "plots"):
        import matplotlib.pyplot as plt
    if ax is None:
        _, ax = plt.subplots(figsize=(4, 4), layout="constrained")
    n_curves = max(len(ax.lines) - 1, 0)  # beside the diagonal
    if not ax.lines:
        ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle="--", zorder=1)
    measured = f"Brier score {calibration.brier:.3f}, error {calibration.expected_error:.3f}"
    named = measured if label is None else f"{label}: {measured}"
    colour = CURVES[n_curves % len(CURVES)]
    ax.plot(calibration.predicted, calibration.observed, color=colour, linewidth=1.2, label=named)
    share = calibration.weight / calibration.weight.sum()
    area = np.maximum(_LARGEST * share, _SMALLEST)
    ax.scatter(calibration.predicted, calibration.observed, s=area, color=colour, alpha=0.7, zorder=3)
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    ax.set(xlabel="predicted probability", ylabel="share that came true")
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2, frameon=False, fontsize="small")
    return ax
