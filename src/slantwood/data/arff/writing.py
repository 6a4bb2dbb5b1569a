"""How ARFF files are written: attributes of several kinds, and rows dense or in pairs."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from typing import IO, Any

import numpy as np
import scipy.sparse as sp

from slantwood.data.arff import clus
from slantwood.data.arff.syntax import MISSING
from slantwood.data.names import deduplicate
from slantwood.data.table import Categories, Data, categories_of_texts, is_frame, known_values
from slantwood.data.text.numbers import number_texts
from slantwood.targets.hierarchy import Hierarchy
from slantwood.task_names import CLASS_TASKS, LABEL_TASKS

_CELLS_AT_ONCE = 1 << 18
_BARE = re.compile(r"[A-Za-z0-9_.+/@:-]+")
_ESCAPES = str.maketrans({"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"})


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


def _rows_at_once(data: Data, columns: Sequence[_Attributes]) -> int:
    n_attributes = sum(len(each.names) for each in columns)
    n_listed = n_attributes if not sp.issparse(data.X) else data.X.nnz // max(1, data.X.shape[0])
    return max(1, _CELLS_AT_ONCE // max(1, n_listed))


class _Attributes(ABC):
    """One attribute or several of one kind, as they are written."""

    def __init__(self, names: Sequence[str], type: str) -> None:
        self.names, self.type = names, type

    @abstractmethod
    def cells(self, rows: slice) -> list[list[str]]:
        """Return the texts of some rows, a list for each attribute."""

    def pairs(self, rows: slice) -> list[list[tuple[int, str]]]:
        """Return for some rows which attributes they have to list, and with which texts."""
        return [list(enumerate(row)) for row in zip(*self.cells(rows), strict=True)]


class _Matrix(_Attributes):
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


class _Coded(_Attributes):
    """An attribute of nominal values."""

    def __init__(self, name: str, categories: Categories) -> None:
        self._texts = [*map(_quoted, categories.values), MISSING]  # -1, which is missing, takes the last
        super().__init__([name], "{" + ",".join(self._texts[:-1]) + "}")
        self._codes = categories.codes

    def cells(self, rows: slice) -> list[list[str]]:
        return [[self._texts[code] for code in self._codes[rows].tolist()]]


class _Keys(_Attributes):
    """Names of the rows."""

    def __init__(self, keys: np.ndarray, taken: Sequence[str]) -> None:
        self._keys = keys.reshape(len(keys), 1) if keys.ndim == 1 else keys
        names = deduplicate([*taken, *["key"] * self._keys.shape[1]])
        super().__init__(names[len(taken) :], "key")

    def cells(self, rows: slice) -> list[list[str]]:
        return [[_quoted(str(key)) for key in column] for column in self._keys[rows].T.tolist()]


class _Classes(_Attributes):
    """The labels of each row, in a hierarchy."""

    def __init__(self, hierarchy: Hierarchy, y: Any, taken: Sequence[str]) -> None:
        name = deduplicate([*taken, "class"])[-1]
        super().__init__([name], "hierarchical " + ",".join(map(_quoted, clus.entries(hierarchy))))
        self._hierarchy, self._y = hierarchy, y

    def cells(self, rows: slice) -> list[list[str]]:
        sets = self._hierarchy.label_sets(self._y[rows])
        return [[self._cell(rows.start + i, labels) for i, labels in enumerate(sets)]]

    def _cell(self, row: int, labels: Sequence[Any] | None) -> str:
        if labels is None:
            return MISSING
        if not labels:
            raise ValueError(
                f"row {row} of y has no label, which CLUS files cannot say; write npz, or leave the row out"
            )
        return _quoted(clus.AND.join(map(str, labels)))


def _names_of(data: Data) -> list[str]:
    # Labels of a hierarchy are no attributes.
    return [*data.feature_names, *(data.target_names if data.hierarchy is None else ())]


def _key_columns(data: Data) -> list[_Attributes]:
    return [] if data.keys is None else [_Keys(np.asarray(data.keys), _names_of(data))]


def _input_columns(data: Data) -> list[_Attributes]:
    if not is_frame(data.X):
        return [_Matrix(data.feature_names, "numeric", data.X)]
    columns: list[_Attributes] = []
    for j, name in enumerate(data.feature_names):
        series = data.X.iloc[:, j]
        if hasattr(series, "cat"):
            values = tuple(map(str, series.cat.categories))
            columns.append(_Coded(name, Categories(series.cat.codes.to_numpy(), values)))
        elif getattr(series.dtype, "kind", "O") in "biuf":
            columns.append(_Matrix([name], "numeric", _numbers_of(series).reshape(-1, 1)))
        else:
            texts = [None if cell is None or cell != cell else str(cell) for cell in series.tolist()]
            columns.append(_Coded(name, categories_of_texts(texts, numbers=False)))
    return columns


def _numbers_of(series: Any) -> np.ndarray:
    if isinstance(series.dtype, np.dtype):
        return series.to_numpy()
    return series.to_numpy(np.float64, na_value=np.nan)


def _target_columns(data: Data) -> list[_Attributes]:
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
    return Categories(codes, tuple(map(_class_text, values)))


def _class_text(value: Any) -> str:
    return str(value).removesuffix(".0") if isinstance(value, float) else str(value)


def _header(columns: Sequence[_Attributes], targets: Sequence[_Attributes]) -> str:
    # A hierarchical attribute tells itself that it is the target.
    n_targets = sum(len(each.names) for each in targets)
    mark = "" if any(isinstance(each, _Classes) for each in targets) else f": -C -{n_targets}"
    lines = [f"@relation 'data{mark}'"]
    lines += [f"@attribute {_quoted(name)} {each.type}" for each in columns for name in each.names]
    return "\n".join([*lines, "@data", ""])


def _values_of(columns: Sequence[_Attributes], rows: slice) -> list[str]:
    cells = [column for each in columns for column in each.cells(rows)]
    return [",".join(row) for row in zip(*cells, strict=True)]


def _pairs_of(columns: Sequence[_Attributes], rows: slice) -> list[str]:
    lines: list[list[str]] = [[] for _ in range(rows.stop - rows.start)]
    first = 0
    for each in columns:
        for line, pairs in zip(lines, each.pairs(rows), strict=True):
            line += [f"{first + i} {text}" for i, text in pairs]
        first += len(each.names)
    return ["{" + ",".join(line) + "}" for line in lines]


def _number_texts(name: str, numbers: np.ndarray) -> list[str]:
    if numbers.dtype.kind == "f" and np.isinf(numbers).any():
        raise ValueError(f"{name} has infinite values, which ARFF cannot hold")
    return number_texts(numbers, missing=MISSING)


def _quoted(text: str) -> str:
    return text if _BARE.fullmatch(text) else f"'{text.translate(_ESCAPES)}'"
