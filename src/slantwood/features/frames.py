"""What the columns of a user's table hold, read as numbers or as codes of their distinct values.

pandas, polars and Arrow tables are read through narwhals, arrays by position. What a column is good for is
decided in `encoding`. No library of data frames is needed, or imported, where X is an array.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from slantwood.features.lazy import lazy_error
from slantwood.hints import shown

# The code of a missing cell, in place of the position of its value.
MISSING = -1

Plain = str | int | float


def is_frame(X: Any) -> bool:
    """Tell whether X is a data frame, even one that must be collected first or that has a name twice."""
    if isinstance(X, (np.ndarray, list, tuple)) or sp.issparse(X):
        return False
    import narwhals.stable.v2 as nw
    from narwhals.exceptions import DuplicateError

    try:
        return isinstance(nw.from_native(X, pass_through=True), (nw.DataFrame, nw.LazyFrame))
    except DuplicateError:
        return True


def is_table(X: Any, categorical_features: Any) -> bool:
    """Tell whether X is read column by column: a frame, an array of objects, or with columns listed."""
    if sp.issparse(X):
        return False
    if is_frame(X):
        return True
    if not isinstance(X, np.ndarray) and hasattr(X, "__array__"):
        return False
    lists_columns = categorical_features is not None and not isinstance(categorical_features, str)
    try:
        return lists_columns or np.asarray(X).dtype.kind in "OU"
    except ValueError as error:
        raise ValueError("X is no table: rows must have the same length, and cells one value each") from error


def checked_table(X: Any, min_rows: int) -> Any:
    """Check the shape of a table; a list of rows becomes an array of the objects that it holds."""
    if is_frame(X):
        shape = eager_frame(X).shape
    else:
        # As a string array, numbers beside text would be text.
        X = X if isinstance(X, np.ndarray) else np.asarray(X, object)
        shape = X.shape
    if len(shape) != 2:
        raise ValueError(f"X has shape {shape}; expected 2D: (n_rows, n_features)")
    if shape[0] < min_rows or shape[1] == 0:
        raise ValueError(f"X has shape {shape}; it needs at least {min_rows} rows and one feature")
    return X


@dataclass(frozen=True)
class Coded:
    """A column as the distinct values that are seen in it, and each cell's position among them."""

    codes: np.ndarray  # `MISSING`, or a position in `values`
    values: list[Any]
    # "nominal" and "neither" are known by the type of the column, "by value" is a matter of its values.
    kind: Literal["nominal", "by value", "neither"]
    dtype: str

    @cached_property
    def are_numbers(self) -> bool:
        """Whether every value is a number."""
        return all(map(_is_number, self.values))

    @cached_property
    def are_texts(self) -> bool:
        """Whether every value is a string."""
        return all(isinstance(value, str) for value in self.values)

    def numbers(self) -> np.ndarray:
        """Return each cell's number, NaN where it is missing."""
        return np.array([*map(_as_float, self.values), np.nan])[self.codes]


def column_names(table: Any, called: str) -> list[Any] | None:
    """Return the names of a frame's columns; None where it is no frame. Errors call it as given."""
    return list(eager_frame(table, called).columns) if is_frame(table) else None


def column_label(name: Any) -> str:
    """Name a column as an error should: by its name in a frame, by its position in an array."""
    return f"column {shown(name)} of X"


class Table:
    """Columns of a frame or a 2-D array, read one at a time."""

    def __init__(self, X: Any) -> None:
        self.is_frame = is_frame(X)
        self._coded: dict[int, Coded] = {}
        self.names: list[Any] | None = None
        cells: Any = eager_frame(X) if self.is_frame else np.asarray(X)
        self.shape: tuple[int, int] = cells.shape
        if self.is_frame:
            self.names, self._columns = list(cells.columns), list(cells.iter_columns())
            return
        if cells.ndim != 2:
            raise ValueError(f"X must have two dimensions, rows and columns; it has shape {cells.shape}")
        if cells.dtype.kind not in "biufOU":
            raise TypeError(f"X has dtype {cells.dtype}; it must hold real numbers, or be of dtype object")
        self._columns = cells.T

    def label(self, column: int) -> str:
        """Name a column as an error should."""
        return column_label(self.names[column] if self.names is not None else column)

    def read(self, column: int) -> np.ndarray | Coded:
        """Return a column's numbers, NaN where they are missing, or its codes where its type is no number."""
        if column in self._coded:
            return self._coded[column]
        try:
            cells = (_frame_column if self.is_frame else _array_column)(self._columns[column])
        except _NoDistinctValuesError as error:
            raise TypeError(
                f"{self.label(column)} holds {error}, which is neither a number nor a category; turn it into "
                "numbers or strings, or drop it"
            ) from error
        if isinstance(cells, Coded):
            self._coded[column] = cells
        return cells


