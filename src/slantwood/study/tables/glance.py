"""Where slantwood's defaults stand among all methods, at a glance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from slantwood.study.tables.rankings import Ranking, rankings_by_task, titles
from slantwood.study.tables.rows import Description, Row, describe
from slantwood.study.tables.table import Table

# slantwood's ensembles and trees as a user gets them.
DEFAULTS = ("bag-gradient", "rf-gradient", "bag-svm", "rf-svm")
DEFAULT_TREES = ("tree-gradient", "tree-svm")


def standing(
    rows: Sequence[Row], trees: bool = False, known: Mapping[str, Description] | None = None
) -> Table:
    """Say at a glance which place slantwood's defaults have in each task, and among how many methods.

    Parameters
    ----------
    rows : sequence of mappings
        Rows of results.
    trees : bool
        Whether among single trees, or else among ensembles and others.
    known : mapping of str to Description, optional
        What to believe of methods instead of what their classes say.
    """
    columns = rankings_by_task(rows, trees, known)
    ours = describe(
        (
            name
            for name in (DEFAULT_TREES if trees else DEFAULTS)
            if any(name in each.places for each in columns.values())
        ),
        known,
    )
    body = [
        (
            task,
            _in_words(each, ours, known),
            each.n_sets,
            len(each.places),
            *(each.places.get(name) for name in ours),
        )
        for task, each in columns.items()
        if each.places
    ]
    kind = "single trees" if trees else "ensembles and others"
    return Table(
        "standing-trees" if trees else "standing",
        f"Places of slantwood's defaults among {kind}, by average rank",
        ("task", "best of ours", "data sets", "methods", *(each.title for each in ours.values())),
        tuple(body),
        (
            "Ours: slantwood's defaults, each with its place. Their forms as published are ranked as methods "
            "of their own.",
        ),
        left=(0, 1),
        best=frozenset(
            (line, column)
            for line, cells in enumerate(body)
            for column in range(4, 4 + len(ours))
            if cells[column] == 1
        ),
    )


def _in_words(of: Ranking, ours: Mapping[str, Description], known: Mapping[str, Description] | None) -> str:
    places = of.places
    taking_part = [name for name in ours if name in places]
    if not taking_part:
        return "none of slantwood's defaults took part"
    best = min(places[name] for name in taking_part)
    beside = [name for name, place in places.items() if place == best and name not in taking_part]
    if best <= 2:
        behind = f", behind {titles(_ahead(places, best), known)}" if best > 1 else ""
        level = f", level with {titles(beside, known)}" if beside else ""
        return ("first", "second")[best - 1] + behind + level
    return (
        f"neither first nor second: the best of ours is at place {best}, "
        f"behind {titles(_ahead(places, best), known)}"
    )


def _ahead(places: Mapping[str, int], place: int) -> list[str]:
    return [name for name in sorted(places, key=places.__getitem__) if places[name] < place]
