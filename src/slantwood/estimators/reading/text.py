"""One tree as indented text: the condition of each node, how many rows came there, what a leaf predicts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from slantwood.hints import pluralize, printable

if TYPE_CHECKING:
    from slantwood.estimators.reading.tree_reading import TreeReading

# Levels that are indented; below them the level stands in front of the line, which would grow without end.
_MOST_INDENTED = 30


def export_text(model: Any, tree: int = 0, *, max_depth: int | None = 10) -> str:
    """Return one tree of a fitted model as indented text.

    Parameters
    ----------
    model : fitted tree, forest or boosted model of slantwood, or one tree of it
        The model, or a tree as `forest[3]` gives it.
    tree : int, default=0
        Which tree, counted from 0; `forest[3]` is the tree that it is.
    max_depth : int or None, default=10
        Levels of splits to show; None shows all of them.

    Returns
    -------
    str
        A line for each node. A split of one feature is a comparison in the unit of the feature, with enough
        digits that every row goes the way of the text, or a question such as `colour is red`. A split of
        several features compares a sum of them, the largest parts first, in the unit of the first; its
        numbers are rounded to four digits. A leaf says what it predicts; of boosting by how much it changes
        the scores, which a line at the head explains. Brackets hold the training rows that came there.

    Raises
    ------
    ValueError
        If the model has no tree of this number.

    Examples
    --------
    >>> from slantwood import ObliqueTreeClassifier
    >>> from slantwood.export import export_text
    >>> model = ObliqueTreeClassifier(split="axis").fit([[0], [1], [2], [3]], ["low", "low", "high", "high"])
    >>> print(export_text(model))
    Tree 0 of ObliqueTreeClassifier, binary
    x0 >= 1.5?  [4 rows, 100 %]
      yes: high (1.00)  [2 rows, 50 %]
      no:  low (1.00)  [2 rows, 50 %]
    """
    from slantwood.estimators.reading.tree_reading import reading_of  # which writes text, too

    return text_of(reading_of(model, tree, max_depth))


def text_of(reading: TreeReading) -> str:
    """Return a reading as indented text."""
    return "\n".join(map(printable, [reading.title, *reading.notes, *_lines(reading)]))


def _lines(reading: TreeReading) -> Iterator[str]:
    shares = reading.share
    for i in range(len(reading)):
        level, condition = int(reading.depth[i]), reading.conditions[i]
        lead = "  " * min(level, _MOST_INDENTED) + (f"({level}) " if level > _MOST_INDENTED else "")
        branch = "" if reading.parent[i] < 0 else "yes: " if reading.is_yes[i] else "no:  "
        said = f"{condition.text()}?" if condition is not None else node_text(reading, i)
        rows = ""
        if shares[i] == shares[i]:  # a model that was saved for prediction only does not know it
            rows = f"  [{reading.rows[i]:.6g} rows, {100 * shares[i]:.3g} %]"
        yield f"{lead}{branch}{said}{rows}"


def node_text(reading: TreeReading, i: int) -> str:
    """Say what a node predicts, and how many splits lie below that are not shown."""
    prediction = reading.predictions[i]
    said = "" if prediction is None else prediction.text
    n_hidden = int(reading.n_hidden[i])
    if not n_hidden:
        return said
    hidden = f"... {pluralize(n_hidden, 'more split')}"
    return f"{hidden}: {said}" if said else hidden
