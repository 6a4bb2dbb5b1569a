"""Section: what the rows are, or, where none were given, what the model knows of its training rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from slantwood.features.frames import Table, missing_cells
from slantwood.hints import pluralize
from slantwood.report.facts import features_in_words, knows_rows, output_noun, outputs_in_words
from slantwood.report.markup import Markup, bars, fields, joined, note, number, paragraph, share, table, tag
from slantwood.report.section import Section
from slantwood.report.subject import Subject
from slantwood.report.training_means import training_means
from slantwood.task_names import CLASS_TASKS, LABEL_TASKS, NUMBER_TASKS

# Rows of tables, and bars.
MOST_FEATURES = 200
_MOST_BARS = 20


def data_section(subject: Subject) -> Section:
    """Say what the data are: types, missing values, how frequent labels are."""
    parts = [_given(subject)] if subject.X is not None else [_not_given(subject)]
    parts += [_features(subject)]
    parts += [_targets_given(subject) if subject.truth is not None else _targets_known(subject)]
    return Section("data", "Data", joined(*parts))


def _given(subject: Subject) -> Markup:
    matrix = subject.encoded
    n_cells = max(matrix.shape[0] * matrix.shape[1], 1)
    stored = matrix.data if sp.issparse(matrix) else matrix
    n_missing, n_nonzero = int(np.isnan(stored).sum()), int(np.count_nonzero(stored))
    rows: list[tuple[str, Any]] = [
        ("rows", f"{subject.n_rows:,} that were given for this report"),
        ("features", features_in_words(subject.model)),
        ("form", f"{'sparse' if sp.issparse(matrix) else 'dense'}, {share(n_nonzero / n_cells)} not zero"),
        ("missing", share(n_missing / n_cells) if n_missing else "none"),
    ]
    return fields(rows)


def _not_given(subject: Subject) -> Markup:
    rows = [
        ("features", features_in_words(subject.model)),
        (output_noun(subject.task), outputs_in_words(subject.model)),
    ]
    sentence = "No rows were given; this is what the model knows of those that it learned from."
    return joined(note(sentence), fields(rows))


# ---- features


class _Column(NamedTuple):
    """What the values of a feature are, NaN where it is not known."""

    missing: float
    low: float
    mean: float
    high: float


def _features(subject: Subject) -> Markup:
    order = np.argsort(-subject.importances, kind="stable")[:MOST_FEATURES].tolist()
    encoding = subject.model.encoding_
    nominal = {column: k for k, column in enumerate(encoding.nominal)}
    place = {column: k for k, column in enumerate(encoding.numbers)}
    source = Table(subject.X) if nominal and subject.X is not None else None
    columns = _columns(subject, {j: place[j] for j in order if j in place})
    rows = []
    for j in order:
        if j in nominal:
            n_values = len(encoding.categories[nominal[j]])
            missing = float("nan") if source is None else float(missing_cells(source.read(j)).mean())
            kind, column = f"{n_values:,} categories", _Column(missing, *[float("nan")] * 3)
        else:
            kind, column = "number", columns.get(j, _Column(*[float("nan")] * 4))
        row = [subject.feature_names[j], kind]
        row += [float(subject.importances[j])] if subject.has_trees else []
        rows.append(row if subject.X is None else [*row, share(column.missing), *column[1:]])
    headings = ["feature", "type", *(["importance"] if subject.has_trees else [])]
    if subject.X is not None:
        headings += ["missing", "least", "mean", "largest"]
    n_features = len(subject.feature_names)
    left_out = n_features - len(rows)
    said = f"The {len(rows):,} most important of {n_features:,} features; {left_out:,} are left out."
    shown = table("Features", headings, rows)
    return joined(note(said) if left_out else "", _folded("Features", shown))


def _columns(subject: Subject, places: dict[int, int]) -> dict[int, _Column]:
    """Return what the rows given hold, of features by their positions in the encoded matrix."""
    if subject.X is None:
        return {}
    chosen = subject.encoded[:, list(places.values())]
    chosen = sp.csc_array(chosen) if sp.issparse(chosen) else chosen
    return {j: _column(chosen[:, [k]]) for k, j in enumerate(places)}


def _column(column: Any) -> _Column:
    values = (column.toarray() if sp.issparse(column) else column).ravel()
    known = values[~np.isnan(values)].astype(np.float64)
    missing = 1.0 - len(known) / max(len(values), 1)
    if not len(known):
        return _Column(missing, *[float("nan")] * 3)
    return _Column(missing, float(known.min()), float(known.mean()), float(known.max()))


def _folded(title: str, content: Markup) -> Markup:

    return tag("details", tag("summary", title), content)


# ---- targets


def _targets_given(subject: Subject) -> Markup:
    truth = subject.truth
    if subject.task in NUMBER_TASKS:
        return _numbers(subject, truth)
    if subject.task in LABEL_TASKS:
        counts = np.asarray(truth.sum(axis=0)).ravel().astype(float)
        per_row = float(counts.sum()) / max(subject.n_rows, 1)
        none = int((counts == 0).sum())
        said = f"A row has {number(round(per_row, 2))} labels on average"
        said += f"; {pluralize(none, 'label')} of {len(counts):,} are in no row." if none else "."
        return joined(paragraph(said), _frequencies(subject, counts))
    if subject.task in CLASS_TASKS:
        known = [str(each) for each in truth.tolist() if each is not None and each == each]
        counted = dict(zip(*np.unique(known, return_counts=True), strict=True))
        return _frequencies(subject, np.array([float(counted.get(name, 0)) for name in subject.output_names]))
    rows = [[name, _known(column), len(set(map(str, column.tolist())))] for name, column in truth.items()]
    return table("Targets", ["target", "known", "distinct values"], rows)


def _known(column: np.ndarray) -> int:
    return sum(value is not None and value == value for value in column.tolist())


def _numbers(subject: Subject, truth: np.ndarray) -> Markup:
    rows = []
    for name, column in list(zip(subject.output_names, truth.T, strict=True))[:MOST_FEATURES]:
        known = column[~np.isnan(column)]
        of_known = (known.mean(), known.std(), known.min(), known.max()) if len(known) else [float("nan")] * 4
        rows.append([name, len(known), *map(float, of_known)])
    headings = ["target", "rows", "mean", "standard deviation", "least", "largest"]
    return table("Targets in the rows given", headings, rows)


def _frequencies(subject: Subject, counts: np.ndarray) -> Markup:
    order = np.argsort(-counts, kind="stable")[:_MOST_BARS].tolist()
    total = max(subject.n_rows, 1)
    noun = output_noun(subject.task)
    rows = [
        (subject.output_names[j], counts[j], f"{number(int(counts[j]))} ({share(counts[j] / total)})")
        for j in order
    ]
    left_out = len(counts) - len(rows)
    caption = f"How many rows have {'the most frequent ' if left_out else 'these '}{noun}"
    more = note(f"{left_out:,} other {noun} are left out here; the table of quality has more.")
    return joined(bars(caption, rows), more if left_out else "")


def _targets_known(subject: Subject) -> Markup:
    """Say what the model knows of the targets of its training rows."""
    if subject.task in NUMBER_TASKS:
        targets = subject.model.targets_
        known = zip(subject.output_names, targets.low.tolist(), targets.high.tolist(), strict=True)
        rows = [[name, low, high] for name, low, high in known if np.isfinite(low)][:MOST_FEATURES]
        return table("Targets in the training rows", ["target", "least", "largest"], rows)
    if not subject.has_trees or subject.is_boosted or not knows_rows(subject.model):
        return note("How frequent classes or labels were in training, this model does not keep.")
    means = training_means(subject.model)
    if means is None:
        return joined()
    order = np.argsort(-means, kind="stable")[:_MOST_BARS].tolist()
    lengths = [(subject.output_names[j], float(means[j]), share(float(means[j]))) for j in order]
    return bars(f"Share of the training rows that have these {output_noun(subject.task)}", lengths)
