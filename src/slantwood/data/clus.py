"""Files of the program CLUS: targets that are classes in a hierarchy, and names for rows.

CLUS adds two types to ARFF: ``hierarchical``, the classes of the task, and ``key``, a name for each row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from slantwood.data.arff import Attribute, Source, opened, plain, read_header, split
from slantwood.data.formats import format_of
from slantwood.data.table import Data
from slantwood.data.wanted import Wanted
from slantwood.targets.hierarchy import Hierarchy

ROOT = "root"
AND = "@"  # between the classes of a row

# Some files give the type as "classes", and what CLUS reads elsewhere as a comment.
_HIERARCHICAL = re.compile(r"(?:classes[ \t]*+%[ \t]*+)?hierarchical[ \t]++(.+)", re.IGNORECASE)
_KEY = re.compile(r"key[ \t]*+(?:%.*)?", re.IGNORECASE)


def read_hierarchy(path: str | PathLike[str], *, padding: str | None = "auto") -> Hierarchy:
    """Read the hierarchy of a CLUS file from its header; the rows are not looked at.

    Parameters
    ----------
    path : str or path
        The file; .bz2, .gz, .xz and .zst are decompressed.
    padding : str or None, default="auto"
        What shorter paths are filled up with, and is dropped from their ends: with "0", ``1/2/0/0`` is the
        class ``1/2``. "auto" takes "0" where the list of classes looks so: all paths have the same number of
        parts, more than one, some end in 0, and a 0 is followed by zeros only. None drops nothing.

    Returns
    -------
    Hierarchy
        Labels are the paths, in the order of the file. Where an entry of the list begins with ``root/``, the
        entries are links ``parent/child``, and labels are the names of the nodes, without ``root``.
    """
    _check_padding(padding)
    with opened(path) as source:
        attributes = read_header(source).attributes
        return Classes(source, attributes[needed_class_position(source, attributes)], padding).hierarchy()


def read_clus(
    path: str | PathLike[str], *, hierarchy: Hierarchy | None = None, padding: str | None = "auto"
) -> Data:
    """Read a CLUS file of hierarchical multi-label classification.

    Parameters
    ----------
    path : str or path
        The file; .bz2, .gz, .xz and .zst are decompressed.
    hierarchy : Hierarchy, optional
        The hierarchy to use, that of the training file for instance, in place of the one in the header.
    padding : str or None, default="auto"
        What shorter paths are filled up with, as in `read_hierarchy`.

    Returns
    -------
    Data
        The inputs, the labels and their hierarchy. `y` is a csr_array of dtype int8 with a column per label,
        1 where the file gives the label. A row whose classes are not known (``?``) is all NaN, and y then of
        dtype float32.

    Raises
    ------
    ValueError
        If the file is malformed; it says the line, and what was expected there.
    ImportError
        If there are nominal inputs, and pandas is not installed.

    Examples
    --------
    >>> from slantwood.data import read_clus
    >>> train = read_clus("train.arff.xz")  # doctest: +SKIP
    >>> test = read_clus("test.arff.xz", hierarchy=train.hierarchy)  # doctest: +SKIP
    """
    _check_padding(padding)
    if hierarchy is not None and not isinstance(hierarchy, Hierarchy):
        raise TypeError(f"hierarchy is of type {type(hierarchy).__name__}; expected a Hierarchy or None")
    path = Path(path)
    return format_of(path, "arff").load().read_hierarchical(path, Wanted(), hierarchy, padding)


class Classes:
    """The entries of the header's list of classes, and how the cells of rows name them."""

    def __init__(self, source: Source, attribute: Attribute, padding: str | None) -> None:
        self._source, self._attribute = source, attribute
        match = _HIERARCHICAL.fullmatch(attribute.type)
        assert match is not None
        # Some headers list a class several times.
        self._entries = list(dict.fromkeys(map(plain, split(source, match[1], attribute.line))))
        self._are_links = any(entry.startswith(f"{ROOT}/") for entry in self._entries)
        if padding == "auto":
            padding = "0" if _look_padded([entry.split("/") for entry in self._entries]) else None
        self._padding = None if self._are_links else padding

    def hierarchy(self) -> Hierarchy:
        """Return the hierarchy that the entries make."""
        try:
            if not self._are_links:
                return Hierarchy.from_paths(dict.fromkeys(map(self._without_padding, self._entries)))
            links = [tuple(entry.split("/")) for entry in self._entries]
            for link in links:
                if len(link) != 2 or not all(link):
                    raise ValueError(
                        f"class {'/'.join(link)!r}; expected 'parent/child', since some entries begin with "
                        f"'{ROOT}/'"
                    )
            return Hierarchy.from_edges(links, root=ROOT)
        except ValueError as error:
            name, line = self._attribute.name, self._attribute.line
            raise self._source.error(f"attribute {name!r}: {error}", line) from error

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


def _check_padding(padding: str | None) -> None:
    if padding is not None and not isinstance(padding, str):
        raise TypeError(f"padding={padding!r} must be a string or None")
    if padding is not None and (not padding or "/" in padding):
        raise ValueError(f"padding={padding!r} must be 'auto', None, or one part of a path, as '0'")


def class_position(source: Source, attributes: Sequence[Attribute]) -> int | None:
    """Return which attribute has classes of a hierarchy; None where none has."""
    found = [i for i, attribute in enumerate(attributes) if _HIERARCHICAL.fullmatch(attribute.type)]
    if len(found) > 1:
        raise _needs_one(source, ", ".join(repr(attributes[i].name) for i in found))
    return found[0] if found else None


def needed_class_position(source: Source, attributes: Sequence[Attribute]) -> int:
    """Return which attribute has classes of a hierarchy; that none has is an error."""
    found = class_position(source, attributes)
    if found is None:
        raise _needs_one(source, "none")
    return found


def entries(hierarchy: Hierarchy) -> list[str]:
    """Return the list of classes from which the same hierarchy is read: paths, or else links below a root.

    A list of links can give the labels only in an order in which each comes right after a neighbour or right
    before one, or is a root; other hierarchies are read with their labels in another order.
    """
    labels = list(map(str, hierarchy.nodes))
    for label in labels:
        if not label or AND in label or label != label.strip():
            raise ValueError(
                f"label {label!r} is empty, has a {AND!r} in it or blanks around it, which CLUS files cannot "
                "hold; write npz"
            )
    if _are_paths(hierarchy, labels):
        return labels
    for label in labels:
        if "/" in label or label == ROOT:
            raise ValueError(
                f"label {label!r} cannot be written in a link 'parent/child' of a CLUS file; expected labels "
                f"without '/' other than {ROOT!r}, or labels that are paths"
            )
    return [f"{parent}/{child}" for parent, child in _links_in_order(hierarchy)]


def is_key(attribute: Attribute) -> bool:
    """Tell whether an attribute names the rows."""
    return bool(_KEY.fullmatch(attribute.type))


def keys(columns: Sequence[Sequence[str]]) -> np.ndarray | None:
    """Return the names of rows; a column for each attribute where there are several."""
    if not columns:
        return None
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


def _needs_one(source: Source, found: str) -> ValueError:
    return source.error(f"expected one attribute of type 'hierarchical <classes>' above @data, found {found}")
