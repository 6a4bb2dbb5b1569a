"""What pictures share: axes to draw on, plain frames, and names that fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from slantwood.hints import optional_import, shortened
from slantwood.views.colours import GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Letters of a name that are shown.
_LONGEST = 32

# Names along an axis at the most; of more, evenly spread ones are shown.
_MOST_NAMES = 40


def axes_for(picture: str, ax: Axes | None, size: tuple[float, float]) -> Axes:
    """Return the given axes, or those of a new figure; `picture` is the function that needs matplotlib."""
    if ax is not None:
        return ax
    with optional_import(f"{picture} needs matplotlib", "plots"):
        import matplotlib.pyplot as plt
    _, made = plt.subplots(figsize=size, layout="constrained")
    return made


def plain_frame(ax: Axes) -> None:
    """Leave the left and lower lines of the frame only, in grey."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(GREY)


def fitting(name: Any) -> str:
    """Return a name as it fits beside an axis."""
    return shortened(str(name), _LONGEST)


def name_ticks(ax: Axes, axis: str, names: Sequence[str]) -> None:
    """Put names at 0, 1, 2, ... of an axis; where there are many, at some of these, evenly spread."""
    step = -(-len(names) // _MOST_NAMES)
    places = list(range(0, len(names), step))
    shown = [fitting(names[place]) for place in places]
    size = "small" if len(shown) <= 25 else "x-small"
    if axis == "y":
        ax.set_yticks(places, shown, fontsize=size)
        return
    is_short = sum(map(len, shown)) <= 60
    turned: dict[str, Any] = {} if is_short else {"rotation": 60, "ha": "right", "rotation_mode": "anchor"}
    ax.set_xticks(places, shown, fontsize=size, **turned)


def tidy_heat_map(ax: Axes) -> None:
    """Take away the frame and the small lines beside names."""
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
