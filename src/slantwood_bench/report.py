"""One page with everything the study found: a single HTML file that needs nothing else."""

from __future__ import annotations

import base64
import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from slantwood_bench.files import write_whole
from slantwood_bench.tables.table import Table, Value, is_number

_TEMPLATE = Path(__file__).with_name("report.html.jinja")
_KINDS = {".svg": "image/svg+xml", ".png": "image/png"}
# As figures are saved, and as a browser counts.
_DOTS_PER_INCH, _PIXELS_PER_INCH, _POINTS_PER_INCH = 150, 96, 72
_LONG = 24  # letters of a text that may fill several lines
_NOTHING = "\N{EN DASH}"


@dataclass(frozen=True)
class Figure:
    """A picture on the page.

    Attributes
    ----------
    path : Path
        An SVG or PNG file.
    alt : str
        What it shows, for those who cannot see it.
    caption : str
        What stands below it.
    """

    path: Path
    alt: str
    caption: str = ""


@dataclass(frozen=True)
class Section:
    """A part of the page.

    Attributes
    ----------
    title : str
        Its heading.
    paragraphs : tuple of str
        Text before all else.
    figures : tuple of Figure
        Pictures, before the tables.
    tables : tuple of Table
        Tables.
    parts : tuple of Section
        Sections within it; these have no further ones.
    """

    title: str
    paragraphs: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    parts: tuple[Section, ...] = ()


def tables_of(sections: Sequence[Section]) -> Iterator[Table]:
    """Go through all tables of some sections and of the sections within them."""
    for section in sections:
        yield from section.tables
        yield from tables_of(section.parts)


def write(
    path: str | PathLike[str],
    sections: Sequence[Section],
    environment: Mapping[str, str],
    title: str = "The slantwood study",
) -> None:
    """Write the page, whole or not at all.

    Parameters
    ----------
    path : str or path
        The HTML file.
    sections : sequence of Section
        What is on it.
    environment : mapping of str to str
        Date, command, machine and the like, by name; below all else, and the first few at the top.
    title : str
        Its title.

    Raises
    ------
    ImportError
        If Jinja is not installed.
    """
    try:
        from jinja2 import Environment, StrictUndefined
    except ImportError as error:
        raise ImportError(
            "the report needs jinja2; install it with: pip install 'slantwood[study]'"
        ) from error
    jinja = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    jinja.globals.update(picture=_picture, cells=_cells, anchor=_anchor)
    template = jinja.from_string(_TEMPLATE.read_text(encoding="utf-8"))
    page = template.render(title=title, sections=sections, environment=environment)
    write_whole(Path(path), page.encode())


class Cell(NamedTuple):
    """What a cell shows, the number to sort it by, and how it is to look."""

    text: str
    number: str
    style: str


def _cells(table: Table) -> list[list[Cell]]:
    decimals = (
        table.decimals if isinstance(table.decimals, tuple) else (table.decimals,) * len(table.headings)
    )
    return [
        [
            _cell(value, decimals[column], column in table.left, (line, column) in table.best)
            for column, value in enumerate(row)
        ]
        for line, row in enumerate(table.rows)
    ]


def _cell(value: Value, decimals: int | None, is_text: bool, is_best: bool) -> Cell:
    if is_number(value):
        return Cell(shown(value, decimals), repr(value), "number best" if is_best else "number")
    text = value if isinstance(value, str) else _NOTHING
    if not is_text:
        return Cell(text, "", "number unfinished")
    return Cell(text, "", "text long" if len(text) > _LONG else "text")


def shown(value: int | float, decimals: int | None) -> str:
    """Return a number for humans: with so many decimals, or None for three digits that count.

    Examples
    --------
    >>> from slantwood_bench.report import shown
    >>> [shown(value, None) for value in (1803069, 1234.5, 12.345, 4.0, 0.0123)]
    ['1,803,069', '1,234', '12.3', '4.00', '0.0123']
    >>> shown(0.98765, 3)
    '0.988'
    """
    if isinstance(value, int):
        text = f"{value:,}"
    elif decimals is not None:
        text = f"{value:,.{decimals}f}"
    else:
        text = f"{value:,.0f}" if abs(value) >= 99.95 else f"{value:#.3g}"
    return text.replace("-", "\N{MINUS SIGN}")


def _picture(figure: Figure) -> dict[str, Any]:
    """Return the source and the size in pixels of a picture, which is not a part of the page's own tree.

    So its style sheet, names and scripts cannot touch the page.
    """
    content = figure.path.read_bytes()
    kind = _KINDS.get(figure.path.suffix.lower())
    if kind is None:
        raise ValueError(f"path={str(figure.path)!r} ends in {figure.path.suffix!r}; expected .svg or .png")
    size = _svg_size(content) if kind == "image/svg+xml" else _png_size(content)
    return {
        "source": f"data:{kind};base64,{base64.b64encode(content).decode()}",
        "width": round(size[0]),
        "height": round(size[1]),
    }


def _svg_size(content: bytes) -> tuple[float, float]:
    # matplotlib draws in points.
    found = re.search(rb'viewBox="[-0-9.]+ [-0-9.]+ ([0-9.]+) ([0-9.]+)"', content)
    if found is None:
        raise ValueError("an SVG figure has no viewBox, so its size is unknown; save it with matplotlib")
    scale = _PIXELS_PER_INCH / _POINTS_PER_INCH
    return float(found[1]) * scale, float(found[2]) * scale


def _png_size(content: bytes) -> tuple[float, float]:
    width, height = struct.unpack(">II", content[16:24])
    scale = _PIXELS_PER_INCH / _DOTS_PER_INCH
    return width * scale, height * scale


def _anchor(*titles: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", " ".join(titles).lower()).strip("-")
