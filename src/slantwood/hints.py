"""What to say to somebody who names something that is not there."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable
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


def listed(names: Collection[Any], limit: int = 8) -> str:
    """Name the first of several.

    Examples
    --------
    >>> listed(["a", "b", "c"], limit=2)
    "'a', 'b', ..."
    """
    shown = ", ".join(repr(name) for name, _ in zip(names, range(limit), strict=False))
    return shown + ", ..." * (len(names) > limit)
