"""NumPy's .npz files: X and y as arrays, or in CSR form, and names beside them.

A dense matrix is one array, ``X``; a sparse one is four, ``X_data``, ``X_indices``, ``X_indptr`` and
``X_shape``; so is y. Optional are ``feature_names``, ``target_names``, ``weights``, ``keys`` and, as JSON,
``hierarchy``. ``task`` tells classes from numbers. Nothing pickled is read or written.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import IO, Any

import numpy as np
import scipy.sparse as sp

from slantwood.data.files import opened
from slantwood.data.table import (
    Categories,
    Data,
    compact,
    matrix_of_inputs,
)
from slantwood.data.tasks import posed
from slantwood.data.wanted import Wanted, refuse_columns
from slantwood.targets.hierarchy import Hierarchy
from slantwood.task_names import CLASS_TASKS, LABEL_TASKS, NUMBER_TASKS

_CSR = ("data", "indices", "indptr", "shape")
_KINDS = {"X": "biuf", "y": "biufU"}
_MATRIX_TASKS = (*LABEL_TASKS, "multi-target regression")


def read(path: Path, wanted: Wanted) -> Data:
    """Read a file; it says itself what is a target. With ``targets=()`` there is no y."""
    refuse_columns(path, wanted)
    try:
        with opened(path) as file:
            content = file if file.seekable() else io.BytesIO(file.read())
            if not zipfile.is_zipfile(content):
                raise ValueError("it is no .npz file, or not whole; expected arrays X and y in one")
            content.seek(0)
            with np.load(content, allow_pickle=False) as arrays:
                return _data(arrays, wanted)
    except (KeyError, ValueError, zipfile.BadZipFile, EOFError) as error:
        raise ValueError(f"{path}: {error}") from error
    except MemoryError as error:
        raise ValueError(f"{path}: its arrays are larger than the memory") from error


def write(data: Data, file: IO[bytes]) -> None:
    """Write a file; nominal inputs have no place in it."""
    arrays: dict[str, Any] = _parts("X", matrix_of_inputs(data, "npz"))
    if data.y is not None:
        arrays |= _parts("y", data.y)
    arrays |= {"feature_names": np.array(data.feature_names, dtype=str)}
    arrays |= {"target_names": np.array(data.target_names, dtype=str)}
    for name, value in (("task", data.task), ("weights", data.weights), ("keys", data.keys)):
        if value is not None:
            arrays[name] = np.asarray(value)
    for name, array in arrays.items():
        if array.dtype.hasobject:  # which would be pickled
            raise ValueError(f"a .npz file holds numbers and texts, and {name} has other values")
    if data.hierarchy is not None:
        arrays["hierarchy"] = np.array(data.hierarchy.to_json())
    np.savez_compressed(file, **arrays)


def _parts(name: str, matrix: Any) -> dict[str, np.ndarray]:
    if not sp.issparse(matrix):
        matrix = np.asarray(matrix)
        if matrix.dtype.kind not in _KINDS[name]:
            raise ValueError(f"a .npz file holds numbers and texts, and {name} has missing or other values")
        return {name: matrix}
    matrix = sp.csr_array(matrix)
    values = (matrix.data, matrix.indices, matrix.indptr, np.array(matrix.shape))
    return {f"{name}_{part}": value for part, value in zip(_CSR, values, strict=True)}


def _data(arrays: Any, wanted: Wanted) -> Data:
    X = _inputs(arrays)
    n_rows = X.shape[0]
    y = None if wanted.targets is not None else _matrix(arrays, "y")
    if y is not None and y.shape[0] != n_rows:
        raise ValueError(f"X has {n_rows} rows and y has {y.shape[0]}; expected as many")
    n_targets = 0 if y is None else 1 if y.ndim == 1 else y.shape[1]
    feature_names = _names(arrays, "feature_names", X.shape[1], "x")
    target_names = () if y is None else _names(arrays, "target_names", n_targets, "y")
    y, task = _targets(y, target_names, str(arrays["task"]) if "task" in arrays else None, wanted.task)
    hierarchy = None
    if task in LABEL_TASKS and "hierarchy" in arrays:
        hierarchy, task = Hierarchy.from_json(str(arrays["hierarchy"])), "hierarchical multi-label"
        if len(hierarchy) != n_targets:
            raise ValueError(f"y has {n_targets} labels and hierarchy has {len(hierarchy)}; expected as many")
    weights, keys = _per_row(arrays, "weights", n_rows, "biuf"), _per_row(arrays, "keys", n_rows, "U")
    return Data(X, y, feature_names, target_names, hierarchy, task, weights, keys)


def _inputs(arrays: Any) -> Any:
    X = _matrix(arrays, "X")
    if X is None:
        raise ValueError(f"it has the arrays {', '.join(arrays.files)}; expected X, or X_data and its like")
    with np.errstate(over="ignore"):  # numbers too large for float32 are looked for, and named
        X = X.astype(np.float32, copy=False)
    if np.isinf(X.data if sp.issparse(X) else X).any():
        raise ValueError(
            "X has numbers that are infinite, or too large for float32; expected finite numbers, or NaN "
            "where they are missing"
        )
    return compact(X)


def _targets(y: Any, names: tuple[str, ...], stored: str | None, told: str | None) -> tuple[Any, str | None]:
    """Return y, and the task that the user tells, or else the file, or else y itself."""
    if stored is not None and stored not in (*CLASS_TASKS, *LABEL_TASKS, *NUMBER_TASKS):
        raise ValueError(f"its task is {stored!r}; expected one of those of slantwood.data.Data")
    # Spelling out columns of labels would take much memory.
    are_labels = sp.issparse(y) and stored not in NUMBER_TASKS and told != "regression"
    if not are_labels and (y is None or told is not None or stored is None):
        return posed(_columns(y), names, told)
    stored = stored or "multi-label"
    if (y.ndim == 2) != (stored in _MATRIX_TASKS) or (y.dtype.kind == "U" and stored not in CLASS_TASKS):
        raise ValueError(f"y has the shape {y.shape} and dtype {y.dtype}, which does not fit a {stored} task")
    if stored in LABEL_TASKS:
        _check_labels(y)
    return y, stored


def _columns(y: Any) -> list[np.ndarray | Categories]:
    if y is None:
        return []
    if y.dtype.kind != "U":
        y = (y.toarray() if sp.issparse(y) else y).astype(np.float64)
        return list(y.T) if y.ndim == 2 else [y]
    if y.ndim == 2:
        raise ValueError("y has several columns of text; expected one column of classes")
    values, codes = np.unique(y, return_inverse=True)
    return [Categories(codes.astype(np.int32), tuple(map(str, values)))]


def _check_labels(y: Any) -> None:
    cells = y.data if sp.issparse(y) else y
    if not ((cells == 0) | (cells == 1) | np.isnan(cells)).all():
        raise ValueError("y has labels other than 0, 1 and, where they are missing, NaN")


def _per_row(arrays: Any, name: str, n_rows: int, kinds: str) -> np.ndarray | None:
    if name not in arrays:
        return None
    found: np.ndarray = arrays[name]
    if found.ndim not in (1, 2) or len(found) != n_rows or found.dtype.kind not in kinds:
        raise ValueError(
            f"{name} has the shape {found.shape} and dtype {found.dtype}; expected one for each of {n_rows} "
            "rows"
        )
    return found


def _matrix(arrays: Any, name: str) -> Any:
    if name in arrays:
        matrix = arrays[name]
        if (
            matrix.dtype.kind not in _KINDS[name]
            or matrix.ndim not in (1, 2)
            or (name == "X" and matrix.ndim == 1)
        ):
            raise ValueError(
                f"{name} has the shape {matrix.shape} and dtype {matrix.dtype}; expected a matrix"
            )
        return matrix
    if f"{name}_data" not in arrays:
        return None
    data, indices, indptr, shape = (arrays[f"{name}_{part}"] for part in _CSR)
    matrix = sp.csr_array((data, indices, indptr), shape=tuple(map(int, shape)))
    matrix.check_format(full_check=True)
    return matrix


def _names(arrays: Any, field: str, count: int, letter: str) -> tuple[str, ...]:
    if field not in arrays:
        return tuple(f"{letter}{i}" for i in range(count))
    names = tuple(map(str, arrays[field].tolist()))
    if len(names) != count:
        raise ValueError(f"{field} has {len(names)} names for {count} columns; expected as many")
    return names
