"""Section: five rows, from the best predicted to the worst, and what each feature adds to the predictions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils import _safe_indexing

from slantwood.explain import Contributions, contributions
from slantwood.features.frames import eager_frame, is_frame
from slantwood.report.facts import knows_rows
from slantwood.report.markup import Markup, bars, joined, note, number, paragraph, tag
from slantwood.report.outputs import outputs_of
from slantwood.report.section import Section
from slantwood.report.subject import Subject
from slantwood.task_names import CLASS_TASKS, NUMBER_TASKS, SEVERAL_TASKS

# Features with bars, and outputs of a row.
_MOST_FEATURES, _MOST_OUTPUTS = 7, 3

# Rows by how well they are predicted: the share of rows that are predicted better.
_PLACES = (
    (0.0, "Best"),
    (0.25, "Better than three quarters"),
    (0.5, "Typical"),
    (0.75, "Worse than three quarters"),
    (1.0, "Worst"),
)

# Predicted values of the rows among which the five are looked for.
_MOST_CELLS = 5_000_000


def examples_section(subject: Subject) -> Section:
    """Explain five rows."""
    return Section("examples", "Examples", _content(subject))


def _content(subject: Subject) -> Markup:
    if not subject.has_trees:
        return note("Predictions of label trees are not explained.")
    if subject.X is None:
        return note("Examples need rows: give the report X and y.")
    if subject.task in SEVERAL_TASKS:
        return note("Predictions of several targets with classes of their own are not explained.")
    if not knows_rows(subject.model):
        return note(
            "The file was saved with predict_only=True and does not know how many rows its nodes had, which "
            "explanations need."
        )
    chosen = _chosen(subject)
    said = (
        "What each feature adds to a prediction, on top of what the model predicts before it knows anything "
        "of the row; all add up to the prediction."
    )
    if subject.is_boosted and subject.task not in NUMBER_TASKS:
        said += " The numbers are scores, before they become probabilities."
    if getattr(subject.model.targets_, "weights", ()):
        said += " Probabilities are those before class weights."
    if subject.truth is not None and _n_compared(subject) < subject.n_rows:
        said += f" The rows are chosen among {_n_compared(subject):,} of {subject.n_rows:,}, evenly spaced."
    return joined(paragraph(said), *(_example(subject, each) for each in chosen))


def _n_compared(subject: Subject) -> int:
    """Return among how many rows the five are looked for."""
    return min(subject.n_rows, max(len(_PLACES), _MOST_CELLS // max(len(subject.output_names), 1)))


class _Chosen(NamedTuple):
    row: int
    title: str


def _chosen(subject: Subject) -> list[_Chosen]:
    """Choose rows by their losses, or evenly spaced where there is no truth."""
    if subject.truth is None:
        rows = np.unique(np.linspace(0, subject.n_rows - 1, len(_PLACES)).round().astype(int))
        return [_Chosen(int(row), "Row") for row in rows]
    rows = np.unique(np.linspace(0, subject.n_rows - 1, _n_compared(subject)).astype(int))
    losses = _losses(subject, rows)
    known = ~np.isnan(losses)
    order = rows[known][np.argsort(losses[known], kind="stable")]
    taken: dict[int, str] = {}
    for place, title in _PLACES:
        if len(order):
            taken.setdefault(int(order[round(place * (len(order) - 1))]), title)
    return [_Chosen(row, title) for row, title in taken.items()]


def _losses(subject: Subject, rows: np.ndarray) -> np.ndarray:
    """Return how wrong the prediction of each row is: squared, in units of the spread or of probability."""
    model, truth = subject.model, subject.truth[rows]
    X = subject.X if len(rows) == subject.n_rows else _safe_indexing(subject.X, rows)
    if subject.task in NUMBER_TASKS:
        predicted = np.asarray(model.predict(X), np.float64).reshape(len(rows), -1)
        squares = ((predicted - truth) / model.targets_.scale) ** 2
        known = ~np.isnan(squares)
        sums = np.where(known, squares, 0.0).sum(axis=1)
        return np.where(known.any(axis=1), sums / np.maximum(known.sum(axis=1), 1), np.nan)
    said = model.predict_proba(X)
    if subject.task in CLASS_TASKS:
        place = {name: k for k, name in enumerate(subject.output_names)}
        codes = np.array([place.get(str(each), -1) for each in truth.tolist()])
        of_truth = np.where(codes >= 0, said[np.arange(len(rows)), codes], 0.0)
        unknown = np.array([each is None or each != each for each in truth.tolist()], bool)
        return np.where(unknown, np.nan, 1.0 - of_truth)
    ones = truth.toarray() if sp.issparse(truth) else truth
    said = said.toarray() if sp.issparse(said) else np.asarray(said)
    return np.asarray(((said - ones) ** 2).sum(axis=1), np.float64)


# ---- one row


def _example(subject: Subject, chosen: _Chosen) -> Markup:
    X = _safe_indexing(subject.X, [chosen.row])
    outputs = _outputs_to_explain(subject, X, chosen.row)
    found = contributions(subject.model, X, targets=outputs)
    values = _cells(X)
    parts = [_bars(subject, found, place, values) for place in range(len(found.output_names))]
    heading = tag("h3", f"{chosen.title}: row {chosen.row:,}")
    return tag(
        "article",
        heading,
        _said(subject, X, chosen.row),
        tag("div", *parts, class_="drawings"),
        class_="example",
    )


def _said(subject: Subject, X: Any, row: int) -> Markup:
    """Say what is predicted and what is true."""
    model = subject.model
    if subject.task in NUMBER_TASKS:
        predicted = np.ravel(model.predict(X)).tolist()
        pairs = list(zip(subject.output_names, predicted, strict=True))[:_MOST_OUTPUTS]
        true = None if subject.truth is None else subject.truth[row].tolist()
        texts = [
            f"{name}: {number(value)}" + ("" if true is None else f" (true: {number(true[j])})")
            for j, (name, value) in enumerate(pairs)
        ]
        return paragraph("Predicted ", "; ".join(texts), ".")
    if subject.task in CLASS_TASKS:
        said = str(np.ravel(model.predict(X)).tolist()[0])
        parts: list[Any] = ["Predicted ", tag("b", said)]
    else:
        scores = _label_scores(model, X)
        limit = np.broadcast_to(model.decision_threshold(), scores.shape)
        parts = ["Predicted ", _labels(subject, np.flatnonzero(scores > limit), scores)]
    if subject.truth is not None:
        true = subject.truth[[row]]
        if subject.task in CLASS_TASKS:
            parts += [", true ", tag("b", str(true.tolist()[0]))]
        else:
            ones = np.ravel(true.toarray() if sp.issparse(true) else true)
            parts += [", true ", _labels(subject, np.flatnonzero(ones), _label_scores(model, X))]
    return paragraph(*parts, ".")


def _labels(subject: Subject, positions: np.ndarray, scores: np.ndarray) -> Markup:
    order = positions[np.argsort(-scores[positions], kind="stable")].tolist()
    names = ", ".join(subject.output_names[j] for j in order[:8]) or "none"
    more = f" and {len(order) - 8} more" if len(order) > 8 else ""
    return joined(tag("b", names), more)


def _label_scores(model: Any, X: Any) -> np.ndarray:
    scores = model.predict_proba(X)
    return np.ravel(scores.toarray() if sp.issparse(scores) else np.asarray(scores))


def _outputs_to_explain(subject: Subject, X: Any, row: int) -> list[str]:
    """Choose outputs: those predicted, and those that should have been; numbers that are furthest off."""
    available = outputs_of(subject.model).names
    names, model = subject.output_names, subject.model
    if subject.task in NUMBER_TASKS:
        order = np.arange(len(names))
        if subject.truth is not None:
            off = np.abs(np.ravel(model.predict(X)) - subject.truth[row]) / model.targets_.scale
            order = np.argsort(-np.nan_to_num(off), kind="stable")
        return [names[j] for j in order[:_MOST_OUTPUTS]]
    if subject.task in CLASS_TASKS:
        wanted = [str(np.ravel(model.predict(X)).tolist()[0])]
        if subject.truth is not None:
            wanted.append(str(subject.truth[[row]].tolist()[0]))
    else:
        scores = _label_scores(model, X)
        best = np.argsort(-scores, kind="stable")[:2].tolist()
        wanted = [names[j] for j in best]
        if subject.truth is not None:
            true = subject.truth[[row]]
            ones = np.flatnonzero(np.ravel(true.toarray() if sp.issparse(true) else true))
            missed = [j for j in ones[np.argsort(-scores[ones], kind="stable")].tolist() if j not in best]
            wanted += [names[j] for j in missed[:1]]
    return [name for name in dict.fromkeys(wanted) if name in set(available)] or [available[-1]]


def _bars(subject: Subject, found: Contributions, place: int, values: list[Any]) -> Markup:
    added = found.values[0, :, place]
    order = np.argsort(-np.abs(added), kind="stable")[:_MOST_FEATURES]
    rows = [
        (f"{found.feature_names[j]} = {_value(values[j])}", float(added[j]), _signed(float(added[j])))
        for j in order
        if added[j] != 0
    ]
    rest = float(added.sum() - added[order].sum())
    n_others = int((added != 0).sum()) - len(rows)
    if n_others > 0:
        # Without a bar: that of many features together would dwarf those of each.
        rows.append((f"{n_others:,} other features", 0.0, _signed(rest)))
    base, total = float(found.base[place]), float(found.predicted[0, place])
    caption = f"{found.output_names[place]}: {number(base)} before, {number(total)} after"
    return bars(caption, rows)


def _signed(value: float) -> str:
    return f"+{number(value)}" if value > 0 else number(value)


def _value(value: Any) -> str:
    if value is None or value != value:
        return "missing"
    if isinstance(value, (float, np.floating)):
        return number(float(value))
    return str(value)[:60]


def _cells(X: Any) -> list[Any]:
    """Return the values of one row."""
    if is_frame(X):
        return list(eager_frame(X).row(0))
    if sp.issparse(X):
        return list(sp.csr_array(X).toarray()[0].tolist())
    return list(np.asarray(X, object)[0].tolist())
