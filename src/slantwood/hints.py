"""What to say to somebody who names something that is not there."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Any


def did_you_mean(name: Any, known: Iterable[Any], otherwise: str = "", most: int = 1) -> str:
    """Ask for the names that come near, case aside, at most so many; say something else where none does.

    Examples
    --------
    >>> did_you_mean("Weigth", ["weight", "length"])
    "did you mean 'weight'?"
    >>> did_you_mean("colour", ["weight", "length"], "expected a number")
    'expected a number'
    """
    spelt = {str(each).lower(): each for each in known}
    close = difflib.get_close_matches(str(name).lower(), spelt, most)
    return f"did you mean {' or '.join(repr(spelt[each]) for each in close)}?" if close else otherwise


def listed(names: Sequence[Any], limit: int = 5) -> str:
    """Put the first few names in a row, and say how many more there are.

    Examples
    --------
    >>> listed(["a", "b", "c"], limit=2)
    "'a', 'b', and 1 more"
    """
    shown = ", ".join(map(repr, map(_native, names[:limit])))
    return shown if len(names) <= limit else f"{shown}, and {len(names) - limit:,} more"


def _native(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
