"""NumPy's .npz files: X and y as arrays, or in CSR form, and names beside them.

A dense matrix is one array, ``X``; a sparse one is four, ``X_data``, ``X_indices``, ``X_indptr`` and
``X_shape``; so is y. Optional are ``feature_names``, ``target_names``, ``weights``, ``keys`` and, as JSON,
``hierarchy``. Names that are only numbers are a prefix and the first number, as ``feature_names_numbered``.
``task`` tells classes from numbers. Nothing pickled is read or written.
"""

from __future__ import annotations

import io
import math
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
import scipy.sparse as sp
from numpy.lib import format as npy

from slantwood.data.closure import with_ancestors
from slantwood.data.files import open_read
from slantwood.data.limits import Limit
from slantwood.data.names import NumberedNames
from slantwood.data.read_options import ReadOptions, reject_column_options
from slantwood.data.table import Categories, Data, compact, dense, is_frame, numeric_inputs
from slantwood.data.tasks import infer_task
from slantwood.features.sparse_input import csr_from_parts
from slantwood.hints import listed, shown
from slantwood.targets.hierarchy import Hierarchy
from slantwood.task_names import CLASS_TASKS, LABEL_TASKS, NUMBER_TASKS

_CSR = ("data", "indices", "indptr", "shape")
_KINDS = {"X": "biuf", "y": "biufU"}
_MATRIX_TASKS = (*LABEL_TASKS, "multi-target regression")
_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
_NUMBER = re.compile(r"[0-9]{1,18}")
_BYTES_OF_A_NAME = 80
_BYTES_OF_A_COLUMN = 200


def read(path: Path, options: ReadOptions) -> Data:
    """Read a file; it says itself what is a target. With ``targets=()`` there is no y."""
    reject_column_options(path, options)
    with open_read(path, options.max_memory, has_lines=False) as file:
        content = file if file.seekable() else io.BytesIO(file.read())
        if not zipfile.is_zipfile(content):
            raise ValueError("it is not a whole .npz file; expected one with the arrays X and y")
        with zipfile.ZipFile(content) as zipped:
            return _data(_Arrays(zipped, Limit.of(path, options.max_memory)), options)


def write(data: Data, file: IO[bytes]) -> None:
    """Write a file; nominal inputs have no place in it."""
    arrays: dict[str, Any] = _parts("X", numeric_inputs(data, "npz"))
    if is_frame(data.y):
        raise ValueError(
            f"a .npz file holds one type of targets, and the task is {data.task}; write csv, arff or parquet"
        )
    if data.y is not None:
        arrays |= _parts("y", data.y)
    for name in ("feature_names", "target_names"):
        names = getattr(data, name)
        if isinstance(names, NumberedNames):
            # Millions of names that are only numbers would be most of the file.
            arrays[f"{name}_numbered"] = np.array([names.prefix, str(names.numbers.start)])
        else:
            arrays[name] = np.array(names, dtype=str)
    for name in ("task", "weights", "keys"):
        if getattr(data, name) is not None:
            arrays[name] = np.asarray(getattr(data, name))
    for name, array in arrays.items():
        if array.dtype.hasobject:  # which would be pickled
            raise ValueError(f"a .npz file holds numbers and texts, and {name} has other values")
    if data.hierarchy is not None:
        arrays["hierarchy"] = np.array(data.hierarchy.to_json())
    np.savez_compressed(file, **arrays)


