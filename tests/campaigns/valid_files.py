"""Small valid data files of every format that slantwood reads, which the campaign of data files damages.

They are written by `slantwood.data.write`, so that a format that comes new needs one line here.
"""

import io
import tempfile
import warnings
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from slantwood import Hierarchy
from slantwood.data import Data, write, write_labels

_N_ROWS = 12
_CLASSES = np.array(["red", "blue", "dark green"])


@dataclass(frozen=True)
class ValidFile:
    """A file: its name, its bytes, how it is read, and where it needs one, the file beside it."""

    name: str
    content: bytes
    said: dict[str, Any] = field(default_factory=dict)
    beside: "ValidFile | None" = None


@cache
def valid_files() -> tuple[ValidFile, ...]:
    """Return one file for each format and kind of content that it can hold."""
    numbers, sparse, frame = _numbers(), _counts(), _frame()
    classes = _CLASSES[np.arange(_N_ROWS) % 3]
    labels = (np.arange(_N_ROWS)[:, None] % np.array([2, 3, 4, 5]) == 0).astype(np.int8)
    two = np.stack([np.linspace(-1, 1, _N_ROWS), np.arange(_N_ROWS) * 1e3], axis=1)
    hierarchy = Hierarchy.from_paths(["1", "1/1", "1/2", "2", "2/1"])
    paths = sp.csr_array(np.eye(5, dtype=np.int8)[np.arange(_N_ROWS) % 5])
    with_classes = Data(numbers, classes, _names(numbers), ("colour",), task="multi-class")
    with_nominal = Data(frame, classes, tuple(frame.columns), ("colour",), task="multi-class")
    with_number = Data(numbers, two[:, 0], _names(numbers), ("price",), task="regression")
    with_numbers = Data(numbers, two, _names(numbers), ("price", "weight"), task="multi-target regression")
    with_labels = Data(numbers, labels, _names(numbers), ("a", "b", "c", "d e"), task="multi-label")
    sparse_labels = Data(
        sparse, sp.csr_array(labels), _names(sparse), ("a", "b", "c", "d"), task="multi-label"
    )
    with_paths = Data(
        sparse,
        paths,
        _names(sparse),
        hierarchy.nodes,
        hierarchy,
        "hierarchical multi-label",
        np.linspace(0.5, 2, _N_ROWS),
        np.array([f"row {i}" for i in range(_N_ROWS)]),
    )
    whole_classes = Data(sparse, np.arange(_N_ROWS) % 3, _names(sparse), ("class",), task="multi-class")
    found = [
        _written("numbers.npz", with_number),
        _written("classes.npz", with_classes),
        _written("labels.npz", sparse_labels),
        _written("hierarchy.npz", with_paths),
        _written("clus.arff", with_paths),
        _written("meka.arff", with_labels),
        _written("sparse-meka.arff", sparse_labels),
        _with_xml("mulan.arff", with_labels),
        _with_xml("sparse-mulan.arff", sparse_labels),
        _written("classes.svm", whole_classes),
        _written("numbers.libsvm", with_number, task="regression"),
        _written("labels.svmlight", sparse_labels),
        _written("labels.xmc", sparse_labels),
        replace(_written("labels.xmc", sparse_labels), name="labels.txt"),
    ]
    for suffix in (".arff", ".csv", ".tsv", ".parquet", ".arrow", ".feather"):
        found += [
            _written(f"nominal{suffix}", with_nominal, targets="colour"),
            _written(f"number{suffix}", with_number, targets="last:1"),
            _written(f"two{suffix}", with_numbers, targets=["price", "weight"]),
            _written(f"inputs{suffix}", Data(frame, None, tuple(frame.columns)), targets=()),
        ]
    found.append(ValidFile("other.parquet", _other_parquet(), {"targets": "y"}))
    return tuple(found)


def _numbers() -> np.ndarray:
    X = np.random.default_rng(0).normal(size=(_N_ROWS, 5)).round(3).astype(np.float32)
    X[2, 1] = X[7, 4] = np.nan
    return X


def _counts() -> sp.csr_array:
    return sp.csr_array(np.random.default_rng(1).poisson(0.05, (_N_ROWS, 30)).astype(np.float32))


def _frame() -> pd.DataFrame:
    texts = ["it's", 'say "no"', "a,b", None, "{x}", "50%"]
    return pd.DataFrame(
        {
            "length": np.linspace(0, 1, _N_ROWS, dtype=np.float32),
            "a name": pd.Categorical([texts[i % 6] for i in range(_N_ROWS)]),
            "width": np.arange(_N_ROWS, dtype=np.float32),
        }
    )


def _names(X: Any) -> tuple[str, ...]:
    return tuple(f"x{j}" for j in range(X.shape[1]))


def _written(name: str, data: Data, **said: Any) -> ValidFile:
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of what the format cannot hold
        path = Path(folder, name)
        write(data, path)
        return ValidFile(name, path.read_bytes(), said)


def _with_xml(name: str, data: Data) -> ValidFile:
    labels = io.BytesIO()
    write_labels(labels, data.target_names, (None, "a", "a", None))
    return replace(_written(name, data), beside=ValidFile(f"{Path(name).stem}.xml", labels.getvalue()))


def _other_parquet() -> bytes:
    """Return columns of types that other programs write and slantwood does not."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table(
        {
            "int8": pa.array(range(_N_ROWS), pa.int8()),
            "decimal": pa.array(range(_N_ROWS), pa.decimal128(10, 2)),
            "flag": pa.array([True, None, False] * 4),
            "words": pa.array(["a", "b", None, "c"] * 3).dictionary_encode(),
            "y": pa.array(np.linspace(0, 1, _N_ROWS)),
        }
    )
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()
