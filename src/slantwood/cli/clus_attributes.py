"""What a settings file of CLUS makes of the attributes of a data file: targets, inputs, or left out.

Attributes are counted from 1. `Target`, `Clustering` and `Descriptive` go before `Disable`; without `Target`
the last attribute that is neither disabled nor a key is the target.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from itertools import groupby

LISTS = ("target", "clustering", "descriptive", "disable", "key")

_RANGES = re.compile(r"[0-9]+(?:\s*-\s*[0-9]+)?(?:\s*,\s*[0-9]+(?:\s*-\s*[0-9]+)?)*")
# More than any file has, and few enough to list.
_MOST = 10_000_000


@dataclass(frozen=True)
class KnownAttributes:
    """What the header of the data file tells: how many attributes there are, and which have types of CLUS."""

    count: int
    keys: frozenset[int] = frozenset()
    classes: frozenset[int] = frozenset()


@dataclass(frozen=True)
class AttributeRoles:
    """What attributes are for, as our options say it.

    Attributes
    ----------
    targets, drop : str
        Values of the options, empty where there is nothing to say.
    dropped_by : tuple of str
        The lists that tell what is dropped.
    ignored : tuple of str
        The lists that have no counterpart.
    notes : tuple of str
        What to tell the user.
    """

    targets: str
    drop: str
    dropped_by: tuple[str, ...]
    ignored: tuple[str, ...]
    notes: tuple[str, ...]


def attributes_listed(text: str) -> frozenset[int] | None:
    """Return the attributes of a list such as ``5-10,12``; None where it is none."""
    if not _RANGES.fullmatch(text):
        return None
    found: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        start, stop = int(first), int(last or first)
        if not 1 <= start <= stop <= _MOST:
            raise ValueError(f"{part.strip()!r:.60}; expected attributes counted from 1, such as 5-10,12")
        found.update(range(start, stop + 1))
    return frozenset(found)


def roles_of(lists: Mapping[str, Set[int]], known: KnownAttributes | None) -> AttributeRoles:
    """Return the roles that lists of attributes give, by the names of the lists in lower case."""
    none: Set[int] = frozenset()
    targets = _targets(lists, known)
    not_disabled = targets | lists.get("clustering", none) | lists.get("descriptive", none)
    dropped = {
        "disable": lists.get("disable", none) - not_disabled,
        # Those of the type name the rows here too.
        "key": lists.get("key", none) - (known.keys if known else none),
        "descriptive": none,
    }
    ignored, notes = [], []
    if "descriptive" in lists:
        if known is None:
            ignored.append("descriptive")
        else:
            every = frozenset(range(1, known.count + 1))
            dropped["descriptive"] = every - lists["descriptive"] - targets - known.keys
        if both := lists["descriptive"] & targets:
            notes.append(f"Descriptive has the targets {_ranges(both)}: here targets are not inputs.")
    if overruled := lists.get("disable", none) & targets:
        notes.append(f"Disable has the targets {_ranges(overruled)}: they stay targets, as in CLUS.")
    if "clustering" in lists and targets and lists["clustering"] != targets:
        ignored.append("clustering")
    together = frozenset[int]().union(*dropped.values())
    return AttributeRoles(
        "last:1" if not targets else f"columns:{_ranges(targets)}",
        f"columns:{_ranges(together)}" if together else "",
        tuple(name for name, attributes in dropped.items() if attributes),
        tuple(ignored),
        tuple(notes),
    )


def _targets(lists: Mapping[str, Set[int]], known: KnownAttributes | None) -> Set[int]:
    if "target" in lists:
        return lists["target"]
    if known is None:
        return frozenset()
    if known.classes:
        return known.classes
    left_out = known.keys | lists.get("disable", frozenset()) | lists.get("key", frozenset())
    return frozenset(sorted(set(range(1, known.count + 1)) - left_out)[-1:])


def _ranges(attributes: Set[int]) -> str:
    """Write attributes as a list in order: ``5-10,12``."""
    parts = []
    # Neighbours have the same distance from their rank.
    for _, run in groupby(enumerate(sorted(attributes)), key=lambda pair: pair[1] - pair[0]):
        numbers = [number for _, number in run]
        parts.append(str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}-{numbers[-1]}")
    return ",".join(parts)
