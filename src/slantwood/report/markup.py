"""HTML that is safe by construction: every text is escaped unless it was made here.

Names of features, classes and rows come from anybody's data. `tag` escapes all that is not `Markup`, and only
functions of this file make `Markup`, so that no section can forget it.
"""

from __future__ import annotations

import html
import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

MINUS, DASH = "\N{MINUS SIGN}", "\N{EN DASH}"

# From these powers of ten on, numbers are written with their exponent.
_LARGE, _SMALL = 1e7, 1e-4

# Of a name.
MOST_LETTERS = 120


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def escaped(value: Any) -> Markup:
    """Return a text that means itself wherever it stands in HTML, in attributes too."""
    return value if isinstance(value, Markup) else Markup(html.escape(str(value), quote=True))


def joined(*parts: Any) -> Markup:
    """Put texts and elements one after the other."""
    return Markup("".join(map(escaped, parts)))


def tag(name: str, *children: Any, **attributes: Any) -> Markup:
    """Make an element; attributes are written `class_`, `aria_label`; those that are None are left out.

    Examples
    --------
    >>> tag("p", "1 < 2, ", tag("b", "yes"), class_="note", hidden=None)
    '<p class="note">1 &lt; 2, <b>yes</b></p>'
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escaped(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{given}>{joined(*children)}</{name}>")


def short(text: Any) -> Any:
    """Return a text, or its beginning where it is so long that a page of them would be large."""
    if isinstance(text, str) and not isinstance(text, Markup) and len(text) > MOST_LETTERS:
        return f"{text[:MOST_LETTERS]}\N{HORIZONTAL ELLIPSIS}"
    return text


def paragraph(*children: Any) -> Markup:
    """Make a paragraph."""
    return tag("p", *children)


def note(*children: Any) -> Markup:
    """Make a sentence on what is left out, and why."""
    return tag("p", *children, class_="note")


def number(value: Any) -> str:
    """Write a number as people read it: four digits, thousands apart, a dash where there is none.

    Examples
    --------
    >>> number(1234567), number(0.123456), number(float("nan")), number(-2.0)
    ('1,234,567', '0.1235', '–', '−2')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return DASH
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer() and abs(value) < _LARGE):
        text = f"{int(value):,}"
    elif abs(value) >= 1000 and abs(value) < _LARGE:
        text = f"{value:,.0f}"
    else:
        text = f"{value:.4g}" if _SMALL <= abs(value) < _LARGE else f"{value:.3g}"
    return text.replace("-", MINUS)


def share(value: float) -> str:
    """Write a share as per cent.

    Examples
    --------
    >>> share(0.5), share(0.0123), share(1e-7)
    ('50 %', '1.2 %', '< 0.01 %')
    """
    if math.isnan(value):
        return DASH
    if 0 < value < 1e-4:
        return "< 0.01 %"
    return f"{100 * value:.2g} %" if value < 0.1 else f"{100 * value:.0f} %"


def table(
    caption: str, headings: Sequence[str], rows: Iterable[Sequence[Any]], *, sortable: bool = True
) -> Markup:
    """Make a table whose first column names the rows; numbers are flush right, and the script sorts them."""
    rows = list(rows)
    of_numbers = [all(_is_number(row[column]) for row in rows) for column in range(len(headings))]
    head = tag("tr", *map(_heading, headings, of_numbers))
    lines = [tag("tr", tag("th", short(row[0]), scope="row"), *map(_cell, row[1:])) for row in rows]
    content = tag(
        "table",
        tag("caption", caption),
        tag("thead", head),
        tag("tbody", *lines),
        class_="sortable" if sortable else None,
    )
    return tag("div", content, class_="scroll", role="region", aria_label=caption, tabindex="0")


def _heading(heading: str, of_numbers: bool) -> Markup:
    return tag("th", heading, scope="col", class_="n" if of_numbers else None)


def _cell(value: Any) -> Markup:
    return tag("td", number(value), class_="n") if _is_number(value) else tag("td", value)


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def fields(rows: Iterable[tuple[str, Any]]) -> Markup:
    """Make a list of names, and of what there is to say about each."""
    return tag("dl", *(joined(tag("dt", name), tag("dd", value)) for name, value in rows))


def bar(part: float, *, negative: bool = False, spread: float = 0.0) -> Markup:
    """Make a bar whose length is a share of the room that it has, with a whisker about its end."""
    width = f"width:{100 * min(max(part, 0.0), 1.0):.1f}%"
    kind = "fill minus" if negative else "fill"
    parts = [tag("span", class_=kind, style=width)]
    if spread > 0:
        low, high = (min(max(part + side * spread, 0.0), 1.0) for side in (-1.0, 1.0))
        place = f"left:{100 * low:.1f}%;width:{100 * (high - low):.1f}%"
        parts.append(tag("span", class_="whisker", style=place))
    return tag("span", *parts, class_="bar", aria_hidden="true")


def bars(caption: str, rows: Sequence[tuple[Any, float, Any]]) -> Markup:
    """Make a bar chart: a name, a length relative to the longest, and the text of the value."""
    largest = max((abs(value) for _, value, _ in rows), default=0.0) or 1.0
    lines = [
        tag(
            "tr",
            tag("th", short(name), scope="row"),
            tag("td", bar(abs(value) / largest, negative=value < 0), class_="b"),
            tag("td", text, class_="n"),
        )
        for name, value, text in rows
    ]
    return tag("table", tag("caption", caption), tag("tbody", *lines), class_="bars")


def embedded_json(identifier: str, document: Any) -> Markup:
    """Make a block of data for the script, from which no text can get out.

    Letters beyond ASCII are escaped, the separators U+2028 and U+2029 among them, and so are the three that
    mean something in HTML: no name can end the block.
    """
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return Markup(f'<script type="application/json" id="{escaped(identifier)}">{text}</script>\n')
