"""How a table becomes the float32 matrix that trees read.

Numbers stay numbers; a nominal column becomes indicator columns, one for each category seen in training but
one that most rows have; what is missing becomes NaN. An encoding holds plain data only, so that it can be
saved as such.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.features import frames
from slantwood.features.frames import MISSING, Coded, Plain, Table, as_float32
from slantwood.features.matrix import nonzero_share
from slantwood.kernels.matrix import DENSE_SHARE, any_missing

# The code of a category that training did not see; the code of a missing cell is -1.
UNKNOWN = -2

# A cell without a known category is NaN in the indicators of categories that at least this share of the cells
# has, and zero in those of rarer ones: their means are so near to zero that trees, which put the node's mean
# in place of NaN, would hardly see a difference, while thousands of NaN per cell would cost memory.
FREQUENT = 1 / 16


@dataclass(frozen=True)
class Encoding:
    """Which columns of the user's X become which columns of the matrix.

    The matrix has the numbers first, then the indicators of categories, then those of missing cells, each in
    the order of X. A category that at least half of the known training cells have is the absence of all
    others and gets no indicator: two categories need one, and rare categories leave most cells zero.

    Fitted estimators have theirs as `encoding_`; `learn` makes one.

    Parameters
    ----------
    n_inputs : int
        Number of columns of the user's X.
    numbers : tuple of int
        Columns of X that are numbers.
    blank : tuple of int
        Those of them without a single value in training. Nothing was learned about what they hold, so text
        is no error there later: it is missing too.
    nominal : tuple of int
        Columns of X that are nominal.
    categories : tuple of tuples
        Sorted categories of each nominal column, seen in training.
    usual : tuple of int
        Position among them of the one without indicator, -1 where there is none.
    frequent : tuple of tuples of int
        Positions of the indicators, among those of a nominal column, that are NaN where no category is known.
    indicated : tuple of int
        Columns of X whose missing cells are marked in a column of their own.

    Examples
    --------
    >>> import numpy as np
    >>> from slantwood import Encoding
    >>> X = np.array([["oak", 3.0], ["elm", 5.0], ["ash", 4.0]], dtype=object)
    >>> encoding, matrix = Encoding.learn(X, categorical_features=[0])
    >>> encoding.categories
    (('ash', 'elm', 'oak'),)
    >>> matrix
    array([[3., 0., 0., 1.],
           [5., 0., 1., 0.],
           [4., 1., 0., 0.]], dtype=float32)
    """

    n_inputs: int
    numbers: tuple[int, ...]
    blank: tuple[int, ...]
    nominal: tuple[int, ...]
    categories: tuple[tuple[Plain, ...], ...]
    usual: tuple[int, ...]
    frequent: tuple[tuple[int, ...], ...]
    indicated: tuple[int, ...]

    @classmethod
    def learn(
        cls, X: Any, categorical_features: Any = "from_dtype", missing_indicators: bool = False
    ) -> tuple[Encoding, Any]:
        """Learn the encoding of a training table, and encode that table.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_columns)
            A frame of pandas, polars, Arrow or another library that narwhals knows; an array of shape
            (n_rows, n_columns), of numbers or objects; or a SciPy matrix of numbers.
        categorical_features : "from_dtype", list or None, default="from_dtype"
            Nominal columns beside those that are nominal by their type in a frame: names, positions or a
            boolean mask. "from_dtype": none; None: none, and text is an error.
        missing_indicators : bool, default=False
            Whether columns with missing cells get a column that marks these.

        Returns
        -------
        encoding : Encoding
            What was learned.
        matrix : array or CSR array of shape (n_rows, n_encoded)
            X as `encode` gives it.

        Examples
        --------
        >>> import numpy as np
        >>> from slantwood import Encoding
        >>> X = np.array([[1.0, np.nan], [2.0, 5.0]])
        >>> encoding, matrix = Encoding.learn(X, missing_indicators=True)
        >>> matrix
        array([[ 1., nan,  1.],
               [ 2.,  5.,  0.]], dtype=float32)
        """
        listed = _items(categorical_features)
        if sp.issparse(X) and any(not isinstance(item, (bool, np.bool_)) or item for item in listed):
            raise TypeError(
                f"categorical_features={categorical_features!r:.200} lists nominal columns, but X is a "
                "sparse matrix, whose columns are numbers; give X as a data frame or an array, or leave "
                "categorical_features out"
            )
        numbers = None if listed and not sp.issparse(X) else _plain_numbers(X)
        if numbers is not None:
            columns = range(numbers.shape[1])
            missing = _missing_per_column(numbers)
            blank = () if sp.issparse(numbers) else tuple(np.flatnonzero(missing == len(numbers)).tolist())
            indicated = tuple(np.flatnonzero(missing).tolist()) if missing_indicators else ()
            encoding = cls(len(columns), tuple(columns), blank, (), (), (), (), indicated)
            return encoding, encoding._with_indicators(numbers)
        table = Table(X)
        encoding = _of_table(table, categorical_features, missing_indicators)
        return encoding, encoding._encode_table(table)

    def encode(self, X: Any) -> Any:
        """Return X as a float32 matrix: dense in C order, or CSR where most of its cells are zero.

        An array or CSR matrix of float32 numbers to which nothing is added is returned as it is.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_columns)
            Rows with the columns that the encoding was learned from. Categories that training did not see
            are allowed.

        Returns
        -------
        array or CSR array of shape (n_rows, n_encoded)
            The matrix that trees read.

        Raises
        ------
        ValueError
            If X has another number of columns than in training.
        TypeError
            If a column held numbers in training and now holds something else.

        Examples
        --------
        >>> import numpy as np
        >>> from slantwood import Encoding
        >>> X = np.array([["oak", 3.0], ["elm", 5.0], ["ash", 4.0]], dtype=object)
        >>> encoding, _ = Encoding.learn(X, categorical_features=[0])
        >>> encoding.encode(np.array([["elm", 6.0]], dtype=object))
        array([[6., 0., 1., 0.]], dtype=float32)
        """
        numbers = None if self.nominal and not sp.issparse(X) else _plain_numbers(X)
        n_columns = numbers.shape[1] if numbers is not None else (table := Table(X)).shape[1]
        if n_columns != self.n_inputs:
            raise ValueError(f"X has {n_columns} columns, and had {self.n_inputs} in training; give these")
        if numbers is None:
            return self._encode_table(table)
        if self.nominal:
            raise TypeError(
                "X is a sparse matrix, but had nominal columns in training; give a frame or array"
            )
        return self._with_indicators(numbers)

    @property
    def is_identity(self) -> bool:
        """Whether the columns of the matrix are those of X."""
        return not self.nominal and not self.indicated

    @property
    def has_nominal(self) -> bool:
        """Whether X has nominal columns."""
        return bool(self.nominal)

    @cached_property
    def source(self) -> np.ndarray:
        """The column of X that each column of the matrix is made of."""
        nominal = np.repeat(np.array(self.nominal, np.intp), [len(each) for each in self._marked])
        return np.concatenate([self.numbers, nominal, self.indicated]).astype(np.intp)

    def names(self, input_names: Any) -> np.ndarray:
        """Name the columns of the matrix: "age", "colour=red", "age is missing".

        Parameters
        ----------
        input_names : sequence of str
            Names of the columns of X.

        Returns
        -------
        array of str of shape (n_encoded,)
            A name for each column of the matrix.

        Examples
        --------
        >>> import numpy as np
        >>> from slantwood import Encoding
        >>> X = np.array([["oak", 3.0], ["elm", 5.0], ["ash", 4.0]], dtype=object)
        >>> encoding, _ = Encoding.learn(X, categorical_features=[0])
        >>> encoding.names(["tree", "height"]).tolist()
        ['height', 'tree=ash', 'tree=elm', 'tree=oak']
        """
        indicators = [
            f"{input_names[column]}={category}"
            for column, categories in zip(self.nominal, self._marked, strict=True)
            for category in categories
        ]
        numbers = [str(input_names[column]) for column in self.numbers]
        missing = [f"{input_names[column]} is missing" for column in self.indicated]
        return np.array([*numbers, *indicators, *missing], dtype=object)

    def by_input(self, values: np.ndarray) -> np.ndarray:
        """Add up one value for each column of the matrix to one for each column of X.

        Parameters
        ----------
        values : array of shape (n_encoded,)
            Importances, for instance.

        Returns
        -------
        array of shape (n_inputs,)
            Their sums.

        Examples
        --------
        >>> import numpy as np
        >>> from slantwood import Encoding
        >>> X = np.array([["oak", 3.0], ["elm", 5.0], ["ash", 4.0]], dtype=object)
        >>> encoding, _ = Encoding.learn(X, categorical_features=[0])
        >>> encoding.by_input([0.4, 0.1, 0.2, 0.3]).round(3)
        array([0.6, 0.4])
        """
        return np.bincount(self.source, weights=values, minlength=self.n_inputs)

    def input_nonzero_share(self, matrix: Any) -> float:
        """Return the share of the cells of X that are not zero; a nominal cell is never zero.

        Parameters
        ----------
        matrix : array or CSR array of shape (n_rows, n_encoded)
            X as `encode` gives it.

        Returns
        -------
        float
            Between 0 and 1.

        Examples
        --------
        >>> import numpy as np
        >>> from slantwood import Encoding
        >>> X = np.array([["oak", 0.0], ["elm", 5.0]], dtype=object)
        >>> encoding, matrix = Encoding.learn(X, categorical_features=[0])
        >>> encoding.input_nonzero_share(matrix)
        0.75
        """
        if self.is_identity:
            return nonzero_share(matrix)
        numbers = nonzero_share(matrix[:, : len(self.numbers)]) if self.numbers else 0.0
        return (numbers * len(self.numbers) + len(self.nominal)) / self.n_inputs

    @property
    def _marked(self) -> list[tuple[Plain, ...]]:
        """The categories of each nominal column that have an indicator."""
        return [
            categories if usual < 0 else categories[:usual] + categories[usual + 1 :]
            for categories, usual in zip(self.categories, self.usual, strict=True)
        ]

    def _with_indicators(self, numbers: Any) -> Any:
        """Append the marks of missing cells to a matrix of all numbers."""
        if not self.indicated:
            return numbers
        if not sp.issparse(numbers):
            return np.hstack([numbers, np.isnan(numbers[:, list(self.indicated)])], dtype=np.float32)
        coo = sp.coo_array(numbers)
        indicator = np.full(self.n_inputs, -1)
        indicator[list(self.indicated)] = np.arange(len(self.indicated))
        marked = np.isnan(coo.data) & (indicator[coo.col] >= 0)
        places = (coo.row[marked], indicator[coo.col[marked]])
        shape = (numbers.shape[0], len(self.indicated))
        marks = sp.csr_array((np.ones(marked.sum(), np.float32), places), shape=shape)
        marks.data[:] = 1  # also where a cell was stored in two parts, which are added up
        both = sp.hstack([numbers, marks], format="csr")
        both.sum_duplicates()
        both.eliminate_zeros()
        return both

    def _encode_table(self, table: Table) -> Any:
        shape = (table.shape[0], len(self.source))
        columns = (self._numbers_of(table, column) for column in self.numbers)
        if not self.nominal:
            dense = np.empty(shape, np.float32)
            for position, column in enumerate(columns):
                dense[:, position] = column
            dense[:, self.n_inputs :] = np.isnan(dense[:, list(self.indicated)])
            return dense
        numbers = list(columns)
        pairs = zip(self.nominal, self.categories, strict=True)
        codes = [_codes_of(table, column, categories) for column, categories in pairs]
        per_row = np.zeros(shape[0], np.int64)
        for rows, _, _ in self._cells(numbers, codes):
            per_row[rows] += 1
        if per_row.sum() >= DENSE_SHARE * shape[0] * shape[1]:
            dense = np.zeros(shape, np.float32)
            for rows, positions, values in self._cells(numbers, codes):
                dense[rows, positions] = values
            return dense
        return _csr(self._cells(numbers, codes), per_row, shape)

    def _cells(self, numbers: list[np.ndarray], codes: list[np.ndarray]) -> Iterator[tuple[Any, Any, Any]]:
        """Yield the cells that are not zero: rows, columns and values.

        Nothing yielded has a row twice, and the columns of a row rise: rows can be filled as they come.
        """
        for position, column in enumerate(numbers):
            rows = np.flatnonzero(column)
            yield rows, position, column[rows]
        first = len(self.numbers)
        parts = zip(self._marked, self.usual, self.frequent, codes, strict=True)
        for marked, usual, frequent, code in parts:
            rows = np.flatnonzero((code >= 0) & (code != usual))
            after_usual = (usual >= 0) & (code[rows] > usual)
            yield rows, first + code[rows] - after_usual, 1.0
            absent = np.flatnonzero(code < 0)
            for place in frequent:
                yield absent, first + place, np.nan
            first += len(marked)
        number_of = dict(zip(self.numbers, numbers, strict=True))
        code_of = dict(zip(self.nominal, codes, strict=True))
        for position, source in enumerate(self.indicated, len(self.source) - len(self.indicated)):
            missing = np.isnan(number_of[source]) if source in number_of else code_of[source] == MISSING
            yield np.flatnonzero(missing), position, 1.0

    def _numbers_of(self, table: Table, column: int) -> np.ndarray:
        cells = table.read(column)
        if not isinstance(cells, Coded) or cells.are_numbers:
            return as_float32(cells.numbers() if isinstance(cells, Coded) else cells, table.label(column))
        if column in self.blank:
            return np.full(table.shape[0], np.nan, np.float32)
        raise TypeError(
            f"{table.label(column)} held numbers in training, and now holds {_shown(cells)}; give numbers, "
            "or NaN where they are missing"
        )


def _plain_numbers(X: Any) -> Any:
    """Return X as float32 where it is all numbers by its type: an array, or anything sparse; else None."""
    if sp.issparse(X):
        return X if X.format == "csr" and X.dtype == np.float32 else sp.csr_array(X, dtype=np.float32)
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "biuf":
        return np.ascontiguousarray(X if X.dtype == np.float32 else as_float32(X, "X"))
    return frames.number_frame(X)


def _of_table(table: Table, categorical_features: Any, missing_indicators: bool) -> Encoding:
    listed = _listed(categorical_features, table.names, table.shape[1])
    numbers: list[int] = []
    blank: list[int] = []
    indicated: list[int] = []
    nominal: list[tuple[int, tuple[Plain, ...], int, tuple[int, ...]]] = []
    for column in range(table.shape[1]):
        cells = table.read(column)
        is_nominal = column in listed or _is_nominal(cells, column, table, categorical_features)
        missing = frames.missing_cells(cells)
        if missing_indicators and missing.any():
            indicated.append(column)
        if is_nominal and not missing.all():
            categories = _sorted(_plain_values(frames.coded(cells), table.label(column)))
            codes = _codes_of(table, column, categories)
            counts = np.bincount(codes[codes >= 0])
            most = int(np.argmax(counts))
            usual = most if 2 * counts[most] >= counts.sum() else -1
            marked = np.delete(counts, usual) if usual >= 0 else counts
            frequent = tuple(np.flatnonzero(marked >= FREQUENT * counts.sum()).tolist())
            nominal.append((column, categories, usual, frequent))
            continue
        numbers.append(column)
        if missing.all():
            blank.append(column)
    of_nominal: Any = zip(*nominal, strict=True) if nominal else ((), (), (), ())
    fields: list[Any] = [tuple(numbers), tuple(blank), *of_nominal, tuple(indicated)]
    return Encoding(table.shape[1], *fields)


def _is_nominal(cells: np.ndarray | Coded, column: int, table: Table, categorical_features: Any) -> bool:
    """Judge a column that the user did not list."""
    if not isinstance(cells, Coded):
        return False
    label = table.label(column)
    if cells.kind == "neither":
        raise TypeError(f"{label} is of type {cells.dtype}; turn it into numbers or categories, or drop it")
    if cells.kind == "by value" and cells.are_numbers:
        return False
    if cells.kind == "by value" and not cells.are_texts:
        raise TypeError(
            f"{label} holds {_shown(cells)} among values of other types; turn them all into numbers or all "
            f"into strings, or add the column to categorical_features: {[column]}"
        )
    if cells.values and not table.is_frame:
        raise TypeError(
            f"{label} holds {_shown(cells)}, and no column of an array is nominal unless listed; add it to "
            f"categorical_features: {[column]}, or turn it into numbers"
        )
    if cells.values and categorical_features is None:
        raise TypeError(
            f"{label} holds {_shown(cells)}, and categorical_features=None takes numbers only; give "
            'categorical_features="from_dtype" to encode it, or turn it into numbers'
        )
    return True


def _listed(categorical_features: Any, names: list[Any] | None, n_inputs: int) -> frozenset[int]:
    """Return the positions of the columns that the user lists as nominal."""
    items = _items(categorical_features)
    if not items:
        return frozenset()
    if all(isinstance(item, (bool, np.bool_)) for item in items):
        if len(items) != n_inputs:
            raise ValueError(
                f"categorical_features is a mask of length {len(items)}, but X has {n_inputs} columns; give "
                "one True or False for each of them"
            )
        return frozenset(np.flatnonzero(items).tolist())
    if all(isinstance(item, str) for item in items):
        if names is None:
            raise ValueError(
                f"categorical_features holds the name {items[0]!r}, but X has no column names; give "
                "positions, or X as a data frame"
            )
        unknown = next((item for item in items if item not in names), None)
        if unknown is not None:
            raise ValueError(
                f"categorical_features holds {unknown!r}, which is no column of X; its columns are "
                f"{', '.join(map(repr, names)):.300}"
            )
        positions = [names.index(item) for item in items]
    elif all(isinstance(item, Integral) and not isinstance(item, bool) for item in items):
        positions = [int(item) for item in items]
        outside = [position for position in positions if not 0 <= position < n_inputs]
        if outside:
            raise ValueError(
                f"categorical_features holds the position {outside[0]}, but X has {n_inputs} columns; give "
                f"positions from 0 to {n_inputs - 1}"
            )
    else:
        raise TypeError(
            f"categorical_features={categorical_features!r:.200} mixes types; give names of columns, "
            "positions of columns, or one True or False for each column"
        )
    if len(set(positions)) < len(positions):
        twice = next(item for item in items if items.count(item) > 1)
        raise ValueError(f"categorical_features holds {twice!r} more than once; list each column once")
    return frozenset(positions)


def _items(categorical_features: Any) -> list[Any]:
    if categorical_features is None:
        return []
    expected = '"from_dtype", None, or a list of columns: names, positions, or one True or False for each'
    if isinstance(categorical_features, str):
        if categorical_features != "from_dtype":
            raise ValueError(f"categorical_features={categorical_features!r} must be {expected}")
        return []
    shape = getattr(categorical_features, "shape", (1,))
    is_iterable = isinstance(categorical_features, Collection) and len(shape) == 1
    if not is_iterable or isinstance(categorical_features, (bytes, Mapping)):
        raise TypeError(
            f"categorical_features={categorical_features!r:.200} "
            f"({type(categorical_features).__name__}) must be {expected}"
        )
    return list(categorical_features)


def _plain_values(cells: Coded, label: str) -> list[Plain]:
    values = [frames.plain(value) for value in cells.values]
    if float("inf") in values or float("-inf") in values:
        raise ValueError(f"{label} holds infinity, which is no category; give NaN where it is missing")
    return values


def _sorted(values: list[Plain]) -> tuple[Plain, ...]:
    categories = set(values)
    try:
        return tuple(sorted(categories))
    except TypeError:
        return tuple(sorted(categories, key=lambda category: (type(category).__name__, str(category))))


def _codes_of(table: Table, column: int, categories: tuple[Plain, ...]) -> np.ndarray:
    """Return each cell's position among the categories of training, or why it has none."""
    position = {category: code for code, category in enumerate(categories)}
    cells = frames.coded(table.read(column))
    values = _plain_values(cells, table.label(column))
    # A missing cell, of code -1, takes the last of these.
    codes = np.array([*(position.get(value, UNKNOWN) for value in values), MISSING], np.int32)
    return codes[cells.codes]


