"""The labels of one example in their hierarchy: which part of it to show, and what each label is in it.

Where labels stand is the task of `layers`, how they look that of `boxes`.
"""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from slantwood.features.sparse_input import check_sparse
from slantwood.hints import optional_import
from slantwood.targets.hierarchy import Hierarchy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LONG_NAME, _LONGEST_NAME = 24, 40


def plot_hierarchy(
    hierarchy: Hierarchy,
    scores: Any = None,
    *,
    truth: Any = None,
    threshold: Any = 0.5,
    min_score: float | None = None,
    max_labels: int | None = 40,
    ax: Axes | None = None,
) -> Axes:
    """Draw the part of a hierarchy that matters for one example.

    Labels are boxes, general ones on the left and special ones on the right. Shown are the true labels, the
    predicted ones, and then those with the next highest scores; always with all labels above them. Without
    scores it is the hierarchy itself, from its roots on.

    Parameters
    ----------
    hierarchy : Hierarchy
        The labels and their links.
    scores : array-like or sparse row of shape (n_labels,) or (1, n_labels), optional
        One score for each label, in the order of `hierarchy.nodes`: a row of `predict_proba`.
    truth : set, list or tuple of labels, or indicator row, optional
        The true labels; labels above them are true too. Arrays of numbers and sparse rows are indicators.
    threshold : float or array-like of shape (n_labels,), default=0.5
        Labels that score above it are predicted, and so are the labels above them.
    min_score : float, optional
        Labels that are neither true nor predicted are shown if they score at least this. By default a tenth
        of the highest score.
    max_labels : int or None, default=40
        How many labels to show at most. None sets no limit.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Text shrinks to the room that there is. By default a new figure, as large as needed.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn on; `ax.figure.savefig("labels.png")` saves it.

    Raises
    ------
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from slantwood import Hierarchy
    >>> from slantwood.views import plot_hierarchy
    >>> animals = Hierarchy.from_paths(["cat", "dog", "dog/poodle", "dog/pug"])
    >>> ax = Figure().subplots()
    >>> plot_hierarchy(animals, [0.1, 0.9, 0.3, 0.6], truth={"dog/poodle"}, ax=ax) is ax
    True
    """
    with optional_import("plot_hierarchy needs matplotlib", "plots"):
        import matplotlib.axes

    from slantwood.views.boxes import ROLES, Labels, draw_labels

    if not isinstance(hierarchy, Hierarchy):
        raise TypeError(
            f"hierarchy={hierarchy!r:.60} must be a Hierarchy, such as Hierarchy.from_edges makes"
        )
    if ax is not None and not isinstance(ax, matplotlib.axes.Axes):
        raise TypeError(f"ax={ax!r:.60} must be a matplotlib Axes; of several give one, as in axes[0]")
    score = None if scores is None else _checked_scores(hierarchy, scores)
    is_true = None if truth is None else _checked_truth(hierarchy, truth)
    limit = _checked_threshold(hierarchy, threshold)
    at_least = None if min_score is None else _checked_number(min_score, "min_score")
    max_shown = _checked_max_labels(max_labels)

    is_predicted = None if score is None else hierarchy.closure([score > limit])[0]
    columns = _shown(hierarchy, score, (is_true, is_predicted), at_least, max_shown)
    place = {hierarchy.nodes[column]: i for i, column in enumerate(columns)}
    labels = Labels(
        names=[_short(hierarchy.nodes[column]) for column in columns],
        depth=hierarchy.depth[columns].tolist(),
        edges=[(place[parent], place[child]) for parent, child in hierarchy.edges if child in place],
        roles=[ROLES[_answer(is_true, column), _answer(is_predicted, column)] for column in columns],
        scores=None if score is None else score[columns].tolist(),
        note=_note(len(hierarchy), columns, predicted=is_predicted, true=is_true),
    )
    # Of all labels, so that the colours do not depend on how many are shown.
    low, high = (0.0, 1.0) if score is None else (float(score.min()), float(score.max()))
    bounds = (0.0, 1.0) if low >= 0 and high <= 1 else (low, high)
    return draw_labels(labels, bounds=bounds, threshold=limit if isinstance(limit, float) else None, ax=ax)


def _shown(
    hierarchy: Hierarchy,
    score: np.ndarray | None,
    judged: tuple[np.ndarray | None, ...],
    at_least: float | None,
    max_shown: int,
) -> list[int]:
    # The columns to draw. A label for which there is no room, together with what is above it, is passed over.
    wanted = np.zeros(len(hierarchy), np.int64)
    for is_one in judged:  # true ones first
        if is_one is not None:
            wanted = 2 * wanted + is_one
    if score is None:
        ranked = hierarchy.order[np.argsort(-wanted[hierarchy.order], kind="stable")]
    else:
        ranked = np.lexsort((-score, -wanted))
        keep = (wanted > 0) | (score >= (0.1 * score.max() if at_least is None else at_least))
        keep[ranked[0]] = True  # there would be nothing to see otherwise
        ranked = ranked[hierarchy.closure([keep])[0][ranked]]  # of what has no room, the first ancestors may
    shown: set[int] = set()
    for column in ranked.tolist():
        above = map(hierarchy.index, hierarchy.ancestors(hierarchy.nodes[column]))
        fresh = {column, *above} - shown
        if len(shown) + len(fresh) <= max_shown:
            shown |= fresh
    return sorted(shown)


