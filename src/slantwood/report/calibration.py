"""Section: whether probabilities are met."""

from __future__ import annotations

import numpy as np
from sklearn.utils import _safe_indexing

from slantwood.explain import calibration
from slantwood.report.markup import Markup, joined, note, number, paragraph
from slantwood.report.plots import reliability
from slantwood.report.section import Section
from slantwood.report.subject import Subject
from slantwood.task_names import NUMBER_TASKS, SEVERAL_TASKS

# Probabilities that are compared at the most.
_MOST_CELLS = 5_000_000


def calibration_section(subject: Subject) -> Section:
    """Draw the reliability curve of the rows given."""
    return Section("calibration", "Calibration", _content(subject))


def _content(subject: Subject) -> Markup:
    if not subject.has_trees:
        return note("The scores of label trees put labels in order; they are no probabilities.")
    if subject.task in NUMBER_TASKS:
        return note("Numbers have no probabilities; slantwood.explain.conformal gives intervals for them.")
    if subject.task in SEVERAL_TASKS:
        return note("Not there for several targets with classes of their own.")
    if subject.truth is None:
        return note("This needs rows that the model did not see, with their targets.")
    X, y, remark = subject.X, subject.truth, joined()
    most = max(1, _MOST_CELLS // max(len(subject.output_names), 1))
    if subject.n_rows > most:
        rows = np.linspace(0, subject.n_rows - 1, most).astype(int)
        X, y = _safe_indexing(X, rows), y[rows]
        remark = note(f"Of {subject.n_rows:,} rows, {most:,} are compared, evenly spaced.")
    found = calibration(subject.model, X, y)
    said = paragraph(
        "Of all that is said to be 70 % probable, 70 % should come true: points on the dashed line are met. "
        "Larger points stand for more probabilities. "
        f"Brier score {number(found.brier)}, expected calibration error {number(found.expected_error)}."
    )
    return joined(said, reliability(found), remark)
