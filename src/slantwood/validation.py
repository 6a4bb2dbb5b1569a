"""Checks of single values, whose errors name the argument, the value and what is expected."""

from __future__ import annotations

import math
import re
from numbers import Integral, Real
from typing import Any

import numpy as np


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
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name}={with_type(value)} must be True or False")
    return bool(value)


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> str:
    """Return one of the given words."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name}={value!r} must be one of {', '.join(map(repr, choices))}")
    return value


_UNITS = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
_UNITS |= {"": 1, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40}
_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-zA-Z]*)\s*")


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
        match = _SIZE.fullmatch(value)
        if match is None or match[2].lower() not in _UNITS:
            raise ValueError(
                f"{name}={value!r:.60} must be a number of bytes, or text such as '4GB' or '500MB'"
            )
        n_bytes = int(float(match[1]) * _UNITS[match[2].lower()])
    else:
        if isinstance(value, bool) or not isinstance(value, Integral):
            raise TypeError(f"{name}={with_type(value)} must be a number of bytes, or text such as '4GB'")
        n_bytes = int(value)
    if n_bytes < 1:
        raise ValueError(f"{name}={value!r} must be above 0; give a number of bytes, or text such as '4GB'")
    return n_bytes
