"""Checks of single values, whose errors name the argument, the value and what is expected."""

from __future__ import annotations

import math
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
