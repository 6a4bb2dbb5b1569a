"""Critical-difference diagram (Demšar 2006): average ranks, and which methods do not differ significantly.

Every method hangs from an axis of average ranks, the better half named on the left, the other on the right.
A bar below the axis joins methods that do not differ significantly.

Drawn here and not by scikit-posthocs or aeon: their diagrams have names on one line and a fixed space for
them, so that the study's titles do not fit a narrow page, and no caption that says what was tested.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, isnan
from typing import TYPE_CHECKING, Any

from slantwood_bench.ranks import Comparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Lengths are points, and points are the units of both axes. The picture is narrow, so that it can be read on
# a telephone too: long titles are broken into lines.
_FONT, _SMALL, _LARGE = 9.5, 8.5, 11.0
_LEADING = 1.22  # from line to line, in sizes of the font
_MARGIN = 8.0
_TITLE_WIDTH = 115.0  # wider ones are broken, where they can be
_LEAST_WIDTH = 440.0  # of the picture
_LEAST_SPREAD = 165.0  # from the best method to the worst; wide names make the picture wider
_STUB = 29.0  # between a name and the first line that hangs down: the rank stands there
_PAD = 4.0
_ROW_GAP = 5.5
_TICK, _MINOR_TICK = 5.0, 3.0
_BAR, _BAR_STEP, _BAR_OVERHANG = 3.0, 6.5, 2.5
_BAR_GAP = 8.0  # between bars at one height

_INK, _LINE, _ACCENT = "black", "0.45", "#0072b2"


@dataclass(frozen=True)
class _Label:
    rank: float
    lines: list[str]
    bold: bool

    @property
    def width(self) -> float:
        return max(_text_width(line, _FONT, self.bold) for line in self.lines)

    @property
    def height(self) -> float:
        return len(self.lines) * _FONT * _LEADING


@dataclass(frozen=True)
class _Scale:
    """Where ranks are from left to right."""

    middle_rank: float
    middle: float
    unit: float
    first: int  # ends of the axis
    last: int

    def __call__(self, rank: float) -> float:
        return self.middle + (rank - self.middle_rank) * self.unit


def critical_difference(
    comparison: Comparison,
    titles: Mapping[str, str],
    heading: str,
    highlight: Collection[str] = (),
) -> Figure:
    """Draw average ranks, with bars that join methods which do not differ significantly.

    Parameters
    ----------
    comparison : Comparison
        What `slantwood_bench.ranks.compare` found.
    titles : mapping from str to str
        What to call each method. Long titles are broken into lines.
    heading : str
        What stands above.
    highlight : collection of str, default=()
        Methods to draw in bold and in colour. Those that do not take part are passed over.

    Returns
    -------
    matplotlib.figure.Figure
        The picture; `slantwood_bench.figures.saving.save` writes it.
    """
    from matplotlib.figure import Figure

    labels = _labels(comparison, titles, highlight)
    half = (len(labels) + 1) // 2
    left, right = labels[:half], labels[half:][::-1]  # downwards: towards the middle, so that no lines cross
    scale, width = _scale(comparison.ranks, _widest(left), _widest(right))
    bars = _bars(comparison, scale)
    head = _broken(heading, width - 2 * _MARGIN, _LARGE, bold=True)
    caption = [
        line
        for sentence in _caption(comparison)
        for line in _broken(sentence, width - 2 * _MARGIN, _SMALL, bold=False)
    ]

    # All heights count from the upper edge down.
    axis_y = _MARGIN + len(head) * _LARGE * _LEADING + _PAD + _SMALL * _LEADING + _TICK + 2 * _PAD
    levels = 1 + max((level for _, _, level in bars), default=-1)
    rows_from = axis_y + 2 * _PAD + levels * _BAR_STEP + _FONT / 2
    rows_to = rows_from + max(_height(left), _height(right))
    caption_from = rows_to + 2 * _PAD
    height = caption_from + len(caption) * _SMALL * _LEADING + _MARGIN

    figure = Figure(figsize=(width / 72, height / 72), facecolor="white")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set(xlim=(0, width), ylim=(height, 0))
    _write(axes, head, _MARGIN, _MARGIN, size=_LARGE, fontweight="bold")
    _draw_axis(axes, scale, axis_y)
    _draw_side(axes, left, scale, axis_y, rows_from, edge=_MARGIN + _widest(left), inwards=1)
    _draw_side(axes, right, scale, axis_y, rows_from, edge=width - _MARGIN - _widest(right), inwards=-1)
    for start, end, level in bars:
        y = axis_y + 2 * _PAD + level * _BAR_STEP
        axes.plot([start, end], [y, y], color=_INK, linewidth=_BAR, solid_capstyle="butt", zorder=3)
    _write(axes, caption, _MARGIN, caption_from, size=_SMALL, color="0.25")
    return figure


# ---- what to say


def _labels(comparison: Comparison, titles: Mapping[str, str], highlight: Collection[str]) -> list[_Label]:
    missing = [name for name in comparison.names if name not in titles]
    if missing:
        raise ValueError(f"titles has nothing for {missing[0]!r}; give a title for every method compared")
    labels = []
    for name, rank in zip(comparison.names, comparison.ranks, strict=True):
        bold = name in highlight
        labels.append(_Label(rank, _balanced(titles[name], _TITLE_WIDTH, _FONT, bold), bold))
    return labels


def _caption(comparison: Comparison) -> list[str]:
    sets = f"{comparison.n_sets} data set{'s' * (comparison.n_sets != 1)}"
    if isnan(comparison.friedman_p_value):
        said = [f"Average ranks on {sets}; 1 is best."]
    else:
        p_value = _written_p_value(comparison.friedman_p_value)
        said = [f"Average ranks on {sets}; 1 is best. Friedman test: {p_value}."]
    if len(comparison.names) < 2:
        return said
    test = f"Wilcoxon signed-rank tests with Holm's correction at the level {comparison.alpha:g}"
    if comparison.cliques:
        said.append(f"A bar joins methods that do not differ significantly ({test}).")
    else:
        said.append(f"Every method differs significantly from the next ({test}).")
    smallest = comparison.smallest_adjusted_p_value
    if smallest > comparison.alpha:
        said.append(
            f"So few data sets cannot tell {len(comparison.names)} methods apart: "
            f"the smallest p that can be reached is {smallest:.2g}."
        )
    return said


def _written_p_value(p_value: float) -> str:
    return f"p = {p_value:.2g}" if p_value >= 0.001 else "p < 0.001"


# ---- where to put it


def _scale(ranks: Sequence[float], left: float, right: float) -> tuple[_Scale, float]:
    """Find where ranks are, and the width of the picture.

    The names leave some room between the best method and the worst; the axis runs on to whole ranks, above
    the names if need be.
    """
    best, worst = ranks[0], ranks[-1]
    first = floor(best)
    last = max(ceil(worst), first + 1)
    from_left, from_right = (_MARGIN + name + _PAD + _STUB for name in (left, right))
    spread = max(_LEAST_SPREAD, _LEAST_WIDTH - from_left - from_right)
    width = from_left + spread + from_right
    middle, middle_rank = from_left + spread / 2, (best + worst) / 2
    end = (
        _MARGIN + _text_width(str(last), _SMALL, bold=False) / 2
    )  # of the axis, at most: its number must fit
    unit = min(
        room / span
        for room, span in (
            (spread, worst - best),
            (middle - end, middle_rank - first),
            (width - end - middle, last - middle_rank),
        )
        if span > 0
    )
    return _Scale(middle_rank, middle, unit, first, last), width


def _bars(comparison: Comparison, scale: _Scale) -> list[tuple[float, float, int]]:
    """Give each clique a start, an end and a level: the uppermost with room."""
    rank_of = dict(zip(comparison.names, comparison.ranks, strict=True))
    ends: list[float] = []  # of the last bar at each level
    bars = []
    for clique in comparison.cliques:
        start = scale(rank_of[clique[0]]) - _BAR_OVERHANG
        end = scale(rank_of[clique[-1]]) + _BAR_OVERHANG
        level = next((i for i, taken in enumerate(ends) if taken + _BAR_GAP <= start), len(ends))
        ends[level : level + 1] = [end]
        bars.append((start, end, level))
    return bars


def _widest(labels: Sequence[_Label]) -> float:
    return max((label.width for label in labels), default=0.0)


def _height(labels: Sequence[_Label]) -> float:
    return sum(label.height + _ROW_GAP for label in labels)


def _broken(text: str, room: float, size: float, bold: bool) -> list[str]:
    """Break text into lines that fit, as far as words allow."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and _text_width(longer, size, bold) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines or [""]