def _answer(is_one: np.ndarray | None, column: int) -> bool | None:
    return None if is_one is None else bool(is_one[column])


def _note(n_labels: int, columns: list[int], **judged: np.ndarray | None) -> str:
    if len(columns) == n_labels:
        return ""
    n_missing = {
        name: int(is_one.sum() - is_one[columns].sum())
        for name, is_one in judged.items()
        if is_one is not None
    }
    left_out = " and ".join(f"{number} {name}" for name, number in n_missing.items() if number > 0)
    return f"{len(columns)} of {n_labels} labels" + (f"; {left_out} left out" if left_out else "")


def _short(label: object) -> str:
    # Of a long path the last parts, as the labels before it are drawn too.
    name = " ".join(str(label).split())
    if len(name) <= _LONG_NAME:
        return name
    tail = name
    while len(tail) > _LONG_NAME and "/" in tail:
        tail = tail.partition("/")[2]
    if tail != name:
        name = f"…/{tail}"
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"


def _row_of(hierarchy: Hierarchy, values: Any, name: str) -> np.ndarray:
    check_sparse(values, name)
    row = values.toarray() if sp.issparse(values) else np.asarray(values)
    if row.dtype.kind not in "biuf":
        raise TypeError(f"{name} holds {row.dtype} values, must hold numbers: one for each label")
    if row.ndim == 2 and len(row) == 1:
        row = row[0]
    if row.shape != (len(hierarchy),):
        remedy = f"; give one row, as in {name}[0]" if row.ndim == 2 else ""
        raise ValueError(
            f"{name} is of shape {row.shape}, must be of shape ({len(hierarchy)},): one number for each "
            f"label of the hierarchy, in the order of its nodes{remedy}"
        )
    return row


def _checked_scores(hierarchy: Hierarchy, scores: Any) -> np.ndarray:
    row = _row_of(hierarchy, scores, "scores").astype(np.float64)
    wrong = ~np.isfinite(row)
    if wrong.any():
        column = int(np.argmax(wrong))
        raise ValueError(
            f"scores holds {row[column]} for the label {hierarchy.nodes[column]!r}; scores must be finite. "
            "Leave scores out to draw the hierarchy alone"
        )
    return row


def _checked_truth(hierarchy: Hierarchy, truth: Any) -> np.ndarray:
    if isinstance(truth, (str, bytes)):
        raise TypeError(f"truth={truth!r} must be a set of labels; give {{{truth!r}}}")
    is_row = sp.issparse(truth) or (hasattr(truth, "dtype") and np.asarray(truth).dtype.kind in "biuf")
    if is_row:
        row = _row_of(hierarchy, truth, "truth")
        wrong = (row != 0) & (row != 1)
        if wrong.any():
            raise ValueError(
                f"truth holds the value {row[wrong][0]!s}; an indicator holds zeros and ones. Leave truth "
                "out where labels are not known"
            )
        return hierarchy.closure([row.astype(np.bool_)])[0]
    if not isinstance(truth, Iterable):
        raise TypeError(f"truth={truth!r:.60} must be a set of labels or an indicator row")
    labels = list(truth)
    for label in labels:
        try:
            hierarchy.index(label)
        except ValueError as error:
            raise ValueError(f"truth: {error}") from None
    return hierarchy.closure(hierarchy.indicator([labels])).toarray()[0].astype(np.bool_)


def _checked_threshold(hierarchy: Hierarchy, threshold: Any) -> float | np.ndarray:
    if isinstance(threshold, Real) or threshold is None or isinstance(threshold, str):
        return _checked_number(threshold, "threshold")
    row = _row_of(hierarchy, threshold, "threshold")
    if np.isnan(row).any():
        raise ValueError("threshold holds nan; give one number for each label, or one for all, as 0.5")
    return row


def _checked_number(value: Any, name: str) -> float:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise TypeError(f"{name}={value!r:.60} must be a number, as 0.5")
    if np.isnan(float(value)):
        raise ValueError(f"{name}={value!r} must be a number, as 0.5")
    return float(value)


def _checked_max_labels(max_labels: Any) -> int:
    if max_labels is None:
        return np.iinfo(np.int64).max
    if isinstance(max_labels, (bool, np.bool_)) or not isinstance(max_labels, Integral):
        raise TypeError(f"max_labels={max_labels!r:.60} must be a whole number, or None for no limit")
    if max_labels < 1:
        raise ValueError(f"max_labels={max_labels!r} must be at least 1, or None for no limit")
    return int(max_labels)
