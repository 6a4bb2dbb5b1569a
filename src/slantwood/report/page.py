"""The page: sections in order, in one file that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.resources import files
from string import Template

from slantwood.evaluation.scores import Scores
from slantwood.report.calibration import calibration_section
from slantwood.report.data_summary import data_section
from slantwood.report.examples import examples_section
from slantwood.report.facts import summary_rows
from slantwood.report.importances import importances_section
from slantwood.report.markup import Markup, escaped, fields, joined, number, tag
from slantwood.report.quality import main_measures, quality_of, quality_section
from slantwood.report.section import Section
from slantwood.report.settings import settings_section
from slantwood.report.sizes import sizes_section
from slantwood.report.subject import Subject
from slantwood.report.trees import trees_section


def page(subject: Subject) -> str:
    """Return the report as HTML."""
    found = quality_of(subject)
    sections = list(_sections(subject, found))
    title = f"{type(subject.model).__name__}, {subject.task}"
    script = _text("page.js")
    return Template(_text("page.html")).substitute(
        title=escaped(title),
        style=_text("page.css"),
        script=script,
        # Nothing but this very script may run, whatever stands in the names of features.
        policy=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        date=escaped(datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")),
        summary=_summary(subject, main_measures(found)),
        links=joined(*(tag("li", tag("a", each.title, href=f"#{each.anchor}")) for each in sections)),
        sections=joined(
            *(tag("section", tag("h2", each.title), each.content, id=each.anchor) for each in sections)
        ),
    )


def _sections(subject: Subject, found: Scores | None) -> Iterator[Section]:
    yield data_section(subject)
    yield quality_section(subject, found)
    yield importances_section(subject)
    yield calibration_section(subject)
    yield examples_section(subject)
    yield trees_section(subject)
    yield settings_section(subject)
    yield sizes_section(subject)


def _summary(subject: Subject, measures: list[tuple[str, float]]) -> Markup:
    tiles = [
        tag("div", tag("b", number(value)), tag("span", name), class_="tile") for name, value in measures
    ]
    return joined(tag("div", *tiles, class_="tiles") if tiles else "", fields(summary_rows(subject.model)))


def _text(name: str) -> str:
    return files("slantwood.report").joinpath(name).read_text(encoding="utf-8")
