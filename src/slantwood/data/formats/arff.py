"""ARFF files of Weka, Mulan, MEKA and CLUS to columns that know their role, and back.

Which attributes are targets is said by the user, by a type of CLUS, by Mulan's XML file beside, or by MEKA's
mark ``-C`` in the name of the table: ``-C 6`` for the first six, ``-C -6`` for the last.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from slantwood.data.arff import clus, header, mulan
from slantwood.data.arff.dense_rows import DenseRows
from slantwood.data.arff.header import Column, Header, Nominal, Parsed, Skipped, read_header
from slantwood.data.arff.row_store import Cells, RowStore
from slantwood.data.arff.source import Source, emit_notices, open_source
from slantwood.data.arff.sparse_rows import IndexBase, OtherBase, SparseRows
from slantwood.data.arff.syntax import MISSING, number_text
from slantwood.data.arff.writing import write
from slantwood.data.closure import with_ancestors
from slantwood.data.limits import checked_max_memory
from slantwood.data.read_options import ReadOptions, Roles
from slantwood.data.table import Categories, Data, Table, categories_of_texts, inputs, pandas_for
from slantwood.hints import shown
from slantwood.targets.hierarchy import Hierarchy

__all__ = ["read", "read_clus", "read_hierarchy", "write"]

_OF_MEKA = re.compile(r"(?:^|(?<=[ \t:]))-C[ \t]++(-?)([0-9]{1,9})(?![^ \t'\"])")


def read(path: Path, options: ReadOptions) -> Table | Data:
    """Read a file; one with a hierarchy says itself what is a target."""
    return _read(path, options, None, "auto", is_needed=False)


def read_hierarchy(
    path: str | PathLike[str],
    *,
    padding: str | None = "auto",
    encoding: str | None = None,
    max_memory: int | None = None,
) -> Hierarchy:
    r"""Read the hierarchy of a CLUS file from its header; the rows are not looked at.

    Parameters
    ----------
    path : str or path
        The file; .bz2, .gz, .xz, .zst and a .zip with one file in it are decompressed.
    padding : str or None, default="auto"
        What shorter paths are filled up with, and is dropped from their ends: with "0", ``1/2/0/0`` is the
        class ``1/2``. "auto" takes "0" where the list of classes looks so: all paths have the same number of
        parts, more than one, some end in 0, and a 0 is followed by zeros only. None drops nothing.
    encoding : str, optional
        The encoding of the file, as in `read`.
    max_memory : int, optional
        The most bytes of memory that the file may take, as in `read`.

    Returns
    -------
    Hierarchy
        Labels are the paths, in the order of the file. Where an entry of the list begins with ``root/``, the
        entries are links ``parent/child``, and labels are the names of the nodes, without ``root``.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from slantwood.data import read_hierarchy
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "trees.arff")
    ...     classes = "@attribute class hierarchical oak,elm,elm/wych"
    ...     _ = path.write_text(f"@relation trees\n@attribute height numeric\n{classes}\n@data\n30,oak\n")
    ...     read_hierarchy(path).nodes
    ('oak', 'elm', 'elm/wych')
    """
    clus.check_padding(padding)
    with open_source(path, encoding, checked_max_memory(max_memory)) as source:
        attributes = read_header(source).attributes
        position = clus.class_position(source, attributes, is_needed=True)
        assert position is not None
        classes = clus.Classes(source, attributes[position], padding)
    emit_notices(source)
    return classes.hierarchy()


def read_clus(
    path: str | PathLike[str],
    *,
    hierarchy: Hierarchy | None = None,
    padding: str | None = "auto",
    encoding: str | None = None,
    index_base: int | str = "auto",
    drop_text: bool = False,
    max_memory: int | None = None,
) -> Data:
    r"""Read a CLUS file of hierarchical multi-label classification.

    Parameters
    ----------
    path : str or path
        The file; .bz2, .gz, .xz, .zst and a .zip with one file in it are decompressed.
    hierarchy : Hierarchy, optional
        The hierarchy to use, that of the training file for instance, in place of the one in the header.
    padding : str or None, default="auto"
        What shorter paths are filled up with, as in `read_hierarchy`.
    encoding : str, optional
        The encoding of the file, as in `read`.
    index_base : {"auto", "clus", 0, 1}, default="auto"
        The number of the first column in sparse rows, as in `read`.
    drop_text : bool, default=False
        Whether to leave out columns of text, as in `read`.
    max_memory : int, optional
        The most bytes of memory that the file may take, as in `read`.

    Returns
    -------
    Data
        The inputs, the labels and their hierarchy. `y` is a csr_array of dtype int8 with a column per label,
        1 where the file gives the label or one below it. A row whose classes are not known (``?``) is all
        NaN, and y then of dtype float32.

    Raises
    ------
    ValueError
        If the file is malformed; it says the line, and what was expected there.
    ImportError
        If there are nominal inputs, and pandas is not installed.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from slantwood.data import read_clus
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "trees.arff")
    ...     classes = "@attribute class hierarchical oak,elm,elm/wych"
    ...     _ = path.write_text(f"@relation trees\n@attribute height numeric\n{classes}\n@data\n30,oak\n")
    ...     train = read_clus(path)
    ...     test = read_clus(path, hierarchy=train.hierarchy)
    >>> test.y.toarray()
    array([[1, 0, 0]], dtype=int8)
    """
    clus.check_padding(padding)
    if hierarchy is not None and not isinstance(hierarchy, Hierarchy):
        raise TypeError(f"hierarchy is of type {type(hierarchy).__name__}; expected a Hierarchy or None")
    most = checked_max_memory(max_memory)
    options = ReadOptions(encoding=encoding, index_base=index_base, drop_text=drop_text, max_memory=most)
    data = _read(Path(path), options, hierarchy, padding, is_needed=True)
    assert isinstance(data, Data)  # as nobody asks for other targets
    return data


def _read(
    path: Path, options: ReadOptions, hierarchy: Hierarchy | None, padding: str | None, is_needed: bool
) -> Table | Data:
    """Read a file, once more where its rows prove to count attributes otherwise than taken."""
    base = _index_base(options.index_base)
    while True:
        with open_source(path, options.encoding, options.max_memory) as source:
            reading = _Reading(source, read_header(source), options, base)
            position = clus.class_position(source, reading.header.attributes, is_needed=is_needed)
            try:
                if position is None:
                    found: Table | Data = reading.flat()
                else:
                    found = reading.hierarchical(position, hierarchy, padding)
            except OtherBase as other:
                base = other.base
                if not path.is_file():  # what comes through a pipe can be read only once
                    raise ValueError(
                        f"{path}: the rows count attributes from {base.first}: {base.reason}; give "
                        f"index_base={base.first}"
                    ) from other
                continue
        emit_notices(source)
        return found


def _index_base(said: int | str) -> IndexBase:
    # 0 and 1 also as the command line gives them; True and False are neither.
    if isinstance(said, bool) or str(said) not in ("auto", "clus", "0", "1"):
        raise ValueError(f"index_base={shown(said)} is not known; expected 'auto', 'clus', 0 or 1")
    if said in ("auto", "clus"):
        return IndexBase(int(said == "clus"))
    return IndexBase(int(said), may_be_other=False)


class _Reading:
    """How the attributes of a file are read, given what the user says that they are for."""

    def __init__(self, source: Source, content: Header, options: ReadOptions, base: IndexBase) -> None:
        self._source, self.header, self._names = source, content, content.names
        self._options, self._base = options, base

    def flat(self) -> Table:
        """Read a file without classes of a hierarchy of CLUS."""
        options, hierarchy = self._options, None
        if options.takes_default_targets:
            targets, hierarchy = self._default_targets()
            options = replace(options, targets=targets)
        return self._read_table(self._roles(options), hierarchy)

    def hierarchical(self, position: int, hierarchy: Hierarchy | None, padding: str | None) -> Table | Data:
        """Read a file with classes of a hierarchy at this position."""
        attribute, options = self.header.attributes[position], self._options
        if options.takes_default_targets:
            options = replace(options, targets=[attribute.name])
        roles = self._roles(options)
        if position not in roles.targets:
            if roles.targets and position in roles.inputs:
                raise attribute.error(
                    self._source,
                    "has classes in a hierarchy, and the targets are others; leave it out with "
                    f"drop=[{shown(attribute.name)}]",
                )
            return self._read_table(roles, given={position: Skipped()})
        if len(roles.targets) > 1:
            problem = f"has classes in a hierarchy, and is one of {len(roles.targets)} targets"
            raise attribute.error(self._source, f"{problem}; expected it alone")
        classes = clus.Classes(self._source, attribute, padding)
        if hierarchy is None:
            hierarchy = classes.hierarchy()
        columns = self._columns(roles, {position: Parsed(classes.reader(hierarchy))})
        cells = self._cells(roles, columns)
        table = self._table(replace(roles, targets=()), columns, cells)
        X, Y = inputs(self._source.path, table), hierarchy.indicator(cells.parsed[position])
        Y = with_ancestors(Y, hierarchy, self._source.limit)
        labels, task = tuple(map(str, hierarchy.nodes)), "hierarchical multi-label"
        return Data(X, Y, table.names, labels, hierarchy, task, table.weights, table.keys)

    def _read_table(
        self, roles: Roles, hierarchy: Hierarchy | None = None, given: Mapping[int, Column] | None = None
    ) -> Table:
        columns = self._columns(roles, given or {})
        return self._table(roles, columns, self._cells(roles, columns), hierarchy)

    def _default_targets(self) -> tuple[list[str] | None, Hierarchy | None]:
        """Return what Mulan's XML file, or MEKA's mark, says: the targets, and their hierarchy."""
        path, names = self._source.path, self._names
        if beside := mulan.find_labels_file(path):
            return mulan.attributes_of_labels(beside, path, names, self._options.max_memory)
        mark = _OF_MEKA.search(self.header.relation)
        if mark is None:
            return None, None
        count = int(mark[2])
        if count > len(names):
            raise ValueError(
                f"{path}: the relation says '-C {mark[1]}{mark[2]}', {count} labels, but there are "
                f"{len(names)} attributes; give targets"
            )
        return names[len(names) - count :] if mark[1] else names[:count], None

    def _roles(self, options: ReadOptions) -> Roles:
        return options.roles(self._names, self._source.path)

    def _columns(self, roles: Roles, given: Mapping[int, Column]) -> list[Column]:
        columns: list[Column] = [Skipped()] * len(self._names)
        for is_target, positions in ((False, roles.inputs), (True, roles.targets)):
            for i in positions:
                columns[i] = given.get(i) or self._column(i, is_target, i in roles.nominal)
        return columns

    def _column(self, position: int, is_target: bool, is_nominal: bool) -> Column:
        attribute = self.header.attributes[position]
        if clus.is_key(attribute):
            if is_target:
                problem = "is among the targets, and is a key, which names the rows"
                raise attribute.error(self._source, f"{problem}; expected other targets")
            return Parsed(lambda cell: MISSING if cell is None else cell)
        if is_nominal and header.is_numeric(attribute):
            return Parsed(number_text, absent="0")
        if is_nominal and header.is_text(attribute):
            return Parsed(lambda cell: cell)
        if self._options.drop_text and not is_target and header.is_text_or_date(attribute):
            return Skipped()
        # Inputs of the values 0 and 1, as indicators of words or genes, serve as numbers, and may be sparse.
        is_input = not is_target and not is_nominal
        return header.column_of(self._source, attribute, exact=is_target, bits_are_numbers=is_input)

    def _cells(self, roles: Roles, columns: Sequence[Column]) -> Cells:
        """Read the rows below ``@data``; the first one tells whether all of them list pairs."""
        if any(isinstance(columns[i], (Nominal, Parsed)) for i in self._features(roles, columns)):
            pandas_for(self._source.path)  # before all rows are read in vain
        source, names = self._source, self._names
        first = next(iter(source), None)
        in_pairs = first is not None and first.startswith("{")
        rows: RowStore = DenseRows(source, names, columns)
        if in_pairs:
            rows = SparseRows(source, names, columns, self._base)
        # Numbers too large for single precision are looked for, and named.
        with np.errstate(over="ignore"):
            for line in chain([first], source) if first else ():
                if line.startswith("{") != in_pairs:
                    form = "{index value, ...}" if in_pairs else "values without braces"
                    raise source.error(f"expected {form}, as in the first row")
                try:
                    rows.add(line)
                except ValueError as error:
                    if isinstance(rows, SparseRows) and (other := rows.other_base(line)):
                        raise OtherBase(other) from error
                    raise
            return rows.cells()

    def _features(self, roles: Roles, columns: Sequence[Column]) -> tuple[int, ...]:
        skipped = {i for i in roles.inputs if isinstance(columns[i], Skipped)}
        skipped |= {i for i in roles.inputs if clus.is_key(self.header.attributes[i])}
        return tuple(i for i in roles.inputs if i not in skipped)

    def _table(
        self, roles: Roles, columns: Sequence[Column], cells: Cells, hierarchy: Hierarchy | None = None
    ) -> Table:
        features = self._features(roles, columns)
        keys = [cells.parsed[i] for i in roles.inputs if clus.is_key(self.header.attributes[i])]

        found: dict[int, Any] = dict(cells.columns)
        for i in (*features, *roles.targets):
            match columns[i]:
                case Nominal(values):
                    found[i] = Categories(cells.columns[i], values)
                case Parsed():
                    is_number = header.is_numeric(self.header.attributes[i])
                    found[i] = categories_of_texts(cells.parsed[i], numbers=is_number)
        return Table.of(
            self._names,
            replace(roles, inputs=features),
            cells.numbers,
            found,
            weights=cells.weights,
            keys=clus.keys(keys, self._source.limit),
            hierarchy=hierarchy,
        )
