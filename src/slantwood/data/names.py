"""Names of columns that nobody can mistake for each other, and names that are only numbers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, overload


def deduplicate(names: Iterable[str]) -> tuple[str, ...]:
    """Give a number to every name that was there before, as estimators refuse a frame that has a name twice.

    Examples
    --------
    >>> deduplicate(["heat", "light", "heat", "heat.1"])
    ('heat', 'light', 'heat.2', 'heat.1')
    """
    listed = list(names)
    taken, given = set(listed), set[str]()
    numbers: dict[str, int] = {}
    for i, name in enumerate(listed):
        while listed[i] in given or (listed[i] != name and listed[i] in taken):
            numbers[name] = numbers.get(name, 0) + 1
            listed[i] = f"{name}.{numbers[name]}"
        given.add(listed[i])
    return tuple(listed)


class NumberedNames(Sequence[str]):
    """Names that are numbers behind a prefix, each made when it is asked for.

    A sparse file can have many millions of columns and few values; these names take no memory. They equal
    the tuple of the same names, and adding them to a tuple gives a tuple.

    Examples
    --------
    >>> names = NumberedNames("x", 60_000_000)
    >>> names[7], names.index("x59999999"), "x007" in names
    ('x7', 59999999, False)
    >>> NumberedNames("", 2, first=1) == ("1", "2")
    True
    """

    def __init__(self, prefix: str, count: int, first: int = 0) -> None:
        self.prefix, self.numbers = prefix, range(first, first + count)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> NumberedNames | tuple[str, ...]: ...
    def __getitem__(self, place: int | slice) -> str | NumberedNames | tuple[str, ...]:
        if not isinstance(place, slice):
            return f"{self.prefix}{self.numbers[place]}"
        numbers = self.numbers[place]
        if numbers.step == 1:
            return NumberedNames(self.prefix, len(numbers), numbers.start)
        return tuple(f"{self.prefix}{number}" for number in numbers)

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[str]:
        return (f"{self.prefix}{number}" for number in self.numbers)

    def __contains__(self, name: object) -> bool:
        return self.find(name) is not None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (NumberedNames, tuple)):
            return NotImplemented
        if len(self) != len(other):
            return False
        if isinstance(other, NumberedNames) and self.prefix == other.prefix:
            return self.numbers == other.numbers
        return all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __add__(self, other: Any) -> tuple[str, ...]:
        return (*self, *other) if isinstance(other, (NumberedNames, tuple)) else NotImplemented

    def __radd__(self, other: Any) -> tuple[str, ...]:
        return (*other, *self) if isinstance(other, tuple) else NotImplemented

    def __repr__(self) -> str:
        return f"<{len(self)} names from {self[0]!r} to {self[-1]!r}>" if self.numbers else "()"

    def find(self, name: object) -> int | None:
        """Return the place of a name, or None where it is not among these."""
        if not isinstance(name, str) or not name.startswith(self.prefix):
            return None
        digits = name[len(self.prefix) :]
        # What is longer is no number of a column, and may be too long to be read as one.
        if not (digits.isascii() and digits.isdecimal() and len(digits) < 20) or str(int(digits)) != digits:
            return None
        number = int(digits)
        return number - self.numbers.start if number in self.numbers else None

    def index(self, value: Any, start: int = 0, stop: int = sys.maxsize) -> int:
        """Return the place of a name; ValueError where it is not among these."""
        place = self.find(value)
        if place is None or place not in range(len(self))[start:stop]:
            raise ValueError(f"{value!r:.60} is not among the names")
        return place

    def count(self, value: Any) -> int:
        """Return 1 for a name among these, else 0."""
        return int(value in self)


def finder(names: Sequence[str]) -> Callable[[str], int | None]:
    """Return a function that gives the place of a name, or None where there is no such name."""
    if isinstance(names, NumberedNames):
        return names.find
    return {name: i for i, name in enumerate(names)}.get