def coded(cells: np.ndarray | Coded) -> Coded:
    """Return a column as codes of its distinct values, also where it holds numbers."""
    if isinstance(cells, Coded):
        return cells
    values, codes = np.unique(cells, return_inverse=True)
    return _tidy(codes, list(values), "nominal", str(cells.dtype))


def missing_cells(cells: np.ndarray | Coded) -> np.ndarray:
    """Mask of the cells that are missing."""
    return cells.codes == MISSING if isinstance(cells, Coded) else np.isnan(cells)


def plain(value: Any) -> Plain:
    """Return a value as text or number: whole numbers as int, what is neither by its text.

    Values that mean the same are then equal, whatever library held them.
    """
    if isinstance(value, str):
        return str.__str__(value)
    if not _is_number(value):
        return str(value)
    if isinstance(value, (Integral, np.bool_)):
        return int(value)
    number = _as_float(value)
    if number.is_integer() and abs(number) < 2**53:
        return int(number)
    # The shortest text of a float32 is the number that was meant: 0.1 is the same code in either precision.
    return float(str(value)) if isinstance(value, (np.float16, np.float32)) else number


def as_float32(numbers: np.ndarray, label: str) -> np.ndarray:
    """Return numbers in single precision, none of them infinite."""
    with np.errstate(over="ignore"):
        single = numbers.astype(np.float32, copy=False)
    if np.isinf(single).any():
        example = numbers[np.isinf(single)][0]
        raise ValueError(
            f"{label} holds {example!s}: infinity, or a number too large for single precision (float32); "
            "clip it, scale it, or give NaN where the number is missing"
        )
    return single


def number_frame(X: Any) -> Any:
    """Return a pandas frame of all NumPy numbers as a float32 array, or CSR where it is sparse; else None."""
    if not is_frame(X) or not eager_frame(X).implementation.is_pandas():
        return None
    dtypes = list(X.dtypes)
    if dtypes and all(isinstance(dtype, np.dtype) and dtype.kind in "biuf" for dtype in dtypes):
        with np.errstate(over="ignore"):
            numbers = np.ascontiguousarray(X.to_numpy(np.float32))
        for column in np.flatnonzero(np.isinf(numbers).any(axis=0)):
            as_float32(X.iloc[:, column].to_numpy(), column_label(X.columns[column]))
        return numbers
    if not dtypes or not all(_is_sparse_around_zero(dtype) for dtype in dtypes):
        return None
    columns = [(name, series.array) for name, series in X.items()]
    data = [as_float32(array.sp_values, column_label(name)) for name, array in columns]
    rows = [array.sp_index.to_int_index().indices for _, array in columns]
    ends = np.cumsum([0, *map(len, rows)])
    csc = sp.csc_array((np.concatenate(data), np.concatenate(rows), ends), shape=X.shape)
    csr = csc.tocsr()
    csr.eliminate_zeros()
    csr.sort_indices()
    return csr


class _NoDistinctValuesError(TypeError):
    """Raised with a description of cells that cannot be told apart, lists for instance."""


def eager_frame(X: Any, called: str = "X") -> Any:
    """Return a frame of any library as one of narwhals, which holds its rows; errors call it as given."""
    import narwhals.stable.v2 as nw
    from narwhals.exceptions import DuplicateError

    try:
        frame = nw.from_native(X)
    except DuplicateError as error:
        names = list(X.columns if hasattr(X, "dtypes") else X.column_names)
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(
            f"{called} has more than one column {shown(twice)}; give every column a name of its own"
        ) from error
    if isinstance(frame, nw.LazyFrame):
        raise lazy_error(X, called)
    return frame


