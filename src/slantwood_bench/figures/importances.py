"""Figure of feature importances: real features and noise features, sorted, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from slantwood_bench.figures.styles import (
    DAGGER_NOTE,
    GREY,
    SMALL,
    USUAL,
    WIDTH,
    DataSet,
    data_sets_of,
    draw_gap,
    empty_figure,
)
from slantwood_bench.jobs import IMPORTANCE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# As in the paper: left, right.
METHODS_OF_IMPORTANCES = ("bag-svm", "bag-gradient")

_REAL, _NOISE = "#0072B2", "#D55E00"

# So many points of fifty thousand sorted importances show all that can be seen.
_MOST_POINTS = 100
_MOST_MARKERS = 40

_LABEL = "share of all importance, by rank among real or noise features"

# Inches: texts above and below the panels of a data set, the panels, and what stands around all of them.
_ABOVE, _PANEL, _BELOW = 0.42, 0.85, 0.27
_LINE_OF_ABSENT = 0.28
_TOP, _BOTTOM, _NOTE = 0.3, 0.3, 0.22
_LEFT, _BETWEEN, _RIGHT = 0.56, 0.66, 0.22


class _Shares(NamedTuple):
    """Percent of all importance that each feature has, from the largest down."""

    real: np.ndarray
    noise: np.ndarray


def importances(
    rows: Iterable[Mapping[str, Any]],
    *,
    methods: Sequence[str] = METHODS_OF_IMPORTANCES,
    titles: Mapping[str, str] | None = None,
    absent: Mapping[str, Sequence[str]] | None = None,
) -> Figure:
    """Draw what part of all importance each real and each noise feature has, from the largest down.

    Parameters
    ----------
    rows : iterable of mappings
        Rows of results; those of the experiment "importance" count. Of several rows of a data set and a
        method the mean importance of each feature is drawn.
    methods : sequence of str
        The methods, from left to right.

    Returns
    -------
    matplotlib.figure.Figure
        Panels for each data set. They say so where nothing finished or nothing was run.
    """
    from matplotlib.figure import Figure

    rows = [row for row in rows if row["experiment"] == IMPORTANCE and row["method"] in methods]
    data_sets = data_sets_of(rows, absent or {})
    if not rows:
        return empty_figure("importances of features")
    notes = any(data.marked for data in data_sets)
    bottom = _BOTTOM + _NOTE * notes
    height = _TOP + sum(map(_height, data_sets)) + bottom
    figure = Figure(figsize=(WIDTH, height))
    width = (WIDTH - _LEFT - _RIGHT - _BETWEEN * (len(methods) - 1)) / len(methods)
    lefts = [_LEFT + place * (width + _BETWEEN) for place in range(len(methods))]

    def write(text: str, x: float, y: float, **style: Any) -> None:
        figure.text(x / WIDTH, y / height, text, va="center", **style)

    for left, method in zip(lefts, methods, strict=True):
        title = (titles or {}).get(method, method)
        write(title, left + width / 2, height - 0.16, ha="center", fontsize=USUAL, weight="bold")
    top = height - _TOP
    for data in data_sets:
        of_data = [row for row in rows if row["dataset"] == data.name]
        write(
            _heading(data, of_data), 0.08, top - 0.12, fontsize=USUAL, color=GREY if data.absent else "black"
        )
        if not data.absent:
            low = (top - _ABOVE - _PANEL) / height
            for left, method in zip(lefts, methods, strict=True):
                ax = figure.add_axes((left / WIDTH, low, width / WIDTH, _PANEL / height))
                _draw_panel(ax, [row for row in of_data if row["method"] == method])
        top -= _height(data)
    write(_LABEL, WIDTH / 2, bottom - 0.12, ha="center", fontsize=USUAL)
    if notes:
        write(DAGGER_NOTE, WIDTH / 2, 0.12, ha="center", fontsize=SMALL, color=GREY)
    return figure


def _height(data: DataSet) -> float:
    return _LINE_OF_ABSENT if data.absent else _ABOVE + _PANEL + _BELOW


def _heading(data: DataSet, rows: Sequence[Mapping[str, Any]]) -> str:
    if data.absent:
        return f"{data.label} ({data.task}): absent"
    name = f"{data.label} ({data.task})" if data.task else data.label
    counts = [len(row["importances"]["real"]) for row in rows if row["status"] == "ok"]
    return f"{name}, 2 \N{MULTIPLICATION SIGN} {counts[0]:,} features" if counts else name


def _draw_panel(ax: Axes, rows: Sequence[Mapping[str, Any]]) -> None:
    finished = [row for row in rows if row["status"] == "ok"]
    shares = _shares(finished)
    if shares is None:
        reasons = sorted({row["status"] for row in rows} - {"ok"})
        text = "no splits, no importances" if finished else ", ".join(reasons) or "not run"
        draw_gap(ax, text, USUAL)
        return
    ax.set_title(f"real {_percent(shares.real.sum())}", loc="left", fontsize=SMALL, color=_REAL, pad=3)
    ax.set_title(f"noise {_percent(shares.noise.sum())}", loc="right", fontsize=SMALL, color=_NOISE, pad=3)
    if len(finished) < len(rows):
        runs = f"{len(finished)} of {len(rows)} runs"
        ax.text(0.99, 0.97, runs, transform=ax.transAxes, ha="right", va="top", fontsize=SMALL, color=GREY)
    _draw_sorted(ax, shares.real, _REAL, "real")
    _draw_sorted(ax, shares.noise, _NOISE, "noise")
    _set_scales(ax, len(shares.real), max(shares.real[0], shares.noise[0]))


def _shares(rows: Sequence[Mapping[str, Any]]) -> _Shares | None:
    """Return the mean importances of the rows; None where there are none, or all are zero."""
    if not rows:
        return None
    counts = sorted({len(row["importances"]["real"]) for row in rows})
    if len(counts) > 1:
        raise ValueError(
            f"rows of {rows[0]['dataset']!r} with {rows[0]['method']!r} have importances of "
            f"{' and '.join(map(str, counts))} features; keep the rows of one form of the data"
        )
    real, noise = (np.mean([row["importances"][kind] for row in rows], axis=0) for kind in ("real", "noise"))
    total = real.sum() + noise.sum()
    if not total > 0:
        return None
    return _Shares(*(np.sort(100 * part / total)[::-1] for part in (real, noise)))


def _percent(share: float) -> str:
    if 0 < share < 0.05:
        return "< 0.1 %"
    return "100 %" if share >= 99.95 else f"{share:.1f} %"


def shown_ranks(n: int) -> np.ndarray:
    """Return ranks at even distances on a scale of powers of ten; all of them where they are few."""
    if n <= _MOST_POINTS:
        return np.arange(1, n + 1)
    return np.unique(np.rint(np.geomspace(1, n, _MOST_POINTS)).astype(int))


def _draw_sorted(ax: Axes, shares: np.ndarray, colour: str, kind: str) -> None:
    ranks = shown_ranks(len(shares))
    heights = shares[ranks - 1]
    marker = {"marker": "o", "markersize": 2.5} if len(shares) <= _MOST_MARKERS else {}
    ax.fill_between(ranks, heights, color=colour, alpha=0.15, linewidth=0)
    ax.plot(ranks, heights, color=colour, linewidth=1.2, gid=kind, clip_on=False, **marker)  # type: ignore[arg-type]


def _set_scales(ax: Axes, n: int, largest: float) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

    ax.set_xscale("log")
    ax.set_xlim(0.93, max(1.07 * n, 2.0))
    ax.set_ylim(0, 1.08 * largest)
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if n <= 100 else (1,)))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda rank, _: f"{rank:,.0f}"))
    ax.yaxis.set_major_locator(MaxNLocator(3))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{share:g} %"))
    ax.tick_params(labelsize=SMALL, length=2, pad=2)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
