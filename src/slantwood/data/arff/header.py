"""The header of an ARFF file: attributes, and the kinds of columns that they become.

What an attribute is for is not known here: types of other programs are columns with a parser of their own.
Every error says the file, the line and what was expected there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from slantwood.data.arff.source import Source
from slantwood.data.arff.syntax import BITS, MISSING, QUOTED, parse_cell, quote_cell, unmark, unquoted
from slantwood.data.names import deduplicate
from slantwood.hints import shown

_RELATION = re.compile(r"@relation(?:[ \t]++(.*))?", re.IGNORECASE)
_ATTRIBUTE = re.compile(rf"@attribute[ \t]++({QUOTED}|[^ \t'\"][^ \t]*+)[ \t]++(.+)", re.IGNORECASE)
_DATA = re.compile(r"@data[ \t]*+(?:%.*)?", re.IGNORECASE)
# Some programs add the range of the numbers, which none checks.
_NUMERIC = re.compile(
    r"(?:numeric|real|integer)[ \t]*+(?:[\[(][^\[\](){}]*+[\])][ \t]*+)?(?:%.*)?", re.IGNORECASE
)
_STRING = re.compile(r"string[ \t]*+(?:%.*)?", re.IGNORECASE)
_DATE = re.compile(rf"date(?:[ \t]++(?:{QUOTED}|[^ \t'\"%]++))?[ \t]*+(?:%.*)?", re.IGNORECASE)
_RELATIONAL = re.compile(r"relational\b.*", re.IGNORECASE)
_NO_VALUES = re.compile(r"\{[ \t]*+\}")
_VALUE = re.compile(rf"[ \t]*+({QUOTED}|[^,}}'\"][^,}}]*+|)[ \t]*+([,}}])")
_AT_THE_END = re.compile(r"[ \t]*+(?:%.*)?")


@dataclass(frozen=True)
class Attribute:
    """A line of the header: a name, and a type that nobody has looked at."""

    name: str
    type: str
    line: int

    def error(self, source: Source, problem: str) -> ValueError:
        """Make an error that names the attribute, its file and its line."""
        return source.error(f"attribute {shown(self.name)} {problem}", self.line)


@dataclass(frozen=True)
class Header:
    """What stands above the rows: the name of the table, and attributes, whose names all differ."""

    relation: str
    attributes: list[Attribute]

    @property
    def names(self) -> list[str]:
        """The names of the attributes."""
        return [attribute.name for attribute in self.attributes]


def read_header(source: Source) -> Header:
    """Read the attributes, up to and with the line ``@data``."""
    relation = ""
    found: list[Attribute] = []
    for line in source:
        if _DATA.fullmatch(line):
            names = deduplicate(attribute.name for attribute in found)
            renamed = [replace(each, name=name) for each, name in zip(found, names, strict=True)]
            return Header(relation, renamed)
        if match := _ATTRIBUTE.fullmatch(line):
            found.append(Attribute(unquoted(match[1]), match[2], source.line))
            if _RELATIONAL.fullmatch(match[2]):
                problem = "is relational: its cells are tables"
                raise found[-1].error(
                    source, f"{problem}; expected numeric, real, integer, or values in braces"
                )
        elif match := _RELATION.fullmatch(line):
            relation = unquoted(match[1] or "")
        else:
            raise source.error(f"expected '@attribute <name> <type>' or @data, found {quote_cell(line)}")
    raise source.error("the file ends here; expected @data and rows after the attributes")


@dataclass(frozen=True)
class Number:
    """A column of numbers.

    Those that are exact are kept in double precision; a column of bits has the declared values 0 and 1 only.
    """

    exact: bool = False
    of_bits: bool = False


@dataclass(frozen=True)
class Nominal:
    """A column of some of these values."""

    values: tuple[str, ...]


@dataclass(frozen=True)
class Parsed:
    """A column with a parser of its own, which raises ValueError for a cell that is wrong.

    The parser gets None for a cell that is missing. `absent` is what a cell says that a sparse row leaves
    out, or None where that is an error.
    """

    parse: Callable[[str | None], Any]
    absent: str | None = None


@dataclass(frozen=True)
class Skipped:
    """A column that is not stored, of any type."""


Column = Number | Nominal | Parsed | Skipped


def column_of(
    source: Source, attribute: Attribute, *, exact: bool = False, bits_are_numbers: bool = False
) -> Column:
    """Return the column of an attribute of numbers or values; texts and dates are errors."""
    if is_numeric(attribute):
        return Number(exact)
    values = _declared_values(source, attribute)
    if values == BITS and bits_are_numbers:
        return Number(of_bits=True)
    if values is None:
        name = shown(attribute.name)
        every = ", or all texts and dates with drop_text=True" * is_text_or_date(attribute)
        texts = f", or take its texts as values with nominal=[{name}]" * is_text(attribute)
        raise attribute.error(
            source,
            f"has the type {quote_cell(attribute.type)}; expected numeric, real, integer, or values in "
            f"braces. Leave the column out with drop=[{name}]{every}{texts}",
        )
    for value, count in Counter(values).items():
        if count > 1:
            raise attribute.error(source, f"has the value {shown(value)} twice")
    return Nominal(values)


def is_numeric(attribute: Attribute) -> bool:
    """Tell whether an attribute has numbers."""
    return bool(_NUMERIC.fullmatch(attribute.type))


def is_text(attribute: Attribute) -> bool:
    """Tell whether an attribute has any texts."""
    return bool(_STRING.fullmatch(attribute.type))


def is_text_or_date(attribute: Attribute) -> bool:
    """Tell whether an attribute has what no tree can use: any texts, or dates."""
    return is_text(attribute) or bool(_DATE.fullmatch(attribute.type))


def _declared_values(source: Source, attribute: Attribute) -> tuple[str, ...] | None:
    """Return the values in braces, or None where the type is something else."""
    declared = attribute.type
    if not declared.startswith("{"):
        return None
    none = _NO_VALUES.match(declared)
    at, end = (none.end(), "}") if none else (1, ",")
    values: list[str] = []
    while end == ",":
        match = _VALUE.match(declared, at)
        if not match:
            return None
        value = parse_cell(match[1])
        at, end = match.end(), match[2]
        if not value and values and end == "}":  # behind a last comma
            continue
        if value in ("", MISSING):
            raise attribute.error(
                source,
                f"has the value {value!r}; expected values that are neither empty nor {MISSING!r}, which "
                "marks a missing cell; in quotes they may be so",
            )
        values.append(unmark(value))
    return tuple(values) if _AT_THE_END.fullmatch(declared, at) else None
