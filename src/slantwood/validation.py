"""Checks of single values, whose errors name the argument, the value and what is expected."""

from __future__ import annotations

import math
import re
from numbers import Integral, Real
from typing import Any


def with_type(value: Any) -> str:
    """Return a value as an error shows it."""
    return f"{value!r} ({type(value).__name__})"


def check_integer(name: str, value: Any, minimum: int) -> int:
    """Return a whole number that is at least `minimum`."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name}={with_type(value)} must be a whole number, at least {minimum}")
    if value < minimum:
        raise ValueError(f"{name}={value!r} must be at least {minimum}")
    return int(value)


def check_real(
    name: str, value: Any, minimum: float, maximum: float = math.inf, *, open_minimum: bool = False
) -> float:
    """Return a finite number between two bounds."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name}={with_type(value)} must be a number")
    value = float(value)
    too_small = value <= minimum if open_minimum else value < minimum
    if not math.isfinite(value) or too_small or value > maximum:
        lower = f"above {minimum}" if open_minimum else f"at least {minimum}"
        upper = "" if maximum == math.inf else f" and at most {maximum}"
        raise ValueError(f"{name}={value!r} must be a finite number {lower}{upper}")
    return value


def check_flag(name: str, value: Any) -> bool:
    """Return True or False."""
    import numpy as np  # not above: the command line reads sizes before it needs any numbers

    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name}={with_type(value)} must be True or False")
    return bool(value)


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> str:
    """Return one of the given words."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name}={value!r} must be one of {', '.join(map(repr, choices))}")
    return value


_PREFIXES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_PREFIXES |= {"ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30, "ti": 1 << 40}
_UNITS = {prefix + word: size for prefix, size in _PREFIXES.items() for word in ("b", "byte", "bytes")}
_UNITS[""] = 1
_SIZE = re.compile(r"\s*((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?)\s*([a-z]*)\s*", re.IGNORECASE)


def bytes_in(text: str) -> float | None:
    """Return the bytes that a text names, None where it names none.

    Examples
    --------
    >>> bytes_in("16GB"), bytes_in("0.5 GiB"), bytes_in("2 kbytes"), bytes_in("100"), bytes_in("much")
    (16000000000.0, 536870912.0, 2000.0, 100.0, None)
    """
    match = _SIZE.fullmatch(text)
    if match is None or match[2].lower() not in _UNITS:
        return None
    n_bytes = float(match[1]) * _UNITS[match[2].lower()]
    return n_bytes if math.isfinite(n_bytes) else None


def check_memory(name: str, value: Any) -> int:
    """Return a number of bytes, which may be given as text with a unit.

    Examples
    --------
    >>> (
    ...     check_memory("max_memory", "4GB"),
    ...     check_memory("max_memory", "0.5 GiB"),
    ...     check_memory("max_memory", 100),
    ... )
    (4000000000, 536870912, 100)
    """
    if isinstance(value, str):
        found = bytes_in(value)
        if found is None:
            raise ValueError(
                f"{name}={value!r:.60} must be a number of bytes, or text such as '4GB' or '500MB'"
            )
        n_bytes = int(found)
    else:
        if isinstance(value, bool) or not isinstance(value, Integral):
            raise TypeError(f"{name}={with_type(value)} must be a number of bytes, or text such as '4GB'")
        n_bytes = int(value)
    if n_bytes < 1:
        raise ValueError(f"{name}={value!r} must be above 0; give a number of bytes, or text such as '4GB'")
    return n_bytes
