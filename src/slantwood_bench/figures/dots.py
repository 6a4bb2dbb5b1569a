"""Dot plot of one number per method and data set: a line of dots for each data set, grouped by task.

The scale is one of powers of ten. Methods that did not finish stand in a strip beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

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
    empty_figure,
    methods_of,
    style_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D


def settings_of(rows: Iterable[Mapping[str, Any]], *names: str) -> str:
    """Say under which numbers of trees or threads rows came to be."""
    nouns = {"n_trees": "tree", "threads": "thread"}
    parts = []
    for name in names:
        values = sorted({int(row[name]) for row in rows})
        if values:
            span = f"{values[0]}" if len(values) == 1 else f"{values[0]} to {values[-1]}"
            parts.append(f"{span} {nouns[name]}{'s' * (values[-1] != 1)}")
    return ", ".join([*parts, "mean of the folds"])


class _Found(NamedTuple):
    """Of a method on a data set: the mean of the folds that finished, and whether some did not."""

    mean: float | None
    unfinished: bool


def _found(rows: Sequence[Mapping[str, Any]], quantity: str) -> dict[tuple[str, str], _Found]:
    values: dict[tuple[str, str], list[float]] = {}
    unfinished = set()
    for row in rows:
        place = (row["dataset"], row["method"])
        of_place = values.setdefault(place, [])
        if row["status"] != "ok":
            unfinished.add(place)
        else:
            of_place.append(row[quantity])
    return {
        place: _Found(float(np.mean(of_place)) if of_place else None, place in unfinished)
        for place, of_place in values.items()
    }


def dot_plot(
    rows: Sequence[Mapping[str, Any]],
    quantity: str,
    label: str,
    tick: Callable[[float], str],
    *,
    methods: Sequence[str] | None,
    titles: Mapping[str, str],
    absent: Mapping[str, Sequence[str]],
    least: float = 1.0,
) -> Figure:
    """Draw a line for each data set with a dot for each method, on a scale of powers of ten.

    Numbers below `least` are drawn there. `tick` gives the text of a power of ten.
    """
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    # A model without nodes, for one, has no size in nodes: there is nothing to show of it.
    rows = [row for row in rows if row["status"] != "ok" or row.get(quantity) is not None]
    names = methods_of(rows, methods)
    rows = [row for row in rows if row["method"] in names]
    data_sets = data_sets_of(rows, absent)
    if not names:
        return empty_figure(label.split("\n")[0])
    found = _found(rows, quantity)
    lines = _lines(data_sets)
    stopped = {
        data: [name for name in names if (data.name, name) in found and found[data.name, name].unfinished]
        for data in data_sets
    }
    slots = max(map(len, stopped.values()))
    columns = columns_of_legend([titles.get(name, name) for name in names])
    notes = any(data.marked for data in data_sets)
    per_line = 0.2 if len(names) <= 6 else 0.27
    height = per_line * lines.n + 0.17 * -(-len(names) // columns) + 0.2 * notes + 1.0
    figure = Figure(figsize=(WIDTH, height), layout=ConstrainedLayoutEngine(w_pad=0.03, wspace=0.0))
    ax = _axes(figure, lines, stopped, slots)
    _draw_scale(ax, [one.mean for one in found.values() if one.mean is not None], least, tick)
    _draw_lines(ax, lines, data_sets)
    ax.set_xlabel(label, fontsize=USUAL)
    for lane, name in enumerate(names):
        _draw_dots(ax, lines, found, name, _lane(lane, len(names)), least)
    figure.legend(
        handles=[_handle(name, titles.get(name, name)) for name in names],
        loc="outside upper center",
        ncols=columns,
        handlelength=1.2,
        handletextpad=0.3,
        **LEGEND,
    )
    if notes:
        figure.supxlabel(DAGGER_NOTE, fontsize=SMALL, color=GREY)
    return figure


def _axes(figure: Figure, lines: _Lines, stopped: Mapping[DataSet, Sequence[str]], slots: int) -> Axes:
    """Return the axes for the dots, which have a strip beside them where some methods did not finish."""
    if not slots:
        return figure.add_subplot()
    strip = max(0.5, 0.13 * slots)
    grid = figure.add_gridspec(1, 2, width_ratios=[2.9 - strip, strip])
    _draw_unfinished(figure.add_subplot(grid[1]), lines, stopped, slots)
    return figure.add_subplot(grid[0])


class _Lines(NamedTuple):
    """Where data sets and the headings of tasks stand, from the top down."""

    n: int
    of_data: dict[str, int]
    of_task: dict[str, int]


def _lines(data_sets: Sequence[DataSet]) -> _Lines:
    n, of_data, of_task = 0, {}, {}
    for data in data_sets:
        if data.task not in of_task:
            of_task[data.task] = n
            n += 1
        of_data[data.name] = n
        n += 1
    return _Lines(n, of_data, of_task)


def _lane(place: int, n: int) -> float:
    # Dots of equal numbers would hide one another; so each method has its height within the line.
    return 0.0 if n == 1 else 0.5 * (place / (n - 1) - 0.5)


def _draw_scale(ax: Axes, numbers: Sequence[float], least: float, tick: Callable[[float], str]) -> None:
    low, high = (max(least, end) for end in (min(numbers), max(numbers))) if numbers else (least, 10 * least)
    # The ends are powers of ten, so that every scale has two ticks at least.
    first, last = int(np.floor(np.log10(low) - 0.02)), int(np.ceil(np.log10(high) + 0.02))
    powers = range(first, last + 1)
    ax.set_xscale("log")
    ax.set_xlim(10.0**first, 10.0**last)
    shown = [10.0**power for power in powers if len(powers) <= 6 or power % 2 == 0]
    ax.set_xticks(shown, [tick(number) for number in shown], fontsize=SMALL)
    ax.set_xticks([10.0**power for power in powers], minor=True)
    ax.tick_params(axis="x", which="both", top=True, labeltop=True, length=2)
    ax.tick_params(axis="x", which="minor", labeltop=False, labelbottom=False)
    ax.grid(axis="x", which="both", color="0.9", linewidth=0.7)
    ax.set_axisbelow(True)


def _draw_lines(ax: Axes, lines: _Lines, data_sets: Sequence[DataSet]) -> None:
    ax.set_ylim(lines.n - 0.4, -0.6)
    ax.set_yticks([lines.of_data[data.name] for data in data_sets], [data.label for data in data_sets])
    ax.tick_params(axis="y", length=0, labelsize=SMALL)
    for label, data in zip(ax.get_yticklabels(), data_sets, strict=True):
        label.set_color(GREY if data.absent else "black")
    for task, line in lines.of_task.items():
        ax.axhspan(line - 0.45, line + 0.45, color="0.93", linewidth=0)
        heading = task or "task not known"
        ax.text(0.01, line, heading, transform=ax.get_yaxis_transform(), va="center", fontsize=SMALL)
    for data in data_sets:
        line = lines.of_data[data.name]
        ax.axhline(line, color="0.85", linewidth=0.6, linestyle=":", zorder=0.6)
        if data.absent:
            where = ax.get_yaxis_transform()
            ax.text(0.01, line, "absent", transform=where, va="center", fontsize=SMALL, color=GREY)
    for side in ("left", "right"):
        ax.spines[side].set_visible(False)


def _draw_dots(
    ax: Axes, lines: _Lines, found: Mapping[tuple[str, str], _Found], method: str, lane: float, least: float
) -> None:
    x, y = [], []
    for (name, of_method), one in found.items():
        if of_method == method and one.mean is not None:
            x.append(max(one.mean, least))
            y.append(lines.of_data[name] + lane)
    ax.plot(x, y, clip_on=False, zorder=3, gid=f"dots {method}", **_paint(method))


def _draw_unfinished(ax: Axes, lines: _Lines, stopped: Mapping[DataSet, Sequence[str]], slots: int) -> None:
    ax.set_xlim(-0.5, max(slots, 4) - 0.5)
    ax.set_ylim(lines.n - 0.4, -0.6)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set_facecolor("0.97")
    ax.set_title("did not\nfinish", fontsize=SMALL, color=GREY)
    for side in ax.spines.values():
        side.set_visible(False)
    for data, methods in stopped.items():
        for slot, method in enumerate(methods):
            ax.plot([slot], [lines.of_data[data.name]], gid=f"unfinished {method}", **_paint(method))


def _handle(method: str, title: str) -> Line2D:
    from matplotlib.lines import Line2D

    return Line2D([], [], label=title, **_paint(method))


def _paint(method: str) -> dict[str, Any]:
    style = style_of(method)
    return {
        "linestyle": "none",
        "marker": style.marker,
        "markersize": 5.0,
        "markerfacecolor": style.colour if style.filled else "white",
        "markeredgecolor": "white" if style.filled else style.colour,
        "markeredgewidth": 0.4 if style.filled else 1.1,
    }