def _csr(cells: Iterator[tuple[Any, Any, Any]], per_row: np.ndarray, shape: tuple[int, int]) -> sp.csr_array:
    indptr = np.append(0, np.cumsum(per_row))
    # SciPy copies indices to the type of indptr where that is wider.
    integer = np.int32 if indptr[-1] <= np.iinfo(np.int32).max else np.int64
    indices = np.empty(indptr[-1], integer)
    data = np.empty(indptr[-1], np.float32)
    free = indptr[:-1].copy()
    for rows, positions, values in cells:
        places = free[rows]
        indices[places] = positions
        data[places] = values
        free[rows] += 1
    return sp.csr_array((data, indices, indptr.astype(integer)), shape=shape)


def _missing_per_column(matrix: Any) -> np.ndarray:
    """Count the NaN of each column."""
    if not any_missing(matrix.data if sp.issparse(matrix) else matrix):  # which takes no memory
        return np.zeros(matrix.shape[1], np.intp)
    if not sp.issparse(matrix):
        return np.count_nonzero(np.isnan(matrix), axis=0)
    return np.bincount(matrix.indices[np.isnan(matrix.data)], minlength=matrix.shape[1])


def _shown(cells: Coded) -> str:
    """Give an example of the values, a text if there is one."""
    example = next((value for value in cells.values if isinstance(value, str)), cells.values[0])
    return f"{example!r:.60} ({type(example).__name__})"
