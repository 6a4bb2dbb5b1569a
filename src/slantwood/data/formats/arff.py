"""ARFF files of Weka, Mulan, MEKA and CLUS to columns that know their role, and back.

Which attributes are targets is said by the user, by a type of CLUS, by Mulan's XML file beside, or by MEKA's
mark ``-C`` in the name of the table: ``-C 6`` for the first six, ``-C -6`` for the last.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from slantwood.data.arff import clus, mulan
from slantwood.data.arff.header import (
    Attribute,
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
from slantwood.data.arff.row_store import Cells
from slantwood.data.arff.rows import read_rows
from slantwood.data.arff.source import Source, emit_notices, open_source
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

    def content(source: Source, header: Header, base: IndexBase) -> Table | Data:
        position = clus.class_position(source, header.attributes)
        if position is not None:
            return _hierarchical(source, header, position, options, base, None, "auto")
        return _flat(source, header, options, base)

    return _read_with_base(path, options, content)


def read_hierarchical(
    path: Path, options: ReadOptions, hierarchy: Hierarchy | None, padding: str | None
) -> Data:
    """Read a file of CLUS, with another hierarchy than its own if one is given."""

    def content(source: Source, header: Header, base: IndexBase) -> Table | Data:
        position = clus.require_class_position(source, header.attributes)
        return _hierarchical(source, header, position, options, base, hierarchy, padding)

    data = _read_with_base(path, options, content)
    assert isinstance(data, Data)  # as nobody asks for other targets
    return data


def _read_with_base(
    path: Path, options: ReadOptions, content: Callable[[Source, Header, IndexBase], Table | Data]
) -> Table | Data:
    """Read the content of a file, once more where its rows prove to count attributes otherwise than taken."""
    base = _index_base(options.index_base)
    while True:
        with open_source(path, options.encoding, options.max_memory) as source:
            try:
                found = content(source, read_header(source), base)
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
    match str(said):
        case "auto":
            return IndexBase(0)
        case "clus":
            return IndexBase(1)
    return IndexBase(int(said), may_be_other=False)


def _flat(source: Source, header: Header, options: ReadOptions, base: IndexBase) -> Table:
    labels = _Labels(source, header, options.max_memory)
    options = options.with_default_targets(labels.names)
    return _Reading(source, header, options, base).table(labels.hierarchy)


def _hierarchical(
    source: Source,
    header: Header,
    position: int,
    options: ReadOptions,
    base: IndexBase,
    hierarchy: Hierarchy | None,
    padding: str | None,
) -> Table | Data:
    name = header.attributes[position].name
    reading = _Reading(source, header, options.with_default_targets(lambda: [name]), base)
    if position not in reading.roles.targets:
        if reading.roles.targets and position in reading.roles.inputs:
            raise source.error(
                f"attribute {shown(name)} has classes in a hierarchy, and the targets are others; leave it "
                f"out with drop=[{shown(name)}]",
                header.attributes[position].line,
            )
        return reading.table(leave_out=position)
    if len(reading.roles.targets) > 1:
        raise source.error(
            f"attribute {shown(name)} has classes in a hierarchy, and is one of {len(reading.roles.targets)} "
            "targets; expected it alone",
            header.attributes[position].line,
        )
    classes = clus.Classes(source, header.attributes[position], padding)
    if hierarchy is None:
        hierarchy = classes.hierarchy()
    table, label_sets = reading.table_and_parsed(position, Parsed(classes.reader(hierarchy)))
    return Data(
        inputs(source.path, table),
        hierarchy.indicator(label_sets),
        table.names,
        tuple(map(str, hierarchy.nodes)),
        hierarchy,
        "hierarchical multi-label",
        table.weights,
        table.keys,
    )


class _Labels:
    """Targets that neither the user nor a type tells: of Mulan's XML file, or of MEKA's mark."""

    def __init__(self, source: Source, header: Header, max_memory: int | None) -> None:
        self._source, self._header, self._max_memory = source, header, max_memory
        self.hierarchy: Hierarchy | None = None

    def names(self) -> list[str] | None:
        """Return the names of these attributes, or None where nothing tells."""
        beside = mulan.find_labels_file(self._source.path)
        return self._of_meka() if beside is None else self._of_mulan(beside)

    def _of_mulan(self, beside: Path) -> list[str]:
        try:
            labels = mulan.read_labels(beside, max_memory=self._max_memory)
        except ValueError as error:
            raise ValueError(
                f"{error}. The file lies beside {self._source.path}; give targets to do without it"
            ) from error
        names = self._header.names
        # Some files escape apostrophes without quotes around the name, in one of the two or in both.
        found = {_unescaped(name): name for name in names} | {name: name for name in names}
        attribute_of: dict[str, str] = {}
        for label in labels.names:
            attribute = found.get(label, found.get(_unescaped(label)))
            if attribute is None:
                raise ValueError(
                    f"{beside} has the label {shown(label)}, and {self._source.path} no attribute of this "
                    "name; expected the labels among the attributes. Give targets to do without this list"
                )
            attribute_of[label] = attribute
        chosen = set(attribute_of.values())
        if labels.hierarchy is not None:
            edges = [(attribute_of[str(a)], attribute_of[str(b)]) for a, b in labels.hierarchy.edges]
            self.hierarchy = Hierarchy([name for name in names if name in chosen], edges)
        return list(attribute_of.values())

    def _of_meka(self) -> list[str] | None:
        names = self._header.names
        mark = _OF_MEKA.search(self._header.relation)
        if mark is None:
            return None
        count = int(mark[2])
        if count > len(names):
            raise ValueError(
                f"{self._source.path}: the relation says '-C {mark[1]}{mark[2]}', {count} labels, but there "
                f"are {len(names)} attributes; give targets"
            )
        return names[len(names) - count :] if mark[1] else names[:count]


class _Reading:
    """How the attributes of a file are read, given what they are for."""

    def __init__(self, source: Source, header: Header, options: ReadOptions, base: IndexBase) -> None:
        self._source, self._attributes, self._names = source, header.attributes, header.names
        self._base, self._drop_text = base, options.drop_text
        self.roles: Roles = options.roles(self._names, source.path)

    def table(self, hierarchy: Hierarchy | None = None, leave_out: int | None = None) -> Table:
        """Read the rows; `hierarchy` is that of the targets."""
        columns = self._columns({} if leave_out is None else {leave_out: Skipped()})
        return self._table(columns, self._cells(columns), self.roles.targets, hierarchy)

    def table_and_parsed(self, position: int, parsed: Parsed) -> tuple[Table, list[Any]]:
        """Read the rows to a table without targets, and what is parsed at one position."""
        columns = self._columns({position: parsed})
        cells = self._cells(columns)
        return self._table(columns, cells, (), None), cells.parsed[position]

    def _columns(self, given: dict[int, Column]) -> list[Column]:
        columns: list[Column] = [Skipped()] * len(self._names)
        for i in self.roles.inputs:
            columns[i] = given[i] if i in given else self._column(i, is_target=False)
        for i in self.roles.targets:
            columns[i] = given[i] if i in given else self._column(i, is_target=True)
        return columns

    def _column(self, position: int, is_target: bool) -> Column:
        attribute = self._attributes[position]
        if clus.is_key(attribute):
            return self._key(attribute, is_target)
        if position in self.roles.nominal and is_numeric(attribute):
            return Parsed(number_text, absent="0")
        if position in self.roles.nominal and is_text(attribute):
            return Parsed(lambda cell: cell)
        if self._drop_text and not is_target and is_text_or_date(attribute):
            return Skipped()
        # Inputs of the values 0 and 1, as indicators of words or genes, serve as numbers, and may be sparse.
        is_input = not is_target and position not in self.roles.nominal
        return column_of(self._source, attribute, exact=is_target, bits_are_numbers=is_input)

    def _key(self, attribute: Attribute, is_target: bool) -> Parsed:
        if is_target:
            raise self._source.error(
                f"attribute {shown(attribute.name)} is among the targets, and is a key, which names the "
                "rows; expected other targets",
                attribute.line,
            )
        return Parsed(lambda cell: MISSING if cell is None else cell)

    def _cells(self, columns: Sequence[Column]) -> Cells:
        if any(_is_nominal(columns[i]) for i in self._features(columns)):
            pandas_for(self._source.path)  # before all rows are read in vain
        return read_rows(self._source, self._names, columns, self._base)

    def _features(self, columns: Sequence[Column]) -> list[int]:
        return [
            i
            for i in self.roles.inputs
            if not isinstance(columns[i], Skipped) and not clus.is_key(self._attributes[i])
        ]

    def _table(
        self, columns: Sequence[Column], cells: Cells, targets: Sequence[int], hierarchy: Hierarchy | None
    ) -> Table:
        features = self._features(columns)
        keys = [cells.parsed[i] for i in self.roles.inputs if clus.is_key(self._attributes[i])]
        return Table(
            tuple(self._names[i] for i in features),
            cells.numbers,
            {
                k: self._categories(columns[i], cells, i)
                for k, i in enumerate(features)
                if _is_nominal(columns[i])
            },
            tuple(self._names[i] for i in targets),
            [
                self._categories(columns[i], cells, i) if _is_nominal(columns[i]) else cells.exact[i]
                for i in targets
            ],
            cells.weights,
            clus.keys(keys, self._source.limit),
            hierarchy,
        )

    def _categories(self, column: Column, cells: Cells, position: int) -> Categories:
        if isinstance(column, Nominal):
            return Categories(cells.codes[position], column.values)
        return categories_of_texts(cells.parsed[position], numbers=is_numeric(self._attributes[position]))


def _is_nominal(column: Column) -> bool:
    return isinstance(column, (Nominal, Parsed))


def _unescaped(name: str) -> str:
    return re.sub(r"\\(.)", r"\1", name)
