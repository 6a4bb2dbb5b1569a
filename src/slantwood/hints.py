"""Words for messages: near names, quoted values, numbers with nouns, and whose line a warning names."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

# Names are compared letter by letter with every other one, which takes long where there are many.
_MOST_NAMES = 20_000
_LONGEST_NAME = 200


def shown(value: Any, limit: int = 60) -> str:
    """Quote a value for an error message, of a long one the beginning only; bytes are shown as text.

    Examples
    --------
    >>> shown("weight"), shown(b"12,5"), shown("a long story", limit=6), shown(2.5)
    ("'weight'", "'12,5'", "'a long...'", '2.5')
    """
    if isinstance(value, (bytes, bytearray)):
        value = value[: 4 * limit + 4].decode(errors="replace")
    if isinstance(value, str):
        return repr(value[:limit] + "..." if len(value) > limit else value)
    return shortened(repr(value), limit)


def printable(text: str) -> str:
    r"""Return a text with what a terminal obeys or hides, line ends included, written as `repr` writes it.

    Names come from files that anybody may have written. Whatever shows text escapes it with this function.

    Examples
    --------
    >>> print(printable("blue \x1b[2J sky\n"))
    blue \x1b[2J sky\n
    """
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)


def printable_lines(text: str) -> str:
    r"""Return a text of several lines, each `printable`.

    Examples
    --------
    >>> print(printable_lines("two\nlines\t"))
    two
    lines\t
    """
    return "\n".join(map(printable, text.split("\n")))


def shortened(text: str, limit: int = 300) -> str:
    """Return the message of another library, or its beginning: it may quote a whole file.

    Examples
    --------
    >>> shortened("a long story", limit=6)
    'a long...'
    """
    return printable_lines(text[:limit] + "..." if len(text) > limit else text)


def did_you_mean(name: Any, known: Iterable[Any], otherwise: str = "", most: int = 1) -> str:
    """Ask for the names that come near, case aside, at most so many; say something else where none does.

    Examples
    --------
    >>> did_you_mean("Weigth", ["weight", "length"])
    "did you mean 'weight'?"
    >>> did_you_mean("colour", ["weight", "length"], "expected a number")
    'expected a number'
    """
    name = str(name)
    if len(name) > _LONGEST_NAME:
        return otherwise
    spelt = {str(each)[:_LONGEST_NAME].lower(): each for each in islice(known, _MOST_NAMES)}
    close = difflib.get_close_matches(name.lower(), spelt, most)
    return f"did you mean {' or '.join(shown(spelt[each]) for each in close)}?" if close else otherwise


def listed(names: Sequence[Any], limit: int = 5) -> str:
    """Put the first few names in a row, and say how many more there are.

    Examples
    --------
    >>> listed(["a", "b", "c"], limit=2)
    "'a', 'b', and 1 more"
    """
    quoted = ", ".join(map(shown, map(_native, names[:limit])))
    return quoted if len(names) <= limit else f"{quoted}, and {len(names) - limit:,} more"


def pluralize(number: int, noun: str, plural: str | None = None) -> str:
    """Put a number before a noun.

    Examples
    --------
    >>> pluralize(1, "row"), pluralize(2000, "row"), pluralize(0, "class", "classes")
    ('1 row', '2,000 rows', '0 classes')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {plural or noun + 's'}"


def format_bytes(size: float) -> str:
    """Say a number of bytes in the unit that suits it.

    Examples
    --------
    >>> format_bytes(512), format_bytes(2_500_000), format_bytes(848e9), format_bytes(1.77e12)
    ('512 bytes', '2.5 MB', '848 GB', '1.8 TB')
    """
    size = round(size)
    power = min((len(str(size)) - 1) // 3, 4)
    number = size / 1000**power
    return f"{number:,.{0 if power == 0 or number >= 100 else 1}f} {('bytes', 'kB', 'MB', 'GB', 'TB')[power]}"


@contextmanager
def optional_import(need: str, extra: str) -> Iterator[None]:
    """Say, where an import within it fails, what needs the library and which extra of ours brings it.

    Examples
    --------
    >>> with optional_import("this example needs a saw", "tools"):
    ...     import saw
    Traceback (most recent call last):
        ...
    ImportError: this example needs a saw; install it with: pip install 'slantwood[tools]'
    """
    try:
        yield
    except ImportError as error:
        raise ImportError(f"{need}; install it with: pip install 'slantwood[{extra}]'") from error


def _native(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def stacklevel_of_user() -> int:
    """Return the `stacklevel` for which a warning of the calling function names the user's line.

    That is the first one outside of slantwood, however deep in it the function was called.
    """
    package = str(Path(__file__).parent)
    level = 1
    caller = inspect.currentframe()
    caller = caller.f_back if caller is not None else None
    while caller is not None and caller.f_code.co_filename.startswith(package):
        level += 1
        caller = caller.f_back
    return level
