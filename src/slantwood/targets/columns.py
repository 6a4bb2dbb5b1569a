"""Is y several targets, each a column of classes or of numbers, rather than labels; and which are they.

Columns of nothing but 0 and 1 are labels, unless the user wants them as targets. In a data frame the type of
a column decides: floating point is a number; text, categories, whole numbers, truth values and dates are
classes. An array has one type for all its columns, and several numbers are for a regressor, so that these are
classes: text, objects, or whole numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from slantwood.features.frames import eager_frame, is_frame, is_missing
from slantwood.targets.reading import as_array, check_length, columns_by_name


class GivenColumn(NamedTuple):
    """One column of y as it was given."""

    name: Any  # its name in a frame, else its position
    values: np.ndarray
    is_number: bool


def frame_targets(y: Any, n_rows: int | None, *, may_be_labels: bool = True) -> list[GivenColumn] | None:
    """Return the columns of a frame of several targets; None where y is something else, such as labels."""
    if not is_frame(y):
        return None
    frame = eager_frame(y, "y")
    check_length(frame.shape[0], n_rows)
    columns = [_frame_column(series) for series in frame.iter_columns()]
    # Of floats alone, a frame is as its array.
    if len(columns) < 2 or all(each.is_number for each in columns):
        return None
    if may_be_labels and all(_holds_labels(each.values) for each in columns):
        return None
    return columns


def array_targets(y: Any, *, may_be_labels: bool = True) -> list[GivenColumn] | None:
    """Return the columns of a 2-D array of classes; None where they are labels, or no classes."""
    if sp.issparse(y) or y.shape[1] < 2 or (may_be_labels and _holds_labels(y)) or _holds_fractions(y):
        return None
    if y.dtype.kind not in "biufOUSM":
        return None
    return [GivenColumn(j, y[:, j], False) for j in range(y.shape[1])]


def columns_as(y: Any, are_numbers: list[bool], n_rows: int, names: Sequence[str] = ()) -> list[GivenColumn]:
    """Return the columns of y, of which it is known which are numbers.

    For the truth of fitted targets: their kind is then not asked of y, and columns of a frame come in the
    order of their `names`, where these are known.
    """
    if is_frame(y):
        frame = eager_frame(y, "y")
        check_length(frame.shape[0], n_rows)
        pairs = [(each.name, each.values) for each in map(_frame_column, frame.iter_columns())]
    else:
        y = as_array(y, n_rows)
        y = y.toarray() if sp.issparse(y) else y.reshape(n_rows, -1)
        pairs = [(j, y[:, j]) for j in range(y.shape[1])]
    if len(pairs) != len(are_numbers):
        raise ValueError(
            f"y has {len(pairs)} columns, and {len(are_numbers)} targets are predicted; give those of fit"
        )
    if is_frame(y) and names:
        order = columns_by_name([name for name, _ in pairs], names, "target", "model")
        pairs = pairs if isinstance(order, slice) else [pairs[j] for j in order]
    return [
        GivenColumn(name, values, is_number)
        for (name, values), is_number in zip(pairs, are_numbers, strict=True)
    ]


def _frame_column(series: Any) -> GivenColumn:
    import narwhals.stable.v2 as nw

    is_number = series.dtype.is_float() or series.dtype.is_decimal()
    cells = series.cast(nw.Float64).to_numpy() if is_number else series
    return GivenColumn(series.name, as_array(cells, None), is_number)


def _holds_labels(values: np.ndarray) -> bool:
    """Whether all that is known is 0 or 1."""
    if values.dtype.kind == "O":
        numbers = (Real, np.bool_)
        return all(is_missing(cell) or (isinstance(cell, numbers) and cell in (0, 1)) for cell in values.flat)
    return values.dtype.kind in "biuf" and bool(((values == 0) | (values == 1) | (values != values)).all())


def _holds_fractions(y: np.ndarray) -> bool:
    """Whether all are numbers, and some are not whole: these can be no classes."""
    if y.dtype.kind == "O":
        known = [cell for cell in y.flat if not is_missing(cell)]
        return all(isinstance(cell, (Real, np.bool_)) for cell in known) and any(cell % 1 for cell in known)
    return y.dtype.kind == "f" and bool((np.nan_to_num(y) % 1 != 0).any())
