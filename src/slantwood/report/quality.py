"""Section: how well the model predicts the rows given, by the measures of its task."""

from __future__ import annotations

from typing import Any

import numpy as np

from slantwood.evaluation.measure_names import measure_name
from slantwood.evaluation.scores import Scores, scored_rows, scores
from slantwood.report.confusion import confusion
from slantwood.report.facts import output_noun
from slantwood.report.markup import Markup, joined, note, paragraph, table, tag
from slantwood.report.plots import scatter
from slantwood.report.section import Section
from slantwood.report.subject import Subject
from slantwood.task_names import CLASS_TASKS, NUMBER_TASKS

# Rows of the table by label.
MOST_LABELS = 1000

# Measures on the first page.
N_MAIN = 3


def quality_section(subject: Subject, found: Scores | None) -> Section:
    """Show the measures of all targets together, and those of each."""
    return Section("quality", "Quality", _content(subject, found))


def quality_of(subject: Subject) -> Scores | None:
    """Score the rows given; None where there are none."""
    return None if subject.truth is None else scores(subject.model, subject.X, subject.truth)


def main_measures(found: Scores | None) -> list[tuple[str, float]]:
    """Return the first measures of a task and their values."""
    if found is None:
        return []
    return [(measure_name(name), value) for name, value in list(found.together.items())[:N_MAIN]]


def _content(subject: Subject, found: Scores | None) -> Markup:
    if found is None:
        need = "X and y of rows that the model did not see" if subject.X is None else "y of these rows"
        return note(f"Nothing was measured: give the report {need}.")
    n_scored = int(scored_rows(subject.model, subject.truth).sum())
    known = f", {n_scored:,} of them with a known target" * (n_scored < subject.n_rows)
    parts: list[Any] = [
        paragraph(
            f"Measured on the {subject.n_rows:,} rows given{known}. This tells how good the model is only if "
            "it did not learn from them."
        )
    ]
    parts += [note(f"{sentence[:1].upper()}{sentence[1:]}.") for sentence in found.notes]
    if found.positive is not None:
        parts.append(paragraph("F1 and AUC are of class ", tag("b", found.positive), "."))
    together = [[measure_name(name), value] for name, value in found.together.items()]
    parts.append(table("All together", ["measure", "value"], together, sortable=False))
    if subject.task in CLASS_TASKS:
        parts.append(confusion(subject))
    if subject.task in NUMBER_TASKS:
        parts.append(scatter(subject))
    return joined(*parts, _each(subject, found))


def _each(subject: Subject, found: Scores) -> Markup:
    if len(found.each) < 2:
        return joined()
    names = sorted(found.each, key=lambda name: -found.each[name].get("rows", 0))[:MOST_LABELS]
    measures = list(dict.fromkeys(measure for name in names for measure in found.each[name]))
    rows = [[name, *(_value(found.each[name].get(measure)) for measure in measures)] for name in names]
    noun = output_noun(subject.task, 1)
    content = table(f"Each {noun}", [noun, *map(measure_name, measures)], rows)
    left_out = len(found.each) - len(names)
    said = f"The {len(names):,} most frequent of {len(found.each):,}; {left_out:,} are left out."
    return joined(note(said) if left_out else "", content)


def _value(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
