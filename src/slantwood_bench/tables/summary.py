"""Summary: where slantwood's defaults rank among all methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from slantwood_bench.tables.rankings import ALL_TASKS, KINDS, Ranking, rankings_by_task, titles
from slantwood_bench.tables.rows import Description, Row, describe
from slantwood_bench.tables.table import Table

# slantwood's ensembles and trees as a user gets them. The first of each is what one gets who sets nothing.
DEFAULTS = ("bag-gradient", "rf-gradient", "bag-svm", "rf-svm")
DEFAULT_TREES = ("tree-gradient", "tree-svm")

_NO_RANKING = "no ranking"
_PLACES = {1: "first", 2: "second"}


def standing(
    rows: Sequence[Row], trees: bool = False, known: Mapping[str, Description] | None = None
) -> Table:
    """Say which place slantwood's default forest has in each task, and which the best of its defaults.

    Parameters
    ----------
    trees : bool
        Whether among single trees, with the default tree, or else among ensembles and others.
    """
    rankings = rankings_by_task(rows, trees, known)
    defaults = DEFAULT_TREES if trees else DEFAULTS
    ranked = {name for each in rankings.values() for name in each.places}
    ours = describe(ranked.intersection(defaults), known)
    fixed = (
        "task",
        f"default {'tree' if trees else 'forest'}: {titles(defaults[:1], known)}",
        "best of ours",
        "data sets",
        "methods",
    )
    body = [
        (
            task,
            _place_in_words(defaults[0], task, each, known),
            _best_in_words(each, list(ours), known),
            each.n_sets,
            len(each.places),
            *(each.places.get(name) for name in ours),
        )
        for task, each in rankings.items()
        if ranked
    ]
    return Table(
        "standing-trees" if trees else "standing",
        f"Places of slantwood's defaults among {KINDS[trees]}, by average rank",
        (*fixed, *(each.title for each in ours.values())),
        tuple(body),
        (
            "Ours: slantwood's defaults, each with its place. Their forms as published are ranked as methods "
            "of their own.",
            *_note_on_gaps(rankings),
        ),
        left=(0, 1, 2),
        best=frozenset(
            (line, column)
            for line, cells in enumerate(body)
            for column in range(len(fixed), len(cells))
            if cells[column] == 1
        ),
    )


def standing_in_words(rows: Sequence[Row], known: Mapping[str, Description] | None = None) -> tuple[str, ...]:
    """Say in sentences where the default forest stands in each task, and the best of all defaults."""
    rankings = {
        task: each
        for task, each in rankings_by_task(rows, False, known).items()
        if each.places and task != ALL_TASKS
    }
    if not rankings:
        return ()
    places = "; ".join(f"{task}, {_own_place(DEFAULTS[0], task, each)}" for task, each in rankings.items())
    best = {task: _best_place(each, DEFAULTS) for task, each in rankings.items()}
    firsts, seconds = (list(best.values()).count(place) for place in _PLACES)
    behind = [task for task, place in best.items() if place not in _PLACES]
    return (
        f"Place of slantwood's default forest ({titles(DEFAULTS[:1], known)}) among {KINDS[False]}, by "
        f"average rank over data sets: {places}.",
        f"The best of slantwood's defaults is first in {firsts} and second in {seconds} of {len(best)} tasks."
        + (f" It is neither in: {', '.join(behind)}." if behind else ""),
    )


def _own_place(name: str, task: str, of: Ranking) -> str:
    """Return the place of a method among how many, or why it has none."""
    if name in of.places:
        place = of.places[name]
        return f"{_PLACES.get(place, f'place {place}')} of {len(of.places)}"
    return "finished on no data set" if name in of.methods_left_out and task != ALL_TASKS else "not ranked"


def _place_in_words(name: str, task: str, of: Ranking, known: Mapping[str, Description] | None) -> str:
    """Return the place of a method and who is ahead of it or level with it."""
    if not of.places:
        return _NO_RANKING
    words = _own_place(name, task, of)
    return words + _company(of.places[name], [name], of, known) if name in of.places else words


def _best_in_words(of: Ranking, ours: Sequence[str], known: Mapping[str, Description] | None) -> str:
    """Return the best place of some methods and who else is ahead of it or level with it."""
    if not of.places:
        return _NO_RANKING
    best = _best_place(of, ours)
    if best is None:
        return "none of slantwood's defaults took part"
    words = _PLACES.get(best, f"neither first nor second: the best of ours is at place {best}")
    return words + _company(best, ours, of, known)


def _best_place(of: Ranking, ours: Sequence[str]) -> int | None:
    return min((of.places[name] for name in ours if name in of.places), default=None)


def _company(place: int, without: Sequence[str], of: Ranking, known: Mapping[str, Description] | None) -> str:
    """Name the methods ahead of a place and those at it, without some."""
    ahead = [name for name, other in of.places.items() if other < place]
    level = [name for name, other in of.places.items() if other == place and name not in without]
    return (f", behind {titles(ahead, known)}" if ahead else "") + (
        f", level with {titles(level, known)}" if level else ""
    )


def _note_on_gaps(rankings: Mapping[str, Ranking]) -> tuple[str, ...]:
    if all(each.places for each in rankings.values()):
        return ()
    return (
        f"{_NO_RANKING.capitalize()}: fewer than two methods finished anything, or there is no data set on "
        "which all of them were tried with every fold.",
    )
