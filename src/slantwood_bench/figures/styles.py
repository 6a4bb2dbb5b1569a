"""What the figures share: colours and markers of methods, the list of data sets, and font sizes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from slantwood.task_names import TASKS
from slantwood_bench.methods import METHODS
from slantwood_bench.tables.rows import DAGGER

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Inches and points. The width is that of a page on a phone, where letters of this size can still be read.
WIDTH = 4.4
SMALL, USUAL = 8.0, 9.0
GREY = "0.45"
_LETTERS_OF_A_LINE, _LETTERS_OF_A_MARKER = 66, 5

# Of every legend.
LEGEND: Mapping[str, Any] = {
    "fontsize": SMALL,
    "frameon": False,
    "columnspacing": 1.0,
    "labelspacing": 0.3,
}

# Colours that the colour-blind can tell apart (Okabe & Ito 2008), those that are dark enough for a dot.
_BLUE, _RED, _GREEN, _PINK, _ORANGE, _SKY, _BLACK = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#000000",
)
_FAMILIES = {"gradient": _BLUE, "svm": _RED, "pct": _GREEN}
_FORMS = {"bag": "o", "rf": "^", "tree": "s"}


class Style(NamedTuple):
    """How a method is drawn, in every figure the same."""

    colour: str
    marker: str
    filled: bool = True


_OTHERS = {
    "best": Style(_BLUE, "D"),
    "boosting": Style(_RED, "D"),
    "orf": Style(_ORANGE, "^"),
    "fastxml": Style(_PINK, "D"),
    "lightgbm": Style(_BLACK, "D"),
    "xgboost": Style(_BLACK, "D", False),
    "catboost": Style(_SKY, "D"),
    "linear-svm": Style(_ORANGE, "D"),
    "omikuji": Style(_GREEN, "D"),
    "omikuji-bonsai": Style(_GREEN, "D", False),
    "scikit-rf": Style(_SKY, "^"),
    "scikit-et": Style(_SKY, "v"),
    "ydf": Style(_PINK, "v"),
    "ydf-oblique": Style(_PINK, "v", False),
    "treeple": Style(_BLACK, "^"),
    "cart-lc": Style(_SKY, "s"),
    "oc1": Style(_BLACK, "s"),
    "wodt": Style(_ORANGE, "s"),
}


def style_of(method: str) -> Style:
    """Return how a method is drawn: colour says the split, shape ensemble or tree, hollow as published."""
    form, _, rest = method.partition("-")
    family, _, published = rest.partition("-")
    if form in _FORMS and family in _FAMILIES:
        return Style(_FAMILIES[family], _FORMS[form], not published)
    return _OTHERS.get(method, Style(GREY, "X"))


class DataSet(NamedTuple):
    """A data set of a figure; one that is not there has no rows."""

    task: str
    name: str
    marked: bool
    absent: bool

    @property
    def label(self) -> str:
        """The name, with a dagger where figures are not those of the paper's data."""
        return self.name + DAGGER * self.marked


DAGGER_NOTE = f"{DAGGER} not quite the paper's data; see the table of data sets"


def data_sets_of(rows: Iterable[Mapping[str, Any]], absent: Mapping[str, Sequence[str]]) -> list[DataSet]:
    """Return the data sets of rows and the absent ones, by task, in the order of their coming.

    Rows of jobs that did not finish may not know their task.
    """
    tasks: dict[str, str] = {}
    marked = set()
    for row in rows:
        tasks[row["dataset"]] = tasks.get(row["dataset"]) or row.get("task") or ""
        if row.get("mark"):
            marked.add(row["dataset"])
    there = [DataSet(task, name, name in marked, False) for name, task in tasks.items()]
    missing = [
        DataSet(task, name, False, True)
        for task, names in absent.items()
        for name in names
        if name not in tasks
    ]
    order = {task: place for place, task in enumerate(TASKS)}
    return sorted(there + missing, key=lambda data: order.get(data.task, len(order)))


def methods_of(rows: Iterable[Mapping[str, Any]], wanted: Sequence[str] | None) -> list[str]:
    """Return the methods that have rows: in the order that is wanted, or that of the registry."""
    there = dict.fromkeys(row["method"] for row in rows)
    order = (
        list(wanted) if wanted is not None else [*METHODS, *(name for name in there if name not in METHODS)]
    )
    return [method for method in order if method in there]


def empty_figure(what: str) -> Figure:
    """Return a figure that says that there is nothing to show."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, 0.6))
    figure.text(0.5, 0.5, f"No results on {what}", ha="center", va="center", fontsize=USUAL, color=GREY)
    return figure


def draw_gap(ax: Axes, text: str, size: float) -> None:
    """Say in a panel, in letters of a size, why it has nothing to show."""
    ax.text(0.5, 0.5, text, transform=ax.transAxes, ha="center", va="center", fontsize=size, color=GREY)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set_facecolor("0.97")
    for side in ax.spines.values():
        side.set_visible(False)


def columns_of_legend(titles: Sequence[str]) -> int:
    """Return in how many columns, each filled from the top down, titles fit beside one another."""
    lengths = [len(title) for title in titles]
    for most in (3, 2):
        n_lines = -(-len(titles) // most)
        columns = -(-len(titles) // n_lines)
        # As matplotlib deals them: 7 titles in 3 columns are 3, 2 and 2.
        widths = [column.max() for column in np.array_split(lengths, columns)]
        if sum(widths) + _LETTERS_OF_A_MARKER * columns <= _LETTERS_OF_A_LINE:
            return columns
    return 1
