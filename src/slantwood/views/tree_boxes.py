"""Nodes of a tree as boxes in columns, with lines between them, drawn by matplotlib.

What there is to say about nodes was decided before. Can be loaded only where matplotlib is installed.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch, PathPatch, Polygon, Rectangle
from matplotlib.path import Path

from slantwood.estimators.reading.conditions import percent
from slantwood.hints import pluralize
from slantwood.views.boxes import FONT, MARGIN, set_limits, text_width
from slantwood.views.colours import BLUE, CURVES, GREY, RED

if TYPE_CHECKING:
    from slantwood.explain import TreeReading

# Lengths are points, and points are the units of both axes.
_LINE = 13.0
_PAD = 6.0
_GAP = 9.0  # between boxes of a column
_BETWEEN = 58.0  # between columns
_BAR, _BAR_HEIGHT = 42.0, 6.0
_TRIANGLE = 15.0
_WIDEST, _THINNEST = 9.0, 0.8  # lines, by the share of rows

_LONGEST_NAME = 26
_MOST_TERMS = 3
_DIGITS = 4
_SIGNS = {">=": "≥", "<=": "≤"}
_FAINT = "0.88"


class _Line(NamedTuple):
    """A line of text in a box: a name on the left, a number on the right, a bar between them."""

    left: str
    right: str = ""
    bar: tuple[float, float] | None = None  # from and to, as parts of the length of a bar
    colour: str = BLUE
    is_small: bool = False
    whisker: tuple[float, float] | None = None


class _Box(NamedTuple):
    lines: list[_Line]
    name_width: float
    right_width: float
    width: float
    height: float
    is_leaf: bool
    n_hidden: int


def draw_tree(reading: TreeReading, max_outcomes: int, ax: Axes | None) -> Axes:
    """Draw a reading; `plot_tree` describes the result."""
    boxes = _boxes(reading, max_outcomes)
    y, bottom = _heights(reading, boxes)
    n_columns = int(reading.depth.max()) + 1
    widths = [
        max(box.width for box, depth in zip(boxes, reading.depth, strict=True) if depth == column)
        for column in range(n_columns)
    ]
    ends = [x + i * _BETWEEN for i, x in enumerate(accumulate(widths))]
    left = [end - width for end, width in zip(ends, widths, strict=True)]
    hidden = max((text_width(_hidden(box)) + _TRIANGLE for box in boxes if box.n_hidden), default=0.0)
    width, height = ends[-1] + hidden + 2 * MARGIN, -bottom + 2 * MARGIN
    if ax is None:
        figure = pyplot.figure(figsize=(width / 72, height / 72))
        ax = figure.add_axes((0, 0, 1, 1))
    scale = set_limits(ax, width, height, MARGIN)
    for i, parent in enumerate(reading.parent):
        if parent >= 0:
            start = left[reading.depth[parent]] + boxes[parent].width, y[parent]
            _draw_branch(ax, start, (left[reading.depth[i]], y[i]), reading, i, scale)
    for i, box in enumerate(boxes):
        _draw_box(ax, box, left[reading.depth[i]], y[i], scale)
    return ax


# ---- what is in the boxes


def _boxes(reading: TreeReading, max_outcomes: int) -> list[_Box]:
    ranges = _ranges(reading)
    classes = _colours_of_classes(reading)
    boxes = []
    for i in range(len(reading)):
        condition = reading.conditions[i]
        if condition is not None:
            lines = _condition_lines(condition)
        else:
            lines = _outcome_lines(reading, i, max_outcomes, ranges, classes)
        if reading.share[i] == reading.share[i]:
            rows = pluralize(round(reading.rows[i]), "row")
            lines.append(_Line(f"{rows}, {100 * reading.share[i]:.3g} %", is_small=True))
        boxes.append(_box(lines, condition is None, int(reading.n_hidden[i])))
    return boxes


def _box(lines: list[_Line], is_leaf: bool, n_hidden: int) -> _Box:
    paired = [line for line in lines if line.right or line.bar]
    name_width = max((text_width(line.left) for line in paired), default=0.0)
    right_width = max((text_width(line.right) for line in paired), default=0.0)
    bar = _BAR + _PAD if any(line.bar for line in lines) else 0.0
    alone = max((text_width(line.left) for line in lines if line not in paired), default=0.0)
    inside = max(name_width + bar + (right_width + _PAD if right_width else 0.0), alone)
    return _Box(
        lines, name_width, right_width, inside + 2 * _PAD, _LINE * len(lines) + _PAD, is_leaf, n_hidden
    )


def _condition_lines(condition: Any) -> list[_Line]:
    if not condition.terms:
        return [_Line(f"{condition.text(_DIGITS)}?")]
    terms, sign = condition.terms[:_MOST_TERMS], _SIGNS.get(condition.relation, condition.relation)
    reached = f"{sign} {condition.threshold:.{_DIGITS}g}?"
    if len(condition.terms) == 1:
        asked = f"{sign} {_shortened(terms[0].value)}?" if condition.relation not in _SIGNS else reached
        return [_Line(f"{_shortened(terms[0].feature, 2 * _LONGEST_NAME)} {asked}")]
    lines = []
    for j, term in enumerate(terms):
        factor = f"{abs(term.factor):.3g}"
        plus = "" if j == 0 else "- " if term.factor < 0 else "+ "
        name = f"{plus}{'' if factor == '1' else factor + ' '}{_shortened(term.word)}"
        lines.append(_Line(name, percent(term.share), (0.0, term.share), GREY))
    n_more = condition.n_more + len(condition.terms) - len(terms)
    if n_more:
        rest = max(0.0, 1.0 - sum(term.share for term in terms))
        lines.append(_Line(f"+ {n_more} more", percent(rest), (0.0, rest), GREY))
    return [*lines, _Line(reached)]


def _outcome_lines(
    reading: TreeReading,
    i: int,
    max_outcomes: int,
    ranges: dict[str, tuple[float, float]],
    classes: dict[str, str],
) -> list[_Line]:
    prediction = reading.predictions[i]
    if prediction is None:
        return [_Line("?")]
    lines = [
        _outcome_line(reading.kind, outcome, ranges, classes)
        for outcome in prediction.outcomes[:max_outcomes]
    ]
    n_more = prediction.n_more + len(prediction.outcomes) - len(lines)
    if n_more > 0:
        lines.append(_Line(f"and {n_more} more", is_small=True))
    return lines or [_Line("nothing")]


def _outcome_line(
    kind: str, outcome: Any, ranges: dict[str, tuple[float, float]], classes: dict[str, str]
) -> _Line:
    name, value = _shortened(outcome.name), outcome.value
    if kind in ("classes", "labels"):
        return _Line(name, f"{value:.2f}", (0.0, value), classes.get(outcome.name, BLUE))
    if kind == "several" and outcome.share is not None:
        return _Line(name, f"{value} {outcome.share:.2f}", (0.0, outcome.share))
    low, high = ranges[outcome.name]
    if kind == "steps":
        furthest = max(abs(low), abs(high)) or 1.0
        ends = sorted((0.5, 0.5 + 0.5 * value / furthest))
        return _Line(name, f"{value:+.3g}", (ends[0], ends[1]), BLUE if value >= 0 else RED)
    span = (high - low) or 1.0
    place = (value - low) / span
    whisker, said = None, f"{value:.4g}"
    if outcome.spread is not None:
        whisker = (max(0.0, place - outcome.spread / span), min(1.0, place + outcome.spread / span))
        said = f"{said} ± {outcome.spread:.2g}"
    return _Line(name, said, (place, place), BLUE, whisker=whisker)


def _ranges(reading: TreeReading) -> dict[str, tuple[float, float]]:
    """Return the least and the largest number of each output that is drawn."""
    found: dict[str, tuple[float, float]] = {}
    for prediction, condition in zip(reading.predictions, reading.conditions, strict=True):
        if prediction is None or condition is not None:
            continue
        for outcome in prediction.outcomes:
            if isinstance(outcome.value, (int, float, np.number)):
                low, high = found.get(outcome.name, (np.inf, -np.inf))
                found[outcome.name] = min(low, float(outcome.value)), max(high, float(outcome.value))
    if reading.kind == "steps" and found:  # which are in one unit, but for several numbers
        low, high = min(low for low, _ in found.values()), max(high for _, high in found.values())
        found = dict.fromkeys(found, (low, high))
    return found


def _colours_of_classes(reading: TreeReading) -> dict[str, str]:
    """Give each class a colour, where there are no more of them than colours."""
    if reading.kind != "classes":
        return {}
    names = sorted(
        {each.name for found in reading.predictions if found is not None for each in found.outcomes}
    )
    return dict(zip(names, CURVES, strict=False)) if len(names) <= len(CURVES) else {}


def _shortened(name: str, longest: int = _LONGEST_NAME) -> str:
    name = " ".join(name.split())
    # Long names often begin alike and end alike: the middle is left out.
    return name if len(name) <= longest else f"{name[: longest // 2]}…{name[longest // 2 + 1 - longest :]}"


# ---- where the boxes are


def _heights(reading: TreeReading, boxes: list[_Box]) -> tuple[np.ndarray, float]:
    """Return the middle of each box, from 0 downwards, and where all ends; each subtree has its own band."""
    n = len(boxes)
    children: list[list[int]] = [[] for _ in range(n)]
    for i, parent in enumerate(reading.parent):
        if parent >= 0:
            children[parent].append(i)
    band = np.zeros(n)
    for i in reversed(range(n)):
        below = sum(band[j] for j in children[i]) + _GAP * (len(children[i]) - 1)
        band[i] = max(boxes[i].height, below)
    top, y = np.zeros(n), np.zeros(n)
    for i in range(n):
        below = sum(band[j] for j in children[i]) + _GAP * (len(children[i]) - 1)
        start = top[i] - (band[i] - below) / 2
        for j in children[i]:
            top[j] = start
            start -= band[j] + _GAP
    for i in reversed(range(n)):
        middle = top[i] - band[i] / 2
        y[i] = middle if not children[i] else np.mean([y[j] for j in children[i]])
        # Beside its children, but within its band.
        y[i] = np.clip(y[i], top[i] - band[i] + boxes[i].height / 2, top[i] - boxes[i].height / 2)
    return y, float(-band[0])


# ---- what is drawn


def _draw_branch(
    ax: Axes,
    start: tuple[float, float],
    end: tuple[float, float],
    reading: TreeReading,
    i: int,
    scale: float,
) -> None:
    (x0, y0), (x1, y1) = start, end
    middle = (x0 + x1) / 2
    share = reading.share[i]
    width = _THINNEST + (_WIDEST - _THINNEST) * share if share == share else 1.2
    codes = [Path.MOVETO, *[Path.CURVE4] * 3]
    line = PathPatch(Path([(x0, y0), (middle, y0), (middle, y1), (x1, y1)], codes), fill=False, zorder=1)
    line.set(edgecolor="0.75", linewidth=width * scale, capstyle="butt")
    ax.add_patch(line)
    # On the outer side of the curve, where no line is.
    text: dict[str, Any] = {"ha": "right", "color": "0.35", "fontsize": (FONT - 1) * scale, "zorder": 4}
    if y1 >= y0:
        ax.text(x1 - 4.0, y1 + 2.0 + width / 2, "yes" if reading.is_yes[i] else "no", va="bottom", **text)
    else:
        ax.text(x1 - 4.0, y1 - 2.0 - width / 2, "yes" if reading.is_yes[i] else "no", va="top", **text)


def _draw_box(ax: Axes, box: _Box, left: float, y: float, scale: float) -> None:
    style = "round,pad=0,rounding_size=4" if box.is_leaf else "square,pad=0"
    frame = FancyBboxPatch((left, y - box.height / 2), box.width, box.height, boxstyle=style, zorder=2)
    frame.set(facecolor="white" if box.is_leaf else "0.96", edgecolor="0.45", linewidth=0.9 * scale)
    if box.n_hidden:
        frame.set_linestyle((0, (3.0, 2.0)))
    ax.add_patch(frame)
    top = y + box.height / 2 - _PAD / 2
    for number, line in enumerate(box.lines):
        _draw_line(ax, box, line, left + _PAD, top - _LINE * (number + 0.5), scale)
    if box.n_hidden:
        right = left + box.width
        corners = [(right + 3.0, y), (right + _TRIANGLE - 3.0, y + 7.0), (right + _TRIANGLE - 3.0, y - 7.0)]
        ax.add_patch(Polygon(corners, facecolor="0.8", edgecolor="0.45", linewidth=0.8 * scale, zorder=2))
        text: dict[str, Any] = {"va": "center", "color": "0.35", "fontsize": (FONT - 1) * scale}
        ax.text(right + _TRIANGLE, y, _hidden(box), ha="left", **text)


def _draw_line(ax: Axes, box: _Box, line: _Line, x: float, y: float, scale: float) -> None:
    # A name may hold a dollar sign, which would begin a formula.
    text: dict[str, Any] = {"va": "center_baseline", "parse_math": False, "zorder": 4}
    text |= {"color": "0.4", "fontsize": (FONT - 1) * scale} if line.is_small else {"fontsize": FONT * scale}
    ax.text(x, y, line.left, ha="left", **text)
    if line.bar is not None:
        from_x = x + box.name_width + _PAD
        _draw_bar(ax, line, from_x, y, scale)
    if line.right:
        ax.text(x + box.width - 2 * _PAD, y, line.right, ha="right", **text)


def _draw_bar(ax: Axes, line: _Line, x: float, y: float, scale: float) -> None:
    assert line.bar is not None
    start, end = line.bar
    low = y - _BAR_HEIGHT / 2
    ax.add_patch(Rectangle((x, low), _BAR, _BAR_HEIGHT, facecolor=_FAINT, edgecolor="none", zorder=3))
    if start == end:  # a number on a scale, rather than a share
        if line.whisker is not None:
            a, b = line.whisker
            whisker = Rectangle((x + a * _BAR, y - 0.6), (b - a) * _BAR, 1.2, zorder=3.5)
            whisker.set(facecolor=line.colour, edgecolor="none")
            ax.add_patch(whisker)
        ax.plot(
            [x + start * _BAR],
            [y],
            marker="o",
            markersize=5.0 * scale,
            color=line.colour,
            zorder=4,
            linewidth=0,
        )
        return
    bar = Rectangle((x + start * _BAR, low), (end - start) * _BAR, _BAR_HEIGHT, zorder=3.5)
    bar.set(facecolor=line.colour, edgecolor="none")
    ax.add_patch(bar)


def _hidden(box: _Box) -> str:
    return pluralize(box.n_hidden, "more split")
