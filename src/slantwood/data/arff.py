"""The text format ARFF: lines, cells, and a header whose attributes become columns of some kind.

What an attribute is for is not known here: types of other programs are columns with a parser of their own.
Every error says the file, the line and what was expected there.
"""

from __future__ import annotations

import io
import math
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import IO, Any, TypeVar

from slantwood.data import files
from slantwood.data.limits import Limit
from slantwood.data.names import told_apart
from slantwood.hints import shown, stacklevel_of_user

_Line = TypeVar("_Line", str, bytes)

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
_QUOTED_OR_COMMENT = re.compile(rf"({QUOTED_OR_OPEN})|(?:^|(?<=[ \t]))%.*", re.DOTALL)
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
_CELL = re.compile(rf"[ \t]*+({QUOTED}|[^,'\"][^,]*+|)[ \t]*+(,|(?<=[ \t])%.*|$)")
_BETWEEN_BLANKS = re.compile(rf"[ \t]*+(?:({QUOTED})(?=[ \t]|$)|(%.*)|([^ \t,'\"]++))")
_AT_THE_END = re.compile(r"[ \t]*+(?:%.*)?")

_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
# Before a cell that was empty, or a question mark, in quotes. No file has it: it is no character of UTF-8.
IN_QUOTES = "\udc00"


class Source:
    """The lines of a file that say something: no blank ones, no comments, no blanks around them.

    Iterating goes on where it stopped. `line` is the number of the line that was read last, and `notices` are
    what the user has to hear of how the file was understood. `limit` is the memory that it may take.

    Lines that are not UTF-8 are taken as Latin-1, which all bytes are; an `encoding` that is given must fit.
    """

    def __init__(self, limit: Limit, file: IO[bytes], encoding: str | None = None) -> None:
        self.path, self.limit = limit.path, limit
        self.line = 0
        self.notices: list[str] = []
        self._lines = self._read(file) if encoding is None else self._read_encoded(file, encoding)

    def __iter__(self) -> Iterator[str]:
        return self._lines

    def error(self, message: str, line: int | None = None) -> ValueError:
        """Make an error that names the file and a line, the one read last unless told."""
        # In an empty file no line was read.
        return ValueError(f"{self.path}, line {max(1, self.line) if line is None else line}: {message}")

    def _read(self, file: IO[bytes]) -> Iterator[str]:
        for raw in self._raw_lines(file):
            self.line += 1
            try:
                # Some editors put a mark of the encoding at the start of a file.
                line = raw.decode("utf-8-sig" if self.line == 1 else "utf-8").strip(BLANKS)
            except UnicodeDecodeError:
                line = self._as_latin(raw).strip(BLANKS)
            if line and not line.startswith("%"):
                yield line

    def _as_latin(self, raw: bytes) -> str:
        text = raw.decode("latin-1")
        said = _QUOTED_OR_COMMENT.sub(lambda match: match[1] or "", text)
        if not self.notices and not _is_text(said.encode("latin-1")):
            self.notices.append(
                f"{self.path}, line {self.line}: these bytes are not UTF-8, and such lines are read as "
                "latin-1; give encoding, as encoding='cp1252', if they are in another"
            )
        return text

    def _read_encoded(self, file: IO[bytes], encoding: str) -> Iterator[str]:
        # Not line by line: in some encodings the end of a line is more than one byte.
        with io.TextIOWrapper(file, encoding, newline="\n") as lines:
            try:
                for text in self._raw_lines(lines):
                    self.line += 1
                    line = text.strip(BLANKS + "\ufeff" * (self.line == 1))
                    if line and not line.startswith("%"):
                        yield line
            except UnicodeError as error:
                raise self.error(
                    f"some bytes after this line are no text in {encoding} ({error.args[-1]}); give another "
                    "encoding"
                ) from error

    def _raw_lines(self, file: Iterable[_Line]) -> Iterator[_Line]:
        try:
            yield from file
        except Exception as error:
            damaged = files.decompression_error(self.path, error, f", line {self.line}")
            if damaged is None:
                raise
            raise damaged from error


