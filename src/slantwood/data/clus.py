"""Files of the program CLUS whose targets are classes in a hierarchy, as X, Y and the `Hierarchy`.

CLUS adds two types to ARFF: ``hierarchical``, the classes of the task, and ``key``, a name for each row.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from os import PathLike
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.data.arff import (
    MISSING,
    Attribute,
    Column,
    Nominal,
    Parsed,
    Source,
    Table,
    column,
    opened,
    read_header,
    read_rows,
    split,
)
from slantwood.targets.hierarchy import Hierarchy

_ROOT = "root"
_SPARSE_BELOW = 0.1

# Some files give the type as "classes", and what CLUS reads elsewhere as a comment.
_HIERARCHICAL = re.compile(r"(?:classes[ \t]*%[ \t]*)?hierarchical[ \t]+(.+)", re.IGNORECASE)
_KEY = re.compile(r"key[ \t]*(?:%.*)?", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class ClusData:
    """What a CLUS file holds.

    Attributes
    ----------
    X : ndarray, csr_array or pandas.DataFrame of shape (n_rows, n_features)
        The inputs in float32, NaN where they are missing. A data frame where some are nominal, which are then
        of dtype category, with the categories of the file. Otherwise CSR where the file is in sparse format,
        or where nothing is missing and under a tenth of the values is non-zero.
    Y : csr_array of shape (n_rows, n_labels)
        One column per label of the hierarchy, 1 where the file gives the label, of dtype int8. Labels above
        these are not added; `Hierarchy.closure` does that. A row whose classes are not known (``?``) is all
        NaN, and Y then of dtype float32.
    hierarchy : Hierarchy
        The labels, in the order of the columns of Y.
    feature_names : tuple of str
        Names of the inputs. A name that occurs again gets a number: ``heat``, ``heat.1``.
    keys : ndarray of str of shape (n_rows,) or (n_rows, n_keys), or None
        The names of the rows; one column for each where a file has several.
    """

    X: Any
    Y: Any
    hierarchy: Hierarchy
    feature_names: tuple[str, ...]
    keys: np.ndarray | None = None


def read_hierarchy(path: str | PathLike[str], *, padding: str | None = "auto") -> Hierarchy:
    """Read the hierarchy of a CLUS file from its header; the rows are not looked at.

    Parameters
    ----------
    path : str or path
        The file; .bz2, .gz and .xz are decompressed.
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
        attributes = read_header(source)
        return _Classes(source, attributes[_class_position(source, attributes)], padding).hierarchy()


