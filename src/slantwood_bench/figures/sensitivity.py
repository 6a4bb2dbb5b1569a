"""Figure of a parameter's influence: quality at each of its values, in a small panel for each data set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from slantwood.task_names import HIERARCHICAL
from slantwood_bench.figures.styles import (
    DAGGER_NOTE,
    GREY,
    LEGEND,
    SMALL,
    USUAL,
    WIDTH,
    DataSet,
    columns_of_legend,
    data_sets_of,
    draw_gap,
    empty_figure,
    methods_of,
    style_of,
)
from slantwood_bench.jobs import SENSITIVITY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

_LABELS = {
    "C": "C: large for close fits, small for sparse splits",
    "n_estimators": "trees",
    "min_impurity_decrease": "impurity that a split has to remove (%)",
}
_DEFAULTS = {"C": 10.0, "n_estimators": 50.0, "min_impurity_decrease": 0.05}
_DEFAULT_C_OF_SVM = {"multi-class": 1.0, "multi-target regression": 1.0}
_FORMS_OF_FOREST = ("bag", "rf")

_COLUMNS = 3

# Inches: texts above the panels of a line, the panels, and what stands around them.
_ABOVE, _PANEL, _BELOW = 0.38, 0.8, 0.25
_LINE = _ABOVE + _PANEL + _BELOW
_TOP, _LINE_OF_LEGEND, _BOTTOM, _NOTE = 0.14, 0.16, 0.3, 0.22
_LEFT, _BETWEEN, _RIGHT = 0.44, 0.42, 0.22

# A panel is at least so high, in units of the measure: smaller differences should look small.
_LEAST_SPAN = 0.05


def default_of(parameter: str, method: str, task: str) -> float | None:
    """Return the value that a method takes by itself; None where it follows the data, or is not known."""
    form, _, split = method.removesuffix("-paper").partition("-")
    published = method.endswith("-paper")
    if form not in (*_FORMS_OF_FOREST, "tree"):
        return None
    if parameter == "C" and split not in ("gradient", "svm"):
        return None
    if parameter == "C" and split == "svm" and not published:
        return _DEFAULT_C_OF_SVM.get(task, 0.1)
    if parameter == "C" and task == HIERARCHICAL and form in _FORMS_OF_FOREST and not published:
        return None
    return _DEFAULTS.get(parameter)


class _Point(NamedTuple):
    """Mean quality of the folds that finished, and whether all, some or none did."""

    quality: float
    n_finished: int
    n_folds: int


def sensitivity(
    rows: Iterable[Mapping[str, Any]],
    parameter: str,
    *,
    methods: Sequence[str] | None = None,
    titles: Mapping[str, str] | None = None,
    absent: Mapping[str, Sequence[str]] | None = None,
) -> Figure:
    """Draw the quality, mean over the folds, at each value of a parameter.

    Parameters
    ----------
    rows : iterable of mappings
        Rows of results. Those of the experiment "sensitivity" count that change this parameter and no other,
        and those that change nothing, which stand at the default.
    parameter : str
        "C", on a scale of powers of ten, "n_estimators", "min_impurity_decrease" or another one.

    Returns
    -------
    matplotlib.figure.Figure
        The figure. Lines have a gap where no fold finished, which a cross at the foot of the panel tells, or
        nothing was run; hollow points are means of some of the folds.
    """
    from matplotlib.figure import Figure

    rows = [row for row in rows if row["experiment"] == SENSITIVITY]
    data_sets = data_sets_of(rows, absent or {})
    points = _points(rows, parameter, {data.name: data.task for data in data_sets})
    names = methods_of(({"method": method} for _, method in points), methods)
    points = {place: of_place for place, of_place in points.items() if place[1] in names}
    there = {name for name, _ in points}
    data_sets = [data for data in data_sets if data.absent or data.name in there]
    if not points:
        return empty_figure(f"the parameter {parameter}")
    values = sorted({value for of_place in points.values() for value in of_place})
    handles = _handles(names, titles or {}, points)
    columns = columns_of_legend([str(handle.get_label()) for handle in handles])
    notes = any(data.marked for data in data_sets)
    frame = _Frame(len(data_sets), -(-len(handles) // columns), notes)
    figure = Figure(figsize=(WIDTH, frame.height))
    measures = {row["dataset"]: row["measure"] for row in rows if row.get("measure")}
    for place, data in enumerate(data_sets):
        ax = figure.add_axes(frame.panel(place))
        _draw_titles(ax, data, measures.get(data.name, ""))
        if data.absent:
            draw_gap(ax, "absent", SMALL)
            continue
        for method in names:
            of_line = points.get((data.name, method), {})
            _draw_line(ax, values, of_line, method)
            _mark_default(ax, of_line, method, default_of(parameter, method, data.task))
        _set_scales(ax, parameter, values)
    middle: dict[str, Any] = {"ha": "center", "va": "center"}
    label = _LABELS.get(parameter, parameter)
    figure.text(0.5, (frame.bottom - 0.12) / frame.height, label, fontsize=USUAL, **middle)
    if notes:
        figure.text(0.5, 0.12 / frame.height, DAGGER_NOTE, fontsize=SMALL, color=GREY, **middle)
    figure.legend(
        handles=handles,
        loc="upper center",
        bbox_to_anchor=(0.5, 1.0),
        borderaxespad=0.1,
        ncols=columns,
        handlelength=1.8,
        handletextpad=0.4,
        **LEGEND,
    )
    return figure


class _Frame(NamedTuple):
    """Where panels are, below the legend, from the left to the right and from the top down."""

    n_panels: int
    n_legend_lines: int
    notes: bool

    @property
    def bottom(self) -> float:
        return _BOTTOM + _NOTE * self.notes

    @property
    def top(self) -> float:
        return _TOP + _LINE_OF_LEGEND * self.n_legend_lines

    @property
    def height(self) -> float:
        return self.top + -(-self.n_panels // _COLUMNS) * _LINE + self.bottom

    def panel(self, place: int) -> tuple[float, float, float, float]:
        """Return left, bottom, width and height of a panel, as shares of the figure."""
        line, column = divmod(place, _COLUMNS)
        width = (WIDTH - _LEFT - _RIGHT - _BETWEEN * (_COLUMNS - 1)) / _COLUMNS
        left = _LEFT + column * (width + _BETWEEN)
        low = self.height - self.top - line * _LINE - _ABOVE - _PANEL
        return left / WIDTH, low / self.height, width / WIDTH, _PANEL / self.height


def _points(
    rows: Sequence[Mapping[str, Any]], parameter: str, tasks: Mapping[str, str]
) -> dict[tuple[str, str], dict[float, _Point]]:
    """Return the points of each data set and method by value of the parameter."""
    found: dict[tuple[str, str], dict[float, dict[int, float | None]]] = {}
    # Rows without changes come first: a row that names the value of the default counts more.
    for row in sorted(rows, key=lambda row: bool(row["changes"])):
        if not row["changes"]:
            value = default_of(parameter, row["method"], tasks[row["dataset"]])
        elif list(row["changes"]) == [parameter]:
            value = float(row["changes"][parameter])
        else:
            continue
        if value is not None:
            place = found.setdefault((row["dataset"], row["method"]), {})
            quality = row.get("quality") if row["status"] == "ok" else None
            place.setdefault(value, {})[row["fold"]] = quality
    return {
        place: {value: _point(of_value.values()) for value, of_value in of_place.items()}
        for place, of_place in found.items()
    }


def _point(qualities: Iterable[float | None]) -> _Point:
    every = list(qualities)
    finished = [quality for quality in every if quality is not None]
    return _Point(float(np.mean(finished)) if finished else np.nan, len(finished), len(every))


def _draw_titles(ax: Axes, data: DataSet, measure: str) -> None:
    """Write the name of the data set above the panel, and below it the measure."""
    for text, colour, points in ((data.label, GREY if data.absent else "black", 13), (measure, GREY, 3)):
        ax.annotate(
            text,
            (0, 1),
            xytext=(0, points),
            xycoords="axes fraction",
            textcoords="offset points",
            fontsize=SMALL,
            color=colour,
        )


def _draw_line(ax: Axes, values: Sequence[float], points: Mapping[float, _Point], method: str) -> None:
    style = style_of(method)
    # NaN breaks the line.
    heights = [points[value].quality if value in points else np.nan for value in values]
    ax.plot(
        values, heights, color=style.colour, linewidth=1.1, linestyle=_dashes(method), gid=f"line {method}"
    )
    finished = {value: point for value, point in points.items() if point.n_finished}
    for kind, face in (("whole", style.colour), ("part", "white")):
        shown = {
            value: point.quality
            for value, point in finished.items()
            if (point.n_finished == point.n_folds) == (kind == "whole")
        }
        ax.plot(
            list(shown),
            list(shown.values()),
            linestyle="none",
            marker=style.marker,
            markersize=3.2,
            markerfacecolor=face,
            markeredgecolor=style.colour,
            markeredgewidth=0.8,
            zorder=3,
            gid=f"{kind} {method}",
        )
    stopped = [value for value in points if value not in finished]
    foot = ax.get_xaxis_transform()
    ax.plot(
        stopped, [0.03] * len(stopped), transform=foot, gid=f"unfinished {method}", **_cross(style.colour)
    )


def _mark_default(ax: Axes, points: Mapping[float, _Point], method: str, default: float | None) -> None:
    if default is not None and default in points and points[default].n_finished:
        ax.plot(
            [default], [points[default].quality], gid=f"default {method}", **_ring(style_of(method).colour)
        )


def _dashes(method: str) -> str:
    return "--" if method.endswith("-paper") else "-"


def _cross(colour: str) -> dict[str, Any]:
    return {
        "linestyle": "none",
        "marker": "x",
        "markersize": 5,
        "color": colour,
        "markeredgewidth": 1.2,
        "zorder": 4,
    }


def _ring(colour: str) -> dict[str, Any]:
    return {
        "linestyle": "none",
        "marker": "o",
        "markersize": 8,
        "markerfacecolor": "none",
        "markeredgecolor": colour,
        "markeredgewidth": 1.0,
        "zorder": 4,
    }


def _handles(
    names: Sequence[str], titles: Mapping[str, str], points: Mapping[tuple[str, str], Mapping[float, _Point]]
) -> list[Line2D]:
    from matplotlib.lines import Line2D

    handles = []
    for name in names:
        style, dashes = style_of(name), _dashes(name)
        line: dict[str, Any] = {"color": style.colour, "marker": style.marker, "linestyle": dashes}
        handles.append(Line2D([], [], label=titles.get(name, name), linewidth=1.1, markersize=3.5, **line))
    handles.append(Line2D([], [], label="default", **_ring("0.3")))
    every = [point for of_place in points.values() for point in of_place.values()]
    if any(0 < point.n_finished < point.n_folds for point in every):
        hollow = {**_ring("0.3"), "markersize": 4}
        handles.append(Line2D([], [], label="some folds only", **hollow))
    if any(point.n_finished == 0 for point in every):
        handles.append(Line2D([], [], label="did not finish", **_cross("0.3")))
    return handles


def _set_scales(ax: Axes, parameter: str, values: Sequence[float]) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

    if parameter == "C":
        ax.set_xscale("log")
    scale = np.log10 if parameter == "C" else np.asarray
    places = scale(np.array(values, float))
    margin = 0.08 * (np.ptp(places) or 1.0)
    ends = np.array([places[0] - margin, places[-1] + margin])
    ax.set_xlim(*(10.0**ends if parameter == "C" else ends))
    # Texts of C are the longest.
    shown = _spaced(places, 0.3 if parameter == "C" else 0.24)
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xticks(
        values, [_text(parameter, value) * shows for value, shows in zip(values, shown, strict=True)]
    )
    ax.yaxis.set_major_locator(MaxNLocator(3))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda quality, _: f"{quality:.4g}"))
    low, high = ax.get_ylim()
    widen = max(0.0, _LEAST_SPAN - (high - low)) / 2
    # Room for crosses at the foot and for rings at the top.
    room = 0.1 * (high - low)
    ax.set_ylim(low - widen - room, high + widen + room)
    ax.tick_params(labelsize=SMALL, length=2, pad=2)
    ax.grid(axis="y", color="0.92", linewidth=0.6)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def _spaced(places: np.ndarray, least: float) -> list[bool]:
    """Say which places are so far, as a share of all, from the last one that was chosen."""
    chosen: list[bool] = []
    last = -np.inf
    for place in places:
        far = bool(place - last >= least * np.ptp(places))
        last = place if far else last
        chosen.append(far)
    return chosen


def _text(parameter: str, value: float) -> str:
    return f"{100 * value:g}" if parameter == "min_impurity_decrease" else f"{value:g}"
