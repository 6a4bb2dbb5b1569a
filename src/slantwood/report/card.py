"""A fitted model as a card for notebooks: the short description, above scikit-learn's own diagram."""

from __future__ import annotations

from typing import Any

from slantwood.report.facts import summary_rows, top_features
from slantwood.report.markup import Markup, joined, number, tag
from slantwood.report.reasons import DEFAULT, settings_with_reasons
from slantwood.report.subject import Subject

_MOST_FEATURES = 5

# Colours follow the notebook's, light or dark.
_BOX = "border:1px solid currentColor;border-radius:6px;padding:.5em .9em;margin:.3em 0;max-width:46em"
_CELL = "text-align:left;padding:.1em .8em .1em 0;background:none;border:none"


def card(model: Any) -> Markup:
    """Return a fitted model as HTML for a cell of a notebook."""
    subject = Subject(model, None, None)
    rows, more = summary_rows(model), joined()
    if subject.has_trees:
        best = ", ".join(f"{name} {number(share)}" for name, share in top_features(model, _MOST_FEATURES))
        rows.append(("most important", best or "none"))
        settings = [each for each in settings_with_reasons(model) if each.why != DEFAULT]
        table = _table([(each.name, f"{each.value} ({each.why})") for each in settings])
        more = tag("details", tag("summary", "settings and why"), table)
    name = tag("b", type(model).__name__)
    return tag("div", name, _table(rows), more, style=_BOX, class_="slantwood-card")


def _table(rows: list[tuple[str, str]]) -> Markup:
    lines = [
        tag("tr", tag("th", name, scope="row", style=_CELL), tag("td", value, style=_CELL))
        for name, value in rows
    ]
    return tag("table", tag("tbody", *lines), style="border:none;margin:.3em 0")
