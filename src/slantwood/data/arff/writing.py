"""How ARFF files are written: attributes of several kinds, and rows dense or in pairs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import IO, Any

import numpy as np
import scipy.sparse as sp

from slantwood.data.arff import clus
from slantwood.data.arff.syntax import MISSING
from slantwood.data.names import deduplicate
from slantwood.data.table import Categories, Data, categories_of_texts, dense, is_frame, known_values
from slantwood.data.text.numbers import number_texts
from slantwood.targets.hierarchy import Hierarchy
from slantwood.task_names import CLASS_TASKS, LABEL_TASKS

_CELLS_AT_ONCE = 1 << 18
_BARE = re.compile(r"[A-Za-z0-9_.+/@:-]+")
_ESCAPES = str.maketrans({"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"})


@dataclass(frozen=True)
class _Attributes:
    """One attribute or several of one type, as they are written.

    `cells` returns the texts of some rows, a list for each attribute. Of a `matrix` of numbers or labels,
    zeros need not be listed.
    """

    names: Sequence[str]
    type: str
    cells: Callable[[slice], list[list[str]]]
    matrix: Any = None

    def pairs(self, rows: slice) -> list[list[tuple[int, str]]]:
        """Return for some rows which attributes they have to list, and with which texts."""
        if self.matrix is None:
            return [list(enumerate(row)) for row in zip(*self.cells(rows), strict=True)]
        block = sp.csr_array(self.matrix[rows])
        block.sum_duplicates()  # which also sorts
        block.eliminate_zeros()
        pairs = list(zip(block.indices.tolist(), number_texts(block.data, MISSING), strict=True))
        return [pairs[start:stop] for start, stop in pairwise(block.indptr.tolist())]


def write(data: Data, file: IO[bytes]) -> None:
    """Write a file: keys, inputs, then targets; where X is sparse, rows list only what is not zero.

    MEKA's mark says how many targets there are. Labels of a hierarchy become one attribute of CLUS, and whole
    numbers that are classes become texts.
    """
    targets = _target_columns(data)
    columns = [*_key_columns(data), *_input_columns(data), *targets]
    n_targets = sum(len(each.names) for each in targets)
    # A hierarchical attribute tells itself that it is the target.
    mark = f": -C -{n_targets}" if data.y is None or data.hierarchy is None else ""
    lines = [f"@relation 'data{mark}'"]
    lines += [f"@attribute {_quoted(name)} {each.type}" for each in columns for name in each.names]
    file.write("\n".join([*lines, "@data", ""]).encode())
    n_rows = data.X.shape[0]
    n_listed = sum(len(each.names) for each in columns)
    if sp.issparse(data.X):
        n_listed = data.X.nnz // max(1, n_rows)
    step = max(1, _CELLS_AT_ONCE // max(1, n_listed))
    for start in range(0, n_rows, step):
        rows = slice(start, min(start + step, n_rows))
        lines = _lines(columns, rows, in_pairs=sp.issparse(data.X))
        if data.weights is not None:
            weights = np.asarray(data.weights[rows], np.float64)
            if np.isinf(weights).any():
                raise ValueError("weights has infinite values, which ARFF cannot hold")
            texts = number_texts(weights, MISSING)
            lines = [f"{line},{{{weight}}}" for line, weight in zip(lines, texts, strict=True)]
        file.write("".join(f"{line}\n" for line in lines).encode())


def _matrix(names: Sequence[str], type: str, matrix: Any) -> _Attributes:
    """Return numbers side by side, or labels."""

    def cells(rows: slice) -> list[list[str]]:
        return [number_texts(column, MISSING) for column in dense(matrix[rows]).T]

    return _Attributes(names, type, cells, matrix)


def _coded(name: str, categories: Categories) -> _Attributes:
    """Return an attribute of nominal values."""
    texts = [*map(_quoted, categories.values), MISSING]  # -1, which is missing, takes the last

    def cells(rows: slice) -> list[list[str]]:
        return [[texts[code] for code in categories.codes[rows].tolist()]]

    return _Attributes([name], "{" + ",".join(texts[:-1]) + "}", cells)


def _classes(hierarchy: Hierarchy, y: Any, name: str) -> _Attributes:
    """Return the most specific labels of each row, in a hierarchy."""

    def cell(row: int, labels: Sequence[Any] | None) -> str:
        if labels is None:
            return MISSING
        if not labels:
            raise ValueError(
                f"row {row} of y has no label, which CLUS files cannot say; write npz, or leave the row out"
            )
        return _quoted(clus.AND.join(map(str, labels)))

    def cells(rows: slice) -> list[list[str]]:
        sets = hierarchy.label_sets(y[rows])
        known = np.flatnonzero([labels is not None for labels in sets])
        specific = hierarchy.label_sets(hierarchy.most_specific(y[rows][known]))
        for row, labels in zip(known.tolist(), specific, strict=True):
            sets[row] = labels
        return [[cell(row, labels) for row, labels in enumerate(sets, rows.start)]]

    return _Attributes([name], "hierarchical " + ",".join(map(_quoted, clus.entries(hierarchy))), cells)


def _new_names(data: Data, *names: str) -> tuple[str, ...]:
    """Return names for attributes that the data has no names for."""
    # Labels of a hierarchy are no attributes.
    taken = [*data.feature_names, *(data.target_names if data.hierarchy is None else ())]
    return deduplicate([*taken, *names])[len(taken) :]


def _key_columns(data: Data) -> list[_Attributes]:
    if data.keys is None:
        return []
    keys = np.asarray(data.keys)
    keys = keys[:, np.newaxis] if keys.ndim == 1 else keys

    def cells(rows: slice) -> list[list[str]]:
        return [[_quoted(str(key)) for key in column] for column in keys[rows].T.tolist()]

    return [_Attributes(_new_names(data, *["key"] * keys.shape[1]), "key", cells)]


def _input_columns(data: Data) -> list[_Attributes]:
    if not is_frame(data.X):
        return [_matrix(data.feature_names, "numeric", data.X)]
    return _frame_columns(data.feature_names, data.X)


def _frame_columns(names: Sequence[str], frame: Any, *, whole_are_classes: bool = False) -> list[_Attributes]:
    columns: list[_Attributes] = []
    for j, name in enumerate(names):
        series = frame.iloc[:, j]
        if hasattr(series, "cat"):
            values = tuple(map(str, series.cat.categories))
            columns.append(_coded(name, Categories(series.cat.codes.to_numpy(), values)))
        elif whole_are_classes and getattr(series.dtype, "kind", "O") in "biu":
            columns.append(_coded(name, _categories_of_classes(series.to_numpy())))
        elif getattr(series.dtype, "kind", "O") in "biuf":
            is_plain = isinstance(series.dtype, np.dtype)
            numbers = series.to_numpy() if is_plain else series.to_numpy(np.float64, na_value=np.nan)
            columns.append(_matrix([name], "numeric", numbers.reshape(-1, 1)))
        else:
            texts = [None if cell is None or cell != cell else str(cell) for cell in series.tolist()]
            columns.append(_coded(name, categories_of_texts(texts, numbers=False)))
    return columns


def _target_columns(data: Data) -> list[_Attributes]:
    if data.y is None:
        return []
    if data.hierarchy is not None:
        return [_classes(data.hierarchy, data.y, *_new_names(data, "class"))]
    if data.task in LABEL_TASKS or sp.issparse(data.y):
        return [_matrix(data.target_names, "{0,1}", data.y)]
    if is_frame(data.y):
        return _frame_columns(data.target_names, data.y, whole_are_classes=True)
    y = np.asarray(data.y)
    if data.task in CLASS_TASKS or y.dtype.kind not in "biuf":
        return [_coded(data.target_names[0], _categories_of_classes(y))]
    return [_matrix(data.target_names, "numeric", y.reshape(len(y), len(data.target_names)))]


def _categories_of_classes(y: np.ndarray) -> Categories:
    values = sorted(known_values(y), key=lambda value: (isinstance(value, str), value))
    code = {value: i for i, value in enumerate(values)}
    codes = np.array([code.get(value, -1) for value in y.tolist()], np.int64)
    texts = (str(value).removesuffix(".0") if isinstance(value, float) else str(value) for value in values)
    return Categories(codes, tuple(texts))


def _lines(columns: Sequence[_Attributes], rows: slice, in_pairs: bool) -> list[str]:
    if not in_pairs:
        cells = [column for each in columns for column in each.cells(rows)]
        return [",".join(row) for row in zip(*cells, strict=True)]
    listed: list[list[str]] = [[] for _ in range(rows.stop - rows.start)]
    first = 0
    for each in columns:
        for line, pairs in zip(listed, each.pairs(rows), strict=True):
            line += [f"{first + i} {text}" for i, text in pairs]
        first += len(each.names)
    return ["{" + ",".join(line) + "}" for line in listed]


def _quoted(text: str) -> str:
    return text if _BARE.fullmatch(text) else f"'{text.translate(_ESCAPES)}'"