def read_clus(
    path: str | PathLike[str], *, hierarchy: Hierarchy | None = None, padding: str | None = "auto"
) -> ClusData:
    """Read a CLUS file of hierarchical multi-label classification.

    Parameters
    ----------
    path : str or path
        The file; .bz2, .gz and .xz are decompressed.
    hierarchy : Hierarchy, optional
        The hierarchy to use, that of the training file for instance, in place of the one in the header.
    padding : str or None, default="auto"
        What shorter paths are filled up with, as in `read_hierarchy`.

    Returns
    -------
    ClusData
        The inputs, the labels and their hierarchy.

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
    with opened(path) as source:
        attributes = read_header(source)
        of_class = _class_position(source, attributes)
        classes = _Classes(source, attributes[of_class], padding)
        if hierarchy is None:
            hierarchy = classes.hierarchy()
        columns: list[Column] = [
            Parsed(str) if _KEY.fullmatch(attribute.type) else column(source, attribute)
            for attribute in attributes[:of_class] + attributes[of_class + 1 :]
        ]
        columns.insert(of_class, Parsed(classes.reader(hierarchy)))
        # Before all rows are read in vain.
        pandas = _pandas(source) if any(isinstance(each, Nominal) for each in columns) else None
        table = read_rows(source, [attribute.name for attribute in attributes], columns)
    Y = hierarchy.indicator(table.parsed.pop(of_class))
    features = [i for i, each in enumerate(columns) if not isinstance(each, Parsed)]
    names = _told_apart(attributes[i].name for i in features)
    X = _compact(table.numbers) if pandas is None else _frame(pandas, table, columns, features, names)
    return ClusData(X, Y, hierarchy, names, _keys(list(table.parsed.values())))


class _Classes:
    """The entries of the header's list of classes, and how the cells of rows name them."""

    def __init__(self, source: Source, attribute: Attribute, padding: str | None) -> None:
        self._source, self._attribute = source, attribute
        match = _HIERARCHICAL.fullmatch(attribute.type)
        assert match is not None
        # Some headers list a class several times.
        self._entries = list(dict.fromkeys(split(source, match[1], attribute.line)))
        self._are_links = any(entry.startswith(f"{_ROOT}/") for entry in self._entries)
        if padding == "auto":
            padding = "0" if _look_padded([entry.split("/") for entry in self._entries]) else None
        self._padding = None if self._are_links else padding

    def hierarchy(self) -> Hierarchy:
        try:
            if not self._are_links:
                return Hierarchy.from_paths(dict.fromkeys(map(self._without_padding, self._entries)))
            links = [tuple(entry.split("/")) for entry in self._entries]
            for link in links:
                if len(link) != 2 or not all(link):
                    raise ValueError(
                        f"class {'/'.join(link)!r}; expected 'parent/child', since some entries begin with "
                        f"'{_ROOT}/'"
                    )
            return Hierarchy.from_edges(links, root=_ROOT)
        except ValueError as error:
            name, line = self._attribute.name, self._attribute.line
            raise self._source.error(f"attribute {name!r}: {error}", line) from error

    def reader(self, hierarchy: Hierarchy) -> Callable[[str], list[str] | None]:
        """Make a parser of cells, which returns labels of this hierarchy; None where they are not known."""

        @cache
        def label(name: str) -> str:
            path = self._without_padding(name)
            hierarchy.index(path)  # refuses what it does not know
            return path

        return lambda cell: None if cell == MISSING else [label(name.strip()) for name in cell.split("@")]

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


def _class_position(source: Source, attributes: Sequence[Attribute]) -> int:
    found = [i for i, attribute in enumerate(attributes) if _HIERARCHICAL.fullmatch(attribute.type)]
    if len(found) != 1:
        names = ", ".join(repr(attributes[i].name) for i in found) or "none"
        raise source.error(
            f"expected one attribute of type 'hierarchical <classes>' above @data, found {names}"
        )
    return found[0]


def _told_apart(names: Iterable[str]) -> tuple[str, ...]:
    # Estimators refuse a frame that has a name twice, as some files do.
    listed = list(names)
    taken, given = set(listed), set[str]()
    for i, name in enumerate(listed):
        number = 0
        while listed[i] in given or (number and listed[i] in taken):
            number += 1
            listed[i] = f"{name}.{number}"
        given.add(listed[i])
    return tuple(listed)


def _compact(numbers: np.ndarray | sp.csr_array) -> np.ndarray | sp.csr_array:
    if sp.issparse(numbers) or np.isnan(numbers).any():
        return numbers
    if np.count_nonzero(numbers) >= _SPARSE_BELOW * numbers.size:
        return numbers
    return sp.csr_array(numbers)


def _frame(
    pandas: Any, table: Table, columns: Sequence[Column], features: Sequence[int], names: Sequence[str]
) -> Any:
    numbers: Any = table.numbers
    rest = iter((numbers.toarray() if sp.issparse(numbers) else numbers).T)
    # A type with its categories is slow to make, and columns by the thousand may share one.
    dtype = cache(pandas.CategoricalDtype)
    cells: dict[str, Any] = {}
    for name, i in zip(names, features, strict=True):
        match columns[i]:
            case Nominal(values):
                cells[name] = pandas.Categorical.from_codes(table.codes[i], dtype=dtype(values))
            case _:
                cells[name] = next(rest)
    return pandas.DataFrame(cells)


def _keys(columns: Sequence[Sequence[str]]) -> np.ndarray | None:
    if not columns:
        return None
    keys = np.array(columns, dtype=str).T
    return keys[:, 0] if len(columns) == 1 else keys


def _pandas(source: Source) -> Any:
    try:
        return importlib.import_module("pandas")
    except ImportError as error:
        raise ImportError(
            f"{source.path} has nominal attributes, which need pandas; install it with: "
            "pip install 'slantwood[data]'"
        ) from error
