"""ARFF files of Weka, Mulan, MEKA and CLUS to columns that know their role, and back.

Which attributes are targets is said by the user, by a type of CLUS, by Mulan's XML file beside, or by MEKA's
mark ``-C`` in the name of the table: ``-C 6`` for the first six, ``-C -6`` for the last.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

import numpy as np
import scipy.sparse as sp

from slantwood.data import arff, clus, mulan
from slantwood.data.arff import Attribute, Column, Header, Nominal, Parsed, Skipped, Source
from slantwood.data.arff_rows import Cells, read_rows
from slantwood.data.index_base import IndexBase, OtherBase
from slantwood.data.inputs import inputs, pandas_for
from slantwood.data.names import told_apart
from slantwood.data.table import Categories, Data, Table, is_frame, known_values
from slantwood.data.wanted import Roles, Wanted
from slantwood.hints import shown
from slantwood.targets.hierarchy import Hierarchy
from slantwood.task_names import CLASS_TASKS, LABEL_TASKS

_OF_MEKA = re.compile(r"(?:^|(?<=[ \t:]))-C[ \t]++(-?)([0-9]{1,9})(?![^ \t'\"])")
_CELLS_AT_ONCE = 1 << 18
_BARE = re.compile(r"[A-Za-z0-9_.+/@:-]+")
_ESCAPES = str.maketrans({"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def read(path: Path, wanted: Wanted) -> Table | Data:
    """Read a file; one with a hierarchy says itself what is a target."""

    def content(source: Source, header: Header, base: IndexBase) -> Table | Data:
        position = clus.class_position(source, header.attributes)
        if position is not None:
            return _hierarchical(source, header, position, wanted, base, None, "auto")
        return _flat(source, header, wanted, base)

    return _understood(path, wanted, content)


def read_hierarchical(path: Path, wanted: Wanted, hierarchy: Hierarchy | None, padding: str | None) -> Data:
    """Read a file of CLUS, with another hierarchy than its own if one is given."""

    def content(source: Source, header: Header, base: IndexBase) -> Table | Data:
        position = clus.needed_class_position(source, header.attributes)
        return _hierarchical(source, header, position, wanted, base, hierarchy, padding)

    data = _understood(path, wanted, content)
    assert isinstance(data, Data)  # as nobody asks for other targets
    return data


def _understood(
    path: Path, wanted: Wanted, content: Callable[[Source, Header, IndexBase], Table | Data]
) -> Table | Data:
    """Read the content of a file, once more where its rows prove to count attributes otherwise than taken."""
    base = _index_base(wanted.index_base)
    while True:
        with arff.opened(path, wanted.encoding, wanted.max_memory) as source:
            try:
                found = content(source, arff.read_header(source), base)
            except OtherBase as other:
                base = other.base
                if not path.is_file():  # what comes through a pipe can be read only once
                    raise ValueError(
                        f"{path}: the rows count attributes from {base.first}: {base.reason}; give "
                        f"index_base={base.first}"
                    ) from other
                continue
        arff.warn_of(source)
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


def _flat(source: Source, header: Header, wanted: Wanted, base: IndexBase) -> Table:
    labels = _Labels(source, header, wanted.max_memory)
    wanted = wanted.or_targets(labels.names)
    return _Reading(source, header, wanted, base).table(labels.hierarchy)


def _hierarchical(
    source: Source,
    header: Header,
    position: int,
    wanted: Wanted,
    base: IndexBase,
    hierarchy: Hierarchy | None,
    padding: str | None,
) -> Table | Data:
    name = header.attributes[position].name
    reading = _Reading(source, header, wanted.or_targets(lambda: [name]), base)
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
        beside = mulan.labels_beside(self._source.path)
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

    def __init__(self, source: Source, header: Header, wanted: Wanted, base: IndexBase) -> None:
        self._source, self._attributes, self._names = source, header.attributes, header.names
        self._base, self._drop_text = base, wanted.drop_text
        self.roles: Roles = wanted.roles(self._names, source.path)

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
        if position in self.roles.nominal and arff.is_numeric(attribute):
            return Parsed(arff.number_text, absent="0")
        if position in self.roles.nominal and arff.is_text(attribute):
            return Parsed(lambda cell: cell)
        if self._drop_text and not is_target and arff.is_text_or_date(attribute):
            return Skipped()
        # Inputs of the values 0 and 1, as indicators of words or genes, serve as numbers, and may be sparse.
        is_input = not is_target and position not in self.roles.nominal
        return arff.column(self._source, attribute, exact=is_target, bits_are_numbers=is_input)

    def _key(self, attribute: Attribute, is_target: bool) -> Parsed:
        if is_target:
            raise self._source.error(
                f"attribute {shown(attribute.name)} is among the targets, and is a key, which names the "
                "rows; expected other targets",
                attribute.line,
            )
        return Parsed(lambda cell: arff.MISSING if cell is None else cell)

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
        return _categories_of_texts(
            cells.parsed[position], numbers=arff.is_numeric(self._attributes[position])
        )


def _is_nominal(column: Column) -> bool:
    return isinstance(column, (Nominal, Parsed))


def _categories_of_texts(texts: Sequence[str | None], numbers: bool) -> Categories:
    known = {text for text in texts if text is not None}
    values = sorted(known, key=lambda text: (float(text), text)) if numbers else sorted(known)
    code: dict[str | None, int] = {text: i for i, text in enumerate(values)}
    code[None] = -1
    return Categories(np.fromiter(map(code.__getitem__, texts), np.int32, len(texts)), tuple(values))


def _unescaped(name: str) -> str:
    return re.sub(r"\\(.)", r"\1", name)


# ---- writing


def write(data: Data, file: IO[bytes]) -> None:
    """Write a file: keys, inputs, then targets; where X is sparse, rows list only what is not zero.

    MEKA's mark says how many targets there are. Labels of a hierarchy become one attribute of CLUS, and whole
    numbers that are classes become texts.
    """
    targets = _target_columns(data)
    columns = [*_key_columns(data), *_input_columns(data), *targets]
    file.write(_header(columns, targets).encode())
    n_rows = data.X.shape[0]
    step = _rows_at_once(data, columns)
    for start in range(0, n_rows, step):
        rows = slice(start, min(start + step, n_rows))
        lines = _pairs_of(columns, rows) if sp.issparse(data.X) else _values_of(columns, rows)
        if data.weights is not None:
            weights = _number_texts("weights", np.asarray(data.weights[rows], np.float64))
            lines = [f"{line},{{{weight}}}" for line, weight in zip(lines, weights, strict=True)]
        file.write("".join(f"{line}\n" for line in lines).encode())


def _rows_at_once(data: Data, columns: Sequence[_Written]) -> int:
    n_attributes = sum(len(each.names) for each in columns)
    n_listed = n_attributes if not sp.issparse(data.X) else data.X.nnz // max(1, data.X.shape[0])
    return max(1, _CELLS_AT_ONCE // max(1, n_listed))


class _Written(ABC):
    """One attribute or several of one kind, as they are written."""

    def __init__(self, names: Sequence[str], type: str) -> None:
        self.names, self.type = names, type

    @abstractmethod
    def cells(self, rows: slice) -> list[list[str]]:
        """Return the texts of some rows, a list for each attribute."""

    def pairs(self, rows: slice) -> list[list[tuple[int, str]]]:
        """Return for some rows which attributes they have to list, and with which texts."""
        return [list(enumerate(row)) for row in zip(*self.cells(rows), strict=True)]


class _Matrix(_Written):
    """Numbers side by side, or labels; zeros need not be listed."""

    def __init__(self, names: Sequence[str], type: str, matrix: Any) -> None:
        super().__init__(names, type)
        self._matrix = matrix

    def cells(self, rows: slice) -> list[list[str]]:
        block = self._matrix[rows]
        block = block.toarray() if sp.issparse(block) else np.asarray(block)
        return [_number_texts(name, column) for name, column in zip(self.names, block.T, strict=True)]

    def pairs(self, rows: slice) -> list[list[tuple[int, str]]]:
        block = sp.csr_array(self._matrix[rows])
        block.sum_duplicates()  # which also sorts
        block.eliminate_zeros()
        named = f"one of {', '.join(map(repr, self.names[:3]))}, ..."
        pairs = list(zip(block.indices.tolist(), _number_texts(named, block.data), strict=True))
        return [pairs[start:stop] for start, stop in pairwise(block.indptr.tolist())]


class _Coded(_Written):
    """An attribute of nominal values."""

    def __init__(self, name: str, categories: Categories) -> None:
        self._texts = [*map(_quoted, categories.values), arff.MISSING]  # -1, which is missing, takes the last
        super().__init__([name], "{" + ",".join(self._texts[:-1]) + "}")
        self._codes = categories.codes

    def cells(self, rows: slice) -> list[list[str]]:
        return [[self._texts[code] for code in self._codes[rows].tolist()]]


class _Keys(_Written):
    """Names of the rows."""

    def __init__(self, keys: np.ndarray, taken: Sequence[str]) -> None:
        self._keys = keys.reshape(len(keys), 1) if keys.ndim == 1 else keys
        names = told_apart([*taken, *["key"] * self._keys.shape[1]])
        super().__init__(names[len(taken) :], "key")

    def cells(self, rows: slice) -> list[list[str]]:
        return [[_quoted(str(key)) for key in column] for column in self._keys[rows].T.tolist()]


class _Classes(_Written):
    """The labels of each row, in a hierarchy."""

    def __init__(self, hierarchy: Hierarchy, y: Any, taken: Sequence[str]) -> None:
        name = told_apart([*taken, "class"])[-1]
        super().__init__([name], "hierarchical " + ",".join(map(_quoted, clus.entries(hierarchy))))
        self._hierarchy, self._y = hierarchy, y

    def cells(self, rows: slice) -> list[list[str]]:
        sets = self._hierarchy.label_sets(self._y[rows])
        return [[self._cell(rows.start + i, labels) for i, labels in enumerate(sets)]]

    def _cell(self, row: int, labels: Sequence[Any] | None) -> str:
        if labels is None:
            return arff.MISSING
        if not labels:
            raise ValueError(
                f"row {row} of y has no label, which CLUS files cannot say; write npz, or leave the row out"
            )
        return _quoted(clus.AND.join(map(str, labels)))


def _names_of(data: Data) -> list[str]:
    # Labels of a hierarchy are no attributes.
    return [*data.feature_names, *(data.target_names if data.hierarchy is None else ())]


def _key_columns(data: Data) -> list[_Written]:
    return [] if data.keys is None else [_Keys(np.asarray(data.keys), _names_of(data))]


def _input_columns(data: Data) -> list[_Written]:
    if not is_frame(data.X):
        return [_Matrix(data.feature_names, "numeric", data.X)]
    columns: list[_Written] = []
    for j, name in enumerate(data.feature_names):
        series = data.X.iloc[:, j]
        if hasattr(series, "cat"):
            values = tuple(map(str, series.cat.categories))
            columns.append(_Coded(name, Categories(series.cat.codes.to_numpy(), values)))
        elif getattr(series.dtype, "kind", "O") in "biuf":
            columns.append(_Matrix([name], "numeric", _numbers_of(series).reshape(-1, 1)))
        else:
            texts = [None if cell is None or cell != cell else str(cell) for cell in series.tolist()]
            columns.append(_Coded(name, _categories_of_texts(texts, numbers=False)))
    return columns


def _numbers_of(series: Any) -> np.ndarray:
    if isinstance(series.dtype, np.dtype):
        return series.to_numpy()
    return series.to_numpy(np.float64, na_value=np.nan)


def _target_columns(data: Data) -> list[_Written]:
    if data.y is None:
        return []
    if data.hierarchy is not None:
        return [_Classes(data.hierarchy, data.y, _names_of(data))]
    if data.task in LABEL_TASKS or sp.issparse(data.y):
        return [_Matrix(data.target_names, "{0,1}", data.y)]
    y = np.asarray(data.y)
    if data.task in CLASS_TASKS or y.dtype.kind not in "biuf":
        return [_Coded(data.target_names[0], _categories_of_classes(y))]
    return [_Matrix(data.target_names, "numeric", y.reshape(len(y), len(data.target_names)))]


def _categories_of_classes(y: np.ndarray) -> Categories:
    values = sorted(known_values(y), key=lambda value: (isinstance(value, str), value))
    code = {value: i for i, value in enumerate(values)}
    codes = np.array([code.get(value, -1) for value in y.tolist()], np.int64)
    return Categories(
        codes, tuple(_number_text(value) if isinstance(value, float) else str(value) for value in values)
    )


def _header(columns: Sequence[_Written], targets: Sequence[_Written]) -> str:
    # A hierarchical attribute tells itself that it is the target.
    n_targets = sum(len(each.names) for each in targets)
    mark = "" if any(isinstance(each, _Classes) for each in targets) else f": -C -{n_targets}"
    lines = [f"@relation 'data{mark}'"]
    lines += [f"@attribute {_quoted(name)} {each.type}" for each in columns for name in each.names]
    return "\n".join([*lines, "@data", ""])


def _values_of(columns: Sequence[_Written], rows: slice) -> list[str]:
    cells = [column for each in columns for column in each.cells(rows)]
    return [",".join(row) for row in zip(*cells, strict=True)]


def _pairs_of(columns: Sequence[_Written], rows: slice) -> list[str]:
    lines: list[list[str]] = [[] for _ in range(rows.stop - rows.start)]
    first = 0
    for each in columns:
        for line, pairs in zip(lines, each.pairs(rows), strict=True):
            line += [f"{first + i} {text}" for i, text in pairs]
        first += len(each.names)
    return ["{" + ",".join(line) + "}" for line in lines]


def _number_texts(name: str, numbers: np.ndarray) -> list[str]:
    if numbers.dtype.kind != "f":
        return list(map(str, numbers.astype(np.int64).tolist()))
    if np.isinf(numbers).any():
        raise ValueError(f"{name} has infinite values, which ARFF cannot hold")
    # NumPy knows that a number of single precision needs fewer digits.
    texts = numbers.astype(str).tolist() if numbers.dtype == np.float32 else map(repr, numbers.tolist())
    return list(map(_tidy, texts))


def _number_text(number: float) -> str:
    return _tidy(repr(number))


def _tidy(number: str) -> str:
    return arff.MISSING if number == "nan" else number.removesuffix(".0")


def _quoted(text: str) -> str:
    return text if _BARE.fullmatch(text) else f"'{text.translate(_ESCAPES)}'"