class _Arrays:
    """The arrays of an open file, by name; what one says of its size is checked before it takes memory."""

    def __init__(self, zipped: zipfile.ZipFile, limit: Limit) -> None:
        self._zipped, self.limit = zipped, limit
        self.members = {each.filename.removesuffix(".npy"): each for each in zipped.infolist()}
        self._taken = 0

    def __contains__(self, name: str) -> bool:
        return name in self.members

    def get(
        self, name: str, kinds: str, dimensions: Sequence[int], expected: str, length: int | None = None
    ) -> np.ndarray:
        """Return an array of one of these kinds of numbers or texts, and numbers of dimensions."""
        if name not in self:
            raise ValueError(f"it has no array {name}; expected one")
        self._check_size(name)
        with self._zipped.open(self.members[name]) as stream:
            array: np.ndarray = npy.read_array(stream, allow_pickle=False)
        fits = array.dtype.kind in kinds and array.ndim in dimensions
        if not fits or (length is not None and len(array) != length):
            raise ValueError(
                f"{name} has the shape {array.shape} and dtype {array.dtype}; expected {expected}"
            )
        return array

    def text(self, name: str) -> str | None:
        """Return the text of this name; None where there is none."""
        return str(self.get(name, "U", (0,), "a text")) if name in self else None

    def _check_size(self, name: str) -> None:
        member = self.members[name]
        with self._zipped.open(member) as stream:
            version = npy.read_magic(stream)
            if version not in _HEADERS:
                raise ValueError(f"{name} is in version {version} of the format; expected version (1, 0)")
            shape, _, dtype = _HEADERS[version](stream)
        if dtype.hasobject:
            raise ValueError(f"{name} holds pickled objects, which are not read; expected numbers or texts")
        # Something of size 0 takes time too, if there is much of it. Numbers are computed with as float64.
        self._taken += math.prod(max(size, 1) for size in shape) * max(dtype.itemsize, 8)
        self.limit.check(self._taken, f"{name} of the shape {shape}")
        if math.prod(shape) * dtype.itemsize > member.file_size:
            problem = f"is said to have the shape {shape}, and is not whole"
            raise ValueError(f"{name} {problem}; copy the file again")


def _parts(name: str, matrix: Any) -> dict[str, np.ndarray]:
    if not sp.issparse(matrix):
        matrix = np.asarray(matrix)
        if matrix.dtype.kind not in _KINDS[name]:
            raise ValueError(f"a .npz file holds numbers and texts, and {name} has missing or other values")
        return {name: matrix}
    matrix = sp.csr_array(matrix)
    values = (matrix.data, matrix.indices, matrix.indptr, np.array(matrix.shape))
    return {f"{name}_{part}": value for part, value in zip(_CSR, values, strict=True)}


def _data(arrays: _Arrays, options: ReadOptions) -> Data:
    X = _matrix(arrays, "X")
    if X is None:
        known = listed(list(arrays.members))
        raise ValueError(f"it has the arrays {known}; expected X, or X_data and its like")
    # Numbers too large for float32 are looked for, and named; a NaN of any kind is one.
    with np.errstate(over="ignore", invalid="ignore"):
        X = compact(X.astype(np.float32, copy=False))
    if np.isinf(X.data if sp.issparse(X) else X).any():
        raise ValueError(
            "X has numbers that are infinite, or too large for float32; expected finite numbers, or NaN "
            "where they are missing"
        )
    n_rows = X.shape[0]
    y = None if options.targets is not None else _matrix(arrays, "y")
    if y is not None and y.shape[0] != n_rows:
        raise ValueError(f"X has {n_rows} rows and y has {y.shape[0]}; expected as many")
    n_targets = 0 if y is None else 1 if y.ndim == 1 else y.shape[1]
    feature_names = _names(arrays, "feature_names", X.shape[1], "x")
    target_names = () if y is None else _names(arrays, "target_names", n_targets, "y")
    y, task = _targets(y, target_names, arrays.text("task"), options.task, arrays.limit)
    hierarchy = None
    if task in LABEL_TASKS and (text := arrays.text("hierarchy")) is not None:
        hierarchy, task = Hierarchy.from_json(text), "hierarchical multi-label"
        if len(hierarchy) != n_targets:
            raise ValueError(f"y has {n_targets} labels and hierarchy has {len(hierarchy)}; expected as many")
        y = with_ancestors(y, hierarchy, arrays.limit)
    per_row = {
        name: arrays.get(name, kinds, (1, 2), f"one for each of {n_rows} rows", n_rows)
        for name, kinds in (("weights", "biuf"), ("keys", "U"))
        if name in arrays
    }
    return Data(X, y, feature_names, target_names, hierarchy, task, **per_row)


