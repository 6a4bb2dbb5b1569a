"""Numbers as people write them, and thresholds with as many digits as it takes to send rows the same way."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

# Beyond these, powers of ten are easier to read.
_SMALL, _LARGE = 1e-4, 1e9

# A double has no more of them.
_MOST_DIGITS = 17

# Rounding moves the place where a split changes its mind by a step or two of single precision.
_MOST_STEPS = 8


def written(number: float, digits: int = _MOST_DIGITS) -> str:
    """Write a number with so many significant digits at the most, without zeros at the end."""
    rounded = float(f"{number:.{digits}g}")
    if rounded == 0 or _SMALL <= abs(rounded) < _LARGE:
        return np.format_float_positional(rounded + 0.0, trim="-")
    return f"{rounded:.{_fewest_digits(rounded, lambda other: other == rounded)}g}"


def threshold(weight: float, bias: float, gap: tuple[float, float] | None = None) -> float:
    """Return where a split of one feature changes its mind, with as few digits as its meaning allows.

    A row x goes right where `bias + weight * x >= 0`, computed in double precision of an x of single
    precision. That is the same as `x >= threshold`, or with a negative weight as `x <= threshold`, for every
    x of single precision; where a gap is given, for every x outside of it.

    Parameters
    ----------
    weight, bias : float
        The split.
    gap : pair of float, optional
        The largest value below the threshold, and the smallest above it, that rows have.
    """
    exact = -bias / weight
    last = _last_to_the_right(np.float32(weight), bias)
    if last is None:
        return exact  # outside of what single precision holds: all rows go one way
    beyond = np.nextafter(last, np.float32(-np.inf if weight > 0 else np.inf))
    ends = sorted((float(last), float(beyond)))
    centre = (ends[0] + ends[1]) / 2
    if gap is not None and gap[0] < gap[1] and gap[0] <= ends[0] and ends[1] <= gap[1]:
        ends, centre = list(gap), exact
    if weight > 0:
        digits = _fewest_digits(centre, lambda other: ends[0] < other <= ends[1])
    else:
        digits = _fewest_digits(centre, lambda other: ends[0] <= other < ends[1])
    return float(f"{centre:.{digits}g}")


def _fewest_digits(number: float, fits: Callable[[float], bool]) -> int:
    digits = range(1, _MOST_DIGITS)
    return next((each for each in digits if fits(float(f"{number:.{each}g}"))), _MOST_DIGITS)


def _last_to_the_right(weight: np.float32, bias: float) -> np.float32 | None:
    """Return the last number of single precision that goes right, on the way to the left."""

    def goes_right(x: np.float32) -> bool:
        return bias + float(x) * float(weight) >= 0.0

    with np.errstate(over="ignore"):
        x = np.float32(-bias / float(weight))
        left, right = (-np.inf, np.inf) if weight > 0 else (np.inf, -np.inf)
        for _ in range(_MOST_STEPS):
            if not goes_right(x):
                break
            x = np.nextafter(x, np.float32(left))
        for _ in range(2 * _MOST_STEPS):
            if goes_right(x):
                return x if np.isfinite(x) else None
            x = np.nextafter(x, np.float32(right))
    return None