def _is_text(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def check_encoding(encoding: str | None) -> None:
    """Refuse what is no encoding of text."""
    if encoding is not None and not isinstance(encoding, str):
        raise TypeError(f"encoding={shown(encoding)} must be a name, as 'cp1252', or None")
    try:
        "a".encode(encoding or "utf-8")
    except (LookupError, ValueError) as error:
        raise ValueError(
            f"encoding={shown(encoding)} is no encoding of text; expected one as 'cp1252'"
        ) from error


def warn_of(source: Source) -> None:
    """Tell the user how a file was understood."""
    for notice in source.notices:
        warnings.warn(notice, stacklevel=stacklevel_of_user())


@contextmanager
def opened(
    path: str | PathLike[str], encoding: str | None = None, max_memory: int | None = None
) -> Iterator[Source]:
    """Open a text file, decompressed."""
    check_encoding(encoding)
    with files.opened(path, max_memory) as file:
        yield Source(Limit.of(Path(path), max_memory), file, encoding)


@dataclass(frozen=True)
class Attribute:
    """A line of the header: a name, and a type that nobody has looked at."""

    name: str
    type: str
    line: int


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
            names = told_apart(attribute.name for attribute in found)
            return Header(
                relation, [replace(each, name=name) for each, name in zip(found, names, strict=True)]
            )
        if match := _ATTRIBUTE.fullmatch(line):
            found.append(Attribute(_unquoted(match[1]), match[2], source.line))
            if _RELATIONAL.fullmatch(match[2]):
                raise source.error(
                    f"attribute {shown(found[-1].name)} is relational: its cells are tables; expected "
                    "numeric, real, integer, or values in braces"
                )
        elif match := _RELATION.fullmatch(line):
            relation = _unquoted(match[1] or "")
        else:
            raise source.error(f"expected '@attribute <name> <type>' or @data, found {short(line)}")
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


def column(
    source: Source, attribute: Attribute, *, exact: bool = False, bits_are_numbers: bool = False
) -> Column:
    """Return the column of an attribute of numbers or values; texts and dates are errors."""
    if is_numeric(attribute):
        return Number(exact)
    values = _declared_values(source, attribute)
    if values == BITS and bits_are_numbers:
        return Number(of_bits=True)
    if values is None:
        every = ", or all texts and dates with drop_text=True" * is_text_or_date(attribute)
        texts = f", or take its texts as values with nominal=[{shown(attribute.name)}]" * is_text(attribute)
        raise source.error(
            f"attribute {shown(attribute.name)} has the type {short(attribute.type)}; expected numeric, "
            "real, integer, or values in braces. Leave the column out with "
            f"drop=[{shown(attribute.name)}]{every}{texts}",
            attribute.line,
        )
    twice = [value for value, count in Counter(values).items() if count > 1]
    if twice:
        raise source.error(
            f"attribute {shown(attribute.name)} has the value {shown(twice[0])} twice", attribute.line
        )
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


def number_text(cell: str | None) -> str | None:
    """Return the text of a number as it is, for numbers that are only codes."""
    if cell is None:
        return None
    try:
        number = number_of(cell, math.inf)
    except ValueError:
        raise ValueError(f"{short(cell)} is no number; expected one, or {MISSING}") from None
    return None if math.isnan(number) else cell


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
        value = cell_of(match[1])
        at, end = match.end(), match[2]
        if not value and values and end == "}":  # behind a last comma
            continue
        if value in ("", MISSING):
            raise source.error(
                f"attribute {shown(attribute.name)} has the value {value!r}; expected values that are "
                f"neither empty nor {MISSING!r}, which marks a missing cell; in quotes they may be so",
                attribute.line,
            )
        values.append(plain(value))
    return tuple(values) if _AT_THE_END.fullmatch(declared, at) else None


def split(source: Source, line: str, number: int | None = None) -> list[str]:
    """Return the cells of a line, unquoted, without the comment after the last one.

    Those that were empty or a question mark in quotes are marked; `plain` takes the mark away.
    """
    if "'" in line or '"' in line:
        return list(_quoted_cells(source, line, number))
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
            cells.append(cell_of(match[1] or match[3]))
        at = match.end()
    return cells


def plain(cell: str) -> str:
    """Return what a cell says."""
    return cell.removeprefix(IN_QUOTES)


def _quoted_cells(source: Source, line: str, number: int | None) -> Iterator[str]:
    position, end = 0, ","
    while end == ",":
        match = _CELL.match(line, position)
        if not match:
            raise source.error(f"expected a closing quote and a comma in {short(line[position:])}", number)
        position, end = match.end(), match[2]
        if match[1].startswith("%") and line[match.start(1) - 1] in BLANKS:
            yield ""  # behind a last comma
            return
        if comment := _COMMENT.search(match[1]) if match[1][:1] not in ("'", '"') else None:
            yield match[1][: comment.start()].rstrip(BLANKS)
            return
        yield cell_of(match[1])


def cell_of(token: str) -> str:
    """Return what a token says, unquoted and marked as in `split`."""
    token = token.rstrip(BLANKS)
    text = _unquoted(token)
    # Without quotes the cell would count as missing.
    return IN_QUOTES + text if text in ("", MISSING) and token != text else text


def _unquoted(token: str) -> str:
    if token[:1] not in ("'", '"') or not _IS_QUOTED.fullmatch(token):
        return token
    text = token[1:-1]
    if "\\" not in text:
        return text
    return re.sub(r"\\(.)", lambda match: _ESCAPED.get(match[1], match[1]), text)


def short(text: str) -> str:
    """Quote the beginning of a text, or of a cell, for an error."""
    if text.startswith(IN_QUOTES):
        text = f"'{plain(text)}'"
    return shown(text)


def says_missing(cell: str) -> bool:
    """Tell whether a cell among numbers says that it is missing."""
    return cell == MISSING or cell.lower() in _NO_NUMBER


def number_of(cell: str, too_large: float) -> float:
    """Return the number that a cell says, NaN where it is missing; ValueError where it is none."""
    if says_missing(cell):
        return math.nan
    number = float(cell)
    # Python's float also takes inf and 1_000.
    if "_" in cell or not abs(number) < too_large:
        raise ValueError(cell)
    return number
