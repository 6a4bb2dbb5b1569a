"""What data files are read to: columns that know their role, and the X and y that estimators take."""

from __future__ import annotations

import gc
import importlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.data.read_options import Roles
from slantwood.targets.hierarchy import Hierarchy
from slantwood.task_names import CLASS_TASKS

SPARSE_BELOW = 0.1


@dataclass(frozen=True, eq=False)
class Data:
    """Inputs and targets of a data file.

    Parameters
    ----------
    X : ndarray, csr_array or pandas.DataFrame of shape (n_rows, n_features)
        The inputs in float32, NaN where they are missing; CSR where under a tenth of the values is non-zero.
        A data frame where some are nominal: these are of dtype category.
    y : ndarray or csr_array, or None
        Classes or numbers of shape (n_rows,), numbers of shape (n_rows, n_targets), or an indicator matrix of
        labels, CSR where under a tenth of it is non-zero. A data frame for several targets with classes of
        their own: classes are categories or whole numbers, and targets of floating point are numbers. None
        where the file has no targets.
    feature_names : sequence of str
        Names of the columns of X: a tuple, or `NumberedNames` that equal it, where a file only numbers its
        columns, of which it may have millions.
    target_names : sequence of str
        Names of the targets or labels, in the order of the columns of y.
    hierarchy : Hierarchy or None
        The hierarchy of the labels, where the file has one. y then has all ancestors of the labels that the
        file gives; `Hierarchy.most_specific` leaves them out.
    task : str or None
        "binary", "multi-class", "multi-label", "hierarchical multi-label", "regression", "multi-target
        regression", "multi-target classification" or, where some targets are numbers and others classes,
        "mixed targets"; None where there is no y.
    weights : ndarray of shape (n_rows,) or None
        Weights of the rows, where the file has them.
    keys : ndarray of str of shape (n_rows,) or (n_rows, n_keys), or None
        Names of the rows, where the file has them.

    Examples
    --------
    >>> import numpy as np
    >>> from slantwood.data import Data
    >>> Data(np.eye(2, dtype=np.float32), np.array(["no", "yes"]), ("a", "b"), ("ill",), task="binary")
    <Data: 2 rows, 2 features (dense), binary, targets: 1>
    """

    X: Any
    y: Any
    feature_names: Sequence[str]
    target_names: Sequence[str] = ()
    hierarchy: Hierarchy | None = None
    task: str | None = None
    weights: np.ndarray | None = None
    keys: np.ndarray | None = None

    @property
    def column_names(self) -> list[str]:
        """Names of the inputs and, where there is a y, of the targets."""
        return [*self.feature_names, *(() if self.y is None else self.target_names)]

    def columns(self, start: int, stop: int) -> Iterator[Any]:
        """Yield the columns of some rows, inputs first.

        Parameters
        ----------
        start, stop : int
            The rows from one to before the other.

        Yields
        ------
        array or series
            A column; a series where it comes from a data frame.

        Examples
        --------
        >>> import numpy as np
        >>> from slantwood.data import Data
        >>> data = Data(np.array([[1.0, 2.0], [3.0, 4.0]]), None, ("a", "b"), ())
        >>> [column.tolist() for column in data.columns(1, 2)]
        [[3.0], [4.0]]
        """
        for matrix in (self.X, self.y):
            if matrix is None:
                continue
            if is_frame(matrix):
                yield from (matrix.iloc[start:stop, j] for j in range(matrix.shape[1]))
                continue
            part = dense(matrix[start:stop])
            yield from [part] if part.ndim == 1 else np.ascontiguousarray(part.T)

    def __repr__(self) -> str:
        n, d = self.X.shape
        form = "frame" if is_frame(self.X) else "sparse" if sp.issparse(self.X) else "dense"
        about_y = "no targets" if self.task is None else f"{self.task}, targets: {len(self.target_names)}"
        return f"<Data: {n} rows, {d} features ({form}), {about_y}>"


