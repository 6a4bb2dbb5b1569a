"""Cells of ARFF: quotes, escapes, comments, what is missing, and numbers.

No file is known here: what cannot be read is a ValueError that says what was expected.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from slantwood.data.text.numbers import parse_number
from slantwood.hints import shown

MISSING = "?"

# What programs write for a number that is missing, in any case.
_NO_NUMBER = ("nan", "-nan", "+nan")

BITS = ("0", "1")

BLANKS = " \t\r\n"

# Possessive throughout: what cannot be read is found out in one pass, however long it is.
QUOTED = r"""(?:'(?:\\.|[^'\\])*+'|"(?:\\.|[^"\\])*+")"""
_IS_QUOTED = re.compile(QUOTED)
_COMMENT = re.compile(r"[ \t]%.*")
# Up to the end of a line where the closing quote lacks.
QUOTED_OR_OPEN = r"""(?:'(?:\\.|[^'\\])*+(?:'|\\?$)|"(?:\\.|[^"\\])*+(?:"|\\?$))"""
_CELL = re.compile(rf"[ \t]*+({QUOTED}|[^,'\"][^,]*+|)[ \t]*+(,|(?<=[ \t])%.*|$)")
_BETWEEN_BLANKS = re.compile(rf"[ \t]*+(?:({QUOTED})(?=[ \t]|$)|(%.*)|([^ \t,'\"]++))")

_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
# Before a cell that was empty, or a question mark, in quotes. No file has it: it is no character of UTF-8.
IN_QUOTES = "\udc00"


def split(line: str) -> list[str]:
    """Return the cells of a line, unquoted, without the comment after the last one.

    Those that were empty or a question mark in quotes are marked; `plain` takes the mark away.
    """
    if "'" in line or '"' in line:
        return list(_quoted_cells(line))
    if "%" in line:
        line = _COMMENT.sub("", line)
    line = line.replace(", ", ",")
    if " " in line or "\t" in line:
        return [cell.strip(BLANKS) for cell in line.split(",")]
    return line.split(",")


def split_between_blanks(line: str) -> list[str] | None:
    """Return the cells of a line that has blanks between them, as in `split`; None where it has commas."""
    cells, at = [], 0
    while at < len(line):
        match = _BETWEEN_BLANKS.match(line, at)
        if not match:
            return None
        if not match[2]:
            cells.append(parse_cell(match[1] or match[3]))
        at = match.end()
    return cells


def unmark(cell: str) -> str:
    """Return what a cell says."""
    return cell.removeprefix(IN_QUOTES)


def _quoted_cells(line: str) -> Iterator[str]:
    position, end = 0, ","
    while end == ",":
        match = _CELL.match(line, position)
        if not match:
            raise ValueError(f"expected a closing quote and a comma in {quote_cell(line[position:])}")
        position, end = match.end(), match[2]
        if match[1].startswith("%") and line[match.start(1) - 1] in BLANKS:
            yield ""  # behind a last comma
            return
        if comment := _COMMENT.search(match[1]) if match[1][:1] not in ("'", '"') else None:
            yield match[1][: comment.start()].rstrip(BLANKS)
            return
        yield parse_cell(match[1])


def parse_cell(token: str) -> str:
    """Return what a token says, unquoted and marked as in `split`."""
    token = token.rstrip(BLANKS)
    text = unquoted(token)
    # Without quotes the cell would count as missing.
    return IN_QUOTES + text if text in ("", MISSING) and token != text else text


def unquoted(token: str) -> str:
    """Return a token without its quotes and escapes."""
    if token[:1] not in ("'", '"') or not _IS_QUOTED.fullmatch(token):
        return token
    text = token[1:-1]
    if "\\" not in text:
        return text
    return re.sub(r"\\(.)", lambda match: _ESCAPED.get(match[1], match[1]), text)


def quote_cell(text: str) -> str:
    """Quote the beginning of a text, or of a cell, for an error."""
    if text.startswith(IN_QUOTES):
        text = f"'{unmark(text)}'"
    return shown(text)


def is_missing(cell: str) -> bool:
    """Tell whether a cell among numbers says that it is missing."""
    return cell == MISSING or cell.lower() in _NO_NUMBER


def cell_number(cell: str, too_large: float = math.inf) -> float:
    """Return the number that a cell says, NaN where it is missing; ValueError where it is none."""
    if is_missing(cell):
        return math.nan
    number = parse_number(cell)
    # Python's float also takes inf and nan in blanks.
    if number is None or not abs(number) < too_large:
        raise ValueError(cell)
    return number


def number_text(cell: str | None) -> str | None:
    """Return the text of a number as it is, for numbers that are codes; None where it is missing."""
    if cell is None:
        return None
    try:
        number = cell_number(cell)
    except ValueError:
        raise ValueError(f"{quote_cell(cell)} is not a number; expected one, or {MISSING}") from None
    return None if math.isnan(number) else cell
