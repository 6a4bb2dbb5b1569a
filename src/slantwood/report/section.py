"""A section of the page."""

from __future__ import annotations

from typing import NamedTuple

from slantwood.report.markup import Markup


class Section(NamedTuple):
    """What stands under one heading."""

    anchor: str
    title: str
    content: Markup
