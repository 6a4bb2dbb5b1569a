"""ARFF files of Weka, Mulan, MEKA and CLUS to columns that know their role, and back.

Which attributes are targets is said by the user, by a type of CLUS, by Mulan's XML file beside, or by MEKA's
mark ``-C`` in the name of the table: ``-C 6`` for the first six, ``-C -6`` for the last.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from slantwood.data.arff import clus, mulan
from slantwood.data.arff.dense_rows import DenseRows
from slantwood.data.arff.header import (
    Column,
    Header,
    Nominal,
    Parsed,
    Skipped,
    column_of,
    is_numeric,
    is_text,
    is_text_or_date,
    read_header,
)
from slantwood.data.arff.index_base import IndexBase, OtherBase
from slantwood.data.arff.row_store import Cells, RowStore
from slantwood.data.arff.source import Source, emit_notices, open_source
from slantwood.data.arff.sparse_rows import SparseRows
from slantwood.data.arff.syntax import MISSING, number_text
from slantwood.data.arff.writing import write
from slantwood.data.inputs import inputs, pandas_for
from slantwood.data.read_options import ReadOptions, Roles
from slantwood.data.table import Categories, Data, Table, categories_of_texts
from slantwood.hints import shown
from slantwood.targets.hierarchy import Hierarchy

__all__ = ["read", "read_hierarchical", "write"]

_OF_MEKA = re.compile(r"(?:^|(?<=[ \t:]))-C[ \t]++(-?)([0-9]{1,9})(?![^ \t'\"])")


def read(path: Path, options: ReadOptions) -> Table | Data:
    """Read a file; one with a hierarchy says itself what is a target."""
    return _read(path, options, None, "auto", needs_hierarchy=False)


def read_hierarchical(
    path: Path, options: ReadOptions, hierarchy: Hierarchy | None, padding: str | None
) -> Data:
    """Read a file of CLUS, with another hierarchy than its own if one is given."""
    data = _read(path, options, hierarchy, padding, needs_hierarchy=True)
    assert isinstance(data, Data)  # as nobody asks for other targets
    return data


def _read(
    path: Path,
    options: ReadOptions,
    hierarchy: Hierarchy | None,
    padding: str | None,
    *,
    needs_hierarchy: bool,
) -> Table | Data:
    """Read a file, once more where its rows prove to count attributes otherwise than taken."""
    base = _index_base(options.index_base)
    while True:
        with open_source(path, options.encoding, options.max_memory) as source:
            reading = _Reading(source, read_header(source), options, base)
            position = clus.class_position(source, reading.header.attributes, is_needed=needs_hierarchy)
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

    def __init__(self, source: Source, header: Header, options: ReadOptions, base: IndexBase) -> None:
        self._source, self.header, self._names = source, header, header.names
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
        attribute = self.header.attributes[position]
        options, name = self._options, shown(attribute.name)
        roles = self._roles(
            replace(options, targets=[attribute.name]) if options.takes_default_targets else options
        )
        if position not in roles.targets:
            if roles.targets and position in roles.inputs:
                raise self._source.error(
                    f"attribute {name} has classes in a hierarchy, and the targets are others; leave it "
                    f"out with drop=[{name}]",
                    attribute.line,
                )
            return self._read_table(roles, given={position: Skipped()})
        if len(roles.targets) > 1:
            raise self._source.error(
                f"attribute {name} has classes in a hierarchy, and is one of {len(roles.targets)} "
                "targets; expected it alone",
                attribute.line,
            )
        classes = clus.Classes(self._source, attribute, padding)
        if hierarchy is None:
            hierarchy = classes.hierarchy()
        columns = self._columns(roles, {position: Parsed(classes.reader(hierarchy))})
        cells = self._cells(roles, columns)
        table = self._table(replace(roles, targets=()), columns, cells)
        return Data(
            inputs(self._source.path, table),
            hierarchy.indicator(cells.parsed[position]),
            table.names,
            tuple(map(str, hierarchy.nodes)),
            hierarchy,
            "hierarchical multi-label",
            table.weights,
            table.keys,
        )

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
        for i in (*roles.inputs, *roles.targets):
            columns[i] = given[i] if i in given else self._column(i, roles)
        return columns

    def _column(self, position: int, roles: Roles) -> Column:
        attribute = self.header.attributes[position]
        is_target, is_nominal = position in roles.targets, position in roles.nominal
        if clus.is_key(attribute):
            if is_target:
                raise self._source.error(
                    f"attribute {shown(attribute.name)} is among the targets, and is a key, which names the "
                    "rows; expected other targets",
                    attribute.line,
                )
            return Parsed(lambda cell: MISSING if cell is None else cell)
        if is_nominal and is_numeric(attribute):
            return Parsed(number_text, absent="0")
        if is_nominal and is_text(attribute):
            return Parsed(lambda cell: cell)
        if self._options.drop_text and not is_target and is_text_or_date(attribute):
            return Skipped()
        # Inputs of the values 0 and 1, as indicators of words or genes, serve as numbers, and may be sparse.
        is_input = not is_target and not is_nominal
        return column_of(self._source, attribute, exact=is_target, bits_are_numbers=is_input)

    def _cells(self, roles: Roles, columns: Sequence[Column]) -> Cells:
        """Read the rows below ``@data``; the first one tells whether all of them list pairs."""
        if any(_is_nominal(columns[i]) for i in self._features(roles, columns)):
            pandas_for(self._source.path)  # before all rows are read in vain
        source, names = self._source, self._names
        rows: RowStore = DenseRows(source, names, columns)
        all_in_pairs = None
        # Numbers too large for single precision are looked for, and named.
        with np.errstate(over="ignore"):
            for line in source:
                in_pairs = line.startswith("{")
                if all_in_pairs is None and in_pairs:
                    rows = SparseRows(source, names, columns, self._base)
                all_in_pairs = in_pairs if all_in_pairs is None else all_in_pairs
                if in_pairs != all_in_pairs:
                    form = "values without braces" if in_pairs else "{index value, ...}"
                    raise source.error(f"expected {form}, as in the first row")
                try:
                    rows.add(line)
                except ValueError as error:
                    if other := rows.other_base(line):
                        raise OtherBase(other) from error
                    raise
            return rows.cells()

    def _features(self, roles: Roles, columns: Sequence[Column]) -> list[int]:
        skipped = {i for i in roles.inputs if isinstance(columns[i], Skipped)}
        return [i for i in roles.inputs if i not in skipped and not clus.is_key(self.header.attributes[i])]

    def _table(
        self, roles: Roles, columns: Sequence[Column], cells: Cells, hierarchy: Hierarchy | None = None
    ) -> Table:
        features = self._features(roles, columns)
        keys = [cells.parsed[i] for i in roles.inputs if clus.is_key(self.header.attributes[i])]

        def categories(i: int) -> Categories:
            column = columns[i]
            if isinstance(column, Nominal):
                return Categories(cells.columns[i], column.values)
            is_number = is_numeric(self.header.attributes[i])
            return categories_of_texts(cells.parsed[i], numbers=is_number)

        return Table(
            tuple(self._names[i] for i in features),
            cells.numbers,
            {rank: categories(i) for rank, i in enumerate(features) if _is_nominal(columns[i])},
            tuple(self._names[i] for i in roles.targets),
            [categories(i) if _is_nominal(columns[i]) else cells.columns[i] for i in roles.targets],
            cells.weights,
            clus.keys(keys, self._source.limit),
            hierarchy,
        )


def _is_nominal(column: Column) -> bool:
    return isinstance(column, (Nominal, Parsed))
