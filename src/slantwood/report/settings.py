"""Section: the settings in use, and why they are these."""

from __future__ import annotations

from slantwood.report.markup import Markup, joined, note, table
from slantwood.report.reasons import DEFAULT, settings_with_reasons
from slantwood.report.section import Section
from slantwood.report.subject import Subject


def settings_section(subject: Subject) -> Section:
    """Say which settings the model has, and why."""
    return Section("settings", "Settings", _content(subject))


def _content(subject: Subject) -> Markup:
    if not subject.has_trees:
        given = subject.model.get_params(deep=False)
        rows = [[name, repr(value)[:200]] for name, value in given.items()]
        return table("Parameters", ["parameter", "value"], rows)
    found = settings_with_reasons(subject.model)
    rows = [[each.name, _written(each.value), each.why] for each in found]
    remark = "What was not given was chosen by the data, never by the container they came in."
    more = note(remark) if any(each.why != DEFAULT for each in found) else ""
    return joined(more, table("Settings in use", ["setting", "value", "why"], rows))


def _written(value: object) -> str:
    return value[:400] if isinstance(value, str) else repr(value)[:400]