def _frame_column(series: Any) -> np.ndarray | Coded:
    import narwhals.stable.v2 as nw

    dtype = series.dtype
    if dtype == nw.Boolean or dtype.is_numeric():
        # NumPy has the other numbers of a frame, but neither of these, and no bool that may be missing.
        unknown_to_numpy = (nw.Boolean, nw.Decimal, nw.Int128, nw.UInt128)
        return (series.cast(nw.Float64) if dtype in unknown_to_numpy else series).to_numpy()
    if dtype == nw.Unknown:
        cells = series.to_numpy()
        if cells.dtype.kind in "biuf":
            return cells
    if dtype.is_nested():
        raise _NoDistinctValuesError(str(dtype))
    if dtype in (nw.Categorical, nw.Enum):
        return _tidy(*_distinct_in_series(series), "nominal", "category")
    by_value = dtype in (nw.String, nw.Object, nw.Unknown)
    return _tidy(*_distinct_in_series(series), "by value" if by_value else "neither", str(dtype))


def _array_column(cells: np.ndarray) -> np.ndarray | Coded:
    if cells.dtype.kind in "biuf":
        return cells
    return _tidy(*_distinct_in_list(cells.tolist()), "by value", str(cells.dtype))


def _distinct_in_series(series: Any) -> tuple[np.ndarray, list[Any]]:
    """Return codes and values by the hash table of the column's own library, where we know how to call it.

    That is five to a hundred times as fast as Python's, since no cell becomes a Python object.
    """
    import narwhals.stable.v2 as nw

    native = series.to_native()
    if series.implementation.is_pandas():
        try:
            codes, index = native.factorize()
        except TypeError:
            return _distinct_in_list(native.tolist())
        return codes, index.tolist()
    if series.dtype in (nw.String, nw.Categorical, nw.Enum):
        if series.implementation.is_polars():
            texts = series.cast(nw.String)
            values = texts.drop_nulls().unique().to_list()
            if not values:  # narwhals below 2.11 knows no Enum without values
                return np.full(len(series), MISSING, np.int64), values
            physical = texts.cast(nw.Enum(values)).to_native().to_physical()
            return physical.cast(int).fill_null(MISSING).to_numpy(), values
        if series.implementation.is_pyarrow():
            encoded = native if hasattr(native.type, "index_type") else native.dictionary_encode()
            encoded = encoded.unify_dictionaries().combine_chunks()
            return encoded.indices.cast("int64").fill_null(MISSING).to_numpy(), encoded.dictionary.to_pylist()
    return _distinct_in_list(series.to_list())


def _distinct_in_list(cells: list[Any]) -> tuple[np.ndarray, list[Any]]:
    try:
        code = {value: position for position, value in enumerate(dict.fromkeys(cells))}
    except TypeError as error:
        raise _NoDistinctValuesError(_example(cells)) from error
    return np.fromiter(map(code.__getitem__, cells), np.int64, len(cells)), list(code)


def _example(cells: Iterable[Any]) -> str:
    for cell in cells:
        try:
            hash(cell)
        except TypeError:
            return f"{cell!r:.60} ({type(cell).__name__})"
    raise AssertionError("every cell can be hashed")


def _tidy(
    codes: np.ndarray, values: list[Any], kind: Literal["nominal", "by value", "neither"], dtype: str
) -> Coded:
    """Leave out values that mean a missing cell, and those that a type lists but no cell has."""
    kept = np.bincount(codes + 1, minlength=len(values) + 1)[1:] > 0
    kept &= np.array([not is_missing(value) for value in values], bool)
    position = np.where(kept, np.cumsum(kept) - 1, MISSING)
    # A missing cell has the last position.
    codes = np.append(position, MISSING).astype(np.int32)[codes]
    return Coded(codes, [value for value, keep in zip(values, kept, strict=True) if keep], kind, dtype)


def is_missing(value: Any) -> bool:
    """Tell whether a value of an object column means that there is none."""
    if value is None:
        return True
    if isinstance(value, (float, np.floating)):
        return bool(value != value)
    if isinstance(value, Decimal):
        return value.is_nan()
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    # pandas' NA and NaT, by name: pandas need not be installed.
    return type(value).__name__ in ("NAType", "NaTType")


def _is_number(value: Any) -> bool:
    return isinstance(value, (Real, Decimal, np.bool_))


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf")


def _is_sparse_around_zero(dtype: Any) -> bool:
    is_sparse = hasattr(dtype, "subtype") and hasattr(dtype, "fill_value")
    return is_sparse and dtype.subtype.kind in "biuf" and dtype.fill_value == 0
