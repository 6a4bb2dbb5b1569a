"""Figure of learning times: seconds of each method on each data set, on a logarithmic scale."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from slantwood_bench.figures.dots import dot_plot, settings_of
from slantwood_bench.jobs import TIMES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Less than a thousandth of a second says nothing about a method.
_LEAST_SECONDS = 1e-3


def learning_times(
    rows: Iterable[Mapping[str, Any]],
    *,
    experiment: str = TIMES,
    methods: Sequence[str] | None = None,
    titles: Mapping[str, str] | None = None,
    absent: Mapping[str, Sequence[str]] | None = None,
) -> Figure:
    """Draw the seconds that each method learned, mean over the folds, on every data set of `experiment`."""
    rows = [row for row in rows if row["experiment"] == experiment]
    return dot_plot(
        rows,
        "learn_seconds",
        f"seconds to learn\n({settings_of(rows, 'n_trees', 'threads')})",
        lambda seconds: f"{seconds:g}" if seconds < 1 else f"{seconds:,.0f}",
        methods=methods,
        titles=titles or {},
        absent=absent or {},
        least=_LEAST_SECONDS,
    )
