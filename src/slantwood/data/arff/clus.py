"""Files of the program CLUS: targets that are classes in a hierarchy, and names for rows.

CLUS adds two types to ARFF: ``hierarchical``, the classes of the task, and ``key``, a name for each row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from slantwood.data.arff.header import Attribute
from slantwood.data.arff.source import Source
from slantwood.data.arff.syntax import unmark
from slantwood.data.limits import Limit
from slantwood.hints import listed, shown
from slantwood.targets.hierarchy import Hierarchy

ROOT = "root"
AND = "@"  # between the classes of a row

# Some files give the type as "classes", and what CLUS reads elsewhere as a comment.
_HIERARCHICAL = re.compile(r"(?:classes[ \t]*+%[ \t]*+)?hierarchical[ \t]++(.+)", re.IGNORECASE)
_KEY = re.compile(r"key[ \t]*+(?:%.*)?", re.IGNORECASE)


class Classes:
    """The entries of the header's list of classes, and how the cells of rows name them."""

    def __init__(self, source: Source, attribute: Attribute, padding: str | None) -> None:
        self._source, self._attribute = source, attribute
        match = _HIERARCHICAL.fullmatch(attribute.type)
        assert match is not None
        # Some headers list a class several times.
        self._entries = list(dict.fromkeys(map(unmark, source.split(match[1], attribute.line))))
        self._are_links = any(entry.startswith(f"{ROOT}/") for entry in self._entries)
        if padding == "auto":
            padding = "0" if _look_padded([entry.split("/") for entry in self._entries]) else None
        self._padding = None if self._are_links else padding

    def hierarchy(self) -> Hierarchy:
        """Return the hierarchy that the entries make."""
        name = shown(self._attribute.name)
        if not self._are_links:
            # Each part of a path ends a class: all of these together grow with the square of its length.
            n_letters = sum(len(entry) * (entry.count("/") + 1) for entry in self._entries)
            self._source.limit.check(n_letters, f"the classes of attribute {name}")
        try:
            if not self._are_links:
                return Hierarchy.from_paths(dict.fromkeys(map(self._without_padding, self._entries)))
            links = [tuple(entry.split("/")) for entry in self._entries]
            for link in links:
                if len(link) != 2 or not all(link):
                    raise ValueError(
                        f"class {shown('/'.join(link))}; expected 'parent/child', since some entries begin "
                        f"with '{ROOT}/'"
                    )
            return Hierarchy.from_edges(links, root=ROOT)
        except ValueError as error:
            raise self._source.error(f"attribute {name}: {error}", self._attribute.line) from error

    def reader(self, hierarchy: Hierarchy) -> Callable[[str | None], list[str] | None]:
        """Make a parser of cells, which returns labels of this hierarchy; None where they are not known."""

        @cache
        def label(name: str) -> str:
            path = self._without_padding(name)
            hierarchy.index(path)  # refuses what it does not know
            return path

        return lambda cell: None if cell is None else [label(name.strip()) for name in cell.split(AND)]

    def _without_padding(self, path: str) -> str:
        parts = path.split("/")
        while len(parts) > 1 and parts[-1] == self._padding:
            parts.pop()
        return "/".join(parts)


def _look_padded(paths: Sequence[Sequence[str]]) -> bool:
    return (
        len({len(path) for path in paths}) == 1
        and len(paths[0]) > 1
        and any(path[-1] == "0" for path in paths)
        and all(set(path[path.index("0") :]) == {"0"} for path in paths if "0" in path)
    )


def check_padding(padding: str | None) -> None:
    """Refuse what is no padding of paths."""
    if padding is not None and not isinstance(padding, str):
        raise TypeError(f"padding={shown(padding)} must be a string or None")
    if padding is not None and (not padding or "/" in padding):
        raise ValueError(f"padding={shown(padding)} must be 'auto', None, or one part of a path such as '0'")


def class_position(source: Source, attributes: Sequence[Attribute], *, is_needed: bool = False) -> int | None:
    """Return which attribute has classes of a hierarchy; None where none has, if that is no error."""
    found = [i for i, attribute in enumerate(attributes) if _HIERARCHICAL.fullmatch(attribute.type)]
    if len(found) > 1 or (is_needed and not found):
        names = listed([attributes[i].name for i in found]) or "none"
        raise source.error(
            f"expected one attribute of type 'hierarchical <classes>' above @data, found {names}"
        )
    return found[0] if found else None


def entries(hierarchy: Hierarchy) -> list[str]:
    """Return the list of classes from which the same hierarchy is read: paths, or else links below a root.

    A list of links can give the labels only in an order in which each comes right after a neighbour or right
    before one, or is a root; other hierarchies are read with their labels in another order.
    """
    labels = list(map(str, hierarchy.nodes))
    for label in labels:
        if not label or AND in label or label != label.strip():
            problem = f"is empty, has a {AND!r} in it or blanks around it, which CLUS files cannot hold"
            raise ValueError(f"label {shown(label)} {problem}; write npz")
    if _are_paths(hierarchy, labels):
        return labels
    for label in labels:
        if "/" in label or label == ROOT:
            raise ValueError(
                f"label {shown(label)} cannot be written in a link 'parent/child' of a CLUS file; expected "
                f"labels without '/' other than {ROOT!r}, or labels that are paths"
            )
    return [f"{parent}/{child}" for parent, child in _links_in_order(hierarchy)]


def is_key(attribute: Attribute) -> bool:
    """Tell whether an attribute names the rows."""
    return bool(_KEY.fullmatch(attribute.type))


def keys(columns: Sequence[Sequence[str]], limit: Limit) -> np.ndarray | None:
    """Return the names of rows; a column for each attribute where there are several."""
    if not columns:
        return None
    longest = max((len(key) for column in columns for key in column), default=0)
    limit.check_texts(sum(map(len, columns)), longest, "its keys")
    together = np.array(columns, dtype=str).T
    return together[:, 0] if len(columns) == 1 else together


def _are_paths(hierarchy: Hierarchy, labels: Sequence[str]) -> bool:
    if any(label.startswith(f"{ROOT}/") or not all(label.split("/")) for label in labels):
        return False
    links = [(str(parent), str(child)) for parent, child in hierarchy.edges]
    return Hierarchy.from_paths(labels) == Hierarchy(labels, links)


def _links_in_order(hierarchy: Hierarchy) -> list[tuple[Any, Any]]:
    """Return all links, sorted so that labels are named for the first time in the order of the hierarchy."""
    links: dict[tuple[Any, Any], None] = {}
    named: set[Any] = set()
    following = dict(pairwise(hierarchy.nodes))
    for label in hierarchy.nodes:
        if label in named:
            continue
        parents, children = hierarchy.parents(label), hierarchy.children(label)
        known = [(parent, label) for parent in parents or (ROOT,) if parent in named or not parents]
        known += [(label, child) for child in children if child in named or child == following.get(label)]
        link = known[0] if known else (parents[0], label)
        links[link] = None
        named.update(link)
    for label in hierarchy.nodes:
        links.update(dict.fromkeys((parent, label) for parent in hierarchy.parents(label) or (ROOT,)))
    return list(links)
