"""Load the real data sets used by the benchmarks and by the tests on real data.

The files are not part of the project. They are looked for, as `slantwood.data.load` does, in the folder that
the environment variable ``SLANTWOOD_DATA`` names, or else in ``shared/data`` beside the project's folder;
nothing is fetched. ``python -m slantwood_bench.scripts.datasets`` prints the size of every set that is there.

How tables become arrays, for libraries that take numbers only (`load_frame` gives the table as it is):

- A nominal input with more than two values becomes one 0/1 column per value; with two values it becomes one
  column, 1 for the rarer value. These columns follow the numeric ones.
- A missing numeric input gets the mean of its column over all rows read; a missing nominal input sets none
  of its 0/1 columns. Rows with a missing target are dropped.
- Files that come as training and test part are put together, training rows first. Only eurlex-eurovoc keeps
  its split, which everyone who reports on it uses.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from slantwood import Hierarchy
from slantwood import data as files
from slantwood.data.registry.entries import FOLDERS
from slantwood.data.registry.places import ENVIRONMENT
from slantwood.data.table import SPARSE_BELOW, stacked

Matrix = np.ndarray | sparse.csr_array
TASKS = ("bin", "mcc", "mlc", "str", "mtr")
_KEEP_SPLIT = ("eurlex-eurovoc",)


@dataclass(frozen=True)
class Dataset:
    """A data set ready for fitting.

    Attributes
    ----------
    name, task : str
        One of `names()`, and one of `TASKS`.
    X : ndarray or csr_array of shape (n, d)
        Inputs in float32; sparse, with int32 indices, where under a tenth of the values are non-zero.
    y : ndarray or csr_array
        For bin and mcc class labels (n,), integers or strings; for str float64 (n,), for mtr float64 (n, t).
        For mlc an (n, t) matrix of 0 and 1: sparse float32 under the same rule as `X`, otherwise dense int8.
    X_test, y_test : like `X` and `y`, or None
        The official test part, for a set whose split has to be kept.
    remark : str
        How the files differ from the set generally known by this name; tables of results have to say so.
    """

    name: str
    task: str
    X: Matrix
    y: Matrix
    X_test: Matrix | None = None
    y_test: Matrix | None = None
    remark: str = ""


def data_folder() -> Path | None:
    """Return the folder of the data sets, or None where there is none."""
    beside_the_project = Path(__file__).resolve().parents[4] / "shared" / "data"
    folder = Path(os.environ.get(ENVIRONMENT) or beside_the_project)
    return folder if folder.is_dir() else None


def available() -> bool:
    """Tell whether there is a folder of data sets."""
    return data_folder() is not None


def names(task: str | None = None) -> list[str]:
    """Return the names of all sets that are there, or of those of one of the `TASKS`."""
    if task is None:
        return [name for each in TASKS for name in names(each)]
    if task not in TASKS:
        raise ValueError(f"task is {task!r}, but has to be None or one of {', '.join(TASKS)}")
    return _present(task)


def load(name: str) -> Dataset:
    """Read the data set of this name, one of `names()`.

    Raises
    ------
    ValueError
        If no set of this name is known.
    FileNotFoundError
        If the folder of data sets or the set's files are absent.
    """
    entry = files.dataset(name)
    parts = ("train", "test") if entry.name in _KEEP_SPLIT else (None,)
    arrays = [array for part in parts for array in _numbers(load_files(entry.name, part))]
    remark = next(each.remark for each in files.datasets(data_folder()) if each.name == entry.name)
    return Dataset(name, FOLDERS[entry.task], *arrays, remark=remark)


def load_frame(name: str) -> tuple[str, pd.DataFrame, np.ndarray]:
    """Read a dense set as a data frame, with its text and its missing cells; task, inputs, targets."""
    data = _labelled(load_files(name))
    X = (
        data.X
        if isinstance(data.X, pd.DataFrame)
        else pd.DataFrame(_dense(data.X), columns=data.feature_names)
    )
    return FOLDERS[data.task], X, _dense(data.y)


@dataclass(frozen=True)
class HierarchicalDataset:
    """A set with a label hierarchy: training rows, which include those meant for validation, and test rows.

    X and X_test are as `slantwood.data.load` gives them; Y and Y_test have the labels as the files do.
    """

    hierarchy: Hierarchy
    X: pd.DataFrame | Matrix
    Y: sparse.csr_array
    X_test: pd.DataFrame | Matrix
    Y_test: sparse.csr_array


def hierarchical_names() -> list[str]:
    """Names that `load_hierarchical` knows."""
    return _present("hmlc")


def load_hierarchical(name: str) -> HierarchicalDataset:
    """Read the parts of a set with a label hierarchy."""
    listing = next(each for each in files.datasets(data_folder()) if each.name == files.dataset(name).name)
    parts = dict.fromkeys(file.part for file in listing.copy.files if file.part != "test")
    train = stacked([load_files(name, part) for part in parts])
    test = load_files(name, "test")
    return HierarchicalDataset(train.hierarchy, train.X, train.y, test.X, test.y)


def _present(task: str) -> list[str]:
    listed = [] if data_folder() is None else files.datasets(data_folder())
    return sorted(each.name for each in listed if each.paths and FOLDERS[each.task] == task)


def load_files(name: str, part: str | None = None) -> files.Data:
    """Read a set, or a part of it, as `slantwood.data.load` gives it."""
    if data_folder() is None:
        raise FileNotFoundError(f"there is no folder of data sets; set {ENVIRONMENT} to its path")
    return files.load(name, folder=data_folder(), part=part, download=False)


def _labelled(data: files.Data) -> files.Data:
    """Leave out the rows in which a target is missing."""
    if sparse.issparse(data.y):
        return data
    known = pd.notna(data.y) if data.y.ndim == 1 else pd.notna(data.y).all(axis=1)
    if known.all():
        return data
    X = data.X[known] if not isinstance(data.X, pd.DataFrame) else data.X.loc[known].reset_index(drop=True)
    y = data.y[known]
    y = y.astype(str) if y.dtype == object else y.astype(np.int64) if data.task == "multi-class" else y
    return files.Data(X, y, data.feature_names, data.target_names, task=data.task)


def _numbers(data: files.Data) -> tuple[Matrix, Matrix]:
    data = _labelled(data)
    return _encode(data.X), _compact(data.y, np.int8) if data.task == "multi-label" else data.y


def _encode(inputs: Any) -> Matrix:
    if sparse.issparse(inputs):
        return _compact(inputs)
    if not isinstance(inputs, pd.DataFrame):
        means = np.nanmean(inputs, axis=0, dtype=np.float64)
        return _compact(np.where(np.isnan(inputs), means, inputs))
    numeric = inputs.select_dtypes("number")
    numbers = numeric.fillna(numeric.mean()).to_numpy(np.float32)
    nominal = inputs.columns.difference(numeric.columns, sort=False)
    indicators = [_indicators(inputs[name]) for name in nominal]
    return _compact(sparse.hstack([sparse.coo_array(numbers), *indicators]))


def _indicators(column: pd.Series) -> sparse.coo_array:
    counts = column.value_counts()
    values = counts.index[counts > 0]
    values = values if len(values) > 2 else values[1:]
    codes = values.get_indexer(column)
    rows = np.flatnonzero(codes >= 0)
    shape = (len(column), max(len(values), 1))
    return sparse.coo_array((np.ones(len(rows)), (rows, codes[rows])), shape=shape)


def _dense(matrix: Matrix) -> np.ndarray:
    return matrix.toarray() if sparse.issparse(matrix) else matrix


def _nonzero_share(matrix: Matrix | sparse.coo_array) -> float:
    nonzero = matrix.count_nonzero() if sparse.issparse(matrix) else np.count_nonzero(matrix)
    return nonzero / np.prod(matrix.shape)


def _compact(matrix: Matrix | sparse.coo_array, dense_dtype: type = np.float32) -> Matrix:
    if _nonzero_share(matrix) >= SPARSE_BELOW:
        return np.ascontiguousarray(_dense(matrix), dense_dtype)
    compact = sparse.csr_array(matrix, dtype=np.float32)
    compact.eliminate_zeros()
    compact.sort_indices()
    compact.indices, compact.indptr = compact.indices.astype(np.int32), compact.indptr.astype(np.int32)
    return compact


def _print_sizes() -> None:
    print(f"{'name':19}{'task':4}{'N':>7}{'D':>7}{'T':>6}{'non-zero':>10}       remark")
    for data in map(load, names()):
        n = data.X.shape[0] + (0 if data.X_test is None else data.X_test.shape[0])
        t = (
            data.y.shape[1]
            if data.y.ndim == 2
            else len(np.unique(data.y))
            if data.task in ("bin", "mcc")
            else 1
        )
        form = "csr" if sparse.issparse(data.X) else ""
        size = f"{n:7}{data.X.shape[1]:7}{t:6}{_nonzero_share(data.X):10.2%}"
        print(f"{data.name:19}{data.task:4}{size} {form:5} {data.remark}".rstrip())


if __name__ == "__main__":
    _print_sizes()
