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

from slantwood.data.files import decompression_error, opened
from slantwood.data.table import Data
from slantwood.data.wanted import Wanted
from slantwood.targets.hierarchy import Hierarchy

_CSR = ("data", "indices", "indptr", "shape")
_KINDS = {"X": "biuf", "y": "biufU"}


def read(path: Path, wanted: Wanted) -> Data:
    """Read a file; it says itself what is a target."""
    if wanted.targets or wanted.drop or wanted.nominal:
        raise ValueError(
            f"{path} says itself what its columns are for; give no targets, drop or nominal with this format"
        )
    try:
        with opened(path) as file:
            content = file if file.seekable() else io.BytesIO(file.read())
            with np.load(content, allow_pickle=False) as arrays:
                if not hasattr(arrays, "files"):
                    raise ValueError("it is one array; expected X and y in a .npz file")
                return _data(arrays)
    except (KeyError, ValueError, zipfile.BadZipFile, EOFError) as error:
        raise ValueError(f"{path}: {error}") from error
    except Exception as error:
        raise decompression_error(path, error) or error from error


def write(data: Data, file: IO[bytes]) -> None:
    """Write a file; nominal inputs have no place in it."""
    if hasattr(data.X, "columns"):
        raise ValueError("a .npz file holds numbers, and X has nominal columns; write csv, arff or parquet")
    arrays = _parts("X", data.X)
    if data.y is not None:
        arrays |= _parts("y", data.y)
    arrays |= {"feature_names": np.array(data.feature_names, dtype=str)}
    arrays |= {"target_names": np.array(data.target_names, dtype=str)}
    for name, value in (("task", data.task), ("weights", data.weights), ("keys", data.keys)):
        if value is not None:
            arrays[name] = np.asarray(value)
    if data.hierarchy is not None:
        arrays["hierarchy"] = np.array(data.hierarchy.to_json())
    np.savez_compressed(file, allow_pickle=False, **arrays)


def _parts(name: str, matrix: Any) -> dict[str, np.ndarray]:
    if not sp.issparse(matrix):
        matrix = np.asarray(matrix)
        if matrix.dtype.kind not in _KINDS[name]:
            raise ValueError(f"a .npz file holds numbers and texts, and {name} has missing or other values")
        return {name: matrix}
    values = (matrix.data, matrix.indices, matrix.indptr, np.array(matrix.shape))
    return {f"{name}_{part}": value for part, value in zip(_CSR, values, strict=True)}


def _data(arrays: Any) -> Data:
    X = _matrix(arrays, "X")
    if X is None:
        raise ValueError(f"it has the arrays {', '.join(arrays.files)}; expected X, or X_data and its like")
    X = X.astype(np.float32, copy=False)
    y = _matrix(arrays, "y")
    if y is not None and y.shape[0] != X.shape[0]:
        raise ValueError(f"X has {X.shape[0]} rows and y has {y.shape[0]}; expected as many")
    n_targets = 0 if y is None else 1 if y.ndim == 1 else y.shape[1]
    hierarchy = Hierarchy.from_json(str(arrays["hierarchy"])) if "hierarchy" in arrays else None
    return Data(
        X,
        y,
        _names(arrays, "feature_names", X.shape[1], "x"),
        _names(arrays, "target_names", n_targets, "y"),
        hierarchy,
        str(arrays["task"]) if "task" in arrays else _task(y),
        *(arrays.get(name) for name in ("weights", "keys")),
    )


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


def _task(y: Any) -> str | None:
    from slantwood.data.tasks import posed

    if y is None:
        return None
    if sp.issparse(y):
        return "multi-label"
    if y.ndim == 2:
        return posed(list(y.astype(np.float64).T), [""] * y.shape[1], None)[1]
    return posed([y.astype(np.float64)], ["y"], None)[1] if y.dtype.kind != "U" else "multi-class"