def _balanced(text: str, room: float, size: float, bold: bool) -> list[str]:
    """Break text into as few lines as fit, and these as short as they can be."""
    lines = _broken(text, room, size, bold)
    while True:
        widest = max(_text_width(line, size, bold) for line in lines)
        narrower = _broken(text, widest - 0.01, size, bold)
        if len(narrower) > len(lines) or max(_text_width(line, size, bold) for line in narrower) >= widest:
            return lines
        lines = narrower


def _text_width(text: str, size: float, bold: bool) -> float:
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size, weight="bold" if bold else "normal")
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    # On screens letters are moved to whole pixels, which makes text wider by several per cent.
    return 1.1 * float(width)


# ---- how to draw it


def _write(axes: Axes, lines: Sequence[str], x: float, top: float, *, size: float, **style: Any) -> None:
    # Each line is a text of its own: in an SVG it then is aligned by whoever shows it, in whichever font.
    for i, line in enumerate(lines):
        y = top + (i + 0.5) * size * _LEADING
        axes.text(x, y, line, fontsize=size, va="center_baseline", parse_math=False, **style)


def _draw_axis(axes: Axes, scale: _Scale, y: float) -> None:
    axes.plot([scale(scale.first), scale(scale.last)], [y, y], color=_INK, linewidth=1.0, zorder=4)
    room = 1.5 * _text_width(str(scale.last), _SMALL, bold=False)
    every = next(step for step in (1, 2, 5, 10, 20, 50, 100, 1000) if step * scale.unit >= room)
    for rank in range(scale.first, scale.last + 1):
        numbered = rank % every == 0
        length = _TICK if numbered else _MINOR_TICK
        axes.plot([scale(rank)] * 2, [y, y - length], color=_INK, linewidth=0.8, zorder=4)
        if numbered:
            _write(
                axes,
                [str(rank)],
                scale(rank),
                y - _TICK - _PAD / 2 - _SMALL * _LEADING,
                size=_SMALL,
                ha="center",
            )