@dataclass(frozen=True, eq=False, slots=True)
class Categories:
    """A nominal column: the position of each cell's value, -1 where it is missing."""

    codes: np.ndarray
    values: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of a file, for which the user says what is a target.

    Attributes
    ----------
    names
        Names of the inputs, in the file's order.
    numbers
        The inputs that are numbers, side by side: float32, NaN where missing, dense or CSR.
    nominal
        The other inputs, by their position in `names`.
    target_names
        Names of the targets.
    targets
        The targets: float64 numbers, NaN where missing, or categories.
    weights
        Weights of the rows, where the file has them.
    keys
        Names of the rows, where the file has them.
    hierarchy
        The hierarchy of the targets, which are labels, where the file has one.
    """

    names: Sequence[str]
    numbers: np.ndarray | sp.csr_array
    nominal: dict[int, Categories]
    target_names: Sequence[str]
    targets: Sequence[np.ndarray | Categories]
    weights: np.ndarray | None = None
    keys: np.ndarray | None = None
    hierarchy: Hierarchy | None = None

    @classmethod
    def of(
        cls, names: Sequence[str], roles: Roles, numbers: Any, columns: Mapping[int, Any], **more: Any
    ) -> Table:
        """Make a table of columns by their positions; `columns` has the nominal inputs, and the targets."""
        listed = enumerate(roles.inputs)
        nominal = {rank: columns[i] for rank, i in listed if isinstance(columns.get(i), Categories)}
        return cls(
            tuple(names[i] for i in roles.inputs),
            numbers,
            nominal,
            tuple(names[i] for i in roles.targets),
            [columns[i] for i in roles.targets],
            **more,
        )


def inputs(path: Path, table: Table) -> Any:
    """Return the X that estimators take; a data frame with columns of dtype category if some are nominal."""
    if not table.nominal:
        return compact(table.numbers)
    pandas = pandas_for(path)
    with _no_collection():
        return _frame(pandas, table)


def _frame(pandas: Any, table: Table) -> Any:
    rest = iter(dense(table.numbers).T)
    # A type with its categories is slow to make, and columns by the thousand may share one.
    dtype = cache(pandas.CategoricalDtype)
    columns: dict[str, Any] = {}
    for i, name in enumerate(table.names):
        match table.nominal.get(i):
            case Categories(codes, values):
                columns[name] = pandas.Categorical.from_codes(codes, dtype=dtype(values), validate=False)
            case None:
                columns[name] = np.ascontiguousarray(next(rest))
    # Columns of numbers are copied, to be side by side in memory; categories are not held so.
    return pandas.DataFrame(columns, copy=len(table.nominal) < len(columns))


@contextmanager
def _no_collection() -> Iterator[None]:
    """Suspend the garbage collector, which takes longer than pandas where there are many thousand columns."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def pandas_for(path: Path) -> Any:
    """Import pandas, or say which file needs it."""
    try:
        return importlib.import_module("pandas")
    except ImportError as error:
        raise ImportError(
            f"{path} has nominal columns, which need pandas; install it with: pip install 'slantwood[data]'"
        ) from error


def sorted_categories(categories: Categories) -> Categories:
    """Return the same cells with the values in the order of their letters."""
    values, ranks = sorted_values(categories.values)
    return Categories(ranks.take(categories.codes, mode="wrap"), values)


