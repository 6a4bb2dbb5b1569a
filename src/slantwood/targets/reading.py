"""The user's y as an array, and which of its classes and labels are not known.

None, NaN and the missing values of data frames mean that a value is not known.
"""

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.features.frames import column_names, is_missing
from slantwood.features.lazy import lazy_error, refuse_lazy
from slantwood.features.sparse_input import check_sparse
from slantwood.hints import shown

_INFINITE = "Input y contains infinity; use NaN where a value is not known"


def as_array(y: Any, n_rows: int | None) -> Any:
    """Return y as an array, or as a CSR array where it is sparse, with one row for each row of X, if any."""
    if y is None:
        raise ValueError("fit requires y to be passed, but the target y is None")
    check_sparse(y, "y")
    refuse_lazy(y, "y")
    y = _as_csr(y) if sp.issparse(y) else _from_any_library(y)
    if y.ndim not in (1, 2):
        raise ValueError(f"y has shape {y.shape}; expected (n_rows,), or (n_rows, n_targets) for several")
    check_length(y.shape[0], n_rows)
    stored = y.data if sp.issparse(y) else y
    if stored.dtype.kind == "c":
        raise ValueError("Complex data not supported: y holds complex numbers; give real ones, or text")
    if stored.dtype.kind == "f" and stored.size and _has_infinite(stored):
        raise ValueError(_INFINITE)
    return y


def _as_csr(y: Any) -> sp.csr_array:
    """Return a sparse matrix as CSR without duplicates: one that is so already shares its arrays."""
    if y.format == "csr" and y.has_canonical_format:
        return sp.csr_array(y)
    return sp.csr_array(sp.coo_array(y))  # which adds up duplicates


def _has_infinite(values: np.ndarray) -> bool:
    # The least and the largest that is no NaN; this takes no memory.
    return bool(np.isinf([np.fmin.reduce(values, axis=None), np.fmax.reduce(values, axis=None)]).any())


def check_length(length: int, n_rows: int | None) -> None:
    """Check that y has one row for each row of X; any number will do where there is no X."""
    if n_rows is not None and length != n_rows:
        raise ValueError(f"X and y have inconsistent numbers of rows: X has {n_rows}, y has {length}")


def _from_any_library(y: Any) -> np.ndarray:
    if isinstance(y, np.ndarray):
        return y
    if isinstance(y, (list, tuple)):
        try:
            array = np.asarray(y)
        except ValueError as error:
            raise ValueError(
                f"y has rows of different lengths, as {shown(y[0])}; give as many values in each, one for "
                "each target. (Sets of labels are for the classifiers.)"
            ) from error
        # As an array of strings, None and NaN beside text would be text.
        return np.asarray(y, object) if array.dtype.kind == "U" else array
    import narwhals.stable.v2 as nw

    y = nw.from_native(y, allow_series=True, pass_through=True)
    if isinstance(y, nw.LazyFrame):
        raise lazy_error(nw.to_native(y), "y")
    if not isinstance(y, nw.Series):
        return y.to_numpy() if isinstance(y, nw.DataFrame) else np.asarray(y)
    if y.null_count() == 0 or y.dtype.is_float() or y.dtype.is_temporal():
        return y.to_numpy()
    # As a NumPy array, whole numbers would become floating ones, and Arrow's nulls classes.
    values = np.empty(len(y), object)
    values[:] = y.to_list()
    return values


def names_of(y: Any) -> tuple[str, ...] | None:
    """Return the names of a frame's columns, or of a series; None where there are none, or not all are text.

    Examples
    --------
    >>> import pandas as pd
    >>> from slantwood.targets.reading import names_of
    >>> names_of(pd.DataFrame({"sea": [0, 1], "sun": [1, 1]})), names_of(pd.Series([2, 3], name="width"))
    (('sea', 'sun'), ('width',))
    >>> names_of([[0, 1], [1, 1]]), names_of(pd.DataFrame([[0, 1], [1, 1]]))
    (None, None)
    """
    names = column_names(y, "y")
    if names is None:
        names = [getattr(y, "name", None)]
    are_names = bool(names) and all(isinstance(name, str) and name for name in names)
    return tuple(map(str, names)) if are_names else None


def columns_by_name(
    names: Sequence[Any], expected: Sequence[Any], what: str, owner: str, called: str = "y"
) -> Any:
    """Return where the expected columns are in a frame, which may have them in any order and no others.

    A frame none of whose names is expected has no names that say anything, and its columns stay in place.
    """
    position = {name: column for column, name in enumerate(names)}
    wanted = set(expected)
    if wanted.isdisjoint(position):
        return slice(None)
    other = next((name for name in names if name not in wanted), None)
    if other is not None:
        raise ValueError(
            f"{called} has the column {shown(other)}, which is no {what} of the {owner}; leave it out"
        )
    missing = next((name for name in expected if name not in position), None)
    if missing is not None:
        raise ValueError(f"{called} has no column for the {what} {shown(missing)} of the {owner}; give one")
    return [position[name] for name in expected]


def known_classes(y: np.ndarray, minus_one_is_unknown: bool) -> tuple[np.ndarray, np.ndarray]:
    """Check a 1-D array of classes; return it and the mask of the rows whose class is known.

    With `minus_one_is_unknown`, the number -1 is no class either, as in scikit-learn's semi_supervised.
    """
    known = np.ones(len(y), np.bool_)
    if y.dtype.kind in "fmM":
        known = ~np.isnan(y)
    elif y.dtype == object:
        known = ~np.array([is_missing(value) for value in y], np.bool_)
    if minus_one_is_unknown and y.dtype.kind in "if":
        known &= y != -1
    elif minus_one_is_unknown and y.dtype == object:
        known &= ~np.array([isinstance(value, Real) and value == -1 for value in y], np.bool_)
    if not known.any():
        unknown = "None, NaN or -1" if minus_one_is_unknown else "None or NaN"
        raise ValueError(f"y has no label in any row: all are {unknown}; at least one row must have a class")
    if y.dtype == object:
        y = _natural(y, known)
    try:
        np.unique(y[known])
    except TypeError as error:
        raise TypeError(f"y has types without an order ({error}); use one type for all classes") from error
    return y, known


def _natural(y: np.ndarray, known: np.ndarray) -> np.ndarray:
    # What was meant as numbers goes back as numbers, though a missing value may have made objects of them.
    if not all(isinstance(value, (Real, np.bool_)) for value in y[known]):
        return y
    numbers = np.asarray(y[known].tolist())
    if numbers.dtype.kind not in "biuf":
        return y
    natural = np.zeros(len(y), numbers.dtype)
    natural[known] = numbers
    return natural


def as_numbers(y: np.ndarray) -> np.ndarray:
    """Turn an array of objects or other values into float64 numbers, NaN where a value is missing."""
    if y.dtype.kind in "biuf":
        return y.astype(np.float64)
    flat = [np.nan if is_missing(value) else value for value in y.ravel()]
    wrong = [value for value in flat if not isinstance(value, (Real, np.bool_))]
    if wrong or y.dtype.kind in "mMc":
        example = wrong[0] if wrong else flat[0]
        raise ValueError(
            f"y holds {example!r:.60} ({type(example).__name__}), which is not a number; give numbers, and "
            "NaN where one is not known"
        )
    numbers = np.array(flat, np.float64).reshape(y.shape)
    if np.isinf(numbers).any():
        raise ValueError(_INFINITE)
    return numbers