def _targets(
    y: Any, names: Sequence[str], stored: str | None, asked: str | None, limit: Limit
) -> tuple[Any, str | None]:
    """Return y, and the task that the user tells, or else the file, or else y itself."""
    if stored is not None and stored not in (*CLASS_TASKS, *LABEL_TASKS, *NUMBER_TASKS):
        raise ValueError(f"its task is {shown(stored)}; expected one of those of slantwood.data.Data")
    # Spelling out columns of labels would take much memory.
    are_labels = sp.issparse(y) and stored not in NUMBER_TASKS and asked != "regression"
    if not are_labels and (y is None or asked is not None or stored is None):
        return infer_task(_columns(y, limit), names, asked, limit)
    stored = stored or "multi-label"
    if (y.ndim == 2) != (stored in _MATRIX_TASKS) or (y.dtype.kind == "U" and stored not in CLASS_TASKS):
        raise ValueError(f"y has the shape {y.shape} and dtype {y.dtype}, which does not fit a {stored} task")
    cells = y.data if sp.issparse(y) else y
    if stored in LABEL_TASKS and not ((cells == 0) | (cells == 1) | np.isnan(cells)).all():
        raise ValueError("y has labels other than 0, 1 and, where they are missing, NaN")
    return y, stored


def _columns(y: Any, limit: Limit) -> list[np.ndarray | Categories]:
    if y is None:
        return []
    limit.check(_BYTES_OF_A_COLUMN * math.prod(y.shape[1:]) + 8 * math.prod(y.shape), "y as columns")
    if y.dtype.kind != "U":
        y = dense(y).astype(np.float64)
        return list(y.T) if y.ndim == 2 else [y]
    if y.ndim == 2:
        raise ValueError("y has several columns of text; expected one column of classes")
    values, codes = np.unique(y, return_inverse=True)
    return [Categories(codes.astype(np.int32), tuple(map(str, values)))]


def _matrix(arrays: _Arrays, name: str) -> Any:
    if name in arrays:
        return arrays.get(name, _KINDS[name], (2,) if name == "X" else (1, 2), "a matrix of numbers")
    if f"{name}_data" not in arrays:
        return None
    data = arrays.get(f"{name}_data", "biuf", (1,), "a row of numbers")
    indices, indptr, shape = (
        arrays.get(f"{name}_{part}", "iu", (1,), "a row of whole numbers") for part in _CSR[1:]
    )
    if len(shape) != 2 or len(indptr) != int(shape[0]) + 1:
        raise ValueError(
            f"{name}_shape is {shown(shape.tolist())}, and {name}_indptr has {len(indptr)} numbers; expected "
            "the numbers of rows and of columns, and one number more than rows"
        )
    if data.dtype == np.float16:  # which SciPy does not add up
        data = data.astype(np.float32)
    matrix = csr_from_parts(data, indices, indptr, (int(shape[0]), int(shape[1])), name)
    matrix.sum_duplicates()
    return matrix


def _names(arrays: _Arrays, field: str, count: int, letter: str) -> Sequence[str]:
    if field in arrays:
        found = arrays.get(field, "biufU", (1,), "a row of texts")
        arrays.limit.check(_BYTES_OF_A_NAME * len(found), f"{field}, which are {len(found):,} texts,")
        if len(found) != count:
            raise ValueError(f"{field} has {len(found)} names for {count} columns; expected as many")
        return tuple(map(str, found.tolist()))
    if f"{field}_numbered" not in arrays:
        return NumberedNames(letter, count)
    found = arrays.get(f"{field}_numbered", "U", (1,), "two texts")
    if len(found) != 2 or not _NUMBER.fullmatch(found[1]):
        raise ValueError(
            f"{field}_numbered has {shown(found.tolist())}; expected a prefix and the first number"
        )
    return NumberedNames(str(found[0]), count, int(found[1]))
