"""Labels as boxes in columns, with what there is to say about each, drawn by matplotlib.

Which labels to draw was decided before. Can be loaded only where matplotlib is installed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple

from matplotlib import colormaps, pyplot, rcParams
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize, to_rgb
from matplotlib.font_manager import FontProperties
from matplotlib.legend_handler import HandlerPatch, HandlerTuple
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch, Patch, PathPatch
from matplotlib.path import Path
from matplotlib.textpath import text_to_path
from matplotlib.ticker import MaxNLocator

from slantwood.views.layers import layered_layout

# Lengths are points, and points are the units of both axes.
FONT = 9.0
_ROW = 22.0
_BOX = 16.0
_PAD = 6.0  # between the outline of a box and what is in it, and between name and score
_SIGN = 13.0
_GAP = 44.0  # between columns
MARGIN = 10.0
_KEY_LINE = 16.0
_BAR_WIDTH, _BAR_HEIGHT, _BAR_ROOM = 120.0, 8.0, 40.0
_TITLE = 26.0  # left free above new figures

_COLOURS = "Blues"  # light to dark, so it needs no eye for hues
_DASHES = (0, (2.0, 1.0))
_TICK = Path([(-1.0, 0.0), (-0.3, -0.8), (1.0, 0.9)])


class Role(NamedTuple):
    """What a label is in the picture. Outline and sign tell it, as the colour tells the score."""

    meaning: str
    width: float
    style: Any
    sign: Any = None


# By whether the label is true and whether it is predicted; None where nobody said so.
ROLES = {
    (True, True): Role("predicted and true", 2.2, "-", _TICK),
    (False, True): Role("predicted, not true", 1.0, "-", "x"),
    (True, False): Role("true, not predicted", 2.2, _DASHES, "o"),
    (False, False): Role("neither", 0.8, ":"),
    (None, True): Role("predicted", 1.8, "-"),
    (None, False): Role("not predicted", 0.8, ":"),
    (True, None): Role("true", 2.2, "-"),
    (False, None): Role("not true", 0.8, ":"),
    (None, None): Role("", 1.0, "-"),
}


@dataclass(frozen=True)
class Labels:
    """The labels to draw, one entry for each in every list.

    Attributes
    ----------
    names : list of str
        What to call them.
    depth : list of int
        Their columns in the picture, from 0 on.
    edges : list of pairs (parent, child)
        Links between them, by their positions in these lists.
    roles : list of Role
        What they are.
    scores : list of float, or None
        Their scores.
    note : str
        A line to put below the picture.
    """

    names: list[str]
    depth: list[int]
    edges: list[tuple[int, int]]
    roles: list[Role]
    scores: list[float] | None
    note: str


class _Places(NamedTuple):
    left: list[float]  # of columns
    right: list[float]
    y: list[float]  # of labels
    ways: list[list[float]]  # of edges: their y in all columns that they touch
    names_from: float  # right of the left side of a box


class _Foot(NamedTuple):
    key: list[Role]
    bar_from: float
    width: float
    height: float


def draw_labels(
    labels: Labels, *, bounds: tuple[float, float], threshold: float | None, ax: Axes | None
) -> Axes:
    """Draw labels, the links between them, and below a legend.

    Parameters
    ----------
    labels : Labels
        What to draw.
    bounds : pair of float
        The scores at the ends of the colour bar.
    threshold : float or None
        A score to mark on the colour bar.
    ax : matplotlib.axes.Axes or None
        Where to draw; None makes a figure.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn on.
    """
    places, foot = _places(labels), _foot(labels)
    heights = places.y + [y for way in places.ways for y in way]
    top = max(heights) + _BOX / 2
    foot_top = min(heights) - _BOX / 2 - _ROW
    bottom = foot_top - foot.height if foot.height else foot_top + _ROW
    width = max(places.right[-1], foot.width) + 2 * MARGIN
    height = top - bottom + 2 * MARGIN
    if ax is None:
        figure = pyplot.figure(figsize=(width / 72, (height + _TITLE) / 72))
        ax = figure.add_axes((0, 0, 1, height / (height + _TITLE)))
    scale = set_limits(ax, width, height, top + MARGIN)
    norm = Normalize(*bounds)
    _draw_edges(ax, labels, places, scale)
    _draw_boxes(ax, labels, places, norm, scale)
    if foot.key:
        _draw_key(ax, foot.key, foot_top, scale)
    if labels.scores is not None:
        _draw_colour_bar(ax, foot.bar_from, foot_top, norm, threshold, scale)
    if labels.note:
        ax.text(0, bottom, labels.note, va="bottom", color="0.45", fontsize=FONT * scale)
    return ax


# ---- how much room things take


def _places(labels: Labels) -> _Places:
    layout = layered_layout(labels.depth, labels.edges)
    names_from = _PAD + (_SIGN if any(role.sign is not None for role in labels.roles) else 0.0)
    rest = names_from + _PAD
    if labels.scores is not None:
        rest += _PAD + max(text_width(_written(score)) for score in labels.scores)
    widths = [0.0] * (max(labels.depth) + 1)
    for column, name in zip(labels.depth, labels.names, strict=True):
        widths[column] = max(widths[column], rest + text_width(name))
    right = [x + i * _GAP for i, x in enumerate(accumulate(widths))]
    left = [x - width for x, width in zip(right, widths, strict=True)]
    return _Places(
        left,
        right,
        [-_ROW * row for row in layout.rows],
        [[-_ROW * row for row in way] for way in layout.ways],
        names_from,
    )


def _foot(labels: Labels) -> _Foot:
    key = [role for role in ROLES.values() if role.meaning and role in labels.roles]
    key_width = 34.0 + max(text_width(role.meaning) for role in key) if key else 0.0
    bar_from = key_width + _GAP if key else 0.0
    has_bar = labels.scores is not None
    return _Foot(
        key,
        bar_from,
        max(bar_from + _BAR_WIDTH + MARGIN if has_bar else key_width, text_width(labels.note)),
        max(_KEY_LINE * len(key), _BAR_ROOM * has_bar) + (_KEY_LINE + _PAD if labels.note else 0.0),
    )


def text_width(text: str) -> float:
    """Return the points that a text of the usual size takes."""
    # On screens letters are moved to whole pixels, which makes text wider by several per cent.
    width, _, _ = text_to_path.get_text_width_height_descent(text, FontProperties(size=FONT), ismath=False)
    return 1.08 * width


def set_limits(ax: Axes, width: float, height: float, top: float) -> float:
    """Make points the units of axes, and return by what all is to shrink where there is less room."""
    # Where there is more room than needed, a unit is a point.
    box = ax.get_window_extent()
    points = 72 / ax.figure.dpi
    room_x, room_y = box.width * points, box.height * points
    scale = min(1.0, room_x / width, room_y / height)
    spare_x, spare_y = room_x / scale - width, room_y / scale - height
    ax.set_xlim(-MARGIN - spare_x / 2, width - MARGIN + spare_x / 2)
    ax.set_ylim(top - height - spare_y / 2, top + spare_y / 2)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_axis_off()
    return scale


# ---- what is drawn


def _draw_edges(ax: Axes, labels: Labels, places: _Places, scale: float) -> None:
    for (_, child), way in zip(labels.edges, places.ways, strict=True):
        # Ways to labels that are there only to be compared step back.
        faint = labels.roles[child].style == ":"
        first = labels.depth[child] - len(way) + 1
        line = PathPatch(_curve(places, first, way), fill=False, zorder=1)
        line.set(edgecolor="0.75" if faint else "0.4", linewidth=(0.8 if faint else 1.2) * scale)
        ax.add_patch(line)


def _curve(places: _Places, first: int, way: Sequence[float]) -> Path:
    # Level where it leaves and reaches columns. All curves between two columns have one shape, so they cross
    # only where their ends are in another order.
    points, codes = [(places.right[first], way[0])], [Path.MOVETO]
    for column, y in enumerate(way[1:], first + 1):
        (x0, y0), x1 = points[-1], places.left[column]
        middle = (x0 + x1) / 2
        points += [(middle, y0), (middle, y), (x1, y), (places.right[column], y)]
        codes += [Path.CURVE4] * 3 + [Path.LINETO]
    return Path(points[:-1], codes[:-1])  # the last column is that of the child, which is drawn there


def _draw_boxes(ax: Axes, labels: Labels, places: _Places, norm: Normalize, scale: float) -> None:
    for i, (name, column, role) in enumerate(zip(labels.names, labels.depth, labels.roles, strict=True)):
        left, right, y = places.left[column], places.right[column], places.y[i]
        score = None if labels.scores is None else labels.scores[i]
        face = "white" if score is None else colormaps[_COLOURS](norm(score))
        ink = _ink_on(face)
        style = f"round,pad=0,rounding_size={_BOX / 4}"
        box = FancyBboxPatch((left, y - _BOX / 2), right - left, _BOX, boxstyle=style, zorder=2)
        box.set(facecolor=face, **_outline(role, scale))
        ax.add_patch(box)
        # A name may hold a dollar sign, which would begin a formula.
        text: dict[str, Any] = {"va": "center_baseline", "color": ink, "fontsize": FONT * scale}
        text |= {"parse_math": False, "zorder": 4}
        ax.text(left + places.names_from, y, name, ha="left", **text)
        if score is not None:
            ax.text(right - _PAD, y, _written(score), ha="right", **text)
        if role.sign is not None:
            ax.add_line(Line2D([left + _PAD + 3.0], [y], zorder=4, **_sign(role, ink, scale)))


def _ink_on(face: Any) -> str:
    # Black or white, whichever differs more from the face, by the relative luminance of WCAG 2.
    red, green, blue = (value**2.2 for value in to_rgb(face))
    return "black" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 else "white"


def _outline(role: Role, scale: float) -> dict[str, Any]:
    return {"edgecolor": rcParams["text.color"], "linewidth": role.width * scale, "linestyle": role.style}


def _sign(role: Role, ink: str, scale: float) -> dict[str, Any]:
    return {
        "marker": role.sign,
        "markersize": 6.0 * scale,
        "markeredgewidth": 1.5 * scale,
        "markeredgecolor": ink,
        "markerfacecolor": "none",
        "linestyle": "none",
    }


def _draw_key(ax: Axes, key: list[Role], top: float, scale: float) -> None:
    samples = [
        (Patch(facecolor="white", **_outline(role, scale)), Line2D([], [], **_sign(role, "black", scale)))
        for role in key
    ]
    ax.legend(
        samples,
        [role.meaning for role in key],
        handler_map={tuple: HandlerTuple(ndivide=1), Patch: HandlerPatch(patch_func=_sample)},
        loc="upper left",
        bbox_to_anchor=(0, top),
        bbox_transform=ax.transData,
        fontsize=FONT * scale,
        frameon=False,
        borderpad=0,
        borderaxespad=0,
        handlelength=2.8,
        handleheight=1.15,
        labelspacing=0.45,
    )


def _sample(*, xdescent: float, ydescent: float, width: float, height: float, **_: Any) -> Patch:
    # Around the point where legends put markers, which is not the middle of the room that patches get.
    style = f"round,pad=0,rounding_size={height / 4}"
    return FancyBboxPatch((-xdescent, -ydescent / 2), width, height, boxstyle=style)


def _draw_colour_bar(
    ax: Axes, left: float, top: float, norm: Normalize, threshold: float | None, scale: float
) -> None:
    inset = ax.inset_axes((left, top - 14.0 - _BAR_HEIGHT, _BAR_WIDTH, _BAR_HEIGHT), transform=ax.transData)
    bar = ax.figure.colorbar(ScalarMappable(norm, _COLOURS), cax=inset, orientation="horizontal")
    title = "score"
    if threshold is not None and 0 < float(norm(threshold)) < 1:
        inset.axvline(threshold, color="black", linewidth=1.5 * scale)
        title = "score, with the threshold"
    inset.set_title(title, fontsize=FONT * scale, pad=3 * scale)
    bar.locator = MaxNLocator(4)
    inset.tick_params(labelsize=(FONT - 1) * scale, length=2 * scale, pad=2 * scale)
    bar.outline.set_linewidth(0.5 * scale)


def _written(score: float) -> str:
    return f"{score:.2f}" if 0 <= score < 10 else f"{score:.3g}"
