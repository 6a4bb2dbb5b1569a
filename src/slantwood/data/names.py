"""Names of columns that nobody can mistake for each other."""

from __future__ import annotations

from collections.abc import Iterable


def told_apart(names: Iterable[str]) -> tuple[str, ...]:
    """Give a number to every name that was there before, as estimators refuse a frame that has a name twice.

    Examples
    --------
    >>> told_apart(["heat", "light", "heat", "heat.1"])
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