def sorted_values(values: Sequence[str]) -> tuple[tuple[str, ...], np.ndarray]:
    """Return values in the order of their letters, and the rank of each; -1, which is missing, comes last."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = np.empty(len(values) + 1, np.min_scalar_type(-len(values) - 1))
    ranks[order] = np.arange(len(values))
    ranks[-1] = -1
    return tuple([values[i] for i in order]), ranks


def categories_of_texts(texts: Sequence[str | None], numbers: bool) -> Categories:
    """Make a nominal column of texts, sorted by letters or, where they are those of numbers, by size."""
    known = {text for text in texts if text is not None}
    values = sorted(known, key=lambda text: (float(text), text)) if numbers else sorted(known)
    code: dict[str | None, int] = {text: i for i, text in enumerate(values)}
    code[None] = -1
    return Categories(np.fromiter(map(code.__getitem__, texts), np.int32, len(texts)), tuple(values))


def dense(matrix: Any) -> np.ndarray:
    """Return a matrix as an array."""
    return matrix.toarray() if sp.issparse(matrix) else np.asarray(matrix)


def is_frame(X: Any) -> bool:
    """Tell a data frame from an array or sparse matrix."""
    return hasattr(X, "columns")


def rows_of(table: Any, chosen: np.ndarray) -> Any:
    """Return some rows of a frame or matrix, by mask or by number."""
    return table.iloc[chosen] if hasattr(table, "iloc") else table[chosen]


def compact(matrix: Any) -> Any:
    """Hold a matrix as CSR where under a tenth of it is non-zero, else as an array."""
    n_cells = matrix.shape[0] * matrix.shape[1]
    if sp.issparse(matrix):
        return matrix if matrix.nnz < SPARSE_BELOW * n_cells else matrix.toarray()
    return sp.csr_array(matrix) if np.count_nonzero(matrix) < SPARSE_BELOW * n_cells else matrix


def numeric_inputs(data: Data, format: str) -> Any:
    """Return X for a format that holds numbers only: an array or a sparse matrix."""
    if not is_frame(data.X):
        return data.X
    if any(getattr(dtype, "kind", "O") not in "biuf" for dtype in data.X.dtypes):
        raise ValueError(f"{format} holds numbers, and X has nominal columns; write csv, arff or parquet")
    return data.X.to_numpy(np.float32, na_value=np.nan)


def stacked(parts: Sequence[Data]) -> Data:
    """Put the rows of files with the same columns under each other, in order."""
    first = parts[0]
    for part in parts[1:]:
        for field in ("feature_names", "target_names", "hierarchy"):
            if getattr(part, field) != getattr(first, field):
                raise ValueError(f"the files differ in {field}; expected the same columns in all of them")
        if (part.y is None) != (first.y is None):
            raise ValueError("some of the files have targets and others have none; expected one or the other")
    y: Any = None if first.y is None else _under_each_other([part.y for part in parts])
    return replace(
        first,
        X=_under_each_other([part.X for part in parts]),
        y=y,
        # A file may by chance hold two classes of several.
        task=task_of_classes(y) if first.task in CLASS_TASKS else first.task,
        weights=_all_or_none([part.weights for part in parts]),
        keys=_all_or_none([part.keys for part in parts]),
    )


def task_of_classes(y: np.ndarray) -> str:
    """Return the task of a column of classes."""
    return task_of(len(known_values(y)))


def task_of(n_classes: int) -> str:
    """Tell two classes from more."""
    return "binary" if n_classes <= 2 else "multi-class"


def known_values(y: np.ndarray) -> set[Any]:
    """Return the values of a column that are not missing."""
    return {value for value in y.tolist() if value is not None and value == value}


def _under_each_other(parts: Sequence[Any]) -> Any:
    if any(is_frame(part) for part in parts):
        return _stacked_frames(parts)
    if any(map(sp.issparse, parts)):
        return sp.csr_array(sp.vstack([sp.csr_array(part) for part in parts]))
    return np.concatenate(parts)


def _stacked_frames(parts: Sequence[Any]) -> Any:
    import pandas

    stacked_columns = {}
    for name in parts[0].columns:
        columns = [part[name] for part in parts]
        if isinstance(columns[0].dtype, pandas.CategoricalDtype):
            # Categories that only some files have would otherwise turn a column into text.
            stacked_columns[name] = pandas.api.types.union_categoricals(columns)
        else:
            stacked_columns[name] = np.concatenate([column.to_numpy() for column in columns])
    return pandas.DataFrame(stacked_columns)


def _all_or_none(parts: Sequence[np.ndarray | None]) -> np.ndarray | None:
    known = [part for part in parts if part is not None]
    return np.concatenate(known) if len(known) == len(parts) else None
