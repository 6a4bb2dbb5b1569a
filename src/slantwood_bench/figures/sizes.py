"""Figure of model sizes: nodes of each method on each data set, on a logarithmic scale."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from slantwood_bench.figures.dots import dot_plot, settings_of
from slantwood_bench.jobs import COMPARISON

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHODS_OF_SIZES = ("bag-gradient", "bag-gradient-paper", "bag-svm", "bag-svm-paper", "bag-pct")


def sizes(
    rows: Iterable[Mapping[str, Any]],
    *,
    experiment: str = COMPARISON,
    methods: Sequence[str] | None = METHODS_OF_SIZES,
    titles: Mapping[str, str] | None = None,
    absent: Mapping[str, Sequence[str]] | None = None,
) -> Figure:
    """Draw the nodes of each method, mean over the folds, on every data set of `experiment`."""
    rows = [row for row in rows if row["experiment"] == experiment]
    label = f"nodes of all trees, leaves included\n({settings_of(rows, 'n_trees')})"
    return dot_plot(rows, "nodes", label, _short, methods=methods, titles=titles or {}, absent=absent or {})


def _short(number: float) -> str:
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= unit:
            return f"{number / unit:g}{name}"
    return f"{number:g}"