def _draw_side(
    axes: Axes,
    labels: Sequence[_Label],
    scale: _Scale,
    axis_y: float,
    top: float,
    *,
    edge: float,
    inwards: int,
) -> None:
    """Draw the names of one side from the top down, each hung from its rank on the axis."""
    away_from_edge = "right" if inwards > 0 else "left"
    for label in labels:
        y = top + label.height / 2
        x, start = scale(label.rank), edge + inwards * _PAD
        colour = _ACCENT if label.bold else _LINE
        ink = _ACCENT if label.bold else _INK
        weight = "bold" if label.bold else "normal"
        width, above = (1.5, 2.5) if label.bold else (0.8, 2.0)
        axes.plot([x, x, start], [axis_y, y, y], color=colour, linewidth=width, zorder=above)
        axes.plot([x], [axis_y], "o", color=colour, markersize=3.5, markeredgewidth=0, zorder=5)
        _write(axes, label.lines, edge, top, size=_FONT, ha=away_from_edge, color=ink, fontweight=weight)
        number_top = y - 1.5 - _SMALL * _LEADING
        _write(
            axes,
            [f"{label.rank:.2f}"],
            start,
            number_top,
            size=_SMALL,
            ha="left" if inwards > 0 else "right",
            color=ink,
        )
        top += label.height + _ROW_GAP
