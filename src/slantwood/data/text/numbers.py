"""Numbers in text, for every reader and writer: how they are spelt, and which fit into single precision."""

from __future__ import annotations

import math

import numpy as np

# Numbers below this are rounded to one of single precision, others to infinity.
TOO_LARGE_FOR_SINGLE = 2.0**128 - 2.0**103


# Missing cells of any column of a table of text, as compiled code has them too.
MISSING = frozenset({"", "?", "NA", "N/A", "NaN", "nan", "null"})
# Missing cells of a column of numbers, as spreadsheets, databases, pandas and R write them; in a column of
# text they are categories.
MISSING_NUMBERS = MISSING | {"#N/A", "#NA", "-", ".", "<NA>", "NULL", "None", "n/a", "na"}


def parse_number(text: str) -> float | None:
    """Read a number as `float` does, or return None; NaN and infinity are numbers here.

    Python takes 1_000 and digits of any script for numbers; in files the former rather is a code, and the
    latter are what no other program reads.
    """
    text = text.strip()
    if "_" in text or not text.isascii():
        return None
    try:
        return float(text)
    except ValueError:
        return None


def parse_cell(text: str) -> float | None:
    """Read a cell of a column of numbers, NaN where it is missing, or return None."""
    return math.nan if text.strip() in MISSING_NUMBERS else parse_number(text)


def fits(value: float, *, single: bool) -> bool:
    """Tell whether a number is finite, or missing, in single or in double precision."""
    return math.isnan(value) or abs(value) < (TOO_LARGE_FOR_SINGLE if single else math.inf)


def number_texts(numbers: np.ndarray, missing: str = "nan") -> list[str]:
    """Return the shortest texts that are read as these numbers; whole ones have no point."""
    if numbers.dtype.kind in "biu":
        return numbers.astype(np.int64).astype(str).tolist()
    # NumPy knows that a number of single precision needs fewer digits; Python is faster with doubles.
    texts = map(repr, numbers.tolist()) if numbers.dtype == np.float64 else numbers.astype(str).tolist()
    return [missing if text == "nan" else text.removesuffix(".0") for text in texts]
