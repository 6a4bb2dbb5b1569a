"""Numbers as people write them on a command line: 1e9, 200k, 16GB, 1Gbit."""

from __future__ import annotations

import re
from typing import NamedTuple

import typer

from slantwood.validation import bytes_in

_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_NUMBER = re.compile(r"([0-9.]+(?:e[+-]?[0-9]+)?)\s*([kmgt]?)", re.IGNORECASE)
_RATE = re.compile(r"(.*?)(bits?|bytes?|b)(?:/s)?", re.IGNORECASE)


def read_count(text: str | float) -> int:
    """Read a whole number: 50000, 5e4, 50k or 1.2M.

    Parameters
    ----------
    text : str
        As it was typed.

    Returns
    -------
    int
        The number.

    Examples
    --------
    >>> read_count("1e9"), read_count("200k"), read_count("1.2M")
    (1000000000, 200000, 1200000)
    """
    value = _number(str(text).replace(",", "").replace("_", ""))
    if value is None or not 1 <= value < 1e18 or value != int(value):
        raise typer.BadParameter(f"{text!r} is no number of 1 or more; write 50000, 5e4, 50k or 1.2M")
    return int(value)


def read_amount(text: str | float) -> float:
    """Read a positive number that need not be whole.

    Parameters
    ----------
    text : str
        As it was typed.

    Returns
    -------
    float
        The number.

    Examples
    --------
    >>> read_amount("2.5")
    2.5
    """
    value = _number(str(text))
    if value is None or not 0 < value < 1e18:
        raise typer.BadParameter(f"{text!r} is no positive number; write 5 or 2.5")
    return value


class RowsAndSeconds(NamedTuple):
    """Rows, and the seconds of a tree on them."""

    rows: int
    seconds: float


def read_probe(text: str) -> RowsAndSeconds:
    """Read rows and seconds: 20k:0.42.

    Parameters
    ----------
    text : str
        As it was typed.

    Returns
    -------
    RowsAndSeconds
        Both numbers.

    Examples
    --------
    >>> read_probe("20k:0.42")
    RowsAndSeconds(rows=20000, seconds=0.42)
    """
    rows, colon, seconds = str(text).partition(":")
    if not colon:
        raise typer.BadParameter(f"{text!r} is no probe; write rows and CPU seconds of a tree: 20k:0.42")
    return RowsAndSeconds(read_count(rows), read_amount(seconds))


def read_bytes(text: str | float) -> float:
    """Read an amount of memory: 16GB, 500 MB, 16GiB.

    Parameters
    ----------
    text : str
        As it was typed.

    Returns
    -------
    float
        Bytes.

    Examples
    --------
    >>> read_bytes("16GB"), read_bytes("1GiB")
    (16000000000.0, 1073741824.0)
    """
    said = str(text).strip()
    # A number alone is more often one of gigabytes than of bytes.
    value = bytes_in(said) if said[-1:].isalpha() else None
    if value is None or not 0 < value < 1e21:
        raise typer.BadParameter(f"{text!r} is no amount of memory; write a number and a unit: 16GB or 500MB")
    return value


def read_rate(text: str | float) -> float:
    """Read a bandwidth: 1Gbit, 10Gbit/s, 125MB/s.

    Parameters
    ----------
    text : str
        As it was typed.

    Returns
    -------
    float
        Bytes a second.

    Examples
    --------
    >>> read_rate("1Gbit"), read_rate("125MB/s")
    (125000000.0, 125000000.0)
    """
    found = _RATE.fullmatch(str(text).strip())
    value = None if found is None else bytes_in(f"{found[1]}B")
    if found is None or value is None or not 0 < value < 1e18:
        raise typer.BadParameter(f"{text!r} is no bandwidth; write a number and a unit: 1Gbit or 125MB/s")
    return value / 8 if "bit" in found[2].lower() else value


def _number(text: str) -> float | None:
    found = _NUMBER.fullmatch(text.strip())
    if found is None:
        return None
    try:
        number = float(found[1])
    except ValueError:
        return None
    return float(round(number * 1000.0 ** _POWERS[found[2].lower()], 9))
